// Package grep finds the ranges of a source tree that answer a query. It needs only the files: no index, no
// model, and no process except one call of git for the list of files.
//
// A search has two passes. The first reads every file once, keeps a few numbers for each file with a word of the
// query, and ranks the files by them. The second reads the best files again and ranks their functions and sections.
// Only those numbers and the files being read are in memory.
//
// A search reads no source outside the root, and follows no symbolic links: it opens files relative to the root's
// descriptor.
package grep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
)

// Query is a search. Query, Pattern or both must be given.
type Query struct {
	Query   string   // words, names and paths in any mixture; nothing in it is an operator
	Pattern string   // a regular expression (RE2) matched within lines; with it only lines that match are hits
	Paths   []string // only these files, folders and globs (** crosses folders); a leading ! excludes
	Limit   int      // hits returned at most; 0 means 20
}

// Hit is a function or section of a file; a very long one is cut to the part that matches most of the query.
type Hit struct {
	Path       string    // relative to the root, with slashes
	Start, End int       // lines from 1, both included
	Sign       int       // the line that names the function or section, 0 if none does
	Text       string    // those lines, without the last one's end
	Worth      []float64 // by line from Start: an estimate of how likely the asker needs the line, below 0 for one to leave out
	Score      float64
}

// Found is the result of a search. Hits are sorted by score, then path, then line. A type may contain other hits.
type Found struct {
	Hits    []Hit
	Rest    []Hit    // without a pattern: the ranges between the hits of the first file
	Named   bool     // the query is names that the tree has as written: every hit has one
	Literal bool     // Pattern is no regular expression and was taken literally
	Unread  []string // files, and folders with a slash at the end, that the search did not finish in time
	Long    []string // files with long lines, in which Pattern was matched against overlapping parts
}

const (
	defaultLimit = 20
	maxFile      = 4 << 20 // bytes: a larger file is data
	maxLines     = 60      // of a range that a caller's place grows to
)

// Tree is a folder to search. It is safe for concurrent use.
type Tree struct {
	dir  string
	root *os.Root
	top  *os.File // the same folder, for calls relative to it
}

// Open opens the folder at root.
func Open(root string) (*Tree, error) {
	r, err := os.OpenRoot(root)
	var top *os.File
	if err == nil {
		if top, err = r.Open("."); err != nil {
			r.Close()
		}
	}
	if err != nil {
		return nil, fault.New(fault.NotFound, "%q cannot be searched: %v", root, err).With("name a folder that exists and may be read").From(err)
	}
	return &Tree{root, r, top}, nil
}

// Close closes the folder.
func (t *Tree) Close() error { return errors.Join(t.top.Close(), t.root.Close()) }

// Search finds the best ranges of the tree for q. It ends with an error when ctx is cancelled. When the deadline of ctx
// passes it returns the results so far, and Unread has the files that it did not search.
func (t *Tree) Search(ctx context.Context, q Query) (Found, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	want, err := parseQuery(q)
	if err != nil {
		return Found{}, err
	}
	where, err := parsePaths(t.dir, q.Paths)
	if err != nil {
		return Found{}, err
	}
	f := Found{Literal: want.asGiven}
	scanning, stop := firstPart(ctx)
	defer stop()
	stats, read, err := t.scan(scanning, want, where, &f)
	if err != nil {
		return Found{}, err
	}
	stats = want.withNames(stats)
	f.Named = want.names != 0
	if err := t.pick(ctx, rank(stats, read, want), want, q.Limit, &f); err != nil {
		return Found{}, err
	}
	slices.Sort(f.Unread)
	f.Unread = slices.Compact(f.Unread)
	slices.Sort(f.Long)
	return f, nil
}

// firstPart returns ctx with a deadline that leaves the second pass a quarter of the time.
func firstPart(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-time.Until(end)/4))
}

// cancelled returns the error of ctx, but nil when only its deadline has passed.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != context.DeadlineExceeded {
		return err
	}
	return nil
}

// Read returns the bytes of a regular file. Faults: Outside for a path or link out of the root, NotFound, Invalid for a too large one.
func (t *Tree) Read(name string) ([]byte, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) || strings.ContainsRune(name, 0) {
		return nil, fault.New(fault.Outside, "%q leads out of the folder", name).With("name a path relative to the top")
	}
	st, err := t.root.Stat(local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "there is no file %q", name).With("look the path up again")
	case err != nil:
		return nil, fault.New(fault.Outside, "%q cannot be read here: %v", name, err).With("name a file inside the folder")
	case !st.Mode().IsRegular():
		return nil, fault.New(fault.NotFound, "%q is no regular file", name).With("name a file")
	case st.Size() > maxFile:
		return nil, fault.New(fault.Invalid, "%q has %d bytes, at most %d are read", name, st.Size(), maxFile).With("name a source file")
	}
	src, err := t.root.ReadFile(local)
	if err != nil {
		return nil, fault.New(fault.NotFound, "%q cannot be read: %v", name, err).With("look the path up again")
	}
	return src, nil
}
