package embed

import (
	"strings"

	"sdd/internal/lines"
	"sdd/internal/record"
)

// kinds are the records that have vectors.
var kinds = []record.Kind{record.Exploration, record.Idea, record.Fact, record.Decision}

const (
	maxUnits = 64   // of a record
	maxText  = 6000 // bytes of a unit: models read at most a few thousand tokens
)

// unitText is the text of one vector: a record, or one section of an exploration.
type unitText struct {
	section uint16 // 0 is the record, or the text before its first section; else the place of the section, from 1
	text    string
}

// unitsOf splits the text of a record into units, without front matter.
func unitsOf(r *record.Record) []unitText {
	if r.Kind != record.Exploration {
		var b strings.Builder
		b.WriteString(r.Title + "\n" + strings.TrimSpace(r.Preamble))
		for _, s := range r.Sections {
			if !s.Inner() {
				b.WriteString("\n\n" + s.Name + ": " + s.Text)
			}
		}
		return []unitText{{0, cut(b.String())}}
	}
	var units []unitText
	if strings.TrimSpace(r.Preamble) != "" {
		units = append(units, unitText{0, cut(r.Title + "\n" + r.Preamble)})
	}
	for n, s := range r.Sections {
		if s.Text != "" && len(units) < maxUnits {
			units = append(units, unitText{uint16(n + 1), cut(r.Title + "\n" + s.Name + ": " + s.Text)})
		}
	}
	return units
}

// SectionOf returns the name of the section of a unit, "" for the record; ok is false when it has no such section.
func SectionOf(r *record.Record, section int) (name string, ok bool) {
	if section < 1 || section > len(r.Sections) {
		return "", section == 0
	}
	return r.Sections[section-1].Name, true
}

// cut returns the beginning of a text, valid UTF-8.
func cut(text string) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	return text[:lines.Border(text, maxText)]
}
