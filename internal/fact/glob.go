package fact

import (
	"path"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// refresh_on is one or more patterns, separated by commas, with the meaning of .gitignore: * and ? match within a name,
// ** matches any number of folders, a pattern without a slash matches a name in any folder, and a folder matches
// everything in it.

// glob is a compiled refresh_on.
type glob [][]string // patterns by their parts

func compileGlob(text string) (glob, error) {
	var g glob
	for p := range strings.SplitSeq(text, ",") {
		p = strings.TrimSuffix(strings.TrimSpace(p), "/")
		anywhere := !strings.Contains(p, "/")
		parts := strings.Split(strings.Trim(p, "/"), "/")
		for _, part := range parts {
			if _, err := path.Match(part, "x"); err != nil || part == "" || part == "." || part == ".." {
				return nil, fault.New(fault.Invalid, "refresh_on %q is no pattern of paths", text).For("refresh_on").
					With("give paths from the project's folder, such as api/** or go.mod, a comma between several")
			}
		}
		if anywhere {
			parts = append([]string{"**"}, parts...)
		}
		g = append(g, parts)
	}
	return g, nil
}

// match reports whether the glob matches a file, with slashes and relative to the store's root.
func (g glob) match(file string) bool {
	parts := strings.Split(file, "/")
	return slices.ContainsFunc(g, func(p []string) bool { return matchParts(p, parts) })
}

// matchParts reports whether the pattern matches the path or a folder that contains it. Its time is at most the product
// of their lengths.
func matchParts(p, parts []string) bool {
	at := make([]bool, len(parts)+1) // whether the pattern matched so far can end before that part
	at[0] = true
	for i, part := range p {
		next := make([]bool, len(parts)+1)
		for n := range at {
			switch {
			case part == "**":
				next[n] = n > 0 && (next[n-1] || at[n-1]) || at[n] && i+1 < len(p) // a final ** needs at least one part
			case n > 0 && at[n-1]:
				next[n], _ = path.Match(part, parts[n-1])
			}
		}
		at = next
	}
	return slices.Contains(at, true)
}

// folders returns the deepest folders that contain all possible matches; "." is everything.
func (g glob) folders() []string {
	var out []string
	for _, p := range g {
		n := 0
		for n < len(p) && !strings.ContainsAny(p[n], `*?[\`) {
			n++
		}
		if n == 0 {
			return []string{"."}
		}
		out = append(out, strings.Join(p[:n], "/"))
	}
	return out
}
