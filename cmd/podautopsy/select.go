package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"podautopsy/analyzer"
	"podautopsy/timeline"
)

// podsIn is every pod that the bundle tells of, also those that only a log or
// a runtime still knows. Two lives of one name are two.
func podsIn(tl *timeline.Timeline) []timeline.Ref {
	seen := map[timeline.Ref]bool{}
	named := map[string]bool{} // names that come with a uid somewhere
	add := func(namespace, name, uid string) {
		namespace, name, uid = tl.StandIns.Restore(namespace), tl.StandIns.Restore(name), tl.StandIns.Restore(uid)
		if name != "" {
			seen[timeline.Ref{Kind: "Pod", Namespace: namespace, Name: name, UID: uid}] = true
			if uid != "" {
				named[namespace+"/"+name] = true
			}
		}
	}
	for _, o := range tl.Objects {
		if o.Kind == "Pod" {
			add(o.Namespace, o.Name, o.UID)
		}
	}
	for i := range tl.Containers {
		c := &tl.Containers[i]
		add(c.PodNamespace, c.PodName, c.PodUID)
	}
	for i := range tl.Sandboxes {
		s := &tl.Sandboxes[i]
		add(s.PodNamespace, s.Pod, s.PodUID)
	}
	for i := range tl.Events {
		e := &tl.Events[i]
		if of := e.Object(); of.Kind == "Pod" {
			add(of.Namespace, of.Name, of.UID)
		}
		for _, p := range timeline.Mentions(e.Message).Pods {
			add(p.Namespace, p.Name, p.UID)
		}
	}
	pods := make([]timeline.Ref, 0, len(seen))
	for p := range seen {
		if p.UID == "" && named[p.Namespace+"/"+p.Name] {
			continue
		}
		pods = append(pods, p)
	}
	slices.SortFunc(pods, func(a, b timeline.Ref) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	return pods
}

// shortestUID is how much of a UID must be given.
const shortestUID = 4

// matchPods finds the pods that a --pod asks for: by its exact name, else by
// the end or the beginning of it, or by a UID. Exactness wins over guessing.
func matchPods(asked, namespace string, pods []timeline.Ref) []timeline.Ref {
	if ns, name, ok := strings.Cut(asked, "/"); ok {
		namespace, asked = ns, name
	}
	if asked == "" {
		return nil
	}
	ways := []func(p timeline.Ref) bool{
		func(p timeline.Ref) bool { return p.Name == asked },
		func(p timeline.Ref) bool { return len(asked) >= shortestUID && strings.HasPrefix(p.UID, asked) },
		func(p timeline.Ref) bool { return strings.HasSuffix(p.Name, asked) },
		func(p timeline.Ref) bool { return strings.HasPrefix(p.Name, asked) },
	}
	for _, way := range ways {
		var found []timeline.Ref
		for _, p := range pods {
			if (namespace == "" || p.Namespace == namespace) && way(p) {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// podNames is the distinct namespace/name of pods.
func podNames(pods []timeline.Ref) []string {
	var out []string
	for _, p := range pods {
		out = append(out, podName(p))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func podName(p timeline.Ref) string {
	if p.Namespace == "" {
		return p.Name
	}
	return p.Namespace + "/" + p.Name
}

// suggestPods is names that may have been meant: those with the letters in
// that order, and those a slip or two away.
func suggestPods(asked string, names []string) []string {
	type near struct {
		name string
		dist int
	}
	found := map[string]int{}
	for _, m := range fuzzy.Find(asked, names) {
		found[m.Str] = slips(asked) + 1 // behind every typo
	}
	for _, n := range names {
		d := distance(asked, n)
		if !strings.Contains(asked, "/") {
			_, bare, _ := strings.Cut(n, "/")
			d = min(d, distance(asked, bare))
			// Without the part that a controller appends, too.
			if i := strings.LastIndexByte(bare, '-'); i > 0 {
				d = min(d, distance(asked, bare[:i]))
				if j := strings.LastIndexByte(bare[:i], '-'); j > 0 {
					d = min(d, distance(asked, bare[:j]))
				}
			}
		}
		if d <= slips(asked) {
			found[n] = d
		}
	}
	nears := make([]near, 0, len(found))
	for n, d := range found {
		nears = append(nears, near{n, d})
	}
	slices.SortFunc(nears, func(a, b near) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.name, b.name)) })
	var out []string
	for _, n := range nears {
		out = append(out, n.name)
	}
	return out
}

// resolvePods turns every --pod into pods of the bundle. outcomes tells what
// became of a pod, for suggestions; it is asked only when one is needed.
func resolvePods(asked []string, namespace string, pods []timeline.Ref, outcomes func() map[string]string) ([]timeline.Ref, error) {
	var out []timeline.Ref
	for _, a := range asked {
		found := matchPods(a, namespace, pods)
		names := podNames(found)
		switch len(names) {
		case 0:
			err := usagef("no pod %q in this bundle", a)
			for i, s := range worstFirst(suggestPods(a, podNames(pods)), outcomes()) {
				if i == mostSuggestions {
					break
				}
				err = hint(err, "did you mean %s?", s)
			}
			if len(err.hints) == 0 {
				err = hint(err, "%s", tells(podNames(pods)))
			}
			return nil, err
		case 1:
			out = append(out, found...)
		default:
			err := usagef("--pod %s could be any of %d pods", a, len(names))
			for i, s := range worstFirst(names, outcomes()) {
				if i == mostSuggestions {
					break
				}
				err = hint(err, "%s", s)
			}
			return nil, err
		}
	}
	return out, nil
}

const mostSuggestions = 5

// worstFirst puts the pods first that are stuck, and says so.
func worstFirst(names []string, outcomes map[string]string) []string {
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(boolRank(outcomes[a] == analyzer.Stuck), boolRank(outcomes[b] == analyzer.Stuck))
	})
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if o := outcomes[n]; o != "" {
			out[i] = fmt.Sprintf("%s (%s)", n, o)
		}
	}
	return out
}

func boolRank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// tells names the pods of a bundle, or counts them where they are many.
func tells(names []string) string {
	switch {
	case len(names) == 0:
		return "the bundle tells of no pod"
	case len(names) <= mostSuggestions:
		return "the bundle tells of " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("the bundle tells of %d pods", len(names))
}
