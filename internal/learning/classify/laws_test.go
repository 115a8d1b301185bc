package classify

import (
	"slices"
	"strings"
	"testing"
)

// sample are learnings of all kinds, for the laws that hold for any text.
var sample = func() []string {
	var out []string
	for _, pairs := range [][][2]string{contradictions, compatible} {
		for _, p := range pairs {
			out = append(out, p[0], p[1])
		}
	}
	out = append(out, note, "", "?", "Is it?", "`", "```", "`a", "\"a", "don't", "can't", "e.g. this", "see src/", "SRC/ROUTES/ is old", "x.", "..", "v", "1.", "a:b", "- a\n- b\n\nc",
		"Routes: `src/routes/`", "Because it is slow, use it", "instead of X, use Y", "not X", "never", "no longer", "since", "was", "replaced", "moved from", "over", "Ünïcödé Wörter", "İstanbul", "ẞ", "use it for the -", "use it for the:")
	slices.Sort(out)
	return slices.Compact(out)
}()

// upper and lower change the case of ASCII letters only: others have forms that do not come back.
func upper(s string) string { return cased(s, 'a', 'z') }

func lower(s string) string { return cased(s, 'A', 'Z') }

func cased(s string, from, to byte) string {
	b := []byte(s)
	for i, c := range b {
		if from <= c && c <= to {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}

func checkStable(t *testing.T, content string) {
	t.Helper()
	own := map[string][]string{"Own": {"invoice", "go.mod"}}
	for _, other := range []string{upper(content), lower(content), " \t" + content, content + "\n", "\r\n " + content + " \r\n", content + "."} {
		if a, b := Impact(content), Impact(other); a.Value != b.Value {
			t.Errorf("Impact(%q) = %+v, Impact(%q) = %+v", content, a, other, b)
		}
		if a, b := Category(content, own), Category(other, own); a.Value != b.Value {
			t.Errorf("Category(%q) = %+v, Category(%q) = %+v", content, a, other, b)
		}
	}
}

func checkSelf(t *testing.T, older string) {
	t.Helper()
	for _, same := range []string{older, upper(older), " " + older + "\n", older + "."} {
		if c, ok := Contradicts(older, same); ok {
			t.Errorf("%q contradicts %q: %+v", older, same, c)
		}
	}
}

func checkClaims(t *testing.T, older, newer *Claim) {
	t.Helper()
	c, ok := newer.Contradicts(older)
	if ok && (c.Rule == "" || c.Old == "" || c.New == "") {
		t.Errorf("%+v, %+v: no evidence: %+v", older, newer, c)
	}
	if _, back := older.Contradicts(newer); back != ok {
		t.Errorf("%+v, %+v: %v, the other way round %v", older, newer, ok, back)
	}
}

func TestLaws(t *testing.T) {
	for _, content := range sample {
		checkStable(t, content)
	}
	var claims []*Claim
	for _, content := range sample {
		claims = append(claims, Prepare(content))
	}
	for i, a := range sample {
		checkSelf(t, a)
		for _, c := range claims {
			checkClaims(t, claims[i], c)
		}
		checkSimilarity(t, a, sample[(i*7+1)%len(sample)])
	}
}

func TestDeterministic(t *testing.T) {
	own := map[string][]string{"A": {"test"}, "B": {"tests"}, "C": {"route"}, "D": {"routes"}}
	for _, content := range sample {
		v, w := Impact(content), Category(content, own)
		for range 5 {
			if Impact(content) != v || Category(content, own) != w {
				t.Fatalf("%q: not the same twice", content)
			}
		}
	}
}

// TestHostile ends at once when the work is linear, and not within the time of a test run when it is not.
func TestHostile(t *testing.T) {
	const size = 1 << 20
	for _, piece := range []string{"`", "``", "`\n", "\"", "\"a", "a\"\n", "\n", ".", "a.", "/", "a/", "\\", "-", "a-", "'", "n't ", "because, ", "not ", "never use x, ", "all every each ", "every go through ",
		"use x instead of y ", "fail ", "if x, ", ": ", "a: ", "(", "1 ", "1.1.", "é", "\xff", "日", "x\u0301", "@", "a@", "#", "```a\n", "src/a.go:1:1:1:1", "test "} {
		text := strings.Repeat(piece, size/len(piece))
		for _, s := range []string{text, strings.ReplaceAll(text[:size/16], " ", "") + "a"} {
			Impact(s)
			Category(s, map[string][]string{"Own": {"a b c", "x"}})
			Similarity(s, s[1:])
			Contradicts(s, s[1:])
		}
	}
}

func FuzzLaws(f *testing.F) {
	for i, s := range sample {
		f.Add(s, sample[(i+1)%len(sample)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkStable(t, a)
		checkSelf(t, a)
		checkClaims(t, Prepare(a), Prepare(b))
		checkSimilarity(t, a, b)
	})
}
