package history

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"sdd/internal/journal"
	"sdd/internal/record"
)

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
