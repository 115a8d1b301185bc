package secrets

import (
	"bytes"
	"strings"
)

// privateRules returns the rules for private keys. They do not parse: a wrapped, quoted or truncated key does not parse but is secret.
func privateRules() []rule {
	return []rule{
		{id: "private-key", what: "a private key", triggers: []string{"PRIVATE KEY"}, find: keys(header)},
		{id: "private-key", what: "a PuTTY private key", triggers: []string{"Private-Lines:"}, find: keys(putty)},
	}
}

const (
	leastKeyLine = 40 // characters of the longest line of a key
	mostFields   = 8  // header fields before the key's first line
)

// keys finds keys by their first line: head returns where it starts and where the key's body starts.
func keys(head func(text []byte, h hit) (start, body int, ok bool)) func([]byte, []hit) []span {
	return placed(func(text []byte, h hit) (s span, widest string) {
		start, body, ok := head(text, h)
		if !ok {
			return s, ""
		}
		end, lines := keyLines(text, body)
		for _, l := range lines {
			if len(l) > len(widest) {
				widest = l
			}
		}
		if len(widest) < leastKeyLine {
			widest = ""
		}
		return span{start: start, end: end, value: strings.Join(lines, "")}, widest
	})
}

// putty skips the number of lines that follow.
func putty(text []byte, h hit) (start, body int, ok bool) {
	head := text[h.end:min(len(text), h.end+8)]
	return h.start, h.end + len(head) - len(bytes.TrimLeft(head, " "+digits)), true
}

// header returns where the first line of a private key (BEGIN …) starts and where the key's body starts.
func header(text []byte, h hit) (start, body int, ok bool) {
	before := text[max(0, h.start-32):h.start]
	at := bytes.LastIndex(before, []byte("BEGIN "))
	if at < 2 || strings.Trim(string(before[at:]), digits+uppers+" ") != "" {
		return 0, 0, false
	}
	dashes := bytes.TrimRight(before[:at], " ")
	if !bytes.HasSuffix(dashes, []byte("---")) {
		return 0, 0, false
	}
	start = h.start - len(before) + len(bytes.TrimRight(dashes, "-"))
	tail := text[h.end:min(len(text), h.end+16)]
	rest := bytes.TrimLeft(bytes.TrimPrefix(tail, []byte(" BLOCK")), " ")
	if !bytes.HasPrefix(rest, []byte("---")) {
		return 0, 0, false
	}
	return start, h.end + len(tail) - len(bytes.TrimLeft(rest, "-")), true
}

// keyLines reads the lines of a key from offset at: words of base64, without quotes, escapes and wrapping between them and the fields
// before them. end is the offset after the key's END line, or without one after the key's last line.
func keyLines(text []byte, at int) (end int, lines []string) {
	end = at
	fields := 0
	for at < len(text) {
		switch c := text[at]; {
		case base64Bytes[c]:
			n := run(text[at:], base64Bytes)
			word := string(text[at : at+n])
			next := at + n
			if next < len(text) && strings.IndexByte(":,-.", text[next]) >= 0 {
				// Skip the line of a field, such as `Proc-Type: 4,ENCRYPTED`.
				if fields++; len(lines) > 0 || fields > mostFields {
					return end, lines
				}
				if n := bytes.IndexByte(text[next:min(len(text), next+200)], '\n'); n >= 0 {
					at = next + n
					continue
				}
				return end, lines
			}
			if n := len(lines); n > 0 && (len(word) > len(lines[0]) || len(lines[n-1]) < len(lines[0]) && word[0] != '=') {
				return end, lines // behind the last line, which is the only shorter one: something else
			}
			lines = append(lines, word)
			at, end = next, next
		case c == '\\':
			at += 2 // \n, \r
		case c == '-':
			if bytes.HasPrefix(text[at:], []byte("-----END")) {
				if n := bytes.Index(text[at+5:min(len(text), at+80)], []byte("-----")); n >= 0 {
					return at + 5 + n + 5, lines
				}
			}
			return end, lines
		case strings.IndexByte(" \t\r\n>\"'`;|*#", c) >= 0:
			at++
		default:
			return end, lines
		}
	}
	return end, lines
}
