package embed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"slices"
	"time"

	"sdd/internal/store"
)

// The vectors of one model are one file, .sdd/.local/embeddings/<hash of the model>.vec. One process at a time makes vectors and
// writes the whole file. The hash of a record's file identifies the record. Without the file, or with a damaged one, the server
// must make its vectors again.
//
// The file is a header, for each row a rowHead and the vector, and the CRC-32 of all that. Numbers are little-endian.

const (
	folder   = "embeddings"
	maxBytes = 256 << 20 // of vectors, in memory and on disk
)

type header struct {
	Magic      [8]byte
	Dims, Rows uint32
}

type rowHead struct {
	Etag    uint64
	Section uint16
}

var magic = [8]byte([]byte("sddvec2\n"))

// row is the vector of one unit of a record.
type row struct {
	section uint16
	vector  []float32
}

// vectors contains the vectors of one model. Its server's mutex guards it.
type vectors struct {
	st      *store.Store
	name    string // of the file
	dims    int    // 0 while there are none
	rows    map[uint64][]row
	count   int // of rows
	unsaved bool
	read    time.Time // modification time of the last read file
}

func newVectors(st *store.Store, s Settings) vectors {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", s.Model, s.Dimensions, maxText))
	return vectors{st: st, name: hex.EncodeToString(sum[:8]) + ".vec", rows: map[uint64][]row{}}
}

func (v *vectors) full() bool { return v.count*(v.dims*4+binary.Size(rowHead{})) >= maxBytes }

// put stores the rows of a record, unless it has some, the limit is reached, or their dimensions differ from the others'.
func (v *vectors) put(etag uint64, rows []row) bool {
	dims := v.dims
	if dims == 0 && len(rows) > 0 {
		dims = len(rows[0].vector)
	}
	other := func(r row) bool { return len(r.vector) != dims }
	if len(rows) == 0 || v.rows[etag] != nil || v.full() || slices.ContainsFunc(rows, other) {
		return false
	}
	v.dims, v.rows[etag], v.count = dims, rows, v.count+len(rows)
	return true
}

// load adds the rows of the file if it has changed. It treats an unreadable file as missing.
func (v *vectors) load() {
	dir, err := v.st.Private(folder, false)
	if err != nil {
		return
	}
	defer dir.Close()
	info, err := dir.Stat(v.name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 2*maxBytes || info.ModTime().Equal(v.read) {
		return
	}
	v.read = info.ModTime()
	src, err := dir.ReadFile(v.name)
	if err != nil {
		return
	}
	for etag, rows := range decode(src) {
		v.put(etag, rows)
	}
}

// save writes the file if there are new rows, without those outside keep unless that is nil, and removes the files of other models.
func (v *vectors) save(keep map[uint64]bool) error {
	dir, err := v.st.Private(folder, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	others, _ := fs.Glob(dir.FS(), "*.vec")
	for _, name := range others {
		if name != v.name {
			dir.Remove(name)
		}
	}
	if !v.unsaved {
		return nil
	}
	if keep != nil {
		maps.DeleteFunc(v.rows, func(etag uint64, rows []row) bool {
			if !keep[etag] {
				v.count -= len(rows)
			}
			return !keep[etag]
		})
	}
	if err := store.WriteWhole(dir, v.name, v.encode(), false); err != nil {
		return err
	}
	v.unsaved = false
	if info, err := dir.Stat(v.name); err == nil {
		v.read = info.ModTime()
	}
	return nil
}

func (v *vectors) encode() []byte {
	out := make([]byte, 0, v.count*(v.dims*4+binary.Size(rowHead{}))+64)
	out, _ = binary.Append(out, binary.LittleEndian, header{magic, uint32(v.dims), uint32(v.count)})
	for _, etag := range slices.Sorted(maps.Keys(v.rows)) {
		for _, r := range v.rows[etag] {
			out, _ = binary.Append(out, binary.LittleEndian, rowHead{etag, r.section})
			out, _ = binary.Append(out, binary.LittleEndian, r.vector)
		}
	}
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

// decode returns the rows of a file by record, nil when the file is damaged.
func decode(src []byte) map[uint64][]row {
	end := len(src) - 4
	if end < 0 || crc32.ChecksumIEEE(src[:end]) != binary.LittleEndian.Uint32(src[end:]) {
		return nil
	}
	r := bytes.NewReader(src[:end])
	var h header
	if binary.Read(r, binary.LittleEndian, &h) != nil || h.Magic != magic || h.Dims > maxDimensions {
		return nil
	}
	all := map[uint64][]row{}
	for range h.Rows {
		var head rowHead
		vector := make([]float32, h.Dims)
		if binary.Read(r, binary.LittleEndian, &head) != nil || binary.Read(r, binary.LittleEndian, vector) != nil {
			return nil
		}
		all[head.Etag] = append(all[head.Etag], row{head.Section, vector})
	}
	return all
}

// dot is the scalar product of two vectors of equal length, in four independent sums, which run in parallel on the processor.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}
