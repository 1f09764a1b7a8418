package analyzer

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"podautopsy/timeline"
)

// Match is one event that fits one signature.
type Match struct {
	Signature *Signature
	// Event is its index in the timeline.
	Event int
	// Keys tell what the event is about: uid, ns, pod, container, sandbox,
	// volume, path, err ... See keysOf.
	Keys map[string]string
	// Text is the part of the message that the pattern fits, bounded.
	Text string
}

// patternReach bounds how much of a message the patterns see: no record that
// they are made for is longer, and a gigantic line must not stall the run.
const patternReach = 32 << 10

// Match finds every signature that fits each event, in the order of the events
// and, for one event, of the catalogue.
func (c *Catalogue) Match(events []timeline.Event) []Match {
	workers := min(runtime.GOMAXPROCS(0), len(events)/1024+1)
	parts := make([][]Match, workers)
	var wg sync.WaitGroup
	for w := range parts {
		from, to := w*len(events)/workers, (w+1)*len(events)/workers
		wg.Go(func() { parts[w] = c.matchRange(events, from, to) })
	}
	wg.Wait()
	return slices.Concat(parts...)
}

func (c *Catalogue) matchRange(events []timeline.Event, from, to int) []Match {
	var (
		out       []Match
		applies   = map[string][]bool{} // by component
		candidate []int
		marked    = make([]int, len(c.Signatures)) // with the event that marked it, from 1
	)
	for i := from; i < to; i++ {
		e := &events[i]
		message := e.Message
		if len(message) > patternReach {
			message = message[:patternReach]
		}
		candidate = append(candidate[:0], c.unmarked...)
		c.index.find(message, func(n int) {
			if marked[n] != i+1 {
				marked[n] = i + 1
				candidate = append(candidate, n)
			}
		})
		if len(candidate) == 0 {
			continue
		}
		fits, ok := applies[e.Component]
		if !ok {
			fits = c.applies(e.Component)
			applies[e.Component] = fits
		}
		slices.Sort(candidate)
		for _, n := range candidate {
			if !fits[n] {
				continue
			}
			if keys, text, ok := c.Signatures[n].match(message); ok {
				out = append(out, Match{c.Signatures[n], i, keys, text})
			}
		}
	}
	return out
}

// match tries the pattern on a message. It returns the keys and the text that
// fits.
func (s *Signature) match(message string) (map[string]string, string, bool) {
	pattern, err := s.regexp()
	if err != nil || !s.requires.heldBy(message) {
		return nil, "", false
	}
	groups := pattern.FindStringSubmatchIndex(message)
	if groups == nil {
		return nil, "", false
	}
	const longest = 200
	text := message[groups[0]:min(groups[1], groups[0]+longest)]
	return s.keysOf(message, groups), text, true
}

// applies tells for each signature whether it is made for lines of component.
// Lines of nobody known may be anybody's, as far as a literal vouches for it.
func (c *Catalogue) applies(component string) []bool {
	speakers := speakersOf(component)
	out := make([]bool, len(c.Signatures))
	for i, s := range c.Signatures {
		out[i] = component == "" && len(s.Literals) > 0 || len(s.Component) == 0 ||
			slices.ContainsFunc(s.Component, func(w string) bool { return slices.Contains(speakers, w) })
	}
	return out
}

// speakersOf is who speaks in the log of a program: itself, and the components
// that distributions build into one binary or run under their own name.
func speakersOf(program string) []string {
	name := strings.TrimPrefix(program, "snap.")
	name = strings.TrimPrefix(name, "microk8s.daemon-")
	switch {
	case name == timeline.APIEvent:
		// An Event repeats the error of the component that sent it.
		return []string{program, timeline.Kubelet, timeline.KCM}
	case strings.HasPrefix(name, "k3s"), strings.HasPrefix(name, "rke2"), strings.HasPrefix(name, "k0s"), name == "kubelite":
		return []string{program, timeline.Kubelet, timeline.KCM, timeline.APIServer, timeline.Containerd}
	case name == "hyperkube", name == "kubenswrapper", name == "kubensenter", name == "origin-node", name == "atomic-openshift-node", strings.HasPrefix(name, "kubelet"):
		return []string{program, timeline.Kubelet}
	case name == "cri-dockerd": // dockershim's code
		return []string{program, timeline.Dockerd, timeline.Kubelet}
	case strings.HasPrefix(name, "containerd"), strings.HasPrefix(name, "docker-containerd"), name == "cri":
		return []string{program, timeline.Containerd}
	case name == "docker", strings.HasPrefix(name, "dockerd"):
		return []string{program, timeline.Dockerd}
	case name == "cri-o", strings.HasPrefix(name, "conmon"):
		return []string{program, timeline.CRIO}
	case strings.HasPrefix(name, "kube-controller"):
		return []string{program, timeline.KCM}
	}
	return []string{program}
}
