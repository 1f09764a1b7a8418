package parsers

import (
	"bytes"
	"compress/bzip2"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/therootcompany/xz"
)

// archiveFormat is one way to pack files.
type archiveFormat struct {
	name   string
	magic  string
	decode func(io.Reader) (io.ReadCloser, error) // of compressed streams
	sealed string                                 // why it cannot be opened
}

const unpackIt = "unpack it and give the folder"

// archiveFormats by magic. Tar has none at its beginning: see isTar.
var archiveFormats = []archiveFormat{
	{name: "gz", magic: "\x1f\x8b\x08", decode: gunzip},
	{name: "xz", magic: "\xfd7zXZ\x00", decode: unxz},
	{name: "zst", magic: "\x28\xb5\x2f\xfd", decode: unzstd},
	{name: "zst", magic: "\x50\x2a\x4d\x18", decode: unzstd}, // a skippable frame first: pzstd
	{name: "bz2", magic: "BZh", decode: bunzip2},
	{name: "lz4", magic: "\x04\x22\x4d\x18", decode: unlz4},
	{name: "zip", magic: "PK\x03\x04"},
	{name: "zip", magic: "PK\x05\x06"}, // an empty one
	{name: "7z", magic: "7z\xbc\xaf\x27\x1c", sealed: "7z archives are not read; " + unpackIt},
	{name: "rar", magic: "Rar!\x1a\x07", sealed: "rar archives are not read; " + unpackIt},
	{name: "age", magic: "age-encryption.org/v1", sealed: "encrypted with age; decrypt it first"},
	{name: "pgp", magic: "-----BEGIN PGP MESSAGE-----", sealed: "encrypted with PGP; decrypt it first"},
}

// sniffBytes are enough to tell any format.
const sniffBytes = tarBlock

// sniffArchive tells how a file is packed; the zero format if it is not.
func sniffArchive(head []byte) archiveFormat {
	for _, format := range archiveFormats {
		if !bytes.HasPrefix(head, []byte(format.magic)) {
			continue
		}
		if format.name == "bz2" && !isBzip2(head) {
			continue
		}
		return format
	}
	if isTar(head) {
		return archiveFormat{name: "tar"}
	}
	if isCollectOutput(head) {
		return archiveFormat{name: collectOutput}
	}
	return archiveFormat{}
}

// isBzip2 looks beyond the three letters, which a text may begin with: a block
// size and then the magic of a block or of the stream's end.
func isBzip2(head []byte) bool {
	const block, end = "\x31\x41\x59\x26\x53\x59", "\x17\x72\x45\x38\x50\x90"
	return len(head) >= 10 && head[3] >= '1' && head[3] <= '9' &&
		(string(head[4:10]) == block || string(head[4:10]) == end)
}

// Windows larger than these would let a few bytes ask for much memory. They
// are those of xz -9 and zstd --long.
const (
	xzDictionary = 64 << 20
	zstdWindow   = 128 << 20
)

func gunzip(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }

func unxz(r io.Reader) (io.ReadCloser, error) {
	d, err := xz.NewReader(r, xzDictionary)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(d), nil
}

func unzstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r,
		zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

func bunzip2(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }

func unlz4(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(lz4.NewReader(r)), nil }
