package parsers

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// collectOutput is the format's name for what Troubleshoot's collect prints: one
// JSON object that holds the files of a bundle as text, by their paths.
const collectOutput = "collect-output"

var errCutObject = errors.New("the JSON object has no end")

// isCollectOutput looks at the first key, which is a path of Troubleshoot's.
func isCollectOutput(head []byte) bool {
	head, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	if !ok {
		return false
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	return bytes.HasPrefix(head, []byte(`"host-collectors/`)) || bytes.HasPrefix(head, []byte(`"cluster-resources/`))
}

// uncollect visits the files in the object as if they had been packed.
func (o *opener) uncollect(in received) error {
	if in.data == nil && !o.admit() {
		return o.unreadable(in.path, o.full)
	}
	data, err := o.content(&in)
	if err != nil {
		return err
	}
	c := in.container(o, collectOutput)
	text := strings.TrimLeft(string(data), " \t\r\n")
	end := 0 // of the last value
	for member := range jsonMembers(text) {
		content, whole := collected(text[member.from:member.to])
		if !whole {
			c.stopped(errCutObject)
		}
		if err := c.member(unquoteJSON(text[member.at:member.keyEnd]), strings.NewReader(content), int64(len(content))); err != nil {
			return err
		}
		if c.full != nil {
			c.stopped(c.full)
			return c.close()
		}
		end = member.to
	}
	if rest := strings.TrimSpace(text[end:]); !strings.HasPrefix(rest, "}") {
		c.stopped(io.ErrUnexpectedEOF)
	}
	return c.close()
}

// collected is the file that a value holds: text, or JSON that was not quoted.
func collected(raw string) (content string, whole bool) {
	if !strings.HasPrefix(raw, `"`) {
		return raw, skipJSON(raw, 0) >= 0
	}
	if end := stringEnd(raw, 0); end < 0 {
		return unquoteJSON(strings.TrimSuffix(raw, `\`) + `"`), false
	}
	return unquoteJSON(raw), true
}
