package main

import (
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// pluginManifest tells krew, which installs plugins of kubectl, where the
// archives are and what is in them.
func (r *release) pluginManifest(archives []archive) error {
	text, err := template.ParseFiles("packaging/krew.yaml.tmpl")
	if err != nil {
		return err
	}
	type platform struct{ OS, Arch, URL, SHA256, Folder, Binary string }
	data := struct {
		Version, Home string
		Platforms     []platform
	}{Version: "v" + r.version, Home: r.url}
	for _, a := range archives {
		if a.tags == "" {
			data.Platforms = append(data.Platforms, platform{a.os, a.arch, r.url + "/" + a.file, a.sha256, a.base(), a.binary()})
		}
	}
	var out strings.Builder
	if err := text.Execute(&out, data); err != nil {
		return err
	}
	r.files = append(r.files, "podautopsy.krew.yaml")
	return os.WriteFile(filepath.Join(r.out, "podautopsy.krew.yaml"), []byte(out.String()), 0o644)
}
