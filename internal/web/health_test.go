package web

import (
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
