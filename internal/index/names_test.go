package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sdd/internal/record"
)

func ids(list []Entry) string {
	var out []string
	for _, e := range list {
		out = append(out, e.ID)
	}
	return strings.Join(out, " ")
}

func TestLookup(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/user-auth.md":           note("User auth", "2026-01-01", "x"),
		"explore/user-auth@billing.md":   "---\ntitle: User auth\nproject: billing\n---\n",
		"personal/explore/user-auth.md":  note("User auth", "2026-01-02", "x"),
		"explore/renamed.md":             note("Café & Bar", "2026-01-03", "x"),
		"explore/no-front-matter.md":     "some text\n",
		"explore/日本語.md":                 "# 日本語\n",
		"facts/fact-0123456789ab-f.md":   "---\nid: fact-0123456789ab\n---\nThe port is 8080.\n",
		"facts/fact-012345ba9876.md":     "---\nid: fact-012345ba9876\n---\nThe host is local.\n",
		"decisions/use-jwt.md":           "---\ntitle: Use JWT\n---\n",
		"explore/sub/folder/deep.md":     note("Deep one", "2026-01-04", "x"),
		"explore/twin-a.md":              note("Twin", "2026-01-05", "x"),
		"explore/twin-b.md":              note("Twin", "2026-01-06", "x"),
		"explore/a.md":                   note("b", "2026-01-07", "x"),
		"explore/b.md":                   note("c", "2026-01-08", "x"),
		"explore/circled.md":             note("① plan", "2026-01-10", "x"),
		"explore/plain.md":               note("1 plan", "2026-01-11", "x"),
		"explore/greek.md":               note("Ο ΔΡΌΜΟΣ της πόλης", "2026-01-12", "x"),
		"explore/broken.md":              "---\ntitle: [x\n---\n# Broken one\n",
		"explore/feedfacefeedfacefee.md": note("Long hex", "2026-01-09", "x"),
	})
	ix := s.open()
	for _, c := range []struct {
		ref  Ref
		want string
	}{
		{Ref{ID: "explore/user-auth"}, "explore/user-auth"},
		{Ref{ID: "user-auth"}, "personal/explore/user-auth explore/user-auth explore/user-auth@billing"},
		{Ref{ID: "USER AUTH"}, "personal/explore/user-auth explore/user-auth explore/user-auth@billing"},
		{Ref{ID: "explore/user-auth", Project: "Billing"}, "explore/user-auth@billing"},
		{Ref{ID: "User auth", Project: "demo", Scope: "project"}, "explore/user-auth"},
		{Ref{ID: "User auth", Scope: "personal"}, "personal/explore/user-auth"},
		{Ref{ID: "explore/user-auth@billing"}, "explore/user-auth@billing"},
		{Ref{ID: "explore/user-auth@billing.md"}, "explore/user-auth@billing"},
		{Ref{ID: ".sdd/explore/user-auth.md"}, "explore/user-auth"},
		{Ref{ID: "./.sdd/explore/user-auth.md"}, "explore/user-auth"},
		{Ref{ID: "explore/User Auth"}, "explore/user-auth"},
		{Ref{ID: " café and bar "}, "explore/café-and-bar"},
		{Ref{ID: "Cafe\u0301 & Bar"}, "explore/café-and-bar"},
		{Ref{ID: "explore/renamed.md"}, "explore/café-and-bar"},
		{Ref{ID: "renamed"}, "explore/café-and-bar"},
		{Ref{ID: "日本語"}, "explore/日本語"},
		{Ref{ID: "fact-0123456789AB"}, "fact-0123456789ab"},
		{Ref{ID: "fact-012345"}, "fact-0123456789ab fact-012345ba9876"},
		{Ref{ID: "FACT-0123456"}, "fact-0123456789ab"},
		{Ref{ID: "fact-0123456789a"}, "fact-0123456789ab"},
		{Ref{ID: "fact-01234"}, ""},
		{Ref{ID: "idea-012345"}, ""},
		{Ref{ID: "decision/use-jwt"}, "decision/use-jwt"},
		{Ref{ID: "Use JWT"}, "decision/use-jwt"},
		{Ref{ID: "Use JWT", Kind: record.Exploration}, ""},
		{Ref{ID: "explore/sub/folder/deep.md"}, "explore/deep-one"},
		{Ref{ID: "twin"}, "explore/twin explore/twin"},
		{Ref{ID: "twin-a"}, "explore/twin"},
		{Ref{ID: "b"}, "explore/b"}, // its topic, not the file of that name
		{Ref{ID: "explore/b.md"}, "explore/c"},
		{Ref{ID: "no-front-matter"}, "explore/no-front-matter"},
		{Ref{ID: "① plan"}, "explore/①-plan"},
		{Ref{ID: "explore/①-plan"}, "explore/①-plan"},
		{Ref{ID: "1 plan"}, "explore/1-plan"},
		{Ref{ID: "ο δρόμος ΤΗΣ ΠΌΛΗΣ"}, "explore/ο-δρόμος-της-πόλης"},
		{Ref{ID: "EXPLORE/Ο-ΔΡΌΜΟΣ-ΤΗΣ-ΠΌΛΗΣ"}, "explore/ο-δρόμος-της-πόλης"},
		{Ref{ID: "broken one"}, "explore/broken-one"},
		{Ref{ID: "nothing"}, ""},
		{Ref{ID: ""}, ""},
		{Ref{ID: "\x00\xff"}, ""},
		{Ref{ID: strings.Repeat("x/", 50_000)}, ""},
	} {
		if got := ids(ix.Lookup(c.ref)); got != c.want {
			t.Errorf("%.60q finds %q, want %q", c.ref, got, c.want)
		}
	}
	if e := ix.Lookup(Ref{ID: "twin"}); len(e) != 2 || e[0].Path != "explore/twin-b.md" {
		t.Errorf("of two records with one name the newest is not first: %+v", e)
	}
}

func TestNear(t *testing.T) {
	s := newShelf(t, map[string]string{})
	for _, title := range []string{
		"User auth", "Cache invalidation", "API v1", "Session tokens", "Error handling strategy", "Fehlermeldungen", "Ошибки сохранения",
		"Authentication", "Authorization", "Manejo de errores", "Import order", "Upload limits", "用户认证", "Phase 1", "Message queue", "C++ style",
		"How we deploy to production",
	} {
		s.write("explore/"+record.Slug(title)+".md", note(title, "2026-01-01", "x"))
	}
	s.write("explore/other.md", "---\ntitle: Session token\nproject: other\n---\n")
	s.write("personal/explore/p.md", note("Session token", "2026-01-01", "x"))
	s.write("decisions/session-token.md", "---\ntitle: Session token\n---\n")
	ix := s.open()
	for _, c := range []struct{ title, want string }{
		{"User auths", "explore/user-auth"},
		{"Users auth", "explore/user-auth"},
		{"Auth user", "explore/user-auth"},
		{"auth: user?", "explore/user-auth"},
		{"User auth system", "explore/user-auth"},
		{"The user auth", "explore/user-auth"},
		{"User auth", ""}, // itself
		{"user-auth", ""},
		{"User auth token system", ""},
		{"Session token", "explore/session-tokens"},
		{"Sesion tokens", "explore/session-tokens"},
		{"Sessoin tokens", "explore/session-tokens"},
		{"Cache warming", ""},
		{"Cache", "explore/cache-invalidation"},
		{"Cache invalidaton", "explore/cache-invalidation"},
		{"Caches invalidation", "explore/cache-invalidation"},
		{"API v2", ""},
		{"Phase 2", ""},
		{"Error handling", "explore/error-handling-strategy"},
		{"Strategy for error handling", "explore/error-handling-strategy"},
		{"Fehlermeldung", "explore/fehlermeldungen"},
		{"Ошибка сохранения", "explore/ошибки-сохранения"},
		{"Сохранение ошибок", "explore/ошибки-сохранения"},
		{"Manejo de error", "explore/manejo-de-errores"},
		{"Authentification", "explore/authentication"},
		{"Authorisation", "explore/authorization"},
		{"Export order", ""},
		{"Unload limits", ""},
		{"Massage queue", ""},
		{"用户设置", ""},
		{"C# style", ""},
		{"Nothing like it", ""},
		{"How do we deploy to production", "explore/how-we-deploy-to-production"},
		{"", ""},
		{"\xff\x00", ""},
		{strings.Repeat("word ", 10_000), ""},
	} {
		if got := ids(ix.Near(c.title, "demo", "project", 3)); got != c.want {
			t.Errorf("%.50q is near %q, want %q", c.title, got, c.want)
		}
	}
	if got := ids(ix.Near("Sessions token", "OTHER", "project", 3)); got != "explore/session-token@other" {
		t.Errorf("in another project: %q", got)
	}
	for _, title := range []string{"Alpha beta", "Beta alpha", "Alphas beta", "Alpha betas", "Alpha beta one", "Alpha beta two"} {
		s.put(ix, "explore/"+record.Slug(title)+".md", note(title, "2026-01-01", "x"))
	}
	if got := ids(ix.Near("alpha beta", "demo", "project", 3)); got != "explore/alpha-betas explore/alphas-beta explore/beta-alpha" {
		t.Errorf("of many the nearest are %q", got)
	}
}

func TestSuggest(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/user-auth.md":         note("User auth", "2026-01-01", "x"),
		"explore/user-auth-tokens.md":  note("User auth tokens", "2026-01-02", "x"),
		"explore/cache.md":             note("Cache invalidation", "2026-01-03", "x"),
		"facts/fact-0123456789ab-f.md": "---\nid: fact-0123456789ab\n---\nThe port is 8080.\n",
		"facts/fact-012345ba9876.md":   "---\nid: fact-012345ba9876\n---\nThe host is local.\n",
		"decisions/use-jwt.md":         "---\ntitle: Use JWT\n---\n",
		"explore/zoo.md":               note("認証設計", "2026-01-04", "x"),
	})
	ix := s.open()
	for _, c := range []struct{ ref, first string }{
		{"user-aut", "explore/user-auth"},
		{"usr-auth", "explore/user-auth"},
		{"explore/user-auht", "explore/user-auth"},
		{"user auth token", "explore/user-auth-tokens"},
		{"explore/cache", "explore/cache-invalidation"},
		{"cache invalidaton", "explore/cache-invalidation"},
		{"invalidation", "explore/cache-invalidation"},
		{"fact-0123456789ac", "fact-0123456789ab"},
		{"fact-0123", "fact-0123456789ab"},
		{"decision/use-jwd", "decision/use-jwt"},
		{"認証設", "explore/認証設計"},
		{"qqqqqq", ""},
		{"", ""},
		{strings.Repeat("é", 100_000), ""},
	} {
		got := ix.Suggest(c.ref, 2)
		if first := strings.Fields(ids(got) + " -")[0]; len(got) > 2 || first != c.first && !(c.first == "" && first == "-") {
			t.Errorf("%.40q suggests %q, want %q first", c.ref, ids(got), c.first)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "axc", 1}, {"token", "tokens", 1}, {"kitten", "sitting", 3}, {"ab", "abcde", 3}, {"привет", "првиет", 1}} {
		if got := distance([]rune(c.a), []rune(c.b), 2); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance([]rune(c.b), []rune(c.a), 2); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

// The distance within a limit is the whole one, up to the limit.
func TestDistanceAgainstAllCells(t *testing.T) {
	full := func(a, b []rune) int {
		d := make([][]int, len(a)+1)
		for i := range d {
			d[i] = make([]int, len(b)+1)
			for j := range d[i] {
				switch {
				case i == 0 || j == 0:
					d[i][j] = i + j
					continue
				case a[i-1] == b[j-1]:
					d[i][j] = d[i-1][j-1]
				default:
					d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
				}
				d[i][j] = min(d[i][j], d[i-1][j]+1, d[i][j-1]+1)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
		return d[len(a)][len(b)]
	}
	r := rand.New(rand.NewPCG(1, 1))
	random := func() []rune {
		w := make([]rune, r.IntN(12))
		for i := range w {
			w[i] = 'a' + rune(r.IntN(3))
		}
		return w
	}
	for range 20_000 {
		a, b, limit := random(), random(), 1+r.IntN(4)
		if got, want := distance(a, b, limit), min(full(a, b), limit+1); got != want {
			t.Fatalf("%s to %s within %d: %d, want %d", string(a), string(b), limit, got, want)
		}
	}
}

// TestFarAgainstDistance: a word is as far from a slip as the letters to change, also where the sets of letters decide.
func TestFarAgainstDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("abcdeéжя界")
	word := func() []rune {
		w := make([]rune, rng.IntN(7))
		for i := range w {
			w[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return w
	}
	near := 0
	for range 20_000 {
		a, b := word(), word()
		if len(a) == 0 || len(b) == 0 || a[0] != b[0] || slices.Equal(a, b) || distance(a, b, 2) > 2 {
			continue
		}
		near++
		m := newMistyped(string(a), true)
		if got := m.far([]byte(string(b))); got != distance(a, b, 2) {
			t.Fatalf("%q and %q are %d apart", string(a), string(b), got)
		}
	}
	if near == 0 {
		t.Error("no two words were near")
	}
}
