package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/opencontainers/go-digest"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

// imageContent is what an archive holds, on this machine readable by its owner
// alone.
func imageContent(t *testing.T) []file {
	t.Helper()
	files := content(t)
	for _, name := range []string{"third-party/go/LICENSE", "third-party/example.com/module@v1/NOTICE"} {
		files = append(files, file{name: name, from: files[0].from, mode: 0o644})
	}
	return files
}

func image(t *testing.T, files []file) map[string][]byte {
	t.Helper()
	r := &release{url: "https://example.invalid", version: "1.2.3+dirty", time: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)}
	data, err := imageTar(target{os: "linux", arch: "arm64"}, inImage(files), r.imageConfig("0123abcd"), r.version, r.time)
	if err != nil {
		t.Fatal(err)
	}
	files = slices.Clone(files)
	slices.Reverse(files)
	again, err := imageTar(target{os: "linux", arch: "arm64"}, inImage(files), r.imageConfig("0123abcd"), r.version, r.time)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same files give another image (%v)", err)
	}
	in, _ := untar(t, data)
	return in
}

func untar(t *testing.T, data []byte) (map[string][]byte, map[string]int64) {
	t.Helper()
	in, modes := map[string][]byte{}, map[string]int64{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return in, modes
		}
		if err != nil {
			t.Fatal(err)
		}
		if in[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		modes[h.Name] = h.Mode
		if h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s belongs to %d:%d: nobody in the image may change it", h.Name, h.Uid, h.Gid)
		}
	}
}

func decoded[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// An image is a layout in which everything is found under its digest, by the
// ways of the OCI and of docker.
func TestImageIsALayout(t *testing.T) {
	in := image(t, imageContent(t))
	for name, data := range in {
		if sum, ok := strings.CutPrefix(name, "blobs/sha256/"); ok && sum != "" && digest.FromBytes(data).Encoded() != sum {
			t.Errorf("%s has another digest", name)
		}
	}
	if got := decoded[oci.ImageLayout](t, in["oci-layout"]).Version; got != "1.0.0" {
		t.Errorf("layout %s", got)
	}
	index := decoded[oci.Index](t, in["index.json"])
	if len(index.Manifests) != 1 || index.Manifests[0].Platform.Architecture != "arm64" || index.Manifests[0].Annotations[oci.AnnotationRefName] != "1.2.3-dirty" {
		t.Fatalf("%+v", index)
	}
	manifest := decoded[oci.Manifest](t, in[blob(index.Manifests[0])])
	config := decoded[oci.Image](t, in[blob(manifest.Config)])
	packedLayer := in[blob(manifest.Layers[0])]
	if int64(len(packedLayer)) != manifest.Layers[0].Size {
		t.Errorf("the layer's size is %d", manifest.Layers[0].Size)
	}
	z, err := gzip.NewReader(bytes.NewReader(packedLayer))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if digest.FromBytes(plain) != config.RootFS.DiffIDs[0] || config.OS != "linux" || config.Architecture != "arm64" {
		t.Errorf("%+v", config)
	}
	type docker struct {
		Config           string
		RepoTags, Layers []string
	}
	want := []docker{{blob(manifest.Config), []string{"podautopsy:1.2.3-dirty"}, []string{blob(manifest.Layers[0])}}}
	if diff := cmp.Diff(want, decoded[[]docker](t, in["manifest.json"])); diff != "" {
		t.Error(diff)
	}

	_, modes := untar(t, plain)
	wantModes := map[string]int64{
		"in/": 0o755, "podautopsy": 0o755, "licences/": 0o755, "licences/LICENSE": 0o644, "licences/go/": 0o755, "licences/go/LICENSE": 0o644,
		"licences/example.com/": 0o755, "licences/example.com/module@v1/": 0o755, "licences/example.com/module@v1/NOTICE": 0o644,
	}
	if diff := cmp.Diff(wantModes, modes); diff != "" {
		t.Errorf("what the image holds (-want +got):\n%s", diff)
	}
}

// packaging/Containerfile builds the image that make dist writes.
func TestContainerfile(t *testing.T) {
	data, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\\\n", " ")
	line := func(word string) string {
		found := regexp.MustCompile(`(?m)^`+word+` (.*)$`).FindAllStringSubmatch(text, -1)
		if len(found) != 1 {
			t.Fatalf("%d lines of %s", len(found), word)
		}
		return found[0][1]
	}
	labels := map[string]string{}
	for _, m := range regexp.MustCompile(`(\S+)="([^"]*)"`).FindAllStringSubmatch(line("LABEL"), -1) {
		labels[m[1]] = m[2]
	}
	config := (&release{}).imageConfig("")
	for label := range maps.Keys(config.Labels) {
		switch label {
		case oci.AnnotationVersion, oci.AnnotationURL, oci.AnnotationCreated: // of the release
			delete(config.Labels, label)
		}
	}
	got := oci.ImageConfig{
		User: line("USER"), WorkingDir: line("WORKDIR"), Labels: labels,
		Entrypoint: decoded[[]string](t, []byte(line("ENTRYPOINT"))), Cmd: decoded[[]string](t, []byte(line("CMD"))),
	}
	if diff := cmp.Diff(config, got); diff != "" {
		t.Errorf("Containerfile does not build the image of make dist (-make dist +Containerfile):\n%s", diff)
	}
	if from := line("FROM"); from != "scratch" {
		t.Errorf("it is built from %s", from)
	}
}
