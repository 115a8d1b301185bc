package store

import (
	"bytes"
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

// The journal tells what tools did to the records: .local/journal/NNNNNN.jsonl, appended to by
// all processes with one write an entry, and never changed. A new file is begun after 4
// MiB, the oldest is dropped past 64 MiB. It is not synced: power loss may cost entries.
//
// Each process keeps, of every entry, where it stands and its etags (some 80 bytes), and reads
// on from where it stopped when it needs to know what is new. It forgets entries that were dropped: at twice the size of
// the journal it begins anew.

const (
	segmentSize = 4 << 20
	journalSize = 64 << 20
)

type journal struct {
	mu      sync.Mutex
	tree    *tree
	dir     *dir
	segs    []segment
	entries []mark
	loaded  bool
	reading int              // how often it was read from its start
	began   position         // entries before it are older than this process
	records map[uint64]int32 // the last entry of each record, by hash
	paths   map[uint64]int32 // and of each path
	strays  answer           // whether records stand at other paths than tools saved them
	chains  map[lineage]*chain
	notes   []*note            // overwritten and displaced, oldest first
	noted   map[uint64][]*note // by hash of the record
	last    stretch            // what was read last
	scratch []byte             // for one line
	proc    string             // begins the ids of this process's entries
	roll    int64              // segmentSize, but in tests

	out    *os.File // the segment appended to
	outNum int
}

// answer is that to a question that takes time.
type answer byte

const (
	unknown answer = iota
	yes
	no
)

// segment is one file and how far it has been read.
type segment struct {
	num  int
	read int64
	file *os.File // nil when it is none of the last
}

// position is a place in the journal.
type position struct {
	seg int
	off int64
}

// stretch is a part of a segment, of complete lines: what was appended is mostly looked at again.
type stretch struct {
	position
	lines []byte
}

// mostKept is how many bytes of the journal are kept for that.
const mostKept = 64 << 10

// openSegments stay open and are read on: a slow process may still write to the last but one.
const openSegments = 2

func (s *segment) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// mostScratch is how much memory is kept for the next line.
const mostScratch = 32 << 10

// mark is where an entry stands.
type mark struct {
	off           int64
	size          int32
	seg           int32
	prev          int32 // the entry of the same record before it, -1 when none
	op            byte
	mine          bool // written by this process
	record, path  uint64
	folder        uint64 // of the path
	before, after uint64
}

var hashSeed = maphash.MakeSeed()

func hash(s string) uint64 { return maphash.String(hashSeed, s) }

var opCodes = []Op{OpSave, OpRemove, OpUndo, OpOverwritten, OpDisplaced, OpResolved}

func opCode(op Op) byte {
	if i := slices.Index(opCodes, op); i >= 0 {
		return byte(i)
	}
	return 0xff // written by a newer version
}

func (m mark) is(ops ...Op) bool {
	return int(m.op) < len(opCodes) && slices.Contains(ops, opCodes[m.op])
}

func (m mark) olderThan(p position) bool {
	return int(m.seg) < p.seg || int(m.seg) == p.seg && m.off < p.off
}

// writes reports whether the entry changed a record's file.
func (m mark) writes() bool { return m.is(OpSave, OpRemove, OpUndo) }

// refresh reads what was appended since, with mu held. It costs one or two fstat when nothing was.
// A journal that cannot be read is an empty one: undo and old bases are missing then, no more.
func (j *journal) refresh(t *tree) {
	if j.tree != t {
		j.reset(t)
	}
	switch {
	case len(j.segs) == 0:
		j.list()
	case !j.tail():
		j.reset(t)
		j.list()
	case j.outgrown():
		began := j.began // the same journal, without its oldest segments
		j.reset(t)
		j.began = began
		j.list()
	}
	if !j.loaded {
		j.loaded = true
		if n := len(j.segs); n > 0 {
			j.began = position{j.segs[n-1].num, j.segs[n-1].read}
		}
	}
}

// outgrown reports whether most of the segments that are known were dropped.
func (j *journal) outgrown() bool {
	if len(j.segs) <= 2*journalSize/segmentSize {
		return false
	}
	_, err := j.dir.Lstat(segmentName(j.segs[0].num))
	return errors.Is(err, fs.ErrNotExist)
}

func (j *journal) reset(t *tree) {
	if j.dir != nil {
		j.dir.Close()
		j.dir = nil
	}
	for i := range j.segs {
		j.segs[i].close()
	}
	j.tree, j.segs, j.entries, j.notes, j.began, j.last = t, nil, nil, nil, position{}, stretch{}
	j.reading++
	j.records, j.paths, j.chains = map[uint64]int32{}, map[uint64]int32{}, map[lineage]*chain{}
	j.noted = map[uint64][]*note{}
}

// tail reads on in the last segments; false says that they were deleted.
func (j *journal) tail() bool {
	for i := max(0, len(j.segs)-openSegments); i < len(j.segs); i++ {
		seg := &j.segs[i]
		fi, err := seg.file.Stat()
		if err != nil || unlinked(fi) || fi.Size() < seg.read {
			return false
		}
		j.readOn(seg, fi.Size())
	}
	if j.segs[len(j.segs)-1].read >= j.roll {
		j.list()
	}
	return true
}

// list takes in the segments that are new.
func (j *journal) list() {
	if len(j.segs) == 0 {
		if j.dir != nil {
			j.dir.Close()
			j.dir = nil
		}
		d, err := j.tree.dir(journalFolder)
		if err != nil {
			return
		}
		j.dir = d
	}
	nums, _ := segmentNumbers(j.dir)
	for _, n := range nums {
		if len(j.segs) > 0 && n <= j.segs[len(j.segs)-1].num {
			continue
		}
		f, err := j.dir.Open(segmentName(n))
		if err != nil {
			continue
		}
		j.segs = append(j.segs, segment{num: n, file: f})
		if fi, err := f.Stat(); err == nil {
			j.readOn(&j.segs[len(j.segs)-1], fi.Size())
		}
		if i := len(j.segs) - 1 - openSegments; i >= 0 {
			j.segs[i].close()
		}
	}
}

func segmentName(n int) string { return fmt.Sprintf("%06d.jsonl", n) }

// readOn reads the complete lines up to size that have not been read.
func (j *journal) readOn(seg *segment, size int64) {
	if size <= seg.read {
		return
	}
	l := &j.last
	if at := (position{seg.num, seg.read}); l.end() != at || len(l.lines) > mostKept {
		l.position, l.lines = at, l.lines[:0]
	}
	buf := l.lines
	for done := len(buf); ; {
		buf = slices.Grow(buf, int(min(size-l.off-int64(len(buf)), 256<<10)))
		n, err := seg.file.ReadAt(buf[len(buf):min(int64(cap(buf)), size-l.off)], l.off+int64(len(buf)))
		buf = buf[:len(buf)+n]
		for {
			end := bytes.IndexByte(buf[done:], '\n')
			if end < 0 {
				break
			}
			j.add(seg.num, l.off+int64(done), buf[done:done+end])
			done += end + 1
		}
		seg.read = l.off + int64(done)
		if err != nil || l.off+int64(len(buf)) >= size {
			l.lines = buf[:done]
			break
		}
		if done > mostKept {
			buf = append(buf[:0], buf[done:]...)
			l.off, done = seg.read, 0
		}
	}
	if cap(l.lines) > 2*mostKept {
		*l = stretch{}
	}
}

// end is the place behind it.
func (l *stretch) end() position { return position{l.seg, l.off + int64(len(l.lines))} }

// add takes one line into memory. What is no entry is passed over.
func (j *journal) add(seg int, off int64, line []byte) {
	h, ok := parseHead(line)
	if !ok {
		return
	}
	m := mark{
		off: off, size: int32(len(line)), seg: int32(seg), prev: -1, op: opCode(h.op),
		mine:   j.proc != "" && strings.HasPrefix(h.id, j.proc),
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

// load reads the whole entry n; ok is false when its segment was dropped.
func (j *journal) load(n int32) (Entry, bool) {
	line, ok := j.line(n)
	if !ok {
		return Entry{}, false
	}
	return parseEntry(line)
}

// brief is load without the texts; see parseBrief.
func (j *journal) brief(n int32) (Entry, bool) {
	line, ok := j.line(n)
	if !ok {
		return Entry{}, false
	}
	return parseBrief(line)
}

// line reads the line of entry n. It is overwritten by the next call, and by refresh.
func (j *journal) line(n int32) ([]byte, bool) {
	m := j.entries[n]
	if from := m.off - j.last.off; int(m.seg) == j.last.seg && from >= 0 && from < int64(len(j.last.lines)) {
		return j.last.lines[from:][:m.size], true
	}
	i, ok := slices.BinarySearchFunc(j.segs, int(m.seg), func(s segment, num int) int { return s.num - num })
	if !ok {
		return nil, false
	}
	f := j.segs[i].file
	if f == nil {
		var err error
		if f, err = j.dir.Open(segmentName(int(m.seg))); err != nil {
			return nil, false
		}
		defer f.Close()
	}
	if cap(j.scratch) > mostScratch {
		j.scratch = nil
	}
	j.scratch = slices.Grow(j.scratch[:0], int(m.size))
	line := j.scratch[:m.size]
	_, err := f.ReadAt(line, m.off)
	return line, err == nil
}

// append writes e to the end of the journal.
func (s *Store) append(t *tree, p *private, e *Entry) error {
	e.ID, e.Time = s.nonce(), s.opt.Now().UTC()
	line, err := e.line()
	if err != nil {
		return err
	}
	if err = s.journal.write(p, line); errors.Is(err, fs.ErrNotExist) {
		// The folder was deleted; the save is done and shall not go without its entry.
		t.forgetPrivate()
		t.mu.Lock()
		p, err = t.openPrivate()
		t.mu.Unlock()
		if err == nil {
			err = s.journal.write(p, line)
		}
	}
	return err
}

func (j *journal) write(p *private, line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openOut(p); err != nil {
		return err
	}
	n, err := j.out.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return err
}

func (j *journal) closeOut() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.out != nil {
		j.out.Close()
		j.out = nil
	}
}

// openOut opens the segment that takes the next entry.
func (j *journal) openOut(p *private) error {
	if j.out != nil {
		mine, err := j.out.Stat()
		there, err2 := p.journal.Lstat(segmentName(j.outNum))
		if err == nil && err2 == nil && mine.Size() < j.roll && os.SameFile(mine, there) {
			return nil
		}
		j.out.Close()
		j.out = nil
	}
	nums, err := segmentNumbers(p.journal)
	if err != nil {
		return err
	}
	num := 1
	if len(nums) > 0 {
		num = nums[len(nums)-1]
	}
	for {
		f, err := p.journal.OpenFile(segmentName(num), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		fi, err := f.Stat()
		if err != nil {
			f.Close()
			return err
		}
		if fi.Size() < j.roll {
			j.out, j.outNum = f, num
			break
		}
		f.Close()
		num++
	}
	for len(nums) > journalSize/segmentSize {
		if err := p.journal.Remove(segmentName(nums[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		nums = nums[1:]
	}
	return nil
}

func segmentNumbers(d *dir) ([]int, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	var nums []int
	for _, name := range names {
		digits, ok := strings.CutSuffix(name, ".jsonl")
		if n, err := strconv.Atoi(digits); ok && err == nil && segmentName(n) == name {
			nums = append(nums, n)
		}
	}
	slices.Sort(nums)
	return nums, nil
}
