package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
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
		"dead-link", "broken-front-matter", `href="/explore/user-auth"`, ".sdd/facts/broken.md", ".sdd/config.yaml", "unknown-config-key", "gone.md: there is no such file", "1 is stale", "facts: 1 active, 1 stale", "sdd check --fix", `href="/inbox"`,
		`<form class="after" method="post" action="/health">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if strings.Contains(page, "work tree") {
		t.Error("a page that is only looked at starts the doctor")
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
