package analyzer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Mistake is one thing that is wrong in a user's signature file.
type Mistake struct {
	File string
	Line int    // 0: of the file as a whole
	ID   string // of the signature, where it has one
	What string
}

func (m Mistake) String() string {
	var b strings.Builder
	b.WriteString(m.File)
	if m.Line > 0 {
		fmt.Fprintf(&b, ":%d", m.Line)
	}
	b.WriteString(": ")
	if m.ID != "" {
		b.WriteString(m.ID + ": ")
	}
	b.WriteString(m.What)
	return b.String()
}

// Mistakes is the error that tells all of them, by file and line.
type Mistakes []Mistake

func (m Mistakes) Error() string {
	lines := make([]string, len(m))
	for i := range m {
		lines[i] = m[i].String()
	}
	return strings.Join(lines, "\n")
}

// largestSignatureFile bounds what is read of one file: 300 signatures make
// 200 kB.
const largestSignatureFile = 4 << 20

// Extend reads the *.yaml and *.yml files of fsys as a user's own signatures
// and returns a catalogue of those of c and them. They count as unproven, so
// that no verdict is sure by them alone. What is wrong in the files comes as
// Mistakes.
func (c *Catalogue) Extend(fsys fs.FS) (*Catalogue, error) {
	var files []string
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		found, err := fs.Glob(fsys, pattern)
		if err != nil {
			return nil, fmt.Errorf("reading signatures: %w", err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	if len(files) == 0 {
		return nil, fmt.Errorf("reading signatures: no *.yaml: %w", fs.ErrNotExist)
	}

	r := ownReader{taken: map[string]string{}}
	for _, s := range c.Signatures {
		r.taken[s.ID] = "a built-in signature"
		if s.Own {
			r.taken[s.ID] = "in another folder"
		}
	}
	for i := range Observations {
		r.taken[Observations[i].ID] = "a built-in observation"
	}
	sum := sha256.New()
	fmt.Fprintln(sum, c.digest)
	for _, file := range files {
		data, err := readSmall(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("reading signatures: %w", err)
		}
		fmt.Fprintf(sum, "%s %d\n", file, len(data))
		sum.Write(data)
		told := len(r.mistakes)
		r.read(file, data)
		for i := range r.mistakes[told:] {
			m := &r.mistakes[told+i]
			m.Line = lineInEditor(data, m.Line)
		}
	}
	if len(r.mistakes) > 0 {
		slices.SortStableFunc(r.mistakes, func(a, b Mistake) int {
			return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		return nil, r.mistakes
	}
	return newCatalogue(slices.Concat(c.Signatures, r.own), fmt.Sprintf("sha256:%x", sum.Sum(nil))), nil
}

func readSmall(fsys fs.FS, name string) ([]byte, error) {
	if info, err := fs.Stat(fsys, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	if _, err := io.CopyN(&data, f, largestSignatureFile+1); err == nil {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, largestSignatureFile)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data.Bytes(), nil
}

// ownReader gathers the signatures of a user's files, and what is wrong there.
type ownReader struct {
	own      []*Signature
	mistakes Mistakes
	taken    map[string]string // where an id is in use
}

func (r *ownReader) wrong(file string, line int, id, what string) {
	r.mistakes = append(r.mistakes, Mistake{File: file, Line: line, ID: id, What: what})
}

// read takes a file twice: as nodes, which know their lines, and strictly.
func (r *ownReader) read(file string, data []byte) {
	var doc yaml.Node
	nodes := yaml.NewDecoder(bytes.NewReader(data))
	switch err := nodes.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.wrong(file, 0, "", "holds no signature")
		return
	case err != nil:
		r.yamlMistake(file, err)
		return
	}
	var more yaml.Node
	if err := nodes.Decode(&more); err == nil {
		r.wrong(file, more.Line, "", "a second document; one file is one list")
	} else if !errors.Is(err, io.EOF) {
		r.yamlMistake(file, err)
	}
	root := resolved(doc.Content[0])
	if root.Kind != yaml.SequenceNode {
		r.wrong(file, root.Line, "", "not a list of signatures: each begins with \"- id: \"")
		return
	}

	var list []*Signature
	strict := yaml.NewDecoder(bytes.NewReader(data))
	strict.KnownFields(true)
	if err := strict.Decode(&list); err != nil {
		r.yamlMistake(file, err)
	}
	if len(list) != len(root.Content) {
		return // what is no signature at all is told above
	}
	if len(list) == 0 {
		r.wrong(file, 0, "", "holds no signature")
	}
	for i, s := range list {
		node := resolved(root.Content[i])
		if s == nil {
			r.wrong(file, node.Line, "", "an entry is empty")
			continue
		}
		r.take(file, node, s)
	}
}

// signatureID is how ids look: reports, links and clauses rely on it.
var signatureID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func (r *ownReader) take(file string, node *yaml.Node, s *Signature) {
	s.Own, s.Proven = true, false
	faults := s.validate()
	if s.ID != "" && !signatureID.MatchString(s.ID) {
		faults = append(faults, fault{"id", 0, errors.New("an id is of lower-case letters, digits and dashes")})
	}
	if where, ok := r.taken[s.ID]; ok && s.ID != "" {
		faults = append(faults, fault{"id", 0, fmt.Errorf("this id is taken: %s", where)})
	}
	if s.Pattern != "" {
		faults = append(faults, s.check()...)
	}
	for _, f := range faults {
		r.wrong(file, lineOf(node, f.field, f.item), s.ID, f.err.Error())
	}
	r.taken[s.ID] = fmt.Sprintf("%s:%d", path.Base(file), node.Line)
	r.own = append(r.own, s)
}

// lineOf is where an item of a field stands; the entry's own line if it lacks.
func lineOf(entry *yaml.Node, field string, item int) int {
	if entry.Kind != yaml.MappingNode {
		return entry.Line
	}
	for i := 0; i+1 < len(entry.Content); i += 2 {
		if entry.Content[i].Value != field {
			continue
		}
		value := resolved(entry.Content[i+1])
		if value.Kind == yaml.SequenceNode && item < len(value.Content) {
			return value.Content[item].Line
		}
		return entry.Content[i].Line
	}
	return entry.Line
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// yamlBreak is what ends a line to the YAML library.
var yamlBreak = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")

// lineInEditor is the line that an editor numbers so where YAML counts line: to
// most, Unicode's breaks end none. What is empty stands behind the last line.
func lineInEditor(data []byte, line int) int {
	if line == 0 {
		return 0 // the file as a whole
	}
	at := 1
	for _, b := range yamlBreak.FindAll(data, max(line-1, 0)) {
		if len(b) == 1 || string(b) == "\r\n" {
			at++
		}
	}
	return at
}

var (
	yamlLine     = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): `)
	unknownField = regexp.MustCompile(`field (.+) not found in type .*`)
	wrongKind    = regexp.MustCompile("cannot unmarshal !!(\\w+)(?: `.*`)? into (.*)")
)

// yamlMistake says in the words of the format what the YAML library found.
func (r *ownReader) yamlMistake(file string, err error) {
	texts := []string{err.Error()}
	var several *yaml.TypeError
	if errors.As(err, &several) {
		texts = several.Errors
	}
	for _, text := range texts {
		line := 0
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1]) // 0 if it does not fit: the file as a whole
			text = text[len(m[0]):]
		}
		text = strings.TrimPrefix(text, "yaml: ")
		switch field, kind := unknownField.FindStringSubmatch(text), wrongKind.FindStringSubmatch(text); {
		case field != nil:
			text = fmt.Sprintf("there is no field %q", field[1])
		case kind != nil:
			text = fmt.Sprintf("a %s where %s is wanted", kindNames[kind[1]], wantedName(kind[2]))
		}
		r.wrong(file, line, "", text)
	}
}

var kindNames = map[string]string{
	"str": "text", "int": "number", "float": "number", "bool": "yes or no", "map": "mapping", "seq": "list", "null": "nothing", "timestamp": "time",
}

func wantedName(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"), strings.HasSuffix(goType, "Words"):
		return "a list"
	case goType == "bool":
		return "true or false"
	case strings.HasSuffix(goType, "Signature"):
		return "a signature"
	}
	return "text"
}
