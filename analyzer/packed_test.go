package analyzer

import (
	"bytes"
	"embed"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite the packed forms")

// What is packed is what the YAML says, and of just these files.
func TestPacked(t *testing.T) {
	t.Run("signatures", func(t *testing.T) { comparePacked(t, signatureFiles, "signatures", readSignatures) })
	t.Run("causes", func(t *testing.T) { comparePacked(t, causeFiles, "causes", readCauses) })
	t.Run("defects", func(t *testing.T) { comparePacked(t, defectFiles, "defects", readDefects) })
}

func comparePacked[T any](t *testing.T, carried embed.FS, folder string, read func(fs.FS) ([]*T, error)) {
	files, err := fs.Sub(carried, folder)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := digestOf(files)
	if err != nil {
		t.Fatal(err)
	}
	want, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := unpack[T](folder, digest)
	diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Signature{}, Clause{}, Defect{}))
	switch {
	case ok && diff == "":
	case !*update:
		t.Errorf("packed/%s.gob is stale: run make golden (-YAML +packed):\n%s", folder, diff)
	case os.Getenv("CI") != "":
		t.Fatal("-update is not for CI: what is packed is reviewed")
	default:
		var data bytes.Buffer
		if err := pack(&data, digest, want); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("packed", folder+".gob"), data.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that was changed since counts as it stands.
func TestPackedOfOtherFiles(t *testing.T) {
	digest, err := digestOf(fstest.MapFS{"kubelet.yaml": {Data: []byte(goodSignature)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := unpack[Signature]("signatures", digest); ok {
		t.Error("unpacked for other files")
	}
	if _, ok := unpack[Signature]("nothing", digest); ok {
		t.Error("unpacked what is not there")
	}
}

func BenchmarkKnown(b *testing.B) {
	for b.Loop() {
		if _, _, err := known(signatureFiles, "signatures", readSignatures, func(*Signature) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
