package web

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"sdd/internal/decision"
	"sdd/internal/learning"
)

func TestSearch(t *testing.T) {
	if page := newShelf(t).get("/search", 200); !strings.Contains(page, "No records yet") {
		t.Error("an empty store does not say so")
	}
	s := newShelf(t,
		learning.Idea{ID: one, Content: "Tokens expire <b>after</b> an hour"},
		learning.Idea{ID: "idea-00000000000f", Color: "green", Status: "active", Content: "Build the token service"},
	)
	s.explore("Token rotation", "- rotate tokens daily")
	s.putFact(factA, "level: 0", "A token has 32 bytes")
	s.decide(decision.Input{Decision: "Keep tokens in memory"})
	s.write("inbox/x.md", "---\ntitle: Use opaque tokens\nkind: decision\nstatus: pending\n---\n\n## Decision Outcome\n\nUse opaque tokens.\n")
	page := s.get("/search?q=token", 200)
	for _, want := range []string{
		"6 records match", `href="/learnings/` + one + `"`, `href="/ideas/idea-00000000000f"`, `href="/explore/token-rotation"`, `href="/facts/` + factA + `"`, `href="/decision/keep-tokens-in-memory"`, `href="/inbox/decision/use-opaque-tokens"`,
		"<mark>Tokens</mark> expire &lt;b&gt;after&lt;/b&gt;", "rotate <mark>tokens</mark> daily", "<bdi>Goals</bdi>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	for _, m := range regexp.MustCompile(`href="(/(?:learnings|ideas|explore|facts|decision|inbox)/[^"]*)" data-open`).FindAllStringSubmatch(page, -1) {
		s.get(html.UnescapeString(m[1]), 200)
	}
	if page := s.get("/search?q=token&type=fact", 200); !strings.Contains(page, "1 record matches") || !strings.Contains(page, "A <mark>token</mark> has 32 bytes") {
		t.Errorf("by kind:\n%s", page)
	}
	if page := s.get("/search?type=idea&scope=personal", 200); !strings.Contains(page, "No record matches") {
		t.Error("the scope does not count")
	}
	if page := s.get("/search?q=b", 200); strings.Contains(page, "<b>") || strings.Contains(page, "&lt;<mark>b</mark>&gt;after") && strings.Contains(page, "<mark>&lt;") {
		t.Errorf("a mark cuts what is escaped:\n%s", page)
	}
	s.get("/search?type=odd", 400)
	s.get("/search?cursor=odd", 400)
	if page := s.get("/ideas/idea-00000000000f", 200); !strings.Contains(page, "green active") || !strings.Contains(page, "Build the token service") || !strings.Contains(page, `href="/search?type=idea"`) {
		t.Errorf("an idea:\n%s", page)
	}
}

func TestSearchIsPaged(t *testing.T) {
	s := newShelf(t)
	for i := range perPage + 2 {
		s.putFact(fmt.Sprintf("fact-%012x", i), "level: 1", fmt.Sprint("number ", i))
	}
	page := s.get("/search?q=number", 200)
	next := regexp.MustCompile(`href="(/search\?cursor=[^"]*)"[^>]*rel="next"`).FindStringSubmatch(page)
	if n := strings.Count(page, "<article"); n != perPage || next == nil {
		t.Fatalf("%d on the first page", n)
	}
	if page = s.get(html.UnescapeString(next[1]), 200); strings.Count(page, "<article") != 2 || !strings.Contains(page, `href="/search?q=number"`) {
		t.Error("the second page is another one")
	}
}
