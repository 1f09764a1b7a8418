package analyzer

import "strings"

// shortestLiteral is the window of the search below.
const shortestLiteral = 8

// literalIndex finds which of many literals a text holds in one pass that
// looks at every sixth byte or so (Wu and Manber): a table says how far the
// window may move, given the three bytes at its end.
type literalIndex struct {
	shift  []uint8
	bucket []uint16 // of those three bytes; 0 is none
	lists  [][]literal
}

type literal struct {
	text       string
	signatures []int
}

const hashBits = 15

func hash3(a, b, c byte) int {
	return (int(a)<<10 ^ int(b)<<5 ^ int(c)) & (1<<hashBits - 1)
}

func indexLiterals(signatures []*Signature) literalIndex {
	x := literalIndex{
		shift:  make([]uint8, 1<<hashBits),
		bucket: make([]uint16, 1<<hashBits),
		lists:  make([][]literal, 1),
	}
	for i := range x.shift {
		x.shift[i] = shortestLiteral - 2
	}
	for n, s := range signatures {
		for _, l := range s.Literals {
			x.add(l, n)
		}
	}
	return x
}

func (x *literalIndex) add(l string, signature int) {
	for end := 2; end < shortestLiteral; end++ {
		h := hash3(l[end-2], l[end-1], l[end])
		x.shift[h] = min(x.shift[h], uint8(shortestLiteral-1-end))
	}
	h := hash3(l[shortestLiteral-3], l[shortestLiteral-2], l[shortestLiteral-1])
	if x.bucket[h] == 0 {
		x.bucket[h] = uint16(len(x.lists))
		x.lists = append(x.lists, nil)
	}
	list := &x.lists[x.bucket[h]]
	for i := range *list {
		if (*list)[i].text == l {
			(*list)[i].signatures = append((*list)[i].signatures, signature)
			return
		}
	}
	*list = append(*list, literal{l, []int{signature}})
}

// find calls found for each signature of which text holds a literal, perhaps
// more than once.
func (x *literalIndex) find(text string, found func(signature int)) {
	for end := shortestLiteral - 1; end < len(text); {
		h := hash3(text[end-2], text[end-1], text[end])
		if s := x.shift[h]; s > 0 {
			end += int(s)
			continue
		}
		rest := text[end-shortestLiteral+1:]
		for _, l := range x.lists[x.bucket[h]] {
			if strings.HasPrefix(rest, l.text) {
				for _, n := range l.signatures {
					found(n)
				}
			}
		}
		end++
	}
}
