package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
)

// byteSet is a set of bytes.
type byteSet [256]bool

func setOf(chars string) *byteSet {
	var s byteSet
	for i := 0; i < len(chars); i++ {
		s[chars[i]] = true
	}
	return &s
}

const (
	digits = "0123456789"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

var (
	hexBytes    = setOf(digits + "abcdef")
	lowerBytes  = setOf(digits + lowers)
	upperBytes  = setOf(digits + uppers)
	alnumBytes  = setOf(digits + lowers + uppers)
	wordBytes   = setOf(digits + lowers + uppers + "_")
	dashBytes   = setOf(digits + lowers + uppers + "_-")
	dotBytes    = setOf(digits + lowers + uppers + "_-.")
	base64Bytes = setOf(digits + lowers + uppers + "+/=")
	tokenBytes  = setOf(digits + lowers + uppers + "+/=_-.%")
)

// longest limits every search for the end of a secret, in bytes.
const longest = 4096

// run returns how many bytes at the start of text are in the set, at most longest.
func run(text []byte, set *byteSet) int { return runOf(text, set, longest) }

// runOf is run with the limit most.
func runOf(text []byte, set *byteSet, most int) int {
	text = text[:min(len(text), most)]
	for i, c := range text {
		if !set[c] {
			return i
		}
	}
	return len(text)
}

// begins reports whether a word begins at offset at. In JSON and code, `\n` may precede it.
func begins(text []byte, at int) bool {
	if at == 0 || !alnumBytes[text[at-1]] {
		return true
	}
	switch text[at-1] {
	case 'n', 'r', 't':
		return at > 1 && text[at-2] == '\\'
	}
	return false
}

// random reports whether s could be the random part of a real secret: it varies enough, and is no placeholder or documented example.
func random(s string) bool {
	if !strings.ContainsAny(s, digits) && !(strings.ContainsAny(s, uppers) && strings.ContainsAny(s, lowers)) {
		return false // words
	}
	least := 3.0
	if len(s) < 24 || hexadecimal(s) {
		least = 2.7
	}
	return entropy(s) >= least && !placeholder(s) && !documented(s)
}

// entropy returns Shannon's entropy of s in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	bits, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// hexadecimal reports whether s could be a hash or part of a UUID.
func hexadecimal(s string) bool {
	return strings.Trim(s, digits+"abcdefABCDEF-") == ""
}

// placeholderWords occur in values that people write in place of a secret. Each is too long to occur by chance in a real one.
var placeholderWords = strings.Fields(`example sample placeholder changeme change_me change-me replace insert redacted
	dummy notreal not-real not_real fake-token faketoken token secret passw apikey api_key api-key foobar qwerty lorem
	goeshere mykey my-key my_key censored deadbeef cafebabe 1234567890 0123456789 abcdefgh`)

// placeholder reports whether s is one: it contains a word for one, or repeats one character, one pattern or the alphabet.
func placeholder(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(placeholderWords, func(w string) bool { return strings.Contains(s, w) }) ||
		len(s) <= 64 && (strings.Contains(s, "your") || strings.Contains(s, "fake")) || patterned(s)
}

// patterned reports whether s, in lower case, is mostly one character, one pattern, or an alphabet up or down.
func patterned(s string) bool {
	same, most, steps := 1, 1, 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case s[i-1]:
			same++
			most = max(most, same)
			steps++
			continue
		case s[i-1] + 1, s[i-1] - 1:
			steps++
		}
		same = 1
	}
	if most >= 6 || 2*steps >= len(s) {
		return true
	}
	for period := 2; period <= min(16, len(s)/3); period++ {
		if s[period:] == s[:len(s)-period] {
			return true
		}
	}
	return false
}

// documented reports whether s, without its prefix, is an example in public documentation. Other scanners would report plain values here.
func documented(s string) bool {
	sum := sha256.Sum256([]byte(s))
	return strings.Contains(documentedExamples, hex.EncodeToString(sum[:6]))
}

// documentedExamples has values from public documentation, each as the start of the sha256 of the value without its prefix.
const documentedExamples = "7e498f91828a 8c029ad8efa1 " + // GitHub: about authentication, all kinds of tokens
	"153a18258645 74e11884b07b c1c45784935e 3e6a54ba6700 f6d8a1299420 e0d7d24906a4 " + // Stripe: API keys in the documentation's samples
	"f68eba715d16 " + // SendGrid: API keys
	"ed967197261c eaa6a9190faf 0011cc25eb43 aa6547439583 " + // Azurite and the Cosmos DB emulator: keys of everybody's local account
	"0b5dd075ccdd 97663138e666 " + // Telegram: Bot API, and its tutorial
	"02f7ce3c263f " + // Discord: reference, bot token
	"1b0eadd3a633 b7c9c3b56f40 " + // Google: Maps and API key samples
	"051d093c4bde 08831f80b564 13d31e961a1a" // jwt.io, RFC 7515 and 7519: signatures of their examples
