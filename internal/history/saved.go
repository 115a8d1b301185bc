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

// saves are the journal's entries for a record, the latest first, with the changes of each.
type saves struct {
	entries []journal.Entry
	changed [][]SectionChange
	items   []itemSet
}

// savesOf reads the journal for every identity that the record has had.
func (h *history) savesOf(t *trace) saves {
	var s saves
	seen := map[string]bool{}
	for id := range t.ids {
		for _, e := range h.st.Entries(id) {
			if (e.Op == journal.Save || e.Op == journal.Remove || e.Op == journal.Undo) && !seen[e.ID] {
				seen[e.ID] = true
				s.entries = append(s.entries, e)
			}
		}
	}
	slices.SortStableFunc(s.entries, func(a, b journal.Entry) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(b.ID, a.ID))
	})
	for _, e := range s.entries {
		var changed []SectionChange
		for _, saved := range e.Sections {
			for _, c := range sectionChanges([]byte(saved.Before), []byte(saved.After)) {
				c.Name = saved.Name
				changed = append(changed, c)
			}
		}
		s.changed = append(s.changed, changed)
		s.items = append(s.items, itemsOf(changed))
	}
	return s
}

// itemSet is the texts of the items that changes added and removed.
type itemSet struct{ added, removed map[string]bool }

func itemsOf(all []SectionChange) itemSet {
	set := itemSet{map[string]bool{}, map[string]bool{}}
	for _, s := range all {
		for _, i := range s.Items {
			if i.New != "" {
				set.added[record.OneLine(i.New)] = true
			}
			if i.Old != "" {
				set.removed[record.OneLine(i.Old)] = true
			}
		}
	}
	return set
}

// overlaps reports whether both sets add or remove a same item.
func (s itemSet) overlaps(o itemSet) bool {
	common := func(a, b map[string]bool) bool {
		for t := range a {
			if b[t] {
				return true
			}
		}
		return false
	}
	return common(s.added, o.added) || common(s.removed, o.removed)
}

// saved lists the uncommitted changes of a record, the latest first: first, without a time, the edits by hand, then the saves of tools.
func (h *history) saved(t *trace, open *Change) []SavedStep {
	all := h.savesOf(t)
	committed := map[string]bool{}
	if open.old != nil {
		lf := bytes.ReplaceAll(open.old.src, []byte("\r\n"), []byte("\n"))
		committed[record.Etag(open.old.src)], committed[record.Etag(lf)] = true, true
		committed[record.Etag(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n")))] = true
	}
	differs := itemsOf(open.Sections)
	out, byTools := []SavedStep{}, itemsOf(nil)
	below := "" // the version on which the last save that counts was made
	if open.new != nil {
		below = record.Etag(open.new.src)
	}
	for i, e := range all.entries {
		if committed[e.After] && e.Op != journal.Remove {
			break
		}
		items := all.items[i]
		if e.After != below && !items.overlaps(differs) {
			continue
		}
		below = e.Before
		maps.Copy(byTools.added, items.added)
		maps.Copy(byTools.removed, items.removed)
		step := SavedStep{By: "tool", Tool: e.Tool, Session: e.Session, Time: e.Time.UTC().Format(time.RFC3339), Sections: all.changed[i]}
		step.Summary = sectionsInWords(step.Sections)
		switch {
		case e.Op == journal.Remove:
			step.Summary = "removed"
		case e.Op == journal.Undo:
			step.Summary = strings.TrimSuffix("undo: "+step.Summary, ": ")
		case step.Summary == "":
			step.Summary = "front matter"
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
			return (i.New == "" || byTools.added[record.OneLine(i.New)]) && (i.New != "" || byTools.removed[record.OneLine(i.Old)])
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
