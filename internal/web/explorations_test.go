package web

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sdd/internal/explore"
	_ "sdd/internal/longtest" // files are in memory where there is room
)

// git runs git in the store's folder.
func (s *shelf) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *shelf) explore(title, goals string) {
	s.t.Helper()
	if _, err := explore.Save(s.t.Context(), s.Store, s.Index, explore.Input{Title: title, Fields: explore.Fields{Goals: goals}, Tool: "test"}); err != nil {
		s.t.Fatal(err)
	}
}

func TestExplorations(t *testing.T) {
	s := newShelf(t)
	if page := s.get("/explorations", 200); !strings.Contains(page, "No explorations yet") {
		t.Error("an empty store does not say so")
	}
	s.explore("User auth", "- log in by *mail*")
	s.write("explore/payments.md", "Some text before, see [auth](user-auth.md), [code](../../main.go) and [gone](gone.md).\n\n## Goals\n\n- cards\n\n## My own\n\n| a |\n|---|\n| 1 |\n")
	page := s.get("/explorations", 200)
	for _, want := range []string{`href="/explore/user-auth"`, `href="/explore/payments"`, "2 explorations"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there", want)
		}
	}
	if page = s.get("/explorations?text=cards", 200); !strings.Contains(page, "1 exploration matches") || strings.Contains(page, "user-auth") {
		t.Error("the filter finds something else")
	}
	if page = s.get("/explorations?scope=personal", 200); !strings.Contains(page, "No exploration matches") {
		t.Error("the scope does not count")
	}
	page = s.get("/explore/payments", 200)
	for _, want := range []string{
		`<a href="/explore/user-auth">auth</a>`, `<span class="nolink">code</span>`, `<span class="nolink">gone</span>`, "<h2><bdi>Goals</bdi> <a class=\"edit\" href=\"/explore/payments?section=goals&amp;view=edit\">", "<h2><bdi>My own</bdi></h2>",
		"<td>1</td>", ".sdd/explore/payments.md",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	// Edited by hand: the next look sees it.
	s.write("explore/payments.md", "## Goals\n\n- invoices\n")
	if page = s.get("/explore/payments", 200); !strings.Contains(page, "invoices") || strings.Contains(page, "cards") {
		t.Error("the page is old")
	}
	s.get("/explore/nothing", 404)
	s.get("/explore/..%2f..%2f..%2fetc%2fpasswd", 404)
}

// TestSectionEdit changes, adds and clears sections by forms alone.
func TestSectionEdit(t *testing.T) {
	s := newShelf(t)
	s.explore("User auth", "- log in by *mail*")
	file := filepath.Join(s.dir, ".sdd", "explore", "user-auth.md")
	text := func() string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	form := func(section, content string) url.Values {
		page := s.get("/explore/user-auth?view=edit&section="+section, 200)
		m := regexp.MustCompile(`name="if_match" value="([0-9a-f]+)"`).FindStringSubmatch(page)
		if m == nil || !strings.Contains(page, `name="section" value="`+section+`"`) {
			t.Fatalf("the form of %s:\n%s", section, page)
		}
		return url.Values{"action": {"edit"}, "section": {section}, "if_match": {m[1]}, "content": {content}}
	}
	if page := s.get("/explore/user-auth?view=edit&section=goals", 200); !strings.Contains(page, "\n- log in by *mail*</textarea>") || !strings.Contains(page, "Edit Goals") {
		t.Errorf("%s", page)
	}
	if page := s.get("/explore/user-auth", 200); !strings.Contains(page, `href="/explore/user-auth?section=context&amp;view=edit">Context</a>`) {
		t.Errorf("a section cannot be added:\n%s", page)
	}
	goals, old := form("goals", "- log in by key\r\n- or by badge"), form("goals", "- mine")
	if _, to := s.post("/explore/user-auth", 303, goals); to != "/explore/user-auth?done=edit" {
		t.Errorf("to %q", to)
	}
	if !strings.Contains(text(), "## Goals\n\n- log in by key\n- or by badge\n") || !strings.Contains(s.get("/explore/user-auth?done=edit", 200), "Saved.") {
		t.Errorf("%s", text())
	}
	s.post("/explore/user-auth", 303, form("context", "Some context"))
	if now := text(); !strings.HasSuffix(now, "- or by badge\n\n## Context\n\nSome context\n") {
		t.Errorf("%s", now)
	}
	if saved := s.Store.Entries("explore/user-auth"); len(saved) != 3 || saved[0].Tool != "page" || saved[0].Session != s.session {
		t.Errorf("the journal says %+v", saved)
	}
	// The same words were changed meanwhile: both texts are shown, nothing is written.
	before := text()
	page, _ := s.post("/explore/user-auth", 409, old)
	for _, want := range []string{"- mine</textarea>", "Nothing was saved and nothing is lost", "or by badge", `name="section" value="goals"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if text() != before {
		t.Error("a stale form has written")
	}
	if _, to := s.post("/explore/user-auth", 303, form("context", " ")); to != "/explore/user-auth?done=cleared" || strings.Contains(text(), "Context") {
		t.Errorf("to %q\n%s", to, text())
	}
	// A heading in a section stays inside it, and the page says that the text was changed for that.
	if _, to := s.post("/explore/user-auth", 303, form("unknowns", "## Goals\n\n- smuggled")); to != "/explore/user-auth?done=adjusted" || strings.Count(text(), "\n## Goals") != 1 {
		t.Errorf("to %q\n%s", to, text())
	}
	before = text()
	for _, bad := range []url.Values{
		{"action": {"edit"}, "section": {"odd"}, "if_match": {"x"}, "content": {"x"}}, {"action": {"edit"}, "section": {"goals"}, "content": {"x"}}, {"action": {"cut"}, "section": {"goals"}, "if_match": {"x"}},
		{"action": {"edit"}, "section": {"context"}, "if_match": {"x"}, "content": {" "}},
	} {
		if s.post("/explore/user-auth", 400, bad); text() != before {
			t.Errorf("%v changed something", bad)
		}
	}
	s.get("/explore/user-auth?view=edit&section=odd", 400)
	s.post("/explore/nothing", 404, url.Values{"action": {"edit"}, "section": {"goals"}, "if_match": {"x"}, "content": {"x"}})
}

func TestExplorationThatCannotBeRead(t *testing.T) {
	s := newShelf(t)
	s.write("explore/broken.md", "---\ntitle: [\n---\n\n## Goals\n\n- still readable\n")
	if page := s.get("/explore/broken", 200); !strings.Contains(page, "still readable") || !strings.Contains(page, "said-warn") {
		t.Errorf("%s", page)
	}
	if page := s.get("/", 200); !strings.Contains(page, "1 file has a problem") {
		t.Error("the start page does not tell")
	}
}

func TestHistory(t *testing.T) {
	s := newShelf(t)
	s.explore("User auth", "- log in by mail")
	if page := s.get("/explore/user-auth?view=history", 503); !strings.Contains(page, "git init") {
		t.Errorf("outside git: %s", page)
	}
	s.git("init", "-q")
	if page := s.get("/explore/user-auth?view=history", 200); !strings.Contains(page, "Not committed yet") || !strings.Contains(page, "saved by test") {
		t.Errorf("before the first commit: %s", page)
	}
	s.git("add", "-A")
	s.git("commit", "-qm", "begin <b>")
	first := s.git("rev-parse", "HEAD")
	s.explore("User auth", "- log in by mail\n- or by key")
	s.git("commit", "-qam", "keys")
	second := s.git("rev-parse", "HEAD")
	s.write("explore/user-auth.md", "---\ntitle: User auth\n---\n\n## Goals\n\n- log in by mail\n- or by badge\n")

	page := s.get("/explore/user-auth?view=history", 200)
	for _, want := range []string{"begin &lt;b&gt;", "keys", first[:10], second[:10], "edited by hand", "or by badge", "&#43;1 item in Goals"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	page = s.get("/explore/user-auth?view=changes&from="+first+"&to="+second, 200)
	if added := regexp.MustCompile(`class="added"[^\n]*or by key`); !added.MatchString(page) || strings.Contains(page, "badge") {
		t.Errorf("%s", page)
	}
	page = s.get("/explore/user-auth?view=changes&from="+second+"&to=now", 200)
	if removed := regexp.MustCompile(`class="removed"[^\n]*or by key`); !removed.MatchString(page) || !strings.Contains(page, "badge") {
		t.Errorf("%s", page)
	}
	if page = s.get("/explore/user-auth?view=changes&from="+first+"&to="+first, 200); !strings.Contains(page, "Nothing differs") {
		t.Error("a version differs from itself")
	}
	page = s.get("/explore/user-auth?view=version&at="+first, 200)
	if strings.Contains(page, "or by key") || !strings.Contains(page, "log in by mail") || !strings.Contains(page, first[:10]) || strings.Contains(page, "data-stamp") {
		t.Errorf("%s", page)
	}
	for _, bad := range []string{"changes&from=--all&to=now", "changes&from=" + first + "&to=HEAD", "changes", "version&at=HEAD", "version&at=-p", "version"} {
		s.get("/explore/user-auth?view="+bad, 400)
	}
	s.get("/explore/user-auth?view=version&at=0000000000", 404)
	s.get("/explore/user-auth?view=other", 404)
}

func TestVersionsUnderAnotherName(t *testing.T) {
	s := newShelf(t)
	s.git("init", "-q")
	s.explore("User auth", "- log in by mail")
	s.git("add", "-A")
	s.git("commit", "-qm", "begin")
	first := s.git("rev-parse", "HEAD")
	s.git("mv", ".sdd/explore/user-auth.md", ".sdd/explore/login.md")
	s.git("commit", "-qm", "rename")
	second := s.git("rev-parse", "HEAD")
	if page := s.get("/explore/user-auth?view=version&at="+first, 200); !strings.Contains(page, "log in by mail") {
		t.Error("the version before the new name is not found")
	}
	if page := s.get("/explore/user-auth?view=changes&from="+first+"&to="+second, 200); !strings.Contains(page, "renamed from .sdd/explore/user-auth.md") {
		t.Errorf("%s", page)
	}
}

// TestUnknowns checks an item of a list and unchecks it; a text that is no such list stays as it is.
func TestUnknowns(t *testing.T) {
	s := newShelf(t)
	s.write("explore/user-auth.md", "---\ntitle: User auth\n---\n\n## Unknowns\n\n- which *provider*\n- [x] whether <mail>\n")
	post := func(item string, status int) {
		t.Helper()
		etag := regexp.MustCompile(`name="section" value="unknowns"><input type="hidden" name="if_match" value="([0-9a-f]+)"`).FindStringSubmatch(s.get("/explore/user-auth", 200))
		if etag == nil {
			t.Fatal("no form")
		}
		s.post("/explore/user-auth", status, url.Values{"action": {"check"}, "section": {"unknowns"}, "if_match": {etag[1]}, "item": {item}})
	}
	has := func(text string) {
		t.Helper()
		if b, err := os.ReadFile(filepath.Join(s.dir, ".sdd", "explore", "user-auth.md")); err != nil || !strings.Contains(string(b), text) {
			t.Errorf("%v, no %q:\n%s", err, text, b)
		}
	}
	post("0", 303)
	has("## Unknowns\n\n- [x] which *provider*\n- [x] whether <mail>\n")
	post("1", 303)
	has("\n- [ ] whether <mail>\n")
	for _, bad := range []string{"2", "-1", "x"} {
		post(bad, 400)
	}
	s.write("explore/user-auth.md", "---\ntitle: User auth\n---\n\n## Unknowns\n\n- which provider\n  and why\n")
	if page := s.get("/explore/user-auth", 200); strings.Contains(page, `role="checkbox"`) {
		t.Error("a text that is no list of lines is offered as one")
	}
}

// FuzzCheckItem: a change of an item leaves every other line as it is, and a second change takes the first one back.
func FuzzCheckItem(f *testing.F) {
	f.Add("- a\n- [x] b", 1)
	f.Add("* [ ] c", 0)
	f.Add("- [x]  d\r\n- e", 0)
	f.Fuzz(func(t *testing.T, text string, n int) {
		once, ok := checkItem(text, n)
		if !ok {
			return
		}
		before, after := strings.Split(strings.TrimSpace(text), "\n"), strings.Split(once, "\n")
		if len(before) != len(after) {
			t.Fatalf("%d lines of %d", len(after), len(before))
		}
		for i := range before {
			if (before[i] == after[i]) == (i == n) {
				t.Errorf("line %d of %q: %q", i, text, after[i])
			}
		}
		twice, ok := checkItem(once, n)
		thrice, again := checkItem(twice, n)
		if !ok || !again || thrice != once {
			t.Errorf("%q, then %q, then %q", once, twice, thrice)
		}
	})
}

// TestHandoff: the button shows the document, and writes its file only when asked.
func TestHandoff(t *testing.T) {
	s := newShelf(t)
	s.explore("User auth", "- log in by <b>mail</b>")
	if page := s.get("/explore/user-auth", 200); !strings.Contains(page, `action="/handoff/explore/user-auth"`) {
		t.Errorf("no button:\n%s", page)
	}
	if page, _ := s.post("/handoff/explore/user-auth", 400, url.Values{}); !strings.Contains(page, "no pipeline is in use") {
		t.Errorf("without a pipeline:\n%s", page)
	}
	page, _ := s.post("/handoff/explore/user-auth", 200, url.Values{"to": {"openspec"}})
	m := regexp.MustCompile(`class="main">Write ([^<]+)<`).FindStringSubmatch(page)
	if m == nil || !strings.Contains(page, "log in by &lt;b&gt;mail") {
		t.Fatalf("the document:\n%s", page)
	}
	file := filepath.Join(s.dir, m[1])
	if _, err := os.Stat(file); err == nil {
		t.Error("written without a question")
	}
	s.post("/handoff/explore/user-auth", 200, url.Values{"to": {"openspec"}, "write": {"1"}})
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	s.post("/handoff/explore/nothing", 404, url.Values{})
}
