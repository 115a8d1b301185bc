package app

import (
	"slices"
	"testing"
	"time"
)

func TestCoverages(t *testing.T) {
	decision := func(date, why string) string {
		return "---\ntitle: Use " + date + "\nstatus: accepted\ndate: " + date + "\n---\n" + why
	}
	w := open(t, map[string]string{
		"decisions/a.md":               decision("2025-01-01", "\n## Decision Drivers\n\n- speed\n"),
		"decisions/b.md":               decision("2026-02-03", ""),
		"decisions/c.md":               decision("2999-01-01", ""),
		"decisions/d.md":               decision("", "\n## Decision Drivers\n\n- size\n"),
		"ideas/idea-000000000001-a.md": "---\nid: idea-000000000001\ncolor: yellow\nstatus: active\ncreated: 2026-01-31T00:00:00Z\nvalidated: true\n---\nA.\n",
		"ideas/idea-000000000002-b.md": "---\nid: idea-000000000002\ncolor: red\nstatus: blocked\n---\nNo learning.\n",
	})
	months := Months(3, time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC))
	if want := []string{"2026-01", "2026-02", "2026-03"}; !slices.Equal(months, want) {
		t.Fatalf("months: %q", months)
	}
	all, err := w.Coverages(t.Context(), months)
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range [][]float64{{1, 2. / 3, .5}, {0, 0, 0}, {1, 1, 1}} {
		for month := range months {
			if got := all[kind].Share(month); got != want[month] {
				t.Errorf("%s in %s: %v, not %v", all[kind].Name, months[month], got, want[month])
			}
		}
	}
	s, err := w.Status(t.Context())
	if err != nil || s.Decisions.CausalCoverage != all[0].Share(2) {
		t.Errorf("the status says %v, %v", s.Decisions, err)
	}
}
