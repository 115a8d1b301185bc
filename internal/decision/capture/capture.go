// Package capture finds decisions in prose: an assistant's answer, a transcript, a commit message, the notes of a meeting, an ADR.
//
// A text is taken apart into blocks (blocks.go) under headings and labels, which are known in English, Russian, German, Spanish,
// French, Portuguese, Chinese and Japanese (labels.txt), and blocks into sentences (sentences.go). A sentence is a decision when
// it has one of the forms of forms.go, which are English and Russian, or when it is a statement under a heading or label of
// decisions, in any language. Questions, conditions and withdrawn decisions are none.
package capture

import (
	"slices"

	"sdd/internal/record"
)

// Decision is a decision found in a text.
type Decision struct {
	Sentence string // the words of the text, line breaks as blanks
	Decision string // what was decided, in the language of the text, without reasons
	record.Causes
	Status     string  // accepted, proposed or superseded
	Confidence float64 // 0.5 to 1; from Sure on it needs no review
	Rule       string  // the name of the form, for people: "chose", "we will"
	Line       int     // 1-based, where the sentence begins
}

// Sure is the confidence from which a decision is recorded without approval.
const Sure = 0.85

// doubtful is the most confidence of a decision that the words around it may take back: it needs review.
const doubtful = Sure - 0.05

// least is the confidence below which nothing is reported.
const least = 0.5

// Find returns the decisions in text, which may be Markdown, in its order. The same text gives the same decisions; time is linear in
// its size.
func Find(text string) []Decision {
	blocks := blocksOf(text)
	r := &reader{places: map[string]int{}, last: -1, fresh: true}
	r.document = slices.ContainsFunc(blocks, func(b textBlock) bool { return b.kind == heading })
	for _, b := range blocks {
		r.block(b)
	}
	return r.out
}
