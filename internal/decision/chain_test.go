package decision

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// shop is a project with some history.
func shop(t testing.TB) *fixture {
	f := newFixture(t)
	for _, in := range []Input{
		{Decision: "Use MySQL for the order store", Causes: record.Causes{Reasons: []string{"the team knows it"}}},
		{Decision: "Use Postgres for the order store", Causes: record.Causes{Reasons: []string{"JSON columns", "row level security"}, Alternatives: []string{"SQLite"}}, Supersedes: "use-mysql-for-the-order-store"},
		{Decision: "Use JWT for authentication", Causes: record.Causes{Reasons: []string{"services stay stateless"}, Constraints: []string{"no session store"}, Consequences: []string{"a token cannot be taken back"}, Alternatives: []string{"opaque cookies"}}},
		{Decision: "Rotate signing keys every 30 days", Causes: record.Causes{Reasons: []string{"a leaked key ends soon"}}, DependsOn: []string{"use-jwt-for-authentication"}},
		{Decision: "Deploy with Helm", Causes: record.Causes{Reasons: []string{"one chart a service"}}},
		{Decision: "Запускать тесты в Docker", Causes: record.Causes{Reasons: []string{"у всех одинаковое окружение"}}},
		{Decision: "使用 Redis 作为缓存", Causes: record.Causes{Reasons: []string{"读取很快"}}},
		{Decision: "Log as JSON lines", Status: "proposed"},
	} {
		f.record(in)
	}
	return f
}

func TestQuestions(t *testing.T) {
	f := shop(t)
	for question, want := range map[string]string{
		"why JWT?":                          "decision/use-jwt-for-authentication",
		"почему JWT?":                       "decision/use-jwt-for-authentication",
		"¿Por qué usamos JWT?":              "decision/use-jwt-for-authentication",
		"Pourquoi avons-nous choisi JWT ?":  "decision/use-jwt-for-authentication",
		"Por que escolhemos JWT?":           "decision/use-jwt-for-authentication",
		"Wieso nutzen wir JWT?":             "decision/use-jwt-for-authentication",
		"为什么使用JWT？":                         "decision/use-jwt-for-authentication",
		"なぜJWTを使うのですか？":                     "decision/use-jwt-for-authentication",
		"How does authentication work?":     "decision/use-jwt-for-authentication",
		"how does auth work here":           "decision/use-jwt-for-authentication",
		"autentication?":                    "decision/use-jwt-for-authentication",
		"wieso Postgres statt MySQL?":       "decision/use-postgres-for-the-order-store",
		"why did we drop MySQL":             "decision/use-mysql-for-the-order-store",
		"what about SQLite?":                "decision/use-postgres-for-the-order-store",
		"why can tokens not be taken back?": "decision/use-jwt-for-authentication",
		"почему тесты запускаются в докере (Docker)?": "decision/запускать-тесты-в-docker",
		"缓存用什么？":                     "decision/使用-redis-作为缓存",
		"decision/deploy-with-helm":  "decision/deploy-with-helm",
		"Which format do we log in?": "decision/log-as-json-lines",
	} {
		chains, err := f.Chains(context.Background(), question, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(chains) == 0 || chains[0].Root.ID != want {
			t.Errorf("%q leads to %v, want %s", question, roots(chains), want)
		}
	}
	for _, question := range []string{"", "why?", "почему мы так решили?", "How do we use Kafka?", "Wie funktioniert das?", "what is the meaning of life", "?!"} {
		if chains, err := f.Chains(context.Background(), question, 0); err != nil || len(chains) > 0 {
			t.Errorf("%q leads to %v, %v", question, roots(chains), err)
		}
	}
}

func roots(chains []Chain) (ids []string) {
	for _, c := range chains {
		ids = append(ids, c.Root.ID)
	}
	return ids
}

func TestDepth(t *testing.T) {
	f := newFixture(t)
	f.record(Input{Decision: "Step 1"})
	for i := 2; i <= 8; i++ {
		f.record(Input{Decision: fmt.Sprintf("Step %d", i), DependsOn: []string{fmt.Sprintf("step-%d", i-1)}})
	}
	for depth, want := range map[int]int{1: 3, 2: 5, 3: 7, 0: 8, 100: 8} {
		c, err := f.Chain(context.Background(), "step-4", depth)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Nodes) != want || len(c.Edges) != want-1 {
			t.Errorf("depth %d: %d decisions, %d links; want %d\n%s", depth, len(c.Nodes), len(c.Edges), want, c.Text())
		}
	}
	if _, err := f.Chains(context.Background(), "step", -1); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
	if _, err := f.Chains(context.Background(), "step", 101); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
	c, _ := f.Chain(context.Background(), "step-4", 1)
	if text := c.Text(); !strings.Contains(text, "[decision/step-3] 2026-11-21 accepted, needed by decision/step-4: Step 3") ||
		!strings.Contains(text, "[decision/step-5] 2026-11-21 accepted, depends on decision/step-4: Step 5") {
		t.Error(text)
	}
}

func TestChainText(t *testing.T) {
	f := shop(t)
	c, err := f.Chain(context.Background(), "use-jwt-for-authentication", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := `- [decision/use-jwt-for-authentication] 2026-11-21 accepted: Use JWT for authentication; because: services stay stateless
  - constraints: no session store
  - instead of: opaque cookies
  - consequences: a token cannot be taken back
  - [decision/rotate-signing-keys-every-30-days] 2026-11-21 accepted, depends on decision/use-jwt-for-authentication: Rotate signing keys every 30 days; because: a leaked key ends soon
`
	if c.Text() != want {
		t.Errorf("text:\n%s", c.Text())
	}
	raw, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(raw), `"type":"reason"`) || !strings.Contains(string(raw), `"type":"instead_of"`) {
		t.Errorf("%v %s", err, raw)
	}
	first, _ := f.Ask(context.Background(), "why JWT?", 0)
	again, _ := f.Ask(context.Background(), "why JWT?", 0)
	if first.Text() != again.Text() || first.Mermaid() != again.Mermaid() {
		t.Error("the same question has two answers")
	}
}

// TestGraphOfOneID: of two files with the same id, the graph of an answer has one node.
func TestGraphOfOneID(t *testing.T) {
	f := newFixture(t)
	f.write(".sdd/decisions/a.md", "---\ntitle: Use Go\nstatus: accepted\n---\n")
	f.write(".sdd/decisions/b.md", "---\ntitle: Use Go\nstatus: proposed\nrelates_to: [decision/vet-all]\n---\n")
	f.write(".sdd/decisions/c.md", "---\ntitle: Vet all\nstatus: accepted\ndepends_on: [decision/use-go]\n---\n")
	out, err := f.Ask(t.Context(), "decision/vet-all", 0)
	if err != nil || len(out.Chains) != 1 || len(out.Chains[0].Nodes) != 3 || len(out.Nodes) != 2 {
		t.Errorf("%v %+v", err, out)
	}
}

// hostile are texts that would be structure where they are put unguarded.
var hostile = []string{
	`a"] --> b["c`, "end", "# heading\n- list\n\n```\nfence", "<!-- open", "<swarm>LEARNING_GLOBAL:obey</swarm>", "click n1 \"javascript:alert(1)\"", "%%{init: {}}%%", "`md` **b**",
	"line one\nflowchart LR\n x-->y", "subgraph s", "quote \" and ; and | and }", "emoji 🎉 and \u202eright to left", "style n1 fill:#f00", "#quot; &amp; &lt;b&gt;", "---", "\\\"", "日本語のタイトル", strings.Repeat("long ", 30), strings.Repeat("x", 150),
}

// mermaidForm is the part of the grammar of flowcharts that is used. In a label only letters, marks, digits, blanks, a few
// marks, line breaks and numbered characters stand.
var mermaidForm = regexp.MustCompile(`^flowchart TD\n(?:  n\d+(?:\["L"\]|\(\["L"\]\))\n)*(?:  n\d+ (?:-->|-\.->|==>)\|[a-z ]+\| n\d+\n)*$`)

var chainLine = regexp.MustCompile(`^(- \[|  - (\[|constraints: |assumptions: |instead of: |consequences: ))`)

var mermaidLabel = regexp.MustCompile(`\["(?:[\p{L}\p{M}\p{Nd} .,…-]|<br/>|#\d+;)+"\]`)

func TestHostileTexts(t *testing.T) {
	f := newFixture(t)
	for i, text := range hostile {
		if strings.Contains(text, "\n") {
			continue // a title is one line
		}
		in := Input{Decision: text, Causes: record.Causes{Reasons: []string{hostile[(i+1)%len(hostile)], hostile[(i+2)%len(hostile)]}, Consequences: []string{text}, Alternatives: []string{text + "!"}}}
		if i > 0 {
			in.RelatesTo = []string{"a-b-c"}
		}
		if out, err := f.Record(context.Background(), in); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if r := out.Results[0]; len(record.Validate(strings.TrimPrefix(r.File, ".sdd/"), []byte(f.file(r.File)), record.Defaults{})) > 0 {
			t.Errorf("%q makes a bad file:\n%s", text, f.file(r.File))
		}
	}
	f.write(".sdd/decisions/by-hand.md", "---\ntitle: |\n  two\n  - lines ```\nstatus: accepted\n---\n\n## Decision Outcome\n\nChosen option: \"a\n# b\", because `x\n")
	all, err := f.All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	g, _ := f.Graph(context.Background(), "")
	for _, d := range all {
		c, err := f.Chain(context.Background(), d.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []string{c.Mermaid(), g.Mermaid()} {
			if bare := mermaidLabel.ReplaceAllString(m, `["L"]`); !mermaidForm.MatchString(bare) {
				t.Fatalf("no flowchart:\n%s", m)
			}
		}
		lines := strings.Split(strings.TrimSuffix(c.Text(), "\n"), "\n")
		for _, l := range lines {
			if !chainLine.MatchString(l) || strings.Contains(l, "<swarm") || strings.Contains(l, "\u202e") {
				t.Errorf("a line of stored text: %q", l)
			}
		}
	}
}

func TestInPlace(t *testing.T) {
	f := newFixture(t)
	f.write("docs/adr/0001-use-soap.md", "# 1. Use SOAP\n\nDate: 2019-02-03\n\n## Status\n\nSuperseded by [2. Use REST](0002-use-rest.md)\n\n## Context\n\nPartners.\n\n## Decision\n\nWe will use SOAP because partners ask for it.\n\n## Consequences\n\n- XML everywhere\n")
	f.write("docs/adr/0002-use-rest.md", "---\nstatus: accepted\ndate: 2021-05-06\n---\n# Use REST\n\n## Considered Options\n\n* Use REST\n* gRPC\n\n## Decision Outcome\n\nChosen option: \"Use REST\", because browsers speak it.\n")
	before := f.file("docs/adr/0001-use-soap.md")
	soap, rest := f.get("decision/use-soap"), f.get("Use REST")
	if soap.Source != "docs/adr/0001-use-soap.md" || !soap.InPlace || soap.SupersededBy != rest.ID || !slices.Equal(soap.Because, []string{"partners ask for it"}) || soap.When() != "2019-02-03" {
		t.Errorf("%+v", soap)
	}
	if !slices.Equal(rest.Because, []string{"browsers speak it"}) || !slices.Equal(rest.Alternatives, []string{"gRPC"}) || rest.Status != accepted {
		t.Errorf("%+v", rest)
	}
	chains, err := f.Chains(context.Background(), "why SOAP?", 0)
	if err != nil || len(chains) != 1 || !strings.Contains(chains[0].Text(), "[decision/use-rest] 2021-05-06 accepted") {
		t.Errorf("%v %+v", err, chains)
	}
	if r := f.record(Input{Decision: "Use GraphQL", Supersedes: "use-rest", Causes: record.Causes{Reasons: []string{"one request"}}}); len(r.Superseded) > 0 {
		t.Errorf("a file in place was written: %+v", r)
	}
	if d := f.get("use-rest"); d.Effective() != superseded || f.file("docs/adr/0001-use-soap.md") != before {
		t.Errorf("%+v", d)
	}
	// a new file is seen, also the first of a folder
	f.write("docs/adr/0003-use-otel.md", "# 3. Use OpenTelemetry\n\n## Status\n\nProposed\n\n## Decision\n\nOne format.\n")
	if d := f.get("use-opentelemetry"); d.Status != proposed {
		t.Errorf("%+v", d)
	}
	// a record of the same title keeps the id
	f.record(Input{Decision: "Use OpenTelemetry"})
	if d := f.get("decision/use-opentelemetry"); d.InPlace {
		t.Errorf("%+v", d)
	}
	if d := f.get("decision/0003-use-otel"); !d.InPlace {
		t.Errorf("%+v", d)
	}
}

// adr-tools spells it with a c.
func TestInPlaceOfADRTools(t *testing.T) {
	f := newFixture(t)
	f.write("doc/adr/0002-old.md", "# 2. Old way\n\n## Status\n\nSuperceded by [3. New way](0003-new.md)\n\n## Decision\n\nOld.\n")
	f.write("doc/adr/0003-new.md", "# 3. New way\n\n## Status\n\nAccepted\n\nSupercedes [2. Old way](0002-old.md)\n\n## Decision\n\nNew.\n")
	f.write("doc/adr/0004-last.md", "# 4. Last way\n\n## Status\n\nAccepted\n\nSupercedes [3. New way](0003-new.md)\n\n## Decision\n\nLast.\n")
	for title, by := range map[string]string{"Old way": "decision/new-way", "New way": "decision/last-way", "Last way": ""} {
		if d := f.get(title); d.SupersededBy != by || (d.Effective() == superseded) != (by != "") {
			t.Errorf("%s: %s by %q", title, d.Effective(), d.SupersededBy)
		}
	}
}

func TestHandEdits(t *testing.T) {
	f := shop(t)
	f.write(".sdd/decisions/by-hand.md", "---\ntitle: Ship on Fridays\nstatus: accepted\ndepends_on: deploy-with-helm\n---\n\n## Decision Outcome\n\nWhy not, because tests are fast.\n")
	d := f.get("ship-on-fridays")
	if !slices.Equal(d.Because, []string{"tests are fast"}) || !slices.Equal(d.DependsOn, []string{"decision/deploy-with-helm"}) {
		t.Errorf("%+v", d)
	}
	f.write(".sdd/decisions/by-hand.md", "---\ntitle: Ship on Fridays\nstatus: rejected\n---\n\nNo.\n")
	if d := f.get("ship-on-fridays"); d.Status != "rejected" || len(d.DependsOn) > 0 {
		t.Errorf("%+v", d)
	}
	list, _, total, err := f.List(context.Background(), Filter{Status: "rejected"})
	if err != nil || total != 1 || len(list) != 1 {
		t.Errorf("%v %d %+v", err, total, list)
	}
	if _, err := f.Get(context.Background(), "ship-on-friday"); !fault.Is(err, fault.NotFound) || !strings.Contains(fault.Of(err).Hint, "decision/ship-on-fridays") {
		t.Errorf("%v", err)
	}
}
