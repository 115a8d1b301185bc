package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"sdd/internal/record"
	"slices"
	"strings"
)

// Row is a line of a difference for people to read.
type Row struct {
	Mark byte // one of the marks
	Text string
}

// Marks of rows.
const (
	MarkSection = '@'
	MarkAdded   = '+'
	MarkRemoved = '-'
	MarkMoved   = '!'
	MarkRemark  = ' '
)

const (
	beforeSections = "before the first section"
	frontMatter    = "front matter"
	formOnly       = "no change in meaning"
)

// Summary describes in a few words what happened to the record.
func (c Change) Summary() string {
	s := string(c.Status)
	if c.Status == Renamed {
		s = "renamed from " + c.OldFile
		if c.MeaningChanged {
			s += ", changed"
		}
	}
	if !c.MeaningChanged && c.Status == Changed {
		s = formOnly
	}
	return s
}

// naming are the keys that identify a record.
var naming = []string{"id", "title", "project", "scope"}

// Rows lists the differences. It includes the keys that the tool itself writes only when nothing else differs.
func (c Change) Rows() []Row {
	var rows []Row
	for _, p := range c.Problems {
		rows = append(rows, Row{MarkRemark, p})
	}
	keys := c.Keys
	if c.MeaningChanged || len(c.Sections) > 0 || c.Status != Changed {
		whole := c.Status == Added || c.Status == Removed
		keys = slices.DeleteFunc(slices.Clone(keys), func(k KeyChange) bool {
			return isBookkeeping(k.Key) || whole && slices.Contains(naming, k.Key)
		})
	}
	if len(keys) > 0 {
		rows = append(rows, Row{MarkSection, frontMatter})
		for _, k := range keys {
			if k.Old != nil {
				rows = append(rows, Row{MarkRemoved, k.Key + ": " + value(k.Old)})
			}
			if k.New != nil {
				rows = append(rows, Row{MarkAdded, k.Key + ": " + value(k.New)})
			}
		}
	}
	for _, s := range c.Sections {
		rows = append(rows, s.Rows()...)
	}
	return rows
}

// Rows lists the differences in a section.
func (s SectionChange) Rows() []Row {
	head := cmp.Or(s.Name, beforeSections)
	switch {
	case s.Was != "":
		head += " (was " + s.Was + ")"
	case s.Kind != string(Changed):
		head += " (" + s.Kind + ")"
	}
	rows := []Row{{MarkSection, head}}
	if !s.MeaningChanged {
		return append(rows, Row{MarkRemark, formOnly})
	}
	for _, i := range s.Items {
		rows = append(rows, i.rows()...)
	}
	return rows
}

func (i ItemChange) rows() []Row {
	switch i.Kind {
	case "added":
		return lines(MarkAdded, i.New)
	case "removed":
		return lines(MarkRemoved, i.Old)
	case "moved":
		rows := lines(MarkMoved, i.New)
		from := "moved: "
		if i.From != "" {
			from = "moved from " + i.From + ": "
		}
		rows[0].Text = from + rows[0].Text
		return rows
	}
	return append(lines(MarkRemoved, i.Old), lines(MarkAdded, i.New)...)
}

func lines(mark byte, text string) []Row {
	var rows []Row
	for l := range strings.SplitSeq(text, "\n") {
		rows = append(rows, Row{mark, l})
	}
	return rows
}

// value renders the value of a key: text as it is, anything else as JSON.
func value(v any) string {
	if s, ok := v.(string); ok {
		return record.OneLine(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
