package index

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/store"
)

// The cache is a state file and the segment files that it names. Segment files never change. The state file holds what
// changes: the dead records, and the Stat of each file when it was read. A record whose file has another Stat now is
// read again. The state file is replaced in one step, so a reader finds either the old or the new state. A damaged cache
// counts as a missing one: the index reads every record. Nothing is synced to disk (fsync); after a power loss the
// checksums fail.

const (
	cacheIn      = "index" // of store.Private
	stateName    = "state"
	segmentExt   = ".seg"
	tempExt      = ".tmp"
	stateMagic   = "sddidx8\n" // change the number whenever the same file would give other terms
	maxState     = 256 << 20
	maxSegments  = 256
	maxCacheFile = 8 << 30
	orphanAge    = time.Minute // a younger file may belong to a state that another process is about to write
)

var errCache = errors.New("no usable index cache")

type cache struct {
	st  *store.Store
	off atomic.Bool // a write failed, so no further write is tried
}

// cacheFile is a segment file.
type cacheFile struct {
	name string
	size uint64
	sum  uint32
}

// load returns the saved contents if they were saved under the same settings.
func (c *cache) load(own settings) (*contents, error) {
	dir, err := c.st.Private(cacheIn, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for try := 0; ; try++ {
		if fi, err := dir.Stat(stateName); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxState {
			return nil, errCache
		}
		state, err := dir.ReadFile(stateName)
		if err != nil {
			return nil, err
		}
		got, err := decodeState(state, own, func(f *cacheFile) (*segment, error) { return openCacheFile(dir, f) })
		if err == nil || try > 0 || !errors.Is(err, fs.ErrNotExist) {
			return got, err
		}
		// Another process replaced the state in between: load again.
	}
}

// saved reads or writes a segment in the state.
func (c *coder) saved(l *live) {
	sum := uint64(l.file.sum)
	c.text(&l.file.name)
	c.fixed(&l.file.size)
	c.fixed(&sum)
	l.file.sum = uint32(sum)
	codeList(c, (*[]uint64)(&l.dead), c.fixed)
	codeList(c, &l.stats, func(s *store.Stat) {
		for _, n := range [...]*int64{&s.Size, &s.Mtime, &s.Ctime} {
			v := uint64(*n)
			c.fixed(&v)
			*n = int64(v)
		}
		c.fixed(&s.Ino)
	})
}

// encodeState returns the state of those segments that have files.
func (c *contents) encodeState(own settings) []byte {
	state := coder{write: true, out: []byte(stateMagic)}
	key := own.key()
	state.text(&key)
	var saved []*live
	for _, l := range c.segs {
		if l.file != nil {
			saved = append(saved, l)
		}
	}
	codeList(&state, &saved, func(l **live) { state.saved(*l) })
	return binary.LittleEndian.AppendUint32(state.out, crc32.Checksum(state.out, castagnoli()))
}

// decodeState is the reverse of encodeState. open opens a segment and checks its sum.
func decodeState(b []byte, own settings, open func(*cacheFile) (*segment, error)) (*contents, error) {
	end := len(b) - 4
	if end < len(stateMagic) || string(b[:len(stateMagic)]) != stateMagic ||
		crc32.Checksum(b[:end], castagnoli()) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, errCache
	}
	state := coder{decoder: decoder{b: b[len(stateMagic):end]}}
	var key string
	state.text(&key)
	var saved []*live
	codeList(&state, &saved, func(l **live) {
		*l = &live{file: new(cacheFile)}
		state.saved(*l)
	})
	if state.bad || len(state.b) > 0 || key != own.key() || len(saved) > maxSegments {
		return nil, errCache
	}
	c := newContents()
	for _, l := range saved {
		seg, err := open(l.file)
		if err == nil && (seg.len() != len(l.stats) || len(l.dead) > 0 && len(l.dead) != (len(l.stats)+63)/64) {
			seg.close()
			err = errCache
		}
		if err != nil {
			c.close()
			return nil, err
		}
		l.seg = seg
		for doc := range l.stats {
			if l.dead.has(doc) {
				l.deaths++
			}
		}
		c.add(l)
	}
	return c, nil
}

// openCacheFile maps a segment file after comparing the checksum, by reading: unused pages of a mapping would stay in memory.
func openCacheFile(dir *os.Root, f *cacheFile) (*segment, error) {
	if !strings.HasSuffix(f.name, segmentExt) || path.Base(f.name) != f.name || f.size == 0 || f.size > maxCacheFile {
		return nil, errCache
	}
	file, err := dir.Open(f.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if fi, err := file.Stat(); err != nil || !fi.Mode().IsRegular() || uint64(fi.Size()) != f.size {
		return nil, errCache
	}
	sum := crc32.New(castagnoli())
	if _, err := io.CopyBuffer(sum, struct{ io.Reader }{file}, make([]byte, 256<<10)); err != nil {
		return nil, err
	}
	if sum.Sum32() != f.sum {
		return nil, errCache
	}
	return mapSegment(file, int(f.size))
}

func mapSegment(file *os.File, size int) (*segment, error) {
	data, unmap, err := mapFile(file, size)
	if err != nil {
		return nil, err
	}
	s, err := openSegment(data)
	if err != nil {
		unmap()
		return nil, err
	}
	s.unmap = unmap
	return s, nil
}

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// write merges segments into a new file.
func (c *cache) write(dir *os.Root, inputs []input) (file *cacheFile, m merged, err error) {
	name := strings.ToLower(rand.Text()[:16]) + segmentExt
	temp := name + tempExt
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, m, err
	}
	sum := &summed{w: f}
	w := bufio.NewWriterSize(sum, 256<<10)
	m, err = merge(w, inputs, func() error { return nil })
	if err = errors.Join(err, w.Flush(), f.Close()); err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		dir.Remove(temp)
	}
	return &cacheFile{name, sum.size, sum.sum}, m, err
}

// summed is a writer that counts the bytes and sums them.
type summed struct {
	w    io.Writer
	size uint64
	sum  uint32
}

func (s *summed) Write(b []byte) (int, error) {
	s.size += uint64(len(b))
	s.sum = crc32.Update(s.sum, castagnoli(), b)
	return s.w.Write(b)
}

// spill moves a segment from the heap to a file without a name. It returns the segment itself where that is not possible.
func (c *cache) spill(s *segment) *segment {
	if c.off.Load() || !canMap {
		return s
	}
	mapped, err := c.trySpill(s)
	if err != nil {
		c.off.Store(true)
		return s
	}
	return mapped
}

func (c *cache) trySpill(s *segment) (*segment, error) {
	dir, err := c.st.Private(cacheIn, true)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	temp := "aside-" + strings.ToLower(rand.Text()[:10]) + tempExt
	f, err := dir.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dir.Remove(temp) // where an open file keeps its name, a later clean removes it
	if _, err := f.Write(s.data); err != nil {
		return nil, err
	}
	return mapSegment(f, len(s.data))
}

// clean removes files that no state names: leftovers of a killed process and merged segments.
func (c *cache) clean(dir *os.Root, named map[string]bool) {
	list, _ := fs.ReadDir(dir.FS(), ".")
	for _, e := range list {
		name := e.Name()
		if named[name] || !strings.HasSuffix(name, segmentExt) && !strings.HasSuffix(name, tempExt) {
			continue
		}
		if fi, err := e.Info(); err == nil && time.Since(fi.ModTime()) > orphanAge {
			dir.Remove(name)
		}
	}
}

// save merges the segments on the heap and the files not much larger or mostly dead into a new file. The caller holds merges.
func (ix *Index) save() {
	if ix.cache.off.Load() {
		return
	}
	if err := ix.trySave(); err != nil && ix.ctx.Err() == nil {
		ix.cache.off.Store(true)
	}
}

func (ix *Index) trySave() error {
	dir, err := ix.cache.st.Private(cacheIn, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	if held, inputs := ix.hold((*contents).unsaved); len(held) > 0 {
		var seg *segment
		file, m, err := ix.cache.write(dir, inputs)
		if err == nil {
			seg, err = openCacheFile(dir, file)
		}
		ix.release(held, seg, m.numbers, file)
		if err != nil {
			return err
		}
	}
	ix.mu.Lock()
	state := ix.contents.encodeState(ix.own)
	named := map[string]bool{}
	for _, l := range ix.contents.segs {
		if l.file != nil {
			named[l.file.name] = true
		}
	}
	ix.dirty = 0
	ix.mu.Unlock()
	if err := store.WriteWhole(dir, stateName, state, false); err != nil {
		return err
	}
	ix.cache.clean(dir, named)
	return nil
}

// unsaved returns the segments that save writes into one file.
func (c *contents) unsaved() (out []*live) {
	size := 0
	for _, l := range c.segs {
		if l.file == nil {
			out = append(out, l)
			size += len(l.seg.data)
		}
	}
	for more := true; more; {
		more = false
		for _, l := range c.segs {
			if !slices.Contains(out, l) && (len(out) > 0 && len(l.seg.data) <= 2*size || l.deaths*3 > l.seg.len()) {
				out = append(out, l)
				size += len(l.seg.data)
				more = true
			}
		}
	}
	return out
}
