package timeline

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// clockSamples are all moments of the bundle that a node's clock and the API
// server's tell, by node, in the order of the node's time.
func clockSamples(builders []*Builder) map[string][]*ClockSample {
	found := map[string][]*ClockSample{}
	add := func(s *ClockSample) {
		const most = 10 * 365 * 24 * time.Hour
		if s.Node != "" && !s.At.IsZero() && !s.API.IsZero() && s.At.Sub(s.API).Abs() < most {
			found[s.Node] = append(found[s.Node], s)
		}
	}
	for _, b := range builders {
		for i := range b.Samples {
			add(&b.Samples[i])
		}
		for _, o := range b.Objects {
			if s := sampleOf(o); s != nil {
				add(s)
			}
		}
	}
	kubeletLines(builders, add)
	for _, list := range found {
		slices.SortStableFunc(list, func(a, b *ClockSample) int { return a.At.Compare(b.At) })
	}
	return found
}

// sampleOf compares what the kubelet last wrote into an object with the API
// server's record of its writing. Default dumps lack that record.
func sampleOf(o *Object) *ClockSample {
	if o.Partial || o.Content == nil {
		return nil
	}
	s := &ClockSample{AtRound: time.Second, APIRound: time.Second}
	var field, at []string
	switch {
	case o.Kind == "Lease" && o.Namespace == "kube-node-lease":
		s.Node, s.How, s.AtRound = o.Name, SampleLease, time.Microsecond
		field, at = []string{"f:spec", "f:renewTime"}, []string{"spec", "renewTime"}
		s.At = timeIn(o, at...)
	case o.Kind == "Node":
		s.Node, s.How = o.Name, SampleHeartbeat
		field = []string{"f:status", "f:conditions", `k:{"type":"Ready"}`, "f:lastHeartbeatTime"}
		for i, c := range listIn(o, "status", "conditions") {
			if t := timeIn(Decoded(c), "lastHeartbeatTime"); t.After(s.At) && c["type"] == "Ready" {
				s.At, at = t, []string{"status", "conditions", strconv.Itoa(i), "lastHeartbeatTime"}
			}
		}
	case o.Kind == "Pod":
		s.Node = o.textAt("spec", "nodeName")
		s.How = SamplePodStatus
		field = []string{"f:status"}
		s.At, at = newestOfKubelet(o)
	default:
		return nil
	}
	if s.At.IsZero() || s.Node == "" {
		return nil
	}
	for i, m := range listIn(o, "metadata", "managedFields") {
		fields, _ := m["fieldsV1"].(map[string]any)
		if manager, _ := m["manager"].(string); manager != Kubelet && o.Kind != "Lease" || !has(fields, field) {
			continue
		}
		s.API = timeIn(Decoded(m), "time")
		s.Cite = func() []Citation {
			return cited(o, at, []string{"metadata", "managedFields", strconv.Itoa(i), "time"})
		}
	}
	if s.API.IsZero() {
		return nil
	}
	return s
}

// newestOfKubelet is the newest time in a pod's status that its kubelet wrote.
func newestOfKubelet(pod *Object) (newest time.Time, at []string) {
	for i, c := range listIn(pod, "status", "conditions") {
		switch c["type"] {
		case "Ready", "ContainersReady", "Initialized", "PodReadyToStartContainers":
			if t := timeIn(Decoded(c), "lastTransitionTime"); t.After(newest) {
				newest, at = t, []string{"status", "conditions", strconv.Itoa(i), "lastTransitionTime"}
			}
		}
	}
	return newest, at
}

// cited finds the places of fields of an object.
func cited(o *Object, paths ...[]string) []Citation {
	var out []Citation
	for _, path := range paths {
		c := Citation{Source: o.Source, Text: o.Text, Component: "api-object", Time: o.AsOf}
		if o.Locate != nil {
			if src, text, ok := o.Locate(path...); ok {
				c.Source, c.Text = src, text
			}
		}
		if !slices.ContainsFunc(out, func(x Citation) bool { return x.Source == c.Source && x.Text == c.Text }) {
			out = append(out, c)
		}
	}
	return out
}

// notice is a moment that the kubelet notes of a pod.
type notice struct {
	e     *Event
	about PodName
}

// kubeletLines compares the kubelet's SyncLoop lines about a pod with what the
// API server did to it: the first DELETE follows the request, the REMOVE the
// kubelet's own last delete.
func kubeletLines(builders []*Builder, add func(*ClockSample)) {
	type life struct {
		request time.Time // by the API server's clock
		round   time.Duration
		final   time.Time // the node's own delete
		by      string    // that node
		object  *Object
		audit   *Event
		last    *Event // audit of final
	}
	lives := map[PodName]*life{}
	get := func(ns, name string) *life {
		p := PodName{Namespace: ns, Name: name}
		l := lives[p]
		if l == nil {
			l = &life{}
			lives[p] = l
		}
		return l
	}
	for _, b := range builders {
		for _, o := range b.Objects {
			if o.Kind != "Pod" || o.Partial {
				continue
			}
			t := deletionTime(o)
			if at := requestTime(o); !t.IsZero() && at.Before(t) {
				if l := get(o.Namespace, o.Name); l.audit == nil {
					l.request, l.round, l.object = at, time.Second, o
				}
			}
		}
		for i := range b.Events {
			e := &b.Events[i]
			if e.Component != Audit || e.Object().Kind != "Pod" || e.Time.IsZero() || !strings.HasPrefix(e.Message, "verb=delete ") ||
				!strings.Contains(e.Message, " code=200 ") || strings.Contains(e.Message, " dryRun=") {
				continue
			}
			of := e.Object()
			l := get(of.Namespace, of.Name)
			if _, user, ok := strings.Cut(e.Message, " user=system:node:"); ok {
				user, _, _ = strings.Cut(user, " ")
				if e.Time.After(l.final) {
					l.final, l.by, l.last = e.Time, user, e
				}
			} else if l.audit == nil || e.Time.Before(l.request) {
				l.request, l.round, l.audit = e.Time, e.Precision, e
			}
		}
	}
	if len(lives) == 0 {
		return
	}
	said := map[PodName][]notice{}
	for _, b := range builders {
		for i := range b.Events {
			e := &b.Events[i]
			if e.Component != Kubelet || e.Time.IsZero() || e.Precision > time.Second || !strings.Contains(e.Message, "SyncLoop") {
				continue
			}
			if !strings.Contains(e.Message, "DELETE") && !strings.Contains(e.Message, "REMOVE") {
				continue
			}
			for _, p := range Mentions(e.Message).Pods {
				name := PodName{Namespace: p.Namespace, Name: p.Name}
				if lives[name] != nil {
					said[name] = append(said[name], notice{e, p})
				}
			}
		}
	}
	for name, list := range said {
		l := lives[name]
		slices.SortStableFunc(list, func(a, b notice) int { return a.e.Time.Compare(b.e.Time) })
		var first, gone *Event // of the name's last life
		for _, n := range list {
			if l.object != nil && n.about.UID != "" && n.about.UID != l.object.UID {
				continue
			}
			if strings.Contains(n.e.Message, "REMOVE") {
				gone = n.e
				if l.object != nil {
					first = nil // the object is there: this was its predecessor's
				}
			} else if first == nil {
				first = n.e
			}
		}
		if first != nil && !l.request.IsZero() {
			e := first
			add(&ClockSample{
				Node: e.Node, How: SampleKubeletLine, At: e.Time, API: l.request, AtRound: e.Precision, APIRound: l.round,
				Cite: func() []Citation {
					out := []Citation{citeEvent(e)}
					if l.audit != nil {
						out = append(out, citeEvent(l.audit))
					} else {
						out = append(out, cited(l.object, []string{"metadata", "deletionTimestamp"})...)
					}
					return out
				},
			})
		}
		if gone != nil && l.by == gone.Node && !l.final.IsZero() {
			e := gone
			add(&ClockSample{
				Node: e.Node, How: SampleKubeletLine, At: e.Time, API: l.final, AtRound: e.Precision + 50*time.Millisecond,
				Cite: func() []Citation { return []Citation{citeEvent(e), citeEvent(l.last)} },
			})
		}
	}
}

func citeEvent(e *Event) Citation {
	return Citation{Source: e.Source, Text: e.Text, Component: e.Component, Time: e.Time.Add(e.Ahead)}
}

// fields are an object's, or those of a part of it.
type fields interface{ Field(path ...string) any }

// timeIn reads a time of the API at a path; zero if there is none.
func timeIn(c fields, path ...string) time.Time {
	text, _ := c.Field(path...).(string)
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func listIn(c fields, path ...string) []map[string]any {
	list, _ := c.Field(path...).([]any)
	out := make([]map[string]any, len(list))
	for i, v := range list {
		out[i], _ = v.(map[string]any)
	}
	return out
}

// has says whether managed fields hold a path.
func has(fields map[string]any, path []string) bool {
	for _, key := range path {
		v, ok := fields[key]
		if !ok {
			return false
		}
		fields, _ = v.(map[string]any)
	}
	return true
}
