package analyzer

import "strings"

// release is a version as numbers that can be compared: "v1.24.9-gke.1" is
// 1.24.9, "5.4.0-132-generic" is 5.4.0 and then build 132.
type release []int

// releaseOf reads the numbers at the beginning of a version. A kernel's build
// number counts: distributions repair there. A pre-release is before its
// release. It returns nil for what is no version.
func releaseOf(component, text string) release {
	text = strings.TrimPrefix(strings.TrimSpace(text), "v")
	var r release
	for len(r) < 8 {
		n, rest, ok := leadingNumber(text)
		if !ok {
			break
		}
		r, text = append(r, n), rest
		if !strings.HasPrefix(text, ".") && (component != componentKernel || !strings.HasPrefix(text, "-")) {
			break
		}
		text = text[1:]
	}
	if len(r) < 2 {
		return nil
	}
	if component != componentKernel && preRelease(text) {
		for len(r) < 3 {
			r = append(r, 0)
		}
		return append(r, -1)
	}
	return r
}

// leadingNumber cuts a number off the beginning of text.
func leadingNumber(text string) (n int, rest string, ok bool) {
	const longest = 6 // digits; nobody counts further
	digits := 0
	for digits < len(text) && digits < longest && text[digits] >= '0' && text[digits] <= '9' {
		n = n*10 + int(text[digits]-'0')
		digits++
	}
	return n, text[digits:], digits > 0
}

// preRelease says whether what follows the numbers is "-rc.1", "-alpha.2",
// "~beta3": vendors' suffixes as "-gke.1" come after the release.
func preRelease(suffix string) bool {
	suffix = strings.TrimLeft(suffix, "-~+.")
	return strings.HasPrefix(suffix, "rc") || strings.HasPrefix(suffix, "alpha") || strings.HasPrefix(suffix, "beta")
}

// compare orders two releases; numbers that one lacks are 0.
func (r release) compare(other release) int {
	for i := range max(len(r), len(other)) {
		if a, b := r.at(i), other.at(i); a != b {
			if a < b {
				return -1
			}
			return 1
		}
	}
	return 0
}

func (r release) at(i int) int {
	if i < len(r) {
		return r[i]
	}
	return 0
}

// within says whether r is bound or a build of it: 6.1.115-126 is within
// 6.1.115.
func (r release) within(bound release) bool {
	return r.compare(bound) <= 0 || r[:min(len(r), len(bound))].compare(bound) == 0
}
