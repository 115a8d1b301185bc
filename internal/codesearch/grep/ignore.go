package grep

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// rule is one line of an ignore file.
type rule struct {
	glob   *regexp.Regexp // matches the path below the ignore file's folder; nil if name or end is set
	name   string         // the whole name, as in most rules
	end    string         // the end of the name, as in *.log
	negate bool
	folder bool // only folders
}

// matches reports whether the rule matches the path, whose last part is name.
func (r *rule) matches(rel, name string) bool {
	switch {
	case r.glob != nil:
		return r.glob.MatchString(rel)
	case r.end != "":
		return strings.HasSuffix(name, r.end)
	}
	return name == r.name
}

// rules are the rules of one ignore file. The last one that matches decides.
type rules struct {
	dir    string // the folder in which they apply, "" for the top
	prefix string // the path of the top itself, if the ignore file is above it
	list   []rule
}

const globBytes = `*?[\`

// parseRules reads an ignore file in dir.
func parseRules(dir string, src []byte) rules {
	r := rules{dir: dir}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(src)) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		var one rule
		if line[0] == '!' {
			one.negate, line = true, line[1:]
		}
		if strings.HasSuffix(line, "/") {
			one.folder, line = true, strings.TrimRight(line, "/")
		}
		if line == "" {
			continue
		}
		anchored := strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if !anchored {
			if end, ok := strings.CutPrefix(line, "*"); !strings.ContainsAny(end, globBytes) {
				if one.name = end; ok {
					one.name, one.end = "", end
				}
				if end != "" {
					r.list = append(r.list, one)
					continue
				}
			}
			line = "**/" + line
		}
		glob, err := compileGlob(line)
		if err != nil {
			continue // for git, such a line never matches
		}
		one.glob = glob
		r.list = append(r.list, one)
	}
	return r
}

// verdict returns whether the rules ignore p, a path below their folder; known is false if no rule matches.
func (r rules) verdict(p string, folder bool) (ignored, known bool) {
	rel := p
	if r.dir != "" {
		rel = strings.TrimPrefix(p, r.dir+"/")
	}
	if r.prefix != "" {
		rel = r.prefix + rel
	}
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	for i := len(r.list) - 1; i >= 0; i-- {
		one := &r.list[i]
		if (folder || !one.folder) && one.matches(rel, name) {
			return !one.negate, true
		}
	}
	return false, false
}

// ignoredBy reports whether the innermost rules with a verdict ignore p.
func ignoredBy(stack []rules, p string, folder bool) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		if ignored, known := stack[i].verdict(p, folder); known {
			return ignored
		}
	}
	return false
}

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
