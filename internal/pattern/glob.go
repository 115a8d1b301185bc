package pattern

import (
	"path"
	"slices"
	"strings"
)

// Glob is a pattern of paths by its parts, with the meaning of .gitignore: * and ? match within a name, ** matches any number of
// folders, a pattern without a slash matches a name in any folder, and a folder matches everything in it.
type Glob []string

// ParseGlob splits a pattern. The error is path.ErrBadPattern.
func ParseGlob(p string) (Glob, error) {
	anywhere := !strings.Contains(p, "/")
	parts := strings.Split(strings.ReplaceAll(strings.Trim(p, "/"), "[!", "[^"), "/")
	for _, part := range parts {
		if _, err := path.Match(part, "x"); err != nil {
			return nil, err
		}
	}
	if anywhere {
		parts = append([]string{"**"}, parts...)
	}
	return parts, nil
}

// Match reports whether the pattern matches a path with slashes, or a folder that contains it. Its time is at most the product
// of their lengths.
func (g Glob) Match(file string) bool {
	parts := strings.Split(file, "/")
	at := make([]bool, len(parts)+1) // whether the pattern matched so far can end before that part
	at[0] = true
	for i, part := range g {
		next := make([]bool, len(parts)+1)
		for n := range at {
			switch {
			case part == "**":
				next[n] = n > 0 && (next[n-1] || at[n-1]) || at[n] && i+1 < len(g) // a final ** needs at least one part
			case n > 0 && at[n-1]:
				next[n], _ = path.Match(part, parts[n-1])
			}
		}
		at = next
	}
	return slices.Contains(at, true)
}
