package main

import (
	"context"
	"errors"
	"slices"

	"podautopsy/analyzer"
	"podautopsy/timeline"
)

// study reads the bundle and judges it. An interrupted reading gives the
// report on what was read, marked as partial.
func (c *cli) study(ctx context.Context, f *flags, paths []string) (*analyzer.Document, error) {
	f.stages = newStages(c.now)
	f.stages.begin("loading signatures")
	catalogue, err := c.engine.signatures(f.signatures)
	if err != nil {
		return nil, err
	}
	progress := c.startProgress()
	assume := f.assumed(paths)
	var scene *analyzer.Scene
	tl, err := c.engine.read(ctx, bundle{
		paths: paths, stdin: c.stdin, limits: f.limits, assume: assume, catalogue: catalogue, asked: f.asked(), namespace: f.namespace, parsers: f.parsers(), reading: progress.reading,
		progress: &progress.bytes, stage: func(doing string) { progress.stage(doing); f.stages.begin(doing) },
		scene: func(s *analyzer.Scene) { scene = s },
	})
	progress.stop()
	partial := errors.Is(err, context.Canceled) && ctx.Err() != nil
	if err != nil && !(partial && tl != nil) {
		if partial {
			return nil, &exitError{code: exitInterrupted, err: errors.New("interrupted before anything was read")}
		}
		return nil, err
	}

	if err := checkSources(assume, tl); err != nil && !partial && !f.sourcesLack {
		return nil, err
	}
	if f.facts != nil {
		f.facts(tl)
	}
	q := query{paths: paths, follow: f.follow, anchor: f.anchor, catalogue: catalogue, scene: scene, whole: f.whole}
	if f.stated != nil {
		q.paths = f.stated
	}
	if len(f.pods) > 0 {
		q.pods, err = resolvePods(f.pods, f.namespace, podsIn(tl), func() map[string]string { return c.outcomes(tl, q) })
		if err != nil {
			return nil, err
		}
	}
	f.stages.begin("judging")
	doc, err := c.engine.analyze(tl, q)
	if err != nil {
		return nil, err
	}
	doc.Partial = doc.Partial || partial
	if doc.Whole != nil {
		entire := doc.Entire()
		narrow(entire, wanted(f.namespace, q.pods))
		doc.Whole = &analyzer.Whole{Timeline: entire.Timeline, Evidence: entire.Evidence}
	}
	narrow(doc, wanted(f.namespace, q.pods))
	return doc, nil
}

// asked are the pods whose lines are looked at closer, also in large logs.
func (f *flags) asked() []string {
	asked := slices.Clone(f.pods)
	for _, followed := range f.follow {
		if followed.Kind == "Pod" && followed.Name != "" {
			asked = append(asked, followed.Namespace+"/"+followed.Name)
		}
	}
	return asked
}

// outcomes is what became of every pod that an analysis speaks of.
func (c *cli) outcomes(tl *timeline.Timeline, q query) map[string]string {
	doc, err := c.engine.analyze(tl, q)
	if err != nil {
		return nil // suggestions do without
	}
	out := map[string]string{}
	for i := range doc.Subjects {
		s := &doc.Subjects[i]
		if s.Kind == "Pod" {
			out[podName(ref(s))] = s.Outcome
		}
	}
	return out
}

// interrupted says that a report is only partial, once it is written.
func interrupted(doc *analyzer.Document) error {
	if !doc.Partial {
		return nil
	}
	return &exitError{code: exitInterrupted, err: errors.New("interrupted; the report is partial")}
}
