package main

import (
	"context"
	"io"
	"runtime/debug"

	"podautopsy/analyzer"
	"podautopsy/parsers"
	"podautopsy/timeline"
)

// engine is what the commands need of the packages that read and judge.
type engine struct {
	// read collects the facts of a bundle. When ctx ends it returns what it
	// has together with the context's error.
	read func(ctx context.Context, b bundle) (*timeline.Timeline, error)
	// analyze judges them.
	analyze func(tl *timeline.Timeline, q query) (*analyzer.Document, error)
	// causes describes every cause that analyze can name.
	causes func() ([]*analyzer.Cause, error)
	// defects are those that it names beside a cause.
	defects func() ([]*analyzer.Defect, error)
	// signatures is what lines are known by: what is built in, and the user's
	// own in these folders.
	signatures func(dirs []string) (*analyzer.Catalogue, error)
}

// bundle is what to read and within which bounds.
type bundle struct {
	paths  []string
	stdin  io.Reader
	limits limits
	assume timeline.Options
	// parsers are the formats to recognise; nil is all of them.
	parsers []parsers.Parser
	// catalogue tells what may matter in logs too large to be kept; nil means
	// what is built in.
	catalogue *analyzer.Catalogue
	// asked are the pods that the user asked for, in a namespace or any.
	asked     []string
	namespace string
	// reading is told of every file before it is read; it may be nil.
	reading func(path string)
	// progress counts what is read, and stage is told what is done from now on;
	// they may be nil.
	progress *parsers.Progress
	stage    func(doing string)
	// scene is given what was found in the timeline to know whom it is about, and
	// nil once there is more to find; it may be nil itself.
	scene func(*analyzer.Scene)
}

// limits bound what a hostile or huge bundle may cost.
type limits struct {
	fileSize, totalSize, memory byteSize
	files, depth, jobs          int
}

// wanted are the pods of a timeline that the user asked for.
func (b *bundle) wanted(tl *timeline.Timeline) []analyzer.Wanted {
	var wanted []analyzer.Wanted
	for _, asked := range b.asked {
		for _, p := range matchPods(asked, b.namespace, podsIn(tl)) {
			wanted = append(wanted, analyzer.Wanted{Namespace: p.Namespace, Name: p.Name, UID: p.UID})
		}
	}
	return wanted
}

func (l limits) reading() parsers.Limits {
	return parsers.Limits{
		MaxFileBytes: int64(l.fileSize), MaxTotalBytes: int64(l.totalSize), MaxFiles: l.files, MaxDepth: l.depth,
		MaxMemory: int64(l.memory),
	}
}

// query is what the user asks about.
type query struct {
	paths  []string
	pods   []timeline.Ref      // to be judged even if nothing seems wrong with them
	follow []analyzer.Followed // subjects of an earlier report
	anchor anchor
	whole  bool // the whole timeline is asked for, too
	// catalogue of signatures; nil means what is built in.
	catalogue *analyzer.Catalogue
	// scene of the timeline, if reading has made it.
	scene *analyzer.Scene
}

func newEngine() engine {
	return engine{read: read, analyze: analyze, causes: analyzer.Causes, defects: analyzer.Defects, signatures: signatures}
}

func read(ctx context.Context, b bundle) (*timeline.Timeline, error) {
	if b.limits.memory > 0 {
		// Garbage is collected before the limit is exceeded, with some room for
		// what the runtime does not count.
		debug.SetMemoryLimit(int64(b.limits.memory - b.limits.memory/8))
	}
	catalogue := b.catalogue
	if catalogue == nil {
		var err error
		if catalogue, err = analyzer.BuiltinSignatures(); err != nil {
			return nil, err
		}
	}
	keep := func(scene *analyzer.Scene) {
		if b.scene != nil {
			b.scene(scene)
		}
	}
	return parsers.Read(ctx, b.paths, b.stdin, parsers.ReadOptions{
		Limits: b.limits.reading(), Jobs: b.limits.jobs, Parsers: b.parsers, Assume: b.assume, Reading: b.reading, Progress: b.progress, Stage: b.stage,
		Skim: &parsers.Skim{
			Lines: catalogue.Lines(), Sample: catalogue.Sample(), About: b.asked,
			Concerns: func(tl *timeline.Timeline) []string {
				scene := catalogue.Scene(tl)
				keep(scene)
				return scene.Concerns(b.wanted(tl))
			},
			Outdated: func() { keep(nil) },
		},
	})
}

func analyze(tl *timeline.Timeline, q query) (*analyzer.Document, error) {
	opt := analyzer.Options{
		Paths: q.paths, Version: version(), Catalogue: q.catalogue, Scene: q.scene, Follow: q.follow,
		AnchorAtRequest: q.anchor.basis == anchorRequest, AnchorAt: q.anchor.at, Whole: q.whole,
	}
	for _, p := range q.pods {
		opt.Wanted = append(opt.Wanted, analyzer.Wanted{Namespace: p.Namespace, Name: p.Name, UID: p.UID})
	}
	return analyzer.Analyze(tl, opt)
}
