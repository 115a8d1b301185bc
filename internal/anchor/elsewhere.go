package anchor

import (
	"errors"
	"io/fs"
	"strings"
)

// A place in another repository has that repository's name before its path: billing:src/sign.go#Sign. Its verdict is Unknown,
// unless Elsewhere knows the repository and its file has the place.

var errElsewhere = errors.New("it is in another repository")

// Within returns the place with the name of the repository that has it, unless it names one already.
func (a Anchor) Within(repository string) Anchor {
	if name, _ := splitRepository(a.Path); name == "" {
		a.Path = repository + ":" + a.Path
	}
	return a
}

// splitRepository splits the path of a place in another repository; name is "" for other paths.
func splitRepository(path string) (name, rest string) {
	name, rest, ok := strings.Cut(path, ":")
	if !ok || len(name) < 2 || rest == "" || strings.ContainsAny(name, `/\# `) || rest[0] == '/' || rest[0] == ':' {
		return "", path
	}
	return name, rest
}

// elsewhere is locate for a path in another repository; ok is false for other paths.
func (t *Tree) elsewhere(path string) (at string, s source, ok bool) {
	name, rest := splitRepository(path)
	if name == "" {
		return path, s, false
	}
	if t.root != nil {
		if _, err := t.root.Stat(path); err == nil {
			return path, s, false
		}
	}
	var other *Tree
	if t.Elsewhere != nil {
		other = t.Elsewhere(name)
	}
	if other == nil {
		return path, source{err: errElsewhere}, true
	}
	at, s = other.locate(rest)
	if errors.Is(s.err, fs.ErrNotExist) {
		s.err = errElsewhere
	}
	return name + ":" + other.relative(at), s, true
}
