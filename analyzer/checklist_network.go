package analyzer

import (
	"net/netip"
	"path"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// network ticks off the network namespace with its interface, and the address.
func (c *checklist) network() {
	c.netns()
	c.address()
}

func (c *checklist) netns() {
	q := c.q
	if left := q.standing(checkNetNS); len(left) > 0 {
		t := left[0]
		c.row(checkNetNS, RowLeft, "the "+t.what+" "+t.id+" is there", q.s.cite(t))
		return
	}
	// Its name is known by the sandbox alone: a namespace that nothing ties to a
	// pod may be this one's.
	stray := q.node != nil && len(q.s.astray[q.node.name]) > 0
	if at, ok := c.listing(func(p *timeline.Path) bool {
		return strings.HasSuffix(path.Dir(p.Path), "/netns") || strings.HasSuffix(p.Path, "/netns") && p.Listed
	}, checkNetNS, checkSandbox); ok && !stray && c.state(checkSandbox) == RowClear {
		c.row(checkNetNS, RowClear, "each network namespace of the node is of another pod", at)
		return
	}
	c.unknown(checkNetNS, "which network namespaces the node has, and whose they are, is not in the bundle")
}

func (c *checklist) address() {
	q := c.q
	if left := q.standing(checkAddress); len(left) > 0 {
		t := left[0]
		at := q.s.cite(t)
		c.row(checkAddress, RowLeft, "address "+t.id+" is reserved for its sandbox", at)
		if q.settled(t.seen()) && c.state(checkSandbox) != RowLeft {
			q.observe("ghost-address", scopeSubject, q.seenOr(t), map[string]string{"ip": t.id}, at)
		}
		return
	}
	for _, kind := range []string{"IPAMBlock", "IPAMHandle", "CiliumEndpoint"} {
		namespace := ""
		if kind == "CiliumEndpoint" {
			namespace = q.ns
		}
		// Calico names sandboxes, so one of the pod must be known.
		if at, ok := c.dumped(kind, namespace); ok && len(q.s.objects[kind]) > 0 && len(q.tracesOf(checkAddress)) == 0 && (kind == "CiliumEndpoint" || len(q.sandboxs) > 0) {
			c.row(checkAddress, RowClear, "no "+kind+" keeps an address for it", at)
			return
		}
	}
	if q.node != nil && (len(q.sandboxs) > 0 || q.address() != "") {
		for i := range q.s.tl.Reservations {
			r := &q.s.tl.Reservations[i]
			if r.Node == q.node.name && c.tells(r.AsOf, checkAddress) && q.s.whole(&r.Fact) && r.ContainerID != "" {
				c.row(checkAddress, RowClear, "the addresses that the node keeps reserved are of other sandboxes", q.s.book.fact(&r.Fact, "cni"))
				return
			}
		}
		if at, ok := c.listing(func(p *timeline.Path) bool {
			return strings.HasPrefix(p.Path, "/var/lib/cni/networks/") && p.Dir && p.Listed
		}, checkAddress); ok && !q.reserves() {
			c.row(checkAddress, RowClear, "the node keeps no address reserved", at)
			return
		}
	}
	c.unknown(checkAddress, "what the network plugin keeps reserved is not in the bundle, or nothing tells the pod's sandbox")
}

// reserves says whether the node keeps any address reserved.
func (q *inquest) reserves() bool {
	for i := range q.s.tl.Reservations {
		if q.s.tl.Reservations[i].Node == q.node.name {
			return true
		}
	}
	return false
}

// blockAddress is the first address of a Calico block that has an attribute.
func blockAddress(o *timeline.Object, attribute int) string {
	block, err := netip.ParsePrefix(stringAt(o.Content, "spec", "cidr"))
	list, _ := valueAt(o.Content, "spec", "allocations").([]any)
	const most = 1 << 12 // of a block's addresses
	if err != nil {
		return ""
	}
	address := block.Masked().Addr()
	for i, v := range list {
		if i == most || !address.IsValid() {
			break
		}
		if n, ok := v.(int64); ok && int(n) == attribute {
			return address.String()
		}
		address = address.Next()
	}
	return ""
}

// endpoints ticks off what sends traffic to the pod.
func (c *checklist) endpoints() {
	q := c.q
	if q.uid == "" {
		c.row(checkEndpoints, RowUnknown, "nothing tells the pod's UID, by which endpoints name it")
		return
	}
	left := false
	cite := func(o *timeline.Object, at ...string) {
		left = true
		place := q.s.book.object(o, at...)
		c.row(checkEndpoints, RowLeft, o.Kind+" "+o.Name+" lists the pod", place)
		if q.inAPI != nil && !*q.inAPI {
			q.observe("endpoint-of-gone-pod", scopeSubject, o.AsOf, map[string]string{"slice": o.Kind + " " + o.Name}, place)
		}
	}
	for _, o := range q.s.objects["EndpointSlice"] {
		for i, e := range mapsAt(o.Content, "endpoints") {
			if stringAt(e, "targetRef", "uid") == q.uid {
				cite(o, "endpoints", strconv.Itoa(i), "targetRef", "uid")
			}
		}
	}
	for _, o := range q.s.objects["Endpoints"] {
		for i, subset := range mapsAt(o.Content, "subsets") {
			for _, field := range []string{"addresses", "notReadyAddresses"} {
				for j, a := range mapsAt(subset, field) {
					if stringAt(a, "targetRef", "uid") == q.uid {
						cite(o, "subsets", strconv.Itoa(i), field, strconv.Itoa(j), "targetRef", "uid")
					}
				}
			}
		}
	}
	if left {
		return
	}
	if at, ok := c.dumped("EndpointSlice", q.ns); ok {
		c.row(checkEndpoints, RowClear, "no EndpointSlice of its namespace names it", at)
		return
	}
	if at, ok := c.dumped("Endpoints", q.ns); ok {
		c.row(checkEndpoints, RowClear, "no Endpoints object of its namespace names it", at)
		return
	}
	c.row(checkEndpoints, RowUnknown, "no complete dump of the namespace's EndpointSlices or Endpoints is in the bundle")
}

// lookAtLeavings compares what a node keeps with the sandboxes that it has.
func (q *inquest) lookAtLeavings(f *finding) {
	if q.node == nil {
		return
	}
	c := &checklist{q: q, f: f}
	byWhat := map[string][]trace{}
	for _, t := range q.s.leavings(q.node.name) {
		byWhat[t.what] = append(byWhat[t.what], t)
	}
	for _, kind := range []struct{ what, check, detail string }{
		{"shim", checkProcesses, "of a sandbox that the runtime does not have"},
		{"network namespace", checkNetNS, "of no sandbox that the runtime has"},
		{"interface", checkNetNS, "of no pod that the API or the runtime has"},
		{"address", checkAddress, "reserved for a sandbox that the runtime does not have"},
		{claimed, checkAddress, "reserved for a pod that the API does not have"},
	} {
		list := byWhat[kind.what]
		if len(list) == 0 {
			continue
		}
		var refs []ref
		for i := range list[:min(3, len(list))] {
			refs = append(refs, q.s.cite(&list[i]))
		}
		what := number(len(list), kind.what)
		if len(list) > 1 {
			what = strings.Replace(what, "addresss", "addresses", 1)
		}
		c.row(kind.check, RowLeft, what+" "+kind.detail, refs...)
		if kind.check == checkAddress {
			keys := map[string]string{"count": strconv.Itoa(len(list)), "are": areReserved(len(list))}
			if kind.what == claimed {
				keys["whose"] = "pods that the API does not have"
			}
			q.observe("reservation-without-sandbox", scopeSubject, time.Time{}, keys, refs...)
		}
	}
	total := 0
	var first *timeline.Reservation
	for i := range q.s.tl.Reservations {
		if r := &q.s.tl.Reservations[i]; r.Node == q.node.name {
			if total++; first == nil {
				first = r
			}
		}
	}
	const many = 50
	if live := len(q.node.sandboxes); len(byWhat["address"]) == 0 && total > many && live > 0 && total > 2*live {
		q.observe("reservations-outnumber-sandboxes", scopeSubject, time.Time{}, map[string]string{"count": strconv.Itoa(total), "live": strconv.Itoa(live)},
			q.s.book.fact(&first.Fact, "cni"))
	}
}

func areReserved(n int) string {
	if n == 1 {
		return "address is"
	}
	return "addresses are"
}
