package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestSuggest(t *testing.T) {
	for _, c := range []struct {
		goals, constraints, context      string
		typ, typReason, size, sizeReason string
	}{
		{goals: "Fix the login", typ: "fix", typReason: `"Fix" stands in Goals`, size: "medium", sizeReason: noSignal},
		{goals: "add a page", context: "it crashed twice", typ: "fix", typReason: `"crashed" stands in Context`, size: "medium", sizeReason: noSignal},
		{goals: "address prefix of an ambiguous majority", typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
		{goals: "do not refactor", typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
		{goals: "Don't refactor; improve the docs", typ: "enhancement", typReason: `"improve" stands in Goals`, size: "medium", sizeReason: noSignal},
		{goals: "not only refactor but test", typ: "refactor", typReason: `"refactor" stands in Goals`, size: "medium", sizeReason: noSignal},
		{goals: "no new dependencies", typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
		{constraints: "without a big rewrite", goals: "cleaned up names", typ: "refactor", typReason: `"cleaned up" stands in Goals`, size: "medium", sizeReason: noSignal},
		{goals: "a one-liner to clean-up logs", typ: "refactor", typReason: `"clean up" stands in Goals`, size: "small", sizeReason: `"one liner" stands in Goals`},
		{goals: "Build it", context: "a major overhaul", typ: "feature", typReason: `"Build" stands in Goals`, size: "large", sizeReason: `"major" stands in Context`},
		{goals: "see `error.go` and fix_me and pkg.errors", typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
		{goals: "see `error` in the log", typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
		{goals: "Do not change the API, fix the bug.", typ: "fix", typReason: `"fix" stands in Goals`, size: "medium", sizeReason: noSignal},
		{goals: "- not this\n- fix that", typ: "fix", typReason: `"fix" stands in Goals`, size: "medium", sizeReason: noSignal},
		{goals: "it's not broken. Upgrade it.", typ: "enhancement", typReason: `"Upgrade" stands in Goals`, size: "medium", sizeReason: noSignal},
		{goals: "small but complex", typ: "feature", typReason: noSignal, size: "small", sizeReason: `"small" stands in Goals`},
		{goals: "news, additive, buildings, debugging, terrors, unbroken, prefixes, newsletter", typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
		{goals: "исправить ошибку", typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
		{typ: "feature", typReason: noSignal, size: "medium", sizeReason: noSignal},
	} {
		got := suggest(c.goals, c.constraints, c.context)
		want := Suggestion{c.typ, c.typReason, c.size, c.sizeReason}
		if got != want {
			t.Errorf("suggest(%q, %q, %q)\n got %+v\nwant %+v", c.goals, c.constraints, c.context, got, want)
		}
	}
}

// plainSuggest is suggest as one reads what it promises: all words first, then sign by sign.
func plainSuggest(goals, constraints, context string) Suggestion {
	sections := []struct {
		name string
		toks []plainToken
	}{{"Goals", plainWords(goals)}, {"Constraints", plainWords(constraints)}, {"Context", plainWords(context)}}
	find := func(signs []sign, fallback string) (string, string) {
		for _, sg := range signs {
			forms := map[string]bool{}
			for f := range strings.SplitSeq(sg.forms, ",") {
				forms[strings.TrimSpace(f)] = true
			}
			for _, s := range sections {
				if w := plainMatch(s.toks, forms); w != "" {
					return sg.answer, fmt.Sprintf("%q stands in %s", w, s.name)
				}
			}
		}
		return fallback, noSignal
	}
	var out Suggestion
	out.Type, out.TypeReason = find(signs[:typeSigns], "feature")
	out.Size, out.SizeReason = find(signs[typeSigns:], "medium")
	return out
}

// plainToken is a word of running text, or the end of a clause.
type plainToken struct {
	text string // lower case, "" ends a clause
	raw  string
}

// plainMatch returns the first word or phrase that is in forms and is not negated, as it is written.
func plainMatch(toks []plainToken, forms map[string]bool) string {
	for i, t := range toks {
		switch {
		case t.text == "":
		case forms[t.text] && !plainNegated(toks, i):
			return t.raw
		case i+1 < len(toks) && forms[t.text+" "+toks[i+1].text] && !plainNegated(toks, i):
			return t.raw + " " + toks[i+1].raw
		}
	}
	return ""
}

func plainNegated(toks []plainToken, i int) bool {
	for back := 1; back <= 3 && i-back >= 0; back++ {
		t := toks[i-back].text
		if t == "" || t == "but" {
			return false
		}
		reach := 0
		for n, list := range negations {
			if slices.Contains(strings.Fields(list), t) {
				reach = n
			}
		}
		if strings.HasSuffix(t, "n't") || strings.HasSuffix(t, "n’t") {
			reach = 3
		}
		if back > reach {
			continue
		}
		return !(t == "not" && toks[i-back+1].text == "only")
	}
	return false
}

// plainWords splits text into words. A hyphen parts words; names of code (a_b, a.b, a::b, `a`) are no words.
func plainWords(text string) []plainToken {
	rs := []rune(text)
	out := make([]plainToken, 0, len(rs)/5)
	inWord := func(i int) bool {
		r := rs[i]
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return true
		}
		if i == 0 || i+1 >= len(rs) {
			return false
		}
		switch r {
		case '\'', '’', '_', '.', ':':
			// Joins only between two letters or digits: a full stop before a blank ends the clause.
			return alnum(rs[i-1]) && alnum(rs[i+1]) || r == ':' && (rs[i-1] == ':' || rs[i+1] == ':')
		}
		return false
	}
	code := false
	for i := 0; i < len(rs); {
		if rs[i] == '`' {
			code = !code
			i++
			continue
		}
		if rs[i] == '\n' {
			code = false
		}
		if !inWord(i) {
			if !unicode.IsSpace(rs[i]) && rs[i] != '-' && rs[i] != '"' && rs[i] != '*' && rs[i] != '_' || rs[i] == '\n' && plainParagraphEnd(rs[i+1:]) {
				out = append(out, plainToken{})
			}
			i++
			continue
		}
		start := i
		for i < len(rs) && inWord(i) {
			i++
		}
		w := string(rs[start:i])
		if code || strings.ContainsAny(w, "_.:") {
			out = append(out, plainToken{text: "\x00", raw: w}) // stands for a name: a word that matches nothing
			continue
		}
		out = append(out, plainToken{text: strings.ToLower(w), raw: w})
	}
	return out
}

func plainParagraphEnd(rs []rune) bool {
	rest := strings.TrimLeft(string(rs), " \t\r")
	return rest == "" || strings.ContainsAny(rest[:1], "\n-*+#") || unicode.IsDigit([]rune(rest)[0])
}

// TestSuggestAgainstPlainReading: reading the bytes once comes to what reading word by word does.
func TestSuggestAgainstPlainReading(t *testing.T) {
	parts := slices.Sorted(maps.Keys(roles()))
	parts = append(parts, strings.Split("the;it;page;don't;isn’t;CAN'T;cannot;bro\u212aen;f\u0130x;ошибка;größe;認証;हिन्दी;e\u0301;fix_me;a.b;a::b;::x;x::;a:b;12;v1.2;\xff;\U0001F600;o'clock;'fix'", ";")...)
	marks := strings.Split(" ; ; ; ; ;-;\n;\n\n;\n- ;\n ;. ;, ;: ;:;.;_;';’;`;\";*;;\u00a0;\u2028;#;…", ";")
	var hits, negations int
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			w := parts[r.IntN(len(parts))]
			switch r.IntN(8) {
			case 0:
				w = strings.ToUpper(w)
			case 1:
				w = "no"
			case 2:
				w = []string{"not", "not only", "but", "only", "x"}[r.IntN(5)]
			case 3:
				w = []string{"clean", "one", "up", "liner"}[r.IntN(4)]
			}
			b.WriteString(w)
			b.WriteString(marks[r.IntN(len(marks))])
		}
		return b.String()
	}
	for range 20_000 {
		goals, constraints, context := text(), text(), text()
		got, want := suggest(goals, constraints, context), plainSuggest(goals, constraints, context)
		if got != want {
			t.Fatalf("suggest(%q, %q, %q)\n got %+v\nwant %+v", goals, constraints, context, got, want)
		}
		if got.TypeReason != noSignal && got.SizeReason != noSignal {
			hits++
		}
		if got.TypeReason == noSignal {
			negations++
		}
	}
	if hits < 1000 || negations < 1000 {
		t.Errorf("only %d texts have signs and %d have none", hits, negations)
	}
}

func BenchmarkSuggest(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		suggest(benchText, benchText, benchText)
	}
}
