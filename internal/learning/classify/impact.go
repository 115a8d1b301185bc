package classify

// Impact says how much a learning matters, as its impact is defined (doc.go): low, medium, high or critical. It is
// medium when nothing speaks for another one. Case, blanks around the text and a full stop at its end do not change the
// value.
func Impact(content string) Verdict {
	toks := tokens(content)
	questions, others := 0, 0
	sentences(toks, func(_ []token, question bool) {
		if question { // asks, and says nothing
			questions++
		} else {
			others++
		}
	})
	switch {
	case questions > 0 && others == 0:
		return Verdict{Value: "low", Rule: "asks a question"}
	case others == 0:
		return Verdict{Value: "medium", Rule: nothing + "level"}
	}
	value, reason := impactModel.decide(toks, "medium")
	if reason.name == "" {
		return Verdict{Value: value, Rule: nothing + "level"}
	}
	return verdict(value, reason.name, reason.toks)
}

// nothing is the rule where there is no reason to name.
const nothing = "nothing speaks for another "

var impacts = []string{"low", "medium", "high", "critical"}

var impactModel = &model{values: impacts, rules: impactRules, table: loaded("impact", impacts), skip: func(question bool) bool { return question }}
