package secrets

import (
	"net/url"
	"slices"
	"strings"
)

// urlRules returns the rule for passwords in addresses. It comes last, so that another rule's finding in
// the place of the password wins.
func urlRules() []rule {
	return []rule{{id: "password-in-url", what: "a password in an address", triggers: []string{"://"}, find: passwords}}
}

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

// endsAuthority reports whether r ends the part of an address that names user and host. Braces,
// angle brackets and dollar signs in it make it a template.
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

// isPassword reports whether s could be a real password. For addresses of this machine, of bare
// service names and of example domains it is stricter.
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

// exampleHost reports whether a host is this machine, a service of a compose file, or reserved
// for examples.
func exampleHost(host string) bool {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	if !strings.Contains(host, ".") || strings.HasPrefix(host, "127.") || host == "0.0.0.0" {
		return true
	}
	for _, name := range []string{"example.com", "example.org", "example.net"} {
		if host == name || strings.HasSuffix(host, "."+name) {
			return true
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last == "example" || last == "test" || last == "invalid" || last == "localhost" || last == "local"
}
