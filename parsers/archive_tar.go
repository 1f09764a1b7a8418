package parsers

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

const tarBlock = 512

// untar visits the members of a tar archive in their order. Where a header is
// damaged it goes on at the next good one.
func (o *opener) untar(c *container, r io.Reader) error {
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if ctxErr := o.ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		if err == io.EOF || errors.Is(err, tar.ErrHeader) {
			// Blocks of zeros end an archive, yet another may be appended.
			next, nextErr := nextTarHeader(r)
			if err != io.EOF {
				c.stopped(err)
			}
			if nextErr == nil {
				archive = tar.NewReader(io.MultiReader(bytes.NewReader(next), r))
				continue
			}
			if !errors.Is(nextErr, io.EOF) && !errors.Is(nextErr, io.ErrUnexpectedEOF) {
				c.stopped(nextErr)
			}
			break
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			c.stopped(err)
			break
		}
		if err := c.tarMember(header, archive); err != nil {
			return err
		}
		if o.full != nil {
			c.stopped(o.full)
			break
		}
	}
	return c.close()
}

// tarMember visits what one header tells of.
func (c *container) tarMember(header *tar.Header, r io.Reader) error {
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		return c.member(header.Name, r, header.Size)
	case tar.TypeDir:
		if c.admit() {
			c.knows(header.Name)
		}
	case tar.TypeSymlink:
		c.link(header.Name, header.Linkname, true)
	case tar.TypeLink:
		c.link(header.Name, header.Linkname, false)
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		c.skip(header.Name, kindOfFile(header.FileInfo().Mode()))
	}
	return nil // other types tell of the archive, not of a file
}

// nextTarHeader looks for the next block that is a header.
func nextTarHeader(r io.Reader) ([]byte, error) {
	block := make([]byte, tarBlock)
	for {
		if _, err := io.ReadFull(r, block); err != nil {
			return nil, err
		}
		if tarChecksum(block) {
			return block, nil
		}
	}
}

// isTar recognises the first header: by its magic, or, for the oldest form,
// by its checksum.
func isTar(head []byte) bool {
	return len(head) >= tarBlock && head[0] != 0 && (string(head[257:262]) == "ustar" || tarChecksum(head))
}

// tarChecksum says whether a block is a header: the sum of its bytes, with
// those of the sum itself taken as spaces, stands in it in octal.
func tarChecksum(block []byte) bool {
	if block[0] == 0 {
		return false
	}
	field := strings.Trim(string(block[148:156]), " \x00")
	want, err := strconv.ParseInt(field, 8, 32)
	if err != nil {
		return false
	}
	sum := int64(8 * ' ')
	for i, b := range block[:tarBlock] {
		if i < 148 || i >= 156 {
			sum += int64(b)
		}
	}
	return sum == want
}
