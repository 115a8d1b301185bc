package web

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// putFact writes the file of a fact as a person might: its id, the keys of its front matter, and its text.
func (s *shelf) putFact(id, keys, text string) {
	s.t.Helper()
	s.write("facts/"+id+".md", "---\nid: "+id+"\n"+keys+"\n---\n\n"+text+"\n")
}

const (
	factA = "fact-00000000000a"
	factB = "fact-00000000000b"
	factC = "fact-00000000000c"
	factD = "fact-00000000000d"
)

func factShelf(t *testing.T) *shelf {
	s := newShelf(t)
	s.putFact(factA, "level: 0\ncreated: 2026-11-20T09:14:00Z\nsource: team talk\nconfidence: 0.7", "Amounts are **cents**\n\n## Evidence\n\n- `money.go` says so")
	s.putFact(factB, "level: 2\ndomain: Auth\nmodule: internal/auth\nstatus: superseded\nsuperseded_by: "+factC, "Tokens use ES256")
	s.putFact(factC, "level: 2\ndomain: auth\nstatus: superseded\nsuperseded_by: "+factD, "Tokens use EdDSA")
	s.putFact(factD, "level: 2\ndomain: auth\nmodule: internal/auth\ncode_ref: internal/auth/jwt.go#L1-L5\nparent: explore/user-auth\ncreated: 2020-01-01\nttl: {days: 5, refresh_on: \"internal/auth/**\", on_expire: archive}", "Tokens use ML-DSA")
	s.explore("User auth", "- mail")
	return s
}

func TestFacts(t *testing.T) {
	if page := newShelf(t).get("/facts", 200); !strings.Contains(page, "No facts yet") || !strings.Contains(page, "sdd fact discover") {
		t.Error("an empty store does not say what to do")
	}
	s := factShelf(t)
	page := s.get("/facts", 200)
	for _, want := range []string{"Amounts are cents", "2 facts", "70 % sure", "1 fact is stale", `href="/facts?state=stale"`, `href="/facts/` + factA + `"`, `href="/facts?domain=auth"`,
		"its 5 days were over on 2020-01-06"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if strings.Contains(page, "EdDSA") {
		t.Error("a superseded fact is shown unasked")
	}
	for q, want := range map[string][]string{
		"level=0": {factA}, "level=2": {factD}, "level=3": nil, "state=any": {factA, factB, factC, factD}, "state=superseded&domain=AUTH": {factB, factC},
		"module=internal/auth&state=any": {factB, factD}, "text=cents": {factA}, "text=zzz": nil, "state=superseded&module=internal/auth": {factB},
	} {
		page := s.get("/facts?"+q, 200)
		for _, id := range []string{factA, factB, factC, factD} {
			if is, should := strings.Contains(page, `id="`+id+`"`), strings.Contains(strings.Join(want, " "), id); is != should {
				t.Errorf("%s: %s shown %v", q, id, is)
			}
		}
		if want == nil && !strings.Contains(page, "No fact matches.") {
			t.Errorf("%s: an empty list does not say so", q)
		}
	}
	for _, bad := range []string{"level=x", "level=4", "level=-1", "state=odd", "cursor=x"} {
		s.get("/facts?"+bad, 400)
	}
	// Domains are counted without case, within the level and the state that are chosen.
	if page := s.get("/facts?state=any", 200); !regexp.MustCompile(`<bdi>[Aa]uth</bdi> <span class="count">3</span>`).MatchString(page) {
		t.Errorf("the domain is counted otherwise:\n%s", page)
	}
	if page := s.get("/facts?level=0", 200); strings.Contains(page, "<bdi>auth</bdi>") {
		t.Error("a domain of another level is offered")
	}
}

func TestFactPage(t *testing.T) {
	s := factShelf(t)
	page := s.get("/facts/"+factA, 200)
	for _, want := range []string{"<h2>Evidence</h2>", "<code>money.go</code> says so", ".sdd/facts/" + factA + ".md", `value="refresh"`, `value="expire"`, `value="archive"`, "?view=history", "/edit?back="} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if strings.Contains(page, "What replaced what") || strings.Contains(page, `value="resurrect"`) {
		t.Error("it says more than there is")
	}
	page = s.get("/facts/"+factC, 200)
	older, this, newer := strings.Index(page, "Tokens use ES256"), strings.LastIndex(page, "Tokens use EdDSA"), strings.Index(page, "Tokens use ML-DSA")
	if newer < 0 || this < newer || older < this {
		t.Errorf("the chain is not newest first: %d, %d, %d\n%s", newer, this, older, page)
	}
	if !strings.Contains(page, `value="resurrect"`) || strings.Contains(page, `value="refresh"`) {
		t.Error("other actions than a superseded fact allows")
	}
	page = s.get("/facts/"+factD, 200)
	for _, want := range []string{`href="/explore/user-auth"><bdi>User auth</bdi>`, "again after 5 days", "internal/auth/**", "Counts as stale", `href="/facts/` + factB + `"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	s.get("/facts/fact-ffffffffffff", 404)
	s.get("/facts/"+factA+"?view=odd", 404)
	// A circle of facts ends.
	s.putFact(factD, "superseded_by: "+factB, "Tokens use ML-DSA")
	s.get("/facts/"+factD, 200)
}

func (s *shelf) factForm(id, action string, more ...string) url.Values {
	s.t.Helper()
	f, err := s.Facts.Get(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	v := url.Values{"action": {action}, "if_match": {f.Etag}, "back": {"/facts?level=0&state=any"}}
	for n := 0; n+1 < len(more); n += 2 {
		v.Set(more[n], more[n+1])
	}
	return v
}

// TestFactActions goes through the life of a fact by forms alone.
func TestFactActions(t *testing.T) {
	s := factShelf(t)
	for _, step := range []struct{ action, status string }{{"expire", "stale"}, {"refresh", "active"}, {"archive", "archived"}, {"resurrect", "active"}} {
		_, to := s.post("/facts/"+factA, 303, s.factForm(factA, step.action))
		if want := "/facts?done=" + step.action + "&item=" + factA + "&level=0&state=any#" + factA; to != want {
			t.Errorf("%s: to %q, want %q", step.action, to, want)
		}
		f, err := s.Facts.Get(t.Context(), factA)
		if err != nil || f.Status != step.status {
			t.Errorf("%s: is %s, %v", step.action, f.Status, err)
		}
		if page := s.get(strings.Split(to, "#")[0], 200); !strings.Contains(page, html.EscapeString(done[step.action])) {
			t.Errorf("%s: nothing is said", step.action)
		}
	}
	saved := s.Store.Entries(factA)
	if len(saved) != 4 || saved[0].Tool != "page" || saved[0].Session != s.session {
		t.Errorf("the journal says %+v", saved)
	}
	before := s.factForm(factA, "").Get("if_match")
	for _, bad := range []url.Values{
		{"action": {"delete"}, "if_match": {before}}, {"action": {""}, "if_match": {before}}, {"action": {"adjusted"}, "if_match": {before}}, {"action": {"expire"}}, {"action": {"resurrect"}, "if_match": {before}},
		{"action": {"edit"}, "if_match": {before}, "content": {"  "}},
	} {
		if s.post("/facts/"+factA, 400, bad); s.factForm(factA, "").Get("if_match") != before {
			t.Errorf("%v changed something", bad)
		}
	}
	s.post("/facts/fact-ffffffffffff", 404, url.Values{"action": {"expire"}, "if_match": {"x"}})
	form := s.factForm(factA, "expire")
	s.putFact(factA, "level: 0", "since changed")
	if page, _ := s.post("/facts/"+factA, 409, form); !strings.Contains(page, "Nothing was changed") || !strings.Contains(page, "since changed") {
		t.Errorf("%s", page)
	}
}

func TestFactEdit(t *testing.T) {
	s := factShelf(t)
	page := s.get("/facts/"+factA+"/edit?back=/facts", 200)
	if !strings.Contains(page, "\nAmounts are **cents**</textarea>") || !strings.Contains(page, "Edit a fact") {
		t.Errorf("%s", page)
	}
	form := s.factForm(factA, "edit", "content", "Amounts are\r\nminor units", "back", "")
	if _, to := s.post("/facts/"+factA, 303, form); to != "/facts/"+factA+"?done=edit" {
		t.Errorf("to %q", to)
	}
	b, err := os.ReadFile(filepath.Join(s.dir, ".sdd", "facts", factA+".md"))
	if err != nil || !strings.HasSuffix(string(b), "---\n\nAmounts are\nminor units\n\n## Evidence\n\n- `money.go` says so\n") || !strings.Contains(string(b), "source: team talk") {
		t.Errorf("%v\n%s", err, b)
	}
	// The same form again: the text has another etag now, both are shown.
	page, _ = s.post("/facts/"+factA, 409, form)
	for _, want := range []string{"Nothing was saved and nothing is lost", "changed this fact", "minor units</textarea>", `value="` + s.factForm(factA, "").Get("if_match") + `"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	form = s.factForm(factA, "edit", "content", "my long text")
	if err := os.Remove(filepath.Join(s.dir, ".sdd", "facts", factA+".md")); err != nil {
		t.Fatal(err)
	}
	if page, _ := s.post("/facts/"+factA, 404, form); !strings.Contains(page, "my long text</textarea>") || !strings.Contains(page, "sdd fact add") {
		t.Errorf("the text is gone with the file:\n%s", page)
	}
}

func TestFactsArePaged(t *testing.T) {
	s := newShelf(t)
	for i := range perPage + 3 {
		s.putFact(fmt.Sprintf("fact-%012x", i), fmt.Sprintf("level: 1\ndomain: d%d\ncreated: 2026-11-20T09:%02d:00Z", i, 59-i), fmt.Sprint("number ", i))
	}
	page := s.get("/facts?level=1&state=any", 200)
	next := regexp.MustCompile(`href="(/facts\?cursor=[^"]*)"[^>]*rel="next"`).FindStringSubmatch(page)
	if n := strings.Count(page, "<article"); n != perPage || next == nil || strings.Count(page, "/facts?domain=d") != mostDomains {
		t.Fatalf("%d on the first page\n%s", n, page)
	}
	page = s.get(html.UnescapeString(next[1]), 200)
	if n := strings.Count(page, "<article"); n != 3 || !strings.Contains(page, "Back to the first page") || !strings.Contains(page, fmt.Sprintf("number %d<", perPage+2)) {
		t.Errorf("%d on the second page", n)
	}
}
