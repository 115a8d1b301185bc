// Package journal records the changes that tools make to the records of a store. It keeps an entry of every save, answers questions from
// the entries (undo, history, earlier versions), and finds acknowledged changes that a file no longer has.
package journal

import (
	"bufio"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The entries are lines of .local/journal/NNNNNN.jsonl. All processes append to the last file, one write an entry, and never change a line.
// After 4 MiB they begin a new file; past 64 MiB they delete the oldest. Files are not synced: a power loss may cost entries. A process
// reads only what was appended, and keeps the marks of deleted files until it has twice the size of the journal.

// Folder is the folder of the journal, relative to .sdd.
const Folder = ".local/journal"

const (
	segmentSize = 4 << 20
	mostSize    = 64 << 20
)

// Journal is the journal of one store, safe for concurrent use. One that cannot be read counts as empty: only undo and old bases are lost.
type Journal struct {
	root *os.Root // .sdd
	proc string   // begins the ids of this process's entries
	roll int64    // segmentSize, except in tests

	mu      sync.Mutex
	segs    []segment
	entries []mark
	loaded  bool
	began   Ref              // entries before it are older than this process
	records map[uint64]int32 // the last entry of each record, by hash
	paths   map[uint64]int32 // and of each path
	chains  map[lineage]*chain
	notes   []*Note            // overwritten and displaced, oldest first
	noted   map[uint64][]*Note // by hash of the record

	out    *os.File // the segment that entries are appended to
	outNum int
}

// Open returns the journal of the store whose .sdd is root. The ids of the entries that this process appends begin with proc.
func Open(root *os.Root, proc string) *Journal {
	j := &Journal{root: root, proc: proc, roll: segmentSize}
	j.reset()
	return j
}

// segment is one file, with the offset up to which it has been read.
type segment struct {
	num  int
	read int64
	file *os.File // open only for the last segments
}

// openSegments is the number of segments that stay open: a slow process may still write to the last but one.
const openSegments = 2

// Ref is the place of an entry's line.
type Ref struct {
	off       int64
	size, seg int32
}

// mark is the part of an entry in memory: its place, and its subject.
type mark struct {
	Ref
	prev          int32 // the previous entry of the same record, or none
	op            byte
	own           bool // written by this process
	record, path  uint64
	folder        uint64 // of the path
	before, after uint64
}

const none = -1

var hashSeed = maphash.MakeSeed()

func hash(s string) uint64 { return maphash.String(hashSeed, s) }

var opCodes = []Op{Save, Remove, Undo, Overwritten, Displaced, Resolved}

func opCode(op Op) byte {
	if i := slices.Index(opCodes, op); i >= 0 {
		return byte(i)
	}
	return 0xff // a newer version wrote it
}

func (m mark) is(ops ...Op) bool {
	return int(m.op) < len(opCodes) && slices.Contains(ops, opCodes[m.op])
}

func (m mark) olderThan(r Ref) bool { return m.seg < r.seg || m.seg == r.seg && m.off < r.off }

// writes reports whether the entry changed a record's file.
func (m mark) writes() bool { return m.is(Save, Remove, Undo) }

// fresh locks the journal and reads the lines appended since. Without new lines it costs one or two fstat calls.
func (j *Journal) fresh() (unlock func()) {
	j.mu.Lock()
	j.refresh()
	return j.mu.Unlock
}

func (j *Journal) refresh() {
	switch {
	case len(j.segs) == 0:
		j.list()
	case !j.tail():
		j.reset()
		j.list()
	case j.outgrown():
		began := j.began // the same journal, without its oldest segments
		j.reset()
		j.began = began
		j.list()
	}
	if !j.loaded {
		j.loaded = true
		if n := len(j.segs); n > 0 {
			j.began = Ref{seg: int32(j.segs[n-1].num), off: j.segs[n-1].read}
		}
	}
}

// outgrown reports whether most of the known segments were deleted.
func (j *Journal) outgrown() bool {
	if len(j.segs) <= 2*mostSize/segmentSize {
		return false
	}
	_, err := j.root.Lstat(segmentPath(j.segs[0].num))
	return errors.Is(err, fs.ErrNotExist)
}

func (j *Journal) reset() {
	for _, s := range j.segs {
		s.file.Close() // closing nil only returns an error
	}
	j.segs, j.entries, j.notes, j.began = nil, nil, nil, Ref{}
	j.records, j.paths, j.chains = map[uint64]int32{}, map[uint64]int32{}, map[lineage]*chain{}
	j.noted = map[uint64][]*Note{}
}

// tail reads the new lines of the last segments. It returns false when these were deleted.
func (j *Journal) tail() bool {
	for i := max(0, len(j.segs)-openSegments); i < len(j.segs); i++ {
		if !j.readOn(&j.segs[i]) {
			return false
		}
	}
	if j.segs[len(j.segs)-1].read >= j.roll {
		j.list()
	}
	return true
}

// list adds new segments.
func (j *Journal) list() {
	nums, _ := j.numbers()
	for _, n := range nums {
		if len(j.segs) > 0 && n <= j.segs[len(j.segs)-1].num {
			continue
		}
		f, err := j.root.Open(segmentPath(n))
		if err != nil {
			continue
		}
		j.segs = append(j.segs, segment{num: n, file: f})
		j.readOn(&j.segs[len(j.segs)-1])
		if i := len(j.segs) - 1 - openSegments; i >= 0 {
			j.segs[i].file.Close()
			j.segs[i].file = nil
		}
	}
}

func segmentPath(n int) string { return fmt.Sprintf("%s/%06d.jsonl", Folder, n) }

// numbers lists the numbers of the existing segments, in order.
func (j *Journal) numbers() ([]int, error) {
	d, err := j.root.Open(Folder)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	var nums []int
	for _, name := range names {
		n, bad := strconv.Atoi(strings.TrimSuffix(name, ".jsonl"))
		if bad == nil && path.Base(segmentPath(n)) == name {
			nums = append(nums, n)
		}
	}
	slices.Sort(nums)
	return nums, err
}

// readOn reads the new complete lines. It returns false when the segment was deleted or truncated.
func (j *Journal) readOn(seg *segment) bool {
	fi, err := seg.file.Stat()
	if err != nil || unlinked(fi) || fi.Size() < seg.read {
		return false
	}
	left := fi.Size() - seg.read
	if left == 0 {
		return true
	}
	lines := bufio.NewReaderSize(io.NewSectionReader(seg.file, seg.read, left), int(min(left, 64<<10)))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return true
		}
		j.add(seg.num, seg.read, line[:len(line)-1])
		seg.read += int64(len(line))
	}
}

// add parses one line. It ignores a line that is no entry.
func (j *Journal) add(seg int, off int64, line []byte) {
	h, ok := parseHead(line)
	if !ok {
		return
	}
	m := mark{
		Ref: Ref{off, int32(len(line)), int32(seg)}, prev: none, op: opCode(h.op),
		own:    j.proc != "" && strings.HasPrefix(h.id, j.proc),
		record: hash(h.record), path: hash(h.path), folder: hash(path.Dir(h.path)), before: etagBits(h.before), after: etagBits(h.after),
	}
	if prev, ok := j.records[m.record]; ok {
		m.prev = prev
	}
	n := int32(len(j.entries))
	j.entries = append(j.entries, m)
	j.records[m.record] = n
	j.paths[m.path] = n
	j.noteEntry(n, line)
}

// load reads the whole entry n. ok is false when its segment was deleted.
func (j *Journal) load(n int32) (Entry, bool) { return j.read(j.entries[n].Ref) }

func (j *Journal) read(at Ref) (e Entry, ok bool) {
	if line, ok := j.line(at); ok {
		return parseEntry(line)
	}
	return e, false
}

func (j *Journal) line(m Ref) ([]byte, bool) {
	i, ok := slices.BinarySearchFunc(j.segs, int(m.seg), func(s segment, num int) int { return s.num - num })
	if !ok {
		return nil, false
	}
	f := j.segs[i].file
	if f == nil {
		var err error
		if f, err = j.root.Open(segmentPath(int(m.seg))); err != nil {
			return nil, false
		}
		defer f.Close()
	}
	line := make([]byte, m.size)
	_, err := f.ReadAt(line, m.off)
	return line, err == nil
}

// Append writes e, which has its id and time, to the end of the journal.
func (j *Journal) Append(e *Entry) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err = j.openOut(); errors.Is(err, fs.ErrNotExist) {
		if err = j.root.MkdirAll(Folder, 0o755); err == nil {
			err = j.openOut()
		}
	}
	if err != nil {
		return err
	}
	_, err = j.out.Write(line)
	return err
}

// Close closes the file of the last segment; the next Append opens it again.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closeOut()
}

func (j *Journal) closeOut() {
	j.out.Close() // closing nil only returns an error
	j.out = nil
}

// openOut opens the segment for the next entry.
func (j *Journal) openOut() error {
	if j.out != nil {
		written, err := j.out.Stat()
		there, err2 := j.root.Lstat(segmentPath(j.outNum))
		if err == nil && err2 == nil && written.Size() < j.roll && os.SameFile(written, there) {
			return nil
		}
		j.closeOut()
	}
	nums, err := j.numbers()
	if err != nil {
		return err
	}
	num := 1
	if len(nums) > 0 {
		num = nums[len(nums)-1]
	}
	for ; j.out == nil; num++ {
		f, err := j.root.OpenFile(segmentPath(num), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		fi, err := f.Stat()
		if err != nil || fi.Size() >= j.roll {
			f.Close()
		} else {
			j.out, j.outNum = f, num
		}
		if err != nil {
			return err
		}
	}
	for ; len(nums) > mostSize/segmentSize; nums = nums[1:] {
		if err := j.root.Remove(segmentPath(nums[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
