package parsers

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zip"
)

const encryptedZip = "encrypted; unpack it with its password and give the folder"

// unzip visits the members of a zip archive in the order of its directory.
func (o *opener) unzip(c *container, r *io.SectionReader) error {
	archive, err := zip.NewReader(r, r.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return o.salvageZip(c, r, err)
	}
	if damage := misplaced(archive.File); damage != nil {
		return o.salvageZip(c, r, damage)
	}
	for _, f := range archive.File {
		if err := c.zipMember(f); err != nil {
			return err
		}
		if c.zipEnds() {
			break
		}
	}
	return c.close()
}

// misplaced says why no member is where the directory says that it is; nil if
// one is.
func misplaced(files []*zip.File) (why error) {
	for _, f := range files {
		if f.Mode().IsDir() {
			continue
		}
		_, err := f.DataOffset()
		if err == nil {
			return nil
		}
		why = fmt.Errorf("no member is where the directory says: %w", err)
	}
	return why
}

// zipEnds says whether a limit forbids to read on.
func (c *container) zipEnds() bool {
	switch {
	case c.full != nil:
		c.stopped(c.full)
	case *c.budget <= 0:
		c.stopped(errRatioLimit)
	default:
		return false
	}
	return true
}

// zipMember visits what one entry of the directory tells of.
func (c *container) zipMember(f *zip.File) error {
	name := zipName(f)
	mode := f.Mode()
	switch {
	case mode.IsDir():
		if c.admit() {
			c.knows(name)
		}
		return nil
	case f.Flags&1 != 0:
		return c.lost(name, encryptedZip)
	case mode&fs.ModeType&^fs.ModeSymlink != 0:
		c.skip(name, kindOfFile(mode))
		return nil
	}
	content, err := f.Open()
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return c.lost(name, fmt.Sprintf("packed by method %d, which is not read; %s", f.Method, unpackIt))
	case err != nil:
		return c.lost(name, fmt.Sprintf("damaged: %v", err))
	}
	defer content.Close()
	metered := &meter{c.opener, content, c.budget}
	if mode&fs.ModeSymlink == 0 {
		return c.member(name, metered, int64(min(f.UncompressedSize64, math.MaxInt64)))
	}
	const longestPath = 4096
	target, err := io.ReadAll(io.LimitReader(metered, longestPath)) //nolint:forbidigo // bounded by LimitReader
	if err != nil {
		return c.lost(name, err.Error())
	}
	c.link(name, string(target), true)
	return nil
}

// zipName is the member's name with slashes: some programs of Windows write
// backslashes, which elsewhere belong to names (systemd's \x2d).
func zipName(f *zip.File) string {
	const fat, ntfs, vfat = 0, 10, 14 // Go writes fat, too
	switch f.CreatorVersion >> 8 {
	case fat, ntfs, vfat:
		if !strings.Contains(f.Name, "/") && !strings.Contains(f.Name, `\x`) {
			return strings.ReplaceAll(f.Name, `\`, "/")
		}
	}
	return f.Name
}

// salvageZip reads a zip archive that lost its directory, which stands at the
// end, by the headers in front of the members.
func (o *opener) salvageZip(c *container, r *io.SectionReader, damage error) error {
	const headerSize = 30
	stream := bufio.NewReaderSize(io.NewSectionReader(r, 0, r.Size()), 64<<10)
	for skipToZipHeader(stream) && !c.zipEnds() {
		var header [headerSize]byte
		if _, err := io.ReadFull(stream, header[:]); err != nil {
			break
		}
		le := binary.LittleEndian
		flags, method := le.Uint16(header[6:]), le.Uint16(header[8:])
		size := int64(le.Uint32(header[18:])) // packed; not known yet with flag 8
		name := make([]byte, int(le.Uint16(header[26:])))
		if _, err := io.ReadFull(stream, name); err != nil {
			break
		}
		if _, err := stream.Discard(int(le.Uint16(header[28:]))); err != nil {
			break
		}
		var err error
		switch streamed := flags&8 != 0; {
		case bytes.HasSuffix(name, []byte("/")):
			if c.admit() {
				c.knows(string(name))
			}
		case flags&1 != 0:
			err = c.lost(string(name), encryptedZip)
		case method == zip.Deflate:
			// flate takes no byte beyond its end from a bufio.Reader.
			err = c.member(string(name), &meter{o, flate.NewReader(stream), c.budget}, 0)
		case method == zip.Store && !streamed:
			err = c.member(string(name), &meter{o, &exactly{io.LimitedReader{R: stream, N: size}}, c.budget}, size)
		default:
			err = c.lost(string(name), "its length stood in the part of the archive that is lost")
		}
		if err != nil {
			return err
		}
	}
	c.stopped(damage)
	return c.close()
}

// exactly reads a number of bytes; an earlier end is an error.
type exactly struct{ io.LimitedReader }

func (e *exactly) Read(p []byte) (int, error) {
	n, err := e.LimitedReader.Read(p)
	if errors.Is(err, io.EOF) && e.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// skipToZipHeader moves on to the next member's header.
func skipToZipHeader(stream *bufio.Reader) bool {
	const magic = "PK\x03\x04"
	for {
		window, err := stream.Peek(stream.Size())
		if at := bytes.Index(window, []byte(magic)); at >= 0 {
			_, err := stream.Discard(at)
			return err == nil
		}
		if err != nil || len(window) < len(magic) {
			return false
		}
		if _, err := stream.Discard(len(window) - len(magic) + 1); err != nil {
			return false
		}
	}
}
