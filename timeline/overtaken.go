package timeline

import (
	"cmp"
	"path"
	"slices"
	"time"
)

// What ls, find and their like showed at one time, and what a later listing of
// the same place does not show any more, has gone in between.

// showing is what one file, or one command of a transcript, showed at a moment.
type showing struct {
	file string
	asOf time.Time
}

// placeListing is what one showing shows of the folders of a machine.
type placeListing struct {
	showing
	root   string          // what it shows first: where find began
	line   int             // ... and where that stands
	shown  map[string]bool // paths
	listed map[string]bool // folders of which it shows all that is in them
}

// covers says whether the listing would show what lies in a folder: it says so,
// or it shows the folder and began where the other did, which went deeper.
func (l *placeListing) covers(dir string, other *placeListing) bool {
	return l.listed[dir] || l.shown[dir] && l.root == other.root
}

// overtakes says whether the listing was made later and lacks a path, or a folder
// that it was in, though it would show it.
func (l *placeListing) overtakes(other *placeListing, p string) bool {
	if l.asOf.Sub(other.asOf) <= laterBundle {
		return false
	}
	for ; p != "/" && p != "."; p = path.Dir(p) {
		if l.shown[p] {
			return false
		}
		if l.covers(path.Dir(p), other) {
			return true
		}
	}
	return false
}

// placeListings sorts the paths by what showed them, for each machine. What is
// not dated or not whole overtakes nothing.
func placeListings(tl *Timeline) map[string]map[showing]*placeListing {
	byNode := map[string]map[showing]*placeListing{}
	for i := range tl.Paths {
		p := &tl.Paths[i]
		if p.Node == "" || p.AsOf.IsZero() {
			continue
		}
		key := showing{p.Source.File, p.AsOf}
		if byNode[p.Node] == nil {
			byNode[p.Node] = map[showing]*placeListing{}
		}
		l := byNode[p.Node][key]
		if l == nil {
			l = &placeListing{showing: key, shown: map[string]bool{}, listed: map[string]bool{}}
			byNode[p.Node][key] = l
		}
		if l.line == 0 || p.Source.Line < l.line {
			l.line, l.root = p.Source.Line, p.Path
		}
		l.shown[p.Path] = true
		if p.Listed {
			l.listed[p.Path] = true
		}
	}
	return byNode
}

// dropOvertaken drops the paths, addresses and interfaces that a later listing
// of the same place lacks.
func dropOvertaken(tl *Timeline) {
	inputs := map[string]*Input{}
	for i := range tl.Inputs {
		inputs[tl.Inputs[i].Path] = &tl.Inputs[i]
	}
	whole := func(file string) bool {
		in := inputs[file]
		if in == nil {
			return false
		}
		_, cut := in.CutAt()
		return !cut
	}
	byNode := placeListings(tl)
	later := map[string][]*placeListing{} // whole ones, the newest first
	for node, listings := range byNode {
		for _, l := range listings {
			if whole(l.file) {
				later[node] = append(later[node], l)
			}
		}
		slices.SortFunc(later[node], func(a, b *placeListing) int {
			return cmp.Or(b.asOf.Compare(a.asOf), cmp.Compare(a.file, b.file))
		})
	}
	tl.Reservations = slices.DeleteFunc(tl.Reservations, func(r Reservation) bool {
		return reservationGone(tl, &r, later[r.Node], inputs)
	})
	tl.Interfaces = slices.DeleteFunc(tl.Interfaces, func(n Interface) bool {
		of := inputs[n.Source.File]
		return slices.ContainsFunc(tl.Inputs, func(in Input) bool {
			return askedAgain(of, &in, n.AsOf) && whole(in.Path) && in.Records > 0 && !slices.ContainsFunc(tl.Interfaces, func(o Interface) bool {
				return o.Source.File == in.Path && o.Name == n.Name
			})
		})
	})
	tl.Paths = slices.DeleteFunc(tl.Paths, func(p Path) bool {
		own := byNode[p.Node][showing{p.Source.File, p.AsOf}]
		return own != nil && slices.ContainsFunc(later[p.Node], func(l *placeListing) bool { return l.overtakes(own, p.Path) })
	})
}

// reservationGone says whether a later listing of the folder in which host-local
// keeps the addresses of the network lacks this one, or a later answer of an
// agent that tells of all of its own.
func reservationGone(tl *Timeline, r *Reservation, later []*placeListing, inputs map[string]*Input) bool {
	if r.AsOf.IsZero() {
		return false
	}
	kept := func(file string) bool {
		return slices.ContainsFunc(tl.Reservations, func(o Reservation) bool { return o.Source.File == file && o.IP == r.IP })
	}
	for _, l := range later {
		if l.asOf.Sub(r.AsOf) <= laterBundle {
			break
		}
		for dir := range l.listed {
			if r.Network != "" && path.Base(dir) == r.Network && path.Base(path.Dir(dir)) == "networks" && !l.shown[path.Join(dir, r.IP)] && !kept(l.file) {
				return true
			}
		}
	}
	of := inputs[r.Source.File]
	return r.Network == "" && slices.ContainsFunc(tl.Inputs, func(in Input) bool {
		_, cut := in.CutAt()
		return askedAgain(of, &in, r.AsOf) && !cut && in.Records > 0 && !kept(in.Path)
	})
}

// askedAgain says whether a file answers what another did, on the same machine,
// at a later time: by the same command, else under the same name.
func askedAgain(of, in *Input, at time.Time) bool {
	if of == nil || of.Path == in.Path || of.Node == "" || of.Node != in.Node || of.Format != in.Format || at.IsZero() || in.CapturedAt.Sub(at) <= laterBundle {
		return false
	}
	if of.Command != "" && in.Command != "" {
		return of.Command == in.Command
	}
	return path.Base(of.Path) == path.Base(in.Path)
}
