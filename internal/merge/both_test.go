package merge

import "testing"

func TestSections(t *testing.T) {
	doc := func(goals, unknowns string) []byte {
		return []byte("---\ntitle: A\n---\n\n## Goals\n\n" + goals + "\n\n## Unknowns\n\n" + unknowns + "\n")
	}
	b := Both{File: ".sdd/explore/a.md", Versions: Versions{doc("- a", "- x"), doc("- b", "- x"), doc("- c", "- y")}}
	got := b.Sections()
	if len(got) != 1 || got[0].Name != "Goals" || got[0].Theirs == got[0].Ours || got[0].Base == got[0].Ours {
		t.Errorf("%+v", got)
	}
	b.Ours = nil // taken away on one side, changed on the other
	if got := b.Sections(); len(got) != 2 || got[0].Ours != "" || got[1].Name != "Unknowns" {
		t.Errorf("%+v", got)
	}
}
