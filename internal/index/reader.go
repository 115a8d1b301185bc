package index

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/record"
	"sdd/internal/store"
)

const (
	racy         = 20 * time.Millisecond // a file changed this shortly before it was read is read again
	fewFiles     = 16                    // up to this many files are read one after the other
	maxWorkers   = 4
	spillFrom    = 2 << 20 // bytes of segments on the heap above which a load spills them
	unreadableAs = "unreadable"
)

// read reads files and indexes those whose bytes changed. Files that it cannot read now wait for the next update.
func (ix *Index) read(ctx context.Context, paths []string) error {
	workers := 1
	if len(paths) > fewFiles {
		workers = maxWorkers
		defer memory.Busy() // the files that were read leave garbage, even without a request
	}
	var mu sync.Mutex // guards err
	var err error
	divide(len(paths), workers, func(numbers iter.Seq[int]) {
		r := &reader{ix: ix, loading: !ix.loaded.Load(), same: map[string]store.Stat{}}
		failed := r.run(ctx, paths, numbers)
		mu.Lock()
		defer mu.Unlock()
		err = errors.Join(err, failed)
	})
	if err != nil {
		if ix.loaded.Load() {
			ix.wait(paths)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	return nil
}

type reader struct {
	ix      *Index
	loading bool
	builder *builder
	gone    []string
	same    map[string]store.Stat // of files with the same bytes
	changes []Change
}

func (r *reader) run(ctx context.Context, paths []string, numbers iter.Seq[int]) error {
	r.builder = new(builder)
	for i := range numbers {
		if ctx.Err() != nil {
			break
		}
		if err := r.one(paths[i]); err != nil {
			r.flush()
			return err
		}
		if r.builder.full() {
			r.flush()
		}
	}
	r.flush()
	return ctx.Err()
}

func (r *reader) one(path string) error {
	ix := r.ix
	if _, ok := record.KindOf(path); !ok {
		return nil
	}
	known, was := ix.known(path)
	started := time.Now()
	f, err := ix.st.Read(path)
	switch {
	case fault.Is(err, fault.NotFound), err != nil && !ix.isFile(path):
		if known {
			r.gone = append(r.gone, path)
			r.change(was, Removed)
			if !ix.observed(path, "") {
				r.observe(func() { ix.st.Observe(path, was.ID, nil) })
			}
		}
		return nil
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return err
	}
	stat := f.Stat
	if started.Sub(time.Unix(0, max(stat.Mtime, stat.Ctime))) < racy {
		stat.Mtime = -1 // no file has this time
	}
	var doc *document
	if err != nil {
		code := unreadableAs
		if limit := int64(ix.own.Limits.File); limit > 0 && f.Stat.Size > limit {
			code = record.TooLarge
		} else {
			ix.wait([]string{path}) // permissions may change without an event
		}
		doc = unreadable(path, stat, code, err, ix.own.Defaults)
		if known && was.Etag == "" && was.Broken == doc.Broken {
			r.same[path] = stat
			return nil
		}
	} else {
		if known && was.Etag == record.Etag(f.Bytes) {
			r.observe(func() { ix.st.ObserveAgain(path, f.Bytes) })
			r.same[path] = stat
			return nil
		}
		doc = parse(path, f.Bytes, stat, ix.own.Defaults)
		if ix.observed(path, doc.Etag) {
			r.observe(func() { ix.st.ObserveAgain(path, f.Bytes) })
		} else {
			r.observe(func() { ix.st.Observe(path, doc.ID, f.Bytes) })
		}
	}
	r.builder.add(doc)
	what := Added
	if known {
		what = Changed
	}
	r.change(doc.Entry, what)
	return nil
}

// isFile reports whether path is a file that a scan shows, readable or not: no pipe, no device, no link out of the store.
func (ix *Index) isFile(path string) bool {
	root, err := os.OpenRoot(filepath.Join(ix.st.Dir(), store.Folder))
	if err != nil {
		return false
	}
	defer root.Close()
	fi, err := root.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// observe reports to the store a change that another program made; on a first load only with a journal, which has earlier versions.
func (r *reader) observe(tell func()) {
	if !r.loading || r.ix.journaled {
		tell()
	}
}

func (r *reader) change(e Entry, what What) {
	if !r.loading {
		r.changes = append(r.changes, Change{e.Path, e.ID, e.Kind, what})
	}
}

// flush adds the collected documents to the index.
func (r *reader) flush() {
	ix := r.ix
	var l *live
	if r.builder.len() > 0 {
		stats := r.builder.stats
		l = &live{seg: r.builder.finish(), stats: stats}
		if r.loading && ix.heap.Add(int64(len(l.seg.data))) > spillFrom {
			l.seg = ix.cache.spill(l.seg)
		}
	}
	ix.mu.Lock()
	for _, path := range r.gone {
		ix.contents.remove(path)
	}
	if l != nil {
		ix.contents.add(l)
		ix.dirty += l.seg.len()
		l.seg.release()
	}
	for path, now := range r.same {
		if at, ok := ix.contents.find(path); ok {
			if stat := &at.stats[at.doc]; *stat != now {
				*stat = now
				ix.dirty++
			}
		}
	}
	ix.dirty += len(r.gone)
	ix.mu.Unlock()
	changes := r.changes
	r.gone, r.changes = nil, nil
	clear(r.same)
	if !r.loading {
		ix.mergeDue()
	}
	ix.feed.publish(changes)
}
