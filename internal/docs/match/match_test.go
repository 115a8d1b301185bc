package match

import (
	"regexp"
	"slices"
	"testing"

	"sdd/internal/docs/inventory"
)

func TestScores(t *testing.T) {
	for _, tt := range []struct {
		query, name string
		lo, hi      int
	}{
		{"a.b.c", "a.b.c", 100, 100},
		{" a.b.c ", "a.b.c", 100, 100},
		{"a.b.c()", "a.b.c", 100, 100},
		{"a.b.c(x, y=1)", "a.b.c", 100, 100},
		{":py:func:`~a.b.c`", "a.b.c", 100, 100},
		{":func:`the c <a.b.c>`", "a.b.c", 100, 100},
		{"`a.b.c`", "a.b.c", 100, 100},
		{"@a.b.c", "a.b.c", 100, 100},
		{"std::vector", "std::vector", 100, 100},
		{"std.vector", "std::vector", 99, 99},
		{"A.B.C", "a.b.c", 99, 99},
		{"ÉTÉ", "été", 99, 99},
		{"read text", "read_text", 98, 98},
		{"readtext", "read_text", 98, 98},
		{"Path.read_text", "pathlib.Path.read_text", 96, 96},
		{"path.READ_TEXT", "pathlib.Path.read_text", 96, 96},
		{"read_text", "pathlib.Path.read_text", 95, 95},
		{"vector", "std::vector", 95, 95},
		{"--fake", "django-admin.migrate.--fake", 95, 95},
		{"read text", "pathlib.Path.read_text", 94, 94},
		{"text path", "pathlib.Path.read_text", 85, 93},
		{"frame data", "pandas.DataFrame", 85, 93},
		{"server http", "HTTPServer", 85, 93},
		{"async time", "asyncio.timeout", 76, 84},
		{"read_te", "pathlib.Path.read_text", 70, 88},
		{"ad_tex", "pathlib.Path.read_text", 60, 90},
		{"patlib.Path", "pathlib.Path", 85, 94},
		{"xyz", "pathlib", 0, 30},
		{"", "a", 0, 0},
		{"()", "()", 100, 100},
		{"!", "a", 0, 0},
		{"日本", "日本語", 60, 82},
	} {
		if got := newQuery(tt.query).nameScore(tt.name); got < tt.lo || got > tt.hi {
			t.Errorf("%q on %q: %d, want %d to %d", tt.query, tt.name, got, tt.lo, tt.hi)
		}
	}
}

func every(int) bool { return true }

func names(v *inventory.Inventory, hits []Hit) (out []string) {
	for _, h := range hits {
		out = append(out, v.Objects[h.Index].Name)
	}
	return out
}

func TestOrder(t *testing.T) {
	v := inventory.Of("p", "1", []inventory.Object{
		{Name: "f", Domain: "c", Role: "functionParam", Priority: 1},
		{Name: "f", Domain: "std", Role: "label", Priority: -1, Display: "The f"},
		{Name: "f", Domain: "std", Role: "term", Priority: -1},
		{Name: "f", Domain: "std", Role: "2to3fixer", Priority: 1},
		{Name: "f", Domain: "py", Role: "function", Priority: -1},
		{Name: "f", Domain: "py", Role: "class", Priority: 0},
		{Name: "f", Domain: "py", Role: "method", Priority: 1},
		{Name: "F", Domain: "py", Role: "method", Priority: 1},
		{Name: "longer.f", Domain: "py", Role: "method", Priority: 1},
		{Name: "the match", Domain: "std", Role: "label", Priority: -1, Display: "Of matching"},
	})
	var got []string
	for _, h := range Fuzzy(v, "f", 90, every) {
		got = append(got, v.Objects[h.Index].Role+" "+v.Objects[h.Index].Name)
	}
	want := []string{"method f", "class f", "function f", "2to3fixer f", "term f", "label f", "functionParam f", "method F", "method longer.f"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got := Fuzzy(v, "of matching", 90, every); len(got) != 1 || got[0].Score != 94 {
		t.Errorf("a title: %v", got)
	}
	if got := names(v, Exact(v, "F", func(i int) bool { return v.Objects[i].Domain == "py" })); !slices.Equal(got, []string{"F", "f", "f", "f", "longer.f"}) {
		t.Errorf("exact: %q", got)
	}
	if got := names(v, Regexp(v, regexp.MustCompile("^l|^t"), every)); !slices.Equal(got, []string{"longer.f", "the match"}) {
		t.Errorf("regexp: %q", got)
	}
	if got := All(v, every); len(got) != len(v.Objects) {
		t.Errorf("all: %v", got)
	}
}

// subsequence is the longest common subsequence by the textbook.
func subsequence(a, b []rune) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func FuzzCommon(f *testing.F) {
	f.Add("pathlib.Path.read_text", "read_text")
	f.Add("a", "")
	f.Add("日本語のテキスト", "テキスト日本")
	f.Add("xyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyz", "yxzyxz")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 300 || len(b) > 300 {
			return
		}
		want := subsequence([]rune(a), []rune(b))
		if got := newAligned(a).common(b); got != want {
			t.Errorf("%q and %q: %d, want %d", a, b, got, want)
		}
	})
}

// FuzzScore checks that the very name is never behind another one, and that scores stay in their range.
func FuzzScore(f *testing.F) {
	f.Add("a.b", "A.b")
	f.Add("::", "")
	f.Fuzz(func(t *testing.T, query, name string) {
		q := newQuery(query)
		score := q.nameScore(name)
		if score < 0 || score > 100 || newQuery(name).nameScore(name) != 100 && name == newQuery(name).raw {
			t.Errorf("%q on %q: %d", query, name, score)
		}
		if title := q.displayScore(name); title < 0 || title > 94 {
			t.Errorf("%q on the title %q: %d", query, name, title)
		}
	})
}
