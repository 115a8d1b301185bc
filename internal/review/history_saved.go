package review

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// What is in no commit yet was saved by tools, which the journal of this clone remembers, or edited by hand. The
// journal remembers more than that: saves that were committed since, and saves on other branches. A save counts when
// something that it wrote is among what differs from the commit, or when such a save was made on top of it.

// saves are the journal's entries for a record, the latest first, with what each of them changed.
type saves struct {
	entries []store.Entry
	changed [][]SectionChange
	words   []words
}

// savesOf reads the journal for every identity that the record has had.
func (h *history) savesOf(t *trace) saves {
	var s saves
	seen := map[string]bool{}
	for id := range t.ids {
		for _, e := range h.st.Entries(id) {
			if (e.Op == store.OpSave || e.Op == store.OpRemove || e.Op == store.OpUndo) && !seen[e.ID] {
				seen[e.ID] = true
				s.entries = append(s.entries, e)
			}
		}
	}
	slices.SortStableFunc(s.entries, func(a, b store.Entry) int {
		if n := b.Time.Compare(a.Time); n != 0 {
			return n
		}
		return strings.Compare(b.ID, a.ID)
	})
	for _, e := range s.entries {
		var changed []SectionChange
		for _, c := range e.Sections {
			changed = append(changed, sectionSaved(c)...)
		}
		s.changed = append(s.changed, changed)
		s.words = append(s.words, wordsOf(changed))
	}
	return s
}

// sectionSaved tells what a save changed in a section.
func sectionSaved(c store.SectionChange) []SectionChange {
	all := []SectionChange{}
	for _, d := range markdown.Diff([]byte(c.Before), []byte(c.After)) {
		s := sectionChange(d)
		s.Name = c.Name
		all = append(all, s)
	}
	return all
}

// words are the items that came and went with changes, each by what it says.
type words struct{ came, went map[string]bool }

func wordsOf(all []SectionChange) words {
	w := words{map[string]bool{}, map[string]bool{}}
	for _, s := range all {
		for _, i := range s.Items {
			if i.New != "" {
				w.came[oneLine(i.New)] = true
			}
			if i.Old != "" {
				w.went[oneLine(i.Old)] = true
			}
		}
	}
	return w
}

// meets reports whether two changes have something in common.
func (w words) meets(o words) bool {
	for t := range w.came {
		if o.came[t] {
			return true
		}
	}
	for t := range w.went {
		if o.went[t] {
			return true
		}
	}
	return false
}

// saved lists what is not committed of a record, the latest first: saves of tools, then, without a time, what
// no save explains.
func (h *history) saved(t *trace, open *Change) []SavedStep {
	all := h.savesOf(t)
	committed := map[string]bool{}
	if open.old != nil {
		lf := bytes.ReplaceAll(open.old.src, []byte("\r\n"), []byte("\n"))
		committed[record.Etag(open.old.src)], committed[record.Etag(lf)] = true, true
		committed[record.Etag(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n")))] = true
	}
	differs := wordsOf(open.Sections)
	out, byTools := []SavedStep{}, words{map[string]bool{}, map[string]bool{}}
	below := "" // the version on which the last save that counts was made
	if open.new != nil {
		below = record.Etag(open.new.src)
	}
	for i, e := range all.entries {
		if committed[e.After] && e.Op != store.OpRemove {
			break
		}
		w := all.words[i]
		if e.After != below && !w.meets(differs) {
			continue
		}
		below = e.Before
		for text := range w.came {
			byTools.came[text] = true
		}
		for text := range w.went {
			byTools.went[text] = true
		}
		step := SavedStep{By: "tool", Tool: e.Tool, Session: e.Session, Time: e.Time.UTC().Format(time.RFC3339), Sections: all.changed[i]}
		step.Summary = sectionsInWords(step.Sections)
		switch {
		case e.Op == store.OpRemove:
			step.Summary = "removed"
		case e.Op == store.OpUndo:
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
		out = append([]SavedStep{*hand}, out...)
	}
	return out
}

// byHand is what no save explains, nil when all is explained.
func byHand(open *Change, byTools words, anySave bool) *SavedStep {
	step := &SavedStep{By: "hand", Sections: []SectionChange{}}
	for _, s := range open.Sections {
		s.Items = slices.DeleteFunc(slices.Clone(s.Items), func(i ItemChange) bool {
			return (i.New == "" || byTools.came[oneLine(i.New)]) && (i.New != "" || byTools.went[oneLine(i.Old)])
		})
		if len(s.Items) > 0 || !s.MeaningChanged && !anySave {
			step.Sections = append(step.Sections, s)
		}
	}
	c := *open
	c.Sections = step.Sections
	if anySave { // keys are not looked at: a save changes its own
		if len(c.Sections) == 0 {
			return nil
		}
		c.Keys, c.Status = nil, Changed
	}
	step.Summary = c.inWords()
	return step
}
