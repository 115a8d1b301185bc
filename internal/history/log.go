package history

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Log is the history of a record.
type Log struct {
	ID          string      `json:"id"`
	File        string      `json:"file"`
	Section     string      `json:"section,omitempty"`
	Uncommitted []SavedStep `json:"uncommitted"` // the latest first
	Commits     []LogStep   `json:"commits"`     // the latest first
	Shallow     bool        `json:"shallow"`     // the clone lacks older commits
}

// LogStep is a commit that changed the record.
type LogStep struct {
	Commit         string          `json:"commit"`
	Author         string          `json:"author"`
	Date           string          `json:"date"` // RFC 3339, of the author
	Subject        string          `json:"subject"`
	File           string          `json:"file"`
	OldFile        string          `json:"old_file,omitempty"`
	Status         Status          `json:"status"`
	Keys           []KeyChange     `json:"keys"`
	Sections       []SectionChange `json:"sections"`
	MeaningChanged bool            `json:"meaning_changed"`
	Summary        string          `json:"summary"` // what changed, in a line
}

// SavedStep is an uncommitted change: a save of a tool, from the journal of this clone, or an edit by hand.
type SavedStep struct {
	By       string          `json:"by"` // tool or hand
	Tool     string          `json:"tool"`
	Session  string          `json:"session"`
	Time     string          `json:"time"` // RFC 3339; "" for an edit by hand
	Sections []SectionChange `json:"sections"`
	Summary  string          `json:"summary"`
}

// LogOf lists the latest commits that changed a record or one section of it, at most limit (0 is all), and its uncommitted changes.
func LogOf(ctx context.Context, st *store.Store, s Subject, section string, limit int) (l Log, err error) {
	err = inHistory(ctx, st, func(h *history) {
		t, open := h.traceFrom(h.inFolder(s))
		l = Log{ID: s.ID, File: path.Join(store.Folder, s.Path), Section: section, Uncommitted: []SavedStep{}}
		if open != nil {
			l.Uncommitted = h.saved(t, open)
		}
		if section == "" {
			l.Commits = t.commits(limit)
		} else {
			l.Commits = t.commits(0) // not every change is of the section
			fault.Check(l.only(t, open, s, section))
		}
		if limit > 0 {
			l.Commits = l.Commits[:min(limit, len(l.Commits))]
		}
		l.Shallow = fault.Must(h.repo.Shallow(ctx))
	})
	return l, err
}

// only keeps the changes of one section. The fault is NotFound when no version of the record had the section.
func (l *Log) only(t *trace, open *Change, s Subject, asked string) error {
	name := sectionNamed(s.Path, asked)
	other := func(c SectionChange) bool { return !name.is(c.Name) }
	for i := range l.Commits {
		c := &l.Commits[i]
		c.Sections = slices.DeleteFunc(c.Sections, other)
		c.Keys, c.Summary = []KeyChange{}, sectionsInWords(c.Sections)
		c.MeaningChanged = slices.ContainsFunc(c.Sections, func(s SectionChange) bool { return s.MeaningChanged })
	}
	l.Commits = slices.DeleteFunc(l.Commits, func(c LogStep) bool { return len(c.Sections) == 0 })
	for i := range l.Uncommitted {
		u := &l.Uncommitted[i]
		u.Sections = slices.DeleteFunc(u.Sections, other)
		u.Summary = sectionsInWords(u.Sections)
	}
	l.Uncommitted = slices.DeleteFunc(l.Uncommitted, func(u SavedStep) bool { return len(u.Sections) == 0 })
	if len(l.Commits) > 0 || len(l.Uncommitted) > 0 || t.hasSection(name) || open != nil && open.new != nil && open.new.hasSection(name) {
		return nil
	}
	return fault.New(fault.NotFound, "%s has and had no section %q", s.ID, record.OneLine(asked)).For("RECORD").
		With("sdd show " + s.ID + " prints all of it")
}

// InWords describes the change in one line.
func (c Change) InWords() string {
	var parts []string
	switch c.Status {
	case Added:
		parts = append(parts, "created")
	case Removed:
		return "removed"
	case Renamed:
		parts = append(parts, "renamed from "+c.OldFile)
	}
	for _, k := range c.Keys {
		if k.hasMeaning() && c.Status != Added {
			parts = append(parts, k.inWords())
		}
	}
	if s := sectionsInWords(c.Sections); s != "" {
		parts = append(parts, s)
	}
	return cmp.Or(strings.Join(parts, "; "), formOnly)
}

func (k KeyChange) inWords() string {
	if places := k.affirmed(); places != "" {
		return places
	}
	return fmt.Sprintf("%s: %s → %s", k.Key, value(k.Old), value(k.New))
}

// affirmed names the places in the code that a change of seen is about, "" for another key.
func (k KeyChange) affirmed() string {
	if k.Key != anchor.SeenKey {
		return ""
	}
	var parts []string
	places, moved := anchor.Affirmed(k.Old, k.New)
	if len(places) > 0 {
		parts = append(parts, "affirmed for "+strings.Join(places, ", "))
	}
	if len(moved) > 0 {
		parts = append(parts, "the code moved to "+strings.Join(moved, ", "))
	}
	return strings.Join(parts, "; ")
}

// sectionsInWords counts what changed in each section.
func sectionsInWords(all []SectionChange) string {
	var parts []string
	for _, s := range all {
		parts = append(parts, sectionInWords(s))
	}
	return strings.Join(parts, "; ")
}

// sectionInWords is like `+2 items, 1 reworded in Goals`.
func sectionInWords(s SectionChange) string {
	name := cmp.Or(s.Name, "the text "+beforeSections)
	if !s.MeaningChanged {
		return formOnly + " in " + name
	}
	count := map[markdown.ItemKind]int{}
	for _, i := range s.Items {
		count[i.Kind]++
	}
	var parts []string
	for _, k := range []struct {
		kind       markdown.ItemKind
		sign, word string
	}{
		{"added", "+", ""}, {"removed", "-", ""}, {"changed", "", " changed"}, {"reworded", "", " reworded"}, {"moved", "", " moved"},
	} {
		switch n := count[k.kind]; {
		case n == 0:
		case k.sign != "" && len(parts) == 0:
			parts = append(parts, k.sign+fault.Count(n, "item", "items"))
		default:
			parts = append(parts, fmt.Sprintf("%s%d%s", k.sign, n, k.word))
		}
	}
	if len(parts) == 0 {
		return "section " + string(s.Kind) + ": " + name
	}
	return strings.Join(parts, ", ") + " in " + name
}

// A save counts when the uncommitted difference contains an item that it wrote, or when one that counts was made on top of it: the journal
// also has saves that were committed since, or made on other branches.

// save is an entry of the journal for a record, with its changes.
type save struct {
	journal.Entry
	changed []SectionChange
	items   itemSet
}

// savesOf reads the journal for every identity that the record has had, the latest save first.
func (h *history) savesOf(t *trace) (all []save) {
	seen := map[string]bool{}
	for id := range t.ids {
		for _, e := range h.st.Entries(id) {
			if e.Op != journal.Save && e.Op != journal.Remove && e.Op != journal.Undo || seen[e.ID] {
				continue
			}
			seen[e.ID] = true
			var changed []SectionChange
			for _, saved := range e.Sections {
				for _, c := range sectionChanges([]byte(saved.Before), []byte(saved.After)) {
					c.Name = saved.Name
					changed = append(changed, c)
				}
			}
			all = append(all, save{e, changed, itemsOf(changed)})
		}
	}
	slices.SortStableFunc(all, func(a, b save) int { return cmp.Or(b.Time.Compare(a.Time), strings.Compare(b.ID, a.ID)) })
	return all
}

// itemSet is the texts of the items that changes added and removed.
type itemSet map[itemMark]bool

type itemMark struct {
	mark byte // MarkAdded or MarkRemoved
	text string
}

func itemsOf(all []SectionChange) itemSet {
	set := itemSet{}
	for _, s := range all {
		for _, i := range s.Items {
			if i.New != "" {
				set[itemMark{MarkAdded, record.OneLine(i.New)}] = true
			}
			if i.Old != "" {
				set[itemMark{MarkRemoved, record.OneLine(i.Old)}] = true
			}
		}
	}
	return set
}

// overlaps reports whether both sets add or remove a same item.
func (s itemSet) overlaps(o itemSet) bool {
	for i := range s {
		if o[i] {
			return true
		}
	}
	return false
}

// saved lists the uncommitted changes of a record, the latest first: first, without a time, the edits by hand, then the saves of tools.
func (h *history) saved(t *trace, open *Change) []SavedStep {
	committed := map[string]bool{}
	if open.old != nil {
		lf := bytes.ReplaceAll(open.old.src, []byte("\r\n"), []byte("\n"))
		committed[record.Etag(open.old.src)], committed[record.Etag(lf)] = true, true
		committed[record.Etag(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n")))] = true
	}
	differs := itemsOf(open.Sections)
	out, byTools := []SavedStep{}, itemSet{}
	below := "" // the version on which the last save that counts was made
	if open.new != nil {
		below = record.Etag(open.new.src)
	}
	for _, e := range h.savesOf(t) {
		if committed[e.After] && e.Op != journal.Remove {
			break
		}
		if e.After != below && !e.items.overlaps(differs) {
			continue
		}
		below = e.Before
		maps.Copy(byTools, e.items)
		step := SavedStep{By: "tool", Tool: e.Tool, Session: e.Session, Time: e.Time.UTC().Format(time.RFC3339), Sections: e.changed}
		step.Summary = sectionsInWords(step.Sections)
		switch {
		case e.Op == journal.Remove:
			step.Summary = "removed"
		case e.Op == journal.Undo:
			step.Summary = strings.TrimSuffix("undo: "+step.Summary, ": ")
		case step.Summary == "":
			step.Summary = frontMatter
		}
		out = append(out, step)
		if committed[e.Before] {
			break
		}
	}
	if hand := byHand(open, byTools, len(out) > 0); hand != nil {
		out = slices.Insert(out, 0, *hand)
	}
	return out
}

// byHand is the part of an uncommitted change that no save made, nil when saves made all of it.
func byHand(open *Change, byTools itemSet, anySave bool) *SavedStep {
	step := &SavedStep{By: "hand", Sections: []SectionChange{}}
	for _, s := range open.Sections {
		s.Items = slices.DeleteFunc(slices.Clone(s.Items), func(i ItemChange) bool {
			if i.New == "" {
				return byTools[itemMark{MarkRemoved, record.OneLine(i.Old)}]
			}
			return byTools[itemMark{MarkAdded, record.OneLine(i.New)}]
		})
		if len(s.Items) > 0 || !s.MeaningChanged && !anySave {
			step.Sections = append(step.Sections, s)
		}
	}
	c := *open
	c.Sections = step.Sections
	if anySave { // ignore keys: saves change some themselves
		if len(c.Sections) == 0 {
			return nil
		}
		c.Keys, c.Status = nil, Changed
	}
	step.Summary = c.InWords()
	return step
}
