package git

import (
	"os"
	"slices"
	"strings"
)

// setting is one line of a git configuration file. Section and key are in lower case.
type setting struct{ section, subsection, key, value string }

// is reports whether the value is one of some words.
func (s setting) is(words ...string) bool { return slices.Contains(words, strings.ToLower(s.value)) }

// readSettings returns the settings in a configuration file, none if it cannot be read. Includes are settings like others.
func readSettings(path string) []setting {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return parseSettings(string(b))
}

// parseSettings reads the format of git-config(1). It skips invalid lines.
func parseSettings(text string) []setting {
	var out []setting
	var section, subsection string
	text = strings.TrimPrefix(text, "\ufeff") + "\n"
	for text != "" {
		line := strings.TrimLeft(text, " \t\r\n")
		switch {
		case line == "":
			return out
		case line[0] == '#' || line[0] == ';':
			_, text, _ = strings.Cut(line, "\n")
		case line[0] == '[':
			section, subsection, text = parseSection(line[1:])
		default:
			var s setting
			s, text = parseSetting(line)
			s.section, s.subsection = section, subsection
			if s.key != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// parseSection reads a header after its opening bracket: `name]`, `name "sub \" section"]` or `name.sub]`.
func parseSection(text string) (section, subsection, rest string) {
	end := strings.IndexAny(text, " \t]\"\n")
	if end < 0 {
		return "", "", ""
	}
	section = strings.ToLower(text[:end])
	if name, sub, ok := strings.Cut(section, "."); ok {
		section, subsection = name, sub
	}
	text = strings.TrimLeft(text[end:], " \t")
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		var b strings.Builder
		i := 0
		for ; i < len(quoted) && quoted[i] != '"' && quoted[i] != '\n'; i++ {
			if quoted[i] == '\\' && i+1 < len(quoted) {
				i++
			}
			b.WriteByte(quoted[i])
		}
		subsection, text = b.String(), quoted[i:]
	}
	line, _, _ := strings.Cut(text, "\n")
	if _, _, ok := strings.Cut(line, "]"); !ok { // not a header
		return "", "", text[len(line):]
	}
	_, rest, _ = strings.Cut(text, "]")
	return section, subsection, rest
}

// parseSetting reads `key = value` with its comment and continued lines; text ends with a line end. A key without a value is true.
func parseSetting(text string) (s setting, rest string) {
	end := strings.IndexAny(text, "=\n#;")
	s.key = strings.ToLower(strings.TrimSpace(text[:end]))
	if text[end] != '=' {
		s.value = "true"
		_, rest, _ = strings.Cut(text[end:], "\n")
		return s, rest
	}
	text = strings.TrimLeft(text[end+1:], " \t")
	var value []byte
	quoted, keep := false, 0 // keep: the length without unquoted spaces at the end
	i := 0
	for ; i < len(text) && text[i] != '\n' && (quoted || text[i] != '#' && text[i] != ';'); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted = !quoted
			keep = len(value)
		case c == '\\' && strings.HasPrefix(text[i+1:], "\r\n"):
			i += 2
			keep = len(value)
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				value = append(value, escapes.Replace(text[i:i+1])...)
			}
			keep = len(value)
		default:
			value = append(value, c)
			if quoted || c != ' ' && c != '\t' && c != '\r' {
				keep = len(value)
			}
		}
	}
	s.value = string(value[:keep])
	_, rest, _ = strings.Cut(text[i:], "\n")
	return s, rest
}

// escapes has the characters that git writes with a letter after a backslash.
var escapes = strings.NewReplacer("n", "\n", "t", "\t", "b", "\b")
