package web

import (
	"fmt"
	"html"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sdd/internal/learning"
)

// hostile is a text that wants to be more than text.
const hostile = "</textarea></title><script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)> \u202egnp.exe \"' onfocus=alert(1) &lt; {{.}}"

func TestHostileTextIsText(t *testing.T) {
	i := learning.Idea{
		ID: "idea-000000000001", Content: hostile, Parent: hostile, Agents: []string{hostile, hostile}, Impact: hostile, Category: hostile,
		AppliedTo: []string{hostile}, Aliases: []string{hostile}, ArchivedReason: hostile, ResurrectedBy: hostile, ArchivedAt: hostile,
		OutdatedReason: hostile, OutdatedCommit: hostile, SupersededBy: hostile, ValidatedAt: hostile, ResurrectedAt: hostile,
	}
	for _, status := range []string{"active", "outdated", "archived", "deleted", hostile} {
		s := newShelf(t)
		i.Status, i.Created = status, hostile
		s.put(i)
		s.write("explore/x.md", "---\ntitle: \"</title><script>alert(1)</script>\"\nscope: personal\nproject: \"<script>\"\ncreated: \"<b>\"\n---\n\n"+hostile+"\n\n## Goals\n\n"+hostile+"\n\n## <script>\n\n"+hostile+"\n")
		query := url.QueryEscape(hostile)
		for _, target := range []string{
			"/", "/learnings", "/learnings?status=any", "/learnings/" + i.ID, "/learnings/" + i.ID + "/edit?back=" + query, "/explorations",
			"/learnings?status=&agent=" + query + "&parent=" + query + "&category=" + query, "/explorations?text=script&scope=personal",
			"/learnings?done=" + query + "&item=" + query, "/explore/title-script-alert-1-script",
		} {
			sound(t, status+" "+target, s.get(target, 200))
		}
		for _, target := range []string{"/learnings?scope=" + query, "/learnings?impact=" + query, "/learnings?status=" + query, "/learnings?cursor=" + query} {
			sound(t, target, s.get(target, 400))
		}
		sound(t, "missing", s.get("/learnings/nothing+"+query, 404))
		sound(t, "missing", s.get("/explore/"+url.PathEscape(hostile), 404))
		refused := 409
		if status == "deleted" || status == hostile {
			refused = 400
		}
		page, _ := s.post("/learnings/"+i.ID, refused, url.Values{"action": {"edit"}, "if_match": {"0123456789abcdef"}, "content": {hostile + hostile}, "back": {hostile}})
		sound(t, "conflict", page)
		page, _ = s.post("/learnings/"+i.ID, 409, url.Values{"action": {"delete"}, "if_match": {hostile}, "reason": {hostile}})
		sound(t, "not done", page)
	}
}

func TestReviewPanel(t *testing.T) {
	s := newShelf(t,
		learning.Idea{ID: one, Content: "The token expires after `1 hour`", Parent: "PAY-1", Agents: []string{"ed-001"}, Impact: "critical", Category: "API"},
		learning.Idea{Content: "Tests use Jest", Status: "outdated", OutdatedReason: "affected files modified", OutdatedCommit: "a91c03be46f2"},
		learning.Idea{Content: "Use const", Status: "archived", ArchivedReason: "parent_green_completed"},
		learning.Idea{Content: "Nonsense", Status: "deleted"},
	)
	page := s.get("/learnings", 200) + s.get("/learnings/"+one, 200)
	for _, want := range []string{
		"<code>1 hour</code>", "PAY-1", "ed-001", "critical", "2026-11-20T09:14:59Z", one, ".sdd/ideas/" + one + ".md", template.HTMLEscapeString(s.idea(one).ImpactRule),
		"affected files modified", "the work that it came from is done", "1 learning is marked as outdated", "3 learnings",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there", want)
		}
	}
	if s.idea(one).ImpactRule == "" {
		t.Error("no rule to show")
	}
	if strings.Contains(page, "Nonsense") {
		t.Error("what is deleted is shown unasked")
	}
	for status, want := range map[string][]string{
		"active": {"validate", "promote", "graduate", "outdate", "archive", "delete"}, "outdated": {"validate", "promote", "archive", "delete"},
		"archived": {"resurrect", "promote", "graduate", "delete"}, "deleted": {"restore"},
	} {
		id := regexp.MustCompile(`id="(idea-[0-9a-f]+)"`).FindStringSubmatch(s.get("/learnings?status="+status, 200))
		page := s.get("/learnings/"+id[1], 200)
		for action := range done {
			if offered := strings.Contains(page, `value="`+action+`"`); offered != slices.Contains(want, action) {
				t.Errorf("%s: %s offered %v", status, action, offered)
			}
		}
	}
}

// TestIdWithSlash opens the page of a learning that has an id by hand from the list.
func TestIdWithSlash(t *testing.T) {
	s := newShelf(t)
	s.write("ideas/jwt.md", "---\nid: auth/jwt\ncolor: yellow\nstatus: active\n---\n\nTokens expire\n")
	link := regexp.MustCompile(`href="(/learnings/auth[^"?]*)`).FindStringSubmatch(s.get("/learnings", 200))
	if link == nil || !strings.Contains(s.get(link[1], 200), "Tokens expire") {
		t.Errorf("the list links to %q", link)
	}
}

func TestFilters(t *testing.T) {
	s := newShelf(t,
		learning.Idea{ID: one, Content: "Tokens expire", Scope: "global", Impact: "high", Category: "API", Agents: []string{"ed-001"}, Parent: "PAY-1"},
		learning.Idea{Content: "Tests hang", Scope: "local", Impact: "low", Category: "Testing", Agents: []string{"lou-001"}, Parent: "PAY-2"},
	)
	for _, q := range []string{"scope=global", "impact=high", "category=API", "agent=ed-001", "parent=PAY-1", "text=EXPIRE+tokens", "status=active&scope=global&impact=high&category=API&agent=ed-001&parent=PAY-1&text=tokens"} {
		page := s.get("/learnings?"+q, 200)
		if !strings.Contains(page, "1 learning matches") || !strings.Contains(page, one) {
			t.Errorf("%s: finds something else", q)
		}
	}
	s.write("config.yaml", "learning: {categories: {Billing: [invoice]}}\n")
	if page := s.get("/learnings", 200); !strings.Contains(page, `<option value="Billing">Billing</option>`) {
		t.Error("a category of config.yaml cannot be chosen")
	}
	page := s.get("/learnings?text=zzz", 200)
	if !strings.Contains(page, "No learning matches") || !strings.Contains(page, `href="/learnings"`) {
		t.Error("no way back from nothing")
	}
	if page = newShelf(t).get("/learnings", 200); !strings.Contains(page, "No learnings yet") {
		t.Error("an empty store does not say so")
	}
}

func TestPages(t *testing.T) {
	var ideas []learning.Idea
	for i := range perPage + 3 {
		ideas = append(ideas, learning.Idea{Content: fmt.Sprint("number ", i), Created: fmt.Sprintf("2026-11-20T09:%02d:00Z", 59-i)})
	}
	s := newShelf(t, ideas...)
	page := s.get("/learnings?text=number", 200)
	next := regexp.MustCompile(`href="(/learnings\?cursor=[^"]*)"[^>]*rel="next"`).FindStringSubmatch(page)
	if n := strings.Count(page, "<article"); n != perPage || next == nil || !strings.Contains(page, "number 0<") {
		t.Fatalf("%d on the first page\n%s", n, page)
	}
	page = s.get(html.UnescapeString(next[1]), 200)
	if n := strings.Count(page, "<article"); n != 3 || !strings.Contains(page, "Back to the first page") || !strings.Contains(page, fmt.Sprintf("number %d<", perPage+2)) || strings.Contains(page, `rel="next"`) {
		t.Errorf("%d on the second page", n)
	}
}

// TestVerdict shows what a finished parent says of a learning, before anything is written.
func TestVerdict(t *testing.T) {
	s := newShelf(t,
		learning.Idea{ID: "idea-00000000000f", Color: "green", Status: "done", Content: "Build the gateway"},
		learning.Idea{ID: one, Content: "Calls go through the gateway", Validated: true, Parent: "idea-00000000000f"},
	)
	page := s.get("/learnings/"+one, 200)
	for _, want := range []string{"Counts as archived", "the work that it came from is done", "idea-00000000000f", `value="resurrect"`, "The file still says active"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if _, to := s.post("/learnings/"+one, 303, formFor(s, "resurrect")); s.idea(one).Effective() != "active" {
		t.Errorf("it is not back: %s", to)
	}
}

// TestContradiction: a newer learning retires none by a guess; the check names both.
func TestContradiction(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: one, Content: "Tests use Jest", Scope: "global"})
	out, err := s.Learnings.Learn(t.Context(), learning.Input{Content: "Tests do not use Jest", Scope: "global"})
	if err != nil {
		t.Fatal(err)
	}
	if i := s.idea(one); i.Effective() != "active" || i.SupersededBy != "" {
		t.Errorf("a guess changed it: %+v", i)
	}
	all, err := s.Learnings.Check(t.Context(), true)
	if err != nil || len(all) != 1 || all[0].ID != one || all[0].Verdict.By != out.Results[0].ID {
		t.Errorf("%v: %+v", err, all)
	}
}
