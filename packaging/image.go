package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

// inImage is where images have what an archive holds: the program and the
// licences. packaging/Containerfile copies the same.
func inImage(content []file) []file {
	var in []file
	for _, f := range content {
		switch rest, licence := strings.CutPrefix(f.name, "third-party/"); {
		case licence:
			f.name = "licences/" + rest
		case f.name == "LICENSE":
			f.name = "licences/LICENSE"
		case f.name != "podautopsy":
			continue
		}
		in = append(in, f)
	}
	return in
}

// image writes the container image of a system: a tar that podman, docker,
// containerd and skopeo load. It also lays out what packaging/Containerfile
// copies, for those who build images of their own.
func (r *release) image(t target, content []file, revision string) error {
	laid := slices.DeleteFunc(slices.Clone(content), func(f file) bool {
		return f.name != t.binary() && f.name != "LICENSE" && !strings.HasPrefix(f.name, "third-party/")
	})
	if err := lay(filepath.Join(r.out, "image", t.os+"_"+t.arch), laid); err != nil {
		return err
	}
	data, err := imageTar(t, inImage(content), r.imageConfig(revision), r.version, r.time)
	if err != nil {
		return err
	}
	name := "podautopsy_" + r.version + "_" + t.os + "_" + t.arch + ".oci.tar"
	r.files = append(r.files, name)
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// imageConfig is how the program runs in an image: as nobody.
func (r *release) imageConfig(revision string) oci.ImageConfig {
	labels := map[string]string{
		oci.AnnotationTitle:       "podautopsy",
		oci.AnnotationDescription: "tells why a Kubernetes pod is stuck in Terminating, from a support bundle",
		oci.AnnotationLicenses:    "Apache-2.0",
		oci.AnnotationVersion:     r.version,
		oci.AnnotationURL:         r.url,
		oci.AnnotationCreated:     r.time.Format(time.RFC3339),
	}
	if revision != "" {
		labels[oci.AnnotationRevision] = revision
	}
	return oci.ImageConfig{
		User: "65532:65532", WorkingDir: "/in", Entrypoint: []string{"/podautopsy"}, Cmd: []string{"--help"}, Labels: labels,
	}
}

// imageTar is an image of one layer as an OCI layout, with the manifest beside
// it that docker load wants. The same content gives the same bytes.
func imageTar(t target, content []file, config oci.ImageConfig, version string, at time.Time) ([]byte, error) {
	plain, err := layer(content, at)
	if err != nil {
		return nil, err
	}
	small, err := packed(plain)
	if err != nil {
		return nil, err
	}
	var blobs []entry
	store := func(mediaType string, data []byte) oci.Descriptor {
		d := oci.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
		blobs = append(blobs, entry{blob(d), 0o644, data})
		return d
	}
	storeJSON := func(mediaType string, v any) (oci.Descriptor, error) {
		data, err := json.Marshal(v)
		return store(mediaType, data), err
	}

	layers := []oci.Descriptor{store(oci.MediaTypeImageLayerGzip, small)}
	described, err := storeJSON(oci.MediaTypeImageConfig, oci.Image{
		Created: &at, Platform: oci.Platform{OS: t.os, Architecture: t.arch}, Config: config,
		RootFS:  oci.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(plain)}},
		History: []oci.History{{Created: &at, CreatedBy: "podautopsy, packaging"}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := storeJSON(oci.MediaTypeImageManifest, oci.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest, Config: described, Layers: layers,
	})
	if err != nil {
		return nil, err
	}
	tag := strings.ReplaceAll(version, "+", "-") // a tag has no plus
	manifest.Platform = &oci.Platform{OS: t.os, Architecture: t.arch}
	manifest.Annotations = map[string]string{oci.AnnotationRefName: tag, "io.containerd.image.name": "localhost/podautopsy:" + tag}
	slices.SortFunc(blobs, func(a, b entry) int { return cmp.Compare(a.name, b.name) })

	entries := append([]entry{{"blobs/", 0o755, nil}, {"blobs/sha256/", 0o755, nil}}, blobs...)
	type dockerManifest struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	for _, top := range []struct {
		name string
		v    any
	}{
		{oci.ImageIndexFile, oci.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageIndex, Manifests: []oci.Descriptor{manifest}}},
		{"manifest.json", []dockerManifest{{blob(described), []string{"podautopsy:" + tag}, []string{blob(layers[0])}}}},
		{oci.ImageLayoutFile, oci.ImageLayout{Version: oci.ImageLayoutVersion}},
	} {
		data, err := json.Marshal(top.v)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{top.name, 0o644, data})
	}
	return packTar(entries, at)
}

func blob(d oci.Descriptor) string {
	return path.Join(oci.ImageBlobsDir, d.Digest.Algorithm().String(), d.Digest.Encoded())
}

// layer is the files of an image with the folders above them, and the one that
// a bundle is mounted at.
func layer(content []file, at time.Time) ([]byte, error) {
	folders := map[string]bool{"in/": true}
	var entries []entry
	for _, f := range content {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{f.name, f.mode, data})
		for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
			folders[dir+"/"] = true
		}
	}
	for dir := range folders {
		entries = append(entries, entry{dir, 0o755, nil})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return packTar(entries, at)
}
