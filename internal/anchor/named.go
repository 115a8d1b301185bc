package anchor

import (
	"context"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// mostNamed is the most places that a captured text is anchored to.
const mostNamed = 3

// spelled matches a code span or a bare word.
var spelled = pattern.Late("`([^`\n]+)`|[^\\s`()\\[\\]{}<>\"'“”‘’«»,;]+")

// Named lists the places of the tree below dir that a text names, in their order: paths with or without a symbol,
// heading or lines, in code spans or as bare words. It leaves out what is not there, what several symbols have the name
// of, and files that git ignores, since other clones lack them.
func Named(dir, text string) (places Places) {
	var t *Tree
	for _, m := range spelled().FindAllStringSubmatch(text, -1) {
		word := m[1]
		if word == "" {
			word = strings.TrimRight(strings.TrimLeft(m[0], "*_"), ".:!?*_…")
		}
		if !mayBePlace(word) {
			continue
		}
		if t == nil {
			t = New(dir)
			defer t.Close()
		}
		r, err := ParseRef(word)
		if err != nil {
			continue
		}
		if _, whole, err := t.Pin(r); err == nil && !slices.Contains(places, whole.String()) && !t.ignored(whole.Path) {
			places = append(places, whole.String())
		}
		if len(places) == mostNamed {
			break
		}
	}
	return places
}

func (t *Tree) ignored(file string) bool {
	if t.repo == nil {
		return false
	}
	at, _ := t.locate(file)
	is, _ := t.repo.Ignored(context.Background(), path.Clean(at))
	return len(is) > 0
}
