package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"sdd/internal/record"
	"sdd/internal/store"
)

// Ref names a record: ID is an id, topic key, title, slug or file; the other fields narrow it.
type Ref struct {
	ID      string
	Kind    record.Kind
	Project string
	Scope   string
}

// Lookup returns the records with the strongest match, newest first: id, file, topic key, slug, title, file name, start of an id.
func (ix *Index) Lookup(ref Ref) []Entry {
	if ix.ready(ix.ctx) != nil {
		return nil
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := ix.contents
	wanted := c.newFilter(&Query{Types: typesOf(ref.Kind), Project: ref.Project, Scope: ref.Scope})
	best := nameKind(math.MaxUint16)
	var found []place
	c.named(ref.ID, func(l *live, doc int, by nameKind) {
		by &= -by // the strongest kind
		if by > best || !wanted.wants(l, doc) {
			return
		}
		if by < best {
			best, found = by, found[:0]
		}
		if at := (place{l, int32(doc)}); !slices.Contains(found, at) {
			found = append(found, at)
		}
	})
	var list []Entry
	for _, at := range found {
		e, _ := at.seg.entry(int(at.doc))
		list = append(list, e)
	}
	sortNewest(list)
	return list
}

func typesOf(k record.Kind) []record.Type {
	if k == "" {
		return nil
	}
	return []record.Type{{Kind: k}}
}

// named calls f for each record that ref names, with the kinds of match. A record may come more than once.
func (c *contents) named(ref string, f func(l *live, doc int, by nameKind)) {
	const exact = byID | byTopicKey | bySlug | byFileName
	if ref = strings.TrimSpace(ref); ref == "" {
		return
	}
	ref = ref[:min(len(ref), 4*maxName)]
	path := strings.TrimPrefix(strings.TrimPrefix(ref, "./"), store.Folder+"/")
	for _, p := range []string{path, path + ".md"} {
		if at, ok := c.find(p); ok {
			f(at.live, int(at.doc), byPath)
		}
	}
	key := nameKey(path)
	c.keyed(key, exact, f)
	c.keyed(nameKey(record.Slug(ref)), bySlug|byTitle, f)
	if record.IsShortID(key) {
		c.begin(key, func(l *live, doc int, _ []byte) { f(l, doc, byShortID) })
	}
	folder, rest := "", key
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		folder, rest = key[:i+1], key[i+1:]
	}
	if folder == "" || rest == "" {
		return
	}
	for _, slug := range []string{rest, nameKey(record.Slug(rest))} {
		c.keyed(folder+slug, byID|byTopicKey, f)
	}
}

// keyed calls f for each record with a name of that key and a wanted kind.
func (c *contents) keyed(key string, wanted nameKind, f func(l *live, doc int, by nameKind)) {
	for l, p := range having(c.segs, nameTerm+key) {
		if by := nameKind(p.w) & wanted; by != 0 {
			f(l, p.doc, by)
		}
	}
}

// begin calls f for each record whose id begins with key, with the term of the id.
func (c *contents) begin(key string, f func(l *live, doc int, id []byte)) {
	for _, l := range c.segs {
		for at := l.seg.seek(nameTerm + key); at.next() && strings.HasPrefix(string(at.term), nameTerm+key); {
			for p := l.seg.read(at.postings); p.next(); {
				if nameKind(p.w)&byID != 0 && !l.dead.has(p.doc) {
					f(l, p.doc, at.term)
				}
			}
		}
	}
}

// Namesakes returns the records whose id other records have too, by path.
func (ix *Index) Namesakes() (list []Entry) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	docs := map[string]int{}
	ix.contents.begin("", func(_ *live, _ int, id []byte) { docs[string(id)]++ })
	ix.contents.begin("", func(l *live, doc int, id []byte) {
		if docs[string(id)] > 1 {
			e, _ := l.seg.entry(doc)
			list = append(list, e)
		}
	})
	sortByPath(list)
	return list
}

func sortNewest(list []Entry) {
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(dateMillis(b.Created), dateMillis(a.Created)), strings.Compare(a.ID, b.ID), strings.Compare(a.Path, b.Path))
	})
}

func sortByPath(list []Entry) {
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
}
