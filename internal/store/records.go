package store

import (
	"bytes"
	"fmt"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/journal"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// describeRecord returns the contents of a record's file for the journal. The text before the first section is a section without a name.
func (s *Store) describeRecord(path string, doc *record.Doc) journal.File {
	r := doc.Record(path, record.Defaults{Project: s.Project()})
	d := journal.File{Record: r.ID, Revision: doc.Revision(), Sections: []journal.Section{{Name: "", Text: r.Preamble}}}
	if front, err := doc.Front(); err == nil {
		d.Made = front.Has("id") || front.Has("created") || front.Has("date")
	}
	for _, sec := range r.Sections {
		d.Sections = append(d.Sections, journal.Section{Name: sec.Name, Text: sec.Text})
	}
	return d
}

// putBack makes changes of sections again in a file that has changed, and returns those that conflict.
func putBack(path string, now []byte, lost []journal.Change) (after []byte, left []journal.Change) {
	kind, _ := record.KindOf(path)
	with := func(name, text string) []byte {
		var out []byte
		var err error
		if name == "" {
			out, _, err = record.WithContent(kind, now, text)
		} else {
			u, e := record.Edit(now, kind, nil, []markdown.Change{{Section: markdown.Known{Name: name}, Text: text}})
			out, err = u.Out, e
		}
		if err != nil {
			return nil
		}
		return out
	}
	was := now
	for _, c := range lost {
		base, theirs := with(c.Name, c.Before), with(c.Name, c.After)
		if base == nil || theirs == nil {
			left = append(left, c)
			continue
		}
		out, err := Merge(path, base, now, theirs)
		if err != nil {
			left = append(left, c)
			continue
		}
		now = out
	}
	if n := record.Open(was).Revision(); n > 0 && !bytes.Equal(now, was) {
		if u, err := record.Edit(now, kind, []frontmatter.Set{{Key: "revision", Value: n + 1}}, nil); err == nil {
			now = u.Out
		}
	}
	return now, left
}

// Merge merges three versions of a record at a path; the fault is Conflict.
func Merge(path string, base, ours, theirs []byte) ([]byte, error) {
	kind, _ := record.KindOf(path)
	m := record.Merge(kind, base, ours, theirs, markdown.MergeLabels{})
	if len(m.Conflicts) == 0 {
		return m.Out, nil
	}
	var both strings.Builder
	for _, c := range m.Conflicts {
		fmt.Fprintf(&both, "\n\n%s, in the file:\n%s\n\nto be put there:\n%s", c.Where, c.Ours, c.Theirs)
	}
	return nil, fault.New(fault.Conflict, "the same words were changed on both sides, nothing was written%s", both.String()).
		At(shown(path), 0).With("merge the two texts by hand")
}
