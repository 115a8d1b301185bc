// Package cache keeps files that the program can make again, up to a total size.
package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/atomicfile"
)

const prefix = "kept-"

// Folder is a folder of cached files, by keys of any form. Several processes may use it at a time; each sees a file whole or
// not at all. The zero value keeps nothing.
type Folder struct {
	Path string
	Most int64 // bytes of all files
}

func (f Folder) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(f.Path, prefix+hex.EncodeToString(sum[:16]))
}

// Open opens the file of a key.
func (f Folder) Open(key string) (*os.File, error) {
	if f.Path == "" {
		return nil, os.ErrNotExist
	}
	return os.Open(f.file(key))
}

// Put writes the file of a key. It ignores errors, since the caller can make the value again.
func (f Folder) Put(key string, parts ...[]byte) {
	if f.Path == "" || os.MkdirAll(f.Path, 0o700) != nil {
		return
	}
	if atomicfile.Replace(f.file(key), slices.Concat(parts...), atomicfile.Private) == nil {
		f.shrink()
	}
}

// Drop removes the file of a key.
func (f Folder) Drop(key string) {
	if f.Path != "" {
		os.Remove(f.file(key))
	}
}

// shrink removes the oldest files until the rest has at most Most bytes, and the temporary files of dead processes.
func (f Folder) shrink() {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return
	}
	type keptFile struct {
		path string
		size int64
		at   time.Time
	}
	var files []keptFile
	sum := int64(0)
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		k := keptFile{filepath.Join(f.Path, e.Name()), st.Size(), st.ModTime()}
		switch {
		case strings.HasPrefix(e.Name(), prefix):
			files = append(files, k)
			sum += k.size
		case strings.HasPrefix(e.Name(), atomicfile.Prefix) && time.Since(k.at) > time.Hour:
			os.Remove(k.path)
		}
	}
	slices.SortFunc(files, func(a, b keptFile) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.path, b.path)) })
	for _, k := range files {
		if sum <= f.Most {
			return
		}
		if os.Remove(k.path) == nil {
			sum -= k.size
		}
	}
}
