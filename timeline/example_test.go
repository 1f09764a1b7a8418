package timeline_test

import (
	"fmt"
	"time"

	"podautopsy/timeline"
)

// Each file's facts go into a Builder; Assemble puts all of them into one order
// of time. That one file names neither zone nor year does not matter to those
// who read the timeline.
func ExampleAssemble() {
	kubelet := timeline.NewBuilder("worker-1/kubelet.log")
	kubelet.Add(timeline.Event{
		Time: time.Date(2026, 11, 30, 8, 21, 33, 740_000_000, time.UTC), Precision: time.Microsecond,
		Node: "worker-1", Component: "kubelet", Message: "container finished", Source: kubelet.Src(20, 2000),
	})
	audit := timeline.NewBuilder("audit.log")
	audit.Add(timeline.Event{
		Time: time.Date(2026, 11, 30, 8, 21, 32, 900_000_000, time.UTC), Precision: time.Microsecond,
		Component: "audit", Message: "delete pods/cart-0", Source: audit.Src(4, 900),
	})
	tl := timeline.Assemble([]*timeline.Builder{kubelet, audit}, timeline.Options{})
	for _, e := range tl.Events {
		fmt.Println(e.Time.Format("15:04:05.000"), e.Component, e.Message, "at", e.Source)
	}
	// Output:
	// 08:21:32.900 audit delete pods/cart-0 at audit.log:4
	// 08:21:33.740 kubelet container finished at worker-1/kubelet.log:20
}

// Mentions finds the pods, volumes and ids that a line of a log speaks of.
func ExampleMentions() {
	m := timeline.Mentions(`"SyncLoop DELETE" source="api" pods=["shop/cart-0"]`)
	for _, p := range m.Pods {
		fmt.Println(p.Namespace, p.Name)
	}
	// Output:
	// shop cart-0
}
