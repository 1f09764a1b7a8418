package analyzer

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leftOut is told with a step or an ask whose command cannot be written.
const leftOut = " (the command is left out: a name in it holds characters that no command should carry)"

// takeOff is the placeholder for the JSON patch that takes off a finalizer.
const takeOff = "takeOffFinalizer"

// eachUser is the placeholder for several names, each a word of its own.
const (
	eachUser      = "eachUser"
	eachSeparator = "\x00"
)

// commandLine puts captured words into a command that somebody will paste into
// a shell. The words come from the bundle and may be anything, so each arrives
// as one literal word; in the template its placeholder stands outside quotes.
// A command with a word that no quoting makes safe is left out: "", false.
func (q *inquest) commandLine(template string, vars map[string]string) (string, bool) {
	own := q.runtimeWords() // ours, and several words each
	var line strings.Builder
	end := 0
	for _, at := range variable.FindAllStringSubmatchIndex(template, -1) {
		line.WriteString(template[end:at[0]])
		end = at[1]
		name := template[at[2]:at[3]]
		value := vars[name]
		if name == takeOff {
			value = vars["finalizer"]
		}
		switch {
		case own[name] != "":
			line.WriteString(own[name])
		case name == eachUser && value != "":
			for i, each := range strings.Split(value, eachSeparator) {
				if !mayStandIn(template[:at[0]], each) {
					return "", false
				}
				if i > 0 {
					line.WriteByte(' ')
				}
				line.WriteString(shellWord(each))
			}
		case !mayStandIn(template[:at[0]], value):
			return "", false
		case name == takeOff:
			line.WriteString(shellWord(finalizerPatch(value, vars["index"])))
		case value != "":
			line.WriteString(shellWord(value))
		default:
			line.WriteString(expand(template[at[0]:at[1]], nil))
		}
	}
	return line.String() + template[end:], true
}

// mayStandIn says whether a quoted value is harmless behind a text: not where a
// terminal or a reader would see something else than the shell does, where a
// program would take it for an option, or where it would lead out of a folder.
func mayStandIn(before, value string) bool {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
		return false
	case strings.HasSuffix(before, "/"):
		return value != "." && value != ".." && !strings.Contains(value, "/")
	case before == "" || strings.HasSuffix(before, " "):
		return !strings.HasPrefix(value, "-")
	}
	return true
}

// shellWord quotes a value for a POSIX shell, where it needs that.
func shellWord(value string) string {
	if isPlain(value) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// isPlain says whether a shell takes a value as it is. A tilde is plain behind
// a letter or digit, as in the kubelet's paths (kubernetes.io~nfs): no shell
// expands it there.
func isPlain(value string) bool {
	for i := range len(value) {
		switch {
		case isAlnum(value[i]):
		case value[i] == '~' && i > 0 && isAlnum(value[i-1]):
		case strings.IndexByte("-=", value[i]) >= 0 && i == 0:
			return false
		case strings.IndexByte("._:/@%+=,-", value[i]) < 0:
			return false
		}
	}
	return value != ""
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// finalizerPatch is the JSON patch that takes off one finalizer if it is still
// the one that was looked at, at its place in the list.
func finalizerPatch(finalizer, index string) string {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value,omitempty"`
	}
	i, _ := strconv.Atoi(index) // not told: the first
	place := "/metadata/finalizers/" + strconv.Itoa(i)
	if finalizer == "" {
		finalizer = "<finalizer>"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Text in a buffer: neither can fail.
	_ = enc.Encode([]operation{{Op: "test", Path: place, Value: finalizer}, {Op: "remove", Path: place}})
	return strings.TrimSpace(b.String())
}
