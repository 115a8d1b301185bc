package grep

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// places has the paths of a query.
type places struct {
	in, out []place
}

type place struct {
	prefix string       // a file or folder; "" for a glob
	glob   pattern.Glob // nil for a prefix
}

const (
	maxPaths = 64 << 10 // bytes of all paths of a query
	maxGlob  = 1 << 10
)

// parsePaths reads the paths of a query. Absolute paths must be below the root.
func parsePaths(root string, list []string) (places, error) {
	var w places
	size := 0
	for _, given := range list {
		if size += len(given); size > maxPaths {
			return places{}, fault.New(fault.Invalid, "the paths have more than %d bytes together", maxPaths).
				For("paths").With("name folders instead of files")
		}
		p, out := strings.CutPrefix(strings.TrimSpace(given), "!")
		if p == "" {
			continue
		}
		if filepath.IsAbs(p) {
			abs, err := filepath.Abs(root)
			if err != nil {
				return places{}, err
			}
			rel, err := filepath.Rel(abs, p)
			if err != nil || !filepath.IsLocal(rel) {
				return places{}, outside(given)
			}
			p = rel
		}
		p = filepath.ToSlash(p)
		if p = path.Clean(p); p == ".." || strings.HasPrefix(p, "../") || strings.ContainsRune(p, 0) {
			return places{}, outside(given)
		}
		one := place{prefix: p}
		if strings.ContainsAny(p, "*?[") {
			if len(p) > maxGlob {
				return places{}, fault.New(fault.Invalid, "a glob has %d bytes, at most %d are allowed", len(p), maxGlob).
					For("paths").With("use *, ? and **, or name a file or folder")
			}
			glob, err := pattern.ParseGlob(p)
			if err != nil {
				return places{}, fault.New(fault.Invalid, "%q is no glob: %v", given, err).For("paths").
					With("use *, ? and **, or name a file or folder")
			}
			one = place{glob: glob}
		}
		if out {
			w.out = append(w.out, one)
		} else {
			w.in = append(w.in, one)
		}
	}
	return w, nil
}

func outside(given string) error {
	return fault.New(fault.Outside, "%q leads out of the folder that is searched", given).For("paths").
		With("name paths relative to the top of the project")
}

func (p place) holds(file string) bool {
	if p.glob == nil {
		return below(file, p.prefix)
	}
	return p.glob.Match(file)
}

func (w places) includes(file string) bool {
	holds := func(p place) bool { return p.holds(file) }
	return !slices.ContainsFunc(w.out, holds) && (len(w.in) == 0 || slices.ContainsFunc(w.in, holds))
}

// named reports whether a path of the query leads into dir or deeper, so that the caller asked for its files.
func (w places) named(dir string) bool {
	return slices.ContainsFunc(w.in, func(p place) bool { return p.glob == nil && below(p.prefix, dir) })
}

// mayContain reports whether a folder may contain files that the paths include.
func (w places) mayContain(dir string) bool {
	return len(w.in) == 0 || slices.ContainsFunc(w.in, func(p place) bool {
		return p.glob != nil || below(dir, p.prefix) || below(p.prefix, dir)
	})
}

// Filter returns a function that reports whether a file, relative to the root, is among the paths of a query.
func Filter(root string, paths []string) (func(file string) bool, error) {
	w, err := parsePaths(root, paths)
	if err != nil {
		return nil, err
	}
	return w.includes, nil
}

// below reports whether p is dir or a path in it; "" and "." contain every path.
func below(p, dir string) bool {
	return dir == "" || dir == "." || p == dir || strings.HasPrefix(p, dir) && len(p) > len(dir) && p[len(dir)] == '/'
}
