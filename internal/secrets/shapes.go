package secrets

import "strings"

// shape is a token format: one of some prefixes, then min to max characters of one set.
type shape struct {
	id, what string
	prefixes string
	set      *byteSet
	min, max int // characters after the prefix; max 0 is no maximum
}

// The formats come from the services' documentation, or from their tokens.
var shapes = []shape{
	{"github-token", "a GitHub token", "ghp_", alnumBytes, 36, 255},
	{"github-token", "a GitHub token", "github_pat_", wordBytes, 60, 255},
	{"github-token", "a GitHub OAuth token", "gho_", alnumBytes, 36, 255},
	{"github-token", "a GitHub user token", "ghu_", alnumBytes, 36, 255},
	{"github-token", "a GitHub installation token", "ghs_", dotBytes, 36, 0}, // since 2026 an id and a JWT
	{"github-token", "a GitHub refresh token", "ghr_", alnumBytes, 36, 255},
	{"gitlab-token", "a GitLab token", "glpat-", dotBytes, 20, 0},
	{"gitlab-token", "a GitLab deploy token", "gldt-", dashBytes, 20, 0},
	{"gitlab-token", "a GitLab runner token", "glrt-", dotBytes, 20, 0},
	{"gitlab-token", "a GitLab runner token", "GR1348941", dashBytes, 20, 0},
	{"gitlab-token", "a GitLab job token", "glcbt-", dotBytes, 20, 0},
	{"gitlab-token", "a GitLab trigger token", "glptt-", dashBytes, 20, 0},
	{"gitlab-token", "a GitLab feed token", "glft-", dashBytes, 20, 0},
	{"gitlab-token", "a GitLab SCIM token", "glsoat-", dashBytes, 20, 0},
	{"gitlab-token", "a GitLab mail token", "glimt-", dashBytes, 20, 0},
	{"gitlab-token", "a GitLab agent token", "glagent-", dashBytes, 40, 0},
	{"gitlab-token", "a GitLab application secret", "gloas-", dashBytes, 40, 0},
	{"atlassian-token", "an Atlassian token", "ATATT3xFf ATCTT3xFf", tokenBytes, 100, 0},
	{"bitbucket-token", "a Bitbucket app password", "ATBB", alnumBytes, 32, 32},

	{"aws-bedrock-key", "an AWS Bedrock key", "ABSK", base64Bytes, 100, 0},
	{"google-api-key", "a Google API key", "AIza", dashBytes, 35, 35},
	{"google-api-key", "a Google Cloud key", "AQ.Ab8R", dashBytes, 46, 46},
	{"google-oauth-secret", "a Google OAuth client secret", "GOCSPX-", dashBytes, 28, 28},
	{"google-oauth-token", "a Google OAuth token", "ya29.", dashBytes, 30, 0},
	{"google-oauth-token", "a Google refresh token", "1//0", dashBytes, 40, 0},
	{"alibaba-key", "an Alibaba Cloud key id", "LTAI", alnumBytes, 20, 20},
	{"digitalocean-token", "a DigitalOcean token", "dop_v1_", hexBytes, 64, 64},
	{"digitalocean-token", "a DigitalOcean OAuth token", "doo_v1_", hexBytes, 64, 64},
	{"digitalocean-token", "a DigitalOcean refresh token", "dor_v1_", hexBytes, 64, 64},
	{"cloudflare-token", "a Cloudflare API key", "cfk_", alnumBytes, 40, 60},
	{"cloudflare-token", "a Cloudflare user token", "cfut_", alnumBytes, 40, 60},
	{"cloudflare-token", "a Cloudflare account token", "cfat_", alnumBytes, 40, 60},
	{"fly-token", "a Fly.io token", "fm2_", base64Bytes, 60, 0},
	{"netlify-token", "a Netlify token", "nfp_", alnumBytes, 36, 60},
	{"heroku-key", "a Heroku API key", "HRKU-", dashBytes, 52, 0},
	{"render-key", "a Render API key", "rnd_", alnumBytes, 28, 40},

	{"stripe-key", "a Stripe secret key", "sk_live_", alnumBytes, 10, 120},
	{"stripe-key", "a Stripe restricted key", "rk_live_", alnumBytes, 10, 120},
	{"stripe-key", "a Stripe webhook secret", "whsec_", alnumBytes, 32, 64},
	{"stripe-key", "a Stripe test key", "sk_test_", alnumBytes, 24, 120},
	{"stripe-key", "a Stripe restricted test key", "rk_test_", alnumBytes, 24, 120},
	{"square-secret", "a Square application secret", "sq0csp-", dashBytes, 43, 43},
	{"shopify-token", "a Shopify token", "shpat_", hexBytes, 32, 32},
	{"shopify-token", "a Shopify custom app token", "shpca_", hexBytes, 32, 32},
	{"shopify-token", "a Shopify private app token", "shppa_", hexBytes, 32, 32},
	{"shopify-token", "a Shopify shared secret", "shpss_", hexBytes, 32, 32},

	{"slack-token", "a Slack bot token", "xoxb-", dashBytes, 24, 0},
	{"slack-token", "a Slack user token", "xoxp-", dashBytes, 24, 0},
	{"slack-token", "a Slack workspace token", "xoxa-", dashBytes, 24, 0},
	{"slack-token", "a Slack refresh token", "xoxr-", dashBytes, 24, 0},
	{"slack-token", "a Slack legacy token", "xoxs-", dashBytes, 24, 0},
	{"slack-token", "a Slack client token", "xoxc-", dashBytes, 24, 0},
	{"slack-token", "a Slack cookie", "xoxd-", tokenBytes, 24, 0},
	{"slack-token", "a Slack app token", "xapp-", dashBytes, 92, 101},
	{"slack-token", "a Slack configuration token", "xoxe.xoxp-", dashBytes, 168, 177},
	{"slack-token", "a Slack refresh token", "xoxe-", dashBytes, 149, 158},
	{"slack-webhook", "a Slack webhook", "hooks.slack.com/services/", setOf(digits + lowers + uppers + "/"), 40, 60},
	{"slack-webhook", "a Slack workflow webhook", "hooks.slack.com/workflows/", setOf(digits + lowers + uppers + "/"), 40, 80},
	{"discord-webhook", "a Discord webhook", "discord.com/api/webhooks/", setOf(digits + lowers + uppers + "_-/"), 70, 100},
	{"discord-webhook", "a Discord webhook", "discordapp.com/api/webhooks/", setOf(digits + lowers + uppers + "_-/"), 70, 100},
	{"teams-webhook", "a Teams webhook", "webhook.office.com/webhookb2/", setOf(digits + lowers + uppers + "@-/"), 100, 0},

	{"huggingface-token", "a Hugging Face token", "hf_", alnumBytes, 34, 40},
	{"huggingface-token", "a Hugging Face organization token", "api_org_", alnumBytes, 34, 40},
	{"perplexity-key", "a Perplexity API key", "pplx-", alnumBytes, 48, 48},
	{"cursor-key", "a Cursor API key", "key_", lowerBytes, 64, 64},
	{"xai-key", "an xAI API key", "xai-", alnumBytes, 80, 80},
	{"xai-key", "an xAI management key", "xai-token-", alnumBytes, 80, 80},
	{"groq-key", "a Groq API key", "gsk_", alnumBytes, 40, 60},
	{"replicate-token", "a Replicate token", "r8_", alnumBytes, 37, 40},
	{"nvidia-key", "an NVIDIA API key", "nvapi-", dashBytes, 60, 70},
	{"langsmith-key", "a LangSmith key", "lsv2_pt_ lsv2_sk_", wordBytes, 40, 50},

	{"sendgrid-key", "a SendGrid API key", "SG.", dotBytes, 66, 66},
	{"npm-token", "an npm token", "npm_", alnumBytes, 36, 36},
	{"rubygems-key", "a RubyGems API key", "rubygems_", hexBytes, 48, 48},
	{"crates-token", "a crates.io token", "cio", alnumBytes, 32, 32},
	{"1password-key", "a 1Password secret key", "A3-", setOf(digits + uppers + "-"), 36, 37},
	{"1password-key", "a 1Password service token", "ops_eyJ", base64Bytes, 250, 0},
	{"docker-token", "a Docker Hub token", "dckr_pat_", dashBytes, 27, 27},
	{"pypi-token", "a PyPI token", "pypi-", dashBytes, 84, 0},
	{"deno-token", "a Deno token", "ddp_ ddo_", alnumBytes, 36, 36},
	{"circleci-token", "a CircleCI token", "CCIPAT_ CCIPRJ_", wordBytes, 63, 63},
	{"postman-key", "a Postman API key", "PMAK-", setOf(digits + "abcdefABCDEF-"), 59, 59},
	{"postman-key", "a Postman collection token", "PMAT-", alnumBytes, 26, 26},
	{"vault-token", "a HashiCorp Vault token", "hvs. hvb.", dashBytes, 24, 0},
	{"elastic-key", "an Elastic Cloud key", "essu_", base64Bytes, 92, 92},
	{"brevo-key", "a Brevo key", "xkeysib-", setOf(digits + lowers + uppers + "-"), 80, 90},
	{"linear-key", "a Linear API key", "lin_api_", alnumBytes, 40, 40},
	{"notion-token", "a Notion token", "ntn_", alnumBytes, 40, 50},
	{"figma-token", "a Figma token", "figd_", dashBytes, 40, 0},
	{"airtable-token", "an Airtable token", "pat", setOf(digits + lowers + uppers + "."), 79, 79},
	{"databricks-token", "a Databricks token", "dapi", setOf(digits + "abcdef-"), 32, 34},
	{"grafana-token", "a Grafana service token", "glsa_", wordBytes, 41, 41},
	{"grafana-token", "a Grafana Cloud token", "glc_eyJ", base64Bytes, 60, 0},
	{"newrelic-key", "a New Relic key", "NRAK-", upperBytes, 27, 27},
	{"sentry-token", "a Sentry token", "sntrys_", setOf(digits + lowers + uppers + "+/=_"), 60, 0},
	{"sentry-token", "a Sentry token", "sntryu_", hexBytes, 64, 64},
	{"dynatrace-token", "a Dynatrace token", "dt0c01.", setOf(digits + uppers + "."), 89, 89},
	{"pulumi-token", "a Pulumi token", "pul-", hexBytes, 40, 40},
	{"doppler-token", "a Doppler token", "dp.pt.", alnumBytes, 40, 50},
	{"planetscale-token", "a PlanetScale password", "pscale_pw_", dotBytes, 32, 0},
	{"planetscale-token", "a PlanetScale token", "pscale_tkn_", dotBytes, 32, 0},
	{"supabase-key", "a Supabase token", "sbp_", hexBytes, 40, 40},
	{"supabase-key", "a Supabase secret key", "sb_secret_", dashBytes, 31, 40},
	{"tailscale-key", "a Tailscale key", "tskey-", dashBytes, 24, 0},
	{"sonar-token", "a SonarQube token", "squ_ sqp_", hexBytes, 40, 40},
	{"posthog-key", "a PostHog key", "phx_", alnumBytes, 40, 60},
	{"contentful-token", "a Contentful token", "CFPAT-", dashBytes, 43, 43},
	{"nuget-key", "a NuGet key", "oy2", lowerBytes, 43, 43},
	{"clojars-token", "a Clojars token", "CLOJARS_", lowerBytes, 60, 60},
	{"buildkite-token", "a Buildkite token", "bkua_", hexBytes, 40, 40},
	{"artifactory-key", "an Artifactory key", "AKCp", alnumBytes, 69, 69},
	{"age-key", "an age secret key", "AGE-SECRET-KEY-1", upperBytes, 58, 58},
}

// shapeRules returns the rules of the table, and the rule for keys with a prefix that many services share.
func shapeRules() []rule {
	rules := []rule{{id: "api-key", what: "an API key", triggers: []string{"sk-"}, find: placed(sharedPrefix)}}
	for _, s := range shapes {
		rules = append(rules, rule{id: s.id, what: s.what, triggers: strings.Fields(s.prefixes), find: placed(s.at)})
	}
	return rules
}

// at finds a token behind its prefix.
func (s shape) at(text []byte, h hit) (found span, body string) {
	if !begins(text, h.start) {
		return span{}, ""
	}
	n := run(text[h.end:], s.set)
	body = string(text[h.end : h.end+n])
	if n != s.max { // the last characters may be a sentence's punctuation
		body = strings.TrimRight(body, "-_./%")
	}
	if len(body) < s.min || s.max > 0 && len(body) > s.max || documented(body) {
		return span{end: h.end + n}, ""
	}
	return spanOf(text, h.start, h.end+len(body)), lastPart(body)
}

// lastPart returns the secret part of a token or a webhook, after its ids.
func lastPart(body string) string {
	if last := body[strings.LastIndexAny(body, "/.-")+1:]; len(last) >= 16 {
		return last
	}
	return body
}

// sharedPrefix finds keys like those of OpenAI: sk-, an optional word, and one long random part, but no words with dashes, as in CSS.
func sharedPrefix(text []byte, h hit) (s span, body string) {
	if !begins(text, h.start) {
		return s, ""
	}
	n := run(text[h.end:], dashBytes)
	body = strings.TrimRight(string(text[h.end:h.end+n]), "-_")
	dense := ""
	for _, part := range strings.FieldsFunc(body, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) > len(dense) {
			dense = part
		}
	}
	if len(body) < 32 || len(dense) < 16 || !random(dense) {
		return span{end: h.end + n}, ""
	}
	return spanOf(text, h.start, h.end+len(body)), body
}
