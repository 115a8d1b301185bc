package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
)

// hookFile is the file of a hook, which need not exist.
type hookFile struct {
	path      string // where git looks for it
	target    string // the file itself: behind links
	link      bool
	exists    bool
	committed bool // it lies in a work tree, not in a git folder
	src       []byte
	mode      fs.FileMode
	foreign   string // why it is not to be written, "" when it may be
}

func (s *hookSite) script(name string) *hookFile { return s.scriptIn(s.Path, name) }

// scriptIn reads the file of a hook in a folder.
func (s *hookSite) scriptIn(folder, name string) *hookFile {
	f := &hookFile{path: filepath.Join(folder, name)}
	f.target = f.path
	info, err := os.Lstat(f.path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		f.link = true
		info, err = os.Stat(f.path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.link:
		f.foreign = "it is a link that leads nowhere"
		return f
	case errors.Is(err, fs.ErrNotExist):
		f.target = filepath.Join(realFolder(folder), name)
	case err != nil:
		f.foreign = "it cannot be read"
		return f
	case !info.Mode().IsRegular():
		f.foreign = "it is no regular file"
		return f
	default:
		f.exists, f.mode = true, info.Mode().Perm()
		if f.target, err = filepath.EvalSymlinks(f.path); err == nil {
			f.src, err = os.ReadFile(f.target)
		}
		if err != nil {
			f.foreign = "it cannot be read"
			return f
		}
	}
	f.committed = !below(s.roots[0], f.target)
	base := filepath.Base(f.target)
	switch {
	case !s.belongs(f.target):
		f.foreign = "it lies outside of the repository, for others too"
	case f.link && strings.TrimSuffix(base, filepath.Ext(base)) != name:
		f.foreign = "it is a link to " + s.shown(f.target) + ", which may be the file of other hooks too"
	case f.exists:
		if by, shell := interpreter(f.src); !shell {
			f.foreign = "it is not a script of the shell, but of " + by
		}
	}
	return f
}

// belongs reports whether a path without links lies in the repository or its work trees.
func (s *hookSite) belongs(path string) bool {
	for _, root := range s.roots {
		if below(root, path) {
			return true
		}
	}
	return false
}

func below(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// realFolder returns a path without links, as far as it exists.
func realFolder(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(realFolder(parent), filepath.Base(path))
	}
	return path
}

// foldersMade returns how many folders a new hook needs, or a hook that is there needed.
func (s *hookSite) foldersMade() int {
	n := 0
	for at := s.Path; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		n++
	}
	for _, name := range HookNames {
		if f := s.script(name); n == 0 && f.foreign == "" {
			_, n = madeFor(f.src)
		}
	}
	return n
}

// withdraw takes the block out of the file and reports whether there was one.
func (f *hookFile) withdraw() (bool, error) {
	blocks, err := findHookBlocks(f.src)
	if err != nil {
		return false, f.fault(err)
	}
	if f.foreign != "" || len(blocks) == 0 {
		return false, nil
	}
	made, folders := madeFor(f.src)
	if !made || f.link {
		rest, err := withoutHookBlocks(f.src)
		if err != nil {
			return false, f.fault(err)
		}
		return true, f.replace(rest)
	}
	if err := os.Remove(f.path); err != nil {
		return false, f.fault(err)
	}
	for at := filepath.Dir(f.path); folders > 0; folders-- {
		if os.Remove(at) != nil { // it holds something else
			break
		}
		at = filepath.Dir(at)
	}
	return true, nil
}

// replace puts data in place of the file in one step. Its mode stays; a new one can be run by everybody.
func (f *hookFile) replace(data []byte) error {
	mode := f.mode
	if !f.exists {
		mode = 0o755
	}
	if err := replaceFile(f.target, data, mode); err != nil {
		return f.fault(err)
	}
	return nil
}

// fault says which file an error is about.
func (f *hookFile) fault(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known.At(filepath.ToSlash(f.path), 0)
	}
	out := fault.New(fault.Unwritable, "the hook cannot be written: %v", err).With("make the file and its folder writable").At(filepath.ToSlash(f.path), 0)
	out.Cause = err
	return out
}

// readFile returns a file's bytes, none where it cannot be read.
func readFile(path string) []byte {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return src
}
