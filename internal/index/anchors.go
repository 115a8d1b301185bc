package index

import (
	"bytes"
	"slices"

	"sdd/internal/anchor"
	"sdd/internal/markdown"
)

const maxAnchors = 64 // of one record

// anchorsOf lists the places that a record names: in its front matter, and in code spans of its text.
func anchorsOf(front map[string]any, src []byte) []anchor.Anchor {
	var spans []anchor.Span
	if mayNamePlace(src) {
		for _, s := range markdown.CodeSpans(src, frontEnd(src)) {
			spans = append(spans, anchor.Span{Text: s.Raw, Line: s.Line})
		}
	}
	if len(spans) == 0 && front[anchor.RefKey] == nil {
		return nil
	}
	all := anchor.In(front, spans)
	return all[:min(len(all), maxAnchors)]
}

// mayNamePlace reports whether a text has a code span that looks like a path. It reads less than CodeSpans.
func mayNamePlace(src []byte) bool {
	for {
		i := bytes.IndexByte(src, '`')
		if i < 0 {
			return false
		}
		src = bytes.TrimLeft(src[i:], "`")
		end := bytes.IndexAny(src, "`\n")
		if end > 0 && src[end] == '`' && bytes.ContainsAny(src[:end], "/.#") {
			return true
		}
		if end >= 0 && src[end] == '`' {
			src = src[end+1:]
		}
	}
}

// NamesCode reports whether a record names a place.
func (ix *Index) NamesCode() bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	for _, id := range ix.contents.order {
		if seg := ix.contents.segs[id].seg; len(seg.find(groupTerm+anchorGroup)) > 0 {
			return true
		}
	}
	return false
}

// Anchored returns the records that name the file at one of the paths, by path; without paths those that name any.
func (ix *Index) Anchored(paths ...string) []Entry {
	terms := []string{groupTerm + anchorGroup}
	if len(paths) > 0 {
		terms = terms[:0]
		for _, p := range paths {
			terms = append(terms, groupTerm+anchorGroup+p)
		}
	}
	return ix.grouped(terms)
}

// AnchoredAs returns the records that name a file with that last part of its path, or a symbol with that name or last
// part of its name, by path.
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
		for _, id := range ix.contents.order {
			l := ix.contents.segs[id]
			for p := l.seg.read(l.seg.find(term)); p.next(); {
				if l.dead.has(p.doc) {
					continue
				}
				e, _ := l.seg.entry(p.doc)
				list = append(list, e)
			}
		}
	}
	sortByPath(list)
	return slices.CompactFunc(list, func(a, b Entry) bool { return a.Path == b.Path })
}
