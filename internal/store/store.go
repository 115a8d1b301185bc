// Package store manages the files: it finds the store, reads records, writes them so that no acknowledged change is lost to another process
// or an editor, and keeps their history (journal, trash, undo, notices, watch). It does not interpret records.
//
// The user can delete everything under .sdd/.local at any moment, also while processes run: undo and old merge bases are lost with it.
package store

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
	"sdd/internal/secrets"
)

// Folder is the name of the folder that makes a directory a store.
const Folder = ".sdd"

// Options name the store and the tool that works on it.
type Options struct {
	Dir     string // the folder that holds .sdd; "" searches from WorkDir upwards
	WorkDir string // "" is the process's working directory
	Tool    string // the tool that writes, for the journal; an Edit may name another
	Session string
	Now     func() time.Time // nil is time.Now
	As      *Store           // the store whose project and config.yaml count instead of its own, nil for none
}

// Store is one .sdd folder. It is safe for concurrent use; any number of processes may have the same store open.
type Store struct {
	dir string // holds .sdd
	sdd string
	opt Options

	// What interprets records (records.go); tests have simpler ones.
	describe func(path string, doc *record.Doc) journal.File
	merge    func(path string, base, ours, theirs []byte) ([]byte, error)
	putBack  func(path string, now []byte, lost []journal.Change) (after []byte, left []journal.Change)

	texts map[string][]byte                     // not nil in a store in memory
	keep  func(path string, plain []byte) error // how a save there is kept; nil for a store that only reads

	proc string        // identifies this Store among all that wrote to the journal
	seq  atomic.Uint64 // the last journal entry it wrote

	mu       sync.Mutex
	tree     *tree
	conf     config.Config
	confErr  error
	confStat Stat
	confRead bool
	doubted  sync.Map // paths of files whose sync failed

	project func() string // by the remote's or the folder's name, found once

	turns     [shards]chan struct{} // one for each lock file, for the goroutines of this process
	locked    atomic.Bool           // whether this process ever had a lock
	commits   commits
	feed      feed
	leftovers atomic.Bool    // a program still has a displaced file open; Recover handles it later
	work      sync.WaitGroup // pruning under way
	created   atomic.Bool    // this process has created a record
	warned    atomic.Bool    // NewlyIgnored has answered after that

	step func(point string) error // tests stop or fail a save here
}

// Open finds the store. It creates and reads nothing, and fails only for a missing folder, so that a server can start and report the rest.
func Open(o Options) (*Store, error) {
	dir, err := find(o)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{dir: dir, sdd: filepath.Join(dir, Folder), opt: o, proc: strings.ToLower(rand.Text()[:10]), merge: Merge, putBack: putBack}
	s.describe = s.describeRecord
	s.project = sync.OnceValue(func() string { return projectName(dir) })
	for i := range s.turns {
		s.turns[i] = make(chan struct{}, 1)
	}
	return s, nil
}

// Close waits for the background work of saves, and closes the journal. The store may be used again.
func (s *Store) Close() {
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree != nil {
		s.tree.journal.Close()
	}
}

// Dir returns the folder that holds .sdd, as an absolute path.
func (s *Store) Dir() string { return s.dir }

// Home returns the folder of the project that the records are about: Dir, and of a joined store that of the store whose project it has.
func (s *Store) Home() string {
	if s.opt.As != nil {
		return s.opt.As.Home()
	}
	return s.dir
}

// Exists reports whether the store has been made. A link or a file in its place counts: whoever opens it learns what is wrong.
func (s *Store) Exists() bool {
	if s.texts != nil {
		return true
	}
	_, err := os.Lstat(s.sdd)
	return err == nil
}

// Project returns the project name for callers that name none: that of config.yaml, else of the git remote, else of the folder.
func (s *Store) Project() string {
	if s.opt.As != nil {
		return s.opt.As.Project()
	}
	if c, err := s.Config(); err == nil && c.Project != "" {
		return c.Project
	}
	return s.project()
}

// Config returns config.yaml, read again when the file changed. With an error it returns the defaults.
func (s *Store) Config() (config.Config, error) {
	if s.opt.As != nil {
		return s.opt.As.Config()
	}
	now, _ := statFile(filepath.Join(s.sdd, config.Name))
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.confRead || now != s.confStat {
		s.conf, s.confErr = config.Load(s.sdd)
		if s.confErr != nil {
			s.conf = config.Default()
		}
		s.confStat, s.confRead = now, true
	}
	return s.conf, s.confErr
}

// RefuseSecrets returns an error if after has a secret that before lacks and that config.yaml does not allow.
func (s *Store) RefuseSecrets(before, after []byte) error {
	c, _ := s.Config()
	return secrets.New(before, after, secrets.Allowed(c.Sections["secrets"]))
}

// limit returns the size of the largest file that the store reads or writes, by config.yaml as it was last read.
func (s *Store) limit() int64 {
	if s.opt.As != nil {
		return s.opt.As.limit()
	}
	s.mu.Lock()
	c, known := s.conf, s.confRead
	s.mu.Unlock()
	if !known {
		c, _ = s.Config()
	}
	return int64(c.Limits.File)
}

// at is a hook for tests: a save calls it at each step.
func (s *Store) at(point string) error {
	if s.step == nil {
		return nil
	}
	return s.step(point)
}

// made is open for a caller that needs a store which has been made.
func (s *Store) made() (*tree, error) {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		err = fault.New(fault.NotFound, "there is no %s folder in %q", Folder, s.dir).
			With("save something, or run sdd init; --dir names another folder")
	}
	return t, err
}
