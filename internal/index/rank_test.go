package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sdd/internal/analysis"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

func TestLanguagesFindTheirForms(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/en.md": "# Authentication\n\nWe are validating the tokens of the users when they are connecting to the service.\n",
		"explore/ru.md": "# Ошибки\n\nПри сохранении решения возникает ошибка, потому что ещё нет блокировки.\n",
		"explore/de.md": "# Fehlerbehandlung\n\nDie Häuser werden mit den Schlüsseln nicht geöffnet, und der Größenvergleich ist falsch.\n",
		"explore/es.md": "# Autenticación\n\nLas decisiones de los usuarios se guardan en una tabla y no se pierden.\n",
		"explore/fr.md": "# Sécurité\n\nLes références des utilisateurs sont gardées dans une table et l’été ne change pas.\n",
		"explore/pt.md": "# Segurança\n\nAs decisões dos usuários são guardadas em uma tabela e não se perdem com o tempo.\n",
		"explore/zh.md": "# 用户认证\n\n我们把令牌存储在数据库中。\n",
		"explore/ja.md": "# 認証設計\n\nトークンをデータベースに保存します。\n",
		"explore/ko.md": "# 인증\n\n토큰을 데이터베이스에 저장합니다.\n",
		"explore/th.md": "# ความปลอดภัย\n\nผู้ใช้เข้าสู่ระบบ\n",
		"explore/el.md": "# Ασφάλεια\n\nΟ χρήστης συνδέεται.\n",
	})
	ix := s.open()
	for query, want := range map[string]string{
		"validation": "en", "connection": "en", "token": "en", "USERS": "en",
		"ошибок": "ru", "ошибку": "ru", "решений": "ru", "еще": "ru", "ЕЩЁ": "ru",
		"haus": "de", "schlussel": "de", "Schlüssel": "de", "grossenvergleich": "de", "größenvergleiche": "de",
		"autenticacion": "es", "decisión": "es pt", "decision": "es pt",
		"reference": "fr", "référence": "fr", "ete": "fr", "securite": "fr",
		"decisão": "pt es", "seguranca": "pt",
		"数据库": "zh", "认证": "zh", "库": "zh",
		"データベース": "ja", "ﾃﾞｰﾀ": "ja", "認証": "ja",
		"데이터베이스": "ko", "인증": "ko",
		"เข้าสู่": "th",
		"χρηστης": "el", "ΧΡΉΣΤΗΣ": "el",
	} {
		got := strings.Fields(filesOf(ask(t, ix, Query{Text: query})))
		if len(got) == 0 || got[0] != strings.Fields(want)[0] {
			t.Errorf("%q finds %v, want %s first", query, got, want)
		}
	}
}

func TestRanking(t *testing.T) {
	long := strings.Repeat("Another sentence about nothing in particular that goes on. ", 40)
	s := newShelf(t, map[string]string{
		"explore/title.md":   note("Cache warming", "2026-01-01", "Some text about start-up."),
		"explore/heading.md": note("Start-up", "2026-01-02", "## Cache\n\nSome text."),
		"explore/body.md":    note("Deploys", "2026-01-03", "We fill the cache. Some text."),
		"explore/long.md":    note("Notes", "2026-01-04", long+"cache "+long),
		"explore/prefix.md":  note("Other", "2026-01-05", "A cacheable thing."),
		"explore/phrase.md":  note("Phrases", "2026-01-06", "An error budget is what we agree on. "+long),
		"explore/apart.md":   note("Apart", "2026-01-07", "The error was in the log. The budget was spent; one more error, one more budget."),
		"explore/id.md":      note("Decisions so far", "2026-01-08", "See ADR-016 for UserAuthToken and internal/index/find.go."),
		"explore/other.md":   note("ADR list", "2026-01-09", "ADR-017 ADR-018, and 016 of something; user, token, internal, index, find, go."),
		"explore/same-b.md":  note("Twin", "2026-01-10", "twins"),
		"explore/same-a.md":  note("Twin b", "2026-01-10", "twins"),
		"explore/older.md":   note("Twin c", "2025-01-10", "twins"),
		"explore/undated.md": "---\ntitle: Twin d\n---\n\n# Twin d\n\ntwins\n",
	})
	ix := s.open()
	for _, c := range []struct{ query, want string }{
		{"cache", "title heading body long prefix"},
		{"caching", "title heading body long"},
		{"error budget", "apart phrase"},
		{"ADR-016", "id other"},
		{"adr-016", "id other"},
		{"UserAuthToken", "id"},
		{"find.go", "id other"},
		{"internal/index/find.go", "id other"},
		{"auth", "id"},
		{"ADR-999", "other id"}, // in no record: its parts
		{"explore/deploys", "body"},
		{"Start-up", "heading title"},
		{"nowhere", ""},
		{"*", ""},
	} {
		if got := filesOf(ask(t, ix, Query{Text: c.query})); got != c.want {
			t.Errorf("%q finds %q, want %q", c.query, got, c.want)
		}
	}
	// The same score: the newest first, then the id, those without a date last.
	p := ask(t, ix, Query{Text: "twins"})
	if got := filesOf(p); got != "same-b same-a older undated" {
		t.Errorf("ties stand as %q: %+v", got, p.Hits)
	}
}

func TestExactNamesComeFirst(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/a.md":                  note("User auth", "2026-01-01", "x"),
		"explore/b.md":                  note("User auth user auth user auth", "2026-01-02", "user auth user auth user auth user auth"),
		"facts/fact-0123456789ab-f.md":  "---\nid: fact-0123456789ab\n---\nThe port is 8080.\n",
		"explore/c.md":                  note("Links", "2026-01-03", "fact-0123456789ab fact-0123456789ab explore/user-auth"),
		"decisions/use-jwt.md":          "---\ntitle: Use JWT\n---\n\n## Decision Outcome\n\nJWT.\n",
		"explore/d.md":                  note("JWT", "2026-01-04", "decision/use-jwt use jwt"),
		"personal/explore/user-auth.md": note("User auth", "2026-01-05", "mine"),
	})
	ix := s.open()
	for query, want := range map[string]string{
		"user auth": "a user-auth", "USER AUTH!": "a user-auth", "explore/user-auth": "a user-auth", "fact-0123456789ab": "fact-0123456789ab-f",
		"decision/use-jwt": "use-jwt", "explore/b.md": "b", ".sdd/explore/b.md": "b",
	} {
		got := strings.Fields(filesOf(ask(t, ix, Query{Text: query})))
		for i, w := range strings.Fields(want) {
			ok := false
			for _, g := range got[:min(len(got), len(strings.Fields(want)))] {
				ok = ok || g == w
			}
			if !ok {
				t.Errorf("%q finds %v, want %s among the first (%d)", query, got, w, i)
			}
		}
	}
}

func TestFilters(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/a.md":               "---\ntitle: A\nproject: Billing\nsession_id: S-1\n---\nword\n",
		"explore/b.md":               "---\ntitle: B\n---\nword\n",
		"personal/explore/c.md":      "---\ntitle: C\n---\nword\n",
		"ideas/idea-000000000001.md": "---\nid: idea-000000000001\ncolor: yellow\nstatus: active\n---\nword learning\n",
		"ideas/idea-000000000002.md": "---\nid: idea-000000000002\ncolor: green\nstatus: Done\n---\nword idea\n",
		"decisions/d.md":             "---\ntitle: D\nstatus: accepted\n---\nword\n",
	})
	ix := s.open()
	for _, file := range []string{"explore/b.md", "decisions/d.md"} { // a session that only the journal knows
		if _, err := ix.st.Save(t.Context(), store.Edit{
			Record: map[string]string{"explore/b.md": "explore/b", "decisions/d.md": "decision/d"}[file], Session: "later \"one\"",
			Resolve: func() (string, error) { return file, nil },
			Apply:   func(b []byte, _ bool) ([]byte, error) { return append(b, "more\n"...), nil },
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.refresh(ix)
	learning, _ := record.ParseType("learning")
	idea, _ := record.ParseType("idea")
	explore, _ := record.ParseType("context")
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Project: "billing"}, "a"},
		{Query{Project: "demo"}, "b c d idea-000000000001 idea-000000000002"},
		{Query{Scope: "PERSONAL"}, "c"},
		{Query{Status: "done"}, "idea-000000000002"},
		{Query{Session: "s-1"}, "a"},
		{Query{Session: "s-2"}, ""},
		{Query{Session: "Later \"one\""}, "b d"},
		{Query{Types: []record.Type{learning}}, "idea-000000000001"},
		{Query{Types: []record.Type{idea}}, "idea-000000000001 idea-000000000002"},
		{Query{Types: []record.Type{explore}, Scope: "project"}, "a b"},
		{Query{Types: []record.Type{explore, learning}, Project: "demo"}, "b c idea-000000000001"},
		{Query{Status: "accepted", Project: "other"}, ""},
	} {
		for _, text := range []string{"", "word"} {
			c.q.Text = text
			p := ask(t, ix, c.q)
			got := strings.Fields(filesOf(p))
			if len(got) != len(strings.Fields(c.want)) || p.Total != len(got) {
				t.Errorf("%+v finds %v (total %d), want %s", c.q, got, p.Total, c.want)
			}
			for _, w := range got {
				if !strings.Contains(c.want, w) {
					t.Errorf("%+v finds %v, want %s", c.q, got, c.want)
				}
			}
		}
	}
}

func TestWhereItMatches(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/a.md": "---\ntitle: Token storage\ntags: [vault]\n---\n\n# Token storage\n\nPreamble with nothing.\n\n## Goals\n\n- first\n- keep the refresh\n  secret in the keyring\n\n" +
			"## Constraints\n\nNo keyring on servers.\n\n### Details\n\nhidden details\n\nSetext\n------\n\nunder setext\n",
		"explore/bare.md": "no heading here\n\nzebra crossing\n",
	})
	ix := s.open()
	for _, c := range []struct {
		query   string
		line    int
		section string
		snippet string
	}{
		{"keyring", 14, "Goals", "secret in the keyring"},
		{"keyring servers", 18, "Constraints", "No keyring on servers."},
		{"keep secret", 13, "Goals", "- keep the refresh"},
		{"storage", 2, "", "Token storage"},
		{"vault", 3, "", "[vault]"},
		{"constraints", 16, "Constraints", "## Constraints"},
		{"details", 22, "Constraints", "hidden details"},
		{"setext", 27, "Setext", "under setext"},
		{"zebra", 3, "", "zebra crossing"},
		{"explore/bare", 1, "", "no heading here"},
	} {
		h := ask(t, ix, Query{Text: c.query}).Hits
		if len(h) == 0 || h[0].Line != c.line || h[0].Section != c.section || h[0].Snippet != c.snippet {
			t.Errorf("%q: %+v, want line %d of %q: %q", c.query, h, c.line, c.section, c.snippet)
		}
	}
}

func TestSnippet(t *testing.T) {
	line := strings.Repeat("lorem ipsum ", 30) + "needle in the hay " + strings.Repeat("dolor sit ", 30)
	at := strings.Index(line, "needle")
	got := snippet([]byte(line), analysis.Token{Start: at, End: at + 6})
	if n := len([]rune(got)); n > snippetRunes || n < snippetRunes/2 || !strings.Contains(got, "needle in the hay") ||
		!strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("snippet of %d runes: %q", n, got)
	}
	for _, w := range strings.Fields(strings.Trim(got, "…")) {
		if !strings.Contains(" lorem ipsum needle in the hay dolor sit ", " "+w+" ") {
			t.Errorf("the word %q is cut in %q", w, got)
		}
	}
	if got := snippet([]byte("  short\tline \r"), analysis.Token{}); got != "short line" {
		t.Errorf("snippet %q", got)
	}
}

func TestPagesOverlapNowhere(t *testing.T) {
	files := map[string]string{}
	for i := range 90 {
		files[fmt.Sprintf("explore/r%02d.md", i)] = note(fmt.Sprintf("Record %d", i), fmt.Sprintf("2026-01-%02d", 1+i%20),
			strings.Repeat("common ", i%7)+strings.Repeat("ground ", i%3)+"common ground "[:7*(i%2)])
	}
	ix := newShelf(t, files).open()
	for _, text := range []string{"", "common", "common ground", "record common ground"} {
		for _, limit := range []int{1, 7, 100} {
			seen := map[string]bool{}
			q := Query{Text: text, Limit: limit}
			all := ask(t, ix, Query{Text: text, Limit: 100})
			var order []string
			for {
				p := ask(t, ix, q)
				if p.Total != all.Total || p.After != all.Total-len(seen)-len(p.Hits) {
					t.Fatalf("%q limit %d: total %d after %d at %d, want total %d", text, limit, p.Total, p.After, len(seen), all.Total)
				}
				for i, h := range p.Hits {
					if seen[h.ID] {
						t.Fatalf("%q limit %d: %s twice", text, limit, h.ID)
					}
					if i > 0 && h.Score > p.Hits[i-1].Score {
						t.Fatalf("%q: scores rise", text)
					}
					seen[h.ID] = true
					order = append(order, h.ID)
				}
				if p.After == 0 {
					break
				}
				q.Cursor = p.CursorAfter(len(p.Hits))
			}
			for i, h := range all.Hits {
				if order[i] != h.ID {
					t.Fatalf("%q limit %d: %s at %d, want %s", text, limit, order[i], i, h.ID)
				}
			}
		}
	}
}

func TestBadArguments(t *testing.T) {
	ix := newShelf(t, map[string]string{"explore/a.md": "# A\n\nb\n", "explore/b.md": "# B\n\nb\n"}).open()
	p := ask(t, ix, Query{Text: "b", Limit: 1})
	cursor := p.CursorAfter(1)
	for name, q := range map[string]Query{
		"limit":   {Text: "b", Limit: 101},
		"Limit":   {Text: "b", Limit: -1},
		"cursor":  {Limit: 1, Cursor: "garbage!"},
		"Cursor":  {Limit: 1, Text: "other", Cursor: cursor},
		"cursor ": {Limit: 1, Text: "b", Cursor: cursor[:len(cursor)-3]},
		"CURSOR":  {Limit: 1, Text: "b", Cursor: strings.Repeat("A", 1<<16)},
	} {
		_, err := ix.Query(context.Background(), q)
		if f := fault.Of(err); err == nil || f.Code != fault.Invalid || f.Arg != strings.ToLower(strings.TrimSpace(name)) || f.Hint == "" && f.Arg == "cursor" {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// The text of a query is data: none fails, none takes long, and what it quotes is found.
func TestQueryTextIsData(t *testing.T) {
	ix := newShelf(t, map[string]string{
		"explore/a.md": "# Odd\n\nWe said \"a\"b\" and foo/bar, ADR-016, C++ and AND OR NOT NEAR.\n",
	}).open()
	for _, text := range []string{`a"b`, "foo/bar", "ADR-016", "AND OR NOT", `"`, "c++", "odd*", "(said", "odd:foo", "a\x00b", "foo\xffbar",
		strings.Repeat("foo ", 25_000), strings.Repeat("foo/bar,", 13_000), strings.Repeat("x", 100_000) + " foo"} {
		if p := ask(t, ix, Query{Text: text}); p.Total != 1 && text != `"` {
			t.Errorf("%.40q finds %d", text, p.Total)
		} else if text != `"` && p.Hits[0].Score > 1100 {
			t.Errorf("%.40q scores %f", text, p.Hits[0].Score)
		}
	}
	var words strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&words, "w%dx ", i)
	}
	for _, text := range []string{"*", "?", "-", "''", "\x00", "\xff\xfe", strings.Repeat("\x00", 100_000), strings.Repeat("(", 100_000), words.String(), "<script>", "%s%n", "../../etc/passwd"} {
		if p := ask(t, ix, Query{Text: text}); p.Total > 1 {
			t.Errorf("%.40q finds %d", text, p.Total)
		}
	}
}

func FuzzQuery(f *testing.F) {
	ix := newShelf(f, map[string]string{
		"explore/a.md": "# Odd\n\nWe said \"a\"b\" and foo/bar, ADR-016, C++ and AND OR NOT NEAR.\n",
		"explore/b.md": "# 認証設計\n\nUserAuthToken café\n",
	}).open()
	for _, s := range []string{"", "a\"b", "ADR-016", "foo/bar", "*", "認証", "x\xff\x00", "C++"} {
		f.Add(s, "", "demo", s)
	}
	f.Add("", "", "demo", "00ͺ") // a mark alone is no word of a title
	f.Fuzz(func(t *testing.T, text, cursor, project, ref string) {
		p, err := ix.Query(context.Background(), Query{Text: text, Cursor: cursor, Project: project, Limit: 5})
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatal(err)
		}
		if err == nil && (p.Total < len(p.Hits) || p.After < 0) {
			t.Fatalf("%+v", p)
		}
		ix.Lookup(Ref{ID: ref, Project: project})
		ix.Suggest(ref, 3)
		ix.Near(ref, project, "project", 3)
	})
}

// TestExpandedWordsAreTheSame: of many words with one beginning the same count, in whatever order they were saved.
func TestExpandedWordsAreTheSame(t *testing.T) {
	var words []string
	for i := range 3 * expansions {
		words = append(words, fmt.Sprintf("zebra%03d", i))
	}
	expanded := func(words []string) []string {
		s := newShelf(t, nil)
		ix := s.open()
		for i, w := range words {
			s.put(ix, fmt.Sprintf("explore/w%d.md", i), "# W\n\n## Goals\n\n"+w+"\n")
		}
		s.refresh(ix)
		ix.mu.RLock()
		defer ix.mu.RUnlock()
		return newSearch(t.Context(), ix.contents).expand("zebra")
	}
	up := expanded(words)
	slices.Reverse(words)
	if down := expanded(words); !slices.Equal(up, down) || len(up) != expansions || !slices.IsSorted(up) {
		t.Errorf("%q\n%q", up, down)
	}
}

// TestTwinsComeInOneOrder: records that differ in nothing but their file come in the order of their files, in whatever order they
// were saved.
func TestTwinsComeInOneOrder(t *testing.T) {
	const twin = "---\ntitle: Twin\nproject: demo\n---\n\n## Goals\n\nquokka\n"
	for _, files := range [][]string{{"explore/a.md", "explore/b.md", "explore/c.md"}, {"explore/c.md", "explore/b.md", "explore/a.md"}} {
		s := newShelf(t, nil)
		ix := s.open()
		for _, file := range files {
			s.put(ix, file, twin)
		}
		s.refresh(ix)
		var got []string
		for _, h := range ask(t, ix, Query{Text: "quokka"}).Hits {
			got = append(got, h.Path)
		}
		if want := []string{"explore/a.md", "explore/b.md", "explore/c.md"}; !slices.Equal(got, want) {
			t.Errorf("saved as %v: %v", files, got)
		}
	}
}
