// Package atomicfile replaces files in one step.
package atomicfile

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// Prefix begins the names of temporary files. A process that is killed can leave one in the folder of its file.
	Prefix = ".sdd-"
	// Private is the mode of a file for its owner alone.
	Private fs.FileMode = 0o600
)

// Replace writes text to the file path with that mode: a reader finds the old file or the whole new one, and after an error the old one
// stays. It replaces a symbolic link, not the link's target, and does not sync.
func Replace(path string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), Prefix+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if mode != Private { // the mode of a new temporary file; not every file system has modes
		err = cmp.Or(err, f.Chmod(mode))
	}
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
