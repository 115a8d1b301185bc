package secrets

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/google/osv-scalibr/veles"
	"github.com/google/osv-scalibr/veles/secrets/anthropicapikey"
	"github.com/google/osv-scalibr/veles/secrets/azurestorageaccountaccesskey"
	"github.com/google/osv-scalibr/veles/secrets/circleci"
	"github.com/google/osv-scalibr/veles/secrets/cloudflareapitoken"
	"github.com/google/osv-scalibr/veles/secrets/cratesioapitoken"
	"github.com/google/osv-scalibr/veles/secrets/cursorapikey"
	"github.com/google/osv-scalibr/veles/secrets/denopat"
	"github.com/google/osv-scalibr/veles/secrets/digitaloceanapikey"
	"github.com/google/osv-scalibr/veles/secrets/discordbottoken"
	"github.com/google/osv-scalibr/veles/secrets/dockerhubpat"
	"github.com/google/osv-scalibr/veles/secrets/elasticcloudapikey"
	"github.com/google/osv-scalibr/veles/secrets/gcpapikey"
	"github.com/google/osv-scalibr/veles/secrets/gcpexpressmode"
	"github.com/google/osv-scalibr/veles/secrets/grokxaiapikey"
	"github.com/google/osv-scalibr/veles/secrets/hashicorpvault"
	"github.com/google/osv-scalibr/veles/secrets/herokuplatformkey"
	"github.com/google/osv-scalibr/veles/secrets/huggingfaceapikey"
	"github.com/google/osv-scalibr/veles/secrets/jwt"
	"github.com/google/osv-scalibr/veles/secrets/npmjsaccesstoken"
	"github.com/google/osv-scalibr/veles/secrets/onepasswordkeys"
	"github.com/google/osv-scalibr/veles/secrets/openai"
	"github.com/google/osv-scalibr/veles/secrets/openrouter"
	"github.com/google/osv-scalibr/veles/secrets/perplexityapikey"
	"github.com/google/osv-scalibr/veles/secrets/postmanapikey"
	"github.com/google/osv-scalibr/veles/secrets/pypiapitoken"
	"github.com/google/osv-scalibr/veles/secrets/rubygemsapikey"
	"github.com/google/osv-scalibr/veles/secrets/sendgrid"
	"github.com/google/osv-scalibr/veles/secrets/slacktoken"
	"github.com/google/osv-scalibr/veles/secrets/squareapikey"
	"github.com/google/osv-scalibr/veles/secrets/stripeapikeys"
	"github.com/google/osv-scalibr/veles/secrets/supabase"
	"github.com/google/osv-scalibr/veles/secrets/telegrambotapitoken"
)

// The detectors of the veles library that need no more than a prefix, or a word nearby, to be
// sure. Left out are those that take any 32 or 40 characters near a word (Mistral, AWS and Google
// HMAC pairs, which meet commit hashes; see cloud.go), any user name in a URL (url.go), private keys
// only when they parse (private.go), GitHub and GitLab tokens only when their checksum is right
// (shapes.go), and public identifiers. The library compiles its patterns at every start of the program;
// those of GitHub, GitLab and of Google's OAuth would cost more than all the others together.

// libraryRules returns the rules that are detectors of the library.
func libraryRules() []rule {
	return []rule{
		library("anthropic-key", "an Anthropic API key", anthropicapikey.NewDetector(), "sk-ant-"),
		library("openai-key", "an OpenAI API key", openai.NewDetector(), "sk-"),
		library("openrouter-key", "an OpenRouter API key", openrouter.NewDetector(), "sk-or-v"),
		library("xai-key", "an xAI API key", grokxaiapikey.NewAPIKeyDetector(), "xai-"),
		library("xai-key", "an xAI management key", grokxaiapikey.NewManagementKeyDetector(), "xai-token-"),
		library("perplexity-key", "a Perplexity API key", perplexityapikey.NewDetector(), "pplx-"),
		library("huggingface-token", "a Hugging Face token", huggingfaceapikey.NewDetector(), "hf_"),
		library("cursor-key", "a Cursor API key", cursorapikey.NewDetector(), "key_"),
		library("google-api-key", "a Google API key", gcpapikey.NewDetector(), "AIzaSy"),
		library("google-api-key", "a Google Cloud key", gcpexpressmode.NewDetector(), "AQ.Ab8R"),
		library("stripe-key", "a Stripe secret key", stripeapikeys.NewSecretKeyDetector(), "sk_live_"),
		library("stripe-key", "a Stripe restricted key", stripeapikeys.NewRestrictedKeyDetector(), "rk_live_"),
		library("stripe-key", "a Stripe webhook secret", stripeapikeys.NewWebhookSecretDetector(), "whsec_"),
		library("square-secret", "a Square application secret", squareapikey.NewOAuthApplicationSecretDetector(), "sq0csp-"),
		library("slack-token", "a Slack app token", slacktoken.NewAppLevelTokenDetector(), "xapp-"),
		library("slack-token", "a Slack configuration token", slacktoken.NewAppConfigAccessTokenDetector(), "xoxe.xoxp-"),
		library("slack-token", "a Slack refresh token", slacktoken.NewAppConfigRefreshTokenDetector(), "xoxe-"),
		library("sendgrid-key", "a SendGrid API key", sendgrid.NewDetector(), "SG."),
		library("postman-key", "a Postman API key", postmanapikey.NewAPIKeyDetector(), "PMAK-"),
		library("postman-key", "a Postman collection token", postmanapikey.NewCollectionTokenDetector(), "PMAT-"),
		library("npm-token", "an npm token", npmjsaccesstoken.NewDetector(), "npm_"),
		library("pypi-token", "a PyPI token", pypiapitoken.NewDetector(), "pypi-"),
		library("rubygems-key", "a RubyGems API key", rubygemsapikey.NewDetector(), "rubygems_"),
		library("crates-token", "a crates.io token", cratesioapitoken.NewDetector(), "cio"),
		library("deno-token", "a Deno token", denopat.NewUserTokenDetector(), "ddp_"),
		library("deno-token", "a Deno token", denopat.NewOrgTokenDetector(), "ddo_"),
		library("docker-token", "a Docker Hub token", dockerhubpat.NewDetector(), "dckr_pat_"),
		library("circleci-token", "a CircleCI token", circleci.NewPersonalAccessTokenDetector(), "CCIPAT_"),
		library("circleci-token", "a CircleCI token", circleci.NewProjectTokenDetector(), "CCIPRJ_"),
		library("digitalocean-token", "a DigitalOcean token", digitaloceanapikey.NewDetector(), "dop_v1_"),
		library("heroku-key", "a Heroku API key", herokuplatformkey.NewSecretKeyDetector(), "HRKU-"),
		library("vault-token", "a HashiCorp Vault token", hashicorpvault.NewTokenDetector(), "hvs.", "hvb."),
		library("elastic-key", "an Elastic Cloud key", elasticcloudapikey.NewDetector(), "essu_"),
		library("supabase-key", "a Supabase token", supabase.NewPATDetector(), "sbp_"),
		library("1password-key", "a 1Password secret key", onepasswordkeys.NewSecretKeyDetector(), "A3-"),
		library("1password-key", "a 1Password service token", onepasswordkeys.NewServiceTokenDetector(), "ops_eyJ"),
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
