package check

import (
	"slices"
	"strings"
	"testing"
)

func TestDecisionLinks(t *testing.T) {
	decision := func(head string) string { return "---\n" + head + "---\n\n## Decision Outcome\n\nText.\n" }
	files := map[string]string{
		".sdd/decisions/old.md":      decision("title: Old\nstatus: accepted\n"),
		".sdd/decisions/new.md":      decision("title: New\nstatus: accepted\nsupersedes: decision/old\n"),
		".sdd/decisions/gone.md":     decision("title: Gone\nstatus: superseded\n"),
		".sdd/decisions/other.md":    decision("title: Other\nsupersedes: [decision/gone, decision/use-rest]\nrelates_to: decision/missing\n"),
		".sdd/decisions/idea.md":     decision("title: Proposal\nstatus: proposed\nsupersedes: decision/other\n"),
		".sdd/decisions/a.md":        decision("title: A\ndepends_on: [decision/b]\n"),
		".sdd/decisions/b.md":        decision("title: B\ndepends_on: [decision/c]\nrelates_to: decision/a\n"),
		".sdd/decisions/c.md":        decision("title: C\ndepends_on: [decision/a]\n"),
		".sdd/decisions/straight.md": decision("title: Straight\ndepends_on: [decision/a, decision/b]\n"),
		"docs/adr/0001-rest.md":      "# 1. Use REST\n\n## Status\n\nAccepted\n\n## Decision\n\nREST.\n",
	}
	r, _ := checkStore(t, files, Options{})
	want := []string{
		"decisions/a.md:3:1 warning decision-circle",
		"decisions/old.md:3:1 warning half-superseded",
		"decisions/other.md:4:1 warning dead-reference",
	}
	if got := shortened(r); !slices.Equal(got, want) {
		t.Errorf("found %q\nwant %q", got, want)
	}
	for _, f := range r.Findings {
		if f.Rule == ruleCircle && !strings.Contains(f.Message, "decision/a, decision/b, decision/c, decision/a") {
			t.Error(f.Message)
		}
	}
	files[".sdd/decisions/old.md"] = decision("title: Old\nstatus: superseded\n")
	files[".sdd/decisions/c.md"] = decision("title: C\n")
	files[".sdd/decisions/other.md"] = decision("title: Other\nsupersedes: decision/gone\n")
	if r, _ := checkStore(t, files, Options{}); len(r.Findings) > 0 {
		t.Errorf("nothing is wrong: %q", shortened(r))
	}
}

func TestTwoSuccessors(t *testing.T) {
	decision := func(title, keys string) string {
		return "---\ntitle: " + title + "\nstatus: accepted\n" + keys + "---\n\n## Decision Outcome\n\nText.\n"
	}
	files := map[string]string{
		".sdd/decisions/queue.md":  "---\ntitle: Queue\nstatus: superseded\n---\n\n## Decision Outcome\n\nText.\n",
		".sdd/decisions/kafka.md":  decision("Kafka", "supersedes: decision/queue\n"),
		".sdd/decisions/nats.md":   decision("NATS", "supersedes: [queue]\n"),
		".sdd/decisions/orders.md": decision("Orders", "relates_to: decision/queue\n"),
	}
	r, _ := checkStore(t, files, Options{})
	if got := shortened(r); !slices.Equal(got, []string{"decisions/nats.md:4:1 warning rival-decisions"}) {
		t.Errorf("found %q", got)
	}
	files[".sdd/decisions/kafka.md"] = decision("Kafka", "supersedes: decision/queue\nrelates_to: decision/nats\n")
	if r, _ := checkStore(t, files, Options{}); len(r.Findings) > 0 {
		t.Errorf("both hold, and one names the other: %q", shortened(r))
	}
}
