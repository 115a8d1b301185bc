package signal

import (
	"slices"
	"strconv"
	"strings"

	"sdd/internal/pattern"
)

// families are the tags of signals, names those of the signals that are learnings.
var (
	families = [...]string{"swarm", "axiom", "chorus"}
	names    = [...]string{"LEARNING_LOCAL", "LEARNING_GLOBAL", "DISCOVERY_LOCAL", "DISCOVERY_GLOBAL"}
)

// A tag of a signal, anywhere and at the start of a text.
var (
	tagForm = `<(/?)(` + strings.Join(families[:], "|") + `)>`
	anyTag  = pattern.Late(tagForm)
	atTag   = pattern.Late("^" + tagForm)
)

const (
	maxName  = 64 // bytes of a name
	maxBlank = 64 // bytes of white space on each side of it
)

// tag is an opening or closing tag of a family, the opening one with the text after it.
type tag struct {
	family  string
	closing bool
	name    string // the name after it, "" for none
	colon   bool   // a colon follows the name
	ends    bool   // the closing tag of the family follows the name
	tight   bool   // no blank between the tag and the name
}

func (t tag) opening() string { return "<" + t.family + ">" }

// learning reports whether the name is one of a learning.
func (t tag) learning() bool { return slices.Contains(names[:], t.name) }

// control reports whether the tag opens a signal that is no learning: its name is in capitals right after the tag.
func (t tag) control() bool {
	return t.tight && (t.colon || t.ends) && !t.learning() && t.name == strings.ToUpper(t.name)
}

// bareTag reads the tag alone that v begins with, and its length, 0 when v begins with none.
func bareTag(v []byte) (t tag, n int) {
	m := atTag().FindSubmatch(v[:min(len(v), len("</chorus>"))])
	if m == nil {
		return tag{}, 0
	}
	return tag{family: string(m[2]), closing: len(m[1]) > 0}, len(m[0])
}

// rest is what may follow an opening tag: a name, then a colon or a closing tag.
var rest = pattern.Late(`^[ \t\r\n]{0,` + strconv.Itoa(maxBlank) + `}([A-Za-z][A-Za-z0-9_-]{0,` + strconv.Itoa(maxName-1) + `})` +
	`[ \t\r\n]{0,` + strconv.Itoa(maxBlank) + `}(:|</\w+>)?`)

// parseTag is bareTag with the rest of an opening tag: the length reaches behind the colon of a name, else behind the tag.
func parseTag(v []byte) (tag, int) {
	t, n := bareTag(v)
	if n == 0 || t.closing {
		return t, n
	}
	v = v[n:min(len(v), n+maxName+2*maxBlank+len("</chorus>"))]
	m := rest().FindSubmatchIndex(v)
	if m == nil {
		return t, n
	}
	t.name, t.tight = string(v[m[2]:m[3]]), m[2] == 0
	if m[4] >= 0 {
		end := string(v[m[4]:m[5]])
		t.colon, t.ends = end == ":", end == "</"+t.family+">"
	}
	if t.colon {
		n += m[1]
	}
	return t, n
}

// maxHidden bounds how many learnings in code a payload may show as examples. It keeps the scan linear.
const maxHidden = 16

// payload returns where the payload that w begins with ends: at the closing tag of its family outside code,
// else, when code hides that one (a payload may hold a lone fence), at the first one.
func payload(w []byte, family string) (int, bool) {
	if end, ok := closing(w, family, true); ok {
		return end, true
	}
	return closing(w, family, false)
}

// closing finds the closing tag of a payload. With markdown, those in code do not count.
func closing(w []byte, family string, markdown bool) (int, bool) {
	var c code
	nested := 0 // signals without an end so far
	shown, orphan := 0, false
	for at := 0; ; {
		var event event
		if markdown {
			at, event = c.next(w, at)
		} else if next := anyTag().FindIndex(w[at:]); next != nil {
			at, event = at+next[0], openTag
		}
		if event == none {
			return 0, false
		}
		t, n := parseTag(w[at:])
		learning := t.learning() && t.colon
		switch {
		case event == hiddenTag && learning:
			// In code, an end without its beginning and a beginning after it: the code lies between two signals.
			if shown++; shown > maxHidden || orphan {
				return 0, false
			}
		case event == hiddenTag && t.closing && t.family == family:
			orphan = shown == 0
			shown = 0
		case event == hiddenTag:
		case learning:
			return 0, false
		case t.closing && t.family == family:
			if nested == 0 {
				return at, true
			}
			nested--
		case t.family == family && t.control():
			nested++
		}
		at += n
	}
}
