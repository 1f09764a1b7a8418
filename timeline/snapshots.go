package timeline

import (
	"cmp"
	"slices"
)

// The same snapshot is often in a bundle twice: crictl as JSON and as a table,
// inspect beside ps, /proc/mounts beside mountinfo. It counts once, with all
// places as its source.

// shortID is how much of a runtime id tables keep.
const shortID = 12

// mergeContainers makes one of all rows about the same container in the same
// state. Rows that disagree on the state stay apart: that is a finding.
func mergeContainers(rows []Container) []Container {
	type key struct{ node, id, state string }
	at := map[key]int{}
	var out []Container
	for _, c := range rows {
		k := key{c.Node, c.ID[:min(len(c.ID), shortID)], c.State}
		i, dup := at[k]
		if !dup || len(c.ID) < shortID {
			at[k] = len(out)
			out = append(out, c)
			continue
		}
		kept := &out[i]
		if more(&c, kept) {
			// The row that says more speaks for both.
			c, *kept = *kept, c
		}
		kept.AlsoAt = append(append(kept.AlsoAt, c.Source), c.AlsoAt...)
		if len(c.ID) > len(kept.ID) {
			kept.ID = c.ID
		}
		if len(c.SandboxID) > len(kept.SandboxID) {
			kept.SandboxID = c.SandboxID
		}
		kept.Name = cmp.Or(kept.Name, c.Name)
		kept.PodUID = cmp.Or(kept.PodUID, c.PodUID)
		kept.PodNamespace, kept.PodName = cmp.Or(kept.PodNamespace, c.PodNamespace), cmp.Or(kept.PodName, c.PodName)
		kept.PID = cmp.Or(kept.PID, c.PID)
		kept.ExitCode = cmp.Or(kept.ExitCode, c.ExitCode)
		kept.Reason = cmp.Or(kept.Reason, c.Reason)
		kept.Runtime = cmp.Or(kept.Runtime, c.Runtime)
		if kept.CreatedAt.IsZero() {
			kept.CreatedAt = c.CreatedAt
		}
		if kept.StartedAt.IsZero() {
			kept.StartedAt = c.StartedAt
		}
		if kept.FinishedAt.IsZero() {
			kept.FinishedAt = c.FinishedAt
		}
	}
	return out
}

// more says whether a tells more of the container than b: its pod, then its
// process.
func more(a, b *Container) bool {
	score := func(c *Container) int {
		n := 0
		if c.PodUID != "" {
			n += 2
		}
		if c.PID != 0 {
			n++
		}
		return n
	}
	return score(a) > score(b)
}

// mergeSandboxes does the same for sandboxes.
func mergeSandboxes(rows []Sandbox) []Sandbox {
	type key struct{ node, id, state string }
	at := map[key]int{}
	var out []Sandbox
	for _, s := range rows {
		k := key{s.Node, s.ID[:min(len(s.ID), shortID)], s.State}
		i, dup := at[k]
		if !dup || len(s.ID) < shortID {
			at[k] = len(out)
			out = append(out, s)
			continue
		}
		kept := &out[i]
		if kept.PodUID == "" && s.PodUID != "" || kept.PID == 0 && s.PID != 0 && s.PodUID != "" {
			s, *kept = *kept, s
		}
		kept.AlsoAt = append(append(kept.AlsoAt, s.Source), s.AlsoAt...)
		if len(s.ID) > len(kept.ID) {
			kept.ID = s.ID
		}
		kept.PodUID = cmp.Or(kept.PodUID, s.PodUID)
		kept.PodNamespace, kept.Pod = cmp.Or(kept.PodNamespace, s.PodNamespace), cmp.Or(kept.Pod, s.Pod)
		kept.PID = cmp.Or(kept.PID, s.PID)
		kept.NetNS, kept.IP = cmp.Or(kept.NetNS, s.NetNS), cmp.Or(kept.IP, s.IP)
		kept.Handler, kept.Network = cmp.Or(kept.Handler, s.Handler), cmp.Or(kept.Network, s.Network)
		if kept.HostPorts == nil {
			kept.HostPorts = s.HostPorts
		}
		kept.ConfigHash, kept.ConfigSource = cmp.Or(kept.ConfigHash, s.ConfigHash), cmp.Or(kept.ConfigSource, s.ConfigSource)
		if kept.CreatedAt.IsZero() {
			kept.CreatedAt = s.CreatedAt
		}
	}
	return out
}

// mergeMounts makes one of the lines of several tables about the same mount
// in the same mount namespace.
func mergeMounts(rows []Mount) []Mount {
	type key struct {
		node, target, device, fstype string
		pid, nth                     int
	}
	at := map[key]int{}
	repeats := map[string]map[key]int{} // by file
	var out []Mount
	for _, m := range rows {
		k := key{node: m.Node, target: m.Target, device: m.Device, fstype: m.FSType, pid: m.PID}
		if repeats[m.Source.File] == nil {
			repeats[m.Source.File] = map[key]int{}
		}
		repeats[m.Source.File][k]++
		k.nth = repeats[m.Source.File][k]
		i, dup := at[k]
		if !dup {
			at[k] = len(out)
			out = append(out, m)
			continue
		}
		kept := &out[i]
		if kept.Root == "" && m.Root != "" { // mountinfo says more
			m, *kept = *kept, m
		}
		kept.AlsoAt = append(append(kept.AlsoAt, m.Source), m.AlsoAt...)
	}
	return out
}

// mergeProcesses makes one of the rows of several process lists about the
// same process in the same state, with the columns of all.
func mergeProcesses(rows []Process) []Process {
	type key struct {
		node     string
		pid, tid int
		gone     bool
	}
	at := map[key][]int{}
	var out []Process
	for _, p := range rows {
		k := key{p.Node, p.PID, p.TID, p.Gone}
		i := slices.IndexFunc(at[k], func(i int) bool {
			return out[i].State == "" || p.State == "" || out[i].State[0] == p.State[0]
		})
		if i < 0 {
			at[k] = append(at[k], len(out))
			out = append(out, p)
			continue
		}
		i = at[k][i]
		kept := &out[i]
		if kept.WChan == "" && p.WChan != "" || kept.State == "" && p.State != "" {
			p, *kept = *kept, p
		}
		kept.AlsoAt = append(append(kept.AlsoAt, p.Source), p.AlsoAt...)
		kept.PPID = cmp.Or(kept.PPID, p.PPID)
		kept.State = cmp.Or(kept.State, p.State)
		kept.WChan = cmp.Or(kept.WChan, p.WChan)
		if len(p.Command) > len(kept.Command) {
			kept.Command = p.Command
		}
		kept.User = cmp.Or(kept.User, p.User)
		kept.Cgroup = cmp.Or(kept.Cgroup, p.Cgroup)
		kept.Stack = cmp.Or(kept.Stack, p.Stack)
	}
	return out
}
