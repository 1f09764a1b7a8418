package analyzer

import (
	"regexp"
	"strings"
	"testing"
)

// What a plain pattern tells is what regexp tells.
func TestPlainPattern(t *testing.T) {
	for _, tc := range []struct{ pattern, text string }{
		{`unmount failed`, "unmount failed"},
		{`(?ms)volume "(?P<volume>[^"]+)" is.* busy`, `the volume "data" is, as umount says, busy`},
		{`(?ms)volume "(?P<volume>[^"]+)" is.* busy`, `volume "" is busy`},
		{`(?ms)id=[0-9a-f]{12,64}"`, `id=0123456789a"`},
		{`(?ms)id=[0-9a-f]{12,64}"`, `id=0123456789ab"`},
		{`(?ms)id=[0-9a-f]{2,4}5`, `id=12345`},
		{`(?ms)id=[0-9a-f]{2,4}5`, `id=123455555`},
		{`(?ms)id=[0-9a-f]{2,4}z`, `id=12345z`},
		{`(?ms)(?:\\+x2d[0-9a-f]{4}){3}`, `a\x2d0123\\x2d4567\x2d89ab`},
		{`(?ms)(?:\\+x2d[0-9a-f]{4}){3}`, `a\x2d0123\\x2d4567\x2d89a`},
		{`(?ms)(?:ab){1,3}c`, "ababababc"},
		{`(?ms)^(?:ab){1,3}c$`, "ababababc"},
		{`(?ms)^(?:ab){1,3}c$`, "x\nababc\ny"},
		{`(?i)target is busy`, "TARGET Is busy"},
		{`(?ms)\bpod\b`, "a podx, a pod."},
		{`(?ms)\bpod\b`, "podx"},
		{`(?ms)a(?:x|.*)b`, "aab"},
		{`(?ms)a.+b`, "ab"},
		{`(?ms)a.+?b`, "abb"},
		{`a.b`, "a\nb"},
		{`(?ms)a.b`, "a\nb"},
		{`(?ms)x(?:first|second)?y`, "xy xfirsty"},
		{`x\z`, "xy"},
		{`\Ax`, "yx"},
		{`é+`, "e"},
		{`[^"]+é`, "é"},
	} {
		want := regexp.MustCompile(tc.pattern).MatchString(tc.text)
		p := plainPatternOf(tc.pattern)
		if p == nil {
			t.Errorf("%s is no plain pattern", tc.pattern)
			continue
		}
		if got, told := p.fits(tc.text); told && got != want || !told && isASCII(tc.text) {
			t.Errorf("%s fits %q: %v (told: %v), regexp says %v", tc.pattern, tc.text, got, told, want)
		}
	}
}

// Others are left to regexp.
func TestNotPlainPattern(t *testing.T) {
	for _, pattern := range []string{`(?:ab)+`, `(?:ab){20}`, `(`, `(?:a+b)*c`} {
		if plainPatternOf(pattern) != nil {
			t.Errorf("%s passes for a plain pattern", pattern)
		}
	}
}

// A text made for it does not cost more than regexp and some.
func TestPlainPatternGivesUp(t *testing.T) {
	p := plainPatternOf(`(?s)x.*x.*x.*x.*y`)
	if _, told := p.fits(strings.Repeat("x", 4000)); told {
		t.Error("went through all the ways in which this does not fit")
	}
}

// Nearly all of the catalogue are plain patterns, and say of each other's lines
// what regexp says.
func TestPlainPatternsOfTheCatalogue(t *testing.T) {
	c, err := BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range c.Signatures {
		lines = append(append(lines, s.Yes...), s.No...)
	}
	plain := 0
	for _, s := range c.Signatures {
		pattern, err := s.regexp()
		if err != nil {
			t.Fatal(err)
		}
		if s.plain == nil {
			continue
		}
		plain++
		for _, line := range lines {
			if fits, told := s.plain.fits(line); told && fits != pattern.MatchString(line) {
				t.Errorf("%s fits %q: %v", s.ID, line, fits)
			}
		}
	}
	if plain < len(c.Signatures)*9/10 {
		t.Errorf("only %d of %d are", plain, len(c.Signatures))
	}
}

func FuzzPlainPattern(f *testing.F) {
	c, err := BuiltinSignatures()
	if err != nil {
		f.Fatal(err)
	}
	for n, s := range c.Signatures {
		for _, yes := range s.Yes {
			f.Add(uint16(n), yes)
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, text string) {
		s := c.Signatures[int(n)%len(c.Signatures)]
		pattern, err := s.regexp()
		if err != nil || s.plain == nil {
			t.Skip()
		}
		if fits, told := s.plain.fits(text); told && fits != pattern.MatchString(text) {
			t.Errorf("%s fits %q: %v", pattern, text, fits)
		}
	})
}

func BenchmarkFits(b *testing.B) {
	c, err := BuiltinSignatures()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, s := range c.Signatures {
			for _, yes := range s.Yes {
				s.fits(yes)
			}
		}
	}
}
