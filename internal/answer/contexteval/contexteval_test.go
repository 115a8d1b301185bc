package contexteval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sdd/internal/longtest"
	"sdd/internal/record"
)

// percent returns n of all in percent.
func percent(n, all int) float64 { return 100 * float64(n) / float64(max(1, all)) }

func report(t *testing.T, name string, p Part) {
	t.Helper()
	t.Logf("%-12s within 1,000 tokens %.1f %%, 2,000 %.1f %%, 3,000 %.1f %% of %d records that answer %d questions, MRR %.2f; among all projects 2,000 %.1f %%, 3,000 %.1f %%, MRR %.2f; unknown: %d silent and %d told as such of %d; mute %d",
		name, percent(p.Within1000, p.Relevant), percent(p.Within2000, p.Relevant), percent(p.Within3000, p.Relevant), p.Relevant, p.Questions, p.MRR,
		percent(p.Mixed2000, p.Relevant), percent(p.Mixed3000, p.Relevant), p.MixedMRR, p.Silent, p.Near, p.Unknown, p.Mute)
}

// What the answer has to hold: 80 % of the records that answer, on questions nobody looked at too, and nothing or a
// word of caution where nothing is known.
func TestBars(t *testing.T) {
	longtest.Only(t)
	r, err := Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	told, unknown := 0, 0 // of all parts: one has few of them
	for name, p := range map[string]Part{"tuned": r.Tuned, "held": r.Held, "aside": r.Aside} {
		told += p.Silent + p.Near
		unknown += p.Unknown
		report(t, name, p)
		if got := percent(p.Within2000, p.Relevant); got < 80 {
			t.Errorf("%s: %.1f %% of the records within 2,000 tokens, at least 80 %% are wanted", name, got)
		}
		if got := percent(p.Mute, p.Questions); got > 7 {
			t.Errorf("%s: %.1f %% of the questions are answered with nothing", name, got)
		}
	}
	if got := percent(told, unknown); got < 70 {
		t.Errorf("%.1f %% of the questions about nothing known are told as such, at least 70 %% are wanted", got)
	}
	for _, lang := range languages(mustProjects(t)) {
		report(t, lang, r.ByLang[lang])
	}
}

func mustProjects(t *testing.T) []project {
	t.Helper()
	all, err := projects()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The corpus is what it claims to be.
func TestCorpus(t *testing.T) {
	questions, unknown, aside := 0, 0, 0
	kinds, texts := map[string]int{}, map[string]bool{}
	for _, p := range mustProjects(t) {
		if n := len(p.records); n < 60 || n > 150 {
			t.Errorf("%s has %d records", p.name, n)
		}
		if p.held {
			aside++
		}
		for _, e := range p.records {
			kinds[e.kind+e.of]++
			got := record.Parse(e.path, []byte(e.markdown()), record.Defaults{Project: p.name})
			if len(got.Problems) > 0 || got.ID != e.id {
				t.Errorf("%s of %s has id %s, not %s, and problems %v", e.key, p.name, got.ID, e.id, got.Problems)
			}
		}
		for _, q := range p.questions {
			if texts[p.name+q.text] {
				t.Errorf("%q is asked twice", q.text)
			}
			texts[p.name+q.text] = true
			questions++
			if len(q.want) == 0 {
				unknown++
			}
			if len(q.want) > 6 || len(slices.Compact(slices.Sorted(slices.Values(q.want)))) != len(q.want) {
				t.Errorf("%q wants %v", q.text, q.want)
			}
		}
	}
	if langs := languages(mustProjects(t)); questions < 150 || unknown < 15 || aside == 0 || len(langs) < 8 {
		t.Errorf("%d questions, %d about nothing known, %d projects set aside, in %v", questions, unknown, aside, langs)
	}
	for _, k := range []string{"fact", "decision", "learning", "explore", "idea", "factpending"} {
		if kinds[k] == 0 {
			t.Errorf("no record is a %s", k)
		}
	}
}

func TestParse(t *testing.T) {
	p, err := parse("project: x\n\n== a fact level=1 domain=d\nOne.\nTwo.\n== b decision accepted depends_on=c date=2024-01-01\n# Title\nC: Why.\nD: What.\n+: So.\n== c decision\n# Other\nD: Yes.\n\n?? en What?\na b\n?? de Wer?\n")
	if err != nil {
		t.Fatal(err)
	}
	if p.name != "x" || len(p.records) != 3 || fmt.Sprint(p.questions) != "[{en What? [a b]} {de Wer? []}]" {
		t.Errorf("parsed %+v", p)
	}
	want := "---\ntitle: \"Title\"\nstatus: accepted\ndate: 2024-01-01\ndepends_on: [decision/other]\n---\n\n# Title\n\n## Context and Problem Statement\n\nWhy.\n\n## Decision Outcome\n\nWhat.\n\n### Consequences\n\nSo.\n"
	if got := p.records[1].markdown(); got != want {
		t.Errorf("the decision is\n%s\nwant\n%s", got, want)
	}
	for name, src := range map[string]string{
		"stray text":     "hello\n",
		"no kind":        "== a\ntext\n",
		"a wrong kind":   "== a song\ntext\n",
		"no text":        "== a fact\n",
		"twice":          "== a fact\nx\n== a fact\ny\n",
		"unknown wanted": "== a fact\nx\n?? en Q?\nb\n",
		"unknown link":   "== a decision depends_on=b\n# T\n",
	} {
		if _, err := parse(src); err == nil {
			t.Errorf("%s is accepted", name)
		} else if strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
