package grep

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// places has the paths of a query.
type places struct {
	in, out []place
}

// place is a file, a folder or a glob.
type place struct {
	prefix string         // a file or folder; "" for a glob
	glob   *regexp.Regexp // nil for a prefix
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
			if !strings.Contains(p, "/") {
				p = "**/" + p
			}
			if len(p) > maxGlob {
				return places{}, fault.New(fault.Invalid, "a glob has %d bytes, at most %d are allowed", len(p), maxGlob).
					For("paths").With("use *, ? and **, or name a file or folder")
			}
			glob, err := compileGlob(p)
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
	return p.glob.MatchString(file) || slices.ContainsFunc(parents(file), p.glob.MatchString)
}

// includes reports whether the paths include the file.
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

// compileGlob converts a glob to an expression for whole paths: * and ? stay within a folder, ** as a whole
// element crosses folders, \ makes the next character literal.
func compileGlob(glob string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(`\A`)
	for i := 0; i < len(glob); {
		rest := glob[i:]
		atStart := i == 0 || glob[i-1] == '/'
		switch {
		case atStart && strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:[^/]+/)*`)
			i += 3
		case atStart && rest == "**":
			b.WriteString(`.+`)
			i += 2
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
			i++
			for i < len(glob) && glob[i] == '*' {
				i++
			}
		case rest[0] == '?':
			b.WriteString(`[^/]`)
			i++
		case rest[0] == '[':
			class, n := globClass(rest)
			b.WriteString(class)
			i += n
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	b.WriteString(`\z`)
	return regexp.Compile(`(?s)` + b.String())
}

// globClass reads a bracket expression; an unclosed bracket is a literal character.
func globClass(s string) (class string, n int) {
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for i < len(s) && s[i] != ']' {
		if s[i] == '[' && strings.HasPrefix(s[i:], "[:") {
			if end := strings.Index(s[i:], ":]"); end > 0 {
				i += end + 2
				continue
			}
		}
		if s[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(s) {
		return `\[`, 1
	}
	body := s[1:i]
	not := ""
	if body[0] == '!' || body[0] == '^' {
		not, body = "^/", body[1:]
	}
	body = strings.NewReplacer(`&`, `\&`, `~`, `\~`).Replace(body)
	if strings.HasPrefix(body, "]") {
		body = `\]` + body[1:]
	}
	return "[" + not + body + "]", i + 1
}

// below reports whether p is dir or a path in it; "" and "." contain every path.
func below(p, dir string) bool {
	return dir == "" || dir == "." || p == dir || strings.HasPrefix(p, dir) && len(p) > len(dir) && p[len(dir)] == '/'
}

// parents returns the folders above p, the outermost first, without the top.
func parents(p string) []string {
	var out []string
	for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
		out = append([]string{d}, out...)
	}
	return out
}
