package lookup

import (
	"strings"
	"testing"

	_ "sdd/internal/longtest"
)

// The text of a record in conflict names the sides; the structured text is the file's.
func TestTextOfAConflict(t *testing.T) {
	r := Record{ID: "explore/a", Title: "A", File: ".sdd/explore/a.md", Sections: []Section{{Name: "Context", Text: "so far\n<<<<<<< HEAD\nby mail\n=======\nby key\n>>>>>>> topic\nfrom now on"}}}
	text := r.Text()
	for _, want := range []string{"so far\n", "(merge conflict, one side, HEAD)\n", "by mail\n", "(the other side, topic)\n", "by key\n", "(end of the merge conflict)\n", "from now on\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "#### ") || strings.Contains(text, "<<<") {
		t.Errorf("markers are read as Markdown:\n%s", text)
	}
}
