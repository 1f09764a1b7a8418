package analyzer

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/gob"
	"fmt"
	"io"
	"io/fs"
)

// To read from YAML what the program knows takes longer than most runs take
// beside. So it is carried once more as gob has it, and read from there while
// that is of the very YAML that is carried, too: a file that was changed counts
// at once, and `make golden` makes its reading quick again.

//go:embed packed/*.gob
var packedFiles embed.FS

// packed is what the YAML files of a folder hold.
type packed[T any] struct {
	Digest string // of these files
	Items  []*T
}

// known is what the YAML files of a folder that the program carries hold,
// from their packed form if that is of them; and the files' digest. An item
// from there is made ready.
func known[T any](carried embed.FS, folder string, read func(fs.FS) ([]*T, error), ready func(*T) error) (items []*T, digest string, err error) {
	files, err := fs.Sub(carried, folder)
	if err != nil {
		return nil, "", err
	}
	if digest, err = digestOf(files); err != nil {
		return nil, "", err
	}
	items, ok := unpack[T](folder, digest)
	if !ok {
		items, err = read(files)
		return items, digest, err
	}
	for _, item := range items {
		if err := ready(item); err != nil {
			return nil, "", fmt.Errorf("reading %s: %w", folder, err)
		}
	}
	return items, digest, nil
}

// unpack reads the packed form, if it is of the files of this digest.
func unpack[T any](folder, digest string) ([]*T, bool) {
	data, err := fs.ReadFile(packedFiles, "packed/"+folder+".gob")
	if err != nil {
		return nil, false
	}
	var p packed[T]
	err = gob.NewDecoder(bytes.NewReader(data)).Decode(&p)
	return p.Items, err == nil && p.Digest == digest
}

// pack writes the packed form.
func pack[T any](w io.Writer, digest string, items []*T) error {
	return gob.NewEncoder(w).Encode(packed[T]{digest, items})
}

// digestOf identifies the *.yaml files of fsys.
func digestOf(fsys fs.FS) (string, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(data))
		sum.Write(data)
	}
	return fmt.Sprintf("sha256:%x", sum.Sum(nil)), nil
}
