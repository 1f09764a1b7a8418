package parsers

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// Of a log of which too much matters, its beginning and its end are kept, the
// same whoever looked through it.
func TestSkimRoom(t *testing.T) {
	data := longLog(400_000)
	const room = 4 << 20
	var first content
	for _, jobs := range []int{1, 2, 8} {
		s := skimmingFor(t, jobs, 0, "SyncLoop", "target is busy")
		s.keep = 8 * room
		l, err := s.skim(bytes.NewReader(data), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.lookAgain([]string{"web-77"}); err != nil {
			t.Fatal(err)
		}
		c := l.content()
		checkSkim(t, data, c)
		if len(c.data) > room+2*skimEnds+4*len(s.crew.block()) || len(c.data) < room/2 {
			t.Errorf("%d jobs: %d bytes were kept of %d", jobs, len(c.data), len(data))
		}
		if !bytes.HasPrefix(c.data, data[:room/8]) || !bytes.HasSuffix(c.data, data[len(data)-room/2:]) {
			t.Errorf("%d jobs: the ends were not kept", jobs)
		}
		m := &Member{Path: "x"}
		m.take(c)
		if c.spared == 0 || c.sparedTo <= c.spared || len(m.Gaps) != 1 || m.Gaps[0].Source.Line != c.spared || !strings.Contains(m.Gaps[0].Detail, "--max-memory") {
			t.Errorf("%d jobs: lines %d to %d were let go; gaps %+v", jobs, c.spared, c.sparedTo, m.Gaps)
		}
		m.take(c)
		if len(m.Gaps) != 1 {
			t.Errorf("it is told %d times", len(m.Gaps))
		}
		c.log = nil
		if jobs == 1 {
			first = c
		} else if !reflect.DeepEqual(first, c) {
			t.Errorf("%d jobs keep lines but for %d to %d, one keeps those but for %d to %d", jobs, c.spared, c.sparedTo, first.spared, first.sparedTo)
		}
	}
}
