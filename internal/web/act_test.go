package web

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/learning"
)

const one = "idea-000000000001"

func formFor(s *shelf, action string, more ...string) url.Values {
	v := url.Values{"action": {action}, "if_match": {s.idea(one).Etag}, "back": {"/learnings?status=active&text=a+b"}}
	for n := 0; n+1 < len(more); n += 2 {
		v.Set(more[n], more[n+1])
	}
	return v
}

// TestActions goes through the life of a learning by forms alone.
func TestActions(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "first"})
	for _, step := range []struct{ action, status string }{
		{"promote", "active"}, {"validate", "active"}, {"outdate", "outdated"}, {"validate", "active"}, {"archive", "archived"},
		{"resurrect", "active"}, {"delete", "deleted"}, {"restore", "archived"},
	} {
		_, to := s.post("/learnings/"+one, 303, formFor(s, step.action, "reason", " because "))
		if want := "/learnings?done=" + step.action + "&item=" + one + "&status=active&text=a+b#" + one; to != want {
			t.Errorf("%s: to %q, want %q", step.action, to, want)
		}
		if got := s.idea(one).Status; got != step.status {
			t.Errorf("%s: is %s", step.action, got)
		}
		if page := s.get(strings.Split(to, "#")[0], 200); !strings.Contains(page, done[step.action][:9]) {
			t.Errorf("%s: nothing is said", step.action)
		}
	}
	if i := s.idea(one); i.Scope != "global" || !i.Validated || i.OutdatedReason != "" && i.OutdatedReason != "because" {
		t.Errorf("%+v", i)
	}
	saved := s.Store.Entries(one)
	if len(saved) != 8 || saved[0].Tool != "page" || saved[0].Session != s.session {
		t.Errorf("the journal says %+v", saved)
	}
}

func TestGraduate(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "Amounts are kept in cents", Category: "Conventions"})
	if page := s.get("/learnings/"+one, 200); !strings.Contains(page, "Graduate to a fact") {
		t.Fatalf("not offered:\n%s", page)
	}
	_, to := s.post("/learnings/"+one, 303, formFor(s, "graduate"))
	if page := s.get(to, 200); !strings.Contains(page, done["graduate"]) || strings.Contains(page, "Graduate to a fact") {
		t.Errorf("not told, or offered again:\n%s", page)
	}
	facts, err := s.Facts.All(t.Context())
	if err != nil || len(facts) != 1 || facts[0].Content != "Amounts are kept in cents" || facts[0].Parent != one || facts[0].Level != 0 {
		t.Fatalf("facts: %+v, %v", facts, err)
	}
	if to := s.idea(one).AppliedTo; len(to) != 1 || to[0] != facts[0].ID {
		t.Errorf("the learning does not remember: %v", to)
	}
}

func TestEdit(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "first\n\n    code\n<b>"})
	page := s.get("/learnings/"+one+"/edit?back=/learnings", 200)
	if !strings.Contains(page, "required autofocus spellcheck=\"true\">\nfirst\n\n    code\n&lt;b&gt;</textarea>") { // the browser takes the first line end away
		t.Errorf("the form holds another text:\n%s", page)
	}
	_, to := s.post("/learnings/"+one, 303, formFor(s, "edit", "content", "second\r\nline", "back", ""))
	if to != "/learnings/"+one+"?done=edit" || s.idea(one).Content != "second\nline" {
		t.Errorf("to %q, %q", to, s.idea(one).Content)
	}
	// Saving what is there touches nothing.
	before := s.idea(one).Etag
	if s.post("/learnings/"+one, 303, formFor(s, "edit", "content", "second\r\nline")); s.idea(one).Etag != before {
		t.Error("the same text changed the file")
	}
}

// TestEditOverANewerText is the promise that nothing is lost: both texts are shown, nothing is written, and saving from there works.
func TestEditOverANewerText(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "first"})
	form := formFor(s, "edit", "content", "mine, with care")
	s.put(learning.Idea{ID: one, Content: "theirs, from an editor"})
	page, _ := s.post("/learnings/"+one, 409, form)
	i := s.idea(one)
	for _, want := range []string{"mine, with care</textarea>", "theirs, from an editor", "Nothing was saved and nothing is lost", `name="if_match" value="` + i.Etag + `"`, "Leave the stored text"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if i.Content != "theirs, from an editor" {
		t.Errorf("stored: %q", i.Content)
	}
	// It changes once more while both are looked at.
	form.Set("if_match", i.Etag)
	s.put(learning.Idea{ID: one, Content: "theirs again"})
	if page, _ = s.post("/learnings/"+one, 409, form); !strings.Contains(page, "theirs again") || !strings.Contains(page, "mine, with care</textarea>") {
		t.Error("the third text is not shown")
	}
	form.Set("if_match", s.idea(one).Etag)
	if s.post("/learnings/"+one, 303, form); s.idea(one).Content != "mine, with care" {
		t.Errorf("stored: %q", s.idea(one).Content)
	}
}

// TestEditBesideAnotherChange has somebody promote a learning while it is edited: both stand.
func TestEditBesideAnotherChange(t *testing.T) {
	s := newShelf(t)
	out, err := s.Learnings.Learn(t.Context(), learning.Input{Content: "Tokens expire after an hour"})
	if err != nil {
		t.Fatal(err)
	}
	id := out.Results[0].ID
	form := url.Values{"action": {"edit"}, "if_match": {s.idea(id).Etag}, "content": {"Tokens expire after a day"}}
	if _, err := s.Learnings.Review(t.Context(), learning.Action{Action: "promote", IDs: []string{id}}); err != nil {
		t.Fatal(err)
	}
	s.post("/learnings/"+id, 303, form)
	if i := s.idea(id); i.Content != "Tokens expire after a day" || i.Scope != "global" {
		t.Errorf("%+v", i)
	}
}

func TestEditThatCannotBeSaved(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "first"})
	if page, _ := s.post("/learnings/"+one, 400, formFor(s, "edit", "content", "  ")); !strings.Contains(page, "Not saved") || !strings.Contains(page, "</form>") {
		t.Errorf("an empty text is not told:\n%s", page)
	}
	form := formFor(s, "edit", "content", "my long text")
	if err := os.Remove(filepath.Join(s.dir, ".sdd", "ideas", one+".md")); err != nil {
		t.Fatal(err)
	}
	if page, _ := s.post("/learnings/"+one, 404, form); !strings.Contains(page, "my long text</textarea>") || !strings.Contains(page, "not there any more") {
		t.Errorf("the text is gone with the file:\n%s", page)
	}
}

func TestActionThatIsNotAllowed(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "first"})
	page, _ := s.post("/learnings/"+one, 400, formFor(s, "resurrect"))
	if !strings.Contains(page, "can only resurrect archived") || !strings.Contains(page, "allowed now: validate") || !strings.Contains(page, "first") {
		t.Errorf("%s", page)
	}
	form := formFor(s, "delete")
	s.put(learning.Idea{ID: one, Content: "since changed"})
	if page, _ = s.post("/learnings/"+one, 409, form); !strings.Contains(page, "since changed") || !strings.Contains(page, "Nothing was changed") || s.idea(one).Status != "active" {
		t.Errorf("%s", page)
	}
	before := s.idea(one).Etag
	for _, form := range []url.Values{
		{"action": {"destroy"}, "if_match": {before}}, {"action": {""}, "if_match": {before}}, {"action": {"adjusted"}, "if_match": {before}},
		{"action": {"done"}, "if_match": {before}}, {"if_match": {before}}, {"action": {"delete"}},
	} {
		if s.post("/learnings/"+one, 400, form); s.idea(one).Etag != before {
			t.Errorf("%v changed something", form)
		}
	}
	s.post("/learnings/idea-ffffffffffff", 404, formFor(s, "delete"))
}

func TestReturnStaysHere(t *testing.T) {
	for to, want := range map[string]string{
		"/learnings?text=a":              "/learnings?done=edit&item=x&text=a#x",
		"/learnings/x":                   "/learnings/x?done=edit",
		"/learnings?done=delete&item=y":  "/learnings?done=edit&item=x#x",
		"":                               "/learnings/x?done=edit",
		"https://evil.example/learnings": "/learnings/x?done=edit",
		"//evil.example/learnings":       "/learnings/x?done=edit",
		`/\evil.example`:                 "/learnings/x?done=edit",
		`\\evil.example`:                 "/learnings/x?done=edit",
		"javascript:alert(1)":            "/learnings/x?done=edit",
		"/learningsx":                    "/learnings/x?done=edit",
		"learnings":                      "/learnings/x?done=edit",
		"/learnings\r\nX: y":             "/learnings/x?done=edit",
	} {
		u := back(to, "/learnings", "x")
		q := u.Query()
		q.Set("done", "edit")
		u.RawQuery = q.Encode()
		if got := u.String(); got != want {
			t.Errorf("%q: %q, want %q", to, got, want)
		}
	}
}

// TestPreview shows the text and what a save would change of the stored one, and saves nothing.
func TestPreview(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "first\n\nsecond"})
	page, _ := s.post("/learnings/"+one, 200, formFor(s, "edit", "content", "first\r\n\r\n**third** <b>", "preview", "1"))
	for _, want := range []string{"<strong>third</strong>", `class="removed"><span class="sr">removed: </span><bdi>second</bdi>`, "added: </span><bdi>**third** &lt;b&gt;</bdi>", "**third** &lt;b&gt;</textarea>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if s.idea(one).Content != "first\n\nsecond" {
		t.Error("a preview saved")
	}
}

func TestLineRows(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"a b c", "a b c", ""}, {"a b c", "a x c", "-b +x"}, {"a", "a a", "+a"}, {"a a", "a", "-a"}, {"", "a", "- +a"},
	} {
		var got []string
		for _, r := range lineRows(strings.ReplaceAll(c.from, " ", "\n")+"\n", strings.ReplaceAll(c.to, " ", "\n")+"\n") {
			got = append(got, string(r.Mark)+r.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q to %q: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// TestNew makes a record of each kind, and gives the text back when it cannot.
func TestNew(t *testing.T) {
	s := newShelf(t)
	for kind, page := range map[string]string{"fact": "/facts/fact-", "decision": "/decision/use-one-port", "learning": "/learnings/idea-", "exploration": "/explore/use-one-port"} {
		_, to := s.post("/new", 303, url.Values{"kind": {kind}, "title": {"Use one port"}, "content": {"- one " + kind}, "domain": {"net"}})
		if !strings.HasPrefix(to, page) || !strings.HasSuffix(to, "?done=made") || !strings.Contains(s.get(to, 200), "one "+kind) {
			t.Errorf("%s leads to %s", kind, to)
		}
	}
	if page, _ := s.post("/new", 400, url.Values{"kind": {"fact"}, "content": {" "}}); !strings.Contains(page, "Not saved") {
		t.Errorf("an empty fact:\n%s", page)
	}
	if page, _ := s.post("/new", 400, url.Values{"kind": {"odd"}, "content": {"my <b>text"}}); !strings.Contains(page, "my &lt;b&gt;text</textarea>") {
		t.Errorf("the text is lost:\n%s", page)
	}
}
