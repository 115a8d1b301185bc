package secrets

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The labelled corpus. Every secret in it is made up, and put together when the test runs, so that
// no scanner takes this file for a leak.

// made returns n characters of an alphabet, always the same ones for a seed.
func made(seed uint64, n int, alphabet string) string {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	hexes  = digits + "abcdef"
	alnums = digits + lowers + uppers
	dashed = alnums + "-_"
	b64    = alnums + "+/"
)

// sample is a text with the secret that must be found in it; "" in a negative.
type sample struct{ rule, secret, text string }

// in puts a secret into one of the surroundings that records have.
func in(i int, secret string) string {
	switch i % 8 {
	case 0:
		return "- the key is " + secret + "."
	case 1:
		return "```sh\nexport TOKEN=\"" + secret + "\"\n```\n"
	case 2:
		return "## Context\n\n`" + secret + "` works for now, rotate it.\n"
	case 3:
		return `{"auth": {"token": "` + secret + `"}, "n": 1}`
	case 4:
		return "curl -H 'Authorization: Bearer " + secret + "' https://api.example.com/v1"
	case 5:
		return "| name | value |\n|---|---|\n| key | " + secret + " |\n"
	case 6:
		return "トークンは" + secret + "です。"
	}
	return secret
}

func positives() (out []sample) {
	n := 0
	add := func(rule, secret string) {
		out = append(out, sample{rule, secret, in(n, secret)})
		n++
	}
	text := func(rule, secret, text string) { out = append(out, sample{rule, secret, text}) }
	id := func() uint64 { return uint64(1000 + len(out)) }

	for range 2 {
		for _, p := range []string{"ghp_", "gho_", "ghu_", "ghs_"} {
			add("github-token", p+made(id(), 36, alnums))
		}
	}
	add("github-token", "ghr_"+made(id(), 76, alnums))
	add("github-token", "github_pat_"+made(id(), 22, alnums)+"_"+made(id(), 59, alnums))
	claims := base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"https://id.acme.dev","sub":"svc-17","scope":"deploy"}`))
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))
	token := header + "." + claims + "." + made(id(), 43, dashed)
	add("github-token", "ghs_"+made(id(), 8, digits)+"_"+token)
	for _, p := range []string{"glpat-", "gldt-", "glrt-", "glptt-", "glft-"} {
		add("gitlab-token", p+made(id(), 20, alnums+"_"))
	}
	add("atlassian-token", "ATATT3xFf"+"GF0"+made(id(), 180, dashed))
	add("bitbucket-token", "ATBB"+made(id(), 32, alnums))

	key := "AKIA" + made(id(), 16, uppers+"234567")
	awsSecret := made(7, 40, b64)
	add("aws-access-key-id", key)
	add("aws-access-key-id", "ASIA"+made(id(), 16, uppers+"234567"))
	text("aws-secret-key", awsSecret, "aws_access_key_id = "+key+"\naws_secret_access_key = "+awsSecret+"\n")
	text("aws-secret-key", made(8, 40, b64), "AWS_SECRET_ACCESS_KEY="+made(8, 40, b64))
	text("aws-secret-key", made(9, 40, b64), `{"SecretAccessKey": "`+made(9, 40, b64)+`"}`)
	text("aws-secret-key", made(10, 40, b64), "key id "+key+" since commit "+made(3, 40, hexes)+"\n\nand the secret is\n\n    "+made(10, 40, b64)+"\n")
	add("aws-bedrock-key", "ABSK"+made(id(), 128, alnums))
	add("google-api-key", "AIzaSy"+"B"+made(id(), 32, dashed))
	add("google-api-key", "AIza"+made(id(), 35, alnums))
	add("google-oauth-secret", "GOCSPX-"+made(id(), 28, alnums))
	add("google-oauth-token", "ya29."+made(id(), 120, dashed)+"Q")
	text("google-hmac-key", made(11, 40, b64), "GOOG1E"+made(id(), 55, uppers+digits)+" / "+made(11, 40, b64))
	account := made(12, 86, b64) + "=="
	text("azure-key", account, "DefaultEndpointsProtocol=https;AccountName=acmelogs;AccountKey="+account+";EndpointSuffix=core.windows.net")
	text("azure-key", made(13, 86, b64)+"==", "azure_storage_key: "+made(13, 86, b64)+"==")
	text("azure-key", made(14, 43, b64)+"=", "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey="+made(14, 43, b64)+"=")
	add("azure-secret", made(id(), 3, alnums)+"8Q~"+made(id(), 34, alnums))
	text("azure-sas", made(15, 43, alnums)+"%3D", "https://acme.blob.core.windows.net/logs?sv=2024-11-04&se=2027-01-01&sr=c&sp=rl&sig="+made(15, 43, alnums)+"%3D")
	add("azure-devops-token", made(id(), 76, alnums)+"AZDO"+made(id(), 4, alnums))
	add("digitalocean-token", "dop_v1_"+made(id(), 64, hexes))
	add("digitalocean-token", "doo_v1_"+made(id(), 64, hexes))
	text("cloudflare-token", made(16, 40, alnums), "CLOUDFLARE_API_TOKEN="+made(16, 40, alnums))
	add("cloudflare-token", "cfut_"+made(id(), 40, alnums)+made(id(), 8, hexes))
	add("heroku-key", "HRKU-"+made(id(), 59, alnums)+"Z")
	add("vault-token", "hvs."+made(id(), 24, alnums))
	add("vault-token", "hvb."+made(id(), 90, dashed)+"a")
	add("terraform-token", made(id(), 14, alnums)+".atlasv1."+made(id(), 67, alnums))
	add("docker-token", "dckr_pat_"+made(id(), 27, alnums))
	add("stripe-key", "sk_live_"+made(id(), 24, alnums))
	add("stripe-key", "sk_live_51"+made(id(), 97, alnums))
	add("stripe-key", "rk_live_"+made(id(), 24, alnums))
	add("stripe-key", "sk_test_51"+made(id(), 97, alnums))
	add("stripe-key", "whsec_"+made(id(), 32, alnums))
	add("square-secret", "sq0csp-"+made(id(), 43, alnums))
	add("shopify-token", "shpat_"+made(id(), 32, hexes))
	add("slack-token", "xoxb-123456789012-1234567890123-"+made(id(), 24, alnums))
	add("slack-token", "xoxp-"+made(id(), 12, digits)+"-"+made(id(), 12, digits)+"-"+made(id(), 13, digits)+"-"+made(id(), 32, hexes))
	add("slack-token", "xapp-1-A0123456789-1234567890123-"+made(id(), 64, hexes))
	text("slack-webhook", "hooks.slack.com/services/T012AB3CD/B045EF6GH/"+made(17, 24, alnums), "post to https://hooks.slack.com/services/T012AB3CD/B045EF6GH/"+made(17, 24, alnums)+" when done")
	text("discord-webhook", "discord.com/api/webhooks/"+made(18, 18, digits)+"/"+made(18, 68, alnums), "https://discord.com/api/webhooks/"+made(18, 18, digits)+"/"+made(18, 68, alnums))
	text("discord-token", "MT"+made(19, 22, alnums)+"."+made(19, 6, alnums)+"."+made(19, 27, alnums), "discord bot: MT"+made(19, 22, alnums)+"."+made(19, 6, alnums)+"."+made(19, 27, alnums))
	text("telegram-token", made(20, 10, "123456789")+":"+made(20, 35, alnums), "telegram bot token "+made(20, 10, "123456789")+":"+made(20, 35, alnums))
	add("telegram-token", made(id(), 10, "123456789")+":AA"+made(id(), 33, alnums))
	add("sendgrid-key", "SG."+made(id(), 22, alnums)+"."+made(id(), 43, alnums))
	add("postman-key", "PMAK-"+made(id(), 24, hexes)+"-"+made(id(), 34, hexes))
	add("npm-token", "npm_"+made(id(), 36, alnums))
	text("npm-token", "3f1c2a58-9b7d-4e60-8a15-d2c4b6e8f013", "//registry.npmjs.org/:_authToken=3f1c2a58-9b7d-4e60-8a15-d2c4b6e8f013\n")
	add("pypi-token", "pypi-AgEIcHlwaS5vcmc"+made(id(), 150, dashed)+"x")
	add("rubygems-key", "rubygems_"+made(id(), 48, hexes))
	add("crates-token", "cio"+made(id(), 32, alnums))
	add("circleci-token", "CCIPAT_"+made(id(), 22, alnums)+"_"+made(id(), 40, hexes))
	add("openai-key", "sk-"+made(id(), 20, alnums)+"T3BlbkFJ"+made(id(), 20, alnums))
	add("openai-key", "sk-proj-"+made(id(), 74, dashed)+"T3BlbkFJ"+made(id(), 73, dashed)+"A")
	add("api-key", "sk-proj-"+made(id(), 48, alnums))
	add("api-key", "sk-"+made(id(), 32, hexes))
	add("anthropic-key", "sk-ant-api03-"+made(id(), 93, dashed)+"AA")
	add("anthropic-key", "sk-ant-admin01-"+made(id(), 93, dashed)+"AA")
	add("openrouter-key", "sk-or-v1-"+made(id(), 64, hexes))
	add("huggingface-token", "hf_"+made(id(), 34, lowers+uppers))
	add("huggingface-token", "hf_"+made(id(), 34, alnums))
	add("groq-key", "gsk_"+made(id(), 52, alnums))
	add("perplexity-key", "pplx-"+made(id(), 48, alnums))
	add("xai-key", "xai-"+made(id(), 80, alnums))
	add("linear-key", "lin_api_"+made(id(), 40, alnums))
	add("notion-token", "ntn_"+made(id(), 46, alnums))
	add("grafana-token", "glsa_"+made(id(), 32, alnums)+"_"+made(id(), 8, hexes))
	add("databricks-token", "dapi"+made(id(), 32, hexes))
	add("supabase-key", "sbp_"+made(id(), 40, hexes))
	add("supabase-key", "sb_secret_"+made(id(), 31, alnums))
	add("jwt", token)
	add("jwt", base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"a1"}`))+"."+claims+"."+made(id(), 342, dashed))
	add("age-key", "AGE-SECRET-KEY-1"+made(id(), 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"))

	for i, kind := range []string{"RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
		var body strings.Builder
		body.WriteString("-----BEGIN " + kind + "-----\n")
		if i == 0 {
			body.WriteString("Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C3D4E5F60718293A4B5C6D7E8F9\n\n")
		}
		for l := range 4 {
			body.WriteString(made(uint64(100+10*i+l), 64, b64) + "\n")
		}
		body.WriteString(made(uint64(200+i), 30, b64) + "==\n-----END " + kind + "-----")
		text("private-key", body.String(), "deploy key:\n\n"+body.String()+"\n\nkeep it\n")
	}
	line := made(21, 64, b64)
	quoted := `-----BEGIN PRIVATE KEY-----\n` + line + `\n` + made(22, 60, b64) + `\n-----END PRIVATE KEY-----`
	text("private-key", quoted, `{"type": "service_account", "private_key": "`+quoted+`\n"}`)
	text("private-key", "-----BEGIN RSA PRIVATE KEY-----\n> "+line+"\n> "+made(23, 64, b64), "> -----BEGIN RSA PRIVATE KEY-----\n> "+line+"\n> "+made(23, 64, b64)+"\n\n(the rest is in the vault)\n")

	for i, password := range []string{"Xk29fjQ2vP", "tr0ub4dor-3", "S3cr3tP4ss", "9f86d081884c", "correcthorsebattery", "hunter2!x", "wN7%24kL0p", "qF3@pL9z"} {
		schemes := []string{"postgres", "postgresql+psycopg", "mysql", "mongodb+srv", "redis", "amqps", "https", "ftp"}
		text("password-in-url", password, fmt.Sprintf("DATABASE_URL=%s://app:%s@db%d.prod.acme.dev:5432/app?sslmode=require", schemes[i], password, i))
	}
	text("password-in-url", "Xk29fjQ2vP", "redis://:Xk29fjQ2vP@cache.acme.dev:6379/0")
	text("password-in-url", "hT7fQ2vLw9", "postgres://admin:hT7fQ2vLw9@db.example.com:5432/prod")
	text("password-in-url", "hT7fQ2vLw9", "clone https://deploy:hT7fQ2vLw9@git.acme.dev/x.git")
	text("github-token", "ghp_"+made(24, 36, alnums), "https://x-access-token:ghp_"+made(24, 36, alnums)+"@github.com/acme/x.git")
	text("gitlab-token", "glpat-"+made(25, 20, alnums), "https://oauth2:glpat-"+made(25, 20, alnums)+"@gitlab.com/acme/x.git")
	text("github-token", "ghp_"+made(26, 36, alnums), `"a\nghp_`+made(26, 36, alnums)+`\nb"`)
	text("random-secret", made(61, 48, alnums), "curl -H 'Authorization: Bearer "+made(61, 48, alnums)+"' https://api.acme.dev")
	text("random-secret", made(62, 32, alnums), "api_key: "+made(62, 32, alnums)+"\n")
	text("random-secret", made(63, 32, hexes), `{"apiKey": "`+made(63, 32, hexes)+`"}`)
	text("random-secret", made(64, 43, dashed), "DB_PASSWORD="+made(64, 43, dashed))
	text("random-secret", "Tr7vXq9LmZ2kPf4sHd8wQ", "DB_PASSWORD=Tr7vXq9LmZ2kPf4sHd8wQ") // 21 characters
	text("random-secret", "b9GxQ2wLr7Ne", "password: b9GxQ2wLr7Ne")
	text("random-secret", "Hs4pW8kUe1Rz", "api_key = Hs4pW8kUe1Rz")
	return out
}

func negatives() (out []string) {
	add := func(texts ...string) { out = append(out, texts...) }

	// Hashes, ids, digests.
	for i := range uint64(6) {
		add("fixed in commit "+made(i, 40, hexes), "see "+made(i, 7, hexes)+" and "+made(i+9, 12, hexes),
			"sha256:"+made(i, 64, hexes), "FROM alpine@sha256:"+made(i+20, 64, hexes))
	}
	add(
		"id 550e8400-e29b-41d4-a716-446655440000", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
		"md5 d41d8cd98f00b204e9800998ecf8427e of the empty file", "ETag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
		"h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0= in go.sum",
		`"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="`,
		"idea-4be0643f1d98, fact-0011aabbccdd and decision/use-postgres", "allow: [a1b2c3d4e5f6]",
		"trace 4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01ARZ3NDEKTSV4RRFFQ69G5FAV is a ULID",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"+made(30, 43, b64)+" ann@laptop",
		"SHA256:"+made(31, 43, b64)+" is the host key's fingerprint",
		"-----BEGIN PUBLIC KEY-----\n"+made(32, 64, b64)+"\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\n"+made(33, 64, b64)+"\n"+made(34, 64, b64)+"\n-----END CERTIFICATE-----",
		"![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA"+made(35, 600, b64)+"==)",
		"font: url(data:font/woff2;base64,d09GMgABAAAAA"+made(36, 900, b64)+")",
		made(37, 300, b64), strings.Repeat(made(38, 76, b64)+"\n", 20),
		`!function(e,t){"object"==typeof exports?module.exports=t():e.sk=t()}(this,function(){return function(e){var t={};function n(r){if(t[r])return t[r].exports;var i=t[r]={i:r,l:!1,exports:{}};return e[r].call(i.exports,i,i.exports,n),i.l=!0,i.exports}}})`,
		"var s=e.key_="+made(39, 20, lowers)+",r.SG.render(s.componentDidUpdateWithPrevProps)",
	)

	// Placeholders in every style.
	x36 := strings.Repeat("x", 36)
	for _, p := range []string{"ghp_", "gho_", "npm_", "hf_", "sk-", "sk-ant-api03-", "sk_live_", "sk_test_", "glpat-", "dop_v1_", "xoxb-", "SG.", "AIzaSy", "AKIA", "hvs.", "pplx-", "gsk_"} {
		add(p+x36, p+"…", p+"...", p+"<token>", p+"YOUR_TOKEN_HERE", "set "+p+"* in the vault")
	}
	add(
		"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "ghp_0000000000000000000000000000000000000000",
		"ghp_yourPersonalAccessTokenGoesRightHere1", "ghp_EXAMPLEEXAMPLEEXAMPLEEXAMPLE12345678", "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
		"ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789", "github_pat_11EXAMPLE0123456789_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVW",
		"AKIA"+"IOSFODNN7EXAMPLE", "AKIA"+"I44QH8DHBEXAMPLE", "AKIAXXXXXXXXXXXXXXXX", "AKIA1234567890ABCDEF", "AKIA................",
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY"+"EXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}",
		"aws_secret_access_key=<your-secret-access-key-goes-here-40-char>", "AWS_SECRET_ACCESS_KEY in commit "+made(40, 40, hexes),
		"gho_"+"16C7e42F292c6912E7710c838347Ae178B4a in GitHub's documentation",
		"sk_test_"+"4eC39HqLyjWDarjtT1zdp7dc", "sk_test_"+"BQokikJOvBiI2HlWgH4olfQ2", "sk_test_51ABCDEFGHEXAMPLEEXAMPLEEXAMPLE", "pk_test_"+"TYooMQauvdEDq54NiTphI7jx",
		"sk_live_xxxxxxxxxxxxxxxxxxxxxxxx", "whsec_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
		"SG."+"ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
		"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", "xoxb-your-bot-token", "xoxb-not-a-real-token-this-will-not-work-at-all",
		"110201543:"+"AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw is Telegram's own example", "telegram: 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
		"discord MTk4NjIyNDgzNDcxOTI1MjQ4"+".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
		"key=AIzaSy"+"DaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe", "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
		"AccountName=devstoreaccount1;AccountKey="+"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ."+"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
		"eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."+"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", "eyJhbGciOiJIUzI1NiIs...", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.signature", "a JWT is header.payload.signature, and begins with eyJ",
		"-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----\n<your key>\n-----END OPENSSH PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\nMIIE...\n-----END PRIVATE KEY-----", "`-----BEGIN EC PRIVATE KEY-----` announces a key in PEM; the base64 lines follow, 64 characters each",
		"-----BEGIN RSA PRIVATE KEY-----\n"+strings.Repeat("x", 64)+"\n-----END RSA PRIVATE KEY-----",
		"CLOUDFLARE_API_TOKEN=your-cloudflare-api-token-goes-here-1234", "CF_API_TOKEN: ${{ secrets.CF_API_TOKEN }}", "cloudflare worker at commit "+made(41, 40, hexes),
		"//registry.npmjs.org/:_authToken=${NPM_TOKEN}", "_authToken=YOUR-TOKEN-HERE-YOUR-TOKEN",
		"export OPENAI_API_KEY=sk-...", "sk-1234567890abcdef1234567890abcdef", "OPENAI_API_KEY=sk-your-key-here", "hf_your_token", "sk-ant-api03-your-key-here",
	)

	// Addresses.
	add(
		"postgres://user:password@localhost:5432/app", "postgres://postgres:postgres@localhost/postgres", "mysql://root:root@127.0.0.1:3306/db", "https://user:pass@example.com",
		"https://user:password@example.com/path", "postgres://user:pass@host:5432/db", "mongodb://username:password@cluster0.mongodb.net/test", "redis://:changeme@redis:6379", "amqp://guest:guest@rabbitmq:5672",
		"postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app", "postgres://$USER:$PASS@db.acme.dev/app", "https://<user>:<password>@git.acme.dev/x.git", "https://{user}:{password}@git.acme.dev/", "mysql://app:%DB_PASSWORD%@db.acme.dev/app",
		"postgres://app:***@db.acme.dev/app", "postgres://app:xxxxxxxx@db.acme.dev/app", "postgres://app:[redacted]@db.acme.dev/app", "postgres://app:…@db.acme.dev/app", "postgres://app:DB_PASSWORD@db.acme.dev/app", "https://user:YOUR_TOKEN@github.com/a/b.git",
		"https://x-access-token:TOKEN@github.com/a/b", "ssh://git@github.com/acme/x.git", "git+ssh://git@gitlab.com:22/acme/x.git", "https://ann@git.acme.dev/x.git", "https://example.com:8443/a@b", "https://medium.com/@ann/a-post-1f2e3d4c5b6a", "http://localhost:3000",
		"https://github.com/acme/x/blob/"+made(42, 40, hexes)+"/main.go#L10-L20", "s3://bucket/key@version", "mailto:ann@example.com", "npm i react@https://registry.npmjs.org/react/-/react-18.2.0.tgz", "postgres://postgres:mysecretpassword@localhost:5432", "scheme://user:password@host:port/path?query#fragment",
		"mongodb://mongo:mongo@mongo:27017", "https://user:secret@example.org", "jdbc:postgresql://localhost:5432/app?user=app&password=app",
	)

	// Names of secrets with what is none.
	add(
		"api_key: ${API_KEY}", "api_key: $API_KEY", "api_key: <your api key>", "api_key: {{ .Values.apiKey }}", "api_key: process.env.ACME_API_KEY_OF_PRODUCTION_2", "apiKey: getApiKeyFromVault2Service(ctx)",
		"api_key: ********************************", "api_key: "+strings.Repeat("x", 32), "api_key: 3f1c2a58-9b7d-4e60-8a15-d2c4b6e8f013", "api_key_sha256: "+made(71, 64, hexes), "the hash of the api key: "+made(72, 64, hexes),
		"api_key: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/api-key", "api_key: projects/acme-prod-1/secrets/payments-api-key-2026/versions/latest", "The api key: see 1Password, entry payments-gateway-production-2026",
		"Authorization: Bearer <token>", "Authorization: Bearer ${TOKEN}", "Authorization: Bearer $ACCESS_TOKEN", "Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE_1", "WWW-Authenticate: Bearer realm=acme, error=invalid_token",
		"Bearer tokens live for 15 minutes", "A bearer authentication-middleware-for-the-gateway2 was added", "token: "+made(73, 40, hexes), "secret: payments-gateway-tls-eu-west-1-2026", "next_page_token: "+made(74, 48, alnums),
		"password: Summer2026", "password: PostgreSQL16", "DB_PASSWORD=LocalDev1234", "api_key: prod-eu-west-1", "password: kubernetesV1", "token: HTTP2Stream",
		"secret: Base64String", "api_key: v2.14.3-rc1", "token: OAuth2Bearer", "secretKey: RSA4096Key", "token: 2026-11-28T10",
		"password: correct-horse-battery-staple-99", "password = hashlib.sha256(salt + value).hexdigest()", "token = jwt.sign({sub: user.id, exp: now + 15*60}, key)", "secretName: acme-prod-2026-registry-credentials",
		"![](data:image/png;base64,"+made(75, 300, b64)+")", `"integrity": "sha512-`+made(76, 86, b64)+`=="`, "token: sha256:"+made(77, 64, hexes), "refreshToken(userId2ForSession, tokenStoreOfTenant3)", "the access_token: src/main/java/com/acme/App2Servlet9Impl",
		"commit "+made(78, 40, hexes)+" renames api_key", "csrf-token: rotated at every login since v2.14.3-rc1-20260101", "api_key: acme.services.payments.gateway.v2.keys.primary", "password: /run/secrets/acme/Postgres16/primaryPassword",
	)
	// Prose and code about tokens, in several languages.
	add(
		"Tokens begin with ghp_, gho_, ghu_, ghs_, ghr_ or github_pat_; AWS ids with AKIA or ASIA.", "The secret key stays in the vault; rotate the API key each month.",
		"Das Passwort steht im Tresor, nie in der Datei. Der Schlüssel beginnt mit sk-.", "El token de acceso empieza por glpat- y caduca en 30 días.", "Le mot de passe est dans le coffre; la clé AKIA… est révoquée.",
		"パスワードは Vault に保存する。トークンは hf_ で始まる。", "密钥以 sk- 开头，不要提交到仓库。", "Токен лежит в хранилище, пароль не пишем.", "passwords are hashed with argon2id, m=65536, t=3, p=4", "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG",
		"$2b$12$EixZaKVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW is the bcrypt hash", "token: RS256KeyPair01", "auth_token: Auth0JwtV2Kid", "api_key: Q3Report2026v2", "token: jQuery3UiMin1", "const tokenPrefix = \"ghp_\"", "regexp.MustCompile(`ghp_[A-Za-z0-9]{36}`)", "if strings.HasPrefix(key, \"sk-\") { return true }", "process.env.STRIPE_SECRET_KEY", "os.Getenv(\"AWS_SECRET_ACCESS_KEY\")",
		"secret: { name: db-password, key: password }", "valueFrom: secretKeyRef: name: api-key", "password: \"{{ vault_password }}\"", ".sk-fading-circle .sk-circle12:before { animation-delay: -0.1s }", "class=\"sk-some-long-class-name-for-a-spinner-that-spins-2\"", "task-ant-hill-with-a-very-long-slug-2026-11-20", "risk-assessment-of-the-third-quarter-2026-version-12",
		"the npm_config_registry and npm_package_version variables", "npm_lifecycle_event_and_other_variables_of_npm", "key_rotation_policy_for_all_the_services_in_the_mesh", "Asia and Slovakia; ASIA PACIFIC REGION 2026", "AKIAs are ids, not secrets", "telegram 2026-11-20T10:11:12: started", "discord.gg/abcdef", "Azure keys are in Key Vault; az storage account keys list",
		"path src/main/java/com/acme/App2Servlet9Impl near AKIA", "q~quality", "rnd_seed = 42", "pat on the back, pattern matching, patent", "The cookie's hash is dapi", "oy2 is a prefix of NuGet", "precioso, precios y precio", "title: Token refresh without a password", "sk_test_ keys are for tests", "whsec_ signs webhooks", "hvs.CAES…",
	)
	return out
}

// assignments are texts around a random value.
var assignments = []string{
	"curl -H 'Authorization: Bearer %s' https://api.acme.dev", "Authorization: Bearer %s", "api_key: %s", "- the api key: `%s`", "API_KEY=%s", `{"apiKey": "%s"}`,
	"x-api-key: %s\n", "| client_secret | %s |", "ACCESS_TOKEN='%s'", "auth-token := %q",
}

// TestAssigned: random values behind a bearer header and names of secrets are found, nearly all of them.
func TestAssigned(t *testing.T) {
	all, missed := 0, 0
	for seed := range uint64(200) {
		for i, around := range assignments {
			for _, value := range []string{made(seed, 48, alnums), made(seed, 32, alnums), made(seed, 43, dashed), made(seed, 40, hexes), made(seed, 32, digits+lowers)} {
				text := strings.ReplaceAll(strings.ReplaceAll(around, "%q", `"`+value+`"`), "%s", value)
				all++
				if len(Scan([]byte(text))) == 0 {
					missed++
				}
				if i == 0 && seed == 0 && len(Scan([]byte("commit "+value))) > 0 {
					t.Errorf("%q alone is taken for a secret", value)
				}
			}
		}
	}
	t.Logf("%d of %d random values are missed", missed, all)
	if missed*100 > all*4 {
		t.Errorf("%d of %d random values are missed", missed, all)
	}
}

// TestCorpus measures how well the rules tell secrets from what looks like them.
func TestCorpus(t *testing.T) {
	found, missed := 0, 0
	pos, neg := positives(), negatives()
	for _, s := range pos {
		ok := false
		for _, f := range Scan([]byte(s.text)) {
			ok = ok || f.Rule == s.rule && s.text[f.Start:f.End] == s.secret
		}
		if ok {
			found++
			continue
		}
		missed++
		t.Errorf("%s is not found as such in %q: %+v", s.rule, s.text, Scan([]byte(s.text)))
	}
	wrong := 0
	for _, text := range neg {
		if got := Scan([]byte(text)); len(got) > 0 {
			wrong++
			t.Errorf("%q is no secret, found %+v", text, got)
		}
	}
	t.Logf("%d positives, %d negatives: precision %.3f, recall %.3f", len(pos), len(neg),
		float64(found)/float64(found+wrong), float64(found)/float64(found+missed))
}
