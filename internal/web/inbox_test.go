package web

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/learning"
)

const (
	factID     = "fact-00000000000a"
	decisionID = "decision/use-postgres"
)

// fill puts a fact and a decision into the inbox.
func (s *shelf) fill(status, text string) {
	s.write("inbox/"+factID+"-a.md", "---\nid: "+factID+"\nlevel: 1\ndomain: auth\nkind: fact\nconfidence: 0.7\nstatus: "+status+"\ncreated: 2026-11-20T10:00:00Z\n---\n\n"+text+
		"\n\n## Evidence\n\n- commit `a1b2c3d4e5f60718` in `internal/auth.go#L3-L9`: `ttl = 15`\n")
	s.write("inbox/use-postgres.md", "---\ntitle: Use Postgres\nkind: decision\nconfidence: 0.6\nstatus: "+status+"\n---\n\n## Decision Drivers\n\n- we know it\n\n## Decision Outcome\n\nUse Postgres for orders.\n")
}

func (s *shelf) seen(id string) string {
	s.t.Helper()
	c, err := s.Inbox.Get(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Seen()
}

func TestInboxPage(t *testing.T) {
	s := newShelf(t)
	if page := s.get("/inbox", 200); !strings.Contains(page, "Nothing waits for a decision.") {
		t.Errorf("empty:\n%s", page)
	}
	s.fill("pending", "Tokens live for **15** minutes.")
	page := s.get("/inbox", 200)
	for _, has := range []string{"Tokens live for 15 minutes.", "confidence 0.70", `value="approve"`, `value="reject"`,
		`href="/inbox/decision/use-postgres?view=edit"`, `candidates <span class="count">2</span>`} {
		if !strings.Contains(page, has) {
			t.Errorf("the page lacks %q", has)
		}
	}
	page = s.get("/inbox/"+factID, 200)
	for _, has := range []string{"Tokens live for <strong>15</strong> minutes.", "internal/auth.go", "L3-L9", "a1b2c3d4e5f6…", "ttl = 15", "70 % sure"} {
		if !strings.Contains(page, has) {
			t.Errorf("the candidate lacks %q", has)
		}
	}
	if page := s.get("/inbox?kind=decision", 200); strings.Contains(page, factID) || !strings.Contains(page, "Use Postgres") {
		t.Errorf("decisions:\n%s", page)
	}
	if page := s.get("/inbox?text=nothing", 200); !strings.Contains(page, "No record matches.") {
		t.Errorf("nothing:\n%s", page)
	}
	s.get("/inbox?kind=x", 400)
	s.get("/inbox?cursor=x", 400)
	if page := s.get("/inbox/"+decisionID, 200); !strings.Contains(page, "Because") || !strings.Contains(page, "we know it") {
		t.Errorf("the decision:\n%s", page)
	}
	s.get("/inbox/nothing", 404)
	if page := s.get("/", 200); !strings.Contains(page, `href="/inbox?status=candidates"><strong>2</strong> candidates`) {
		t.Errorf("start:\n%s", page)
	}
}

func TestInboxDecisions(t *testing.T) {
	s := newShelf(t)
	s.fill("pending", "Tokens live for 15 minutes.")
	form := func(action, id string) url.Values {
		return url.Values{"action": {action}, "if_match": {s.seen(id)}, "back": {"/inbox?kind=fact"}, "reason": {"not so"}}
	}
	edit := form("edit", factID)
	edit.Set("content", "Tokens live for\r\nan hour.")
	preview := maps.Clone(edit)
	preview.Set("preview", "1")
	if page, _ := s.post("/inbox/"+factID, 200, preview); !strings.Contains(page, "added: </span><bdi>an hour.") {
		t.Errorf("the preview:\n%s", page)
	}
	if _, to := s.post("/inbox/"+factID, 303, edit); to != "/inbox?done=edit&kind=fact" {
		t.Errorf("edited, to %s", to)
	}
	if page, _ := s.post("/inbox/"+factID, 409, edit); !strings.Contains(page, "The text has changed") || strings.Count(page, "an hour.") < 2 {
		t.Errorf("edited again:\n%s", page)
	}
	stale := form("approve", factID)
	stale.Set("if_match", "0123456789abcdef")
	if page, _ := s.post("/inbox/"+factID, 409, stale); !strings.Contains(page, "Nothing was changed") {
		t.Errorf("stale:\n%s", page)
	}
	if _, to := s.post("/inbox/"+factID, 303, form("approve", factID)); to != "/inbox?done=approve&kind=fact" {
		t.Errorf("approved, to %s", to)
	}
	if page := s.get("/inbox?done=approve", 200); !strings.Contains(page, "Approved: it is a record") || strings.Contains(page, `id="w-candidates-`+factID) {
		t.Errorf("approved:\n%s", page)
	}
	if b, err := os.ReadFile(filepath.Join(s.dir, ".sdd", "facts", factID+"-a.md")); err != nil || !strings.Contains(string(b), "\n\nTokens live for\nan hour.\n\n") {
		t.Errorf("%v\n%s", err, b)
	}
	reject := form("reject", decisionID)
	reject.Set("back", "//evil.example/inbox/")
	if _, to := s.post("/inbox/"+decisionID, 303, reject); to != "/inbox?done=reject" {
		t.Errorf("rejected, to %s", to)
	}
	if page := s.get("/inbox?status=rejected", 200); !strings.Contains(page, "not so") || !strings.Contains(page, "Restore") {
		t.Errorf("rejected:\n%s", page)
	}
	if _, to := s.post("/inbox/"+decisionID, 303, form("restore", decisionID)); to != "/inbox?done=restore&kind=fact" {
		t.Errorf("restored, to %s", to)
	}
	for _, action := range []string{"", "delete", "approved"} {
		s.post("/inbox/"+decisionID, 400, url.Values{"action": {action}, "if_match": {s.seen(decisionID)}})
	}
	s.post("/inbox/nothing", 404, url.Values{"action": {"approve"}})
}

func TestHostileCandidateIsText(t *testing.T) {
	s := newShelf(t)
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(hostile)
	s.fill("rejected\nrejected_reason: \""+quoted+"\"\ndomain_: x\nmodule: \""+quoted+"\"\nsource: \""+quoted+"\"\ncode_ref: \""+quoted+"\"", hostile)
	s.write("inbox/x.md", "---\ntitle: \""+quoted+"\"\nkind: decision\n---\n\n## Decision Drivers\n\n- "+hostile+"\n\n## Decision Outcome\n\n"+hostile+"\n\n## Evidence\n\n- "+hostile+"\n")
	page := s.get("/inbox?status=any", 200)
	sound(t, "list", page)
	list, _, _, err := s.Inbox.List(t.Context(), candidate.Filter{Status: "any"})
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, c := range list {
		sound(t, c.ID, s.get(candidateHref(c.ID), 200))
		sound(t, c.ID, s.get(candidateHref(c.ID)+"?view=edit", 200))
	}
	sound(t, "query", s.get("/inbox?text="+url.QueryEscape(hostile), 200))
	sound(t, "kind", s.get("/inbox?kind="+url.QueryEscape(hostile), 400))
	post, _ := s.post("/inbox/"+factID, 409, url.Values{"action": {"edit"}, "if_match": {hostile}, "content": {hostile}, "back": {hostile}})
	sound(t, "conflict", post)
}

// TestInboxProposals: the page names the record that an approved proposal archived or superseded, and no record that is not there.
func TestInboxProposals(t *testing.T) {
	s := newShelf(t, learning.Idea{Content: "Always run the linter first"}, learning.Idea{Content: "Run the linter first, always run it"},
		learning.Idea{Content: "Always run the linter first."})
	s.decide(decision.Input{Decision: "Store every price as integer cents"})
	s.decide(decision.Input{Decision: "Store every price as integer cents, because floats lose cents"})
	out, err := s.Propose(t.Context(), candidate.By{})
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, p := range out.Proposals {
		if p.ID == "" {
			continue
		}
		_, to := s.post("/inbox/"+p.ID, 303, url.Values{"action": {"approve"}, "if_match": {s.seen(p.ID)}, "back": {"/inbox"}})
		for _, did := range proposalDone {
			if strings.Contains(s.get(to, 200), "Approved: ["+p.Records[0].ID+"] is "+did+".") {
				done[did] = true
			}
		}
	}
	if !done["archived"] || !done["superseded"] {
		t.Errorf("%+v\n%v", out.Proposals, done)
	}
	if page := s.get("/inbox?done=approve&did=archived&of=nobody", 200); strings.Contains(page, "nobody] is archived") {
		t.Error("the page names a record that is not there")
	}
}

// TestRejectWithReason: the queue takes a reason for one candidate and for several.
func TestRejectWithReason(t *testing.T) {
	s := newShelf(t)
	s.fill("pending", "Tokens live for 15 minutes.")
	if page := s.get("/inbox", 200); !strings.Contains(page, `name="reason"`) {
		t.Errorf("no field for a reason:\n%s", page)
	}
	items := []string{"candidate " + s.seen(factID) + " " + factID, "candidate " + s.seen(decisionID) + " " + decisionID}
	s.post("/act", 303, url.Values{"action": {"reject"}, "item": items, "reason": {" we <b>do not</b> "}, "back": {"/inbox"}})
	for _, id := range []string{factID, decisionID} {
		if c, err := s.Inbox.Get(t.Context(), id); err != nil || c.Status != candidate.Rejected || c.Reason != "we <b>do not</b>" {
			t.Errorf("%s: %v %+v", id, err, c)
		}
	}
}
