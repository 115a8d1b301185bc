package anchor

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/symbol"
)

// Tree has the files that anchors name, of a work tree or a commit. It is safe for concurrent use, and keeps files until they change.
type Tree struct {
	dir    string    // of the store; anchors count from it, else from the top of the work tree
	prefix string    // of dir from the top, "" or with a slash at the end
	repo   *git.Repo // nil without git
	root   *os.Root  // of the work tree: no link leads out of it
	rev    string    // "" for the work tree

	against  *against      // nil for the history
	Patience time.Duration // for the history that one answer needs; 0 is 100 ms

	Elsewhere func(repository string) *Tree // the work tree of another repository, nil for one that has none here; nil knows none

	mu        sync.Mutex
	files     map[string]source
	blobs     *git.Objects
	way       memory[string]   // the new paths of files that history renamed, "" for a deleted one
	causes    memory[*Since]   // by place and fingerprint
	placed    memory[placed]   // by place and fingerprint, of lines that changed
	found     memory[searched] // by place and fingerprint
	searching bool             // a search for lost places runs
	skipped   map[string]bool  // the files that a sparse checkout leaves out, by path from the top
	index     time.Time        // of git's index when they were read

	life context.Context // ends with Close
	stop func()
}

// memory has results that hold until another commit is checked out.
type memory[T any] struct {
	commit string
	all    map[string]T
}

// at returns the results for a commit.
func (m *memory[T]) at(commit string) map[string]T {
	if m.all == nil || m.commit != commit {
		m.commit, m.all = commit, map[string]T{}
	}
	return m.all
}

type source struct {
	file *symbol.File
	text []byte
	err  error
	info fs.FileInfo // nil in a commit
}

// MaxFile is the largest file that is read, in bytes; of a larger one nothing is known.
const MaxFile = 8 << 20

// New returns the work tree of the store at dir. It reads nothing.
func New(dir string) *Tree {
	t := &Tree{dir: dir, files: map[string]source{}}
	t.life, t.stop = context.WithCancel(context.Background())
	t.repo, _ = git.Open(dir)
	top := dir
	if t.repo != nil {
		top = t.repo.Top
		if rel, err := filepath.Rel(top, dir); err == nil && rel != "." {
			t.prefix = filepath.ToSlash(rel) + "/"
		}
	}
	t.root, _ = os.OpenRoot(top)
	return t
}

// At returns the tree of a commit of the same repository. The error is NotFound for an unknown commit, Unavailable without git.
func (t *Tree) At(ctx context.Context, rev string) (*Tree, error) {
	if t.repo == nil {
		return nil, fault.New(fault.Unavailable, "%s is not in a git work tree", t.dir)
	}
	id, err := t.repo.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	return &Tree{dir: t.dir, prefix: t.prefix, repo: t.repo, rev: id, files: map[string]source{}}, nil
}

// Close ends the processes and closes the folder that the tree reads.
func (t *Tree) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stop != nil {
		t.stop()
	}
	if t.blobs != nil {
		t.blobs.Close()
	}
	if t.root != nil {
		t.root.Close()
	}
}

var (
	errTooLarge = errors.New("the file is too large to be read")
	errNoFile   = errors.New("it is not a file")
	errFolder   = errors.New("it is a folder")
	errSparse   = errors.New("it is not checked out here (sparse checkout)")
)

// locate returns the path from the top at which an anchor's path is.
func (t *Tree) locate(path string) (string, source) {
	if at, s, ok := t.elsewhere(path); ok {
		return at, s
	}
	first := t.read(t.prefix + path)
	if t.prefix != "" && errors.Is(first.err, fs.ErrNotExist) {
		if s := t.read(path); s.err == nil {
			return path, s
		}
	}
	return t.prefix + path, first
}

// relative turns a path from the top into that of an anchor.
func (t *Tree) relative(path string) string { return strings.TrimPrefix(path, t.prefix) }

// young is the age below which a file may change again without another time.
const young = 50 * time.Millisecond

// read reads a file by its path from the top.
func (t *Tree) read(path string) source {
	if t.rev != "" {
		return t.readBlob(path)
	}
	if t.root == nil {
		return source{err: fs.ErrNotExist}
	}
	name := filepath.FromSlash(path)
	info, err := t.root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && t.sparse(path) {
		err = errSparse
	}
	if err != nil {
		return source{err: err}
	}
	t.mu.Lock()
	old, ok := t.files[path]
	t.mu.Unlock()
	if ok && os.SameFile(old.info, info) && old.info.Size() == info.Size() && old.info.ModTime().Equal(info.ModTime()) {
		return old
	}
	s := source{info: info}
	switch {
	case info.IsDir():
		s.err = errFolder
	case !info.Mode().IsRegular():
		s.err = errNoFile
	case info.Size() > MaxFile:
		s.err = errTooLarge
	default:
		if s.text, s.err = t.bytes(name); s.err == nil {
			s.file = symbol.Parse(path, s.text)
		}
	}
	if s.err == nil && time.Since(info.ModTime()) > young {
		t.mu.Lock()
		s.text = nil // read again for the few places whose text is shown
		t.files[path] = s
		t.mu.Unlock()
	}
	return s
}

// sparse reports whether git has a file that it does not check out here.
func (t *Tree) sparse(path string) bool {
	if t.repo == nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(t.repo.Dir, "info", "sparse-checkout")); err != nil {
		return false
	}
	index, err := os.Stat(filepath.Join(t.repo.Dir, "index"))
	if err != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.skipped == nil || !t.index.Equal(index.ModTime()) {
		out, _ := t.repo.Run(context.Background(), "ls-files", "-t", "-z")
		t.skipped, t.index = map[string]bool{}, index.ModTime()
		for f := range strings.SplitSeq(string(out), "\x00") {
			if name, ok := strings.CutPrefix(f, "S "); ok {
				t.skipped[name] = true
			}
		}
	}
	return t.skipped[path]
}

func (t *Tree) bytes(name string) ([]byte, error) {
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

func (t *Tree) readBlob(path string) source {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.files[path]; ok {
		return s
	}
	if t.repo == nil {
		return source{err: fs.ErrNotExist}
	}
	if t.blobs == nil {
		t.blobs = t.repo.Objects(context.Background())
	}
	s := source{}
	if s.text, s.err = t.blobs.Read(t.rev + ":" + path); s.err == nil {
		s.file = symbol.Parse(path, s.text)
	} else if fault.Is(s.err, fault.Invalid) {
		s.err = errFolder
	} else {
		s.err = fs.ErrNotExist
	}
	t.files[path] = s
	return s
}

// File returns a file by an anchor's path. The error is fs.ErrNotExist when there is none.
func (t *Tree) File(path string) (*symbol.File, error) {
	_, s := t.locate(path)
	return s.file, s.err
}

// Text returns the lines of a file, from 1 and both included.
func (t *Tree) Text(path string, first, last int) string {
	at, s := t.locate(path)
	text := s.text
	if text == nil && s.err == nil && t.rev == "" {
		text, _ = t.bytes(filepath.FromSlash(at))
	}
	return cut(text, first, last)
}

func cut(text []byte, first, last int) string {
	lines := strings.SplitAfter(string(text), "\n")
	first, last = max(first, 1), min(last, len(lines))
	if first > last {
		return ""
	}
	return strings.Join(lines[first-1:last], "")
}

// against is another tree of the same repository: what moved between both did so in these files.
type against struct {
	tree    *Tree
	files   []string          // that differ, in this tree
	renamed map[string]string // the path here of a file that the other tree has elsewhere; "" for one without
}

// Against makes Judge look for what moved in the files that differ from another tree instead of the history. renamed has the new path of
// each file of the other tree that is not here, "" for one without.
func (t *Tree) Against(other *Tree, files []string, renamed map[string]string) {
	t.against = &against{other, files, renamed}
}

// hadCopy reports whether the other tree has an anchor's content too at the place to which it moved.
func (a *against) hadCopy(now string, v *Verdict) bool {
	for from, to := range a.renamed {
		if to == now {
			now = from
		}
	}
	s := a.tree.read(now)
	if s.err != nil {
		return false
	}
	there := s.file.Find(v.Now.Symbol)
	return len(there) > 0 && v.matchesSymbol(s.file.Together(there))
}

// A place in another repository has its name before the path: billing:src/sign.go#Sign. It is Unknown unless Elsewhere has the place.

var errElsewhere = errors.New("it is in another repository")

// Within returns the place with the name of the repository that has it, unless it names one already.
func (a Anchor) Within(repository string) Anchor {
	if name, _ := splitRepository(a.Path); name == "" {
		a.Path = repository + ":" + a.Path
	}
	return a
}

// splitRepository splits the path of a place in another repository; name is "" for other paths.
func splitRepository(path string) (name, rest string) {
	name, rest, ok := strings.Cut(path, ":")
	if !ok || len(name) < 2 || rest == "" || strings.ContainsAny(name, `/\# `) || rest[0] == '/' || rest[0] == ':' {
		return "", path
	}
	return name, rest
}

// elsewhere is locate for a path in another repository; ok is false for other paths.
func (t *Tree) elsewhere(path string) (at string, s source, ok bool) {
	name, rest := splitRepository(path)
	if name == "" {
		return path, s, false
	}
	if t.root != nil {
		if _, err := t.root.Stat(path); err == nil {
			return path, s, false
		}
	}
	var other *Tree
	if t.Elsewhere != nil {
		other = t.Elsewhere(name)
	}
	if other == nil {
		return path, source{err: errElsewhere}, true
	}
	at, s = other.locate(rest)
	if errors.Is(s.err, fs.ErrNotExist) {
		s.err = errElsewhere
	}
	return name + ":" + other.relative(at), s, true
}
