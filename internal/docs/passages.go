package docs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"sdd/internal/docs/inventory"
	"sdd/internal/docs/page"
	"sdd/internal/docs/prose"
	"sdd/internal/fault"
)

// When no name matches a question, passages answer it. Their index is built at the first question, and cached on disk.

const (
	maxProsePages = 12_000    // of a tree; the index has those nearest to its top
	maxProseBytes = 400 << 20 // of all of them
	maxProsePage  = 4 << 20   // larger ones are complete listings
	batchBytes    = 2 << 20   // of pages parsed at the same time
	maxIndexFile  = 256 << 20
	listedFor     = 10 * time.Second // a list of pages is valid for this time
	perPage       = 2                // passages of a page in an answer

	goodName    = 76 // a name with this score answers the query
	goodShort   = 60 // the same, for a query of two words
	minQuestion = 3  // words that are not stop words; a shorter query means a name
)

type keptPassages struct {
	stamp  string
	index  *prose.Index
	listed time.Time
}

// asksInWords reports whether the query is a question that no name matches well enough.
func (w *wanted) asksInWords(best int) bool {
	if w.MatchMode != Fuzzy || w.Domain != "" || w.Role != "" || w.Priority != nil {
		return false
	}
	content, question := prose.Question(w.query)
	switch {
	case content >= minQuestion || question && content > 0:
		return best < goodName
	case content == 2 && strings.ContainsAny(strings.TrimSpace(w.query), " \t"):
		return best < goodShort
	}
	return false
}

// byText returns at most n objects of the passages about the query.
func (s *openSource) byText(ctx context.Context, query string, n int) (out []answer, err error) {
	if s.passages == nil {
		return nil, nil
	}
	ix, err := s.passages(ctx)
	if err != nil || ix == nil {
		return nil, err
	}
	hits := ix.Search(query, n, perPage)
	if !s.paged {
		for _, h := range hits {
			at := slices.IndexFunc(s.inv.Objects, func(o inventory.Object) bool { return o.Name == h.Title && o.URI == h.Page })
			if at >= 0 {
				out = append(out, answer{Object: s.inv.Objects[at]})
			}
		}
		return out, nil
	}
	out = make([]answer, len(hits))
	at := map[string]int{} // by page and anchor
	for i, h := range hits {
		uri, role := strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F").Replace(h.Page), "page" // as inventories write it
		if h.Anchor != "" {
			uri, role = uri+"#"+h.Anchor, "section"
		}
		out[i].Object = inventory.Object{Name: cmp.Or(oneLine(h.Title), h.Page), Domain: s.provenance.Kind, Role: role, URI: uri}
		at[h.Page+"#"+h.Anchor] = i
	}
	s.nameThem(out, at)
	return out, nil
}

// nameThem replaces the titles of places by their names in the inventory: an API's name if there is one, else a label's.
func (s *openSource) nameThem(out []answer, at map[string]int) {
	anchors := map[string]bool{}
	for key := range at {
		_, anchor, _ := strings.Cut(key, "#")
		anchors[anchor] = true
	}
	rank := func(o inventory.Object) int {
		switch {
		case o.Domain == s.provenance.Kind && (o.Role == "section" || o.Role == "page"):
			return 2
		case o.Domain == "std":
			return 1
		}
		return 0
	}
	for _, o := range s.inv.Objects {
		_, fragment, _ := strings.Cut(o.URI, "#")
		if !anchors[fragment] {
			continue
		}
		file, fragment, fail := splitURI(o.URI)
		if fail != nil {
			continue
		}
		if j, ok := at[file+"#"+fragment]; ok && rank(o) < rank(out[j].Object) {
			out[j].Object = o
		}
	}
}

func (r *Reader) passagesOf(ctx context.Context, t localTree) (*prose.Index, error) {
	r.building.Lock() // one at a time: a second caller finds the first one's index
	defer r.building.Unlock()
	k, ok := r.passages.get(t.key(), "")
	if ok && time.Since(k.listed) < listedFor {
		return k.index, nil
	}
	files, stamp := t.pages()
	if !ok || k.stamp != stamp {
		index, kept := r.readIndex(t.key(), stamp)
		if !kept {
			var err error
			if index, err = buildIndex(ctx, t, files, r.settings.Reading); err != nil {
				return nil, err
			}
			r.prose.Put(t.key(), []byte(stamp+"\n"), index.Bytes())
		}
		k = keptPassages{stamp: stamp, index: index}
	}
	k.listed = time.Now()
	r.passages.put(t.key(), "", k, 1)
	return k.index, nil
}

// readIndex returns the cached index, if it matches the present pages.
func (r *Reader) readIndex(key, stamp string) (*prose.Index, bool) {
	f, err := r.prose.Open(key)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIndexFile))
	data, ok := bytes.CutPrefix(data, []byte(stamp+"\n"))
	if err != nil || !ok {
		return nil, false
	}
	return prose.Read(data)
}

// pages lists the content pages of a tree by name, and a stamp that changes when a page does.
func (t localTree) pages() (files []string, stamp string) {
	type listed struct {
		name string
		size int64
		mark string
	}
	var all []listed
	_ = fs.WalkDir(t.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		base := path.Base(name)
		if e.IsDir() {
			switch base {
			case "_modules", "_sources", "_static", "_images", "_downloads", "static.files", "src", "node_modules":
				return fs.SkipDir
			}
			if strings.HasPrefix(base, ".") && base != "." {
				return fs.SkipDir
			}
			return nil
		}
		if !isPage(base) || !e.Type().IsRegular() || strings.HasPrefix(base, "genindex") {
			return nil
		}
		switch strings.TrimSuffix(base, path.Ext(base)) {
		case "search", "py-modindex", "print", "404", "all", "settings", "help", "undoccedSummary", "classIndex", "nameIndex", "all-documents":
			return nil
		}
		st, err := e.Info()
		if err == nil && st.Size() <= maxProsePage {
			all = append(all, listed{name, st.Size(), statStamp(st)})
		}
		return nil
	})
	// Of too many, keep the pages nearest to the top, which are the most general.
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(cmp.Compare(strings.Count(a.name, "/"), strings.Count(b.name, "/")), strings.Compare(a.name, b.name))
	})
	all = all[:min(len(all), maxProsePages)]
	sum := int64(0)
	for i, l := range all {
		if sum += l.size; sum > maxProseBytes {
			all = all[:i]
			break
		}
	}
	slices.SortFunc(all, func(a, b listed) int { return strings.Compare(a.name, b.name) })
	var marks strings.Builder
	for _, l := range all {
		files = append(files, l.name)
		fmt.Fprintf(&marks, "%s %s\n", l.name, l.mark)
	}
	return files, hashOf([]byte(marks.String()))
}

// buildIndex reads the pages, several small ones at a time.
func buildIndex(ctx context.Context, t localTree, files []string, reading func(done, all int)) (*prose.Index, error) {
	b := prose.NewBuilder()
	type read struct {
		title    string
		passages []page.Passage
	}
	for from := 0; from < len(files) && !b.Full(); {
		if ctx.Err() != nil {
			return nil, fault.New(fault.Unavailable, "the look-up was cancelled while the pages were read").
				With("ask again: the first question about a documentation takes longest")
		}
		to, size := from, int64(0)
		for to < len(files) && to-from < 4*runtime.GOMAXPROCS(0) {
			st, err := t.stat(files[to])
			if err == nil {
				size += st.Size()
			}
			if to > from && size > batchBytes {
				break
			}
			to++
		}
		batch := make([]read, to-from)
		var work errgroup.Group
		work.SetLimit(runtime.GOMAXPROCS(0))
		for i := range batch {
			work.Go(func() error {
				f, err := t.read(files[from+i], maxProsePage)
				if err != nil {
					return nil // the index lacks the page
				}
				if p, err := page.Parse(f.data, ""); err == nil {
					batch[i] = read{p.Title(), p.Passages()}
				}
				return nil
			})
		}
		_ = work.Wait()
		for i, r := range batch {
			b.Page(files[from+i])
			for _, p := range r.passages {
				b.Add(p.Anchor, p.Title, r.title, p.Text)
			}
		}
		from = to
		if reading != nil {
			reading(from, len(files))
		}
	}
	return b.Index(), nil
}

// passagesOfObjects returns the index of the objects' descriptions, for sources that have only objects.
func passagesOfObjects(inv *inventory.Inventory, read func(inventory.Object) (entry, *failure)) *prose.Index {
	b := prose.NewBuilder()
	for _, o := range inv.Objects {
		if e, fail := read(o); fail == nil {
			b.Page(o.URI)
			b.Add("", o.Name, "", e.Signature+"\n"+e.Description)
		}
	}
	return b.Index()
}
