package check

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/store"
)

// selection returns a filter for the files that the report covers, nil for all files.
func (c *checker) selection(o Options) (func(path string) bool, error) {
	if len(o.Paths) == 0 {
		return nil, nil
	}
	work := o.WorkDir
	if work == "" {
		var err error
		if work, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	sdd := filepath.Join(c.root, store.Folder)
	var prefixes []string
	for _, p := range o.Paths {
		rel, err := c.locate(p, work, sdd)
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, rel)
	}
	return func(path string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool {
			return prefix == "." || path == prefix || strings.HasPrefix(path, prefix+"/")
		})
	}, nil
}

// locate returns a path of the caller relative to .sdd; "" when it is outside. It may be relative to the working directory, to the
// store's root, or to .sdd.
func (c *checker) locate(p, work, sdd string) (string, error) {
	tries := []string{p}
	if !filepath.IsAbs(p) {
		tries = []string{filepath.Join(work, p), filepath.Join(c.root, p), filepath.Join(sdd, p)}
	}
	for _, abs := range tries {
		if _, err := os.Lstat(abs); err != nil {
			if !errors.Is(err, os.ErrNotExist) {
				return "", fault.New(fault.Invalid, "%q cannot be looked at", p).For("PATH").With("name a file or folder under " + store.Folder)
			}
			continue
		}
		return below(abs, sdd), nil
	}
	return "", fault.New(fault.NotFound, "there is no file or folder %q", p).For("PATH").
		With("name files and folders relative to this folder, or to " + store.Folder)
}

// below returns the part of the store that a path covers, relative to .sdd.
func below(abs, sdd string) string {
	for _, pair := range [][2]string{{sdd, abs}, {realPath(sdd), realPath(abs)}} {
		if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		if rel, err := filepath.Rel(pair[1], pair[0]); err == nil && filepath.IsLocal(rel) {
			return "." // a folder that holds the store
		}
	}
	return ""
}

// realPath resolves the links in a path; a path that does not exist stays as it is.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
