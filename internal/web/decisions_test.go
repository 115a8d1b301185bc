package web

import (
	"strings"
	"testing"

	"sdd/internal/decision"
)

func (s *shelf) decide(in decision.Input) {
	s.t.Helper()
	d := decision.New(s.store, s.index)
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
	s.decide(decision.Input{Decision: "Use JWT <b>\"now\"</b>", Reasons: []string{"services stay <i>stateless</i>", "second"}, Supersedes: "use-cookies"})
	s.decide(decision.Input{Decision: "Log in JSON"})
	s.write("../docs/adr/0001-use-rest.md", "# 1. Use REST\n\n## Status\n\nAccepted\n\n## Decision\n\nREST, because browsers speak it.\n")
	page := s.get("/decisions", 200)
	for _, want := range []string{
		"4 decisions", `href="/decision/use-cookies"`, "services stay &lt;i&gt;stateless&lt;/i&gt;", "Use JWT &lt;b&gt;", "supersedes<ul>", "superseded by<ul>", "<svg", `class="map-box map-superseded"`,
		"docs/adr/0001-use-rest.md", "browsers speak it",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if strings.Contains(page, "<b>\"now") || strings.Contains(page, "style=") || strings.Contains(page, `href="/decision/use-rest"`) {
		t.Errorf("stored text is structure, or a page leads nowhere:\n%s", page)
	}
	if page = s.get("/decisions?text=stateless", 200); !strings.Contains(page, "1 decision matches") || strings.Contains(page, `class="map"`) {
		t.Error("the filter finds something else")
	}
	if page = s.get("/decisions?status=superseded", 200); !strings.Contains(page, "1 decision matches") {
		t.Error("the status does not count")
	}
	s.get("/decisions?status=odd", 400)
	s.get("/decision/none", 404)
	page = s.get("/decision/use-cookies", 200)
	for _, want := range []string{"superseded", ".sdd/decisions/use-cookies.md", "Chosen option", "?view=history", "superseded by<ul>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
}
