package parsers

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// A log of gigabytes is skimmed: of its lines those are kept that may matter,
// and some more to tell when it was written and how. The rest is counted.
//
// What was said of a pod that nothing is wrong with does not matter, and who is
// concerned only turns out from what is read. So such logs are looked through
// again, for the names of those it is about, until it is about nobody new.

// Skim says which lines of large logs matter.
type Skim struct {
	// From is the size of a log, in bytes, from which it is skimmed; 0 is 16 MiB.
	From int
	// Lines hold one of these if they matter whoever they are about.
	Lines []string
	// Sample is a text as logs are.
	Sample string
	// Concerns are the words by which lines name those whom a timeline is about.
	Concerns func(tl *timeline.Timeline) []string
	// Outdated is told that there is more than that timeline has, so that what was
	// found in it may be let go before another one is made. It may be nil.
	Outdated func()
	// About are such words known beforehand.
	About []string
}

const (
	defaultSkimFrom = 16 << 20
	// skimEnds of a log are kept whole, at its beginning and at its end.
	skimEnds = 128 << 10
	// skimStep is how much may pass without a line that is kept.
	skimStep = 64 << 10
	// skimBlock is read at a time, if lines are not longer. It stays in a
	// processor's own memory while it is hashed and looked through.
	skimBlock = 512 << 10
	// skimLine is how much of a line is looked at in one piece.
	skimLine = 4 << 20
	// skimRecord bounds the lines of one record.
	skimRecord = 64 << 10
)

// skimming is what one reading of a bundle knows and uses to skim its logs.
type skimming struct {
	from   int
	keep   int64    // of a file that is no such log
	lines  []string // literals of lines that matter, those about the known subjects included
	sample string
	crew   *crew
	spool  *spool
	logs   sync.WaitGroup // on disk, being read
	slots  chan struct{}  // one for each that may be
}

func (s *Skim) begin(about []string, jobs int, keep int64) *skimming {
	// With little memory, logs are skimmed that are hardly larger than what is
	// kept of them.
	from := int(max(4*skimEnds, min(int64(cmp.Or(s.From, defaultSkimFrom)), keep/64)))
	return &skimming{
		from: min(from, cmp.Or(s.From, defaultSkimFrom)), keep: keep, lines: slices.Concat(s.Lines, about, logNotes()), sample: s.Sample,
		crew: newCrew(jobs), spool: newSpool(), slots: make(chan struct{}, jobs),
	}
}

// later reads a log while the walk goes on.
func (s *skimming) later(read func()) {
	if cap(s.slots) == 1 {
		read()
		return
	}
	s.slots <- struct{}{}
	s.logs.Go(func() {
		defer func() { <-s.slots }()
		read()
	})
}

// end gives back what was held to look through logs again.
func (s *skimming) end() {
	s.crew.stop()
	s.spool.close()
}

// finder finds lines that hold one of the literals in a log that begins so.
func (s *skimming) finder(literals []string, head []byte) *literal.Index {
	if isStructured(head) {
		literals = insideJSON(literals)
	}
	return literal.New(literals, string(head[:min(len(head), skimEnds)]))
}

// auditLines find the entries of an audit log that auditMatters knows closer,
// and the writes of kubelets.
var auditLines = []string{`"verb":"delete`, `"subresource":"eviction"`, "finalizers", `"code":4`, `"code":5`, `"username":"system:node:`}

// isAudit says of a log's head whether it is an audit log: whom it is about
// changes nothing of what is read of it.
func isAudit(head []byte) bool {
	f := &File{Text: string(head[:min(len(head), headBytes)]), FirstLine: 1}
	f.skipBlanks()
	return sniffAuditLog(f)
}

// auditEntries tells which entries of a block are to be kept: those that are
// read, and of what kubelets wrote as much as tells their clocks.
func auditEntries() func(entry []byte) bool {
	var clocks auditClocks
	samples := timeline.NewBuilder("")
	return func(entry []byte) bool {
		text := strings.TrimRight(string(entry), "\r\n")
		if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") || auditMatters(text) {
			return true
		}
		known := len(samples.Samples)
		clocks.note(samples, line{text: text})
		return len(samples.Samples) > known
	}
}

// matter finds the messages of a journal that matter.
func (s *skimming) matter() *literal.Index { return literal.New(s.lines, s.sample) }

// logNotes are in lines by which programs tell of their own logs: what was
// dropped, where a boot begins. They are never passed over.
func logNotes() []string {
	return []string{
		"Suppressed ", "messages lost due to rate-limiting", "begin to drop messages", "-- Reboot --", "-- Boot ", "Logs begin at ",
		"Journal begins at ", "Linux version ", "Journal started", "Journal stopped", "Log file created at: ", "***HIDDEN***", objectBegins,
		bytesOfMessage,
	}
}

const (
	// objectBegins an object in YAML. One in the middle of a large log is lost.
	objectBegins = "apiVersion: "
	// bytesOfMessage begins a message that is no text, which journalctl -o json
	// writes byte by byte.
	bytesOfMessage = `"MESSAGE":[`
)

// isSkimmed says of a file's head whether the file is a log of whose lines one
// says as much as the line itself: plain text, as programs, journalctl and
// runtimes write it, or an object of JSON a line.
func isSkimmed(head []byte) bool {
	head = head[:min(len(head), headBytes)]
	if !utf8.Valid(withoutCutRunes(head)) || bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(head, '\x1b') >= 0 {
		return false
	}
	f := &File{Text: string(head), FirstLine: 1}
	f.skipBlanks()
	for _, p := range All() {
		if !p.Sniff(f) {
			continue
		}
		switch p.Name {
		case journalShortParser.Name, klogParser.Name, logfmtParser.Name, containerLogParser.Name, plainLogParser.Name, jsonLogParser.Name:
			return true
		case auditLogParser.Name:
			return true
		case journalJSONParser.Name:
			return isOneEachLine(f.Text)
		}
		return false
	}
	return false
}

// isOneEachLine says whether every line of a head is an object of its own.
func isOneEachLine(head string) bool {
	head = head[:strings.LastIndexByte(head, '\n')+1]
	for line := range strings.Lines(head) {
		if n, ok := jsonObject(line, func(string, string) {}); !ok || strings.TrimSpace(line[n:]) != "" {
			return false
		}
	}
	return head != ""
}

// isStructured says of a log's head whether lines, or the messages in them, are
// objects of JSON.
func isStructured(head []byte) bool {
	for line := range bytes.Lines(head[:min(len(head), headBytes)]) {
		at := bytes.Index(line, []byte(`{"`))
		if at >= 0 && (at == 0 || bytes.HasSuffix(line[:at], []byte(": ")) || bytes.HasSuffix(line[:at], []byte(" F "))) {
			return true
		}
	}
	return false
}

// insideJSON are parts by which literals can be found where a message stands in
// JSON: quoted, its special characters written otherwise, or its fields apart,
// as a structured logger writes them before its record is read as text. What
// has no such part is looked for as it is and as JSON quotes it.
func insideJSON(literals []string) []string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	parts := slices.Clone(literals)
	for _, l := range literals {
		longest := ""
		for part := range strings.FieldsFuncSeq(fieldsApart(l), func(r rune) bool {
			return r < ' ' || r > '~' || strings.ContainsRune("\"\\<>&=[]{}:,'", r)
		}) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		if len(longest) >= literal.Shortest {
			parts = append(parts, longest)
		} else {
			parts = append(parts, quoted.Replace(l))
		}
		if _, name, ok := strings.Cut(l, "/"); ok && name != "" && !strings.Contains(name, "/") { // of a namespace
			name = `"name":"` + strings.Trim(name, `"`) + `"`
			parts = append(parts, name, quoted.Replace(name))
		}
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// fieldsApart breaks a text up where in "text" key=value the key begins and
// ends, and what is before it has its end.
func fieldsApart(l string) string {
	out := []byte(l)
	for i, c := range out {
		for k := i - 1; c == '=' && k >= 0 && isKeyByte(out[k]); k-- {
			out[k] = '='
		}
		if c == '=' {
			if k := bytes.LastIndexByte(out[:i], ' '); k >= 0 {
				out[k] = '='
			}
		}
	}
	return string(out)
}

func isKeyByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c == '.' || c == '-'
}

var newline = []byte{'\n'}

// startOfLine is where the line that holds text[at] begins.
func startOfLine(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// endOfLine is where the line that holds text[at] ends, behind its line break.
func endOfLine(text []byte, at int) int {
	if at < len(text) {
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			return at + n + 1
		}
	}
	return len(text)
}

// endOfLines is where the last whole line ends.
func endOfLines(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }

// startOfRecord is where the record that holds text[at] begins: lines that are
// indented belong to the one above.
func startOfRecord(text []byte, at int) int {
	start := startOfLine(text, at)
	for start > 0 && at-start < skimRecord && isCarriedOn(text[start:]) {
		start = startOfLine(text, start-1)
	}
	return start
}

// endOfRecord is where the record that holds text[at] ends.
func endOfRecord(text []byte, at int) int {
	end := endOfLine(text, at)
	for end < len(text) && end-at < skimRecord && isCarriedOn(text[end:]) {
		end = endOfLine(text, end)
	}
	return end
}

func isCarriedOn(line []byte) bool { return line[0] == ' ' || line[0] == '\t' }
