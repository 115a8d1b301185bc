package secrets

import (
	"bytes"
	"slices"
	"strings"
)

// Some secrets of clouds and registries have no prefix. These rules find them by an id or a key's name nearby, or by a mark inside.

func cloudRules() []rule {
	return []rule{
		{id: "aws-access-key-id", what: "an AWS access key id", triggers: awsIDs, find: placed(awsID)},
		{id: "aws-secret-key", what: "an AWS secret key", triggers: awsIDs, find: nearID(16, 16)},
		{
			id: "aws-secret-key", what: "an AWS secret key", folded: true, find: named,
			triggers: []string{"aws_secret", "awssecret", "aws-secret", "aws secret", "secret_access_key", "secretaccesskey", "secret access key"},
		},
		{id: "google-hmac-key", what: "a Google storage key", triggers: []string{"GOOG1"}, find: nearID(19, 60)},
		{id: "azure-key", what: "an Azure key", triggers: []string{"AccountKey=", "SharedAccessKey="}, find: placed(azureKey)},
		{id: "azure-secret", what: "an Azure client secret", triggers: []string{"Q~"}, find: placed(azureSecret)},
		{id: "azure-sas", what: "an Azure shared access signature", triggers: []string{"sig="}, find: placed(azureSignature)},
		{id: "azure-devops-token", what: "an Azure DevOps token", triggers: []string{"AZDO"}, find: marked(alnumBytes, 76, 76, 4, 4)},
		{id: "terraform-token", what: "a Terraform Cloud token", triggers: []string{".atlasv1."}, find: marked(dashBytes, 14, 14, 60, 70)},
		{id: "telegram-token", what: "a Telegram bot token", triggers: []string{":AA"}, find: placed(telegram)},
		{id: "npm-token", what: "a registry token", triggers: []string{"_authToken="}, find: placed(registryToken)},
	}
}

// marked finds words of bytes in set with a mark in their middle. The limits are for the bytes before and after the mark.
func marked(set *byteSet, minBefore, maxBefore, minAfter, maxAfter int) func([]byte, []hit) []span {
	return placed(func(text []byte, h hit) (s span, body string) {
		start := h.start
		for start > 0 && set[text[start-1]] && h.start-start < longest {
			start--
		}
		s = spanOf(text, start, h.end+run(text[h.end:], set))
		if before, after := h.start-start, s.end-h.end; before < minBefore || before > maxBefore || after < minAfter || after > maxAfter {
			return s, ""
		}
		return s, s.value
	})
}

// awsIDs are the prefixes of ids of AWS access keys: for users, temporary credentials and services.
var awsIDs = []string{"AKIA", "ASIA", "ABIA", "ACCA"}

// isID reports whether an id of least to most characters follows a hit, as a separate word.
func isID(text []byte, h hit, least, most int) (end int, ok bool) {
	n := runOf(text[h.end:], alnumBytes, most+1)
	end = h.end + n
	return end, least <= n && n <= most && runOf(text[h.end:], upperBytes, n) == n && begins(text, h.start) &&
		random(string(text[h.end:end]))
}

const (
	nearSecret  = 1 << 10 // bytes between an id and its secret
	namedSecret = 40      // bytes between a secret's name and the secret
)

// nearID finds secrets near ids.
func nearID(least, most int) func([]byte, []hit) []span {
	return func(text []byte, hits []hit) []span {
		hits = slices.DeleteFunc(slices.Clone(hits), func(h hit) bool {
			_, ok := isID(text, h, least, most)
			return !ok
		})
		return secrets40(text, windows(text, hits, nearSecret, nearSecret))
	}
}

// named finds secrets behind their name.
func named(text []byte, hits []hit) []span {
	return secrets40(text, windows(text, hits, 0, namedSecret+41))
}

var secretBytes = setOf(digits + lowers + uppers + "+/")

// secrets40 finds the secrets of 40 base64 characters that AWS and Google use. A commit hash is as long, and a path may be.
func secrets40(text []byte, near []hit) (found []span) {
	for _, w := range near {
		for at := w.start; at < w.end; at++ {
			n := run(text[at:], secretBytes)
			if n == 40 && (at == 0 || !dashBytes[text[at-1]]) && (at+n == len(text) || !dashBytes[text[at+n]]) {
				if s := spanOf(text, at, at+n); mixed(s.value) && random(s.value) {
					found = append(found, s)
				}
			}
			at += n
		}
	}
	return found
}

// mixed reports whether s has capitals, small letters and at least two digits, and not the slashes of a path.
func mixed(s string) bool {
	digit := strings.IndexAny(s, digits)
	return digit >= 0 && strings.LastIndexAny(s, digits) > digit && strings.ContainsAny(s, lowers) && strings.ContainsAny(s, uppers) &&
		strings.Count(s, "/") <= 4
}

// placed finds secrets whose place follows from a hit. place returns the secret and its random part, which is empty for no secret. The
// search goes on behind the span that place returns.
func placed(place func(text []byte, h hit) (s span, body string)) func([]byte, []hit) []span {
	return func(text []byte, hits []hit) (found []span) {
		seen := 0
		for _, h := range hits {
			if h.start < seen {
				continue
			}
			s, body := place(text, h)
			if seen = max(seen, s.end); body != "" && random(body) {
				found = append(found, s)
			}
		}
		return found
	}
}

// awsID finds ids of 16 characters.
func awsID(text []byte, h hit) (s span, body string) {
	if end, ok := isID(text, h, 16, 16); ok {
		return spanOf(text, h.start, end), string(text[h.end:end])
	}
	return s, ""
}

// azureKey finds the keys of storage accounts, Cosmos DB, Service Bus and Event Hubs in connection strings.
func azureKey(text []byte, h hit) (s span, body string) {
	s = spanOf(text, h.end, h.end+runOf(text[h.end:], base64Bytes, 100))
	if body = strings.TrimRight(s.value, "="); len(body) != 86 && len(body) != 43 {
		return span{}, ""
	}
	return s, body
}

var azureSecretBytes = setOf(digits + lowers + uppers + "_~.-")

// azureSecret finds client secrets of Entra ID: three characters, a digit, Q~, and 31 to 34 more.
func azureSecret(text []byte, h hit) (s span, body string) {
	start := h.start - 4
	n := runOf(text[h.end:], azureSecretBytes, 40)
	n = len(bytes.TrimRight(text[h.end:h.end+n], ".-"))
	if start < 0 || n < 31 || n > 34 || text[h.start-1] < '0' || text[h.start-1] > '9' || start > 0 && azureSecretBytes[text[start-1]] ||
		runOf(text[start:h.start], azureSecretBytes, 4) < 4 {
		return s, ""
	}
	s = spanOf(text, start, h.end+n)
	return s, s.value
}

const sasAddress = 256 // bytes of an address on either side of its signature

// azureSignature finds signatures in addresses that also have an expiry time.
func azureSignature(text []byte, h hit) (s span, body string) {
	s = spanOf(text, h.end, h.end+runOf(text[h.end:], tokenBytes, 80))
	body = strings.TrimSuffix(strings.TrimRight(s.value, "="), "%3D")
	address := text[max(0, h.start-sasAddress):min(len(text), s.end+sasAddress)]
	if len(body) < 40 || len(body) > 70 || len(body) == len(s.value) || !bytes.Contains(address, []byte("sv=")) ||
		!bytes.Contains(address, []byte("se=")) {
		return span{}, ""
	}
	return s, body
}

// telegram finds bot tokens, even without the word telegram nearby: a number, and 35 characters that begin with AA.
func telegram(text []byte, h hit) (s span, body string) {
	start := h.start
	for start > 0 && '0' <= text[start-1] && text[start-1] <= '9' && h.start-start <= 10 {
		start--
	}
	if n := h.start - start; n < 8 || n > 10 || !begins(text, start) || runOf(text[h.end:], dashBytes, 34) != 33 {
		return s, ""
	}
	s = spanOf(text, start, h.end+33)
	if documented(s.value) {
		return span{}, ""
	}
	return s, string(text[h.start+1 : s.end])
}

// registryToken finds the tokens in the settings of npm and similar registries; old tokens are UUIDs.
func registryToken(text []byte, h hit) (s span, body string) {
	start := h.end
	if start < len(text) && text[start] == '"' {
		start++
	}
	if s = spanOf(text, start, start+runOf(text[start:], tokenBytes, 256)); len(s.value) < 20 {
		return span{}, ""
	}
	return s, s.value
}
