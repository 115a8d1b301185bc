package catalog

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a URI template of RFC 6570 with {name} and {+name} only, split at its variables:
// text, variable, text, variable, text.
type Pattern struct {
	texts []string
	vars  []string
	rest  bool // the last variable takes slashes too
}

func ParsePattern(uri string) (Pattern, error) {
	var p Pattern
	for {
		text, after, found := strings.Cut(uri, "{")
		p.texts = append(p.texts, text)
		if !found {
			return p, nil
		}
		name, after, found := strings.Cut(after, "}")
		if !found {
			return p, fmt.Errorf("a brace is not closed")
		}
		if p.rest {
			return p, fmt.Errorf("{+%s} is not the last variable", p.vars[len(p.vars)-1])
		}
		if len(p.vars) > 0 && text == "" {
			return p, fmt.Errorf("nothing stands between two variables")
		}
		name, p.rest = strings.CutPrefix(name, "+")
		if name == "" || strings.ContainsAny(name, "+#./;?&,*:|") {
			return p, fmt.Errorf("{%s} is neither {name} nor {+name}", name)
		}
		p.vars = append(p.vars, name)
		uri = after
	}
}

// Match returns the decoded variables when uri fits.
func (p Pattern) Match(uri string) (map[string]string, bool) {
	if !utf8.ValidString(uri) {
		return nil, false
	}
	vars := map[string]string{}
	uri, ok := strings.CutPrefix(uri, p.texts[0])
	if !ok {
		return nil, false
	}
	for i, name := range p.vars {
		next := p.texts[i+1]
		var raw string
		if i == len(p.vars)-1 {
			if raw, ok = strings.CutSuffix(uri, next); !ok {
				return nil, false
			}
			uri = ""
		} else if raw, uri, ok = strings.Cut(uri, next); !ok {
			return nil, false
		}
		many := p.rest && i == len(p.vars)-1
		if strings.ContainsAny(raw, "?#") || !many && strings.Contains(raw, "/") {
			return nil, false
		}
		value, err := url.PathUnescape(raw)
		if err != nil || !utf8.ValidString(value) {
			return nil, false
		}
		for _, segment := range strings.Split(value, "/") {
			if segment == "" || segment == "." || segment == ".." || strings.ContainsFunc(segment, unsafeInPath) {
				return nil, false
			}
		}
		if !many && strings.Contains(value, "/") {
			return nil, false
		}
		vars[name] = value
	}
	return vars, uri == ""
}

func unsafeInPath(r rune) bool { return r == '\\' || unicode.IsControl(r) }

// Expand returns the URI with vars in it, escaped so that match and any RFC 6570 library give
// vars back.
func (p Pattern) Expand(vars map[string]string) string {
	var b strings.Builder
	b.WriteString(p.texts[0])
	for i, name := range p.vars {
		for _, c := range []byte(vars[name]) {
			switch {
			case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0,
				c == '/' && p.rest && i == len(p.vars)-1:
				b.WriteByte(c)
			default:
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		b.WriteString(p.texts[i+1])
	}
	return b.String()
}
