package timeline

import (
	"fmt"
	"strings"
)

// noteClusters finds out whether dumps of several clusters were given
// together: some objects are never made anew, and have one UID in a cluster.
func noteClusters(tl *Timeline) {
	first := map[string]*Object{}
	for _, o := range tl.Objects {
		if o.UID == "" || !oncePerCluster(o) {
			continue
		}
		key := o.Kind + " " + o.Name
		old := first[key]
		if old == nil {
			first[key] = o
			continue
		}
		if old.UID == o.UID || o.Kind == "Node" && machineIDOf(o) == machineIDOf(old) {
			continue
		}
		tl.SeveralClusters = true
		tl.Notes = append(tl.Notes, fmt.Sprintf("two clusters were given together: %s %s has the UID %s in %s and %s in %s; give each cluster a run of its own",
			strings.ToLower(o.Kind), o.Name, old.UID, old.Source.File, o.UID, o.Source.File))
		return
	}
}

// oncePerCluster says whether a cluster has one such object for ever. A node
// may register again, but stays the same machine.
func oncePerCluster(o *Object) bool {
	switch o.Kind {
	case "Namespace":
		return o.Name == "kube-system" || o.Name == "default"
	case "Service":
		return o.Namespace == "default" && o.Name == "kubernetes"
	case "Node":
		return machineIDOf(o) != ""
	}
	return false
}

func machineIDOf(o *Object) string {
	return bareID(o.textAt("status", "nodeInfo", "machineID"))
}
