package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/record"
	"sdd/internal/tokens"
)

// TestStartIsWithinItsBudget: a store with more than fits gives a full index of at most 800 tokens, the same again, and notes of at
// most 120 tokens that name every record of a file once in a session.
func TestStartIsWithinItsBudget(t *testing.T) {
	w := drifted(t, 60)
	first, err := w.StartIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := tokens.Count(first); n > startTokens || n < startTokens*3/4 {
		t.Errorf("the index has %d tokens:\n%s", n, first)
	}
	for _, want := range []string{"Records, those about", "Look at these before you rely on them:", "changed"} {
		if !strings.Contains(first, want) {
			t.Errorf("the index lacks %q:\n%s", want, first)
		}
	}
	records, _, _ := strings.Cut(first, "Look at these")
	if recent, other := strings.Index(records, "number 2 "), strings.Index(records, "number 1 "); recent < 0 || other >= 0 && other < recent {
		t.Errorf("a record about an older change comes first:\n%s", first)
	}
	if again, err := reopen(t, w.Store.Dir()).StartIndex(t.Context()); err != nil || again != first {
		t.Errorf("the next index differs (%v):\n%s", err, again)
	}

	var text strings.Builder
	for i := range 20 { // twenty facts about one file
		text.Reset()
		text.WriteString("---\nid: fact-9999999999" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "\nlevel: 0\nstatus: active\ncode_ref: one.go\n---\n\n" +
			strings.Repeat("Words about the file that go on. ", i+1) + "\n")
		name := filepath.Join(w.Store.Dir(), ".sdd/facts", "one"+string(rune('a'+i))+".md")
		if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	named := map[string]bool{}
	for range 20 {
		note, err := w.FileNote(t.Context(), "s", []string{"one.go"}, "")
		if err != nil {
			t.Fatal(err)
		}
		if note == "" {
			break
		}
		if n := tokens.Count(note); n > noteTokens {
			t.Errorf("the note has %d tokens:\n%s", n, note)
		}
		for line := range strings.Lines(note) {
			if id, _, ok := strings.Cut(strings.TrimPrefix(line, "- ["), "]"); ok && strings.HasPrefix(line, "- [") {
				if named[id] {
					t.Errorf("%s is named twice", id)
				}
				named[id] = true
			}
		}
	}
	if len(named) != 20 {
		t.Errorf("%d of 20 records were named", len(named))
	}
}

// TestForbids lists learnings with texts that do, or do not do, what they forbid.
func TestForbids(t *testing.T) {
	for _, c := range []struct {
		learning, text string
		want           bool
	}{
		{"Never use Jest; tests use Vitest", "import jest from 'jest'", true},
		{"Never call time.Sleep in a test, wait for the condition", "time.Sleep(2)", true},
		{"Never call time.Sleep in a test, wait for the condition", "t.Context()", false},
		{"Use `errors.Is` instead of `==`", "if err == io.EOF {", true},
		{"Tests use Vitest", "vitest", false},
		{"Do not store floats for money", "total float64", false},
		{"Don’t use Jest — tests use Vitest", "import jest from 'jest'", true},
		{"There is a note, no Jest here", "import jest from 'jest'", true},
		{"Никогда не используй Jest — тесты на Vitest", "import jest from 'jest'", true},
		{"Не вызывайте time.Sleep в тестах", "time.Sleep(2)", true},
		{"Нельзя писать `==` при сравнении ошибок", "if err == io.EOF {", true},
		{"Используй Vitest вместо Jest", "import jest from 'jest'", true},
		{"Используй Vitest, а не Jest", "import {test} from 'vitest'", false},
		{"Деньги хранятся не в float64, а в копейках", "total float64", true},
		{"Ответ сервера не меняется до утра", "server answers", false},
	} {
		if got := forbids(c.learning, c.text); got != c.want {
			t.Errorf("%q, %q: %v", c.learning, c.text, got)
		}
	}
	for learning, want := range map[string]bool{
		"Never edit src/CLI.rs by hand": true, "Do not edit files in src/ by hand": true, "Never modify `src/cli.rs`": true,
		"Never edit src/cli.rs.in": false, "Never edit files in src/cli/": false, "Never call init twice in src/cli.rs": false,
		"Do not edit lock files": false, "Do not edit anything below src": true, "Never change the schema without updating src": false,
		"Never touch prod config from src": false, "Не меняй схему без src": false, "Never delete src": false,
	} {
		if got := forbids(learning, "x", "src/cli.rs"); got != want {
			t.Errorf("%q: %v", learning, got)
		}
	}
}

// TestStartNamesRecordsOfOtherWork: where the recent work leaves room, the index names the other records, each by an id that is
// short where no other record begins so.
func TestStartNamesRecordsOfOtherWork(t *testing.T) {
	files := map[string]string{}
	for id, text := range map[string]string{"aaaaaa000001": "One.", "aaaaaa000002": "Two.", "bbbbbb000001": "Three."} {
		files["facts/fact-"+id+"-x.md"] = "---\nid: fact-" + id + "\nlevel: 0\nstatus: active\n---\n\n" + text + "\n"
	}
	w := open(t, files)
	text, err := w.StartIndex(t.Context())
	for _, want := range []string{"- [fact-aaaaaa000001] One.\n", "- [fact-aaaaaa000002] Two.\n", "- [fact-bbbbbb] Three.\n"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v: the index lacks %q:\n%s", err, want, text)
		}
	}
}

// TestStartUnknowns: the first open question of an exploration is named; a line that says there is none is no question.
func TestStartUnknowns(t *testing.T) {
	w := open(t, map[string]string{
		"explore/a.md": "---\ntitle: A\n---\n\n## Unknowns\n\n- none\n",
		"explore/b.md": "---\ntitle: B\n---\n\n## Unknowns\n\n- [ ] n/a\n- Who pays?\n",
	})
	if err := w.Index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.unknowns(w.Index.Entries(record.Exploration)); !slices.Equal(got, []string{"- [explore/b] Who pays?\n"}) {
		t.Errorf("%q", got)
	}
}
