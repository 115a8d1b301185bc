package secrets

import (
	"bytes"
	"strings"
)

// These rules find random values without a format: after "Bearer", or assigned to a name that only secrets have. They require
// both the name and a random value.

// assignedRules returns these rules. They come last, so that a finding of another rule wins. Any random value of a specific name
// is a secret. A value of a vague name must have letters of both cases, because hashes and builds also have the name token or secret.
func assignedRules() []rule {
	const id, what = "random-secret", "a random secret"
	telling := strings.Fields(`bearer api_key api-key apikey api_token api-token apitoken secret_key secret-key secretkey client_secret
		client-secret clientsecret access_token access-token accesstoken auth_token auth-token authtoken refresh_token refresh-token
		refreshtoken`)
	return []rule{
		{id: id, what: what, triggers: append(telling, "api key"), folded: true, weak: true, find: assigned(false)},
		{id: id, what: what, triggers: strings.Fields("token secret password passwd"), folded: true, weak: true, find: assigned(true)},
	}
}

const (
	leastAssigned = 24  // characters
	mostAssigned  = 512 // longer values are data
	mostBetween   = 12  // bytes between a name and its value
	nameBefore    = 48  // bytes before a name that may qualify it
)

// between has the bytes allowed between a name and its value. At least one of them must indicate that a value follows.
var between = setOf(" \t\"'`*|)]>:=\\")

// assigned finds the values of names. With both, values must have letters of both cases.
func assigned(both bool) func([]byte, []hit) []span {
	return placed(func(text []byte, h hit) (s span, body string) {
		n := runOf(text[h.end:], between, mostBetween)
		gap := text[h.end : h.end+n]
		at := h.end + n
		if lower[text[h.start]] == 'b' && !bytes.ContainsAny(gap, " :=") || lower[text[h.start]] != 'b' && !bytes.ContainsAny(gap, ":=|") {
			return s, ""
		}
		value := string(text[at : at+runOf(text[at:], tokenBytes, mostAssigned+1)])
		if end := at + len(value); end < len(text) && strings.IndexByte("([{<$", text[end]) >= 0 {
			return s, "" // code calls or indexes it, or a template fills it in
		}
		if value = strings.TrimRight(value, "-_./%"); len(value) > mostAssigned || !chance(value, both) {
			return s, ""
		}
		line := text[max(0, h.start-nameBefore):h.start]
		line = bytes.ToLower(line[bytes.LastIndexByte(line, '\n')+1:])
		if both && hasAny(line, "page", "next", "cursor", "continu") ||
			hexadecimal(value) && hasAny(line, "sha", "md5", "hash", "digest", "checksum", "commit") {
			return s, ""
		}
		return span{start: at, end: at + len(value), value: value}, value
	})
}

func hasAny(line []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(line, []byte(w)) {
			return true
		}
	}
	return false
}

// chance reports whether s is random: its letters and digits alternate as often as in random text. In words,
// names and paths they alternate less.
func chance(s string, both bool) bool {
	if len(s) < leastAssigned || !random(s) || isUUID(s) || strings.HasPrefix(s, "eyJ") {
		return false
	}
	var classes [3]int
	n, changes, last := 0, 0, -1
	for i := range len(s) {
		class := -1
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			class = 0
		case 'a' <= c && c <= 'z':
			class = 1
		case 'A' <= c && c <= 'Z':
			class = 2
		default:
			continue
		}
		if n++; last >= 0 && class != last {
			changes++
		}
		classes[class]++
		last = class
	}
	mixed := classes[1] > 0 && classes[2] > 0
	switch {
	case classes[0] == 0, 6*n < 5*len(strings.TrimRight(s, "=")), both && !mixed:
		return false
	case mixed:
		return 100*changes >= 42*n
	}
	return 100*changes >= 25*n && 6*classes[0] >= n
}

// isUUID reports whether s is a UUID, which is more often a name than a secret.
func isUUID(s string) bool {
	return len(s) == 36 && hexadecimal(s) && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}
