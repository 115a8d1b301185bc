package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/discovery"
	"sdd/internal/secrets"
)

// Lengths, in characters.
const (
	maxContent      = 300
	maxEvidenceText = 200
	maxName         = 120
)

// brief returns text on one line with at most limit characters, cut after a word.
func brief(text string, limit int) string {
	text = discovery.OneLine(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit-2]
	for i := len(runes) - 1; i > limit/2; i-- {
		if runes[i] == ' ' {
			return string(runes[:i]) + " …"
		}
	}
	return string(runes) + "…"
}

// code returns a name between backticks.
func code(name string) string {
	return "`" + brief(strings.ReplaceAll(name, "`", "'"), maxName) + "`"
}

// plainPath returns a path for display: quoted unless it is plain text.
func plainPath(file string) string {
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '`' }
	if !utf8.ValidString(file) || strings.ContainsFunc(file, odd) {
		return strconv.Quote(file)
	}
	return file
}

// withoutSecrets blanks likely secrets.
func withoutSecrets(text string) string {
	for _, f := range slices.Backward(secrets.Scan([]byte(text))) {
		text = text[:f.Start] + "…" + text[f.End:]
	}
	return text
}

// clean normalizes a candidate and reports whether it is usable: it has words and no secret.
func clean(c *Candidate) bool {
	c.Content = brief(c.Content, maxContent)
	for i := range c.Evidence {
		e := &c.Evidence[i]
		e.Path, e.Text = plainPath(e.Path), withoutSecrets(brief(e.Text, maxEvidenceText))
	}
	texts := slices.Concat([]string{c.Content, c.Key, c.CodeRef, c.Evidence[0].Path}, c.Reasons, c.Alternatives)
	return utf8.RuneCountInString(c.Content) >= 8 && len(secrets.Scan([]byte(strings.Join(texts, "\n")))) == 0
}
