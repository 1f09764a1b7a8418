package analyzer

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readEach reads every *.yaml file of fsys, by the order of their names, as
// one item each: no field that T does not have, and checked against the file's
// name without its extension. The kind, "causes", is for errors.
func readEach[T any](fsys fs.FS, kind string, check func(item *T, file string) error) ([]*T, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, err
	}
	var items []*T
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", kind, err)
		}
		item := new(T)
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true)
		if err := dec.Decode(item); err != nil {
			return nil, fmt.Errorf("reading %s: %s: %w", kind, name, err)
		}
		if err := check(item, strings.TrimSuffix(path.Base(name), ".yaml")); err != nil {
			return nil, fmt.Errorf("reading %s: %s: %w", kind, name, err)
		}
		items = append(items, item)
	}
	return items, nil
}
