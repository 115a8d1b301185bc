package catalog

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a URI template of RFC 6570 with {name} only, split at its variables: text, variable, text, variable, text.
type Pattern struct {
	texts []string
	vars  []string
}

// ParsePattern splits a template.
func ParsePattern(uri string) (Pattern, error) {
	var p Pattern
	for {
		text, after, found := strings.Cut(uri, "{")
		p.texts = append(p.texts, text)
		if !found {
			return p, nil
		}
		name, after, found := strings.Cut(after, "}")
		switch {
		case !found:
			return p, fmt.Errorf("a brace is not closed")
		case len(p.vars) > 0 && text == "":
			return p, fmt.Errorf("nothing stands between two variables")
		case name == "" || strings.ContainsAny(name, "+#./;?&,*:|"):
			return p, fmt.Errorf("{%s} is not {name}", name)
		}
		p.vars = append(p.vars, name)
		uri = after
	}
}

// Match returns the decoded variables of uri, and whether uri matches.
func (p Pattern) Match(uri string) (map[string]string, bool) {
	vars := map[string]string{}
	uri, ok := strings.CutPrefix(uri, p.texts[0])
	for i, name := range p.vars {
		var raw string
		if next := p.texts[i+1]; i < len(p.vars)-1 {
			raw, uri, _ = strings.Cut(uri, next)
		} else {
			raw, ok = strings.CutSuffix(uri, next)
			uri = ""
		}
		value, err := url.PathUnescape(raw)
		if !ok || err != nil || strings.ContainsAny(raw, "?#/") || !isSegment(value) {
			return nil, false
		}
		vars[name] = value
	}
	return vars, ok && uri == ""
}

// isSegment reports whether a text is a single path segment that stays in its folder.
func isSegment(text string) bool {
	unsafe := func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }
	return text != "" && text != "." && text != ".." && utf8.ValidString(text) && !strings.ContainsFunc(text, unsafe)
}

// Expand returns the URI with vars, escaped so that Match and any RFC 6570 library can restore
// them.
func (p Pattern) Expand(vars map[string]string) string {
	var b strings.Builder
	b.WriteString(p.texts[0])
	for i, name := range p.vars {
		b.WriteString(strings.ReplaceAll(url.QueryEscape(vars[name]), "+", "%20"))
		b.WriteString(p.texts[i+1])
	}
	return b.String()
}
