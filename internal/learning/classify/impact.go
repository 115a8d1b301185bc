package classify

// Impact says how much a learning matters: low (nice to know), medium (affects implementation), high
// (affects architecture) or critical (blocks progress if ignored). It is medium when nothing speaks for
// another one. Case, blanks around the text and a full stop at its end do not change the value.
func Impact(content string) Verdict {
	toks := tokens(content)
	t := newTally(impacts, impactRules())
	questions, others := 0, 0
	sentences(toks, func(toks []token, question bool) {
		if question { // asks, and says nothing
			questions++
			return
		}
		others++
		impactRules().find(toks, func(h hit) { t.add(h, 0) })
	})
	if questions > 0 && others == 0 {
		return Verdict{Value: "low", Rule: "asks a question"}
	}
	// The graver level first, as long as no other has more evidence. A weak sign of high, made of words for parts alone,
	// gives way to what is a rule for a few lines.
	critical, high, medium, low := t.sum("critical"), t.sum("high"), t.sum("medium"), t.sum("low")
	switch {
	case critical >= 3 && critical >= max(high, low) && critical > medium:
		return t.verdict("critical")
	case high >= 2 && high > low && (t.heaviest("high") >= 2 || high > medium):
		return t.verdict("high")
	case low >= 1.5 && low > medium/2 || low > medium:
		return t.verdict("low")
	case medium > 0:
		return t.verdict("medium")
	}
	return Verdict{Value: "medium", Rule: "nothing speaks for another level"}
}

var impacts = []string{"low", "medium", "high", "critical"}
