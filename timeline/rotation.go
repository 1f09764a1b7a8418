package timeline

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rotated is how logrotate, the kubelet and others name what they have put
// aside: messages-20261129, syslog.2.gz, 0.log.20261130-083000.
var rotated = regexp.MustCompile(`^(.+?)(?:[.-](\d{8}(?:-\d{6})?)|\.(\d{1,3}))(?:\.(?:gz|xz|bz2|zst))?$`)

// klogStamp ends the name of a file of klog's before the process id.
var klogStamp = regexp.MustCompile(`\.\d{8}-\d{6}$`)

// noteRotation notes which pieces of a rotated log are not here: those between
// two that are, and the one that is still written to.
func noteRotation(builders []*Builder) {
	type piece struct {
		b      *Builder
		number int // of those that are counted; 0 of those that are dated
	}
	pieces := map[string][]piece{}
	here := map[string]bool{}
	for _, b := range builders {
		here[b.Input.Path] = true
		dir, name := path.Split(b.Input.Path)
		m := rotated.FindStringSubmatch(name)
		if m == nil || b.Input.First.IsZero() || !hasLines(b) || klogStamp.MatchString(m[1]) {
			continue
		}
		n, _ := strconv.Atoi(m[3])
		pieces[dir+m[1]] = append(pieces[dir+m[1]], piece{b, n})
	}
	for log, list := range pieces {
		slices.SortFunc(list, func(x, y piece) int {
			return cmp.Or(x.b.Input.First.Compare(y.b.Input.First), strings.Compare(x.b.Input.Path, y.b.Input.Path))
		})
		for i, p := range list {
			switch {
			case i+1 < len(list) && p.number > list[i+1].number+1 && list[i+1].number > 0:
				p.b.Gap(GapRotated, 0, fmt.Sprintf("pieces %d to %d of this log, which follow, are not here", p.number-1, list[i+1].number+1))
			case i+1 == len(list) && !here[log]:
				p.b.Gap(GapRotated, 0, "an older piece of a log; what follows ("+path.Base(log)+") is not here")
			}
		}
	}
}

// hasLines says whether a file is a log, as against a dump with API Events.
func hasLines(b *Builder) bool {
	return slices.ContainsFunc(b.Events, func(e Event) bool { return e.Component != APIEvent && e.Component != Command })
}
