// Package capture finds decisions in prose: an assistant's answer, a transcript, a commit message, the
// notes of a meeting, an ADR. It reads English, Russian, Spanish, German, French and Portuguese, and the
// plain forms of Chinese and Japanese.
//
// A text is taken apart into blocks (blocks.go) under headings that say what stands there (headings.go),
// blocks into sentences, sentences into words. A grammar for each language (grammar_*.go) knows how a
// decision is told: by whom, by which verb, in which tense; and what keeps such words from telling one:
// questions, conditions, offers, other people, software that decides, attempts that were taken back.
// The place counts as much as the words: under "Decision" a plain statement is one.
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
	Rule         string  // what told it, for people: "en: went with", "under Decision"
	Lang         string  // en ru es de fr pt zh ja
	Line         int     // 1-based, where the sentence begins
}

// Sure is the confidence from which a decision may be recorded without asking.
const Sure = 0.85

// least is the confidence below which nothing is reported.
const least = 0.5

// Find returns the decisions that text tells, in its order. A text may be Markdown. The same text gives
// the same decisions; time is linear in its size.
func Find(text string) []Decision {
	r := &reader{lang: languageOf(text), told: map[string]int{}, last: -1}
	for b := range blocksOf(text) {
		r.block(b)
	}
	return r.out
}
