package history

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// The commit that wrote an item is the latest one whose version has it while the version before lacks it; wrapping, markers and places do
// not count. Where a commit changed an item, the words that it kept are traced on in the older versions.

// Why is the origin of the items of a record.
type Why struct {
	ID      string    `json:"id"`
	File    string    `json:"file"`
	Section string    `json:"section,omitempty"`
	Items   []WhyItem `json:"items"`
	Shallow bool      `json:"shallow"` // the clone lacks older commits; their items are attributed to its oldest one
}

// WhyItem is a list item, paragraph or other block, and its author.
type WhyItem struct {
	Section string `json:"section"`
	Line    int    `json:"line"`
	Text    string `json:"text"`
	By      string `json:"by"` // commit; tool or hand when not committed
	Origin
	Tier    tier.Tier `json:"tier,omitempty"` // how far this text has come; app.Why fills it
	Tool    string    `json:"tool"`           // that saved it, if the journal of this clone has the save
	Session string    `json:"session"`
	Saved   string    `json:"saved"` // RFC 3339, when it did
	Also    []Origin  `json:"also"`  // the other commits that wrote parts of it, the larger share first
}

// Origin is the commit that wrote a text; empty when it is not committed.
type Origin struct {
	Commit  string `json:"commit"`
	Author  string `json:"author"`
	Date    string `json:"date"` // RFC 3339, of the author
	Subject string `json:"subject"`
	File    string `json:"file"` // in that commit, relative to the top of the work tree

	Signature string `json:"signature,omitempty"` // of the commit, in a few words; app.Why fills it

	step *git.Step // the commit
}

// WhyOf finds the author and commit of every item of a record, or of one of its sections.
func WhyOf(ctx context.Context, st *store.Store, s Subject, section string) (w Why, err error) {
	err = inHistory(ctx, st, func(h *history) {
		of := h.inFolder(s)
		now := h.onDisk(s.Path)
		if now == nil {
			fault.Check(fault.New(fault.NotFound, "%s is gone from %s", s.ID, store.Folder+"/"+s.Path).With("sdd log " + s.ID + " tells when"))
		}
		fault.Check(now.err)
		name := sectionNamed(s.Path, section)
		if section != "" && !now.hasSection(name) {
			fault.Check(fault.New(fault.NotFound, "%s has no section %q", s.ID, record.OneLine(section)).For("RECORD").
				With("sdd show " + s.ID + " prints all of it"))
		}
		t, open := h.traceFrom(of)
		w = Why{ID: s.ID, File: path.Join(store.Folder, s.Path), Section: section, Items: []WhyItem{}}
		saves, a := h.savesOf(t), authorsOf(t, open)
		me, _ := h.repo.Run(ctx, "var", "GIT_AUTHOR_IDENT")
		for _, i := range blocksOf(now) {
			if section == "" || name.is(i.section) {
				item := a.why(i)
				item.complete(saves, string(me))
				w.Items = append(w.Items, item)
			}
		}
		w.Shallow = fault.Must(h.repo.Shallow(ctx))
	})
	return w, err
}

// block is an item with its lines.
type block struct {
	section    string
	line, last int // 1-based, in the file
	text       string
	rows       []string // its lines
}

// blocksOf lists the items of a file in order, without headings and thematic breaks.
func blocksOf(v *version) []block {
	h := headOf(v.src)
	lines := bytes.Split(v.src, []byte("\n"))
	var all []block
	var starts []int
	for _, s := range markdown.Diff(nil, h.body) {
		starts = append(starts, s.Line+h.lines)
		for _, i := range s.Items {
			at := i.Line + h.lines
			starts = append(starts, at)
			if isBare(lines, at) {
				continue
			}
			b := block{section: s.Name, line: at, text: plain(i.New)}
			if n := v.nested(at); n != nil {
				b.section = n.Name
			}
			all = append(all, b)
		}
	}
	starts = append(starts, len(lines)+1)
	slices.Sort(starts)
	for i := range all {
		b := &all[i]
		end, _ := slices.BinarySearch(starts, b.line+1)
		b.last = starts[end] - 1
		for _, l := range lines[b.line-1 : b.last] {
			b.rows = append(b.rows, string(l))
		}
	}
	return all
}

// isBare reports whether a line is a heading or a thematic break.
func isBare(lines [][]byte, line int) bool {
	if line < 1 || line > len(lines) {
		return true
	}
	l := strings.TrimSpace(string(lines[line-1]))
	return strings.HasPrefix(l, "###") || strings.Trim(l, "-*_ \t") == ""
}

// authors finds who wrote the items of a record.
type authors struct {
	writes []write // the latest first
	texts  map[*version]map[string]bool
}

type write struct {
	Origin
	olds []*version // one for each parent of the commit
	now  *version
	diff func() Change
}

func authorsOf(t *trace, open *Change) *authors {
	a := &authors{texts: map[*version]map[string]bool{}}
	if open != nil && open.new != nil {
		a.writes = append(a.writes, write{olds: []*version{open.old}, now: open.new, diff: func() Change { return *open }})
	}
	for _, n := range slices.Sorted(maps.Keys(t.found)) {
		step, now := &t.steps[n], t.found[n].now
		if now == nil {
			continue
		}
		olds := t.before(n)
		from := Origin{Commit: step.ID, Author: step.Author, Date: step.Date, Subject: step.Subject, File: t.h.file(now.path), step: step}
		if at, err := time.Parse(time.RFC3339, step.Date); err == nil {
			from.Date = at.Format(time.RFC3339)
		}
		a.writes = append(a.writes, write{from, olds, now, sync.OnceValue(func() Change {
			c, _ := differ(olds[0], now)
			return c
		})})
	}
	return a
}

// has reports whether a version has the text as an item, as a line of code or of a table, or as its title.
func (a *authors) has(v *version, text string) bool {
	if v == nil {
		return false
	}
	texts := a.texts[v]
	if texts == nil {
		texts = map[string]bool{record.OneLine(v.rec.Title): true}
		for _, b := range blocksOf(v) {
			texts[record.OneLine(b.text)] = true
			for line := range strings.Lines(b.text) {
				texts[record.OneLine(line)] = true
			}
		}
		a.texts[v] = texts
	}
	return texts[text]
}

// why finds the commits that wrote an item. A commit that wrote a word of a line counts for the line.
func (a *authors) why(i block) WhyItem {
	item := WhyItem{Section: i.section, Line: i.line, Text: i.text, Also: []Origin{}}
	chars := make([]int, len(a.writes)+1) // by write; the last one stands for none
	for text := range strings.Lines(i.text) {
		by := a.of(record.OneLine(text))
		rows := []string{text}
		if !strings.Contains(i.text, "\n") {
			rows = i.rows
		}
		for _, row := range slices.Backward(rows) { // the first one begins with a marker
			if at := max(0, len(by)-len(wordsOf(row))); at < len(by) {
				chars[slices.Min(by[at:])] += max(1, letters(row))
				by = by[:at]
			}
		}
	}
	var all []int
	for n, c := range chars {
		if c > 0 && n < len(a.writes) {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(chars[y], chars[x]) })
	for n, w := range all {
		if o := a.writes[w].Origin; n == 0 {
			item.Origin = o
		} else if o.Commit != "" {
			item.Also = append(item.Also, o)
		}
	}
	return item
}

// of returns for each word of a text the number of the latest change that wrote it; one that only removed words wrote all others.
func (a *authors) of(text string) []int {
	words := wordsOf(text)
	by, left := slices.Repeat([]int{len(a.writes)}, len(words)), make([]int, len(words)) // left are the words without a change
	for n := range words {
		left[n] = n
	}
	for n, w := range a.writes {
		if !a.has(w.now, text) || slices.ContainsFunc(w.olds, func(v *version) bool { return a.has(v, text) }) {
			continue
		}
		before := w.diff().textBefore(text)
		count := map[string]int{}
		for _, word := range wordsOf(before) {
			count[word]++
		}
		kept := slices.DeleteFunc(slices.Clone(left), func(k int) bool {
			count[words[k]]--
			return count[words[k]] < 0
		})
		for _, k := range left {
			if len(kept) == len(left) || !slices.Contains(kept, k) {
				by[k] = n
			}
		}
		if len(kept) == 0 || len(kept) == len(left) {
			break
		}
		text, left = before, kept
	}
	return by
}

// wordsOf returns the words of a text that have a letter or digit, and those of a text without any as they are.
func wordsOf(text string) []string {
	if letters(text) == 0 {
		return strings.Fields(text)
	}
	return slices.DeleteFunc(strings.Fields(text), func(w string) bool { return letters(w) == 0 })
}

// textBefore returns what an item was before the change, "" for a new one.
func (c Change) textBefore(text string) string {
	for _, s := range c.Sections {
		for _, i := range s.Items {
			if i.Old != "" && record.OneLine(i.New) == text {
				return record.OneLine(i.Old)
			}
		}
	}
	return ""
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) {
			n++
		}
	}
	return n
}

// complete adds the tool and session that saved an item. A commit may have a save of this clone when its author is me and it is not older.
func (item *WhyItem) complete(saves []save, me string) {
	item.By = "commit"
	if item.Commit == "" {
		item.By = "hand"
	}
	for _, e := range saves {
		if c := item.step; !e.items[itemMark{MarkAdded, record.OneLine(item.Text)}] || c != nil && (e.Time.Unix() > c.Made ||
			!strings.HasPrefix(me, c.Author+" <") && !strings.Contains(me, " <"+c.Email+"> ")) {
			continue
		}
		item.Tool, item.Session, item.Saved = e.Tool, e.Session, e.Time.UTC().Format(time.RFC3339)
		if item.Commit == "" {
			item.By = "tool"
		}
		return
	}
}

// Said is a statement of a record, and the commit that wrote it.
type Said struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Origin
}

// Statement is a line of a record; 0 is its main statement.
type Statement struct {
	Path string // of the record, relative to .sdd
	Line int
}

// SaidIn returns the statements with the commits that wrote them. An Origin is empty for a text that is not committed, and without git.
func SaidIn(ctx context.Context, st *store.Store, statements []Statement) ([]Said, error) {
	out := make([]Said, len(statements))
	read := func(h *history) {
		for i, s := range statements {
			v := h.onDisk(s.Path)
			if v == nil || v.err != nil {
				continue
			}
			at := v.statement(s.Line)
			out[i] = Said{Line: at.line, Text: record.OneLine(at.text)}
			if h.repo != nil {
				out[i].Origin = authorsOf(h.traceFrom(Subject{ID: v.rec.ID, Path: s.Path})).why(at).Origin
			}
		}
	}
	inGit := false
	err := inHistory(ctx, st, func(h *history) {
		inGit = true
		read(h)
	})
	if !inGit {
		read(&history{st: st})
		err = nil
	}
	return out, err
}

// statement returns the item with the line; for 0 the main one: the first item, of a decision the outcome, of an exploration its title.
func (v *version) statement(line int) block {
	items := blocksOf(v)
	in := func(section string) int {
		return slices.IndexFunc(items, func(b block) bool { return sectionNamed(v.path, section).is(b.section) })
	}
	at := -1
	kind := cmp.Or(v.rec.Of, v.rec.Kind)
	switch {
	case line > 0:
		at = slices.IndexFunc(items, func(b block) bool { return b.line <= line && line <= b.last })
	case kind == record.Decision:
		at = in("Decision Outcome")
	case kind != record.Exploration && len(items) > 0:
		at = 0
	}
	if at >= 0 {
		return items[at]
	}
	title := v.keyLine("title")
	return block{line: title, last: title, text: v.rec.Title, rows: []string{v.rec.Title}}
}
