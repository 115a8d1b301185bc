package discovery

import (
	"strings"
	"unicode"
)

// The build files that are programs in a language of their own (Gradle, Gemfiles, CMake, go.mod) are cut into tokens:
// enough to tell a call from a comment or the text of a string, which is all that is asked of them.

// lexed is a word, a string without its quotes, or one other character.
type lexed struct {
	kind tokenKind
	text string
	line int
}

type tokenKind int

const (
	wordToken tokenKind = iota
	textToken
	markToken
	lineToken // the end of a line
)

// syntax says how comments and words look in a language.
type syntax struct {
	line  []string // what begins a comment to the end of the line
	block bool     // there are /* */ comments
	word  string   // characters of words besides letters and digits
}

var (
	gradleSyntax = syntax{line: []string{"//"}, block: true, word: "_."}
	rubySyntax   = syntax{line: []string{"#"}, word: "_.:?!"}
	cmakeSyntax  = syntax{line: []string{"#"}, word: "_.-+/:${}<>*"}
	modSyntax    = syntax{line: []string{"//"}, word: "_.-+/~@:!$=><^*,[]"}
)

// lex cuts src into tokens. It never fails: a string left open ends with its line.
func (x syntax) lex(src []byte) (out []lexed) {
	text, line := string(src), 1
	for i := 0; i < len(text); {
		c := text[i]
		rest := text[i:]
		switch {
		case c == '\n':
			out = append(out, lexed{lineToken, "", line})
			line++
			i++
		case x.comment(rest):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				i += end
			} else {
				i = len(text)
			}
		case x.block && strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return out
			}
			line += strings.Count(rest[:end+4], "\n")
			i += end + 4
		case c == '"' || c == '\'' || c == '`':
			end := 1
			for end < len(rest) && rest[end] != c && rest[end] != '\n' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(rest))
			out = append(out, lexed{textToken, rest[1:end], line})
			i += end
			if i < len(text) && text[i] == c {
				i++
			}
		case x.isWord(c):
			end := 1
			for end < len(rest) && x.isWord(rest[end]) && !x.comment(rest[end:]) {
				end++
			}
			out = append(out, lexed{wordToken, rest[:end], line})
			i += end
		case unicode.IsSpace(rune(c)):
			i++
		default:
			out = append(out, lexed{markToken, string(c), line})
			i++
		}
	}
	return out
}

func (x syntax) comment(rest string) bool {
	for _, mark := range x.line {
		if strings.HasPrefix(rest, mark) {
			return true
		}
	}
	return false
}

func (x syntax) isWord(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(x.word, c) >= 0
}

// call is a word with what follows it on its line, or in the parentheses right behind it.
type call struct {
	name  string
	words []string // words and strings
	texts []string // strings only
	after []string // words and strings that follow the parentheses on their line
	line  int
	depth int // of braces around it
}

// maxCall is how many tokens of a call are looked at: a line without end costs no more.
const maxCall = 128

// calls returns the calls of the names that are wanted. In parentheses a call goes over several lines.
func calls(tokens []lexed, wanted func(name string) bool) (out []call) {
	depth := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.kind == markToken {
			switch t.text {
			case "{":
				depth++
			case "}":
				depth = max(depth-1, 0)
			}
		}
		if t.kind != wordToken || !wanted(t.text) {
			continue
		}
		c := call{name: t.text, line: t.line, depth: depth}
		parens := 0
		for j := i + 1; j < min(len(tokens), i+maxCall); j++ {
			u := tokens[j]
			if u.kind == lineToken && parens == 0 && !continued(tokens[:j]) || u.kind == markToken && (u.text == "{" || u.text == "}" || u.text == ";") {
				break
			}
			if u.kind == markToken && u.text == "(" {
				parens++
			}
			if u.kind == markToken && u.text == ")" {
				if parens--; parens <= 0 {
					for k := j + 1; k < min(len(tokens), j+8) && tokens[k].kind != lineToken; k++ {
						c.after = append(c.after, tokens[k].text)
					}
					break
				}
			}
			if u.kind == textToken {
				c.texts = append(c.texts, u.text)
			}
			if u.kind == textToken || u.kind == wordToken {
				c.words = append(c.words, u.text)
			}
		}
		out = append(out, c)
	}
	return out
}

// continued reports whether the last token wants more on the next line.
func continued(tokens []lexed) bool {
	last := tokens[len(tokens)-1]
	return last.kind == markToken && (last.text == "," || last.text == "=" || last.text == "(")
}
