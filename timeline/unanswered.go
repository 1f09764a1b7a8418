package timeline

import (
	"path"
	"strings"
)

// explainEmpty says of each file that a command should have filled and that
// holds nothing what is known of the reason. It never means "there is none".
func explainEmpty(builders []*Builder) {
	byPath := map[string]*Builder{}
	for _, b := range builders {
		if b.Input.Empty {
			clear(byPath)
			for _, b := range builders {
				byPath[b.Input.Path] = b
			}
			break
		}
	}
	silent := map[string]bool{} // whose command ended well and had nothing to say
	for _, b := range builders {
		for _, c := range b.Collected {
			silent[c.Path] = !c.Failed && !c.TimedOut && !c.Truncated
		}
	}
	for _, b := range builders {
		in := &b.Input
		if silent[in.Path] {
			continue
		}
		if !in.Empty || isErrorOutput(in.Path) || !expected(in) {
			continue
		}
		if collected := len(in.Gaps) > 0; collected {
			continue // who wrote it has told why
		}
		detail := "empty: the command failed or printed nothing, and nothing here tells which"
		for _, beside := range errorOutputs(in.Path) {
			if err := byPath[beside]; err != nil {
				detail = "empty: the command printed nothing, and nothing to " + path.Base(beside) + " beside it"
				if !err.Input.Empty {
					detail = "empty: the command printed nothing but errors, see " + path.Base(beside) + " beside it"
				}
				break
			}
		}
		b.Gap(GapCommandFailed, 0, detail)
	}
}

// expected says whether somebody would look for an answer in a file: a command
// wrote it, or its name is one of dumps and logs. A node's own configuration
// may be empty as it pleases.
func expected(in *Input) bool {
	if in.Command != "" {
		return !strings.HasPrefix(in.Command, "cat /")
	}
	switch path.Ext(in.Path) {
	case ".yaml", ".yml", ".json", ".log", ".export", ".txt":
		return !strings.Contains("/"+strings.ReplaceAll(in.Path, "!", "/"), "/etc/")
	}
	return false
}

// errorOutputs are the names by which collectors store what a command wrote to
// its standard error.
func errorOutputs(p string) []string {
	stem := strings.TrimSuffix(p, path.Ext(p))
	return []string{
		p + ".stderr", p + ".stderr.txt", p + ".err", stem + ".stderr", stem + ".stderr.txt", stem + "-stderr.txt", stem + ".err",
		stem + "-errors.json",
	}
}

func isErrorOutput(p string) bool {
	name := strings.ToLower(path.Base(p))
	return strings.Contains(name, "stderr") || strings.HasSuffix(name, ".err") || strings.HasSuffix(name, "-errors.json")
}
