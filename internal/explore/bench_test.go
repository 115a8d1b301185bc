package explore

import (
	"fmt"
	"testing"

	"sdd/internal/index"
	"sdd/internal/store"
)

// BenchmarkSave is one durable upsert, without a face before it.
func BenchmarkSave(b *testing.B) {
	st, err := store.Open(store.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	ix := index.Open(st)
	defer ix.Close()
	text := "- keep the tokens short lived\n- rotate refresh tokens weekly\n- log every failed login\n"
	in := Input{Title: "User auth", Fields: Fields{Goals: text, Constraints: text, Decisions: text, Context: text}}
	if _, err := Save(b.Context(), st, ix, in); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		in.Goals = fmt.Sprintf("%s- number %d\n", text, i)
		if _, err := Save(b.Context(), st, ix, in); err != nil {
			b.Fatal(err)
		}
	}
}
