package index

import "sdd/internal/analysis"

// Span is the part of a text from the byte Start up to End.
type Span struct{ Start, End int }

// Marker finds a query's words in texts, without case and accents, by stems. It is not safe for concurrent use.
type Marker struct{ m *matcher }

// NewMarker returns the marker of the words of a query. It reads no record.
func NewMarker(text string) *Marker {
	q := parseQuery(text, func(string) int { return 1 })
	return &Marker{newMatcher(&q)}
}

// Marks returns the spans of a text that are words of the query, in order and without overlap.
func (m *Marker) Marks(text string) []Span {
	var spans []Span
	b := []byte(text)
	analysis.Tokens(b, func(t analysis.Token) bool {
		for lang := range analysis.Other + 1 {
			if len(m.m.token(b[t.Start:t.End], t.Kind, lang)) == 0 {
				continue
			}
			if k := len(spans) - 1; k >= 0 && t.Start <= spans[k].End {
				spans[k].End = max(spans[k].End, t.End)
			} else {
				spans = append(spans, Span{t.Start, t.End})
			}
			break
		}
		return true
	})
	return spans
}

// Words returns the words of the query that a text has, a bit for each.
func (m *Marker) Words(text string) (set uint64) {
	b := []byte(text)
	analysis.Tokens(b, func(t analysis.Token) bool {
		for lang := range analysis.Other + 1 {
			set |= concepts(m.m.token(b[t.Start:t.End], t.Kind, lang))
		}
		return true
	})
	return set
}
