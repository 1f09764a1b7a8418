package main

import (
	"context"
	"errors"
	"io"

	"podautopsy/analyzer"
	"podautopsy/timeline"
)

// engine is what the commands need of the packages that read and judge.
type engine struct {
	// read collects the facts of a bundle. When ctx ends it returns what it
	// has together with the context's error.
	read func(ctx context.Context, b bundle) (*timeline.Timeline, error)
	// analyze judges them.
	analyze func(tl *timeline.Timeline, q query) (*analyzer.Document, error)
}

// bundle is what to read and within which bounds.
type bundle struct {
	paths  []string
	stdin  io.Reader
	limits limits
	assume timeline.Options
	// reading is told of every file before it is read; it may be nil.
	reading func(path string)
}

// limits bound what a hostile or huge bundle may cost.
type limits struct {
	fileSize, totalSize byteSize
	files, depth, jobs  int
}

// query is what the user asks about.
type query struct {
	paths  []string
	pods   []timeline.Ref // to be judged even if nothing seems wrong with them
	anchor anchor
}

func newEngine() engine {
	return engine{
		read: func(context.Context, bundle) (*timeline.Timeline, error) {
			return nil, errors.New("reading bundles is not part of this build")
		},
		analyze: func(*timeline.Timeline, query) (*analyzer.Document, error) {
			return nil, errors.New("the analysis is not part of this build")
		},
	}
}
