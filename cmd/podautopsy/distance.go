package main

import "slices"

// distance is the Damerau-Levenshtein distance (adjacent transpositions, each
// piece edited once) of two names: how many slips of the finger apart they are.
func distance(a, b string) int {
	older, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
		}
		older, prev, cur = prev, cur, older
	}
	return prev[len(b)]
}

// slips is how far apart two names may be to be taken for a typo.
func slips(name string) int { return max(1, len(name)/4) }

// nearest is the closest of a few words, "" if none is close.
func nearest(word string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	best := slices.MinFunc(words, func(a, b string) int { return distance(word, a) - distance(word, b) })
	if distance(word, best) > slips(word) {
		return ""
	}
	return best
}
