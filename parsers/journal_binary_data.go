package parsers

import (
	"bytes"
	"errors"
	"io"
	"slices"

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

// journalData reads the data objects of a journal file. Entries share them: of
// those that several entries name, the latest are kept. It is not safe for
// concurrent use.
type journalData struct {
	file  *journalFile
	kept  [1 << keptBits]journalField
	buf   []byte // of the last packed field that was not kept
	spent uint64 // bytes unpacked
	zstd  *zstd.Decoder
	xz    *xz.Reader
}

const keptBits = 12

// journalField is "NAME=value" of the data object at an offset.
type journalField struct {
	at   uint64
	data []byte
	text string // the same, once it was asked for
	err  error
}

func newJournalData(file *journalFile) *journalData { return &journalData{file: file} }

func (d *journalData) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

var errFieldGone = errors.New("a field is not there")

// field is "NAME=value" of the data object at an offset. It is good until the
// next call.
func (d *journalData) field(at uint64) ([]byte, error) {
	if k := d.place(at); k.at == at && at != 0 {
		return k.data, k.err
	}
	return d.read(at)
}

// text is the same as a string. Those that are no use to an event may be empty.
func (d *journalData) text(at uint64) (string, error) {
	k := d.place(at)
	if k.at != at || at == 0 {
		data, err := d.read(at)
		if k.at != at || at == 0 {
			return wantedField(data), err
		}
	}
	if k.text == "" {
		k.text = wantedField(k.data)
	}
	return k.text, k.err
}

// wantedField is a field as a string, if an event has a place for it.
func wantedField(data []byte) string {
	name, _, ok := bytes.Cut(data, []byte("="))
	if !ok || placeOf(string(name)) == nowhere {
		return ""
	}
	return string(data)
}

// place is where a field is kept, if it is.
func (d *journalData) place(at uint64) *journalField {
	return &d.kept[uint32(at>>3)*0x9E3779B1>>(32-keptBits)]
}

func (d *journalData) read(at uint64) ([]byte, error) {
	o, ok := d.file.object(at)
	if !ok || o.kind != journalObjectData {
		return nil, errFieldGone
	}
	payload := d.file.data[o.at+d.file.payload() : o.end : o.end]
	shared := le64(d.file.data, o.at+journalDataEntries) > 1
	var err error
	switch {
	case o.flags != 0:
		if payload, err = d.unpack(o.flags, payload); err == nil && shared {
			payload = bytes.Clone(payload)
		}
	case len(payload) > journalFieldLimit:
		payload, err = nil, errFieldTooLarge
	}
	if shared && (o.flags == 0 || len(payload) <= keptField) {
		*d.place(at) = journalField{at: at, data: payload, err: err}
	}
	return payload, err
}

// keptField is how long an unpacked field may be to be kept.
const keptField = 64 << 10

func (d *journalData) unpack(flags byte, payload []byte) ([]byte, error) {
	switch flags {
	case journalDataZstd:
		return d.unpackZstd(payload)
	case journalDataLZ4:
		return d.unpackLZ4(payload)
	case journalDataXZ:
		return d.unpackXZ(payload)
	}
	return nil, errCompression
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

func (d *journalData) unpackZstd(payload []byte) ([]byte, error) {
	var head zstd.Header
	if err := head.Decode(payload); err != nil {
		return nil, err
	}
	if err := d.spend(head.FrameContentSize); err != nil { // 0 if it is not told
		return nil, err
	}
	if d.zstd == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(journalFieldLimit), zstd.WithDecoderMaxWindow(journalFieldLimit))
		if err != nil {
			return nil, err
		}
		d.zstd = decoder
	}
	field, err := d.zstd.DecodeAll(payload, d.buf[:0])
	if err != nil {
		return nil, errors.Join(err, d.spend(journalFieldLimit))
	}
	d.buf = field
	if n := uint64(len(field)); n > head.FrameContentSize {
		if err := d.spend(n - head.FrameContentSize); err != nil {
			return nil, err
		}
	}
	return field, nil
}

// unpackLZ4 reads a block after its size; LZ4 cannot grow more than 255 times.
func (d *journalData) unpackLZ4(payload []byte) ([]byte, error) {
	if len(payload) <= 8 {
		return nil, io.ErrUnexpectedEOF
	}
	size := le64(payload, 0)
	block := payload[8:]
	if size == 0 { // nil for lz4 to unpack into, which it writes to
		return nil, io.ErrUnexpectedEOF
	}
	if size > 255*uint64(len(block)) {
		return nil, lz4.ErrInvalidSourceShortBuffer
	}
	if err := d.spend(size); err != nil {
		return nil, err
	}
	d.buf = slices.Grow(d.buf[:0], int(size))[:size]
	n, err := lz4.UncompressBlock(block, d.buf)
	if err != nil {
		return nil, err
	}
	return d.buf[:n], nil
}

func (d *journalData) unpackXZ(payload []byte) ([]byte, error) {
	var err error
	if d.xz == nil {
		d.xz, err = xz.NewReader(bytes.NewReader(payload), journalFieldLimit)
	} else {
		err = d.xz.Reset(bytes.NewReader(payload))
	}
	if err != nil {
		return nil, err
	}
	field := bytes.NewBuffer(d.buf[:0])
	n, err := io.Copy(field, io.LimitReader(d.xz, journalFieldLimit+1))
	if spent := d.spend(uint64(n)); spent != nil {
		return nil, spent
	}
	d.buf = field.Bytes()
	return d.buf, err
}
