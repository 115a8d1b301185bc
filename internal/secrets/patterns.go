package secrets

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// These formats have more than a prefix and a number of characters (shapes.go): a mark inside, or a word nearby.
// There are no rules for any 32 or 40 characters near a word, because commit hashes match them too.

func patternRules() []rule {
	return []rule{
		prefixed("anthropic-key", "an Anthropic API key", `sk-ant-[0-9A-Za-z]+-[\w-]+`, 200, "sk-ant-"),
		prefixed("openai-key", "an OpenAI API key", `sk-[\w-]*T3BlbkFJ[\w-]+`, 200, "sk-"),
		prefixed("openrouter-key", "an OpenRouter API key", `sk-or-v[0-9]+-[\w-]{20,}`, 100, "sk-or-v"),
		nearby("telegram-token", "a Telegram bot token", `\b[0-9]{8,10}:[\w-]{35}\b`, `(?i)telegram|tgram`, 60, "telegram", "tgram"),
		nearby("discord-token", "a Discord bot token", `(?i)[mn][\w-]{23}\.[\w-]{6}\.[\w-]{27}|mfa\.[\w-]{20,}`, `(?i)discord`, 50, "discord"),
		nearby("cloudflare-token", "a Cloudflare token", `\b[\w-]{40}\b`,
			`(?i)["']?\b(?:(?:cloudflare|cf)_api_(?:token|key)|(?:cloudflare|cf)_token|cloudflare_auth_key|cf_account_id)\b["']?\s*[=:]`,
			20, "cloudflare", "cf_"),
		nearby("azure-key", "an Azure storage key", `(?:[>'=?#]|\b)[0-9A-Za-z+/]{86}==`, `(?i)\bazure[a-z_-]*key\b|\baz\s+storage\b`,
			200, "azure", "az storage"),
		{id: "jwt", what: "a signed JSON Web Token", triggers: []string{"eyJ"}, find: signedTokens},
	}
}

// prefixed makes a rule for secrets that match value, begin with a prefix and have at most longest bytes.
func prefixed(id, what, value string, longest int, prefix string) rule {
	values := pattern.Late(value)
	return rule{id: id, what: what, triggers: []string{prefix}, find: func(text []byte, hits []hit) (found []span) {
		// The extra byte on either side shows whether the secret is part of a longer word.
		for _, w := range windows(text, hits, 1, longest+1) {
			for _, m := range values().FindAllIndex(text[w.start:w.end], -1) {
				s := spanOf(text, w.start+m[0], w.start+m[1])
				if body := strings.TrimPrefix(s.value, prefix); begins(text, s.start) && !documented(body) && random(lastPart(body)) {
					found = append(found, s)
				}
			}
		}
		return found
	}}
}

// nearby makes a rule for secrets that match value, with at most distance bytes between them and a match of word.
func nearby(id, what, value, word string, distance int, triggers ...string) rule {
	const around = 416 // bytes on either side of a trigger: the longest word, distance and value
	values, words := pattern.Late(value), pattern.Late(word)
	return rule{id: id, what: what, triggers: triggers, folded: true, find: func(text []byte, hits []hit) (found []span) {
		for _, w := range windows(text, hits, around, around) {
			window := text[w.start:w.end]
			near := words().FindAllIndex(window, -1)
			if near == nil {
				continue
			}
			for _, m := range values().FindAllIndex(window, -1) {
				s := spanOf(text, w.start+m[0], w.start+m[1])
				within := func(w []int) bool {
					gap := max(m[0]-w[1], w[0]-m[1])
					return 0 <= gap && gap <= distance
				}
				if slices.ContainsFunc(near, within) && random(s.value) && !hexadecimal(s.value) {
					found = append(found, s)
				}
			}
		}
		return found
	}}
}

const mostWindow = 2 << 10 // bytes

// windows returns the parts of text around hits, and joins parts that overlap, up to a few times the longest secret with its surroundings.
func windows(text []byte, hits []hit, before, after int) (out []hit) {
	most := max(mostWindow, 4*(before+after))
	for _, h := range hits {
		w := hit{max(0, h.start-before), min(len(text), h.end+after)}
		if last := len(out) - 1; last >= 0 && w.start <= out[last].end && w.end-out[last].start <= most {
			out[last].end = max(out[last].end, w.end)
			continue
		}
		out = append(out, w)
	}
	return out
}

func spanOf(text []byte, start, end int) span {
	return span{start: start, end: end, value: string(text[start:end])}
}

// leastSignature is less than the 43 characters of the shortest signature, HMAC-SHA256's, because an editor may have cut some.
const leastSignature = 32

const longestToken = 8192 // bytes

var tokens = pattern.Late(`eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+`)

// signedTokens finds usable JSON Web Tokens: header and claims are JSON objects, there is a signature, and they are no known example.
func signedTokens(text []byte, hits []hit) (found []span) {
	for _, w := range windows(text, hits, 0, longestToken) {
		for _, m := range tokens().FindAllIndex(text[w.start:w.end], -1) {
			s := spanOf(text, w.start+m[0], w.start+m[1])
			parts := strings.Split(s.value, ".")
			var head, claims map[string]any
			if len(parts[2]) >= leastSignature && random(parts[2]) && decoded(parts[0], &head) && decoded(parts[1], &claims) &&
				!exampleClaims(claims) {
				found = append(found, s)
			}
		}
	}
	return found
}

// decoded reads a part of a token, and reports whether it is a JSON object.
func decoded(part string, into *map[string]any) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(data, into) == nil && *into != nil
}

// exampleClaims reports whether a token's claims are those of jwt.io, of RFC 7519, of a local Supabase, or of Supabase's public role.
func exampleClaims(c map[string]any) bool {
	return c["sub"] == "1234567890" && c["name"] == "John Doe" && c["iat"] == 1516239022.0 ||
		c["iss"] == "joe" && c["exp"] == 1300819380.0 ||
		c["iss"] == "supabase-demo" || c["iss"] == "supabase" && c["role"] == "anon"
}
