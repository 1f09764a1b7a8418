// Package podautopsy_test holds the whole repository to its laws.
package podautopsy_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// mayImport says which of our packages a package may import. Parsers and
// analyzer meet only in the vocabulary of timeline.
var mayImport = map[string][]string{
	"timeline":         {},
	"timeline/literal": {},
	"parsers":          {"podautopsy/timeline", "podautopsy/timeline/literal"},
	"parsers/extract":  {},
	"parsers/redact":   {"podautopsy/timeline", "podautopsy/timeline/literal", "podautopsy/parsers"},
	"analyzer":         {"podautopsy/timeline", "podautopsy/timeline/literal"},
	"analyzer/report":  {"podautopsy/analyzer"},
	"cmd/podautopsy":   {"podautopsy/timeline", "podautopsy/parsers", "podautopsy/parsers/extract", "podautopsy/parsers/redact", "podautopsy/analyzer", "podautopsy/analyzer/report"},
}

// notProduct are programs for those who build podautopsy. They may run others;
// nothing of the product imports them.
var notProduct = []string{"packaging"}

// never is what no part of the product imports: it opens no connection, runs
// no program and keeps no log.
var never = []string{
	"C", "unsafe", "plugin", "net", "net/http", "net/rpc", "os/exec", "log", "log/slog", "io/ioutil",
	"math/rand", "math/rand/v2", "k8s.io/client-go", "github.com/pkg/errors",
}

// onlyIn are imports that belong to one package.
var onlyIn = map[string]string{
	"github.com/charmbracelet/lipgloss": "analyzer/report",
	"os/signal":                         "cmd/podautopsy",
	"github.com/spf13/cobra":            "cmd/podautopsy",
}

func TestImports(t *testing.T) {
	eachProductFile(t, parser.ImportsOnly, func(dir, _ string, file *ast.File, at func(ast.Node) string) {
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours := imported == "podautopsy" || strings.HasPrefix(imported, "podautopsy/")
			if ours && !slices.Contains(mayImport[dir], imported) {
				t.Errorf("%s: %s must not import %s", at(spec), dir, imported)
			}
			if slices.Contains(never, imported) || strings.HasPrefix(imported, "k8s.io/client-go/") {
				t.Errorf("%s: nothing here may import %s", at(spec), imported)
			}
			if owner, ok := onlyIn[imported]; ok && owner != dir {
				t.Errorf("%s: %s belongs to %s", at(spec), imported, owner)
			}
		}
	})
}

// The bundle decides what time it is; writers and exit codes are main's; reads
// are bounded; nothing happens before main.
func TestForbiddenCalls(t *testing.T) {
	forbidden := regexp.MustCompile(`^(time\.(Now|Since|Until)|fmt\.(Print|Printf|Println)|os\.Exit|os\.(Getenv|LookupEnv|Environ))$`)
	eachProductFile(t, parser.SkipObjectResolution, func(dir, name string, file *ast.File, at func(ast.Node) string) {
		main := dir == "cmd/podautopsy" && name == "main.go"
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: init() hides what happens before main", at(n))
				}
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && !main && forbidden.MatchString(pkg.Name+"."+n.Sel.Name) {
					t.Errorf("%s: %s.%s", at(n), pkg.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if isCall(n, "io", "ReadAll") && (len(n.Args) != 1 || !isCall(n.Args[0], "io", "LimitReader")) {
					t.Errorf("%s: a read without a limit", at(n))
				}
			}
			return true
		})
	})
}

func isCall(e ast.Expr, pkg, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg && sel.Sel.Name == name
}

// A parser or layout that is written must also be in the list that is used.
func TestEveryReaderIsListed(t *testing.T) {
	declared, listed := map[string]string{}, map[string]bool{}
	eachProductFile(t, parser.SkipObjectResolution, func(dir, _ string, file *ast.File, at func(ast.Node) string) {
		if dir != "parsers" {
			return
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					v, ok := spec.(*ast.ValueSpec)
					if !ok || len(v.Values) != 1 {
						continue
					}
					if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
						if typ, ok := lit.Type.(*ast.Ident); ok && (typ.Name == "Parser" || typ.Name == "Layout") {
							declared[v.Names[0].Name] = at(v)
						}
					}
				}
			case *ast.FuncDecl:
				if d.Recv != nil || d.Name.Name != "All" && d.Name.Name != "Layouts" {
					continue
				}
				ast.Inspect(d, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						listed[id.Name] = true
					}
					return true
				})
			}
		}
	})
	if len(declared) == 0 {
		t.Fatal("no readers found")
	}
	for name, place := range declared {
		// What a command of a transcript printed and nobody recognises.
		if !listed[name] && name != "commandOutputParser" {
			t.Errorf("%s: %s is in no list, so nobody uses it", place, name)
		}
	}
}

// File names survive every archive, shell and file system.
func TestFileNames(t *testing.T) {
	good := regexp.MustCompile(`^[A-Za-z0-9._@-]+$`)
	eachFile(t, func(file string) {
		if name := path.Base(file); !good.MatchString(name) {
			t.Errorf("%s: the name %q holds more than A-Za-z0-9._@-", file, name)
		}
	})
}

// What is committed is finished, and says nothing of the machine it was
// written on.
func TestNothingPrivateOrUnfinished(t *testing.T) {
	marks := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)
	machines := regexp.MustCompile(`(^|[\s"'(=])/(home/[a-z]|Users/[A-Za-z]|wo` + `rk/)`)
	keys := regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE ` + `KEY-----\s+[A-Za-z0-9+/=]{40}`)
	eachFile(t, func(file string) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if keys.Match(data) {
			t.Errorf("%s: a private key", file)
		}
		evidence := strings.Contains(file, "/testdata/") || strings.HasPrefix(file, "fixtures/") && strings.Contains(file, "/input/") ||
			strings.HasPrefix(file, "analyzer/signatures/")
		if evidence || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			return
		}
		for i, line := range strings.Split(string(data), "\n") {
			if m := marks.FindString(line); m != "" {
				t.Errorf("%s:%d: %s", file, i+1, m)
			}
			if m := machines.FindString(line); m != "" && strings.HasSuffix(file, ".go") {
				t.Errorf("%s:%d: names a folder of somebody's machine: %s", file, i+1, m)
			}
		}
	})
}

// eachFile calls f for every file of the repository.
func eachFile(t *testing.T, f func(file string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if file == ".git" || file == "bin" || file == "dist" {
				return fs.SkipDir
			}
			return nil
		}
		f(filepath.ToSlash(file))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eachProductFile calls f for every Go file that is no test.
func eachProductFile(t *testing.T, mode parser.Mode, f func(dir, name string, file *ast.File, at func(ast.Node) string)) {
	t.Helper()
	seen := map[string]bool{}
	eachFile(t, func(file string) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			return
		}
		dir, name := path.Split(file)
		dir = strings.TrimSuffix(dir, "/")
		if slices.Contains(notProduct, dir) {
			return
		}
		if _, ok := mayImport[dir]; !ok {
			t.Errorf("%s: there is no law for the folder %q: docs/architecture.md says where code goes", file, dir)
			return
		}
		seen[dir] = true
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, nil, mode)
		if err != nil {
			t.Fatal(err)
		}
		f(dir, name, parsed, func(n ast.Node) string { return fset.Position(n.Pos()).String() })
	})
	if len(seen) != len(mayImport) {
		t.Errorf("only %d of %d packages were looked at", len(seen), len(mayImport))
	}
}
