package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/index"
	"sdd/internal/store"
)

// benchText is some 350 bytes as people write them, six of which make an exploration of 2 KB.
const benchText = "- keep the tokens of parseHTTPRequest short lived, see /etc/hosts and ADR-016; запрос without user_id fails after max_retries\n" +
	"- rotate refresh tokens weekly (99.9% of the sessions), Prüfung in internal/store/save.go by kube-proxy, 認証 設定 later\n" +
	"- log every failed login with its request, données utilisateur never, COUNT(*) of the errors is enough for the report\n"

var benchFields = Fields{Goals: benchText, Constraints: benchText, Preferences: benchText, Unknowns: benchText, Decisions: benchText, Context: benchText}

// BenchmarkSave is one durable upsert, without a face before it.
func BenchmarkSave(b *testing.B) {
	st, ix := benchStore(b, 0)
	in := Input{Title: "User auth", Fields: benchFields}
	if _, err := Save(b.Context(), st, ix, in); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		in.Goals = fmt.Sprintf("%s- number %d\n", benchText, i)
		if _, err := Save(b.Context(), st, ix, in); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInsert is one durable insert into a store of 10,000 records, without a face before it.
func BenchmarkInsert(b *testing.B) {
	st, ix := benchStore(b, 10_000)
	if err := ix.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		in := Input{Title: benchTitle(10_000 + i), Fields: benchFields}
		if _, err := Save(b.Context(), st, ix, in); err != nil {
			b.Fatal(err)
		}
	}
}

// benchStore opens a store with so many records.
func benchStore(b testing.TB, size int) (*store.Store, *index.Index) {
	dir := b.TempDir()
	folder := filepath.Join(dir, store.Folder, "explore")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range size {
		title := benchTitle(i)
		text := fmt.Sprintf("---\ntitle: %s\nrevision: 1\n---\n\n## Goals\n\n%s", title, benchText)
		if err := os.WriteFile(filepath.Join(folder, strings.ReplaceAll(title, " ", "-")+".md"), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	ix := index.Open(st)
	b.Cleanup(func() { ix.Close() })
	return st, ix
}

// benchTitle is a title of four words that no other record has.
func benchTitle(i int) string {
	word := func(n int) string {
		var w strings.Builder
		for range 6 {
			w.WriteByte(byte('a' + n%26))
			n = n/26*7 + n%997 + 11
		}
		return w.String()
	}
	return fmt.Sprintf("%s %s %s n%d", word(i*131), word(i*17+5), word(i*7919+3), i)
}
