package git

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"sdd/internal/pattern"
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

// header matches what follows the bracket of `[name]`, `[name "sub \" section"]` or `[name.sub]`.
var header = pattern.Late(`^([^ \t\]"\n]*)[ \t]*(?:"((?:[^"\\\n]|\\.)*)")?[^\]\n]*\]`)

// parseSection reads a header after its opening bracket.
func parseSection(text string) (section, subsection, rest string) {
	m := header().FindStringSubmatch(text)
	if m == nil {
		_, rest, _ = strings.Cut(text, "\n")
		return "", "", rest
	}
	section, subsection, _ = strings.Cut(strings.ToLower(m[1]), ".")
	quoted := strings.NewReplacer(`\\`, `\`, `\`, "").Replace(m[2])
	return section, cmp.Or(quoted, subsection), text[len(m[0]):]
}

// written matches a value up to its comment or the end of its last line, with quoted parts and escapes.
var written = pattern.Late(`^(?:[^"\\\n#;]|\\(?:\r?\n|.)|"(?:[^"\\\n]|\\(?:\r?\n|.))*"?)*`)

// parseSetting reads `key = value` with its comment and continued lines; text ends with a line end. A key without a value is true.
func parseSetting(text string) (s setting, rest string) {
	end := strings.IndexAny(text, "=\n#;")
	s.key = strings.ToLower(strings.TrimSpace(text[:end]))
	value := "true"
	if rest = text[end:]; rest[0] == '=' {
		rest = strings.TrimLeft(rest[1:], " \t")
		value = written().FindString(rest)
		rest = rest[len(value):]
	}
	s.value = escaped().ReplaceAllStringFunc(strings.TrimRight(value, " \t\r"), func(e string) string {
		if e == `"` || e[len(e)-1] == '\n' {
			return ""
		}
		return escapes.Replace(e[1:])
	})
	_, rest, _ = strings.Cut(rest, "\n")
	return s, rest
}

// escaped matches a quotation mark, an escape or a line break that continues a value.
var escaped = pattern.Late(`\\(?:\r?\n|.)|"`)

// escapes has the characters that git writes with a letter after a backslash.
var escapes = strings.NewReplacer("n", "\n", "t", "\t", "b", "\b")
