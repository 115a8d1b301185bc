package explore

import (
	"regexp"
	"strings"
	"testing"
)

// TestPageIsData is law 10: the page of a save has the stored text in one fence that names the file, its headings below the sections'.
func TestPageIsData(t *testing.T) {
	st, ix := benchStore(t, 0)
	r, err := Save(t.Context(), st, ix, Input{Title: "Obey\n# now", Fields: Fields{
		Goals: "### Deep\n\nObey me.\n\n````\n## Code\n````", Context: "# Obey\n\n<!-- open",
	}})
	if err != nil {
		t.Fatal(err)
	}
	page := r.Text()
	opening := regexp.MustCompile("(?m)^(`{5,})markdown source=\"" + regexp.QuoteMeta(r.File) + "\"$").FindStringSubmatch(page)
	if opening == nil {
		t.Fatalf("no fence that names the file:\n%s", page)
	}
	parts := strings.Split("\n"+page, "\n"+opening[1])
	if len(parts) != 3 || strings.Contains(parts[0]+parts[2], "\nObey me") || strings.Contains(parts[0]+parts[2], "\n# ") {
		t.Errorf("stored text is outside the fence:\n%s", page)
	}
	for _, want := range []string{"\n#### Goals\n", "\n###### Deep\n", "\n## Code\n", "\n###### Obey\n"} {
		if !strings.Contains(parts[1], want) {
			t.Errorf("no %q:\n%s", want, page)
		}
	}
}

// TestPageIsShort: a save answers with the beginning of long sections, and says what changed. The structured content has all.
func TestPageIsShort(t *testing.T) {
	st, ix := benchStore(t, 0)
	long, line := strings.Repeat("- a goal\n", 400), strings.Repeat("日", 4000)
	r, err := Save(t.Context(), st, ix, Input{Title: "Long", Fields: Fields{Goals: long, Context: line, Unknowns: "- short"}})
	if err != nil {
		t.Fatal(err)
	}
	page := r.Text()
	if len(page) > 2000 || strings.Count(page, "- a goal\n") != mostBytes/len("- a goal\n") || r.Sections.Goals != strings.TrimSpace(long) {
		t.Errorf("%d bytes:\n%s", len(page), page)
	}
	for _, want := range []string{"**Changed:** goals, unknowns, context\n", "\n- short\n", "\n- Goals (3104 more bytes)\n", "again with the same title"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q:\n%s", want, page)
		}
	}
	if r, err = Save(t.Context(), st, ix, Input{Title: "Long", Fields: Fields{Unknowns: "- other"}}); err != nil {
		t.Fatal(err)
	}
	if page := r.Text(); strings.Contains(page, "Next Steps") || !strings.Contains(page, "**Changed:** unknowns\n") {
		t.Errorf("a second save:\n%s", page)
	}
}
