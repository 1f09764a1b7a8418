package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What parsers exports is what library.md lists with a reason.
func TestLibraryDocs(t *testing.T) {
	data, err := os.ReadFile("library.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := string(data)
	files, err := filepath.Glob("../parsers/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no parsers: %v", err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range exported(file) {
			if !strings.Contains(listed, "`"+name+"`") {
				t.Errorf("%s exports %s, and library.md does not say what for", path, name)
			}
		}
	}
}

// exported are the names that a file gives to its package's users; methods go
// with their types.
func exported(file *ast.File) []string {
	var names []string
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add(id)
					}
				}
			}
		}
	}
	return names
}
