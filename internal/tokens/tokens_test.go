package tokens

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// library is an independent implementation of the encoding. Its vocabulary is right; where it cuts a text,
// it has two defects (version 0.10.0): it skips the delete character, and it ends a run of spaces
// with several line ends after the first of them. Hence the own reference below.
var library = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err)
	}
	return c
})

// vocabulary maps every token to its rank.
var vocabulary = sync.OnceValue(func() map[string]int {
	v := map[string]int{}
	for id := range 201_000 {
		if token, err := library().Decode([]uint{uint(id)}); err == nil {
			v[token] = id
		}
	}
	return v
})

// pattern is the one of o200k_base, with \s spelled out because Go has the ASCII spaces only, and without the
// look-ahead that Go has not: see reference.
var pattern = regexp.MustCompile(strings.ReplaceAll(
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
		`|\p{N}{1,3}| ?[^SPACE\p{L}\p{N}]+[\r\n/]*|[SPACE]*[\r\n]+|([SPACE]+)`,
	"SPACE", `\s\v\x{85}\p{Z}`))

// reference returns the tokens of text by the book: the pattern, then pair after pair.
func reference(text string) []string {
	text = string([]rune(text))
	var out []string
	for text != "" {
		m := pattern.FindStringSubmatchIndex(text)
		if m[0] != 0 {
			panic(fmt.Sprintf("the pattern skips %q", text[:m[0]]))
		}
		end := m[1]
		if m[2] >= 0 && end < len(text) { // \s+(?!\S)|\s+
			if _, last := utf8.DecodeLastRuneInString(text[:end]); last < end {
				end -= last
			}
		}
		out = append(out, merged(text[:end])...)
		text = text[end:]
	}
	return out
}

func merged(piece string) []string {
	if _, ok := vocabulary()[piece]; ok {
		return []string{piece}
	}
	parts := make([]string, len(piece))
	for i := range parts {
		parts[i] = piece[i : i+1]
	}
	for {
		lowest, at := len(vocabulary())*2, -1
		for i := range len(parts) - 1 {
			if r, ok := vocabulary()[parts[i]+parts[i+1]]; ok && r < lowest {
				lowest, at = r, i
			}
		}
		if at < 0 {
			return parts
		}
		parts[at] += parts[at+1]
		parts = slices.Delete(parts, at+1, at+2)
	}
}

// split returns the tokens of text as Count and Prefix see them.
func split(text string) []string {
	var out []string
	var m merger
	for rest := text; rest != ""; {
		var p piece
		p, rest = next(rest)
		at := 0
		repaired := p.repaired()
		for _, end := range m.split(repaired) {
			out = append(out, repaired[at:end])
			at = end
		}
	}
	return out
}

// same fails when text is not cut into the reference's tokens or not counted as them.
func same(t *testing.T, text string) {
	t.Helper()
	got, want := split(text), reference(text)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("tokens of %.200q…: from token %d on\n got %.80q\nwant %.80q", text, i,
				got[min(i, len(got)):min(i+5, len(got))], want[min(i, len(want)):min(i+5, len(want))])
		}
	}
	if n := Count(text); n != len(want) {
		t.Fatalf("Count(%.200q…) = %d, want %d", text, n, len(want))
	}
	if !Within(text, len(want)) || len(want) > 0 && Within(text, len(want)-1) {
		t.Fatalf("Within(%.200q…) does not end at %d tokens", text, len(want))
	}
}

// defective matches what the library has wrong.
var defective = regexp.MustCompile(`\x7f|[\r\n][\s\v\x{85}\p{Z}]*[\t\v\f \x{85}\p{Z}][\s\v\x{85}\p{Z}]*[\r\n]`)

func TestLibraryAgrees(t *testing.T) {
	for name, text := range corpus(t) {
		for line := range strings.SplitAfterSeq(text, ".") {
			if defective.MatchString(line) {
				continue
			}
			_, want, err := library().Encode(line)
			if err != nil {
				t.Fatal(err)
			}
			if got := split(line); !slices.Equal(got, want) {
				t.Errorf("%s: tokens of %.200q\n got %.80q\nwant %.80q", name, line, got, want)
			}
		}
	}
}

func corpus(t testing.TB) map[string]string {
	files, err := filepath.Glob("testdata/corpus/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	texts := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(f)] = string(b)
	}
	return texts
}

func TestTableHoldsTheVocabulary(t *testing.T) {
	for token, id := range vocabulary() {
		if got := rank(token); got != uint32(id) {
			t.Fatalf("rank(%q) = %d, want %d", token, got, id)
		}
	}
	entries := 0
	for at := word(4 * pairs); at < uint32(len(table)); entries++ {
		at += 4 + uint32(table[at])
	}
	if entries != len(vocabulary()) {
		t.Errorf("the table has %d tokens, the vocabulary %d", entries, len(vocabulary()))
	}
}

func TestCorpus(t *testing.T) {
	for name, text := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			same(t, text)
			for line := range strings.Lines(text) {
				same(t, line)
				same(t, strings.TrimRight(line, "\n"))
			}
			for i := 0; i < len(text); i += 7 { // anywhere, within characters too
				same(t, text[i:min(len(text), i+61)])
			}
		})
	}
}

func TestSources(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(b))
	}
}

func TestEveryClass(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		var want class
		for _, c := range []struct {
			class class
			in    bool
		}{
			{upper, unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)},
			{lower, unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M)},
			{letter, unicode.In(r, unicode.L)},
			{number, unicode.In(r, unicode.N)},
			{space, unicode.In(r, unicode.White_Space)},
			{newline, r == '\r' || r == '\n'},
		} {
			if c.in {
				want |= c.class
			}
		}
		if got := classOf(r); got != want {
			t.Errorf("class of %U is %06b, want %06b", r, got, want)
		}
	}
}

// TestNeighbours puts characters of every kind next to letters, digits and spaces.
func TestNeighbours(t *testing.T) {
	for r := rune(0); r < 0x20000; r += 1 + r/0x400 {
		same(t, fmt.Sprintf("%cA%ca1%c %c\n", r, r, r, r))
	}
}

func TestRandomText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(strings.Join([]string{corpus(t)["prose.txt"], corpus(t)["code.txt"], corpus(t)["odd.txt"]}, " "))
	glue := []string{" ", " ", " ", "", "", "\n", "\r\n", "  ", "\t", "'s", "'LL", "/", "-", "\u00a0", "\u0301", "\xff", "\xe6\x97", "日", "A", "a", "ʰ", "ǅ", "1", "٣"}
	for range 4000 {
		var b strings.Builder
		for range 1 + rng.IntN(30) {
			if rng.IntN(3) > 0 {
				w := words[rng.IntN(len(words))]
				from := rng.IntN(len(w))
				b.WriteString(w[from : from+rng.IntN(len(w)-from)+1])
			}
			b.WriteString(glue[rng.IntN(len(glue))])
		}
		same(t, b.String())
	}
}

func TestBothMerges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		piece := make([]byte, 2+rng.IntN(scanLimit-1))
		letters := []string{"a", "ab", "aeiourstln", "=-", "etaoinshrdlucmfwypvbgkjqxz"}[rng.IntN(5)]
		for i := range piece {
			piece[i] = letters[rng.IntN(len(letters))]
		}
		var m merger
		var parts [scanLimit + 1]part
		if a, b := scan(string(piece), &parts), m.link(string(piece)); a != b {
			t.Fatalf("%q: %d tokens by search, %d by heap", piece, a, b)
		}
	}
}

func TestLongRuns(t *testing.T) {
	const size = 1 << 14
	for name, text := range hostile(size) {
		t.Run(name, func(t *testing.T) {
			same(t, hostile(1 << 9)[name])
			n, err := library().Count(text)
			if err != nil {
				t.Fatal(err)
			}
			if defective.MatchString(text) {
				n = Count(text)
			}
			if got := Count(text); got != n {
				t.Errorf("Count = %d, want %d", got, n)
			}
			for _, budget := range []int{1, 100, n - 1, n, n + 1} {
				if got := Within(text, budget); got != (n <= budget) {
					t.Errorf("Within(%d) = %t of %d tokens", budget, got, n)
				}
				checkPrefix(t, text, budget)
			}
		})
	}
}

// hostile returns texts of about size bytes that make careless tokenisers quadratic.
func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"one letter":     fill("a"),
		"spaces":         fill(" "),
		"one han":        fill("日"),
		"no vocabulary":  fill("qzxj"),
		"capitals":       "日" + fill("A"),
		"both cases":     fill("日A"),
		"marks":          fill("\u0301"),
		"mark capital":   fill("\u0301A"),
		"dashes":         fill("-"),
		"line ends":      fill("\n"),
		"space lines":    fill("  \n \t"),
		"slashes":        fill("/\n"),
		"digits":         fill("1"),
		"not UTF-8":      fill("\xff"),
		"half UTF-8":     fill("\xe6\x97 "),
		"one long space": "x" + fill(" ") + "x",
		"emoji":          fill("👨‍👩‍👧‍👦"),
		"random letters": letters(size),
	}
}

func letters(size int) string {
	rng := rand.New(rand.NewPCG(5, 6))
	b := make([]byte, size)
	for i := range b {
		b[i] = 'a' + byte(rng.IntN(26))
	}
	return string(b)
}

func TestSpecialTokensAreText(t *testing.T) {
	for _, text := range []string{"<|endoftext|>", "<|endofprompt|>", "a<|im_start|>b"} {
		if n := Count(text); n < 5 {
			t.Errorf("Count(%q) = %d: taken for a special token", text, n)
		}
		same(t, text)
	}
}

func TestWithinEdges(t *testing.T) {
	for _, tc := range []struct {
		text   string
		budget int
		want   bool
	}{
		{"", 0, true}, {"", -1, false}, {"a", 0, false}, {"a", 1, true}, {"hello world", 2, true},
		{"hello world", 1, false}, {"a", -5, false}, {strings.Repeat(" ", 128), 1, true}, {strings.Repeat(" ", 129), 1, false},
	} {
		if got := Within(tc.text, tc.budget); got != tc.want {
			t.Errorf("Within(%q, %d) = %t", tc.text, tc.budget, got)
		}
	}
}

// checkPrefix checks what Prefix promises.
func checkPrefix(t *testing.T, text string, budget int) {
	t.Helper()
	got := Prefix(text, budget)
	if !strings.HasPrefix(text, got) {
		t.Fatalf("Prefix(%.200q, %d) = %.200q is none", text, budget, got)
	}
	if Count(got) > max(budget, 0) {
		t.Fatalf("Prefix(%.200q, %d) has %d tokens", text, budget, Count(got))
	}
	if budget >= 0 && Within(text, budget) && got != text {
		t.Fatalf("Prefix(%.200q, %d) cut a text that fits", text, budget)
	}
	if rest := text[len(got):]; rest != "" && utf8.ValidString(text) && !utf8.RuneStart(rest[0]) {
		t.Fatalf("Prefix(%.200q, %d) ends within a character", text, budget)
	}
	if strings.HasSuffix(got, "\r") && strings.HasPrefix(text[len(got):], "\n") {
		t.Fatalf("Prefix(%.200q, %d) ends within a line end", text, budget)
	}
}

func TestPrefix(t *testing.T) {
	for name, text := range corpus(t) {
		for budget := 1; budget < Count(text)+2; budget += 1 + budget/50 {
			checkPrefix(t, text, budget)
			if got, most := Prefix(text, budget), cutAfter(text, budget); len(got) < most*4/5-utf8.UTFMax {
				t.Errorf("%s: Prefix(%d) has %d bytes of %d", name, budget, len(got), most)
			}
		}
	}
	for _, tc := range []struct {
		text   string
		budget int
		want   string
	}{
		{"hello world", 1, "hello"},
		{"hello world", 2, "hello world"},
		{"one two three four five\nsix seven", 6, "one two three four five\n"},
		{"one\ntwo three four five six seven", 6, "one\ntwo three four five"},
		{"日本語のテキスト", 0, ""},
		{"👨‍👩‍👧‍👦", 1, ""},
		{"one two three four\r\nfive six", 5, "one two three four\r\n"},
	} {
		if got := Prefix(tc.text, tc.budget); got != tc.want {
			t.Errorf("Prefix(%q, %d) = %q, want %q", tc.text, tc.budget, got, tc.want)
		}
	}
}

func TestNothingIsKept(t *testing.T) {
	text := corpus(t)["prose.txt"]
	Count(text)
	if n := testing.AllocsPerRun(10, func() { Count(text); Within(text, 100) }); n > 0 {
		t.Errorf("counting prose allocates %.0f times", n)
	}
}

func FuzzTokens(f *testing.F) {
	for _, text := range corpus(f) {
		for line := range strings.Lines(text) {
			f.Add(line, 10)
		}
	}
	f.Fuzz(func(t *testing.T, text string, budget int) {
		if len(text) > 1<<12 {
			return
		}
		same(t, text)
		checkPrefix(t, text, budget%1000)
	})
}

func BenchmarkCount(b *testing.B) {
	texts := hostile(1 << 20)
	for name, text := range corpus(b) {
		texts[name] = strings.Repeat(text, 1+(1<<18)/len(text))
	}
	for name, text := range texts {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Count(text)
			}
		})
	}
}

func BenchmarkWithinBudget(b *testing.B) {
	text := strings.Repeat(corpus(b)["prose.txt"], 400)
	for b.Loop() {
		if Within(text, 4000) {
			b.Fatal("it is longer")
		}
	}
}
