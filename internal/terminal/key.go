package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// code is the kind of a key.
type code byte

const (
	char code = iota // a character
	pasted
	up
	down
	left
	right
	pageUp
	pageDown
	home
	end
	tab
	backTab
	enter
	escape
	backspace
	interrupt // Ctrl-C
	suspend   // Ctrl-Z
	redraw    // Ctrl-L
	clearLine // Ctrl-U
	eraseWord // Ctrl-W
	click
	wheelUp
	wheelDown
	unknown
)

// key is one key press, or a pasted text.
type key struct {
	code code
	text string // of char and pasted
	x, y int    // of click, wheelUp and wheelDown; the first cell is 0, 0
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

var controls = [32]code{
	0x02: pageUp, 0x03: interrupt, 0x04: pageDown, 0x06: pageDown, 0x08: backspace, 0x09: tab, 0x0a: enter, 0x0c: redraw, 0x0d: enter,
	0x0e: down, 0x10: up, 0x15: clearLine, 0x17: eraseWord, 0x1a: suspend,
}

// decode reads the first key of the bytes from a terminal, and returns its length n; 0 means that the key is incomplete. With whole no
// more bytes follow: an escape without a sequence is the key Esc, and the start of a sequence is an unknown key.
func decode(in []byte, whole bool) (k key, n int) {
	if k, n = decodePart(in); n > 0 || len(in) == 0 || !whole {
		return k, n
	}
	if len(in) == 1 && in[0] == 0x1b {
		return key{code: escape}, 1
	}
	return key{code: unknown}, len(in)
}

// decodePart reads a complete key.
func decodePart(in []byte) (key, int) {
	switch {
	case len(in) == 0 || !utf8.FullRune(in):
		return key{}, 0
	case in[0] == 0x1b:
		return decodeEscape(in)
	case in[0] == 0x7f:
		return key{code: backspace}, 1
	case in[0] < 0x20:
		return key{code: cmp.Or(controls[in[0]], unknown)}, 1
	}
	r, n := utf8.DecodeRune(in)
	if r == utf8.RuneError || unicode.IsControl(r) {
		return key{code: unknown}, n
	}
	return key{code: char, text: string(r)}, n
}

func decodeEscape(in []byte) (key, int) {
	switch {
	case len(in) == 1:
		return key{}, 0
	case in[1] == 0x1b: // Esc twice
		return key{code: escape}, 1
	case in[1] == 'O' && len(in) == 2:
		return key{}, 0
	case in[1] == 'O' && in[2] == 'M': // Enter of the number block
		return key{code: enter}, 3
	case in[1] == 'O':
		return key{code: final(in[2], "")}, 3
	case in[1] != '[' && !utf8.FullRune(in[1:]):
		return key{}, 0
	case in[1] != '[': // Alt and a character
		_, n := utf8.DecodeRune(in[1:])
		return key{code: unknown}, 1 + n
	}
	at := 2
	for at < len(in) && (in[at] < 0x40 || in[at] > 0x7e) {
		if in[at] < 0x20 { // not a sequence
			return key{code: unknown}, at
		}
		at++
	}
	rest, isPaste := bytes.CutPrefix(in, []byte(pasteStart))
	stop := bytes.Index(rest, []byte(pasteEnd))
	switch {
	case at == len(in), isPaste && stop < 0:
		return key{}, 0
	case isPaste:
		return key{code: pasted, text: strings.ToValidUTF8(string(rest[:stop]), "\uFFFD")}, len(pasteStart) + stop + len(pasteEnd)
	case in[2] == '<':
		return mouse(string(in[3:at]), in[at]), at + 1
	}
	return key{code: final(in[at], string(in[2:at]))}, at + 1
}

// mouse reads a report of the mouse: the button, column and row, with M for a press and m for a release.
func mouse(report string, last byte) key {
	var button, x, y int
	n, err := fmt.Sscanf(report, "%d;%d;%d", &button, &x, &y)
	k, ok := map[int]code{0: click, 64: wheelUp, 65: wheelDown}[button]
	if n != 3 || err != nil || x < 1 || y < 1 || last != 'M' || !ok {
		return key{code: unknown}
	}
	return key{code: k, x: x - 1, y: y - 1}
}

// finals are the keys of sequences, by the last byte, with the first parameter before a ~.
var finals = map[string]code{
	"A": up, "B": down, "C": right, "D": left, "H": home, "F": end, "Z": backTab,
	"1~": home, "7~": home, "4~": end, "8~": end, "5~": pageUp, "6~": pageDown,
}

// final is the key of a sequence by its last byte and its parameters; the second parameter is a modifier.
func final(last byte, parameters string) code {
	name := string(last)
	if last == '~' {
		first, _, _ := strings.Cut(parameters, ";")
		name = first + name
	}
	if c, ok := finals[name]; ok {
		return c
	}
	return unknown
}
