package fact

import (
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// glob is a compiled refresh_on: one or more patterns, separated by commas.
type glob []pattern.Glob

func compileGlob(text string) (glob, error) {
	var g glob
	for p := range strings.SplitSeq(text, ",") {
		one, err := pattern.ParseGlob(strings.TrimSuffix(strings.TrimSpace(p), "/"))
		if err != nil || slices.ContainsFunc(one, func(part string) bool { return part == "" || part == "." || part == ".." }) {
			return nil, fault.New(fault.Invalid, "refresh_on %q is no pattern of paths", text).For("refresh_on").
				With("give paths from the project's folder, such as api/** or go.mod, a comma between several")
		}
		g = append(g, one)
	}
	return g, nil
}

// match reports whether the glob matches a file, with slashes and relative to the store's root.
func (g glob) match(file string) bool {
	return slices.ContainsFunc(g, func(p pattern.Glob) bool { return p.Match(file) })
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
