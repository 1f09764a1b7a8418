package redact

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MappingSchema is the version of the file that a mapping is kept in.
const MappingSchema = "podautopsy.redaction/v1"

// Mapping says what was put in place of what. It is as private as the bundle.
type Mapping struct {
	Schema string `json:"schema"`
	// Salt of the tokens: with it, another bundle gets the same.
	Salt    string  `json:"salt"`
	Entries []Entry `json:"entries"`
	// Kept are names that stand in the redacted bundle as they are, for they
	// are words of Kubernetes itself.
	Kept []string `json:"kept"`
}

// Entry is one name and its token. Secrets have no tokens, and are in no
// mapping.
type Entry struct {
	Class    Class  `json:"class"`
	Original string `json:"original"`
	Token    string `json:"token"`
}

// ReadMapping reads what Mapping wrote.
func ReadMapping(data []byte) (*Mapping, error) {
	m := &Mapping{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("not a mapping: %w", err)
	}
	if m.Schema != MappingSchema {
		return nil, fmt.Errorf("not a mapping of this version: its schema is %q, not %q", m.Schema, MappingSchema)
	}
	return m, nil
}

// Mapping is what was learnt, and the ids that were met in texts.
func (r *Redactor) Mapping() *Mapping {
	m := &Mapping{Schema: MappingSchema, Salt: r.salt, Entries: []Entry{}, Kept: []string{}}
	add := func(class Class, original, token string) {
		if original != token {
			m.Entries = append(m.Entries, Entry{class, original, token})
		}
	}
	for phrase, token := range r.names.tokens {
		if r.names.classes[phrase] == IPv4 {
			continue // with dashes; it is told with dots
		}
		add(r.names.classes[phrase], phrase, token)
	}
	for original, token := range r.addresses.v4 {
		add(IPv4, original, token)
	}
	for original, token := range r.addresses.v6 {
		add(IPv6, original, token)
	}
	for digits, token := range r.addresses.macs {
		add(MAC, withColons(digits), withColons(token))
	}
	for original, token := range r.emails {
		if strings.Contains(original, "@") {
			add(Email, original, token)
		}
	}
	for original := range r.seenIDs {
		class := ID
		if strings.ContainsAny(original, `-_\`) {
			class = UID
		}
		add(class, original, r.ids.keep(original))
	}
	for name := range r.names.kept {
		m.Kept = append(m.Kept, name)
	}
	slices.SortFunc(m.Entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(string(a.Class), string(b.Class)), strings.Compare(a.Token, b.Token), strings.Compare(a.Original, b.Original))
	})
	slices.Sort(m.Kept)
	return m
}

func withColons(digits string) string {
	var out strings.Builder
	for i := 0; i+2 <= len(digits); i += 2 {
		if i > 0 {
			out.WriteByte(':')
		}
		out.WriteString(digits[i : i+2])
	}
	return out.String()
}

// resume takes over the tokens of an earlier redaction.
func (r *Redactor) resume(known *Mapping) {
	if known == nil {
		return
	}
	for _, e := range known.Entries {
		if e.Original == "" || e.Token == "" {
			continue
		}
		switch original := lower(e.Original); e.Class {
		case IPv4:
			if strings.Contains(original, ".") {
				r.addresses.v4[original] = e.Token
			}
		case IPv6:
			r.addresses.v6[original] = e.Token
		case MAC:
			r.addresses.macs[strings.ReplaceAll(original, ":", "")] = strings.ReplaceAll(e.Token, ":", "")
		case Email:
			r.addSpellings(original, e.Token)
		case UID, ID, Secret: // follow from the salt
		case Namespace, Workload, Node, Volume, Object, Image, Domain, User:
			r.names.set(e.Class, original, e.Token)
		}
	}
}
