package analyzer

import (
	"slices"
	"strconv"
	"strings"

	"podautopsy/timeline"
)

// storage ticks off the claims, volumes and attachments that the pod used.
func (c *checklist) storage() {
	q := c.q
	claims, volumes, told := q.usedVolumes()
	c.claims(claims, volumes, told)
	c.attachments(volumes, told)
	c.localVolumes(claims, volumes, told)
}

// usedVolumes finds the claims and volumes that the pod used. told says whether
// anything tells them all: the pod's spec, or that of a namesake that the same
// StatefulSet made; else what the node calls its volumes, and the claims that a
// StatefulSet names after it, are some of them.
func (q *inquest) usedVolumes() (claims, volumes []*timeline.Object, told bool) {
	var names []string
	spec := q.pod
	if spec == nil || spec.object.Partial {
		for _, p := range q.s.podsBy[q.ns+"/"+q.name] {
			if !p.object.Partial && q.name != "" {
				spec = p
			}
		}
	}
	if spec != nil && !spec.object.Partial && len(mapsAt(spec.object.Content, "spec", "containers")) > 0 {
		told = true
		for _, v := range spec.volumes {
			if v.claim != "" {
				names = append(names, v.claim)
			}
		}
	}
	if set, ok := q.statefulSet(); ok {
		for _, t := range mapsAt(set.Content, "spec", "volumeClaimTemplates") {
			if name := stringAt(t, "metadata", "name"); name != "" {
				names = append(names, name+"-"+q.name)
			}
		}
	}
	add := func(list *[]*timeline.Object, o *timeline.Object) {
		if o != nil && !slices.Contains(*list, o) {
			*list = append(*list, o)
		}
	}
	for _, name := range names {
		pvc := q.s.object("PersistentVolumeClaim", q.ns, name)
		add(&claims, pvc)
		for _, pv := range q.s.objects["PersistentVolume"] {
			if pvc != nil && pv.Name == stringAt(pvc.Content, "spec", "volumeName") ||
				stringAt(pv.Content, "spec", "claimRef", "name") == name && stringAt(pv.Content, "spec", "claimRef", "namespace") == q.ns {
				add(&volumes, pv)
			}
		}
	}
	for _, pv := range q.s.objects["PersistentVolume"] {
		if len(pv.Name) < 8 { // too short to mean one volume in a path
			continue
		}
		used := slices.ContainsFunc(q.volumes, func(v string) bool { return strings.Contains(v, pv.Name) })
		for _, t := range q.tracesOf(checkMounts) {
			used = used || strings.Contains(t.id, "/"+pv.Name)
		}
		if used {
			add(&volumes, pv)
			if ref := stringAt(pv.Content, "spec", "claimRef", "name"); ref != "" {
				add(&claims, q.s.object("PersistentVolumeClaim", q.ns, ref))
			}
		}
	}
	return claims, volumes, told
}

func (c *checklist) claims(claims, volumes []*timeline.Object, told bool) {
	q := c.q
	var fine []ref
	for _, o := range slices.Concat(claims, volumes) {
		phase := stringAt(o.Content, "status", "phase")
		what := kindInShort(o.Kind) + " " + o.Name
		switch held := stringsAt(o.Content, "metadata", "finalizers"); {
		case terminating(o):
			detail := what + " is in deletion"
			at := q.s.book.object(o, "metadata", "deletionTimestamp")
			if len(held) > 0 {
				detail += " and keeps " + strings.Join(held, ", ")
			}
			c.row(checkVolume, RowLeft, detail, at)
			return
		case phase == "Released" || phase == "Failed" || phase == "Lost":
			detail := what + " is " + phase
			if policy := stringAt(o.Content, "spec", "persistentVolumeReclaimPolicy"); policy != "" {
				detail += ", reclaim policy " + policy
			}
			c.row(checkVolume, RowLeft, detail, q.s.book.object(o, "status", "phase"))
			return
		case phase != "":
			fine = append(fine, q.s.book.object(o, "status", "phase"))
		}
	}
	switch {
	case len(claims) > 0 && len(fine) > 0:
		c.row(checkVolume, RowClear, "its claims and volumes are bound, and none is in deletion", fine[:min(3, len(fine))]...)
	case told && q.pod != nil && !q.claimsAny():
		c.row(checkVolume, RowClear, "its spec claims no volume", q.s.book.object(q.pod.object, "spec", "volumes"))
	default:
		if at, ok := c.dumped("PersistentVolume", ""); ok && len(q.s.objects["PersistentVolume"]) == 0 {
			c.row(checkVolume, RowClear, "the cluster has no persistent volume", at)
			return
		}
		c.row(checkVolume, RowUnknown, "which claims it used, or how they are, is not in the bundle")
	}
}

func (q *inquest) claimsAny() bool {
	return slices.ContainsFunc(q.pod.volumes, func(v podVolume) bool { return v.claim != "" })
}

func kindInShort(kind string) string {
	switch kind {
	case "PersistentVolumeClaim":
		return "PVC"
	case "PersistentVolume":
		return "PV"
	}
	return kind
}

func (c *checklist) attachments(volumes []*timeline.Object, told bool) {
	q := c.q
	names := map[string]bool{}
	for _, pv := range volumes {
		names[pv.Name] = true
	}
	onNode := 0
	for _, o := range q.s.objects["VolumeAttachment"] {
		if q.node != nil && stringAt(o.Content, "spec", "nodeName") != q.node.name {
			continue
		}
		onNode++
		volume := stringAt(o.Content, "spec", "source", "persistentVolumeName")
		if !names[volume] && !slices.ContainsFunc(q.volumes, func(v string) bool { return volume != "" && strings.Contains(v, volume) }) {
			continue
		}
		if user := q.usesVolume(volume); user != "" && !terminating(o) {
			continue // of another pod as well
		}
		detail := "VolumeAttachment " + o.Name + " holds " + volume + q.onNode()
		at := q.s.book.object(o, "spec", "source", "persistentVolumeName")
		if message := stringAt(o.Content, "status", "detachError", "message"); message != "" {
			detail += ": " + oneLine(message)
			at = q.s.book.object(o, "status", "detachError", "message")
		}
		c.row(checkAttachment, RowLeft, detail, at)
		return
	}
	at, ok := c.dumped("VolumeAttachment", "")
	switch {
	case ok && (onNode == 0 || told && (len(volumes) > 0 || q.pod != nil && !q.claimsAny())):
		c.row(checkAttachment, RowClear, "no VolumeAttachment holds a volume of it on the node", at)
	case ok:
		c.row(checkAttachment, RowUnknown, "the node has attachments, and nothing tells which volumes the pod used")
	default:
		c.row(checkAttachment, RowUnknown, "no complete dump of VolumeAttachments is in the bundle")
	}
}

// usesVolume names another pod on the node that uses a volume.
func (q *inquest) usesVolume(volume string) string {
	pv := q.s.object("PersistentVolume", "", volume)
	if pv == nil {
		return ""
	}
	claim, ns := stringAt(pv.Content, "spec", "claimRef", "name"), stringAt(pv.Content, "spec", "claimRef", "namespace")
	for _, o := range q.s.objects["Pod"] {
		p := q.s.pods[o.UID]
		if p == nil || o.UID == q.uid || o.Namespace != ns || q.node != nil && p.node != q.node.name || p.phaseTerminal() {
			continue
		}
		if slices.ContainsFunc(p.volumes, func(v podVolume) bool { return v.claim == claim && claim != "" }) {
			return o.Name
		}
	}
	return ""
}

// localVolumes looks for data that lies on the node's own disks.
func (c *checklist) localVolumes(claims, volumes []*timeline.Object, told bool) {
	q := c.q
	for _, pv := range volumes {
		for _, source := range []string{"local", "hostPath"} {
			if at := stringAt(pv.Content, "spec", source, "path"); at != "" {
				c.row(checkLocalVolume, RowLeft, "PV "+pv.Name+" lies in "+at+q.onNode(), q.s.book.object(pv, "spec", source, "path"))
				return
			}
		}
	}
	if q.pod != nil && !q.pod.object.Partial {
		for i, v := range mapsAt(q.pod.object.Content, "spec", "volumes") {
			if at := stringAt(v, "hostPath", "path"); at != "" {
				c.row(checkLocalVolume, RowLeft, "it wrote to the node's own "+at+", if it wrote", q.s.book.object(q.pod.object, "spec", "volumes", strconv.Itoa(i), "hostPath", "path"))
				return
			}
		}
		if len(volumes) >= len(claims) {
			c.row(checkLocalVolume, RowClear, "its spec has none", q.s.book.object(q.pod.object, "spec", "volumes"))
			return
		}
	}
	if at, ok := c.dumped("PersistentVolume", ""); ok && (told && len(volumes) > 0 || len(q.s.objects["PersistentVolume"]) == 0) {
		detail := "no volume that it used is local"
		if len(q.s.objects["PersistentVolume"]) == 0 {
			detail = "the cluster has no persistent volume"
		}
		c.row(checkLocalVolume, RowClear, detail, at)
		return
	}
	c.row(checkLocalVolume, RowUnknown, "which volumes it used is not in the bundle")
}
