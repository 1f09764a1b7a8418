package analyzer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRequiredBy(t *testing.T) {
	for pattern, want := range map[string]requirement{
		`unmount failed`:                          {{"unmount failed"}},
		`a{2}b+c?`:                                {},
		`(?:Probe failed|Probe errored)"?.*time`:  {{"Probe "}, {"failed", "errored"}, {"time"}},
		`(?P<what>umount|unmount): (.*)busy`:      {{"mount", "nmount"}, {"busy"}, {": "}},
		`x(?:first|second)?y`:                     {},
		`(?i)busy`:                                {},
		`(?:a.*|target )busy`:                     {{"busy"}},
		`(?:one|two|three|four|five|six|seven)!!`: {{"!!"}},
		`(?:\\+x2d[0-9a-f]{4}){3}`:                {{"x2d"}},
	} {
		got := requiredBy(pattern)
		if len(got) == 0 && len(want) == 0 {
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

// What a pattern requires is never missing from a line that fits it.
func TestRequirementsHold(t *testing.T) {
	c, err := BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Signatures {
		for _, other := range c.Signatures {
			for _, line := range append(other.Yes, other.No...) {
				pattern, err := s.regexp()
				if err != nil {
					t.Fatal(err)
				}
				if pattern.MatchString(line) && !s.requires.heldBy(line) {
					t.Errorf("%s requires %q, which is not in %q", s.ID, s.requires, line)
				}
			}
		}
	}
}
