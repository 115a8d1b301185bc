package capture

// Sentence is a sentence of a text.
type Sentence struct {
	Text  string // line breaks as blanks, emphasis taken off
	Line  int    // 1-based, where it begins
	First bool   // the first of its paragraph or list item
	Item  bool   // in a list
}

// Sentences returns the sentences in the paragraphs and lists of a text, which may be Markdown. Headings, tables, code and quotes have
// none.
func Sentences(text string) (out []Sentence) {
	for _, b := range blocksOf(text) {
		if b.kind != paragraph && b.kind != listItem {
			continue
		}
		for i, s := range sentencesOf(b) {
			out = append(out, Sentence{s.text, s.line, i == 0, b.kind == listItem})
		}
	}
	return out
}
