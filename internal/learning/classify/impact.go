package classify

// Impact returns how much a learning matters, as doc.go defines it: low, medium, high or critical. It is medium when
// nothing speaks for another one. The first line of the table that matches decides; critical has its explicit rules only. Case, blanks
// around the text and a full stop at its end do not change the value.
func Impact(content string) Verdict {
	text, asks := plain(tokens(head(content, maxClaim)))
	if asks {
		return Verdict{Value: "low", Rule: "asks a question"}
	}
	for _, l := range labels()["impact"] {
		if l.words().MatchString(text) && (l.value != "critical" || !harmless().MatchString(text)) {
			return Verdict{Value: l.value, Rule: l.reason(text)}
		}
	}
	return Verdict{Value: "medium", Rule: nothing + "level"}
}

// nothing is the rule where there is no reason to name.
const nothing = "nothing speaks for another "

// harmless are words that take a harm back: "without data loss", "does not expire", "prevents crashes".
var harmless = row("", "", 0, `(?:without|no|not|never|prevents?|avoids?|cannot) (?:\pL+ )?`+
	`(?:data loss|los(?:e|ing|s)|leaks?|corrupts?|expires?|crash(?:es)?|exposes?)|never expires?`).words
