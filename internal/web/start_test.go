package web

import (
	"fmt"
	"strings"
	"testing"

	"sdd/internal/answer"
	"sdd/internal/learning"
)

func TestStart(t *testing.T) {
	s := newShelf(t)
	page := s.get("/", 200)
	if !strings.Contains(page, "Nothing yet") || !strings.Contains(page, "Nothing waits for a decision") {
		t.Error("an empty store shows records")
	}
	s = newShelf(t,
		learning.Idea{Content: "Tokens **expire**", Impact: "critical", Parent: "PAY-1"},
		learning.Idea{Content: "Tests use Jest", Impact: "odd one", Parent: "PAY-1", Status: "outdated"},
		learning.Idea{Content: "Third", Impact: "low", Parent: "PAY-2", Scope: "global"},
	)
	s.explore("User auth", "- mail")
	if _, err := s.Learnings.Learn(t.Context(), learning.Input{Content: "Use **one** client", Scope: "global", Impact: "low"}); err != nil {
		t.Fatal(err)
	}
	page = s.get("/", 200)
	for _, want := range []string{
		`href="/inbox?status=outdated"><strong>1</strong> outdated`, `href="/explore/user-auth"`, ">Use one client<",
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
