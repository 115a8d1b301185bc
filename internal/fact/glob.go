package fact

import (
	"path"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// refresh_on is one or more patterns, a comma between them, that say what a line of .gitignore says: * and ? stay within a
// name, ** is any number of folders, a pattern without a slash is a name in any folder, and a folder stands for all
// that is in it.

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
				return nil, badGlob(text)
			}
		}
		if anywhere {
			parts = append([]string{"**"}, parts...)
		}
		g = append(g, parts)
	}
	return g, nil
}

func badGlob(text string) error {
	return fault.New(fault.Invalid, "refresh_on %q is no pattern of paths", text).For("refresh_on").
		With("give paths from the project's folder, such as api/** or go.mod, a comma between several")
}

// match reports whether a file, with slashes and relative to the store's root, is meant.
func (g glob) match(file string) bool {
	parts := strings.Split(file, "/")
	return slices.ContainsFunc(g, func(p []string) bool { return matchParts(p, parts) })
}

// matchParts reports whether the pattern matches the path or a folder that holds it.
func matchParts(p, parts []string) bool {
	for len(p) > 0 && p[0] != "**" {
		if len(parts) == 0 {
			return false
		}
		if ok, _ := path.Match(p[0], parts[0]); !ok {
			return false
		}
		p, parts = p[1:], parts[1:]
	}
	if len(p) == 0 {
		return true
	}
	for p = p[1:]; ; parts = parts[1:] {
		if len(p) == 0 {
			return len(parts) > 0
		}
		if len(parts) == 0 {
			return false
		}
		if matchParts(p, parts) {
			return true
		}
	}
}

// folders are the deepest folders that hold all that the patterns can match; "." is everything.
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
