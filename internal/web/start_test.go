package web

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sdd/internal/answer"
	"sdd/internal/learning"
)

func TestStart(t *testing.T) {
	s := newShelf(t)
	page := s.get("/", 200)
	if !strings.Contains(page, "Nothing yet") || strings.Contains(page, "<figure") {
		t.Error("an empty store shows charts")
	}
	s = newShelf(t,
		learning.Idea{Content: "Tokens **expire**", Impact: "critical", Parent: "PAY-1"},
		learning.Idea{Content: "Tests use Jest", Impact: "odd one", Parent: "PAY-1", Status: "outdated"},
		learning.Idea{Content: "Third", Impact: "low", Parent: "PAY-2", Scope: "global"},
	)
	s.explore("User auth", "- mail")
	s.write("explore/broken.md", "---\ntitle: [\n---\n\nText\n")
	if _, err := s.Learnings.Learn(t.Context(), learning.Input{Content: "Use **one** client", Scope: "global", Impact: "low"}); err != nil {
		t.Fatal(err)
	}
	page = s.get("/", 200)
	for _, want := range []string{
		"Learnings by status: active 3, outdated 1, archived 0, deleted 0", "Learnings by scope: local 2, global 2",
		"Learnings by impact: critical 1, high 0, medium 0, low 2, odd one 1", "PAY-1", `href="/learnings?parent=PAY-2"`,
		`href="/inbox?status=outdated"><strong>1</strong> outdated`,
		`href="/inbox?status=conflicts"><strong>1</strong> to mend`, "1 file has a problem", `href="/explore/user-auth"`, ">Use one client<",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
}

// TestStartQuestions: what agents asked is on the page, first what no record answers; what the page itself asks is not.
func TestStartQuestions(t *testing.T) {
	s := newShelf(t, learning.Idea{Content: "Tokens are signed by the gateway"})
	secret := "glpat-" + "Zq3xK9vT" + "w7LmR2bYc4Hd"
	for _, q := range []string{"zzyzx <b>frobnicate</b>", "How are tokens signed? " + secret} {
		if _, err := s.Answers.Brief(t.Context(), answer.Query{Query: q, Session: "one"}); err != nil {
			t.Fatal(err)
		}
	}
	s.get("/ask?q=not+asked+by+an+agent", 200)
	page := s.get("/", 200)
	_, asked, _ := strings.Cut(page, `id="asked"`)
	without, with := strings.Index(asked, "zzyzx &lt;b&gt;frobnicate"), strings.Index(asked, "How are tokens signed?")
	if without < 0 || with < without || !strings.Contains(asked[:without], "no answer") || !strings.Contains(asked[without:with], "1 record, ") {
		t.Errorf("the questions are not there in their order:\n%s", asked)
	}
	if strings.Contains(page, secret) || strings.Contains(page, "not asked by") {
		t.Errorf("the page has a secret, or its own question:\n%s", asked)
	}
	for _, zero := range []string{"0 sessions", "0 facts never", "0 duplicates"} {
		if strings.Contains(page, zero) {
			t.Errorf("%q says nothing", zero)
		}
	}
	for _, want := range []string{"Coverage, the last ", `<path class="line`, `<th scope="col">learnings are validated</th>`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there", want)
		}
	}
}

func TestBarFillsItsWidth(t *testing.T) {
	for _, n := range []map[string]int{{"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 100000, "b": 1}, {}, {"a": 0}} {
		c := counted("bar", "x", "X", n, []string{"a", "b"}, "")
		end := 0.0
		for _, s := range c.Shapes {
			if s.X < end-1e-9 || s.Width < 0 {
				t.Errorf("%v: %+v begins before %f", n, s, end)
			}
			end = s.X + s.Width
		}
		if len(c.Shapes) > 0 && math.Abs(end-float64(c.Width)) > 1e-6 {
			t.Errorf("%v: ends at %f", n, end)
		}
	}
}

func TestMostOf(t *testing.T) {
	n := map[string]int{"b": 2, "a": 2, "c": 9}
	for i := range 20 {
		n[fmt.Sprint("z", i)] = 1
	}
	if got := mostOf(n); len(got) != len(n) || got[0] != "c" || got[1] != "a" || got[2] != "b" {
		t.Errorf("%q", got)
	}
}
