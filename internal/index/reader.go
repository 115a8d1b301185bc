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

// job is a file to read. stat is its Stat in a scan, if one saw it.
type job struct {
	path string
	stat store.Stat
}

func jobsOf(paths []string) []job {
	jobs := make([]job, len(paths))
	for i, p := range paths {
		jobs[i].path = p
	}
	return jobs
}

func pathsOf(jobs []job) []string {
	paths := make([]string, len(jobs))
	for i, j := range jobs {
		paths[i] = j.path
	}
	return paths
}

// read reads files and indexes those whose bytes changed. Files that it cannot read now wait for the next update.
func (ix *Index) read(ctx context.Context, jobs []job) error {
	workers := 1
	if len(jobs) > fewFiles {
		workers = maxWorkers
		defer memory.Busy() // the files that were read leave garbage, even without a request
	}
	var mu sync.Mutex // guards err
	var err error
	divide(len(jobs), workers, func(numbers iter.Seq[int]) {
		r := &reader{ix: ix, loading: !ix.loaded.Load()}
		failed := r.run(ctx, jobs, numbers)
		mu.Lock()
		defer mu.Unlock()
		err = errors.Join(err, failed)
	})
	if err != nil {
		if ix.loaded.Load() {
			ix.wait(pathsOf(jobs))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	return nil
}

// reader is one of the workers of read.
type reader struct {
	ix      *Index
	loading bool
	builder *builder
	gone    []string
	same    []job
	changes []Change
}

func (r *reader) run(ctx context.Context, jobs []job, numbers iter.Seq[int]) error {
	if len(jobs) == 1 {
		r.ix.single.Lock()
		defer r.ix.single.Unlock()
		r.builder = r.ix.small
	} else {
		r.builder = &builder{large: len(jobs) > largeBuild}
	}
	for i := range numbers {
		if ctx.Err() != nil {
			break
		}
		if err := r.one(jobs[i]); err != nil {
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

// one reads one file.
func (r *reader) one(j job) error {
	ix := r.ix
	if _, ok := record.KindOf(j.path); !ok {
		return nil
	}
	known, was := ix.known(j.path)
	started := time.Now()
	f, err := ix.st.Read(j.path)
	switch {
	case fault.Is(err, fault.NotFound), err != nil && !ix.isFile(j.path):
		if known {
			r.gone = append(r.gone, j.path)
			r.change(was, Removed)
			r.observe(j.path, nil)
		}
		return nil
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return err
	}
	stat := f.Stat
	if stat == (store.Stat{}) {
		stat = j.stat
	}
	if started.Sub(time.Unix(0, max(stat.Mtime, stat.Ctime))) < racy {
		stat.Mtime = -1 // no file has this time
	}
	var doc *document
	if err != nil {
		code := unreadableAs
		if limit := int64(ix.own.Limits.File); limit > 0 && f.Stat.Size > limit {
			code = record.TooLarge
		} else {
			ix.wait([]string{j.path}) // permissions may change without an event
		}
		doc = unreadable(j.path, stat, code, err, ix.own.Defaults)
		if known && was.Etag == "" && was.Broken == doc.Broken {
			r.same = append(r.same, job{j.path, stat})
			return nil
		}
	} else {
		if known && was.Etag == record.Etag(f.Bytes) {
			r.observeAgain(j.path, f.Bytes)
			r.same = append(r.same, job{j.path, stat})
			return nil
		}
		doc = parse(j.path, f.Bytes, stat, ix.own.Defaults)
		if ix.observed(j.path, doc.Etag) {
			r.observeAgain(j.path, f.Bytes)
		} else {
			r.observe(j.path, f.Bytes)
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

// isFile reports whether path is a file that a scan shows, readable or not: no pipe, no device, no link out of the
// store.
func (ix *Index) isFile(path string) bool {
	root, err := os.OpenRoot(filepath.Join(ix.st.Dir(), store.Folder))
	if err != nil {
		return false
	}
	defer root.Close()
	fi, err := root.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// observe reports to the store a change that another program made. Without a journal there is no earlier version to
// compare, so a first load skips the check.
func (r *reader) observe(path string, src []byte) {
	if !r.loading || r.ix.journaled {
		r.ix.st.Observe(path, src)
	}
}

func (r *reader) observeAgain(path string, src []byte) {
	if !r.loading || r.ix.journaled {
		r.ix.st.ObserveAgain(path, src)
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
	for _, j := range r.same {
		if at, ok := ix.contents.find(j.path); ok {
			if stat := &ix.contents.segs[at.seg].stats[at.doc]; *stat != j.stat {
				*stat = j.stat
				ix.dirty++
			}
		}
	}
	ix.dirty += len(r.gone)
	ix.mu.Unlock()
	changes := r.changes
	r.gone, r.same, r.changes = nil, nil, nil
	if !r.loading {
		ix.mergeDue()
	}
	ix.feed.publish(changes)
}
