package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"sdd/internal/store"
)

// Vectors are kept in .sdd/.local/embeddings, in files that are written once and never changed: <model>-<content>.vec. So any
// number of processes may add some at once, and a file that is gone or damaged costs the work of making its vectors again,
// nothing else. A record is known by the hash of its file. When there are many files, one takes the place of all; of another
// model none are left.
//
// A file is: magic, dimensions (uint32), rows (uint32); of each row the hash of the record's file (uint64), how many units it
// has (uint16), the section (uint16), and the vector; at the end the CRC-32 of it all. Numbers are little-endian.

const (
	folder   = "embeddings"
	magic    = "sddvec1\n"
	head     = len(magic) + 8
	rowHead  = 12
	maxBytes = 256 << 20 // of vectors, in memory and on disk
	maxFiles = 16
)

// row is a vector and what it stands for.
type row struct {
	of      uint16 // units of the record
	section uint16
	vector  []float32
}

// shelf holds the vectors of one model.
type shelf struct {
	st    *store.Store
	model string // hash of what the vectors depend on

	mu    sync.RWMutex
	dims  int
	rows  map[uint64][]row
	count int
	read  map[string]bool // files
	fresh []uint64        // records whose vectors are in no file yet
	grown int             // counts changes
}

func newShelf(st *store.Store, s Settings) *shelf {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", s.Model, s.Dimensions, maxText))
	return &shelf{st: st, model: hex.EncodeToString(sum[:8]), rows: map[uint64][]row{}, read: map[string]bool{}}
}

// full reports whether there is no room for more.
func (s *shelf) full() bool { return s.count*(s.dims*4+rowHead) >= maxBytes }

// complete returns the rows of a record, nil while some are missing.
func (s *shelf) complete(etag uint64) []row {
	rows := s.rows[etag]
	if len(rows) == 0 || len(rows) < int(rows[0].of) {
		return nil
	}
	return rows
}

// add takes in the vectors of one record.
func (s *shelf) add(etag uint64, rows []row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.put(etag, rows) {
		s.fresh = append(s.fresh, etag)
	}
}

func (s *shelf) put(etag uint64, rows []row) bool {
	if len(rows) == 0 || s.rows[etag] != nil || s.full() {
		return false
	}
	for _, r := range rows {
		if s.dims == 0 {
			s.dims = len(r.vector)
		}
		if len(r.vector) != s.dims {
			return false
		}
	}
	s.rows[etag] = rows
	s.count += len(rows)
	s.grown++
	return true
}

// load takes in the files that were not read yet. What cannot be read is passed over.
func (s *shelf) load() {
	dir, err := s.st.Private(folder, false)
	if err != nil {
		return
	}
	defer dir.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range s.files(dir) {
		if s.read[name] {
			continue
		}
		s.read[name] = true
		if st, err := dir.Stat(name); err != nil || !st.Mode().IsRegular() || st.Size() > 2*maxBytes {
			continue
		}
		if src, err := dir.ReadFile(name); err == nil {
			s.take(src)
		}
	}
}

// files are those of the model, by name.
func (s *shelf) files(dir *os.Root) (names []string) {
	for _, name := range list(dir) {
		if strings.HasPrefix(name, s.model+"-") {
			names = append(names, name)
		}
	}
	return names
}

// list returns the names of all files of vectors, sorted.
func list(dir *os.Root) (names []string) {
	f, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(-1)
	for _, name := range all {
		if strings.HasSuffix(name, ".vec") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// take reads a file.
func (s *shelf) take(src []byte) {
	if len(src) < head+4 || string(src[:len(magic)]) != magic {
		return
	}
	body := src[:len(src)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(src[len(body):]) {
		return
	}
	dims, rows := int(binary.LittleEndian.Uint32(src[len(magic):])), int(binary.LittleEndian.Uint32(src[len(magic)+4:]))
	width := rowHead + 4*dims
	if dims < 1 || dims > maxDimensions || len(body)-head != rows*width {
		return
	}
	slab := make([]float32, rows*dims)
	var etag uint64
	var one []row
	for n := range rows {
		at := body[head+n*width:]
		if now := binary.LittleEndian.Uint64(at); n == 0 || now != etag {
			s.put(etag, one)
			etag, one = now, nil
		}
		v := slab[n*dims : (n+1)*dims : (n+1)*dims]
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(at[rowHead+4*i:]))
		}
		one = append(one, row{binary.LittleEndian.Uint16(at[8:]), binary.LittleEndian.Uint16(at[10:]), v})
	}
	s.put(etag, one)
}

// save writes what is in no file yet; live are the records that there are, the only ones that are kept when files are put
// together.
func (s *shelf) save(live map[uint64]bool) error {
	dir, err := s.st.Private(folder, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fresh) > 0 {
		if err := s.write(dir, s.fresh); err != nil {
			return err
		}
		s.fresh = nil
	}
	for _, name := range list(dir) {
		if !strings.HasPrefix(name, s.model+"-") {
			dir.Remove(name) // of another model
		}
	}
	old := s.files(dir)
	if len(old) <= maxFiles || slices.ContainsFunc(old, func(name string) bool { return !s.read[name] }) {
		return nil
	}
	for etag, rows := range s.rows {
		if !live[etag] {
			delete(s.rows, etag)
			s.count -= len(rows)
		}
	}
	s.grown++
	all := make([]uint64, 0, len(s.rows))
	for etag := range s.rows {
		all = append(all, etag)
	}
	if err := s.write(dir, all); err != nil {
		return err
	}
	whole := s.name(all)
	for _, name := range old {
		if name != whole {
			dir.Remove(name)
			delete(s.read, name)
		}
	}
	return nil
}

// name is that of the file with just these records.
func (s *shelf) name(etags []uint64) string {
	slices.Sort(etags)
	h := sha256.New()
	var b [8]byte
	for _, e := range etags {
		binary.LittleEndian.PutUint64(b[:], e)
		h.Write(b[:])
	}
	return s.model + "-" + hex.EncodeToString(h.Sum(nil)[:8]) + ".vec"
}

// write makes the file of these records.
func (s *shelf) write(dir *os.Root, etags []uint64) error {
	name := s.name(etags)
	rows := 0
	for _, e := range etags {
		rows += len(s.rows[e])
	}
	out := make([]byte, 0, head+rows*(rowHead+4*s.dims)+4)
	out = append(out, magic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(s.dims))
	out = binary.LittleEndian.AppendUint32(out, uint32(rows))
	for _, e := range etags {
		for _, r := range s.rows[e] {
			out = binary.LittleEndian.AppendUint64(out, e)
			out = binary.LittleEndian.AppendUint16(out, r.of)
			out = binary.LittleEndian.AppendUint16(out, r.section)
			for _, x := range r.vector {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
			}
		}
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	s.read[name] = true
	return store.WriteWhole(dir, name, out, false)
}
