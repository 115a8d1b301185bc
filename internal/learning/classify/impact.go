package classify

// Impact returns the impact of a learning, as labels.txt defines it: that of the first matching line of the table, else medium.
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

// nothing is the reason when no rule matches.
const nothing = "nothing speaks for another "

// harmless matches words that negate a harm: "without data loss", "does not expire", "prevents crashes".
var harmless = row("", "", 0, `(?:without|no|not|never|prevents?|avoids?|cannot) (?:\pL+ )?`+
	`(?:data loss|los(?:e|ing|s)|leaks?|corrupts?|expires?|crash(?:es)?|exposes?)|never expires?`).words
