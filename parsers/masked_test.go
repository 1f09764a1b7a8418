package parsers

import (
	"slices"
	"strings"
	"testing"

	"podautopsy/timeline"
)

// What is counted by lines must be seen when all of a text is looked through.
func TestMayBeRedacted(t *testing.T) {
	const line = `Nov 30 08:21:33 w3 kubelet[871]: "Killing container" pod="shop/cart-0" image="x/y:1" out="**"` + "\n"
	if mayBeRedacted(line) {
		t.Error("nothing in it was redacted")
	}
	for _, mark := range slices.Concat(timeline.Masks(), standIns[:]) {
		for at := range line {
			if text := strings.Repeat(line, 3) + line[:at] + mark + line[at:]; !mayBeRedacted(text) {
				t.Errorf("%q is not seen in %q", mark, text)
			}
		}
		if !mayBeRedacted(mark) {
			t.Errorf("%q alone is not seen", mark)
		}
	}
}
