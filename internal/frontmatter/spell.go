package frontmatter

import (
	"fmt"
	"strings"
)

// Quote returns s as a YAML value on one line: plain where YAML 1.1 and 1.2 read it back alike, else between double quotes.
func Quote(s string) string { return spell(s, stylePlain, false) }

// spell returns s in the wanted style if that can hold it, else between double quotes. In a flow list, brackets and commas need quotes too.
func spell(s string, want style, flow bool) string {
	switch {
	case want == styleSingle && isPrintable(s):
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	case want != styleSingle && want != styleDouble && isPlain(s, flow):
		return s
	}
	return doubleQuoted(s)
}

func isPlain(s string, flow bool) bool {
	switch {
	case s == "", strings.TrimSpace(s) != s, !isPrintable(s), strings.IndexByte("-?:,[]{}#&*!|>'\"%@`=<", s[0]) >= 0,
		strings.Contains(s, ": "), strings.HasSuffix(s, ":"), strings.Contains(s, " #"), flow && strings.ContainsAny(s, ",[]{}:"):
		return false
	}
	switch strings.ToLower(s) {
	case "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return !isNumberLike(s)
}

// isNumberLike is true for every number, date and time of YAML 1.1 and 1.2, and for some texts that only look like one.
func isNumberLike(s string) bool {
	switch strings.ToLower(strings.TrimLeft(s, "+")) {
	case ".inf", ".nan":
		return true
	}
	if c := s[0]; c != '+' && c != '.' && (c < '0' || c > '9') {
		return false
	}
	return strings.Trim(s, "0123456789abcdefABCDEFxXoO_:.,+-tTzZ ") == ""
}

// isPrintable reports whether s needs no escapes on one line. What turns the direction of text is escaped so that a reader sees it.
func isPrintable(s string) bool { return !strings.ContainsFunc(s, mustEscape) }

func mustEscape(r rune) bool {
	return isWild(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

var shortEscapes = map[rune]rune{'"': '"', '\\': '\\', '\n': 'n', '\t': 't', '\r': 'r'}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch short := shortEscapes[r]; {
		case short != 0:
			b.WriteString(`\` + string(short))
		case mustEscape(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// literal returns s as the lines of a `|` value, or false if that cannot hold it.
func literal(s, indent, newline string) (string, bool) {
	text, head := strings.TrimSuffix(s, "\n"), "|"
	if text == s {
		head = "|-"
	}
	if text == "" || text[0] == ' ' || text[0] == '\n' || !strings.Contains(s, "\n") ||
		strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) == "" || !isPrintable(strings.ReplaceAll(text, "\n", "")) {
		return "", false
	}
	var b strings.Builder
	b.WriteString(head + newline)
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			b.WriteString(indent + line)
		}
		b.WriteString(newline)
	}
	return b.String(), true
}

// inline spells n on one line, a scalar in the given style.
func (n *node) inline(s style, flow bool) string {
	var parts []string
	switch n.kind {
	case kindList:
		for i := range n.items {
			parts = append(parts, n.items[i].inline(stylePlain, true))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case kindTable:
		for key, value := range n.pairs() {
			parts = append(parts, spellKey(key.text)+": "+value.inline(stylePlain, true))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if n.style == stylePlain { // a number, true, false or null
		return n.text
	}
	return spell(n.text, s, flow)
}

// lines spells a list or map that is not empty as lines below its key.
func (n *node) lines(indent, newline string) string {
	var b strings.Builder
	for i := range n.items {
		if n.kind == kindList {
			b.WriteString(indent + "- " + n.items[i].inline(stylePlain, false) + newline)
		}
	}
	for key, v := range n.pairs() {
		b.WriteString(indent + spellKey(key.text) + ":")
		if v.isBlock() {
			b.WriteString(newline + v.lines(indent+"  ", newline))
		} else {
			b.WriteString(" " + v.inline(stylePlain, false) + newline)
		}
	}
	return b.String()
}

// isBlock reports whether a wanted value is written as lines of its own.
func (n *node) isBlock() bool { return n.kind != kindScalar && len(n.items) > 0 }

func spellKey(name string) string { return spell(name, stylePlain, true) }
