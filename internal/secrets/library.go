package secrets

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/google/osv-scalibr/veles"
	"github.com/google/osv-scalibr/veles/secrets/anthropicapikey"
	"github.com/google/osv-scalibr/veles/secrets/azurestorageaccountaccesskey"
	"github.com/google/osv-scalibr/veles/secrets/cloudflareapitoken"
	"github.com/google/osv-scalibr/veles/secrets/discordbottoken"
	"github.com/google/osv-scalibr/veles/secrets/jwt"
	"github.com/google/osv-scalibr/veles/secrets/openai"
	"github.com/google/osv-scalibr/veles/secrets/openrouter"
	"github.com/google/osv-scalibr/veles/secrets/telegrambotapitoken"
)

// The detectors of the veles library for what takes more than a prefix and a number of characters: a mark
// within, a word nearby, a token that must parse. The library compiles its patterns at every start of the
// program, so the other formats are lines of shapes.go. Left out are those that take any 32 or 40 characters
// near a word (Mistral, AWS and Google HMAC pairs, which meet commit hashes; see cloud.go), any user name in
// a URL (url.go), private keys only when they parse (private.go), GitHub and GitLab tokens only when their
// checksum is right (shapes.go), and public identifiers.

// libraryRules returns the rules that are detectors of the library.
func libraryRules() []rule {
	return []rule{
		library("anthropic-key", "an Anthropic API key", anthropicapikey.NewDetector(), "sk-ant-"),
		library("openai-key", "an OpenAI API key", openai.NewDetector(), "sk-"),
		library("openrouter-key", "an OpenRouter API key", openrouter.NewDetector(), "sk-or-v"),
		nearby("telegram-token", "a Telegram bot token", telegrambotapitoken.NewDetector(), "telegram", "tgram"),
		nearby("discord-token", "a Discord bot token", discordbottoken.NewDetector(), "discord"),
		nearby("cloudflare-token", "a Cloudflare token", cloudflareapitoken.NewDetector(), "cloudflare", "cf_"),
		nearby("azure-key", "an Azure storage key", azurestorageaccountaccesskey.NewDetector(), "azure", "az storage"),
		{id: "jwt", what: "a signed JSON Web Token", triggers: []string{"eyJ"}, find: signedTokens(jwt.NewDetector())},
	}
}

// library makes a rule of a detector whose secrets begin with a prefix.
func library(id, what string, d veles.Detector, prefixes ...string) rule {
	return rule{id: id, what: what, triggers: prefixes, find: func(text []byte, hits []hit) []span {
		// One byte more on either side shows whether the secret is a part of a longer word.
		var found []span
		for _, w := range windows(text, hits, 1, int(d.MaxSecretLen())+1) {
			for _, s := range detected(d, text, w) {
				if body := unprefixed(s.value, prefixes); begins(text, s.start) && !documented(body) && random(lastPart(body)) {
					found = append(found, s)
				}
			}
		}
		return found
	}}
}

// nearby makes a rule of a detector that looks for a word and a secret close to it.
func nearby(id, what string, d veles.Detector, words ...string) rule {
	return rule{id: id, what: what, triggers: words, folded: true, find: func(text []byte, hits []hit) []span {
		var found []span
		around := min(int(d.MaxSecretLen()), mostAround)
		for _, w := range windows(text, hits, around, around) {
			for _, s := range detected(d, text, w) {
				if random(s.value) && !hexadecimal(s.value) {
					found = append(found, s)
				}
			}
		}
		return found
	}}
}

const (
	mostAround = 512     // bytes on either side of a word that a detector sees
	mostWindow = 2 << 10 // bytes: detectors of pairs compare all with all in one window
)

// windows returns the parts of text around hits, joined where they overlap. A window is a few times
// as long as what it must show, so that those which are not joined overlap by a part only.
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

// detected runs a detector on a window of text. It says where its secrets begin, at least
// roughly; their end is found by their value.
func detected(d veles.Detector, text []byte, w hit) (found []span) {
	secrets, at := d.Detect(text[w.start:w.end])
	for i, s := range secrets {
		value := valueOf(s)
		if value == "" || at[i] < 0 {
			continue
		}
		start := w.start + at[i]
		if n := bytes.Index(text[start:w.end], []byte(value)); n >= 0 {
			found = append(found, span{start: start + n, end: start + n + len(value), value: value})
		}
	}
	return found
}

// valueOf returns the secret that one of the library's many types holds: its first text.
func valueOf(s veles.Secret) string {
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Struct {
		return ""
	}
	for _, f := range v.Fields() {
		if f.Kind() == reflect.String && f.Len() > 0 {
			return f.String()
		}
	}
	return ""
}

// unprefixed returns what follows the prefix of a token.
func unprefixed(value string, prefixes []string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(value, p); ok {
			return rest
		}
	}
	return value
}
