package history

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// git blame names the commit of each of an item's lines, with one correction: a commit that only rewrapped, indented, renumbered or
// moved an item did not write it, so blame goes on in the version before. The files need no keys for this.

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
}

// WhyOf finds the author and commit of every item of a record, or of one of its sections.
func WhyOf(ctx context.Context, st *store.Store, s Subject, section string) (Why, error) {
	h, err := openHistory(ctx, st)
	if err != nil {
		return Why{}, err
	}
	defer h.close()
	now := h.onDisk(s.Path)
	if now == nil {
		return Why{}, fault.New(fault.NotFound, "%s is gone from %s", s.ID, store.Folder+"/"+s.Path).With("sdd log " + s.ID + " tells when")
	}
	if now.err != nil {
		return Why{}, now.err
	}
	t, open, err := h.traceFrom(s)
	if err != nil {
		return Why{}, err
	}
	w := Why{ID: s.ID, File: store.Folder + "/" + s.Path, Section: section, Items: []WhyItem{}}
	name := sectionNamed(s.Path, section)
	if section != "" && !now.hasSection(name) {
		return Why{}, fault.New(fault.NotFound, "%s has no section %q", s.ID, record.OneLine(section)).For("RECORD").
			With("sdd show " + s.ID + " prints all of it")
	}
	b := &blamer{h: h, pages: map[string]*blamed{}}
	page, err := b.disk(now, s.Path, open)
	if err != nil {
		return Why{}, err
	}
	saves := h.savesOf(t)
	for _, i := range page.items {
		if section != "" && !name.is(i.section) {
			continue
		}
		item, err := b.why(page, i)
		if err != nil {
			return Why{}, err
		}
		saves.complete(&item)
		w.Items = append(w.Items, item)
	}
	w.Shallow, err = h.repo.Shallow(ctx)
	return w, err
}

// block is an item with its lines.
type block struct {
	section    string
	line, last int // 1-based, in the file
	text       string
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
	slices.Sort(starts)
	for i := range all {
		end, _ := slices.BinarySearch(starts, all[i].line+1)
		all[i].last = len(lines)
		if end < len(starts) {
			all[i].last = starts[end] - 1
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

// blamed is one version of a file with its items and the origin of each line.
type blamed struct {
	version *version
	items   []block
	lines   []git.Origin
	changes map[string]map[int]bool // by the version before: the first lines of items whose text differs from it
}

// blamer reads versions of files with their origins, each once.
type blamer struct {
	h     *history
	pages map[string]*blamed
}

// disk is the file as it is now. Lines changed since the commit that is checked out have no commit.
func (b *blamer) disk(now *version, path string, open *Change) (*blamed, error) {
	p := &blamed{version: now, items: blocksOf(now)}
	if open != nil && open.old != nil {
		path = open.old.path
	}
	head, err := b.h.repo.Head(b.h.ctx)
	if err != nil {
		return nil, err
	}
	if head != "" && (open == nil || open.old != nil) {
		if p.lines, err = b.h.repo.Annotate(b.h.ctx, git.WorkTree, b.h.prefix+"/"+path, now.src); err != nil {
			return nil, err
		}
	}
	for i := range p.lines {
		if p.lines[i].Commit == "" {
			p.lines[i].Before, p.lines[i].BeforePath = head, b.h.prefix+"/"+path
		}
	}
	return p, nil
}

// at is the file at path in a commit.
func (b *blamer) at(commit, path string) (*blamed, error) {
	key := commit + ":" + path
	if p := b.pages[key]; p != nil {
		return p, nil
	}
	src, err := b.h.objects.Read(key)
	if err != nil {
		return nil, err
	}
	rel, _ := b.h.recordPath(path)
	p := &blamed{version: newVersion(rel, src, b.h.project(state{rev: commit}))}
	p.items = blocksOf(p.version)
	b.pages[key] = p
	return p, nil
}

// origins blames the lines of a version.
func (b *blamer) origins(p *blamed, commit, path string) (err error) {
	if p.lines == nil {
		p.lines, err = b.h.repo.Annotate(b.h.ctx, commit, path, nil)
	}
	return err
}

const mostSteps = 100 // changes of form to go back through

// why finds the commits that wrote an item.
func (b *blamer) why(p *blamed, i block) (WhyItem, error) {
	item := WhyItem{Section: i.section, Line: i.line, Text: i.text, Also: []Origin{}}
	lines := p.linesOf(i)
	for range mostSteps {
		earlier, err := b.throughForm(p, i, lines)
		if err != nil {
			return item, err
		}
		if earlier == nil {
			break
		}
		lines = earlier
	}
	type share struct {
		Origin
		chars int
	}
	var shares []share
	for _, l := range lines {
		o := Origin{Commit: l.Commit}
		if l.Commit != "" {
			o = Origin{Commit: l.Commit, Author: l.Author, Date: l.Date, Subject: l.Subject, File: l.Path}
		}
		k := slices.IndexFunc(shares, func(s share) bool { return s.Commit == o.Commit })
		if k < 0 {
			k, shares = len(shares), append(shares, share{Origin: o})
		}
		shares[k].chars += letters(l.Text)
	}
	slices.SortStableFunc(shares, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.chars, a.chars), later(b.Origin, a.Origin))
	})
	for n, s := range shares {
		if n == 0 {
			item.Origin = s.Origin
		} else if s.Commit != "" {
			item.Also = append(item.Also, s.Origin)
		}
	}
	return item, nil
}

// linesOf are the origins of an item's lines; without a history, one empty origin.
func (p *blamed) linesOf(i block) []git.Origin {
	var out []git.Origin
	for n := i.line; n <= min(i.last, len(p.lines)); n++ {
		if letters(p.lines[n-1].Text) > 0 {
			out = append(out, p.lines[n-1])
		}
	}
	if len(out) == 0 && i.line <= len(p.lines) {
		out = append(out, p.lines[i.line-1])
	}
	if len(out) == 0 {
		out = []git.Origin{{}}
	}
	return out
}

// throughForm looks for a commit among the origins of an item that changed only its form or place, and replaces its lines with those
// of the item in the version before; nil when all commits changed the text.
func (b *blamer) throughForm(p *blamed, i block, lines []git.Origin) ([]git.Origin, error) {
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b git.Origin) int {
		return later(Origin{Commit: b.Commit, Date: b.Date}, Origin{Commit: a.Commit, Date: a.Date})
	})
	tried := map[string]bool{}
	for _, l := range lines {
		if l.Before == "" || tried[l.Commit] {
			continue
		}
		tried[l.Commit] = true
		here, at := p, i
		if l.Commit != "" {
			var err error
			if here, err = b.at(l.Commit, l.Path); err != nil {
				return nil, err
			}
			k := slices.IndexFunc(here.items, func(o block) bool { return o.line <= l.Line && l.Line <= o.last })
			if k < 0 {
				continue
			}
			at = here.items[k]
		}
		before, err := b.at(l.Before, l.BeforePath)
		if err != nil {
			return nil, err
		}
		if here.changedSince(before, l.Before+":"+l.BeforePath)[at.line] {
			continue
		}
		was := before.find(at)
		if was == nil {
			continue
		}
		if err := b.origins(before, l.Before, l.BeforePath); err != nil {
			return nil, err
		}
		others := slices.DeleteFunc(lines, func(o git.Origin) bool { return o.Commit == l.Commit })
		return append(others, before.linesOf(*was)...), nil
	}
	return nil, nil
}

// changedSince are the first lines of the items whose text differs from an earlier version.
func (p *blamed) changedSince(before *blamed, key string) map[int]bool {
	if m, ok := p.changes[key]; ok {
		return m
	}
	m := map[int]bool{}
	above := headOf(p.version.src).lines
	for _, s := range markdown.Diff(headOf(before.version.src).body, headOf(p.version.src).body) {
		for _, i := range s.Items {
			if i.Kind == markdown.Removed || i.Kind == markdown.Moved {
				continue
			}
			line := i.Line + above
			if k := slices.IndexFunc(p.items, func(o block) bool { return o.line <= line && line <= o.last }); k >= 0 {
				line = p.items[k].line // a line of code or of a table
			}
			m[line] = true
		}
	}
	if p.changes == nil {
		p.changes = map[string]map[int]bool{}
	}
	p.changes[key] = m
	return m
}

// find returns the item with the same text, preferably in the same section; nil when there is none.
func (p *blamed) find(i block) (found *block) {
	for k := range p.items {
		o := &p.items[k]
		switch {
		case o.text != i.text:
		case strings.EqualFold(o.section, i.section):
			return o
		case found == nil:
			found = o
		}
	}
	return found
}

// later compares two origins by time; uncommitted text is the latest.
func later(a, b Origin) int {
	if a.Commit == "" || b.Commit == "" {
		return cmp.Compare(min(1, len(b.Commit)), min(1, len(a.Commit)))
	}
	x, _ := time.Parse(time.RFC3339, a.Date)
	y, _ := time.Parse(time.RFC3339, b.Date)
	return cmp.Or(x.Compare(y), strings.Compare(a.Commit, b.Commit))
}

// letters counts the letters and digits of a line.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			n++
		}
	}
	return n
}

// complete adds the tool and session that saved an item, if the journal has the save.
func (s saves) complete(item *WhyItem) {
	item.By = "commit"
	if item.Commit == "" {
		item.By = "hand"
	}
	text := record.OneLine(item.Text)
	for i, e := range s.entries {
		if !s.items[i].added[text] {
			continue
		}
		item.Tool, item.Session, item.Saved = e.Tool, e.Session, e.Time.UTC().Format(time.RFC3339)
		if item.Commit == "" {
			item.By = "tool"
		}
		return
	}
}
