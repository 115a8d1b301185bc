package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// examination is one sentence under one grammar.
type examination struct {
	*sentenceWords
	g        *grammar
	place    place
	compared bool

	segment []int // of each word: clauses joined by "but", a semicolon and the like are segments
	blocked map[int][]stop
	dead    bool // the whole sentence tells none
	void    bool // and not even under a heading
	marks   []mark

	technical, everyday, question bool
}

// stop is a word that keeps its segment from telling a decision: if it is firm, also behind a comma.
type stop struct {
	at   int
	firm bool
}

// mark is a found marker: its part begins at word content.
type mark struct {
	part          part
	telling       bool
	from, content int
}

func newExamination(text string, g *grammar) *examination {
	e := &examination{sentenceWords: &sentenceWords{text: text, words: words(text), joining: g.class("joining")}, g: g, blocked: map[int][]stop{}}
	e.question = isQuestion(text)
	e.evidence()
	e.markers()
	e.cut()
	e.blocks()
	return e
}

func isQuestion(text string) bool {
	t := strings.TrimRight(text, `"'”’»)]*_. `)
	return strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") || strings.HasPrefix(t, "¿")
}

// cut numbers the segments. A reason or consequence is one of its own: what it says of could and would
// says nothing of the decision.
func (e *examination) cut() {
	turn := e.g.class("turn")
	e.segment = make([]int, len(e.words)+1)
	n, leading, next := 0, false, 0
	for i, w := range e.words {
		if w.kind == stopWord && w.text != ":" || i > 0 && turn.has(w.text) || leading && w.kind == commaWord {
			n++
			leading = false
		}
		if next < len(e.marks) && e.marks[next].from == i {
			if e.marks[next].part != alternativePart {
				n++
				leading = e.sentenceStart(i)
			}
			next++
		}
		e.segment[i] = n
	}
	e.segment[len(e.words)] = n
}

// within reports whether word i stands in a reason or consequence that an earlier word began.
func (e *examination) within(i int) bool {
	for _, mk := range e.marks {
		if mk.part == alternativePart || mk.from >= i || mk.content >= i {
			continue
		}
		apart := false
		for j := mk.content; j < i && !apart; j++ {
			apart = e.words[j].kind == commaWord || e.words[j].kind == stopWord
		}
		if !apart && !(e.sentenceStart(mk.from) && e.g.class("wee").has(e.words[i].text)) {
			return true
		}
	}
	return false
}

// evidence looks for words of the trade and of everyday life.
func (e *examination) evidence() {
	everyday := e.g.class("everyday")
	for i, w := range e.words {
		switch {
		case w.kind == codeWord, w.kind == plainWord && (technicalWords().has(w.text) || e.spelled(i)):
			e.technical = true
		case everyday.has(w.text):
			e.everyday = true
		}
	}
}

// spelled reports whether a word is spelled like a name of the trade: an acronym, an identifier, a
// version, or a name (which in German, where every noun has a capital, shows nothing).
func (e *examination) spelled(i int) bool {
	s := e.text[e.words[i].start:e.words[i].end]
	upper, lower, digit, inner := 0, 0, 0, false
	for j, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
			inner = inner || j > 0 && lower > 0
		case unicode.IsLower(r):
			lower++
		case unicode.IsDigit(r):
			digit++
		case strings.ContainsRune("._/+#", r):
			inner = inner || j > 0
		}
	}
	letters := upper + lower
	switch {
	case inner && letters > 1, digit > 0 && letters > 0, upper > 1 && lower <= 1:
		return true
	case upper == 1 && lower > 1 && i > 0 && e.g.code != "de":
		prev := e.words[i-1]
		return prev.kind != stopWord && !e.everyday
	case e.g.code == "ru" && lower > 2:
		r, _ := utf8.DecodeRuneInString(s)
		return r < unicode.MaxLatin1 // a foreign word in a Russian sentence
	}
	return false
}

func (e *examination) blocks() {
	for i := range e.words {
		if e.words[i].kind == quoteWord {
			continue
		}
		e.g.blockAt.at(e.words[i].text, func(n int) {
			b := &e.g.blocks[n]
			m := span{from: i, here: -1}
			if !e.match(b.pattern, i, &m) {
				return
			}
			switch b.scope {
			case ofSegment:
				e.blocked[e.segment[i]] = append(e.blocked[e.segment[i]], stop{i, false})
			case ofSentence:
				e.dead = true
			case ofPlace:
				e.blocked[e.segment[i]] = append(e.blocked[e.segment[i]], stop{i, true})
				e.void = true
			}
		})
	}
}

func (e *examination) markers() {
	for i := range e.words {
		done := -1
		e.g.insideAt.at(e.words[i].text, func(n int) {
			k := &e.g.inside[n]
			m := span{from: i, here: -1}
			if !e.match(k.pattern, i, &m) {
				return
			}
			content := m.to
			if m.here >= 0 {
				content = m.here
			}
			if content >= len(e.words) || e.words[content].kind == stopWord || content <= done {
				return
			}
			if done >= 0 {
				e.marks = e.marks[:len(e.marks)-1]
			}
			done = content
			e.marks = append(e.marks, mark{k.part, k.telling, i, content})
		})
	}
}

func (e *examination) marked(p part) bool {
	for _, m := range e.marks {
		if m.part == p {
			return true
		}
	}
	return false
}

// acts reports whether the subject is a part of some software, or the sentence says when: then it describes.
func (e *examination) acts() bool {
	actor, cond := e.g.class("actor"), e.g.class("cond")
	for i, w := range e.words {
		if i < 4 && actor.has(w.text) || cond.has(w.text) {
			return true
		}
	}
	return false
}

// telling reports a purpose (of reasonPart) or a contrast (of alternativePart).
func (e *examination) telling(p part) bool {
	for _, m := range e.marks {
		if m.part == p && m.telling {
			return true
		}
	}
	return false
}

func (e *examination) compares() bool {
	c := e.g.class("compare")
	for _, w := range e.words {
		if c.has(w.text) {
			return true
		}
	}
	return false
}

// trade reports words of the trade other than mere names.
func (e *examination) trade() bool {
	for _, w := range e.words {
		if w.kind == codeWord || technicalWords().has(w.text) {
			return true
		}
	}
	return false
}

func (e *examination) outcome() bool {
	return e.place.role == decisionRole || e.place.role == outcomeRole
}

// reports tells an outcome that is a report, not a choice: "Result: all tests passed".
func (e *examination) reports() bool {
	c := e.g.class("report")
	for _, w := range e.words {
		if c.has(w.text) {
			return true
		}
	}
	return false
}
