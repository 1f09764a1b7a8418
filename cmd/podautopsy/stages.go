package main

import (
	"fmt"
	"io"
	"time"
)

// stages measures what a run spends its time on. Without a clock it measures
// nothing.
type stages struct {
	now   func() time.Time
	names []string // in the order in which they were first begun
	took  map[string]time.Duration
	last  string
	since time.Time
}

func newStages(now func() time.Time) *stages {
	return &stages{now: now, took: map[string]time.Duration{}}
}

// begin ends the stage before, if there is one, and begins another; "" none.
func (s *stages) begin(name string) {
	if s.now == nil {
		return
	}
	at := s.now()
	if s.last != "" {
		s.took[s.last] += at.Sub(s.since)
	}
	if _, known := s.took[name]; !known && name != "" {
		s.names = append(s.names, name)
		s.took[name] = 0
	}
	s.last, s.since = name, at
}

// write tells how long each stage took.
func (s *stages) write(w io.Writer) {
	s.begin("")
	for _, name := range s.names {
		fmt.Fprintf(w, "%10s  %s\n", s.took[name].Round(100*time.Microsecond), name)
	}
}
