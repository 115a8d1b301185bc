package history

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// differ compares two versions of a record, of which one may be nil; ok is false when they do not differ.
func differ(old, now *version) (c Change, ok bool) {
	c = Change{Keys: []KeyChange{}, Sections: []SectionChange{}, old: old, new: now}
	switch {
	case old == nil:
		c.Status, old = Added, &version{}
	case now == nil:
		c.Status = Removed
	case old.path != now.path:
		c.Status = Renamed
	case bytes.Equal(old.src, now.src) && old.err == nil && now.err == nil:
		return c, false
	default:
		c.Status = Changed
	}
	shown := now
	if now == nil {
		shown, now = old, &version{}
	}
	c.ID, c.Type, c.Title, c.File = shown.rec.ID, shown.rec.Type(), shown.rec.Title, path.Join(store.Folder, shown.path)
	if c.Status == Renamed {
		c.OldFile = path.Join(store.Folder, old.path)
	}
	if (c.Status == Renamed || c.Status == Changed) && old.rec.ID != now.rec.ID {
		c.OldID = old.rec.ID
	}
	c.compare(old, now)
	return c, true
}

// compare fills in the differences between two files, of which one may be empty.
func (c *Change) compare(old, now *version) {
	a, b := headOf(old.src), headOf(now.src)
	c.Sections = differentSections(old, now, a, b)
	if !a.broken && !b.broken { // else their values are not known
		c.Keys = differentKeys(old, now)
	}
	c.MeaningChanged = c.Status == Added || c.Status == Removed || (a.broken || b.broken) && !bytes.Equal(a.block, b.block) ||
		slices.ContainsFunc(c.Keys, KeyChange.hasMeaning) ||
		slices.ContainsFunc(c.Sections, func(s SectionChange) bool { return s.MeaningChanged })
	for _, v := range []*version{old, now} {
		if v.err != nil {
			c.Problems = append(c.Problems, v.err.Error())
			c.MeaningChanged = true
		}
	}
	for _, p := range now.rec.Problems {
		c.Problems = append(c.Problems, p.Text)
	}
}

// hasMeaning is false for the keys that the tool itself writes.
func (k KeyChange) hasMeaning() bool {
	return !slices.Contains([]string{"revision", "created", "session_id"}, k.Key)
}

// head is the front matter of a file and the body below.
type head struct {
	block, body []byte
	lines       int // of the front matter
	broken      bool
}

func headOf(src []byte) head {
	doc, err := frontmatter.Parse(src)
	at := doc.Body
	return head{src[:at], record.BothSides(src)[at:], bytes.Count(src[:at], []byte("\n")), err != nil}
}

// differentKeys lists the keys whose values differ, in the order of a new file.
func differentKeys(old, now *version) []KeyChange {
	order := record.KeysOf(cmp.Or(now.rec.Kind, old.rec.Kind), cmp.Or(now.rec.Of, old.rec.Of))
	place := func(key string) int {
		if i := slices.Index(order, key); i >= 0 {
			return i
		}
		return len(order)
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(old.rec.FrontMatter)), maps.Keys(now.rec.FrontMatter))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	out := []KeyChange{}
	for _, k := range slices.Compact(keys) {
		if a, b := old.rec.FrontMatter[k], now.rec.FrontMatter[k]; !reflect.DeepEqual(a, b) {
			out = append(out, KeyChange{k, a, b})
		}
	}
	return out
}

// differentSections lists the sections that differ, with lines counted in the files.
func differentSections(old, now *version, a, b head) []SectionChange {
	out := []SectionChange{}
	for _, s := range sectionChanges(a.body, b.body) {
		where := func(kind markdown.ItemKind) (*version, int) {
			if kind == markdown.Removed || now.path == "" {
				return old, a.lines
			}
			return now, b.lines
		}
		_, above := where(s.Kind)
		s.Line += above
		var inner []SectionChange
		own := s.Items[:0]
		for _, i := range s.Items {
			v, above := where(i.Kind)
			i.Line += above
			n := v.nested(i.Line)
			if n == nil {
				own = append(own, i)
				continue
			}
			at := slices.IndexFunc(inner, func(c SectionChange) bool { return c.Name == n.Name })
			if at < 0 {
				at = len(inner)
				inner = append(inner, SectionChange{Name: n.Name, Kind: markdown.Changed, Line: n.Line, Items: []ItemChange{}, MeaningChanged: true})
			}
			if i.Line == n.Line { // its heading
				inner[at].Kind = i.Kind
			} else {
				inner[at].Items = append(inner[at].Items, i)
			}
		}
		s.Items = own
		if len(inner) == 0 || len(own) > 0 || s.Kind != markdown.Changed {
			out = append(out, s)
		}
		out = append(out, inner...)
	}
	return out
}

// sectionChanges lists the sections that differ between two bodies, whose lines count from the start of the body.
func sectionChanges(old, now []byte) []SectionChange {
	all := markdown.Diff(old, now)
	for i := range all {
		s := &all[i]
		s.Kind, s.Items = cmp.Or(s.Kind, markdown.Changed), append([]ItemChange{}, s.Items...)
		for k := range s.Items {
			s.Items[k].Old, s.Items[k].New = plain(s.Items[k].Old), plain(s.Items[k].New)
		}
	}
	return all
}

// nested returns the section inside another one that contains a line of the file, as an outcome contains consequences; nil for none.
func (v *version) nested(line int) *record.Section {
	for i := range v.rec.Sections {
		s := &v.rec.Sections[i]
		if s.Inner() && s.Line <= line && line <= s.TextLine+strings.Count(s.Text, "\n") {
			return s
		}
	}
	return nil
}

// plain is a text with LF line ends and none at its end.
func plain(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}

// couple is a record in two states; one of them may be missing.
type couple struct{ old, new *version }

const (
	mostGuesses  = 40000 // pairs of files to compare by their lines
	similarFiles = 0.6   // the share of common lines that makes two files one record
)

// pair finds for each older version the newer one of the same record: by identity, by path, by common lines; never of different ids.
func pair(olds, news []*version) []couple {
	p := pairing{taken: map[*version]bool{}}
	p.by(olds, news, func(v *version) string { return v.rec.ID + "\x00" + v.path })
	p.by(olds, news, func(v *version) string { return v.rec.ID })
	p.by(olds, news, func(v *version) string { return v.path })
	p.similar(p.unpaired(olds), p.unpaired(news))
	for _, v := range olds {
		if !p.taken[v] {
			p.join(v, nil)
		}
	}
	for _, v := range news {
		if !p.taken[v] {
			p.join(nil, v)
		}
	}
	return p.couples
}

type pairing struct {
	couples []couple
	taken   map[*version]bool
}

func (p *pairing) join(o, n *version) {
	p.couples = append(p.couples, couple{o, n})
	p.taken[o], p.taken[n] = true, true
}

// by joins versions with the same key, in order.
func (p *pairing) by(olds, news []*version, key func(*version) string) {
	waiting := map[string][]*version{}
	for _, v := range olds {
		if !p.taken[v] {
			waiting[key(v)] = append(waiting[key(v)], v)
		}
	}
	for _, v := range news {
		if w := waiting[key(v)]; len(w) > 0 && !p.taken[v] && mayBeSame(w[0], v) {
			waiting[key(v)] = w[1:]
			p.join(w[0], v)
		}
	}
}

// unpaired are the versions without a partner that have no id of their own, and may be paired by their lines.
func (p *pairing) unpaired(vs []*version) []*version {
	return slices.DeleteFunc(slices.Clone(vs), func(v *version) bool { return p.taken[v] || ownID(v) != "" })
}

// similar joins files that have most of their lines in common, the most similar first.
func (p *pairing) similar(olds, news []*version) {
	if len(olds)*len(news) > mostGuesses {
		return
	}
	type guess struct {
		couple
		score float64
	}
	var guesses []guess
	lines := map[*version]map[string]int{}
	for _, v := range slices.Concat(olds, news) {
		lines[v] = linesOf(headOf(v.src).body)
	}
	for _, o := range olds {
		for _, n := range news {
			if o.rec.Kind != n.rec.Kind {
				continue
			}
			if s := inCommon(lines[o], lines[n]); s >= similarFiles {
				guesses = append(guesses, guess{couple{o, n}, s})
			}
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.score, a.score) })
	for _, g := range guesses {
		if !p.taken[g.old] && !p.taken[g.new] {
			p.join(g.old, g.new)
		}
	}
}

// mayBeSame is false for two files with different ids in their front matter.
func mayBeSame(o, n *version) bool {
	a, b := ownID(o), ownID(n)
	return a == "" || b == "" || a == b
}

// ownID is the id in the file's front matter, "" for records identified by their topic.
func ownID(v *version) string {
	id, _ := v.rec.FrontMatter["id"].(string)
	return id
}

// linesOf counts the lines of a body, without the headings that most records have.
func linesOf(body []byte) map[string]int {
	count := map[string]int{}
	for l := range strings.Lines(string(body)) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			count[l]++
		}
	}
	return count
}

// inCommon is the share of the longer text's lines that both texts have.
func inCommon(a, b map[string]int) float64 {
	var both, inA, inB int
	for l, n := range a {
		inA += n
		both += min(n, b[l])
	}
	for _, n := range b {
		inB += n
	}
	return float64(both) / float64(max(inA, inB, 1))
}
