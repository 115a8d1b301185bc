package extract

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/decision/capture"
	"sdd/internal/pattern"
	"sdd/internal/secrets"
)

// message is a commit's message, taken apart.
type message struct {
	subject  string
	typ      string // of Conventional Commits, in lower case
	title    string // the subject without type and scope
	breaking bool   // the subject has the mark for it
	body     string // without trailers
	trailers map[string][]string
	reverts  string // id of the commit that it takes back, "?" when it does not say which
}

var (
	conventional = pattern.Late(`^(\w+)(?:\(([^)]*)\))?(!)?:\s+(.+)$`)
	revertOf     = pattern.Late(`This reverts commit ([0-9a-f]{7,64})`)
	trailerLine  = pattern.Late(`^([A-Za-z][A-Za-z -]{1,30}|BREAKING[ -]CHANGE)\s*:\s+(\S.*)$`)
	pullNumber   = pattern.Late(`\s*\((?:#|!)\d+\)$`)
	ticket       = pattern.Late(`^(?:\[?[A-Z][A-Z0-9]+-\d+\]?|\[[\w -]+\]|:\w+:)[:\s]+`)
)

// said are the trailers that tell something, by their key in lower case, and the part of a decision that they are.
var said = map[string]string{"decision": "decision", "decided": "decision", "reason": "reason", "reasons": "reason", "rationale": "reason", "because": "reason", "why": "reason",
	"alternative": "alternative", "alternatives": "alternative", "rejected": "alternative", "considered": "alternative", "consequence": "consequence", "consequences": "consequence", "directive": "constraint",
	"constraint": "constraint", "constraints": "constraint", "assumption": "assumption", "assumptions": "assumption", "breaking change": "breaking", "breaking-change": "breaking", "breaking changes": "breaking",
	"deprecated": "deprecated", "deprecation": "deprecated"}

// maxMessage is how much of a message is read.
const maxMessage = 64 << 10

func parseMessage(text string) (m message) {
	text = strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")
	text = withoutSecrets(strings.ReplaceAll(text, "\r\n", "\n"))
	head, rest, _ := strings.Cut(strings.TrimLeft(text, "\n "), "\n")
	m.subject = oneLine(pullNumber().ReplaceAllString(head, ""))
	m.title = m.subject
	if c := conventional().FindStringSubmatch(m.subject); c != nil && (quietTypes()[strings.ToLower(c[1])] || slices.Contains([]string{"feat", "feature", "release", "add", "security"}, strings.ToLower(c[1]))) {
		m.typ, m.breaking, m.title = strings.ToLower(c[1]), c[3] != "", c[4]
	} else if c != nil && c[3] != "" {
		m.breaking, m.title = true, c[4]
	} else if area, title, ok := strings.Cut(m.subject, ": "); ok && !strings.Contains(strings.TrimSpace(area), " ") {
		m.title = title // "auth: use …"
	}
	m.title = ticket().ReplaceAllString(m.title, "")
	if r := revertOf().FindStringSubmatch(rest); r != nil {
		m.reverts = r[1]
	} else if strings.HasPrefix(m.subject, "Revert \"") || m.typ == "revert" {
		m.reverts = "?"
	}
	m.trailers = map[string][]string{}
	var body []string
	last, fence := "", false
	for l := range strings.Lines(rest) {
		l = strings.TrimRight(l, "\n\r ")
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fence = !fence
		}
		t := trailerLine().FindStringSubmatch(strings.TrimSpace(l))
		part := ""
		if t != nil && !fence {
			part = said[strings.ToLower(t[1])]
		}
		switch {
		case part != "":
			m.trailers[part] = append(m.trailers[part], oneLine(t[2]))
			last = part
		case last != "" && strings.TrimSpace(l) != "" && (t == nil) && (strings.HasPrefix(l, " ") || last == "breaking" || last == "decision" || last == "reason"):
			all := m.trailers[last]
			all[len(all)-1] += " " + oneLine(l)
		case t != nil && strings.Contains(t[1], "-"), strings.HasPrefix(l, ">"):
			last = ""
		default:
			last = ""
			body = append(body, l)
		}
	}
	m.body = strings.TrimSpace(strings.Join(body, "\n"))
	return m
}

// withoutSecrets blanks what looks like a secret.
func withoutSecrets(text string) string {
	found := secrets.Scan([]byte(text))
	for _, f := range slices.Backward(found) {
		text = text[:f.Start] + "…" + text[f.End:]
	}
	return text
}

// message takes what the message of a commit tells and reports whether that is anything.
func (a *analysis) message(c *Commit, m message) bool {
	if c.Parents > 1 {
		return false
	}
	recorded := slices.ContainsFunc(c.Files, func(f File) bool { return isADR(f.Path) })
	told := false
	take := func(cand Candidate) {
		cand.Content = brief(strings.TrimSpace(cand.Content), maxContent)
		if utf8.RuneCountInString(cand.Content) < 8 {
			return
		}
		cand.Signal = signalMessage
		sum := sha256.Sum256([]byte(strings.ToLower(strings.Trim(cand.Content, ". "))))
		cand.Key = cand.Kind + ":" + hex.EncodeToString(sum[:6])
		told = true
		t := a.truths[cand.Key]
		if t == nil {
			t = &truth{}
			a.truths[cand.Key] = t
			a.order = append(a.order, t)
		}
		t.cand, t.gone = &cand, false
		t.by = append(t.by, c.ID)
		t.evidence = append(t.evidence[:min(len(t.evidence), maxEvidence-1)], Evidence{Commit: c.ID, Text: brief(m.subject, maxEvidenceText)})
	}
	parts := Candidate{Kind: Decision, Reasons: clip(m.trailers["reason"]), Alternatives: clip(m.trailers["alternative"]), Consequences: clip(m.trailers["consequence"]),
		Constraints: clip(m.trailers["constraint"]), Assumptions: clip(m.trailers["assumption"]), Status: "accepted"}
	for _, d := range m.trailers["decision"] {
		cand := parts
		cand.Content, cand.Confidence = d, 0.95
		take(cand)
	}
	for _, b := range m.trailers["breaking"] {
		take(Candidate{Kind: Fact, Content: "Breaking change: " + sentence(b), Confidence: 0.92})
	}
	if m.breaking && len(m.trailers["breaking"]) == 0 {
		take(Candidate{Kind: Fact, Content: "Breaking change: " + sentence(m.title), Confidence: 0.86})
	}
	for _, d := range m.trailers["deprecated"] {
		take(Candidate{Kind: Fact, Content: "Deprecated: " + sentence(d), Confidence: 0.88})
	}
	if len(m.trailers["decision"]) > 0 || recorded {
		return told
	}
	subject, ok := m.choice(c)
	if ok {
		cand := parts
		cand.Content, cand.Confidence = subject.content, subject.sure
		cand.Kind = subject.kind
		if cand.Kind == Fact {
			cand = Candidate{Kind: Fact, Content: subject.content, Confidence: subject.sure}
		} else {
			cand.Reasons = append(cand.Reasons, clip(subject.reasons)...)
			cand.Alternatives = append(cand.Alternatives, clip(subject.alternatives)...)
		}
		take(cand)
	}
	for _, d := range bodyDecisions(m, ok && subject.kind == Decision) {
		take(Candidate{Kind: Decision, Content: brief(capitalised(d.Decision), maxContent), Confidence: d.Confidence, Status: d.Status, Reasons: clip(append(d.Reasons, m.trailers["reason"]...)),
			Alternatives: clip(d.Alternatives), Consequences: clip(d.Consequences), Constraints: clip(d.Constraints), Assumptions: clip(d.Assumptions)})
	}
	return told
}

// bodyDecisions returns the decisions that the body tells. Where the subject is one, the body gives its reasons.
func bodyDecisions(m message, chosen bool) (out []capture.Decision) {
	if m.body == "" || chosen {
		return nil
	}
	for _, d := range capture.Find(m.body) {
		if len(strings.Fields(d.Decision)) < 3 {
			d.Decision = d.Sentence
		}
		if m.quiet() && d.Confidence < 0.93 {
			continue // a repair tells what was wrong and what is better now
		}
		if d.Confidence >= 0.78 || d.Confidence >= 0.65 && len(d.Reasons)+len(d.Alternatives) > 0 {
			out = append(out, d)
		}
		if len(out) == 3 {
			break
		}
	}
	return out
}

// choice is what a subject says was chosen.
type choice struct {
	kind                  string
	content               string
	sure                  float64
	reasons, alternatives []string
}

var (
	swap = []struct {
		re       func() *regexp.Regexp
		old, new int // groups
	}{
		{pattern.Late(`(?i)^(?:switch|switching|switched|migrate|migrating|migrated|move|moved|moving|port|ported|convert|converted|transition)\s+(?:[\w/ -]{0,40}?\s)?(?:over\s)?from\s+(.+?)\s+(?:over\s+)?to\s+(.+)$`), 1, 2},
		{pattern.Late(`(?i)^(?:switch|switching|switched|migrate|migrated|move|moved|standardi[sz]e|standardi[sz]ed)\s+(?:[\w/ -]{0,40}?\s)?(?:over\s+)?(?:to|on)\s+(.+?)(?:\s+(?:instead of|from|rather than)\s+(.+))?$`), 2, 1},
		{pattern.Late(`(?i)^(?:replace|replaces|replaced|swap|swapped|substitute)\s+(.+?)\s+(?:with|by|for)\s+(.+)$`), 1, 2},
		{pattern.Late(`(?i)^(?:use|using|uses|prefer|adopt|adopts|adopted|choose|chose|pick)\s+(.+?)\s+(?:instead of|rather than|over|in place of|in favou?r of)\s+(.+)$`), 2, 1},
		{pattern.Late(`(?i)^(?:drop|remove|ditch|abandon)\s+(.+?)\s+in favou?r of\s+(.+)$`), 1, 2},
		{pattern.Late(`(?i)^(?:adopt|adopts|adopted)\s+(.+)$`), 0, 1},
		{pattern.Late(`(?i)^.*?\b(?:with|on|in|to|via|by|as|through|over|from|using)\s+(.+?)\s+(?:instead of|rather than|in place of)\s+(.+)$`), 2, 1},
	}
	dropped    = pattern.Late(`(?i)^(?:drop|drops|dropped|remove|removes|removed|end|stop)\s+support(?:ing)?\s+(?:for\s+)?(.+)$`)
	deprecated = pattern.Late(`(?i)^(?:deprecate|deprecates|deprecated)\s+(.+)$`)
	causal     = pattern.Late(`(?i)[,;]?\s+\b(because|since|as it|so that|due to|to avoid|in order to)\b\s*(.+)$`)
	bodyCause  = pattern.Late(`(?is)\b(?:because|since|due to|so that|in order to|the reason|as it|allows us|lets us|avoids?|no longer maintained|unmaintained|deprecated|end of life|too slow|faster|cheaper|license|licence|was causing|caused)\b`)
)

// choice finds what the subject says was chosen over what, no longer supported or deprecated. What is swapped has to be
// something that the project chooses: a name, not a piece of code.
func (m message) choice(c *Commit) (ch choice, ok bool) {
	title := strings.TrimRight(m.title, ".")
	reasons := []string{}
	if m := causal().FindStringSubmatchIndex(title); m != nil {
		reasons = append(reasons, title[m[4]:m[5]])
		title = strings.TrimSpace(title[:m[0]])
	}
	if r := dropped().FindStringSubmatch(title); r != nil {
		return choice{kind: Fact, content: "Support for " + r[1] + " was dropped" + because(reasons) + ".", sure: 0.88}, true
	}
	if r := deprecated().FindStringSubmatch(title); r != nil {
		return choice{kind: Fact, content: capitalised(r[1]) + " is deprecated" + because(reasons) + ".", sure: 0.86}, true
	}
	if m.typ == "docs" || m.typ == "style" {
		return ch, false
	}
	for i, s := range swap {
		r := s.re().FindStringSubmatch(title)
		if r == nil {
			continue
		}
		was, is := "", r[s.new]
		if s.old > 0 {
			was = r[s.old]
		}
		named := chosen(is) || was != "" && chosen(was)
		if i == 5 || i == 1 && was == "" {
			named = chosen(is)
		}
		packaged := inManifest(c, is) || was != "" && inManifest(c, was)
		if len(reasons) == 0 {
			reasons = bodyReasons(m.body)
		}
		explained := i == 0 && len(reasons) > 0 && !m.quiet() && !strings.ContainsAny(was+is, "(){}[]<>_")
		if !packaged && !explained && (!named || m.typ == "test") {
			continue
		}
		ch = choice{kind: Decision, content: capitalised(title) + because(reasons) + ".", sure: 0.75, reasons: reasons}
		if was != "" {
			ch.alternatives = []string{was}
		}
		switch {
		case len(ch.reasons) > 0 && (named || packaged) || len(m.trailers["reason"]) > 0:
			ch.sure = 0.9
		case explained:
			ch.sure = 0.8
		case packaged:
			ch.sure = 0.86
		case quietTypes()[m.typ] && i == 2:
			return ch, false
		}
		return ch, true
	}
	if len(m.trailers["reason"])+len(m.trailers["alternative"]) > 0 {
		return choice{kind: Decision, content: sentence(title), sure: 0.9, reasons: reasons}, true
	}
	if u := usedFor().FindStringSubmatch(title); u != nil && !m.quiet() && chosen(u[1]) {
		if len(reasons) == 0 {
			reasons = bodyReasons(m.body)
		}
		if len(reasons) > 0 {
			return choice{kind: Decision, content: capitalised(title) + because(reasons) + ".", sure: 0.8, reasons: reasons}, true
		}
	}
	return ch, false
}

// usedFor is what is used for something: a choice where a reason is given.
var usedFor = pattern.Late(`(?i)^(?:use|adopt|introduce|choose|standardi[sz]e on)\s+(.+?)\s+(?:for|as|to)\s+.+$`)

func because(reasons []string) string {
	if len(reasons) == 0 {
		return ""
	}
	return " because " + reasons[0]
}

var (
	sentenceEnd = pattern.Late(`[.!?]\s+|\n\n|\n[-*] `)
	inCamelCase = pattern.Late(`[a-z][A-Z]`)
)

// bodyReasons returns the first sentence of a body that gives a reason.
func bodyReasons(body string) []string {
	if !bodyCause().MatchString(body) {
		return nil
	}
	for _, p := range sentenceEnd().Split(body, 40) {
		if p = oneLine(p); bodyCause().MatchString(p) && len(p) > 12 {
			return []string{strings.TrimRight(brief(p, 240), ".")}
		}
	}
	return nil
}

// chosen reports whether a phrase names something that is chosen: it is short and has a name in it.
func chosen(phrase string) bool {
	words := strings.Fields(phrase)
	if len(words) == 0 || len(words) > 7 {
		return false
	}
	for _, w := range words {
		w = strings.Trim(w, "`'\",.:;()")
		if w == "" || strings.ContainsAny(w, "()[]{}=<>") {
			continue
		}
		if strings.ContainsAny(w, "_") || strings.Contains(w, "::") || strings.HasSuffix(w, "()") || inCamelCase().MatchString(w) && !strings.Contains(w, "SQL") && !strings.Contains(w, "DB") && len(w) > 12 {
			continue // an identifier
		}
		r, _ := utf8.DecodeRuneInString(w)
		if unicode.IsUpper(r) && len(w) > 1 || trades()[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// trades are names of what projects choose that are written in lower case.
var trades = pattern.Words(`npm yarn pnpm bun webpack vite rollup esbuild jest vitest mocha pytest unittest poetry pipenv pip uv ruff black flake8 isort pylint mypy pyright eslint prettier biome moment dayjs date-fns luxon lodash
	axios fetch got redux zustand mobx jotai react preact vue svelte angular next nuxt remix express fastify koa hono nestjs flask fastapi django rails sinatra gin echo chi fiber gorilla logrus zap zerolog slog
	gorm sqlx pgx ent sqlc postgres postgresql mysql mariadb sqlite mongodb mongo redis memcached kafka rabbitmq nats sqs kinesis grpc rest graphql trpc protobuf json yaml toml xml docker podman kubernetes k8s nomad
	terraform pulumi ansible helm make just bazel gradle maven ant cargo nix travis circleci jenkins github gitlab tokio async-std actix axum rocket warp hyper reqwest serde clap structopt diesel junit testng spock mockito
	slf4j log4j logback jackson gson hibernate jooq nunit xunit newtonsoft serilog nlog dapper minitest rspec sidekiq resque puma unicorn phpunit pest guzzle laravel symfony twig blade uuid ulid jwt oauth oidc
	bcrypt argon2 argon2id sessions cookies websockets sse polling monolith microservices monorepo utc iso-8601 sentry datadog prometheus opentelemetry openapi swagger s3 gcs minio elasticsearch opensearch meilisearch typesense
	celery rq dramatiq arq alembic prisma typeorm sequelize drizzle knex mongoose playwright cypress selenium puppeteer storybook tailwind sass emotion styled-components`)

// inManifest reports whether a manifest of the commit names a word of the phrase.
func inManifest(c *Commit, phrase string) bool {
	for _, f := range c.Files {
		if !isDependencyFile(f.Path) {
			continue
		}
		text := strings.ToLower(string(f.Before) + "\n" + string(f.After))
		for _, w := range strings.Fields(strings.ToLower(phrase)) {
			w = strings.Trim(w, "`'\",.:;()")
			if len(w) > 2 && !commonWords()[w] && strings.Contains(text, w) {
				return true
			}
		}
	}
	return false
}

var commonWords = pattern.Words(`the and for with from into our own all new old use via name version test tests build main type module file files package packages code`)

func capitalised(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// sentence returns text with a capital and a full stop.
func sentence(text string) string {
	return strings.TrimRight(capitalised(oneLine(text)), ". ") + "."
}
