package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

func fact(id, keys, text string) string {
	if !strings.Contains(keys, "status:") {
		keys = "status: active\n" + keys
	}
	return fmt.Sprintf("---\nid: fact-%s\n%s---\n\n%s\n", id, keys, text)
}

func decided(title, keys, text string) string {
	return fmt.Sprintf("---\ntitle: %s\n%s---\n\n# %s\n\n## Decision Outcome\n\n%s\n", title, keys, title, text)
}

// workshop is a store with records of every kind.
func workshop(t testing.TB) *shelf {
	files := map[string]string{
		"facts/lang.md":   fact("00000000000a", "level: 0\n", "The server is written in Go, the phone app in Kotlin."),
		"facts/hash.md":   fact("00000000000b", "level: 1\ndomain: auth\nmodule: login\ncode_ref: internal/login/hash.go#L3-L9\n", "Passwords are stretched with argon2 before they are stored."),
		"facts/tries.md":  fact("00000000000c", "level: 2\ndomain: auth\nmodule: login\n", "After five wrong tries the door stays shut for ten minutes."),
		"facts/code.md":   fact("00000000000d", "level: 3\ncode_ref: internal/login/hash.go\n", "The salt has sixteen bytes."),
		"facts/queue.md":  fact("00000000000e", "level: 1\ndomain: jobs\n", "Work waits in PostgreSQL and is taken with SKIP LOCKED."),
		"facts/old.md":    fact("00000000000f", "level: 1\ndomain: jobs\nstatus: archived\n", "Work waits in PostgreSQL and is polled each second."),
		"facts/de.md":     fact("000000000010", "level: 1\ndomain: money\n", "Die Rechnung wird am ersten Tag des Monats verschickt, und der Betrag steht in Cent."),
		"facts/ru.md":     fact("000000000011", "level: 1\ndomain: mail\n", "Письма отправляются через очередь, и повторная отправка делается через час."),
		"facts/fs.md":     fact("000000000012", "level: 1\ndomain: disk\n", "A file is never larger than eight megabytes in our own system of folders."),
		"facts/mine.md":   fact("000000000013", "scope: personal\n", "My own argon2 notes."),
		"facts/other.md":  fact("000000000014", "project: other\n", "Another argon2 note."),
		"facts/quote.md":  fact("000000000015", "", "An error budget is agreed with the customer each quarter."),
		"facts/apart.md":  fact("000000000016", "", "The budget is the error of the customer, said a quarter of us."),
		"facts/camel.md":  fact("000000000017", "", "retryBudget is read from limits.yaml when RetryPolicy starts."),
		"facts/camel2.md": fact("000000000018", "", "The budget for a retry is a policy of somebody else, and starts late."),

		"decisions/use-tokens.md":   decided("Use tokens", "status: accepted\ndate: 2024-03-15\ndepends_on: [decision/many-servers]\n", "JWT, because nobody has to be asked."),
		"decisions/many-servers.md": decided("Many servers", "status: accepted\ndate: 2024-02-01\n", "Three copies behind a balancer, for they fail one at a time."),
		"decisions/one-server.md":   decided("One machine", "status: superseded\ndate: 2023-11-20\n", "A single box in the cellar."),
		"ideas/deleted.md":          "---\nid: idea-000000000020\ncolor: yellow\nstatus: deleted\n---\n\nargon2 was slow once.\n",
		"ideas/learned.md":          "---\nid: idea-000000000021\ncolor: yellow\nstatus: active\nparent: fact-00000000000e\n---\n\nA lost connection left rows taken for ever.\n",
		"inbox/maybe.md":            "---\nid: fact-000000000022\nkind: fact\nstatus: pending\n---\n\nZstandard compresses the backups.\n",
		"inbox/no.md":               "---\nid: fact-000000000023\nkind: fact\nstatus: rejected\n---\n\nBrotli compresses the backups.\n",
		"explore/rollout.md":        "---\ntitle: Rollout\nsession_id: s-9\n---\n\n# Rollout\n\n## Goals\n\nNobody notices a release.\n\n## Constraints\n\nThe freezer is unplugged on Sundays.\n\n## Unknowns\n\nWho owns the canary?\n",
		"explore/talk.md":           "---\ntitle: What else came up\nsession_id: s-9\n---\n\n# What else came up\n\nThe elevator hums.\n",
		"explore/manual.md":         "---\ntitle: Something by hand\nsession_id: manual-save\n---\n\n# Something by hand\n\nThe zeppelin is blue.\n",
		"explore/manual2.md":        "---\ntitle: Another by hand\nsession_id: manual-save\n---\n\n# Another by hand\n\nGrass is green.\n",
	}
	s := newShelf(t, files)
	for i := range 30 { // what nobody asks about
		s.write(fmt.Sprintf("explore/filler-%02d.md", i), note(fmt.Sprintf("Walk %02d", i), "2025-01-01", fmt.Sprintf("The %dth lane of the park is lined with poplars and with benches.", i)))
	}
	return s
}

func rank(t testing.TB, ix *Index, q RankQuery) Ranked {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	r, err := ix.Rank(context.Background(), q)
	if err != nil {
		t.Fatalf("rank %.80q: %v", q.Text, err)
	}
	return r
}

// ranked lists the files of an answer, in order.
func ranked(r Ranked) string {
	var names []string
	for _, it := range r.Items {
		names = append(names, fileName(it.Path))
	}
	return strings.Join(names, " ")
}

func TestRankFinds(t *testing.T) {
	ix := workshop(t).open()
	for _, c := range []struct{ query, first string }{
		{"argon2", "hash"},
		{"How are passwords stretched?", "hash"},
		{"why JWT?", "use-tokens"},
		{"почему JWT?", "use-tokens"},
		{"なぜJWTですか", "use-tokens"},
		{"¿Por qué JWT?", "use-tokens"},
		// other words, other languages
		{"Wann kommt die Rechnung?", "de"},
		{"when do invoices go out", "de"},
		{"Когда приходит счёт?", "de"},
		{"What happens when an email is sent again?", "ru"},
		{"数据库 队列", "queue"},
		{"パスワード", "hash"},
		// misspelt
		{"PostgresSQL", "queue"},
		{"passwrods", "hash"},
		// names and rare words
		{"retryBudget", "camel"},
		{"RetryPolicy in limits.yaml", "camel"},
		{"decision/use-tokens", "use-tokens"},
		{"what follows from decision/many-servers", "many-servers"},
		{"fact-00000000000e", "queue"},
		// words in a row
		{"error budget", "quote"},
		// dates
		{"what was decided in March 2024?", "use-tokens"},
		{"решения в феврале 2024", "many-servers"},
		{"2023-11-20", "one-server"},
	} {
		r := rank(t, ix, RankQuery{Text: c.query})
		if got := strings.Fields(ranked(r)); len(got) == 0 || got[0] != c.first {
			t.Errorf("%q finds %v, want %s first", c.query, got, c.first)
		}
	}
}

func TestRankOfNothingKnown(t *testing.T) {
	ix := workshop(t).open()
	for _, query := range []string{
		"", "   ", "?", "what is this and how does it work?", "почему это так?", "*", "\x00\xff\xfe",
		"kubernetes ingress annotations", "Какой сегодня курс тугрика?", "parental leave",
	} {
		if r := rank(t, ix, RankQuery{Text: query}); len(r.Items) > 0 && !r.Weak || len(r.Items) > nearMost {
			t.Errorf("%q finds %s, weak: %v", query, ranked(r), r.Weak)
		}
	}
	r := rank(t, ix, RankQuery{Text: "parental leave and argon2"})
	if !slices.Equal(r.Unknown, []string{"parental", "leave"}) {
		t.Errorf("unknown are %q", r.Unknown)
	}
	// A store without records knows nothing either.
	empty := newShelf(t, nil).open()
	if r := rank(t, empty, RankQuery{Text: "argon2"}); len(r.Items) > 0 {
		t.Errorf("an empty store answers with %s", ranked(r))
	}
}

func TestRankFollowsTies(t *testing.T) {
	ix := workshop(t).open()
	for _, c := range []struct{ query, with string }{
		{"How are passwords stretched with argon2?", "tries"}, // the same module
		{"How are passwords stretched with argon2?", "code"},  // the same file
		{"why JWT?", "many-servers"},                          // what it depends on
		{"three copies behind a balancer", "use-tokens"},      // what depends on it
		{"SKIP LOCKED", "learned"},                            // what came of it
		{"who notices a release", "talk"},                     // said in the same session
	} {
		r := rank(t, ix, RankQuery{Text: c.query})
		at := slices.IndexFunc(r.Items, func(it RankedItem) bool { return fileName(it.Path) == c.with })
		if at < 1 {
			t.Errorf("%q finds %s, not %s behind the first", c.query, ranked(r), c.with)
			continue
		}
	}
	// Those who named no session have nothing in common.
	if got := ranked(rank(t, ix, RankQuery{Text: "zeppelin"})); got != "manual" {
		t.Errorf("a saved record brings %s along", got)
	}
}

// TestRankWithoutTies: facts of commits have no ties by their folder, and a candidate that is not asked for brings no record along.
func TestRankWithoutTies(t *testing.T) {
	s := workshop(t)
	s.write("facts/krypton.md", fact("000000000031", "domain: shop\nsource: commit 0123456789ab\n", "The route GET /krypton is registered."))
	s.write("facts/xenon.md", fact("000000000032", "domain: shop\nsource: commit 0123456789ab\n", "The option --xenon sets the color."))
	s.write("facts/lamp.md", fact("000000000033", "domain: light\n", "The lamp is on the left."))
	s.write("inbox/neon.md", "---\nid: fact-000000000034\nkind: fact\ndomain: light\nstatus: pending\n---\n\nNeon is in the tube.\n")
	ix := s.open()
	if got := ranked(rank(t, ix, RankQuery{Text: "krypton"})); got != "krypton" {
		t.Errorf("a fact of a commit brings %s along", got)
	}
	for _, types := range [][]record.Type{nil, {{Kind: record.Fact}}} {
		if got, want := ranked(rank(t, ix, RankQuery{Text: "neon", Types: types})), map[bool]string{true: "neon lamp"}[types == nil]; got != want {
			t.Errorf("neon among %v: %q, want %q", types, got, want)
		}
	}
}

// TestRankFoundInCommits: a fact that was found in a commit answers by what it says. The words of its path, which all facts of the file
// have, count beside that, and the commit's subject does not. It takes no place from a document that answers.
func TestRankFoundInCommits(t *testing.T) {
	s := workshop(t)
	for id, text := range map[string]string{
		"000000000041": "Command-line option `--gas` (cmd/rewind.go): the krypton to use.",
		"000000000042": "Command-line option `--quiet` (cmd/rewind.go).",
	} {
		s.write("facts/"+id+".md", fact(id, "source: commit 0123456789ab\ncode_ref: cmd/rewind.go#L1\n", text)+
			"\n## Evidence\n\n- commit `0123` in `cmd/rewind.go`: `feat: tungsten for all`\n")
	}
	ix := s.open()
	for text, want := range map[string]string{
		"how do I rewind":               "",
		"tungsten for all":              "",
		"krypton":                       "000000000041",
		"options of rewind for krypton": "000000000041 000000000042",
	} {
		if got := ranked(rank(t, ix, RankQuery{Text: text})); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	guide := []Document{{Path: "docs/gas.md", Title: "Gases", Source: []byte("# Gases\n\nChange the krypton with care: open the valve first.\n")}}
	if got := rank(t, ix, RankQuery{Text: "how do I change the krypton", Documents: guide}); len(got.Items) < 1 || got.Items[0].Path != guide[0].Path {
		t.Errorf("the guide is not first: %q", ranked(got))
	}
}

func TestRankStanding(t *testing.T) {
	ix := workshop(t).open()
	if got := strings.Fields(ranked(rank(t, ix, RankQuery{Text: "work waits in PostgreSQL"}))); got[0] != "queue" || !slices.Contains(got[1:], "old") {
		t.Errorf("the archived fact does not stand behind the other: %v", got)
	}
	for query, never := range map[string]string{"argon2": "deleted", "Brotli backups": "no"} {
		if got := strings.Fields(ranked(rank(t, ix, RankQuery{Text: query}))); slices.Contains(got, never) {
			t.Errorf("%q finds %v", query, got)
		}
	}
	if got := ranked(rank(t, ix, RankQuery{Text: "Zstandard"})); got != "maybe" {
		t.Errorf("a candidate is not found: %q", got)
	}
}

func TestRankFilters(t *testing.T) {
	ix := workshop(t).open()
	kinds := func(names ...string) (types []record.Type) {
		for _, n := range names {
			ty, err := record.ParseType(n)
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, ty)
		}
		return types
	}
	for _, c := range []struct {
		q    RankQuery
		want string
	}{
		{RankQuery{Text: "argon2", Project: "other"}, "other"},
		{RankQuery{Text: "argon2", Scope: "personal"}, "mine"},
		{RankQuery{Text: "argon2", Types: kinds("decision")}, ""},
		{RankQuery{Text: "why JWT?", Types: kinds("decision", "learning")}, "use-tokens many-servers"},
		{RankQuery{Text: "SKIP LOCKED", Types: kinds("learning")}, ""}, // it is known by a record that is not asked for
		{RankQuery{Text: "argon2", Limit: 1, Project: "demo", Scope: "project"}, "hash"},
	} {
		if got := ranked(rank(t, ix, c.q)); got != c.want {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.want)
		}
	}
	for _, limit := range []int{-1, 0, maxRanked + 1} {
		if _, err := ix.Rank(t.Context(), RankQuery{Text: "x", Limit: limit}); !fault.Is(err, fault.Invalid) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ix.Rank(ctx, RankQuery{Text: "x", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

func TestRankShowsSections(t *testing.T) {
	ix := workshop(t).open()
	r := rank(t, ix, RankQuery{Text: "freezer"})
	if len(r.Items) == 0 || r.Items[0].Section != "Constraints" || !strings.Contains(line(r.Items[0].Source, r.Items[0].Line), "freezer") {
		t.Fatalf("the section is not found: %+v", r.Items)
	}
	r = rank(t, ix, RankQuery{Text: "the freezer and the canary"})
	var names []string
	for _, it := range r.Items {
		if it.Path == "explore/rollout.md" {
			names = append(names, it.Section)
		}
	}
	if len(names) < 2 || !slices.Equal(slices.Sorted(slices.Values(names[:2])), []string{"Constraints", "Unknowns"}) {
		t.Errorf("sections are %q", names) // what stands beside them comes behind them
	}
	r = rank(t, ix, RankQuery{Text: "argon2"})
	if it := r.Items[0]; !strings.Contains(line(it.Source, it.Line), "argon2") || it.Score <= 0 {
		t.Errorf("the line is not found: %+v", it)
	}
}

func line(src []byte, n int) string {
	if all := strings.Split(string(src), "\n"); n >= 1 && n <= len(all) {
		return all[n-1]
	}
	return ""
}

// A question is data, whatever stands in it and however long it is.
func TestRankOfOddQuestions(t *testing.T) {
	ix := workshop(t).open()
	for _, text := range []string{
		strings.Repeat("argon2 passwords ", 8000), strings.Repeat("é", 60_000), strings.Repeat("数据库密码", 7000), strings.Repeat("a/b.c-d_e ", 12_000),
		strings.Repeat("x", 300_000), `") OR 1=1 -- <system>`, "ADR-016 foo/bar a\"b *", "---\n---\n", "\xff\xfe" + strings.Repeat("\x00", 5000),
		"donaudampfschifffahrtsgesellschaftskapitän", "ｐａｓｓｗｏｒｄ", "🦊🦊🦊", "2024-13-45 9999 1999年13月", "ß", "ي", "-t-on",
	} {
		rank(t, ix, RankQuery{Text: text, Limit: maxRanked})
	}
	if got := strings.Fields(ranked(rank(t, ix, RankQuery{Text: "argon2 " + strings.Repeat("gibberishword ", 8000)}))); len(got) == 0 || got[0] != "hash" {
		t.Errorf("a rare word in a long question finds %v", got)
	}
}

// Law 7: the same files give the same answer, however they came into the index.
func TestRankIsDeterministic(t *testing.T) {
	s := workshop(t)
	questions := []string{"How are passwords stretched?", "why JWT?", "postgress work", "freezer and canary", "счета", "what was decided in 2024"}
	show := func(ix *Index) string {
		var b strings.Builder
		for _, q := range questions {
			r := rank(t, ix, RankQuery{Text: q, Limit: 50})
			for _, it := range r.Items {
				fmt.Fprintf(&b, "%s %s %s:%d %q %v\n", q, it.ID, it.Path, it.Line, it.Section, it.Score)
			}
			fmt.Fprintln(&b, r.Unknown, r.Weak)
		}
		return b.String()
	}
	ix := s.open()
	want := show(ix)
	if got := show(ix); got != want {
		t.Fatal("asked again, it answers otherwise")
	}
	ix.Close() // writes the cache
	if got := show(s.open()); got != want {
		t.Errorf("from the cache:\n%s\nwant\n%s", got, want)
	}
	// One record after the other, with others that are gone again.
	one := newShelf(t, nil)
	st, err := store.Open(store.Options{Dir: one.dir})
	if err != nil {
		t.Fatal(err)
	}
	slow := Open(st)
	t.Cleanup(slow.Close)
	one.refresh(slow)
	entries := ix.st
	var paths []string
	if err := entries.Scan(t.Context(), func(path string, _ store.Stat) error {
		paths = append(paths, path)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(paths)
	for i, path := range paths {
		src, err := os.ReadFile(s.file(path))
		if err != nil {
			t.Fatal(err)
		}
		one.put(slow, path, string(src))
		if i%7 == 0 {
			one.put(slow, "facts/gone.md", fact("0000000000ff", "domain: auth\nmodule: login\n", "Passwords and argon2, for a while."))
			one.refresh(slow)
			one.remove("facts/gone.md")
			one.refresh(slow)
		}
	}
	one.refresh(slow)
	if got := show(slow); got != want {
		t.Errorf("one by one:\n%s\nwant\n%s", got, want)
	}
}

// Law 5: what stands in a file now is ranked, also when nobody told of it.
func TestRankSeesHandEdits(t *testing.T) {
	s := workshop(t)
	ix := s.open()
	rank(t, ix, RankQuery{Text: "argon2"})
	s.write("facts/hash.md", fact("00000000000b", "level: 1\n", "Passwords are stretched with scrypt."))
	r := rank(t, ix, RankQuery{Text: "How are passwords stretched?"}) // without a Refresh
	if len(r.Items) == 0 || !strings.Contains(string(r.Items[0].Source), "scrypt") {
		t.Errorf("the answer has the old text: %s", ranked(r))
	}
}

// TestPassageHeadings: a passage is named by the headings above it, whatever their form and whichever levels are skipped.
func TestPassageHeadings(t *testing.T) {
	for src, want := range map[string]string{
		"# T\n\n### A\n\nx\n\n#### B\n\ny\n\n### C\n\nz\n":           "A/ A/B C/",
		"1.2.0\n=====\n\nx\n\n1.1.0\n=====\n\ny\n\n### Fixes\n\nz\n": "1.2.0/ 1.1.0/ 1.1.0/Fixes",
		"T\n===\n\nx\n\nA\n---\n\ny\n\n### B\n\nz\n":                 "/ A/ A/B",
		"# 1.8\n\nx\n\n# 1.7\n\n## New\n\n```sh\n# no\n```\n":        "1.8/ 1.7/New",
	} {
		var got []string
		for _, p := range passagesOf([]byte(src), nil) {
			got = append(got, p.section+"/"+p.heading)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
	if label := passagesOf([]byte("**Note**\n\nThe port is free.\n\nIt is.\n"), nil); len(label) != 2 || label[1].line != 5 {
		t.Errorf("a label is a passage: %+v", label)
	}
	if SeveralTitles([]byte("# Shop\n\n#tag\n\n```\n# a comment\n```\n")) {
		t.Error("one title, not several")
	}
}

// wantTexts asks each question of the documents, and compares the texts of the answer, in order, with a bar between.
func wantTexts(t *testing.T, ix *Index, docs []Document, questions map[string]string) {
	t.Helper()
	for question, want := range questions {
		var got []string
		for _, i := range rank(t, ix, RankQuery{Text: question, Documents: docs}).Items {
			got = append(got, i.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

// TestRankRelease: the passages below a version that the question names come first, and those below others are left out.
func TestRankRelease(t *testing.T) {
	docs := []Document{
		{Path: "CHANGELOG.md", Title: "CHANGELOG.md", Source: []byte("1.2.1\n=====\n\n- Fix the ring\n\n1.2.0\n=====\n\n- Remove the port\n\n1.1.0\n=====\n\n- Fix bugs of the port, and fixes of bugs\n")},
		{Path: "docs/ring.md", Title: "Ring", Source: []byte("# Ring\n\nThe port of the ring has no bugs.\n")},
	}
	ix := newShelf(t, nil).open()
	nested := []Document{{Path: "CHANGELOG.md", Title: "CHANGELOG.md", Source: []byte("# Unreleased\n\n- Add a ring\n\n" +
		"# [1.1.0](https://x/v1.0.1...v1.1.0)\n\n### Features\n\n- Paint the port\n\n" +
		"## [1.0.1](https://x/v1.0.0...v1.0.1)\n\n### Bug fixes\n\n- Fix the ring\n\n# [1.0.0](https://x/v1.0.0-beta.5...v1.0.0)\n\n- Open the port\n\n" +
		"# 1.0.0-beta.5\n\n- Try the port\n")}}
	wantTexts(t, ix, nested, map[string]string{
		"what changed in 1.0.0?":        "- Open the port",
		"what changed in 1.0.1?":        "- Fix the ring",
		"what changed in 1.0.0-beta.5?": "- Try the port",
		"what is unreleased?":           "- Add a ring",
		"what changed recently?":        "- Add a ring|- Paint the port",
		"what is the newest version?":   "- Add a ring|- Paint the port",
	})
	wantTexts(t, ix, docs, map[string]string{
		"which bugs were fixed in 1.2.0?":          "- Remove the port",
		"what changed in v1.2?":                    "- Remove the port|- Fix the ring",
		"what changed recently?":                   "- Fix the ring",
		"what is the latest release":               "- Fix the ring",
		"has the ring a port?":                     "The port of the ring has no bugs.|- Fix the ring",
		"what is the current version of the ring?": "- Fix the ring|The port of the ring has no bugs.",
		"has the port bugs on Go 1.2?":             "- Fix bugs of the port, and fixes of bugs|The port of the ring has no bugs.",
	})
}

func TestLater(t *testing.T) {
	for _, v := range [][2]string{{"1.10.0", "1.9.0"}, {"1.0.0", "1.0.0-beta.5"}, {"1.0.0-beta.5", "0.9.1"}, {"1.0.1", "1.0"}, {"2.0b2", "2.0b1"}} {
		if !later(v[0], v[1]) || later(v[1], v[0]) {
			t.Error(v)
		}
	}
}

// TestRankNewest: numbers of sections and protocols are no releases, and a version that nothing has is missing.
func TestRankNewest(t *testing.T) {
	guide := Document{Path: "docs/guide.md", Title: "Guide", Source: []byte("# Guide\n\n## 1.1 Ports\n\nThe port changed recently.\n\n## 2.1 Rings\n\nA ring.\n\n## HTTP/1.1\n\nOld.\n")}
	dated := Document{Path: "CHANGELOG.md", Title: "Changes", Changes: true, Source: []byte("# Changes\n\n## 1.9.0 (2024.10.01)\n\n- Fix the ring\n\n## 1.9.0.rc1 (2024.09.01)\n\n- Try the ring\n")}
	upgrade := Document{Path: "UPGRADING.md", Title: "Upgrading", Changes: true, Source: []byte("# Upgrading\n\n## 6.0 to 7.0\n\nA change.\n\n## 5.0 to 6.0\n\nA change.\n")}
	ix := newShelf(t, nil).open()
	for _, c := range []struct {
		question string
		document Document
		want     string
		weak     bool
	}{
		{"what changed recently?", guide, "The port changed recently.", false},
		{"what is new in the latest release?", dated, "- Fix the ring", false},
		{"what changed in 1.9.0?", dated, "- Fix the ring", false},
		{"what is the latest release?", upgrade, "", false},
		{"the latest version of zookeeper", dated, "- Fix the ring", true},
	} {
		r := rank(t, ix, RankQuery{Text: c.question, Documents: []Document{c.document}})
		got := ""
		if len(r.Items) > 0 {
			got = r.Items[0].Text
		}
		if got != c.want || r.Weak != c.weak {
			t.Errorf("%q: %q, weak %v, want %q", c.question, got, r.Weak, c.want)
		}
	}
}

// TestRankNoise: a small number alone matches nothing, and lines without text are no passages.
func TestRankNoise(t *testing.T) {
	docs := []Document{{Path: "docs/a.md", Title: "A", Source: []byte("# A\n\n(labels/python)=\n\n[python]: https://python.org \"Python\"\n\nAdd 2 and [1, 2, 3].\n\nPython 2 is gone, Python 3 is here.\n")}}
	ix := newShelf(t, nil).open()
	wantTexts(t, ix, docs, map[string]string{"Is there Python 2?": "Python 2 is gone, Python 3 is here.", "is it 2": ""})
}

// TestRankIdentifier: the parts of an identifier count where they are in a row.
func TestRankIdentifier(t *testing.T) {
	docs := []Document{{Path: "docs/a.md", Title: "A", Source: []byte("# A\n\nThe cachedir gets a new tag, and no other color.\n\nThe cachedir tag is old.\n\nRun setup.py first.\n")}}
	ix := newShelf(t, nil).open()
	wantTexts(t, ix, docs, map[string]string{"CACHEDIR.TAG": "The cachedir tag is old.", "NO_COLOR": "", "PyPy": ""})
}

// TestRankMistyped: a word that no text has means the one in a document that differs by a typing mistake.
func TestRankMistyped(t *testing.T) {
	docs := []Document{{Path: "docs/a.md", Title: "A", Source: []byte("# A\n\nIt can exclude a directory.\n\nA conference is near. The contrast is high.\n")}}
	ix := newShelf(t, nil).open()
	for question, want := range map[string]string{"how do i exlcude a direcotry": "It can exclude a directory.", "is there confluence": "", "who signs the contract": ""} {
		r := rank(t, ix, RankQuery{Text: question, Documents: docs})
		if len(r.Items) == 0 && want != "" || len(r.Items) > 0 && r.Items[0].Text != want {
			t.Errorf("%q: %+v, want %q", question, r.Items, want)
		}
	}
}

// TestRankDocuments: of documents the passage comes first that the heading introduces, prose before code; a synonym finds one also
// where no record has it.
func TestRankDocuments(t *testing.T) {
	docs := []Document{
		{Path: "docs/a.md", Title: "A", Source: []byte("# A\n\n## Other\n\nThe gossip port of the gossip ring listens to gossip.\n\n```\ngossip gossip gossip\n```\n")},
		{Path: "docs/b.md", Title: "B", Source: []byte("# B\n\n## Gossip\n\nMembers tell each other of changes.\n\nMore about it.\n\n# Signing in\n\nIt needs a passphrase.\n")},
	}
	ix := workshop(t).open()
	for _, c := range []struct{ query, file, text string }{
		{"What is gossip?", "b", "Members tell each other of changes."},
		{"signing in", "b", "It needs a passphrase."},
	} {
		r := rank(t, ix, RankQuery{Text: c.query, Documents: docs})
		at := slices.IndexFunc(r.Items, func(i RankedItem) bool { return i.Kind == "" })
		if at < 0 || fileName(r.Items[at].Path) != c.file || r.Items[at].Text != c.text {
			t.Errorf("%q: %+v", c.query, ranked(r))
		}
	}
	none := newShelf(t, nil).open()
	if r := rank(t, none, RankQuery{Text: "Which licence?", Documents: []Document{{Path: "COPYING", Title: "COPYING", Source: []byte("Some License\nVersion 2\n")}}}); len(r.Items) != 1 {
		t.Errorf("a synonym in a document is not found: %+v", r)
	}
	prose := rank(t, none, RankQuery{Text: "ring port", Documents: []Document{{Path: "x.md", Source: []byte("```\nring port\n```\n\n## More\n\nThe ring port.\n")}}})
	if len(prose.Items) != 2 || prose.Items[0].Text != "The ring port." {
		t.Errorf("code comes first: %+v", prose.Items)
	}
	// Of a short question a document has most words, or it is noise; a record that answers comes first.
	noise := []Document{{Path: "AGENTS.md", Title: "Rules", Source: []byte("# Rules\n\nThe user signs.\n\nThe user reads the user's rules, says the user.\n")}}
	auth := newShelf(t, map[string]string{"explore/user-auth.md": "---\ntitle: User auth\n---\n\n## Goals\n\n- log in by mail\n"}).open()
	if r := rank(t, auth, RankQuery{Text: "How does a user log in?", Documents: noise}); len(r.Items) != 1 || r.Items[0].Kind != record.Exploration {
		t.Errorf("beside a record: %+v", r.Items)
	}
	if r := rank(t, none, RankQuery{Text: "Which rules does a user read?", Documents: noise}); len(r.Items) != 1 || r.Items[0].Line != 5 {
		t.Errorf("by itself: %+v", r.Items)
	}
	many := Document{Path: "long.md", Source: []byte(strings.Repeat("The ring port.\n\n", 3*mostOfPages))}
	decided := many
	decided.Status = "accepted"
	for _, c := range []struct {
		document Document
		pages    int
		want     int
	}{{many, 0, mostOfPages}, {many, 2 * mostOfPages, 2 * mostOfPages}, {decided, 0, mostDecided}} {
		if r := rank(t, none, RankQuery{Text: "ring port", Limit: 100, Pages: c.pages, Documents: []Document{c.document}}); len(r.Items) != c.want {
			t.Errorf("%d passages of documents, want %d", len(r.Items), c.want)
		}
	}
}
