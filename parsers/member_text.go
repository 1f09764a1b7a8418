package parsers

// Text is the member as text in UTF-8, and what was done to get it: "" where it
// is as it was received. A binary journal becomes what journalctl -o export
// prints. Of other binary files, and of what could not be read, there is none.
func (m *Member) Text() (text, how string, ok bool) {
	switch {
	case m.Data == nil:
		return "", "", false
	case isJournal(m.Data):
		j, err := openJournalData(m.Data)
		if err != nil {
			return "", "", false
		}
		defer j.Close()
		var out []byte
		for e := range j.Entries() {
			out = e.AppendExport(out)
		}
		return string(out), "export", true
	case looksBinary(m.Data):
		return "", "", false
	case looksExported(m.Data):
		return string(m.Data), "", true
	}
	text, encoding := decodeText(m.Data)
	if encoding == encodingUTF8 {
		encoding = ""
	}
	return text, encoding, true
}
