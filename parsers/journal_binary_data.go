package parsers

import (
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/therootcompany/xz"
)

// How the payload of a data object is compressed.
const (
	journalDataXZ   = 1 << 0
	journalDataLZ4  = 1 << 1
	journalDataZstd = 1 << 2
)

const (
	// journalFieldLimit bounds one field. journald itself takes up to 768 MiB,
	// but what is larger than this is a core dump, not a message.
	journalFieldLimit = 16 << 20
	// journalUnpackLimit bounds what is unpacked of one file in all; a file
	// of journald's usual 128 MB does not come near it.
	journalUnpackLimit = 1 << 30
)

var (
	errFieldTooLarge  = errors.New("a field is larger than 16 MiB")
	errUnpackedEnough = errors.New("compressed fields are more than 1 GiB in all")
	errCompression    = errors.New("a field is compressed in an unknown way")
)

// journalData reads the data objects of a journal file. Entries share them, so
// what was unpacked once is kept. It is not safe for concurrent use.
type journalData struct {
	file     *journalFile
	unpacked map[int]journalUnpacked // by offset
	spent    uint64                  // bytes unpacked
	zstd     *zstd.Decoder
	xz       *xz.Reader
}

type journalUnpacked struct {
	field string
	err   error
}

func newJournalData(file *journalFile) *journalData {
	return &journalData{file: file, unpacked: map[int]journalUnpacked{}}
}

func (d *journalData) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

// field is "NAME=value" of a data object.
func (d *journalData) field(o journalObject) (string, error) {
	payload := d.file.text[o.at+d.file.payload() : o.end]
	if o.flags == 0 {
		if len(payload) > journalFieldLimit {
			return "", errFieldTooLarge
		}
		return payload, nil
	}
	if u, ok := d.unpacked[o.at]; ok {
		return u.field, u.err
	}
	field, err := d.unpack(o.flags, payload)
	if err == nil && !setJournalField(new(journalEntry), field) {
		field = "" // do not hold on to what nobody reads
	}
	d.unpacked[o.at] = journalUnpacked{field, err}
	return field, err
}

func (d *journalData) unpack(flags byte, payload string) (string, error) {
	switch flags {
	case journalDataZstd:
		return d.unpackZstd([]byte(payload))
	case journalDataLZ4:
		return d.unpackLZ4([]byte(payload))
	case journalDataXZ:
		return d.unpackXZ(payload)
	}
	return "", errCompression
}

// spend charges n bytes before they are allocated: a size that lies costs as
// much as one that does not.
func (d *journalData) spend(n uint64) error {
	if n > journalFieldLimit {
		return errFieldTooLarge
	}
	if d.spent+n > journalUnpackLimit {
		return errUnpackedEnough
	}
	d.spent += n
	return nil
}

func (d *journalData) unpackZstd(payload []byte) (string, error) {
	var head zstd.Header
	if err := head.Decode(payload); err != nil {
		return "", err
	}
	if err := d.spend(head.FrameContentSize); err != nil { // 0 if it is not told
		return "", err
	}
	if d.zstd == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(journalFieldLimit), zstd.WithDecoderMaxWindow(journalFieldLimit))
		if err != nil {
			return "", err
		}
		d.zstd = decoder
	}
	field, err := d.zstd.DecodeAll(payload, nil)
	if err != nil {
		return "", errors.Join(err, d.spend(journalFieldLimit))
	}
	if n := uint64(len(field)); n > head.FrameContentSize {
		if err := d.spend(n - head.FrameContentSize); err != nil {
			return "", err
		}
	}
	return string(field), nil
}

// unpackLZ4 reads a block after its size; LZ4 cannot grow more than 255 times.
func (d *journalData) unpackLZ4(payload []byte) (string, error) {
	if len(payload) <= 8 {
		return "", io.ErrUnexpectedEOF
	}
	size := le64(string(payload[:8]), 0)
	block := payload[8:]
	if size > 255*uint64(len(block)) {
		return "", lz4.ErrInvalidSourceShortBuffer
	}
	if err := d.spend(size); err != nil {
		return "", err
	}
	field := make([]byte, size)
	n, err := lz4.UncompressBlock(block, field)
	if err != nil {
		return "", err
	}
	return string(field[:n]), nil
}

func (d *journalData) unpackXZ(payload string) (string, error) {
	var err error
	if d.xz == nil {
		d.xz, err = xz.NewReader(strings.NewReader(payload), journalFieldLimit)
	} else {
		err = d.xz.Reset(strings.NewReader(payload))
	}
	if err != nil {
		return "", err
	}
	var field strings.Builder
	n, err := io.Copy(&field, io.LimitReader(d.xz, journalFieldLimit+1))
	if spent := d.spend(uint64(n)); spent != nil {
		return "", spent
	}
	return field.String(), err
}

// setJournalField puts "NAME=value" into an entry and says whether it is of use.
func setJournalField(e *journalEntry, field string) bool {
	name, value, ok := strings.Cut(field, "=")
	return ok && e.set(name, value)
}
