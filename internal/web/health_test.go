package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"sdd/internal/learning"
)

func TestHealth(t *testing.T) {
	s := newShelf(t)
	if page := s.get("/health", 200); !strings.Contains(page, "There is no store yet") || !strings.Contains(page, "There is no file to look at yet") {
		t.Errorf("an empty store:\n%s", page)
	}
	s.write("config.yaml", "project: shop\nodd: 1\n")
	s.explore("User auth", "- see [a page](gone.md)")
	s.write("facts/broken.md", "---\nlevel: [\n---\n\nA <b>fact</b>\n")
	s.putFact(factA, "level: 0\nstatus: stale", "Old")
	page := s.get("/health", 200)
	for _, want := range []string{
		"dead-link", "broken-front-matter", `href="/explore/user-auth"`, ".sdd/facts/broken.md", ".sdd/config.yaml", "unknown-config-key", "gone.md: there is no such file", "1 is stale", "facts: 1 stale, 1 unreadable", "sdd check --fix", `href="/inbox"`,
		`<form class="after" method="post" action="/health#doctor">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if strings.Contains(page, "work tree") {
		t.Error("a page that is only looked at starts the doctor")
	}
}

// TestHealthOfContradictions names both sides, of facts and of learnings, whichever is the newer.
// TestHealthComesAtOnce: with many records the page comes without the check, which its script asks for.
func TestHealthComesAtOnce(t *testing.T) {
	s := newShelf(t)
	for n := range mostAtOnce + 1 {
		s.write(fmt.Sprintf("explore/topic-%d.md", n), "## Goals\n\n- log in\n")
	}
	s.write("facts/bad.md", "---\nlevel: [\n---\n\nx\n")
	if page := s.get("/health", 200); !strings.Contains(page, `<a href="/health?check=all" data-then>`) || strings.Contains(page, "broken-front-matter") {
		t.Errorf("at once:\n%s", page)
	}
	if page := s.get("/health?check=all", 200); !strings.Contains(page, "broken-front-matter") || !strings.Contains(page, "data-stamp") {
		t.Errorf("then:\n%s", page)
	}
}

func TestHealthOfContradictions(t *testing.T) {
	s := newShelf(t)
	s.putFact(factA, "level: 0", "The API listens on port 8080")
	if page := s.get("/health", 200); !strings.Contains(page, "No two facts or learnings contradict") {
		t.Errorf("%s", page)
	}
	s.putFact(factB, "level: 0", "The API listens on port 9090")
	a := s.put(learning.Idea{Content: "time.Now is allowed in tests", Created: "2026-11-20T09:14:00Z"})
	b := s.put(learning.Idea{Content: "time.Now is not allowed in tests", Created: "2026-11-20T09:14:00Z"})
	page := s.get("/health", 200)
	for _, want := range []string{factA, factB, a.ID, b.ID, "port 9090", "These may not both be true"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
}

// TestHealthOfManyRecords checks them only when asked to.
func TestHealthOfManyRecords(t *testing.T) {
	s := newShelf(t)
	s.write("facts/broken.md", "---\nlevel: [\n---\n\nA fact\n")
	for i := range mostFollowed {
		s.putFact(fmt.Sprintf("fact-%012x", i), "level: 0", fmt.Sprint("number ", i))
	}
	page := s.get("/health", 200)
	if !strings.Contains(page, `There are 2001 records: <a href="/health?check=all">`) || strings.Contains(page, "broken-front-matter") || !strings.Contains(page, "data-stamp") {
		t.Errorf("%s", page)
	}
	if page = s.get("/health?check=all", 200); !strings.Contains(page, "broken-front-matter") || strings.Contains(page, "data-stamp") {
		t.Errorf("%s", page)
	}
}

// TestCloserLook starts what doctor starts by a form only, and leaves the files as they are.
func TestCloserLook(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "APPDATA"} {
		t.Setenv(name, home)
	}
	s := newShelf(t)
	s.explore("User auth", "- log in")
	page, _ := s.post("/health", 200, url.Values{})
	for _, want := range []string{"Look again", "store: can be written", "git: this folder is in no work tree"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
}
