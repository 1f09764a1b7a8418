package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bundles of one machine that were taken at different times show its state
// more than once. The latest holds for now; what an earlier snapshot shows and
// a later, whole one does not is history.

// laterBundle is how far two snapshots lie apart if they are not of one collection.
const laterBundle = 5 * time.Second

// dropHistory leaves of each machine's state what holds at last. The rows are
// as they were read, not merged yet.
func dropHistory(tl *Timeline) {
	nodeOf := map[string]string{} // by file
	for i := range tl.Inputs {
		nodeOf[tl.Inputs[i].Path] = tl.Inputs[i].Node
	}
	container := func(c *Container) state { return state{&c.Fact, c.ID, c.State, c.Tool, c.State == "running"} }
	sandbox := func(s *Sandbox) state { return state{&s.Fact, s.ID, s.State, s.Tool, s.State == "ready"} }
	tl.Containers = dropUnlisted(tl, "Container", nodeOf, latestStates(tl.Containers, container), container)
	tl.Sandboxes = dropUnlisted(tl, "Sandbox", nodeOf, latestStates(tl.Sandboxes, sandbox), sandbox)
	tl.Processes = latestTables(tl.Processes, func(p *Process) entry {
		return entry{
			Fact: &p.Fact, id: strconv.Itoa(p.PID) + "/" + strconv.Itoa(p.TID), of: strconv.Itoa(p.PID) + "/0",
			is: p.State[:min(len(p.State), 1)], always: p.PID == 1 && p.TID == 0 && p.Command != "",
		}
	})
	tl.Mounts = latestTables(tl.Mounts, func(m *Mount) entry {
		return entry{Fact: &m.Fact, scope: m.PID, id: m.Target, always: m.Target == "/"}
	})
	tl.Units = latestTables(tl.Units, func(u *Unit) entry {
		group := strings.HasSuffix(u.Name, ".slice") || strings.HasSuffix(u.Name, ".scope")
		return entry{Fact: &u.Fact, id: u.Name, of: u.Name, always: u.Name == "system.slice", absent: !group} // lists leave out services that do not run
	})
	dropOvertaken(tl)
}

// containerEnd says whether nothing comes after a state: an id never runs
// again, and a sandbox is never ready again.
func containerEnd(state string) bool { return state == "exited" || state == "notready" }

// toolFamily is the tool by its first word: two of one family do not contradict
// each other, one of them was asked later.
func toolFamily(tool string) string {
	family, _, _ := strings.Cut(tool, " ")
	return family
}

// state is what a row says of a container or sandbox.
type state struct {
	*Fact
	id, is, tool string
	alive        bool
}

// latestStates drops the rows that a later one of the same tool overtakes. If
// no time tells which is later, the order of states does.
func latestStates[T any](rows []T, of func(*T) state) []T {
	type key struct{ node, id, family string }
	newest := map[key]state{}
	keyOf := func(s state) key { return key{s.Node, s.id[:shortID], toolFamily(s.tool)} }
	for i := range rows {
		s := of(&rows[i])
		if len(s.id) < shortID || s.tool == "" {
			continue
		}
		old, known := newest[keyOf(s)]
		later := s.AsOf.After(old.asOf())
		if known && (s.AsOf.IsZero() || old.AsOf.IsZero() || s.AsOf.Equal(old.AsOf)) {
			later = containerEnd(s.is) && !containerEnd(old.is)
		}
		if !known || later {
			newest[keyOf(s)] = s
		}
	}
	return slices.DeleteFunc(rows, func(row T) bool {
		s := of(&row)
		return len(s.id) >= shortID && s.tool != "" && newest[keyOf(s)].is != s.is
	})
}

func (s state) asOf() time.Time {
	if s.Fact == nil {
		return time.Time{}
	}
	return s.AsOf
}

// dropUnlisted drops the rows that a later, complete listing of the same tool
// on the same node does not have any more.
func dropUnlisted[T any](tl *Timeline, kind string, nodeOf map[string]string, rows []T, of func(*T) state) []T {
	listed := map[string]map[string]bool{} // ids by file
	families := map[string]string{}
	for i := range rows {
		s := of(&rows[i])
		if len(s.id) < shortID {
			continue
		}
		file := s.Source.File
		if listed[file] == nil {
			listed[file] = map[string]bool{}
		}
		listed[file][s.id[:shortID]] = true
		families[file] = toolFamily(s.tool)
	}
	listings := map[string][]Listing{} // by node and tool
	for _, l := range tl.Listings {
		node, family := nodeOf[l.Source.File], cmp.Or(families[l.Source.File], l.Tool) // one that is empty has no rows
		if l.Kind == kind && (!l.Incomplete || l.RunningOnly) && !l.AsOf.IsZero() && node != "" && family != "" {
			listings[node+"/"+family] = append(listings[node+"/"+family], l)
		}
	}
	return slices.DeleteFunc(rows, func(row T) bool {
		s := of(&row)
		if s.AsOf.IsZero() || len(s.id) < shortID {
			return false
		}
		return slices.ContainsFunc(listings[s.Node+"/"+toolFamily(s.tool)], func(l Listing) bool {
			return l.AsOf.Sub(s.AsOf) > laterBundle && (!l.RunningOnly || s.alive) && !listed[l.Source.File][s.id[:shortID]]
		})
	})
}

// entry is a row of a table of processes, or of the mounts that a process sees.
type entry struct {
	*Fact
	scope  int
	id, is string
	of     string // the id without which this one cannot be: of a thread, its process's; "": only whole tables overtake each other
	always bool   // every whole table has it
	absent bool   // a whole table may lack it though it is there
}

// latestTables drops what only earlier tables show, or show otherwise, where a
// later whole one is there.
func latestTables[T any](rows []T, of func(*T) entry) []T {
	type table struct {
		node  string
		scope int
	}
	type place struct {
		table
		file string
	}
	whole := map[place]bool{}
	latest := map[table]place{}
	asOf := map[place]time.Time{}
	for i := range rows {
		e := of(&rows[i])
		if !e.always || e.AsOf.IsZero() || e.Node == "" {
			continue
		}
		t := table{e.Node, e.scope}
		p := place{t, e.Source.File}
		whole[p], asOf[p] = true, e.AsOf
		if e.AsOf.After(asOf[latest[t]]) {
			latest[t] = p
		}
	}
	if len(whole) == 0 {
		return rows
	}
	now := map[place]map[string]string{}
	for i := range rows {
		e := of(&rows[i])
		t := table{e.Node, e.scope}
		if p := (place{t, e.Source.File}); latest[t] == p && whole[p] {
			if now[p] == nil {
				now[p] = map[string]string{}
			}
			now[p][e.id] = e.is
		}
	}
	return slices.DeleteFunc(rows, func(row T) bool {
		e := of(&row)
		t := table{e.Node, e.scope}
		p, last := place{t, e.Source.File}, latest[t]
		if e.absent {
			return false
		}
		if !whole[p] { // some rows of a table, or what cgroup.procs names
			_, there := now[last][e.of]
			return !there && e.of != "" && !e.AsOf.IsZero() && asOf[last].Sub(e.AsOf) > laterBundle
		}
		if asOf[last].Sub(asOf[p]) <= laterBundle {
			return false
		}
		is, there := now[last][e.id]
		return !there || is != "" && e.is != "" && is != e.is
	})
}

// also folds another showing of the same fact into it.
func (f *Fact) also(other *Fact) {
	f.AlsoAt = append(append(f.AlsoAt, other.Source), other.AlsoAt...)
	if other.AsOf.After(f.AsOf) {
		f.AsOf = other.AsOf
	}
}

// mergeUnits makes one of the rows about a unit in the same state, and keeps
// of those that disagree the latest, where it is known which that is.
func mergeUnits(rows []Unit) []Unit {
	type key struct{ node, name string }
	at := map[key][]int{}
	var out []Unit
	for _, u := range rows {
		k := key{u.Node, u.Name}
		i := slices.IndexFunc(at[k], func(i int) bool {
			o := &out[i]
			return o.Active == u.Active && o.Sub == u.Sub && (o.Since.Equal(u.Since) || o.Since.IsZero() || u.Since.IsZero())
		})
		if i >= 0 {
			kept := &out[at[k][i]]
			if kept.Since.IsZero() && !u.Since.IsZero() { // status says more than a list
				u, *kept = *kept, u
			}
			kept.also(&u.Fact)
			kept.Restarts, kept.MainPID = cmp.Or(kept.Restarts, u.Restarts), cmp.Or(kept.MainPID, u.MainPID)
			kept.ExitStatus, kept.Result, kept.Load = cmp.Or(kept.ExitStatus, u.ExitStatus), cmp.Or(kept.Result, u.Result), cmp.Or(kept.Load, u.Load)
			continue
		}
		at[k] = append(at[k], len(out))
		out = append(out, u)
	}
	newest := map[key]time.Time{}
	for i := range out {
		if k := (key{out[i].Node, out[i].Name}); out[i].AsOf.After(newest[k]) {
			newest[k] = out[i].AsOf
		}
	}
	return slices.DeleteFunc(out, func(u Unit) bool {
		return !u.AsOf.IsZero() && newest[key{u.Node, u.Name}].Sub(u.AsOf) > laterBundle
	})
}

// mergeFilesystems does the same for df's rows.
func mergeFilesystems(rows []Filesystem) []Filesystem {
	type key struct {
		node, mount string
		inodes      bool
	}
	at := map[key]int{}
	var out []Filesystem
	for _, f := range rows {
		k := key{f.Node, f.Mount, f.Inodes}
		i, dup := at[k]
		if !dup {
			at[k] = len(out)
			out = append(out, f)
			continue
		}
		kept := &out[i]
		switch later := f.AsOf.Sub(kept.AsOf); {
		case kept.UsePercent == f.UsePercent && kept.Device == f.Device:
			kept.also(&f.Fact)
		case f.AsOf.IsZero() || kept.AsOf.IsZero() || later.Abs() <= laterBundle:
			at[k] = len(out) // one mounted over the other, or a file that holds two
			out = append(out, f)
		case later > 0:
			*kept = f
		}
	}
	return out
}
