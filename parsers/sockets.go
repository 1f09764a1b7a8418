package parsers

import (
	"slices"
	"strings"

	"podautopsy/timeline"
)

// socketsParser reads who listens on which port.
var socketsParser = Parser{
	Name:  "sockets",
	Doc:   "ss and netstat: the sockets that listen, and the processes that hold them where -p told (ss -tlnp, ss -tanp, netstat -tlnp).",
	Sniff: sniffSockets,
	Parse: parseSockets,
}

// socketTable is what the heading of a table promises; the zero value is for
// rows whose heading grep took away.
type socketTable struct {
	netstat   bool
	stateless bool // ss leaves the column out where one state alone was asked for
}

func sniffSockets(f *File) bool {
	ran := f.ran("ss") || f.ran("netstat")
	for _, s := range f.firstLines(10) {
		if _, ok := socketHeading(s); ok {
			return true
		}
		if _, ok := listener(s, socketTable{}); ok && ran {
			return true
		}
	}
	return false
}

// socketHeading recognises the headings of ss and netstat.
func socketHeading(s string) (socketTable, bool) {
	s = prefix(s, 1<<10)
	if !strings.Contains(s, "Recv-Q") || !strings.Contains(s, "Send-Q") {
		return socketTable{}, false
	}
	switch first, _ := nextWord(s); first {
	case "Proto":
		return socketTable{netstat: true}, strings.Contains(s, "Foreign Address")
	case "Netid", "State", "Recv-Q":
		return socketTable{stateless: !strings.Contains(s, "State")}, strings.Contains(s, "Address:Port")
	}
	return socketTable{}, false
}

func parseSockets(f *File, b *timeline.Builder) error {
	r := socketReader{file: f, b: b, elsewhere: f.inOtherNetwork()}
	for l := range f.lines() {
		r.line(l)
	}
	r.rest.report(b)
	r.list()
	return nil
}

// inOtherNetwork says that the command ran in the network of a pod, so that
// its ports are none of the host's.
func (f *File) inOtherNetwork() bool {
	for word := range strings.FieldsSeq(f.Command) {
		switch word {
		case "netns", "exec", "-N", "--net":
			return true
		}
	}
	return strings.Contains(f.Command, "nsenter") && !strings.Contains(f.Command+" ", "-t 1 ") && !strings.Contains(f.Command+" ", "--target 1 ")
}

type socketReader struct {
	file      *File
	b         *timeline.Builder
	table     socketTable
	heading   line // the first
	elsewhere bool
	unix      bool // below netstat's title of UNIX sockets
	rest      leftovers
	told      map[string]bool // protocols with a row that tells its process
}

func (r *socketReader) line(l line) {
	if table, ok := socketHeading(l.text); ok {
		if r.table = table; r.heading.number == 0 {
			r.heading = l
		}
		r.unix = false
		return
	}
	if strings.HasPrefix(l.text, "Active ") { // netstat's titles
		r.unix = !strings.HasPrefix(l.text, "Active Internet connections")
		return
	}
	// What -i, -m and -o tell of a socket stands on a line below it.
	if r.unix || strings.HasPrefix(l.text, "\t") {
		return
	}
	s, ok := listener(l.text, r.table)
	switch {
	case ok && !r.elsewhere:
		s.Fact = factAt(r.file, r.b, l)
		keepFact(r.b, &r.b.Listeners, s)
		if len(s.PIDs) > 0 {
			if r.told == nil {
				r.told = map[string]bool{}
			}
			r.told[s.Protocol] = true
		}
	case ok || r.heading.number > 0 && len(strings.Fields(prefix(l.text, 1<<10))) >= 4:
		r.b.Input.Records++ // a connection, or a socket of another family
	default:
		r.rest.add(r.file, r.b, l)
	}
}

// list notes that every socket that listens is in the file: no filter left one
// out, and the processes were asked for.
func (r *socketReader) list() {
	command, asked := r.file.invocation("ss")
	if !asked {
		command, asked = r.file.invocation("netstat")
	}
	if !asked || r.elsewhere || r.heading.number == 0 || r.file.filtered() || r.rest.count > 0 || len(command.operands()) > 0 {
		return
	}
	for _, protocol := range []string{"tcp", "udp"} {
		if r.told[protocol] {
			r.b.Listings = append(r.b.Listings, timeline.Listing{
				Kind: timeline.ListenersOf(protocol), Items: len(r.b.Listeners), AsOf: r.file.CapturedAt,
				Source: r.b.Src(r.heading.number, r.heading.offset), Text: prefix(r.heading.text, 1<<10),
			})
		}
	}
}

// listener reads a row of ss or netstat about a socket of TCP or UDP that waits
// for whoever comes; false of all others.
func listener(row string, table socketTable) (timeline.Listener, bool) {
	first, rest := nextWord(row)
	if protocol := strings.TrimSuffix(first, "6"); protocol == "tcp" || protocol == "udp" {
		next, after := nextWord(rest)
		if _, ok := decimal(next); ok {
			return netstatListener(protocol, rest)
		}
		first, rest = next, after
	}
	if table.netstat || table.stateless {
		return timeline.Listener{}, false
	}
	s := timeline.Listener{}
	switch first {
	case "LISTEN":
		s.Protocol = "tcp"
	case "UNCONN":
		s.Protocol = "udp"
	default:
		return s, false
	}
	rest, ok := socketPlace(rest, &s)
	if !ok {
		return s, false
	}
	_, users, _ := strings.Cut(rest, "users:(")
	s.PIDs, s.Command = socketUsers(users)
	if _, group, ok := strings.Cut(rest, " cgroup:"); ok {
		s.Cgroup, _ = nextWord(group)
	}
	return s, true
}

// netstatListener reads a row of netstat behind its protocol.
func netstatListener(protocol, row string) (timeline.Listener, bool) {
	s := timeline.Listener{Protocol: protocol}
	rest, ok := socketPlace(row, &s)
	if !ok {
		return s, false
	}
	if protocol == "tcp" {
		state, after := nextWord(rest)
		if state != "LISTEN" {
			return s, false
		}
		rest = after
	}
	for word := range strings.FieldsSeq(rest) {
		number, program, ok := strings.Cut(word, "/")
		if pid, is := decimal(number); ok && is {
			s.PIDs, s.Command = []int{pid}, strings.TrimSuffix(program, ":")
			break
		}
	}
	return s, true
}

// socketPlace reads the two queues and the two addresses that every row has,
// and gives what stands behind them.
func socketPlace(row string, s *timeline.Listener) (rest string, ok bool) {
	received, rest := nextWord(row)
	sent, rest := nextWord(rest)
	local, rest := nextWord(rest)
	peer, rest := nextWord(rest)
	_, one := decimal(received)
	_, two := decimal(sent)
	colon := strings.LastIndexByte(local, ':')
	if !one || !two || colon < 0 || !strings.HasSuffix(peer, ":*") {
		return "", false
	}
	const ports = 1 << 16
	s.Address = local[:colon]
	if port, ok := decimal(local[colon+1:]); ok && port < ports {
		s.Port = port
	}
	return rest, true // without -n the port may be a name: then it is not known
}

// socketUsers reads the processes behind "users:(", as in
// ("nginx",pid=3,fd=6),("nginx",pid=4,fd=6)), and in the form of old versions
// ("nginx",3,6). A program may call itself anything, so of each the end counts.
func socketUsers(users string) (pids []int, command string) {
	const most = 1 << 10
	users, _, _ = strings.Cut(users, "))")
	for user := range strings.SplitSeq(users, "),(") {
		quote := strings.LastIndex(user, `",`)
		if quote < 0 || len(pids) == most {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(user[quote+2:], "pid="), ",")
		pid, ok := decimal(number)
		if !ok || slices.Contains(pids, pid) {
			continue
		}
		if command == "" {
			command = strings.TrimPrefix(strings.TrimPrefix(user[:quote], "("), `"`)
		}
		pids = append(pids, pid)
	}
	return pids, command
}
