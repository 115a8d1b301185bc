package record

import (
	"strings"

	"sdd/internal/pattern"
)

// BecauseForm matches the word before a reason.
var BecauseForm = pattern.Late(`(?i)(?:^|[\s,;(])(?:because|weil|porque|parce qu(?:e\s|['’])|потому что|так как` +
	`|поскольку)(?:[\s:]+|$)|因为|因為`)

var (
	leadForm    = pattern.Late(`(?is)^\s*[*_]*chosen option[*_]*\s*:[*_]*\s*(.*)$`)
	afterOption = pattern.Late(`(?i)^[*_]{0,9}\s*(?:$|[.,;:—–-]|because\b)`)
)

// mostOption is the length of an option between marks, in bytes.
const mostOption = 1000

// quotes are the marks around an option.
var quotes = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"**", "**"}, {"`", "`"}, {"'", "'"}}

// ChosenOption reads the sentence that names the chosen option. rest is the text after the option.
func ChosenOption(paragraph string) (option, rest string, ok bool) {
	m := leadForm().FindStringSubmatch(strings.Join(strings.Fields(paragraph), " "))
	if m == nil {
		return "", "", false
	}
	text := m[1]
	for _, q := range quotes {
		inner, ok := strings.CutPrefix(text, q[0])
		if !ok {
			continue
		}
		// The first quote that may end the option and has whole pairs before it, else the last that may.
		best := 0
		for end := strings.LastIndex(inner[:min(len(inner), mostOption)], q[1]); end > 0; end = strings.LastIndex(inner[:end], q[1]) {
			if (best == 0 || strings.Count(inner[:end], q[0])%2 == 0) && afterOption().MatchString(inner[end+len(q[1]):]) {
				best = end
			}
		}
		if best > 0 {
			return strings.TrimSpace(inner[:best]), inner[best+len(q[1]):], true
		}
	}
	if at := BecauseForm().FindStringIndex(text); at != nil {
		return strings.Trim(text[:at[0]], " ,;"), text[at[0]:], true
	}
	return strings.TrimRight(text, " ."), "", true
}

// InSentence is the reason that a sentence gives, "" for none.
func InSentence(text string) string {
	at := BecauseForm().FindStringIndex(text)
	if at == nil {
		return ""
	}
	return strings.TrimRight(strings.Trim(text[at[1]:], " :"), ".")
}

// Outcome is the option alone of a sentence that names it and ends with "because", since a list of reasons follows; else the text.
func Outcome(text string) string {
	if option, rest, ok := ChosenOption(text); ok && option != "" && InSentence(rest) == "" {
		return option
	}
	return text
}
