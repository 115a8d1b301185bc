package lsp

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/symbol"
	"sdd/schema"
)

const (
	mostItems = 50
	fewItems  = 3
)

// Kinds of completion items that editors have symbols for.
const (
	itemText      = 1
	itemFunction  = 3
	itemClass     = 7
	itemModule    = 9
	itemProperty  = 10
	itemValue     = 12
	itemFile      = 17
	itemReference = 18
	itemFolder    = 19
)

type item struct {
	Label  string   `json:"label"`
	Kind   int      `json:"kind"`
	Detail string   `json:"detail,omitempty"`
	Filter string   `json:"filterText"` // begins with what the user typed: the server has chosen
	Sort   string   `json:"sortText"`
	Edit   textEdit `json:"textEdit"`
}

type items struct {
	Incomplete bool   `json:"isIncomplete"`
	Items      []item `json:"items"`
}

type completing struct {
	job
	place
	list items
}

var (
	keyLine     = pattern.Late(`^([A-Za-z_]*)$`)
	valueLine   = pattern.Late(`^([A-Za-z_]+):[ \t]*(.*)$`)
	itemLine    = pattern.Late(`^[ \t]*-[ \t]+(.*)$`)
	headingLine = pattern.Late(`^(#{2,3})[ \t]+(.*)$`)
	wordAtEnd   = pattern.Late(`[\pL\pN/_-]+$`)
	fenceLine   = pattern.Late("(?m)^[ \t]*(```|~~~)")
)

// complete offers what may follow the text before the cursor in a record.
func (j job) complete(p place, _ params) *items {
	c := &completing{job: j, place: p, list: items{Items: []item{}}}
	line := p.position(p.offset).Line
	before := string(p.src[p.lines[line]:p.offset])
	fm, _ := frontmatter.Parse(p.src)
	r := j.parsed(p.document)
	heading := headingLine().FindStringSubmatch(before)
	switch {
	case fm.Present && p.offset >= fm.YAML.Start && p.offset < fm.Body:
		c.front(fm, r, before, line)
	case heading != nil:
		c.headings(cmp.Or(r.Of, r.Kind), heading)
	default:
		c.body(before)
	}
	return &c.list
}

// add offers a text in the place of what the user typed before the cursor.
func (c *completing) add(typed, label, text, detail string, kind int) {
	if len(c.list.Items) >= mostItems {
		c.list.Incomplete = true
		return
	}
	filter := label
	if !strings.HasPrefix(strings.ToLower(label), strings.ToLower(typed)) {
		filter = typed + " " + label
	}
	c.list.Items = append(c.list.Items, item{
		Label: label, Kind: kind, Detail: detail, Filter: filter, Sort: fmt.Sprintf("%02d", len(c.list.Items)),
		Edit: textEdit{c.span(c.offset-len(typed), c.offset), text},
	})
}

// front offers keys, and values of keys.
func (c *completing) front(fm *frontmatter.Doc, r record.Record, before string, line int) {
	if m := keyLine().FindStringSubmatch(before); m != nil {
		for _, key := range record.KeysOf(r.Kind, r.Of) {
			if strings.HasPrefix(key, strings.ToLower(m[1])) && (!fm.Has(key) || key == m[1]) {
				c.add(m[1], key, key+": ", property(r, key).Description, itemProperty)
			}
		}
		return
	}
	key, typed := "", ""
	if m := valueLine().FindStringSubmatch(before); m != nil {
		key, typed = m[1], m[2]
		if i := strings.LastIndexAny(typed, "[,"); i >= 0 && strings.HasPrefix(typed, "[") {
			typed = strings.TrimLeft(typed[i+1:], " \t")
		}
	} else if m := itemLine().FindStringSubmatch(before); m != nil {
		typed = m[1]
		for n := line - 1; n > 0 && key == ""; n-- {
			if above := valueLine().FindStringSubmatch(string(c.line(n))); above != nil {
				key = above[1]
			}
		}
	}
	typed = strings.TrimLeft(typed, `"'`)
	switch {
	case key == "":
	case key == anchor.RefKey:
		c.places(typed)
	case slices.Contains(record.LinkKeys, key):
		c.records(typed, true, func(e *index.Entry) string { return e.ID })
	default:
		values := property(r, key).Enum
		switch {
		case key == "status" && r.Kind == record.Idea:
			values = record.StatusesOf(r.Kind, r.Color)
		case key == "level":
			values = []string{"0", "1", "2", "3"}
		}
		for _, v := range values {
			if strings.HasPrefix(v, strings.ToLower(typed)) {
				c.add(typed, v, v, "", itemValue)
			}
		}
	}
}

func property(r record.Record, key string) (p schema.Property) {
	for _, k := range []record.Kind{r.Kind, r.Of} {
		if k != "" && p.Enum == nil && p.Description == "" {
			p = schema.PropertyOf(record.Noun(string(k)), key)
		}
	}
	return p
}

// headings offers the sections of the kind that the record lacks.
func (c *completing) headings(kind record.Kind, m []string) {
	typed := m[2]
	_, doc := c.outline()
	for _, s := range record.Sections(kind) {
		inner := s.Under != ""
		if inner != (len(m[1]) == 3) || !strings.HasPrefix(strings.ToLower(s.Name), strings.ToLower(typed)) {
			continue
		}
		if doc != nil && slices.ContainsFunc(doc.Find(s), func(x markdown.Section) bool { return x.Line-1 != c.position(c.offset).Line }) {
			continue
		}
		c.add(typed, s.Name, s.Name, "", itemModule)
	}
}

func address(e *index.Entry) string {
	if record.IsHexID(e.ID) {
		return string(e.Kind) + "/" + e.ID
	}
	return e.ID
}

// body offers names in the text: addresses, files of records in links, places in code spans, and links to records for words.
func (c *completing) body(before string) {
	at := strings.LastIndex(before, scheme)
	link := strings.LastIndex(before, "](")
	span := strings.LastIndex(before, "`")
	from, _ := c.outline()
	switch {
	case len(fenceLine().FindAllIndex(c.src[min(from, c.offset):c.offset], -1))%2 == 1: // in a code block
	case at >= 0 && !strings.ContainsAny(before[at:], " \t)>"):
		c.records(before[at+len(scheme):], true, address)
	case link >= 0 && !strings.ContainsAny(before[link+2:], " \t)"):
		c.records(before[link+2:], true, func(e *index.Entry) string { return recordPath(c.record, e) })
	case strings.Count(before, "`")%2 == 1:
		typed := before[span+1:]
		if c.places(typed); !strings.Contains(typed, "#") {
			c.records(typed, true, func(e *index.Entry) string { return e.ID })
		}
	default:
		if word := wordAtEnd().FindString(before); len(word) > 2 {
			c.records(word, false, func(e *index.Entry) string {
				return "[" + strings.NewReplacer("[", "\\[", "]", "\\]").Replace(e.Title) + "](" + scheme + address(e) + ")"
			})
		}
	}
}

// records offers the best records by words; text is what names one. With names, all records are tried when the index finds too few.
func (c *completing) records(typed string, names bool, text func(*index.Entry) string) {
	low := strings.ToLower(strings.TrimLeft(typed, "./"))
	folder, rest := "", low
	if i := strings.LastIndexByte(low, '/'); i >= 0 {
		folder, rest = strings.TrimSuffix(low[:i], "s"), low[i+1:]
	}
	q := index.Query{Text: strings.NewReplacer("-", " ", "_", " ").Replace(rest), Bare: true, Limit: 2 * mostItems}
	for _, k := range record.Kinds {
		if string(k) == folder {
			q.Types = []record.Type{{Kind: k}}
		}
	}
	if len(strings.TrimSpace(q.Text)) < 3 || strings.HasPrefix(rest, "fact-") || strings.HasPrefix(rest, "idea-") {
		q.Text = "" // too short for a search by words
	}
	q.Elsewhere, _ = c.app.Decisions.Elsewhere(c)
	page, _ := c.app.Index.Query(c, q)
	type found struct {
		index.Entry
		rank int
	}
	var all []found
	look := func(e *index.Entry) {
		id, title := strings.ToLower(e.ID), strings.ToLower(e.Title)
		rank := 0
		switch {
		case e.Path == c.record || e.Kind == record.Candidate:
			return
		case strings.HasPrefix(id, low), strings.HasPrefix(title, low), strings.HasPrefix(e.Slug, rest), strings.HasPrefix(e.Path, low):
		case strings.Contains(title, rest), strings.Contains(id, rest):
			rank = 1
		default:
			return
		}
		if record.Gone(e.Status) {
			rank += 2
		}
		all = append(all, found{*e, rank})
	}
	for i := range page.Hits {
		look(&page.Hits[i].Entry)
	}
	if names && len(all) < fewItems && (page.After > 0 || q.Text != "") {
		all = nil
		for e := range record.Each(slices.Concat(c.app.Index.Entries(), q.Elsewhere.Entries())) {
			look(e)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(a.rank-b.rank, record.CompareTimes(b.Created, a.Created), strings.Compare(a.ID, b.ID))
	})
	c.list.Incomplete = true // the titles that match another text are other ones
	for i := range all[:min(len(all), mostItems)] {
		e := &all[i].Entry
		c.add(typed, e.ID, text(e), record.OneLine(e.Title), itemReference)
	}
}

// places offers the paths of the project, a folder at a time, and behind # the symbols of a file.
func (c *completing) places(typed string) {
	file, name, symbols := strings.Cut(typed, "#")
	if symbols {
		c.symbolsOf(file, name)
		return
	}
	folder, prefix := "", typed
	if i := strings.LastIndexByte(typed, '/'); i >= 0 {
		folder, prefix = typed[:i+1], typed[i+1:]
	}
	if !filepath.IsLocal(filepath.FromSlash("./" + folder)) {
		return
	}
	seen := map[string]bool{}
	for _, dir := range []string{c.root, c.top} {
		entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(folder)))
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			if seen[name] || !strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix)) || strings.HasPrefix(name, ".") && prefix == "" {
				continue
			}
			seen[name] = true
			switch {
			case e.IsDir() && name != ".git":
				c.add(typed, folder+name+"/", folder+name+"/", "", itemFolder)
			case e.Type().IsRegular():
				c.add(typed, folder+name, folder+name, "", itemFile)
			}
		}
	}
}

func (c *completing) symbolsOf(file, typed string) {
	var parsed *symbol.File
	if at := c.file(file); at != "" {
		if t := c.read(at); t != nil {
			parsed = symbol.Parse(file, t.src)
		}
	}
	if parsed == nil {
		return
	}
	kinds := map[symbol.Kind]int{symbol.Func: itemFunction, symbol.Type: itemClass, symbol.Value: itemValue, symbol.Module: itemModule}
	for _, s := range parsed.Symbols {
		name := s.Name
		if s.Kind == symbol.Heading {
			name = symbol.Anchor(name)
		}
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed)) ||
			strings.HasPrefix(strings.ToLower(s.Simple()), strings.ToLower(typed)) {
			c.add(typed, name, name, string(s.Kind), cmp.Or(kinds[s.Kind], itemText))
		}
	}
}
