package grep

import (
	"path"
	"regexp"
	"strings"
)

// compileGlob converts a glob to an expression for whole paths: * and ? stay within a folder, ** as a whole
// element crosses folders, \ makes the next character literal.
func compileGlob(glob string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(`\A`)
	for i := 0; i < len(glob); {
		rest := glob[i:]
		atStart := i == 0 || glob[i-1] == '/'
		switch {
		case atStart && strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:[^/]+/)*`)
			i += 3
		case atStart && rest == "**":
			b.WriteString(`.+`)
			i += 2
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
			i++
			for i < len(glob) && glob[i] == '*' {
				i++
			}
		case rest[0] == '?':
			b.WriteString(`[^/]`)
			i++
		case rest[0] == '[':
			class, n := globClass(rest)
			b.WriteString(class)
			i += n
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	b.WriteString(`\z`)
	return regexp.Compile(`(?s)` + b.String())
}

// globClass reads a bracket expression; an unclosed bracket is a literal character.
func globClass(s string) (class string, n int) {
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for i < len(s) && s[i] != ']' {
		if s[i] == '[' && strings.HasPrefix(s[i:], "[:") {
			if end := strings.Index(s[i:], ":]"); end > 0 {
				i += end + 2
				continue
			}
		}
		if s[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(s) {
		return `\[`, 1
	}
	body := s[1:i]
	not := ""
	if body[0] == '!' || body[0] == '^' {
		not, body = "^/", body[1:]
	}
	body = strings.NewReplacer(`&`, `\&`, `~`, `\~`).Replace(body)
	if strings.HasPrefix(body, "]") {
		body = `\]` + body[1:]
	}
	return "[" + not + body + "]", i + 1
}

// below reports whether p is dir or a path in it; "" and "." contain every path.
func below(p, dir string) bool {
	return dir == "" || dir == "." || p == dir || strings.HasPrefix(p, dir) && len(p) > len(dir) && p[len(dir)] == '/'
}

// parents returns the folders above p, the outermost first, without the top.
func parents(p string) []string {
	var out []string
	for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
		out = append([]string{d}, out...)
	}
	return out
}
