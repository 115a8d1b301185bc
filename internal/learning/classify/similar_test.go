package classify

import (
	"fmt"
	"testing"
)

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		from, to float64
	}{
		{"Use pnpm for the web app", "use pnpm, for the Web app!", 1, 1},
		{"Tests use Vitest, not Jest", "  tests use vitest not jest.\n", 1, 1},
		{"", "", 1, 1},
		{"", "Use pnpm", 0, 0},
		{"...", "!!!", 0, 0},
		{"All API routes are defined in `src/routes/`", "API routes are all defined in src/routes", NearDuplicate, 1},
		{"The session token expires after one hour", "Session tokens expire after one hour", NearDuplicate, 1},
		{"Configuration lives in the config folder of the repository", "Config lives in the config directory of the repo", NearDuplicate, 1},
		{"Use spaces in YAML files", "Use tabs in Go files", 0, 0.7},
		{"This hook requires cleanup", "Deploys are blocked on Fridays", 0, 0.2},
		{"Use tabs for indentation in all our files", "Use spaces for indentation in all our files", 0, NearDuplicate - 0.01},
	} {
		if s := Similarity(c.a, c.b); s < c.from || s > c.to {
			t.Errorf("Similarity(%q, %q) = %.3f, want %.2f to %.2f", c.a, c.b, s, c.from, c.to)
		}
	}
}

// What is denied is no duplicate of what is said, however long the text is.
func TestSimilarityOfOpposites(t *testing.T) {
	for _, what := range []string{"moment", "`pkg/retry` for calls to the bank", "the shared logger in every handler of the public API, since it adds the request id and the tenant to each line"} {
		for _, pair := range [][2]string{
			{"Use %s", "Do not use %s"}, {"Always use %s", "Never use %s"}, {"Use %s", "Don't use %s."}, {"We can use %s", "We cannot use %s"}, {"Use %s", "Avoid %s"},
			{"It is fine to use %s", "It is not fine to use %s"},
		} {
			a, b := fmt.Sprintf(pair[0], what), fmt.Sprintf(pair[1], what)
			if s := Similarity(a, b); s >= NearDuplicate {
				t.Errorf("Similarity(%q, %q) = %.3f", a, b, s)
			}
		}
	}
	for _, c := range contradictions {
		if s := Similarity(c[0], c[1]); s >= NearDuplicate {
			t.Errorf("Similarity(%q, %q) = %.3f", c[0], c[1], s)
		}
	}
}

func checkSimilarity(t *testing.T, a, b string) {
	t.Helper()
	s, back := Similarity(a, b), Similarity(b, a)
	if s != back || s < 0 || s > 1 {
		t.Errorf("Similarity(%q, %q) = %v, the other way round %v", a, b, s, back)
	}
	if got := Similarity(a, " "+lower(a)+"\n"); got != 1 {
		t.Errorf("Similarity(%q) to itself = %v", a, got)
	}
}
