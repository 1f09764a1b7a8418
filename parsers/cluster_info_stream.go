package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// clusterInfoStreamParser reads what kubectl cluster-info dump prints: objects and
// logs in turn, or in logs.txt the logs of a pod alone.
var clusterInfoStreamParser = Parser{
	Name:  "cluster-info-stream",
	Doc:   "kubectl cluster-info dump on one stream (JSON or YAML lists with the logs of the pods between them), and the logs.txt of each pod.",
	Sniff: sniffClusterInfoStream,
	Parse: parseClusterInfoStream,
}

const (
	startOfLogs = "==== START logs for container "
	endOfLogs   = "==== END logs for container "
)

func sniffClusterInfoStream(f *File) bool {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	switch {
	case strings.HasPrefix(head, startOfLogs):
		return true
	case strings.HasPrefix(head, "{"), strings.HasPrefix(head, "---\n"), strings.HasPrefix(head, "apiVersion: "):
		return strings.Contains(f.Text, "\n"+startOfLogs)
	}
	return false
}

func parseClusterInfoStream(f *File, b *timeline.Builder) error {
	s := clusterInfoStream{file: f, b: b, number: max(f.FirstLine, 1)}
	for s.at < len(f.Text) {
		header := s.nextLogs()
		s.objects(s.block(header))
		if s.at == len(f.Text) {
			break
		}
		header = s.at + lineLength(f.Text[s.at:])
		of := strings.TrimRight(strings.TrimPrefix(f.Text[s.at:header], startOfLogs), "\r\n")
		s.block(header)
		end := len(f.Text)
		if i := strings.Index(f.Text[s.at:], endOfLogs+of); i >= 0 {
			end = s.at + i // a log need not end with a line's end
		} else {
			b.Gap(timeline.GapTruncated, s.number, "the dump ends inside the log of container "+strings.TrimSuffix(of, " ===="))
		}
		s.logs(of, s.block(end))
		s.block(s.at + lineLength(f.Text[s.at:]))
	}
	return nil
}

// clusterInfoStream is a place in the stream.
type clusterInfoStream struct {
	file   *File
	b      *timeline.Builder
	at     int
	number int // of the line at
}

// block is the part of the stream up to end.
func (s *clusterInfoStream) block(end int) *File {
	text := s.file.Text[s.at:end]
	block := *s.file
	block.Command = "" // told of the whole
	block.Text, block.FirstLine, block.Offset = text, s.number, s.file.Offset+int64(s.at)
	s.at, s.number = end, s.number+strings.Count(text, "\n")
	return &block
}

// nextLogs is where the next log's header begins.
func (s *clusterInfoStream) nextLogs() int {
	if strings.HasPrefix(s.file.Text[s.at:], startOfLogs) {
		return s.at
	}
	if i := strings.Index(s.file.Text[s.at:], "\n"+startOfLogs); i >= 0 {
		return s.at + i + 1
	}
	return len(s.file.Text)
}

func (s *clusterInfoStream) objects(block *File) {
	if block.blank() {
		return
	}
	for _, p := range []Parser{kubernetesJSONParser, kubernetesYAMLParser} {
		if p.Sniff(block) {
			if err := p.Parse(block, s.b); err != nil {
				s.b.Gap(timeline.GapNotUnderstood, block.FirstLine, p.Name+": "+err.Error())
			}
			return
		}
	}
	s.b.Gap(timeline.GapNotUnderstood, block.FirstLine, "neither objects nor a log")
}

// logs reads the log of "CONTAINER of pod NAMESPACE/POD ====". What stands in
// it is the container's word, never the API server's.
func (s *clusterInfoStream) logs(of string, block *File) {
	s.b.Input.Records++
	for l := range block.lines() {
		if why, ok := logRequestError(l.text); ok {
			commandEvent(block, s.b, l, timeline.LevelError, why)
			s.b.Gap(timeline.GapCommandFailed, l.number, "no log of container "+strings.TrimSuffix(of, " ====")+": "+prefix(why, 300))
			return
		}
		break
	}
	container, _, _ := strings.Cut(of, " ")
	block.Path += "/" + container + ".log" // by which its program is known
	for _, p := range []Parser{containerLogParser, jsonLogParser, klogParser, logfmtParser, plainLogParser} {
		if !p.Sniff(block) {
			continue
		}
		if err := p.Parse(block, s.b); err != nil {
			s.b.Gap(timeline.GapNotUnderstood, block.FirstLine, p.Name+": "+err.Error())
		}
		return
	}
}

// logRequestError is why kubectl has no log to print.
func logRequestError(s string) (why string, ok bool) {
	for _, lead := range []string{"Request log error: ", "Create log request error: "} {
		if why, ok := strings.CutPrefix(s, lead); ok {
			return strings.TrimSpace(why), true
		}
	}
	return "", false
}
