package secrets

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

const longestAuthority = 512

// passwords finds `user:password@host` after `scheme://`.
func passwords(text []byte, hits []hit) (found []span) {
	for _, h := range hits {
		if h.start == 0 || !alnumBytes[text[h.start-1]] {
			continue
		}
		authority := string(text[h.end:min(len(text), h.end+longestAuthority)])
		if i := strings.IndexFunc(authority, endsAuthority); i >= 0 {
			authority = authority[:i]
		}
		at := strings.LastIndexByte(authority, '@')
		if at < 0 {
			continue
		}
		user, password, ok := strings.Cut(authority[:at], ":")
		host := authority[at+1:]
		if !ok || host == "" && h.end+at+1 < len(text) && text[h.end+at+1] != '[' {
			continue
		}
		plain, err := url.PathUnescape(password)
		if err == nil && isPassword(plain, user, host) && password[0] != '$' {
			start := h.end + len(user) + 1
			found = append(found, span{start: start, end: start + len(password), value: authority})
		}
	}
	return found
}

// endsAuthority reports whether r ends the part of an address with user and host. Braces, angle brackets and dollar signs make a template.
func endsAuthority(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("/?#\"'`<>()[]{}|\\", r)
}

// exampleWords are passwords in examples, with any digits after them.
var exampleWords = strings.Fields(`password passwd pass passw pwd pw secret changeme change-me change_me token user username
	login root admin administrator postgres postgresql mysql mariadb mongo mongodb redis rabbitmq guest test testing
	tester example foo bar baz foobar qux abc xyz default hidden redacted placeholder dummy letmein qwerty key apikey
	api-key api_key value credentials creds dev development local mypass mypassword mysecret my-password my_password
	my-secret my_secret pa$$word p@ssword p@ssw0rd passw0rd passphrase auth oauth bearer accesstoken access-token access_token
	x-oauth-basic x-token-auth`)

// exampleParts mark every password that contains them as an example.
var exampleParts = []string{"your", "example", "changeme", "placeholder", "redacted", "replace", "insert", "...", "…", "***", "xxxx"}

// isPassword reports whether s could be a real password, more strictly for this machine, bare service names and example domains.
func isPassword(s, user, host string) bool {
	low := strings.ToLower(s)
	bare := strings.Trim(low, digits+"!?.-_ ")
	switch {
	case len(s) < 6 || strings.EqualFold(s, user) || strings.Trim(s, uppers+"_-") == "",
		strings.HasPrefix(s, "%") && strings.HasSuffix(s, "%"),
		slices.Contains(exampleWords, bare) || slices.Contains(exampleWords, low) || bare == strings.ToLower(user),
		slices.ContainsFunc(exampleParts, func(p string) bool { return strings.Contains(low, p) }),
		entropy(s) < 2 || patterned(low) || documented(s):
		return false
	}
	letters := strings.Trim(low, lowers) == ""
	if !exampleHost(host) {
		return !letters || len(s) >= 10
	}
	digit, capital := strings.ContainsAny(s, digits), strings.ContainsAny(s, uppers)
	return !letters && len(s) >= 8 && digit && (capital || len(s) >= 12) && entropy(s) >= 2.5 &&
		!strings.Contains(low, "passw") && !strings.Contains(low, "secret")
}

// exampleHost reports whether a host is this machine, a service of a compose file, or reserved for examples.
func exampleHost(host string) bool {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	if !strings.Contains(host, ".") || strings.HasPrefix(host, "127.") || host == "0.0.0.0" {
		return true
	}
	reserved := strings.Fields("example.com example.org example.net example test invalid localhost local")
	return slices.ContainsFunc(reserved, func(name string) bool { return host == name || strings.HasSuffix(host, "."+name) })
}

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
	leastAssigned = 12  // characters
	surelyRandom  = 24  // from this length on, letters in a row are chance
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
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(line, []byte(w)) })
}

// wordly matches a part that may be of a word, as in Auth0JwtV2Kid.
var wordly = pattern.Late(`[A-Za-z][a-z]{2}`)

// chance reports whether the letters and digits of s alternate as often as in random text. In words, names and paths they do less.
func chance(s string, both bool) bool {
	if len(s) < leastAssigned || len(s) < surelyRandom && wordly().MatchString(s) || !random(s) || isUUID(s) || strings.HasPrefix(s, "eyJ") {
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
