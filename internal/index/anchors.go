package index

import (
	"path"
	"slices"

	"sdd/internal/anchor"
	"sdd/internal/markdown"
)

const maxAnchors = 64 // of one record

// anchorsOf lists the places that a record names: in its front matter, and in code spans of its text.
func anchorsOf(front map[string]any, src []byte) []anchor.Anchor {
	var spans []anchor.Span
	for _, s := range markdown.CodeSpans(src, frontEnd(src)) {
		spans = append(spans, anchor.Span{Text: s.Raw, Line: s.Line})
	}
	if len(spans) == 0 && front[anchor.RefKey] == nil {
		return nil
	}
	all := anchor.In(front, spans)
	return all[:min(len(all), maxAnchors)]
}

// NamesCode reports whether a record names a place.
func (ix *Index) NamesCode() bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for range having(ix.contents.segs, groupTerm+anchorGroup) {
		return true
	}
	return false
}

// Anchored returns the records that name a file of paths, or a folder above it in code_ref; without paths those that name any.
func (ix *Index) Anchored(paths ...string) []Entry {
	if len(paths) == 0 {
		return ix.grouped([]string{groupTerm + anchorGroup})
	}
	var terms []string
	above := map[string]bool{}
	for _, p := range paths {
		terms = append(terms, groupTerm+anchorGroup+p)
		for p = path.Dir(p); p != "." && p != "/" && !above[p]; p = path.Dir(p) {
			above[p] = true
			terms = append(terms, groupTerm+anchorGroup+p)
		}
	}
	return slices.DeleteFunc(ix.grouped(terms), func(e Entry) bool {
		return !slices.ContainsFunc(e.Anchors, func(a anchor.Anchor) bool {
			return slices.Contains(paths, a.Path) || !a.Mention && above[a.Path]
		})
	})
}

// AnchoredAs returns the records that name a file or symbol with that last part of its path or name, by path.
func (ix *Index) AnchoredAs(name string) []Entry {
	return ix.grouped([]string{groupTerm + calledGroup + name})
}

// Linking returns the records whose front matter names another one by one of the names as written, by path.
func (ix *Index) Linking(names ...string) []Entry {
	terms := make([]string, len(names))
	for i, n := range names {
		terms[i] = groupTerm + linkGroup + nameKey(n)
	}
	return ix.grouped(terms)
}

// grouped returns the records that one of the terms finds, by path.
func (ix *Index) grouped(terms []string) []Entry {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var list []Entry
	for _, term := range terms {
		for l, p := range having(ix.contents.segs, term) {
			e, _ := l.seg.entry(p.doc)
			list = append(list, e)
		}
	}
	sortByPath(list)
	return slices.CompactFunc(list, func(a, b Entry) bool { return a.Path == b.Path })
}
