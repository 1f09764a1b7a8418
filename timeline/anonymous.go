package timeline

// dropAnonymous removes what a redactor has made the same everywhere from where
// things are told apart by it: two masks are not the same pod, node or id.
// Objects keep their masked names, which are all different.
func dropAnonymous(builders []*Builder) {
	drop := func(fields ...*string) {
		for _, f := range fields {
			if Anonymous(*f) {
				*f = ""
			}
		}
	}
	for _, b := range builders {
		drop(&b.Input.Node)
		hosts := b.Input.Hosts[:0]
		for _, h := range b.Input.Hosts {
			if !Anonymous(h) {
				hosts = append(hosts, h)
			}
		}
		b.Input.Hosts = hosts
		for i := range b.Clocks {
			drop(&b.Clocks[i].Host)
		}
		for i := range b.Events {
			e := &b.Events[i]
			drop(&e.Node)
			if e.API != nil {
				drop(&e.API.Object.Name, &e.API.Object.Namespace, &e.API.Object.UID)
			}
		}
		for _, o := range b.Objects {
			drop(&o.UID)
			if Anonymous(o.textAt("spec", "nodeName")) {
				spec, _ := o.decode()["spec"].(map[string]any)
				delete(spec, "nodeName")
			}
		}
		for i := range b.Containers {
			c := &b.Containers[i]
			drop(&c.ID, &c.SandboxID, &c.PodUID, &c.PodName, &c.PodNamespace)
		}
		for i := range b.Sandboxes {
			s := &b.Sandboxes[i]
			drop(&s.ID, &s.PodUID, &s.Pod, &s.PodNamespace)
		}
		for _, f := range b.Facts() {
			drop(&f.Node)
		}
	}
}
