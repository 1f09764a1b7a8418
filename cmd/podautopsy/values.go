package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// byteSize is a flag such as 64MiB.
type byteSize int64

var byteUnits = []struct {
	suffix string
	bytes  int64
}{
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"GB", 1e9},
	{"MB", 1e6},
	{"kB", 1e3},
	{"G", 1 << 30},
	{"M", 1 << 20},
	{"K", 1 << 10},
	{"B", 1},
}

func (b *byteSize) String() string {
	for _, u := range byteUnits {
		if n := int64(*b); n != 0 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Set implements pflag.Value.
func (b *byteSize) Set(s string) error {
	unit, digits := int64(1), s
	for _, u := range byteUnits {
		if d, ok := strings.CutSuffix(s, u.suffix); ok {
			unit, digits = u.bytes, d
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return fmt.Errorf("want a size such as 64MiB")
	}
	*b = byteSize(n * unit)
	return nil
}

// Type implements pflag.Value.
func (b *byteSize) Type() string { return "SIZE" }

// choice is a flag with a few allowed words.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }

// Set implements pflag.Value.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("want %s", strings.Join(c.allowed, ", "))
	}
	c.value = s
	return nil
}

// Type implements pflag.Value.
func (c *choice) Type() string { return "WHEN" }

// moment is a point in time, as such or as how long before the capture.
type moment struct {
	at     time.Time
	before time.Duration
	text   string
}

func (m *moment) String() string { return m.text }

// Set implements pflag.Value.
func (m *moment) Set(s string) error {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		*m = moment{at: t.UTC(), text: s}
		return nil
	}
	d, err := time.ParseDuration(strings.TrimPrefix(s, "-"))
	if err != nil || d < 0 {
		return fmt.Errorf("want RFC 3339 (2026-05-22T10:00:00Z) or how long before the capture (10m)")
	}
	*m = moment{before: d, text: s}
	return nil
}

// Type implements pflag.Value.
func (m *moment) Type() string { return "TIME" }

// resolve is the moment in a bundle that was captured at that time.
func (m *moment) resolve(captured *time.Time) (time.Time, error) {
	switch {
	case m.text == "":
		return time.Time{}, nil
	case !m.at.IsZero():
		return m.at, nil
	case captured == nil:
		return time.Time{}, fmt.Errorf("the bundle does not tell when it was captured, so %s before that is not known", m.text)
	}
	return captured.Add(-m.before), nil
}

// anchor is what T± counts from.
type anchor struct {
	basis string // "deletion", "request", or "time"
	at    time.Time
	text  string
}

const (
	anchorDeletion = "deletion"
	anchorRequest  = "request"
	anchorTime     = "time"
)

func (a *anchor) String() string { return a.text }

// Set implements pflag.Value.
func (a *anchor) Set(s string) error {
	if s == anchorDeletion || s == anchorRequest {
		*a = anchor{basis: s, text: s}
		return nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return fmt.Errorf("want deletion, request or a time in RFC 3339")
	}
	*a = anchor{basis: anchorTime, at: t.UTC(), text: s}
	return nil
}

// Type implements pflag.Value.
func (a *anchor) Type() string { return "WHAT" }

// zone is a time zone by its IANA name, "UTC" or "Local".
type zone struct{ loc *time.Location }

func (z *zone) String() string {
	if z.loc == nil {
		return ""
	}
	return z.loc.String()
}

// Set implements pflag.Value.
func (z *zone) Set(s string) error {
	if s == "" {
		return fmt.Errorf("want a zone such as UTC or Europe/Berlin")
	}
	loc, err := time.LoadLocation(s)
	if err != nil {
		return fmt.Errorf("want a zone such as UTC or Europe/Berlin")
	}
	z.loc = loc
	return nil
}

// Type implements pflag.Value.
func (z *zone) Type() string { return "ZONE" }
