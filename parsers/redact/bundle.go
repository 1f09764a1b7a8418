package redact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"podautopsy/parsers"
	"podautopsy/timeline"
)

// Bundle learns from the texts of a bundle, and from the names of its files.
func (l *Learner) Bundle(ctx context.Context, args []string, lim parsers.Limits) error {
	hash := sha256.New()
	hash.Write([]byte("podautopsy redaction\x00")) // unlike the hash that reports show of a file
	err := parsers.Open(ctx, args, nil, lim, func(m *parsers.Member) error {
		l.Text(m.Path)
		if text, _, ok := m.Text(); ok {
			hash.Write([]byte(text))
			l.Text(text)
		}
		return nil
	})
	l.Salt(hex.EncodeToString(hash.Sum(nil)))
	return err
}

// Copied is what became of a bundle's files.
type Copied struct {
	Files int
	Bytes int64
	// LeftOut are files that are not in the copy, and why.
	LeftOut []string
}

// Copy writes a redacted copy of a bundle below root. Archives become folders,
// binary journals what journalctl -o export prints.
func (r *Redactor) Copy(ctx context.Context, args []string, lim parsers.Limits, root *os.Root) (*Copied, error) {
	return r.Each(ctx, args, lim, func(to, text string) error {
		if err := root.MkdirAll(path.Dir(to), 0o777); err != nil {
			return err
		}
		return root.WriteFile(to, []byte(text), 0o666)
	})
}

// Each hands on every file of the copy.
func (r *Redactor) Each(ctx context.Context, args []string, lim parsers.Limits, file func(path, text string) error) (*Copied, error) {
	out := &Copied{}
	places := places{}
	give := func(to, text string) error {
		text = r.Text(text)
		out.Files++
		out.Bytes += int64(len(text))
		return file(to, text)
	}
	sums := map[string]string{}
	var lists []func() error // of checksums: once those of all files are known
	err := parsers.Open(ctx, args, nil, lim, func(m *parsers.Member) error {
		name := r.Text(m.Path)
		if parsers.IsChecksumFile(m.Path) {
			out.LeftOut = append(out.LeftOut, name+": checksums, which are not those of the copy")
			return nil
		}
		sums[m.Path] = m.Checksum()
		text, how, ok := m.Text()
		if !ok {
			switch {
			case m.Data != nil:
				out.LeftOut = append(out.LeftOut, name+": binary")
			case m.Format == "" && len(m.Gaps) > 0, slices.ContainsFunc(m.Gaps, unreadable):
				out.LeftOut = append(out.LeftOut, name+": could not be read")
			case m.Format == "" && m.Size == 0:
				ok = true // an empty file tells that it is empty
			}
			if !ok {
				return nil
			}
		}
		to := places.take(PathInCopy(name, how == "export"))
		if parsers.NotesChecksums(text) {
			from := m.Path
			lists = append(lists, func() error { return give(to, parsers.WithoutChecksums(from, text, sums)) })
			return nil
		}
		return give(to, text)
	})
	for _, list := range lists {
		if err == nil {
			err = list()
		}
	}
	return out, err
}

// unreadable is of an archive that was not opened, too.
func unreadable(g timeline.Gap) bool { return g.Kind == timeline.GapUnreadable }

// places are the paths in a copy that are taken: by files (true) or folders.
type places map[string]bool

// take finds a place for a file: what was packed may get the name of something
// else.
func (p places) take(to string) string {
	for i := range to {
		if to[i] != '/' {
			continue
		}
		folder := to[:i]
		if p[folder] {
			return p.take(folder + "~2" + to[i:])
		}
		p[folder] = false
	}
	free := to
	for n := 2; ; n++ {
		if _, taken := p[free]; !taken {
			p[free] = true
			return free
		}
		free = fmt.Sprintf("%s~%d", to, n)
	}
}

// PathInCopy is where a file of a bundle lies in a copy: what was in an archive,
// in a folder, unpacked; exported are journals, which a copy has as text.
func PathInCopy(name string, exported bool) string {
	parts := strings.Split(name, "!")
	if len(parts) > 1 && !strings.Contains(parts[0], "/") {
		parts = parts[1:] // the archive that was given is the folder
	}
	last := len(parts) - 1
	for _, packed := range [...]string{".gz", ".xz", ".zst", ".bz2", ".lz4"} {
		if rest := strings.TrimSuffix(parts[last], packed); rest != parts[last] && path.Base(rest) != "" && path.Base(rest) != "." {
			parts[last] = rest
			break
		}
	}
	to := strings.TrimPrefix(path.Clean("/"+strings.Join(parts, "/")), "/")
	if exported {
		to = strings.TrimSuffix(to, ".journal") + ".export"
	}
	if to == "" {
		to = "file"
	}
	return to
}

// Check looks for originals in all files below a folder, and in their names.
func (w *Watch) Check(dir fs.FS) error {
	var leaks []error
	err := fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		const enough = 10
		if err != nil || len(leaks) >= enough {
			return err
		}
		if original, _ := w.Find(name); original != "" {
			leaks = append(leaks, fmt.Errorf("the name of %s still holds %q", name, original))
		}
		if entry.IsDir() {
			return nil
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		text := string(data)
		if original, at := w.Find(text); original != "" {
			leaks = append(leaks, fmt.Errorf("%s:%d still holds %q", name, 1+strings.Count(text[:at], "\n"), original))
		}
		return nil
	})
	return errors.Join(append(leaks, err)...)
}
