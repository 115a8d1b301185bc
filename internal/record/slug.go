package record

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sdd/internal/analysis"
	"sdd/internal/lines"
	"sdd/internal/pattern"
)

// A slug names a file and distinguishes topics. It depends neither on the locale, nor on the composition of accents, nor on other records.

const (
	maxSlug     = 80 // bytes, the hash of a cut slug included
	cutHash     = 6  // hex digits after a cut
	maxCut      = maxSlug - cutHash - 1
	emptyHash   = 8 // hex digits of a slug for a title without usable characters
	emptyPrefix = "x-"
	reservedEnd = "-x"
)

// Slug returns the slug of title: NFC, lower case, with letters, marks and numbers of any script, `+ # & @` as words, and `-` for the rest.
// One that is too long is cut and gets a hash, a name that Windows reserves gets `-x`, a title with no usable character is `x-` and a hash.
// The result is 1 to 80 bytes long, a file name stem on Linux, macOS and Windows, and its own slug.
func Slug(title string) string {
	s := dashed(title)
	switch {
	case s == "":
		return emptyPrefix + hashHex(canonical(title), emptyHash)
	case len(s) > maxSlug:
		return cut(s) + "-" + hashHex(s, cutHash)
	case IsDevice(s):
		return s + reservedEnd
	}
	return s
}

// dashed returns the kept runes of title, with one dash between words; "" when there are none.
func dashed(title string) string {
	var b strings.Builder
	b.Grow(len(title) + 8)
	gap := false // write a dash before the next kept rune
	word := func(w string) {
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteString(w)
		gap = true
	}
	for _, r := range fold(title) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9',
			r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsNumber(r)),
			// A mark belongs to the letter before it. Without one it would be an invisible or misplaced name.
			r >= utf8.RuneSelf && unicode.IsMark(r) && b.Len() > 0 && !gap:
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '+' || r == '＋':
			word("plus")
		case r == '#' || r == '＃':
			word("sharp")
		case r == '&' || r == '＆':
			word("and")
		case r == '@' || r == '＠':
			word("at")
		default:
			gap = true
		}
	}
	return b.String()
}

// fold returns s in NFC and lower case, the same for texts that differ only in case: the sigma takes the form of its place, the dot of an i
// that was spelled out (İ) is dropped, and so are invisible letters and marks.
func fold(s string) string {
	if analysis.IsASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(visible, s)
	s = norm.NFC.String(s)
	s = strings.ToLower(s)
	s = strings.ReplaceAll(s, "i\u0307", "i")
	if strings.ContainsAny(s, "σς") {
		s = finalSigma(s)
	}
	return norm.NFC.String(s)
}

// visible drops invisible letters and marks.
func visible(r rune) rune {
	if r == '\u034f' || r >= '\u115f' && unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}

// finalSigma writes each sigma as ς where it ends a word and as σ elsewhere.
func finalSigma(s string) string {
	runes := []rune(s)
	after := func(i int) bool { // a letter, with its marks; a mark alone does not count
		for i > 0 && unicode.IsMark(runes[i-1]) {
			i--
		}
		return i > 0 && unicode.IsLetter(runes[i-1])
	}
	before := func(i int) bool {
		return i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || unicode.IsMark(runes[i+1]))
	}
	for i, r := range runes {
		if r != 'σ' && r != 'ς' {
			continue
		}
		if after(i) && !before(i) {
			runes[i] = 'ς'
		} else {
			runes[i] = 'σ'
		}
	}
	return string(runes)
}

// cut returns the start of s with room for a hash: whole words when there is a dash to cut at, else whole runes.
func cut(s string) string {
	if i := strings.LastIndexByte(s[:maxCut+1], '-'); i > 0 {
		return s[:i]
	}
	return s[:lines.Border(s, maxCut)]
}

// IsDevice reports whether Windows treats a name without extension, in lower case, as a device.
func IsDevice(name string) bool { return device().MatchString(name) }

var device = pattern.Late(`^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$`)

func hashHex[T string | []byte](s T, digits int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:digits]
}

// canonical returns the form of a text that ids hash: NFC, LF, lower case, trimmed.
func canonical(s string) string {
	s = norm.NFC.String(s)
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return strings.TrimSpace(strings.ToLower(s))
}
