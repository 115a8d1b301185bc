package store

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/sealed"
)

// recordFolders are where records live, relative to .sdd, in the order they are scanned.
var recordFolders = []string{
	"explore", "ideas", "facts", "decisions", "inbox",
	"personal/explore", "personal/facts", "personal/decisions",
}

// check refuses what is not the path of a visible file inside the store. Paths have slashes.
func check(p string) error {
	bad := fault.New(fault.Outside, "the path %q leads out of the store", p).
		With("paths are relative to " + Folder + ", like explore/topic.md")
	if p == "" || strings.ContainsRune(p, 0) || !filepath.IsLocal(filepath.FromSlash(p)) || path.Clean(p) != p {
		return bad
	}
	if strings.HasPrefix(p, sealed.Folder+"/") {
		return fault.New(fault.Outside, "a private record is never in a plain file").With("save it with sdd explore or the tool sdd_explore")
	}
	for part := range strings.SplitSeq(p, "/") {
		if hidden(part) {
			return fault.New(fault.Outside, "the path %q names a hidden file", p).With(bad.Hint)
		}
	}
	return nil
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// isRecord reports whether a name in a record folder is that of a record.
func isRecord(name string) bool { return strings.HasSuffix(name, ".md") && !hidden(name) }

// shown is a path in the store as messages have it: relative to the project's root.
func shown(p string) string { return Folder + "/" + p }

// follow returns the target of a symbolic link, for a save to replace, and refuses one that leads out of the store.
func (t *tree) follow(p string) (string, error) {
	for range 16 {
		if err := check(p); err != nil {
			return "", err
		}
		fi, err := t.root.Lstat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode()&fs.ModeSymlink == 0:
			return p, nil
		case escapes(err):
			return "", outside(p, err)
		case err != nil:
			return "", unreadable(p, err)
		}
		target, err := t.root.Readlink(p)
		if err != nil {
			return "", unreadable(p, err)
		}
		target = filepath.ToSlash(target)
		next := path.Join(path.Dir(p), target)
		if path.IsAbs(target) || filepath.IsAbs(target) || check(next) != nil {
			return "", outside(p, nil)
		}
		p = next
	}
	return "", outside(p, errors.New("too many symbolic links"))
}
