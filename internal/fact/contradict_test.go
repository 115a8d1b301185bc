package fact

import "testing"

// TestContradictions: facts that may not both be true are named with both ids; superseding one ends it, and nothing else changes.
func TestContradictions(t *testing.T) {
	f := newFixture(t)
	var ids []string
	for _, text := range []string{"The server listens on port 8080", "The server listens on port 9090", "Passwords are hashed with bcrypt", "Passwords are hashed with argon2id",
		"time.Now is allowed in domain code", "time.Now is refused in domain code", "The admin app listens on port 7070"} {
		out, err := f.Add(t.Context(), Input{Content: text})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.ID)
	}
	all, err := f.Contradictions(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("%v: %+v", err, all)
	}
	for _, c := range all {
		if c.Older.State != "active" || c.Newer.State != "active" || c.Rule == "" {
			t.Errorf("%+v", c)
		}
	}
	if _, err := f.Add(t.Context(), Input{Content: "The server listens on port 9191", Supersedes: ids[0]}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add(t.Context(), Input{Content: "Passwords are hashed with scrypt", Supersedes: ids[2]}); err != nil {
		t.Fatal(err)
	}
	for _, c := range func() []Contradiction { all, _ := f.Contradictions(t.Context()); return all }() {
		if c.Older.ID == ids[0] || c.Newer.ID == ids[0] || c.Older.ID == ids[2] || c.Newer.ID == ids[2] {
			t.Errorf("a superseded fact is in force: %+v", c)
		}
	}
}
