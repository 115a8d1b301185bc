package sqlite

import "strings"

// columns returns the names of the columns that a CREATE TABLE statement defines, in lower case, and which of them is another
// name of the row id, -1 for none.
func columns(sql string) (names []string, rowid int) {
	rowid = -1
	words := lex(sql)
	start := 0
	for start < len(words) && words[start].text != "(" {
		start++
	}
	depth := 0
	var def []token
	end := func() {
		if len(def) == 0 || !def[0].quoted && isConstraint(def[0].text) {
			def = nil
			return
		}
		if len(def) > 3 && strings.EqualFold(def[1].text, "INTEGER") && strings.EqualFold(def[2].text, "PRIMARY") && strings.EqualFold(def[3].text, "KEY") &&
			(len(def) < 5 || !strings.EqualFold(def[4].text, "DESC")) {
			rowid = len(names)
		}
		names = append(names, strings.ToLower(def[0].text))
		def = nil
	}
	for _, w := range words[min(start, len(words)):] {
		switch {
		case w.text == "(" && !w.quoted:
			if depth++; depth == 1 {
				continue
			}
		case w.text == ")" && !w.quoted:
			if depth--; depth == 0 {
				end()
				return names, rowid
			}
		case w.text == "," && !w.quoted && depth == 1:
			end()
			continue
		}
		def = append(def, w)
	}
	return names, rowid
}

// isConstraint reports whether a word begins what stands between the columns and is none.
func isConstraint(word string) bool {
	switch strings.ToUpper(word) {
	case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
		return true
	}
	return false
}

// token is a word, a quoted name or text without its quotes, or a sign.
type token struct {
	text   string
	quoted bool
}

// lex splits a statement; comments and space are left out.
func lex(s string) (out []token) {
	for len(s) > 0 {
		c := s[0]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			s = s[1:]
		case strings.HasPrefix(s, "--"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s[2:], "*/")
		case c == '"' || c == '`' || c == '\'' || c == '[':
			text, rest := quoted(s)
			out, s = append(out, token{text, true}), rest
		case isWord(c):
			n := 1
			for n < len(s) && isWord(s[n]) {
				n++
			}
			out, s = append(out, token{s[:n], false}), s[n:]
		default:
			out, s = append(out, token{s[:1], false}), s[1:]
		}
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quoted reads a quoted name or text; a quote that stands twice is one.
func quoted(s string) (text, rest string) {
	end := s[0]
	if end == '[' {
		end = ']'
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != end {
			b.WriteByte(s[i])
			continue
		}
		if end != ']' && i+1 < len(s) && s[i+1] == end {
			b.WriteByte(end)
			i++
			continue
		}
		return b.String(), s[i+1:]
	}
	return b.String(), ""
}
