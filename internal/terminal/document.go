package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/merge"
	"sdd/internal/record"
	"sdd/internal/store"
)

// document is a text to read, such as a record with all of its sections.
type document struct {
	of    string // the key of the item, "" for another text
	title string // one line, safe
	parts []part

	conflicts []conflict // of the file
	etag      string     // of the file with conflicts
}

// part is a text of one style, with line ends, not yet safe. Each part begins on a new line.
type part struct {
	style style
	text  string
}

func (d *document) add(s style, text string) { d.parts = append(d.parts, part{s, text}) }

func (d *document) addHead(text string) {
	d.add(plain, "")
	d.add(head, text)
}

func (d document) lines(cells int) []line {
	var out []line
	for _, p := range d.parts {
		for _, l := range wrap(p.text, cells) {
			out = append(out, text(p.style, l))
		}
	}
	return out
}

// marked is the style of a row of a difference, and the mark before it.
func marked(mark byte) (s style, before string) {
	switch mark {
	case history.MarkSection:
		return strong, "  "
	case history.MarkAdded:
		return good, "  + "
	case history.MarkRemoved:
		return bad, "  - "
	case history.MarkMoved:
		return warn, "  ~ "
	}
	return faint, "    "
}

// read makes the document of an item: its state, its changes, and the record with its sections.
func read(ctx context.Context, w *app.App, i item) document {
	d := document{of: i.key, title: oneLine(i.Title)}
	d.add(strong, d.title)
	about := i.Type
	for _, part := range []string{i.ID, i.File} {
		if part != "" && part != i.Title {
			about += "  " + oneLine(part)
		}
	}
	if i.Line > 0 {
		about += fmt.Sprintf(":%d", i.Line)
	}
	path := strings.TrimPrefix(i.File, store.Folder+"/")
	if t := w.Tiers(ctx).Of(path); i.File != "" && t.Warns() {
		about += "  [" + t.String() + "]"
	}
	d.add(faint, strings.TrimSpace(about))
	d.add(stateLook(i.State).style, sentence(i))
	if i.File == "" {
		d.candidate(ctx, w, i)
		return d
	}
	f, err := w.Store.Read(path)
	r := record.Parse(path, f.Bytes, record.Defaults{Project: w.Store.Project()})
	if err != nil {
		if own, src, ok := w.Decisions.InPlace(ctx, i.File, ""); ok {
			r, f.Bytes, err = own, src, nil
		}
	}
	if err != nil {
		d.rows(i)
		d.gone(i, fault.Of(err))
		return d
	}
	if r.Writable { // else the whole file follows
		d.frontMatter(r)
	}
	for _, p := range r.Problems {
		if !strings.Contains(i.Note, p.Text) {
			d.add(bad, fmt.Sprintf("line %d: %s", p.Line, p.Text))
		}
	}
	d.rows(i)
	d.code(ctx, w, i)
	d.body(r, f.Bytes)
	return d
}

// sentence is the reason why an item is in the list.
func sentence(i item) string {
	parts := []string{strings.ReplaceAll(i.State, "_", " ")}
	for _, part := range []string{i.By, app.Moment(i.Time), i.Note} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return oneLine(strings.Join(parts, " · "))
}

func (d *document) rows(i item) {
	if len(i.Rows) == 0 {
		return
	}
	if i.panel == conflicts {
		d.addHead("What both change")
	} else {
		d.addHead("What changed")
	}
	for _, r := range i.Rows {
		s, before := marked(r.Mark)
		d.add(s, before+strings.Join(strings.Fields(r.Text), " "))
	}
}

const patience = time.Second // for git's history, while the user waits for a document

// code adds what happened to the code that the record names, with the lines that changed.
func (d *document) code(ctx context.Context, w *app.App, i item) {
	all, err := w.Anchors(ctx, i.ID)
	if err != nil {
		return // the record is not indexed yet
	}
	all = slices.DeleteFunc(all, func(a app.Anchored) bool { return !a.Verdict.Alarm() && a.State != anchor.Moved })
	soon, stop := context.WithTimeout(ctx, patience)
	defer stop()
	w.Explain(soon, all)
	for _, a := range all {
		if d.addHead("Code: " + a.Place); a.State == anchor.Moved {
			d.add(warn, "  is now "+a.Now)
			continue
		}
		d.add(warn, "  "+a.Verdict.Mark(a.Since))
		if a.Since == nil {
			continue
		}
		for _, r := range history.Replaced(a.Since.Was, a.Since.Is) {
			s, before := marked(r.Mark)
			d.add(s, before+r.Text)
		}
	}
}

// gone adds a hint about a file that cannot be read.
func (d *document) gone(i item, why *fault.Error) {
	d.add(plain, "")
	d.add(warn, why.Error())
	switch {
	case i.State == string(history.Removed) && i.Commit != "":
		d.add(plain, "sdd show "+i.ID+" --at "+i.Commit[:min(len(i.Commit), 10)]+"~1 prints it as it was")
	case i.State == string(history.Removed):
		d.add(plain, "sdd show "+i.ID+" --at HEAD prints it as it was")
	case why.Hint != "":
		d.add(plain, why.Hint)
	}
}

func (d *document) body(r record.Record, src []byte) {
	if !r.Writable { // its sections are unknown
		d.add(plain, "")
		d.file(src)
		return
	}
	if strings.TrimSpace(r.Preamble) != "" {
		d.add(plain, "")
		d.prose(r.Preamble)
	}
	for _, s := range r.Sections {
		if !s.Inner() {
			d.addHead(s.Name)
			d.prose(s.Text)
		}
	}
}

// frontMatter adds the keys that the lines above do not contain.
func (d *document) frontMatter(r record.Record) {
	left := []string{"id", "title", "revision", "kind"}
	var keys []string
	for _, k := range record.KeysOf(r.Kind, r.Of) {
		if v, ok := r.FrontMatter[k]; ok && !slices.Contains(left, k) {
			keys = append(keys, k+": "+oneLine(fmt.Sprint(v)))
		}
	}
	if len(keys) > 0 {
		d.add(faint, strings.Join(keys, "  "))
	}
}

func (d *document) prose(s string) {
	text := ""
	flush := func() {
		if text != "" {
			d.add(plain, text)
		}
		text = ""
	}
	for l := range strings.Lines(s) {
		if !strings.HasPrefix(l, "#") {
			text += l
			continue
		}
		flush()
		d.add(strong, l)
	}
	flush()
}

// candidate adds the text of a candidate that has no file yet.
func (d *document) candidate(ctx context.Context, w *app.App, i item) {
	c, err := w.Inbox.Get(ctx, i.ID)
	if err != nil {
		d.add(warn, fault.Of(err).Error())
		return
	}
	d.add(plain, "")
	d.add(plain, c.Content)
	for _, l := range c.Lists() {
		if len(*l.Texts) > 0 {
			d.addHead(l.Title)
		}
		for _, t := range *l.Texts {
			d.add(plain, "- "+oneLine(t))
		}
	}
	if len(c.Evidence) > 0 {
		d.addHead("Evidence")
		for _, e := range c.Evidence {
			d.add(plain, "- "+oneLine(strings.Join([]string{e.Commit, e.Path, e.Lines, e.Text}, " ")))
		}
	}
}

func help() document {
	d := document{title: "Keys"}
	d.add(strong, "Keys")
	for _, k := range [][2]string{
		{"up, down, k, j", "move; in a record, scroll"},
		{"Page Up, Page Down", "move by a screen; in a record Space, too"},
		{"Home, End, g, G", "to the first and the last"},
		{"1, 2, 3, 4", "to the conflicts, what waits for review, what is new, and all records; " +
			"in a record with conflicts: take ours, the base, theirs or both"},
		{"Tab, Shift-Tab", "to the next panel and the one before; in a record to the next conflict and the one before"},
		{"Enter, right", "open the record"},
		{"Esc, left", "close it; in the list Esc takes the marks away, then the filter"},
		{"q, Ctrl-C", "quit, from anywhere; while you type a text only Ctrl-C"},
		{"n, p", "in a record: the next one and the one before"},
		{"J, K", "in the list: scroll the record beside it"},
		{"/", "search: the panels keep the items with every word in their titles, ids or notes; " +
			"the records are those whose text has the words, the best first; Esc ends it"},
		{"Space, *", "in the list: mark the item; mark all of the panel. a and r then concern all that is marked"},
		{"a", "approve a candidate; say that a record still holds; put back what an editor undid; merge again what a merge left"},
		{"r", "reject a candidate; archive a learning or fact; leave a file as an editor saved it"},
		{"u", "undo what was done here last; else it names the last action of the store and asks"},
		{"e", "open the file in $VISUAL, $EDITOR, git's editor or one that is found here"},
		{"o", "open the record in your browser"},
		{"y", "copy the id"},
		{"Mouse", "the wheel moves; a click chooses, a second one opens. With Shift the terminal selects text"},
		{"Ctrl-L", "draw the screen again"},
	} {
		d.add(head, k[0])
		d.add(plain, "  "+k[1])
	}
	return d
}

// conflict is an unresolved conflict of the file that a document shows.
type conflict struct {
	line    int // of the file
	part    int // of the document: its heading
	hasBase bool
}

// file adds the text of a file. Each conflict is shown as its sides, with the numbers of the keys that take them.
func (d *document) file(src []byte) {
	from, all := 0, record.Unresolved(src)
	for n, b := range all {
		d.prose(string(src[from:b.At[0]]))
		from = b.At[1]
		d.conflicts = append(d.conflicts, conflict{b.Line, len(d.parts), b.HasBase})
		d.add(head, fmt.Sprintf("Conflict %d of %d, line %d", n+1, len(all), b.Line))
		d.side(1, b.Labels.Ours, good, b.Ours)
		if b.HasBase {
			d.side(2, b.Labels.Base, faint, b.Base)
		}
		d.side(3, b.Labels.Theirs, warn, b.Theirs)
		d.add(plain, "")
	}
	d.prose(string(src[from:]))
	d.etag = record.Etag(src)
}

// side adds a side of a conflict: its number, name and label, and its text.
func (d *document) side(n int, label string, s style, text string) {
	name := fmt.Sprintf("%d %s", n, merge.Sides[n-1])
	if label != "" && label != merge.Sides[n-1] {
		name += " · " + oneLine(label)
	}
	if text == "" {
		text = "(nothing)"
	}
	d.add(strong, name)
	d.add(s, text)
}

// conflictAt is the line of the document with the chosen conflict's heading, -1 for none.
func (m *model) conflictAt() int {
	if m.conflict >= len(m.doc.conflicts) {
		return -1
	}
	before := document{parts: m.doc.parts[:m.doc.conflicts[m.conflict].part]}
	return len(before.lines(m.docWidth()))
}

// seesConflict reports whether the heading of the chosen conflict is on the screen; else it scrolls there.
func (m *model) seesConflict() bool {
	at := m.conflictAt()
	if at >= m.docAt && at < m.docAt+m.pageHeight()-1 {
		return true
	}
	m.turn(at - m.docAt - 1)
	return false
}

// nextConflict chooses the conflict n further on, round the end.
func (m *model) nextConflict(n int) {
	if all := len(m.doc.conflicts); all > 0 {
		m.conflict = (m.conflict + n + all) % all
		m.seesConflict()
	}
}

// take asks for the side with that key in the place of the chosen conflict, once the user can see it.
func (m *model) take(letter string) request {
	n := slices.Index([]string{"1", "2", "3", "4"}, letter)
	i := m.current()
	if n < 0 || i == nil || m.conflict >= len(m.doc.conflicts) || !m.seesConflict() {
		return request{}
	}
	c := m.doc.conflicts[m.conflict]
	if merge.Sides[n] == "base" && !c.hasBase {
		m.say("this conflict shows no base", true)
		return request{}
	}
	of := *i
	of.Etag = m.doc.etag
	return request{do: take, items: []item{of}, reason: merge.Sides[n], line: c.line}
}
