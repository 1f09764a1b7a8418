package parsers

import (
	"testing"
	"time"
)

// A line without a whole header leaves nothing of what was read of it.
func TestHeadersThatAreNone(t *testing.T) {
	for _, s := range []string{
		"", "I", "level", "time=", "time=yesterday level=info msg=x", "l", "levels=1",
		"I1130 08:21:33.000000       1 kubelet.go:2425",
		"I1130 08:21:33.000000       1 kubelet go:2425] x",
		"I1130 08:21:33.000000       1 :2425] x",
		"W1330 08:21:33.000000       1 kubelet.go:2425] x",
		"E1130 25:21:33.000000       1 kubelet.go:2425] x",
		"2026-13-01T00:00:00Z x", `{"level":`,
	} {
		var said spoken
		var header klogLine
		said.hear(s, &header)
		if want := (spoken{message: s}); said != want || header != (klogLine{}) {
			t.Errorf("%q: %+v, %+v", s, said, header)
		}
	}
}

// A fraction is read as time.Parse does, of however many digits it is.
func TestFractions(t *testing.T) {
	const digits = "019283746501"
	for n := range len(digits) + 1 {
		s := "08:21:33"
		if n > 0 {
			s += "." + digits[:n]
		}
		want, err := time.Parse("15:04:05", s)
		if err != nil {
			t.Fatal(err)
		}
		second, nano, precision, length := clockFace(s + "Z")
		if second != 8*3600+21*60+33 || nano != want.Nanosecond() || length != len(s) {
			t.Errorf("%s: %d s, %d ns, %d bytes", s, second, nano, length)
		}
		unit := time.Second
		for range min(n, 9) {
			unit /= 10
		}
		if precision != unit {
			t.Errorf("%s: precise to %v", s, precision)
		}
	}
}
