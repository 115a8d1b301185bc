package web

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sdd/internal/decision"
	"sdd/internal/record"
)

func (s *shelf) decide(in decision.Input) {
	s.t.Helper()
	d := decision.New(s.Store, s.Index)
	defer d.Close()
	if _, err := d.Record(s.t.Context(), in); err != nil {
		s.t.Fatal(err)
	}
}

func TestDecisions(t *testing.T) {
	s := newShelf(t)
	if page := s.get("/decisions", 200); !strings.Contains(page, "No decisions yet") {
		t.Error("an empty store does not say so")
	}
	s.decide(decision.Input{Decision: "Use cookies"})
	s.decide(decision.Input{Decision: "Use JWT <b>\"now\"</b>", Causes: record.Causes{Reasons: []string{"services stay <i>stateless</i>", "second"}}, Supersedes: "use-cookies"})
	s.decide(decision.Input{Decision: "Log in JSON"})
	s.write("../docs/adr/0001-use-rest.md", "# 1. Use REST\n\n## Status\n\nAccepted\n\n## Decision\n\nREST, because browsers speak it.\n")
	page := s.get("/decisions", 200)
	for _, want := range []string{
		"4 decisions", `href="/decision/use-cookies"`, "services stay &lt;i&gt;stateless&lt;/i&gt;", "Use JWT &lt;b&gt;", "docs/adr/0001-use-rest.md", "browsers speak it", `href="/decision/use-rest"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if strings.Contains(page, "<b>\"now") || strings.Contains(page, "style=") {
		t.Errorf("stored text is structure:\n%s", page)
	}
	page = s.get("/decision/use-rest", 200)
	if !strings.Contains(page, "<code>docs/adr/0001-use-rest.md</code>") || !strings.Contains(page, "REST, because browsers speak it.") ||
		strings.Contains(page, "view=edit") || strings.Contains(page, `action="/act"`) {
		t.Errorf("an ADR is not shown, or can be changed:\n%s", page)
	}
	page = s.get("/decisions?view=timeline&text=stateless", 200)
	if !strings.Contains(page, "1 decision matches") || strings.Count(page, "<circle") != 3 || strings.Count(page, " dim\"") != 2 || strings.Count(page, `class="thread map-supersedes"`) != 1 {
		t.Errorf("the timeline:\n%s", page)
	}
	if page = s.get("/decisions?text=stateless", 200); !strings.Contains(page, "1 decision matches") || strings.Contains(page, "<circle") {
		t.Error("the filter finds something else")
	}
	if page = s.get("/decisions?status=superseded", 200); !strings.Contains(page, "1 decision matches") {
		t.Error("the status does not count")
	}
	s.get("/decisions?status=odd", 400)
	if mermaid := s.get("/decisions?as=mermaid", 200); !strings.HasPrefix(mermaid, "flowchart") && !strings.HasPrefix(mermaid, "graph") {
		t.Errorf("no Mermaid:\n%s", mermaid)
	}
	if svg := s.get("/decisions?as=svg", 200); !strings.HasPrefix(svg, "<svg xmlns") || strings.Count(svg, "<circle") != 3 {
		t.Errorf("no SVG:\n%s", svg)
	}
	s.get("/decision/none", 404)
	page = s.get("/decision/use-cookies", 200)
	for _, want := range []string{"superseded", ".sdd/decisions/use-cookies.md", "Chosen option", "?view=history", "replaced by</span>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
}

// TestManyDecisions: the list goes on page after page until it is whole, and the timeline has them all.
func TestManyDecisions(t *testing.T) {
	const all, linked = 400, 70
	s := newShelf(t)
	for n := range all {
		keys := ""
		if n > 0 && n < linked {
			keys = fmt.Sprintf("depends_on: decision/number-%04d\n", n-1)
		}
		s.write(fmt.Sprintf("decisions/number-%04d.md", n), fmt.Sprintf("---\ntitle: Number %04d\nstatus: accepted\ndate: 2026-01-01\n%s---\n", n, keys))
	}
	seen := map[string]bool{}
	next := regexp.MustCompile(`href="([^"]*)"[^>]*rel="next"`)
	for path := "/decisions"; path != ""; {
		page := s.get(path, 200)
		for _, m := range regexp.MustCompile(`id="(decision/[^"]*)"`).FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Errorf("%s comes twice", m[1])
			}
			seen[m[1]] = true
		}
		path = ""
		if m := next.FindStringSubmatch(page); m != nil {
			path = html.UnescapeString(m[1])
		}
	}
	if len(seen) != all {
		t.Errorf("%d of %d decisions", len(seen), all)
	}
	s.get("/decisions?cursor=odd", 400)
	if page := s.get("/decisions?view=timeline", 200); strings.Count(page, "<circle") != all || strings.Count(page, `class="thread`) != linked-1 {
		t.Error("the timeline leaves decisions or links out")
	} else if len(page) > 200<<10 {
		t.Errorf("the page has %d bytes", len(page))
	}
	page := s.get("/decision/number-0030", 200)
	for _, want := range []string{"number-0000", "number-0069", "rests on", "needed by"} {
		if !strings.Contains(page, want) {
			t.Errorf("the chain lacks %s", want)
		}
	}
}

// TestDecide accepts and rejects on the page, supersedes with the form for new records, and takes back.
func TestDecide(t *testing.T) {
	s := newShelf(t)
	s.decide(decision.Input{Decision: "Use one port", Status: "proposed"})
	item := func() string {
		t.Helper()
		m := regexp.MustCompile(`name="item" value="(decision [^"]+)"`).FindStringSubmatch(s.get("/decision/use-one-port", 200))
		if m == nil {
			t.Fatal("no form")
		}
		return m[1]
	}
	status := func(id, want string) {
		t.Helper()
		if d, err := s.Decisions.Get(t.Context(), id); err != nil || d.Effective() != want {
			t.Errorf("%s is %s, %v; want %s", id, d.Effective(), err, want)
		}
	}
	old := item()
	_, to := s.post("/act", 303, url.Values{"action": {"accept"}, "item": {old}, "back": {"/decision/use-one-port"}})
	if status("use-one-port", "accepted"); to != "/decision/use-one-port?done=accept" {
		t.Errorf("to %s", to)
	}
	s.post("/act", 409, url.Values{"action": {"reject"}, "item": {old}})
	last, err := s.Store.Last("")
	if err != nil {
		t.Fatal(err)
	}
	s.post("/act", 303, url.Values{"action": {"undo"}, "of": {last.ID}})
	status("use-one-port", "proposed")
	s.post("/act", 303, url.Values{"action": {"reject"}, "item": {item()}})
	status("use-one-port", "rejected")
	s.post("/act", 303, url.Values{"action": {"accept"}, "item": {item()}})
	if page := s.get("/decision/use-one-port", 200); !strings.Contains(page, `href="/new?kind=decision&amp;supersedes=decision%2Fuse-one-port"`) {
		t.Errorf("no way to supersede it:\n%s", page)
	}
	s.post("/new", 303, url.Values{"kind": {"decision"}, "title": {"Use two ports"}, "content": {"one is full"}, "supersedes": {"decision/use-one-port"}})
	status("use-one-port", "superseded")
}

// TestEditDecision: a section is edited with a preview, saved byte for byte, and nothing newer is overwritten.
func TestEditDecision(t *testing.T) {
	s := newShelf(t)
	const file = "decisions/use-jwt.md"
	s.write(file, "---\ntitle: Use JWT # short\nstatus: accepted\n---\n\n## Decision Drivers\n\n- stateless\n\n## Decision Outcome\n\nUse JWT.\n\n### Consequences\n\n- keys rotate\n")
	page := s.get("/decision/use-jwt", 200)
	for _, want := range []string{"?section=drivers&amp;view=edit", "?section=outcome&amp;view=edit", ">Considered Options</a>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not there:\n%s", want, page)
		}
	}
	if strings.Contains(page, "section=consequences") {
		t.Error("the consequences, which the outcome contains, have a form of their own")
	}
	s.get("/decision/use-jwt?view=edit&section=consequences", 400)
	page = s.get("/decision/use-jwt?view=edit&section=outcome", 200)
	etag := regexp.MustCompile(`name="if_match" value="([^"]+)"`).FindStringSubmatch(page)[1]
	if !strings.Contains(page, "### Consequences") {
		t.Errorf("the form lacks a part of the text:\n%s", page)
	}
	form := url.Values{"action": {"edit"}, "section": {"outcome"}, "if_match": {etag}, "content": {"Use JWT, signed.\r\n\r\n### Consequences\r\n\r\n- keys rotate"}}
	preview := maps.Clone(form)
	preview.Set("preview", "1")
	if page, _ := s.post("/decision/use-jwt", 200, preview); !strings.Contains(page, "added: </span><bdi>Use JWT, signed.") {
		t.Errorf("the preview:\n%s", page)
	}
	read := func() string {
		src, err := os.ReadFile(filepath.Join(s.dir, ".sdd", file))
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	before := read()
	s.post("/decision/use-jwt", 303, form)
	if got, want := read(), strings.Replace(before, "Use JWT.", "Use JWT, signed.", 1); got != want {
		t.Errorf("the file:\n%s", got)
	}
	form.Set("content", "Mine.")
	if page, _ := s.post("/decision/use-jwt", 409, form); !strings.Contains(page, "Nothing was saved") || !strings.Contains(page, "Mine.</textarea>") {
		t.Errorf("an older text:\n%s", page)
	}
}
