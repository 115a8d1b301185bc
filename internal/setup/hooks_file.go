package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// hookFile is the file of a hook, which need not exist. path is where git looks for it.
type hookFile struct {
	*ownedFile
	committed bool   // it is in a work tree, not in a git folder
	foreign   string // why this program must not write it, "" when it may
}

func (s *hookSite) script(name string) *hookFile { return s.scriptIn(s.Path, name) }

// scriptIn reads the file of a hook in a folder.
func (s *hookSite) scriptIn(folder, name string) *hookFile {
	path := filepath.Join(folder, name)
	owned, err := openOwned(path, "")
	if err != nil {
		foreign, _, _ := strings.Cut(fault.Of(err).Message, ":")
		return &hookFile{ownedFile: &ownedFile{path: path, target: path}, foreign: foreign}
	}
	f := &hookFile{ownedFile: owned, committed: !below(s.roots[0], owned.target)}
	if !f.exists {
		f.mode = 0o755
	}
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

// belongs reports whether a path without links is in the repository or its work trees.
func (s *hookSite) belongs(path string) bool {
	return slices.ContainsFunc(s.roots, func(root string) bool { return below(root, path) })
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

// foldersMade returns the number of folders that a new hook needs, or that were made for an existing hook.
func (s *hookSite) foldersMade() int {
	n := foldersAbove(filepath.Join(s.Path, HookNames[0]), nil)
	for _, name := range HookNames {
		if f := s.script(name); n == 0 && f.foreign == "" {
			_, n = madeFor(f.src)
		}
	}
	return n
}

// withdraw removes the block from the file and reports whether there was one.
func (f *hookFile) withdraw() (bool, error) {
	blocks, err := hookMarks.find(f.src)
	if err != nil {
		return false, f.at(err)
	}
	if f.foreign != "" || len(blocks) == 0 {
		return false, nil
	}
	made, folders := madeFor(f.src)
	if !made || f.link {
		return true, f.write(withoutTop(f.src, blocks))
	}
	if err := f.remove(); err != nil {
		return false, err
	}
	removeEmptyFolders(f.path, folders)
	return true, nil
}

// at adds the file to a fault about its block, whose message has the line.
func (f *hookFile) at(err error) error { return fault.Of(err).At(filepath.ToSlash(f.path), 0) }

// readFile returns a file's bytes, none when it cannot be read.
func readFile(path string) []byte {
	src, _ := os.ReadFile(path)
	return src
}
