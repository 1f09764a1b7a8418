package literal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func found(x *Index, s string) []string {
	var all []string
	Find(x, s, func(n, at int) { all = append(all, fmt.Sprintf("%d@%d", n, at)) })
	slices.Sort(all)
	return all
}

// plainly finds literals the slow way.
func plainly(literals []string, s string) []string {
	var all []string
	for n, l := range literals {
		for at := 0; len(l) >= Shortest; at++ {
			next := strings.Index(s[at:], l)
			if next < 0 {
				break
			}
			at += next
			all = append(all, fmt.Sprintf("%d@%d", n, at))
		}
	}
	slices.Sort(all)
	return all
}

func TestFind(t *testing.T) {
	literals := []string{"target is busy", "device or resource busy", "is busy, still", "short", "ABCDEFGH", "target is busy"}
	for _, text := range []string{
		"", "busy", "umount: /x: target is busy", "target is busytarget is busy, still trying", "xABCDEFGHABCDEFGH", "device or resource bus",
		"short " + strings.Repeat("device or resource busy ", 3),
	} {
		for shift := range 6 {
			s := strings.Repeat("_", shift) + text
			if got, want := found(New(literals, "is busy is busy"), s), plainly(literals, s); !slices.Equal(got, want) {
				t.Errorf("in %q: %v, want %v", s, got, want)
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("target is busy\nABCDEFGHIJ", "umount: target is busy", uint64(1))
	f.Add("aaaaaaaaa\naaaaaaaa", "aaaaaaaaaaaaaaaaaaaa", uint64(2))
	f.Fuzz(func(t *testing.T, lines, text string, seed uint64) {
		literals := strings.Split(lines, "\n")
		r := rand.New(rand.NewPCG(seed, 0))
		for range 8 { // the text shall hold some of them
			at := r.IntN(len(text) + 1)
			text = text[:at] + literals[r.IntN(len(literals))] + text[at:]
		}
		if got, want := found(New(literals, text), text), plainly(literals, text); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var literals []string
	for i := range 300 {
		literals = append(literals, fmt.Sprintf("failure %d of the volume", i*7919))
	}
	line := `I1130 08:21:33.000000 1 kubelet.go:2425] "SyncLoop (PLEG): event for pod" pod="shop/cart-0" event={"ID":"f","Type":"ContainerStarted"}` + "\n"
	text := []byte(strings.Repeat(line, 8000))
	x := New(literals, line)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(x, text, func(int, int) {})
	}
}
