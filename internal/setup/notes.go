package setup

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/store"
)

// Notes in the user's configuration folder have the earlier content of each changed file: they tell our entries from the user's.

type note struct {
	File    string   `json:"file"`           // the file itself, behind links
	Part    string   `json:"part,omitempty"` // hooksPart for a client's hooks: its file may have its servers too, with a note of their own
	Root    string   `json:"root"`           // its project, "" for a file of the user
	Users   []string `json:"users"`          // the clients that it was set up for, or instructionsName
	Path    string   `json:"path"`           // as clients read it
	Made    bool     `json:"made"`           // this program made the file
	Folders int      `json:"folders"`        // above the file that this program made, for it or for another file in them
	Kept    int      `json:"kept"`           // the number of objects above the entry that existed before
	Sum     string   `json:"sum"`            // of the earlier content with the entry, "" when the backup is gone

	Starts  [][]string `json:"starts,omitempty"`  // command lines of the entry: the last one and, for an interrupted write, the one before
	Command bool       `json:"command,omitempty"` // the file is a command's, without an entry
}

// of reports whether a client uses the file in that scope.
func (n *note) of(client string, scope Scope, root string) bool {
	return slices.Contains(n.Users, client) && (scope == UserScope && n.Root == "" || scope == ProjectScope && n.Root == root)
}

func (n *note) with(user string) *note {
	more := *n
	more.Users = slices.Clone(n.Users)
	if !slices.Contains(n.Users, user) {
		more.Users = append(more.Users, user)
	}
	return &more
}

func (n *note) started(line []string) bool {
	return slices.ContainsFunc(n.Starts, func(own []string) bool { return slices.Equal(own, line) })
}

// owns reports whether this program wrote an entry of a file with those bytes; other keys of the entry may differ.
func (n *note) owns(src []byte, entry any) bool {
	line := startOf(entry)
	if sumOf(src) == n.Sum || n.started(line) {
		return true
	}
	return len(n.Starts) == 0 && (entry == nil || serves(line)) // of an earlier version; a block has no value
}

type noteFolder struct{ dir, lockFile string }

func (s Surroundings) notes() noteFolder {
	return noteFolder{dir: filepath.Join(s.own(), "setup"), lockFile: s.inHome(".sdd-setup.lock")}
}

const noteName = "note.json"

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// folder is the folder of the note about a part of a file.
func (b noteFolder) folder(target, part string) string {
	if part != "" {
		target += "#" + part
	}
	return filepath.Join(b.dir, sumOf([]byte(target))[:12])
}

func (b noteFolder) backup(n *note) string {
	return filepath.Join(b.folder(n.File, n.Part), "before-"+strings.TrimPrefix(filepath.Base(n.File), "."))
}

func (b noteFolder) read(target, part string) *note {
	if n := noteIn(b.folder(target, part)); n != nil && n.File == target && n.Part == part {
		return n
	}
	return nil
}

func noteIn(folder string) (n *note) {
	data, err := os.ReadFile(filepath.Join(folder, noteName))
	if err != nil || json.Unmarshal(data, &n) != nil {
		return nil
	}
	return n
}

func (b noteFolder) all() []*note {
	entries, _ := os.ReadDir(b.dir) // none where it is not there
	var out []*note
	for _, e := range entries {
		n := noteIn(filepath.Join(b.dir, e.Name()))
		if n != nil && n.File != "" && filepath.Base(b.folder(n.File, n.Part)) == e.Name() {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(x, y *note) int { return cmp.Or(strings.Compare(x.File, y.File), strings.Compare(x.Part, y.Part)) })
	return out
}

// write writes a note, and the earlier content of the file unless this program made it.
func (b noteFolder) write(n *note, before []byte, mode fs.FileMode) error {
	err := os.MkdirAll(b.dir, 0o700)
	if err == nil && !n.Made {
		err = replaceFile(b.backup(n), before, mode&0o600)
	}
	if err == nil {
		err = b.keep(n)
	}
	return b.fault(err)
}

// keep writes only a note.
func (b noteFolder) keep(n *note) error {
	return replaceFile(filepath.Join(b.folder(n.File, n.Part), noteName), lines.JSON(n, "  "), 0o600)
}

// change writes an existing note again. A note without a sum loses its backup.
func (b noteFolder) change(n *note) error {
	var err error
	if n.Sum == "" {
		err = os.Remove(b.backup(n))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = b.keep(n)
	}
	return b.fault(err)
}

func (b noteFolder) fault(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unwritable, "what was there before cannot be kept: %s", plainError(err)).
		With("let sdd write to "+filepath.ToSlash(filepath.Dir(b.dir))).At(filepath.ToSlash(b.dir), 0).From(err)
}

func (b noteFolder) drop(n *note) error { return b.fault(os.RemoveAll(b.folder(n.File, n.Part))) }

// foldersMade counts the folders above a new file that are missing, or that this program made for another file.
func (b noteFolder) foldersMade(target string) int {
	made := map[string]bool{}
	for _, other := range b.all() {
		at := filepath.Dir(other.File)
		for range other.Folders {
			made[at] = true
			at = filepath.Dir(at)
		}
	}
	return foldersAbove(target, made)
}

// handOver makes the note about another part of a file the one that removes the file, which this program made.
func (b noteFolder) handOver(gone *note) {
	for _, n := range b.all() {
		if n.File == gone.File && n.Part != gone.Part {
			n.Made, n.Folders, n.Sum = true, gone.Folders, ""
			b.change(n) // if this fails, an empty file stays
			return
		}
	}
}

const (
	lockPatience = 10 * time.Second
	lockPoll     = 10 * time.Millisecond
)

// lock excludes other processes until unlock is called, or this one ends. On a file system without locks it excludes nobody.
func (b noteFolder) lock() (unlock func(), err error) {
	for start := time.Now(); time.Since(start) < lockPatience; time.Sleep(lockPoll) {
		f, err := os.OpenFile(b.lockFile, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, b.fault(err)
		}
		if !errors.Is(store.Flock(f, false), store.ErrLocked) && stillAt(f, b.lockFile) {
			return func() {
				removeEmptyFolders(filepath.Join(b.dir, noteName), math.MaxInt, filepath.Dir(b.lockFile))
				err := os.Remove(b.lockFile)
				f.Close()
				if err != nil && runtime.GOOS == "windows" { // it removes no open file
					os.Remove(b.lockFile)
				}
			}, nil
		}
		f.Close()
	}
	busy := fault.New(fault.Unavailable, "another sdd setup is at work").With("try again when it has ended")
	return nil, busy.At(filepath.ToSlash(b.lockFile), 0)
}

// stillAt reports whether path names the open file f: a lock on a removed file excludes nobody.
func stillAt(f *os.File, path string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(locked, named)
}
