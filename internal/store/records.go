package store

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// describe is Options.Describe for the records of internal/record. What stands before the
// first section is a section without a name.
func (s *Store) describe(path string, src []byte) Description {
	r := record.Parse(path, src, record.Defaults{Project: s.Project()})
	d := Description{Record: r.ID, Sections: []SectionText{{"", r.Preamble}}}
	d.Revision, d.Made = headOf(src)
	for _, sec := range r.Sections {
		d.Sections = append(d.Sections, SectionText{sec.Name, sec.Text})
	}
	return d
}

// headOf returns the revision that the front matter tells, 0 for none, and whether it has the id or the day that a record
// gets when it is made.
func headOf(src []byte) (revision int, made bool) {
	fm, err := frontmatter.Parse(src)
	if err != nil {
		return 0, false
	}
	n, _ := fm.Int("revision")
	return max(0, n), fm.Has("id") || fm.Has("created") || fm.Has("date")
}

// mostHead is how long a head may be that the journal keeps, in bytes.
const mostHead = 2048

// named returns the head of src and the title there, for the journal: "" where the head does not tell that it is
// this record, or the journal cannot carry it.
func (s *Store) named(id, path string, src []byte) (title, head string) {
	front, ok := record.Front(src)
	if !ok || len(front) > mostHead || !utf8.Valid(front) {
		return "", ""
	}
	r := record.Parse(path, front, record.Defaults{Project: s.Project()})
	if r.ID != id {
		return "", ""
	}
	return r.Title, string(front)
}

// putBack is Options.PutBack for the records of internal/record.
func putBack(path string, now []byte, lost []SectionChange) (after []byte, left []SectionChange) {
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
		out, err := merge(path, base, now, theirs)
		if err != nil {
			left = append(left, c)
			continue
		}
		now = out
	}
	if n, _ := headOf(was); n > 0 && !bytes.Equal(now, was) {
		if u, err := record.Edit(now, kind, []frontmatter.Set{{Key: "revision", Value: n + 1}}, nil); err == nil {
			now = u.Out
		}
	}
	return now, left
}

// merge is Options.Merge for the records of internal/record.
func merge(path string, base, ours, theirs []byte) ([]byte, error) {
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
