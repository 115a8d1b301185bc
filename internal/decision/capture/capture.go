// Package capture finds decisions in prose: an assistant's answer, a transcript, a commit message, the notes of a meeting, an ADR.
//
// A text is taken apart into blocks (blocks.go) under headings and labels, which are known in English, Russian, German, Spanish,
// French, Portuguese, Chinese and Japanese (headings.go), and blocks into sentences (sentences.go). A sentence tells a decision when
// it has one of the forms of tell.go, which are English and Russian, or when it is a statement under a heading or label of decisions,
// in any language. Questions, conditions and what was taken back tell none.
package capture

// Decision is a decision that a text tells.
type Decision struct {
	Sentence     string // as it stands in the text, line breaks as blanks
	Decision     string // what was decided, in the language of the text, without reasons
	Reasons      []string
	Alternatives []string
	Consequences []string
	Constraints  []string
	Assumptions  []string
	Status       string  // accepted, proposed or superseded
	Confidence   float64 // 0.5 to 1; from Sure on it needs no second look
	Rule         string  // what told it, for people: "chose", "we will"
	Line         int     // 1-based, where the sentence begins
}

// Sure is the confidence from which a decision may be recorded without asking.
const Sure = 0.85

// least is the confidence below which nothing is reported.
const least = 0.5

// Find returns the decisions that text tells, in its order. A text may be Markdown. The same text gives
// the same decisions; time is linear in its size.
func Find(text string) []Decision {
	r := &reader{told: map[string]int{}, last: -1, fresh: true}
	for b := range blocksOf(text) {
		r.block(b)
	}
	return r.out
}
