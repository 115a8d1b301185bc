package index

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
	tokens(b, func(t token) bool {
		for lang := range langOther + 1 {
			if len(m.m.token(b[t.start:t.end], t.kind, lang)) == 0 {
				continue
			}
			if k := len(spans) - 1; k >= 0 && t.start <= spans[k].End {
				spans[k].End = max(spans[k].End, t.end)
			} else {
				spans = append(spans, Span{t.start, t.end})
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
	tokens(b, func(t token) bool {
		for lang := range langOther + 1 {
			set |= concepts(m.m.token(b[t.start:t.end], t.kind, lang))
		}
		return true
	})
	return set
}
