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
		{goals: "Fix the login", typ: "fix", typReason: `"Fix" stands in Goals`},
		{goals: "add a page", context: "it crashed twice", typ: "fix", typReason: `"crashed" stands in Context`},
		{goals: "address prefix of an ambiguous majority"},
		{goals: "do not refactor"},
		{goals: "Don't refactor; improve the docs", typ: "enhancement", typReason: `"improve" stands in Goals`},
		{goals: "not only refactor but test", typ: "refactor", typReason: `"refactor" stands in Goals`},
		{goals: "no new dependencies"},
		{constraints: "without a big rewrite", goals: "cleaned up names", typ: "refactor", typReason: `"cleaned up" stands in Goals`},
		{goals: "a one-liner to clean-up logs", typ: "refactor", typReason: `"clean up" stands in Goals`, size: "small", sizeReason: `"one liner" stands in Goals`},
		{goals: "Build it", context: "a major overhaul", typ: "feature", typReason: `"Build" stands in Goals`, size: "large", sizeReason: `"major" stands in Context`},
		{goals: "see `error.go` and fix_me and pkg.errors"},
		{goals: "see `error` in the log"},
		{goals: "Do not change the API, fix the bug.", typ: "fix", typReason: `"fix" stands in Goals`},
		{goals: "- not this\n- fix that", typ: "fix", typReason: `"fix" stands in Goals`},
		{goals: "it's not broken. Upgrade it.", typ: "enhancement", typReason: `"Upgrade" stands in Goals`},
		{goals: "small but complex", size: "small", sizeReason: `"small" stands in Goals`},
		{goals: "news, additive, buildings, debugging, terrors, unbroken, prefixes, newsletter"},
		{goals: "исправить ошибку"},
		{},
	} {
		got := suggest(c.goals, c.constraints, c.context)
		want := Suggestion{c.typ, c.typReason, c.size, c.sizeReason}
		if got != want {
			t.Errorf("suggest(%q, %q, %q)\n got %+v\nwant %+v", c.goals, c.constraints, c.context, got, want)
		}
	}
}

// TestSuggestRefused: a word that is refused, or stands in a name or a compound, speaks for nothing.
func TestSuggestRefused(t *testing.T) {
	for _, text := range []string{
		"no need to refactor", "No need for a rewrite", "There is no reason to refactor or rewrite it", "no plan of rewriting",
		"Do not refactor, rewrite or clean up", "Do not refactor modules, rewrite tests, or clean up.", "do not rename or refactor",
		"We should not rewrite the client, clean up its tests or restructure its folders", "it is not necessary to optimize it",
		"Major changes, rewrites or cleanups are out of scope",
		"do not touch the form, or the big table", "do not refactor/rewrite", "no bugs and crashes", "neither refactor nor rewrite",
		"dont refactor", "it doesnt crash", "we wont rewrite it", "it isn’t broken", "IT ISN'T BROKEN",
		"nobody wants a rewrite", "No one needs a big rewrite", "We do not want a rewrite", "I don't think we should refactor",
		"nothing is broken", "Nothing fixed here", "no test is broken", "it no longer crashes", "none is broken", "it has not crashed yet", "will not be fixed",
		"refactoring is not wanted", "Refactoring is out of scope", "A rewrite of the big parser is clearly not needed",
		"clean-up isn't planned", "Refactoring not needed", "the rewrite is unnecessary", "rewrites are off the table",
		"Rewriting it isn't an option", "a rewrite is a non-goal", "Out of scope: refactoring, rewrites", "**Not planned:** a rewrite",
		"Non-goals:\n- a rewrite", "Instead of refactoring, wait", "wait rather than rewrite", "We decided against a rewrite",
		"bug-free", "error-free", "a bug free page", "free of errors", "free from known bugs",
		"without ever touching the big parser", "avoid adding bugs", "not a complete rewrite", "not worth fixing", "not really big",
		"non-trivial", "a non trivial page", "fixed-width", "big-endian", "an error-prone page", "a simple-minded page", "clean-up-script",
		"see https://example.com/fix/bug", "(https://example.com/fix?bug=small,big)", "[page](https://example.com/fix/bug), later", "see /etc/fix/bug.",
		"internal/errors", "see internal/fix/bug.go", `C:\fix\bug`, "`fix/bug`", "`a b/fix` page",
	} {
		if got, want := suggest(text, "", ""), suggest("", "", ""); got != want {
			t.Errorf("suggest(%q) = %+v", text, got)
		}
	}
}

// TestSuggestKept: a negation refuses no more than it stands before.
func TestSuggestKept(t *testing.T) {
	for _, c := range []struct{ text, typ, size string }{
		{"We cannot reproduce the crash", "fix", ""},
		{"do not forget to fix it", "fix", ""},
		{"Don't hesitate to refactor", "refactor", ""},
		{"why don't we fix it", "fix", ""},
		{"Can't we fix it?", "fix", ""},
		{"why not refactor", "refactor", ""},
		{"users never see the error message", "fix", ""},
		{"Not fixing this costs money", "fix", ""},
		{"Not refactoring will hurt", "refactor", ""},
		{"not fixing this is not an option", "fix", ""},
		{"not found error on save", "fix", ""},
		{"We cannot ship without fixing it", "fix", ""},
		{"It does not start and crashes", "fix", ""},
		{"Do not change the API, fix the bug or the crash", "fix", ""},
		{"Fix the bug, rewrites and cleanups are out of scope", "fix", ""},
		{"Don't let the errors pile up", "fix", ""},
		{"Out of scope: colours. Fix the login", "fix", ""},
		{"Planned: fix the login", "fix", ""},
		{"a small fix rather than a rewrite", "fix", "small"},
		{"The login has not been fixed yet", "fix", ""},
		{"not yet cleaned up", "refactor", ""},
		{"Fix free plans", "fix", ""},
		{"Do not touch the API - fix the bug", "fix", ""},
		{"Do not touch the API, or it crashes", "fix", ""},
		{"no idea how to fix it", "fix", ""},
		{"There is no way to fix it", "fix", ""},
		{"No new dependencies and a simple page", "", "small"},
		{"not just a big fix", "fix", "large"},
		{"Fix the page when a restart is not needed", "fix", ""},
		{"The bug is serious and refactoring is not needed", "fix", ""},
		{"it is not simple to fix", "fix", ""},
		{"a bug-fix", "fix", ""},
		{"crashes/hangs and/or errors", "fix", ""},
		{"fix/improve it", "fix", ""},
		{"see internal/a/b.go, fix it", "fix", ""},
		{"large-scale clean-up", "refactor", "large"},
		{"quickly done", "", "small"},
		{"it can simply stay", "", "small"},
	} {
		if got := suggest(c.text, "", ""); got.Type != c.typ || got.Size != c.size {
			t.Errorf("suggest(%q) = %+v", c.text, got)
		}
	}
}

// TestSuggestSentences: what people write, and the type and size that it speaks for, if it does.
func TestSuggestSentences(t *testing.T) {
	for _, c := range []struct{ text, typ, size string }{
		{"The export button has been broken since Tuesday and we don't know why.", "fix", ""},
		{"Customers complain that the app crashes whenever they upload more than ten photos.", "fix", ""},
		{"Nobody noticed the bug until the invoices went out.", "fix", ""},
		{"We can't afford another crash during the sale.", "fix", ""},
		{"The login has not been fixed yet.", "fix", ""},
		{"Please restructure the payment module; nobody understands it any more.", "refactor", ""},
		{"It isn't pretty, so let's clean up the handlers before the release.", "refactor", ""},
		{"Make search better without touching the index format.", "enhancement", ""},
		{"Never mind the colours, improve the contrast.", "enhancement", ""},
		{"Users should be able to create folders.", "feature", ""},
		{"A quick win: show the total in the header.", "", "small"},
		{"It's only a minor change, nothing else is affected.", "", "small"},
		{"This will be a major effort, not something for one afternoon.", "", "large"},
		{"The importer needs a complete rewrite because it can't handle streaming.", "", "large"},
		{"I wouldn't call this trivial, the scheduler is complex.", "", "large"},
		{"Don't let the errors pile up in the log.", "fix", ""},
		{"We have no time left to hide the bug from auditors.", "fix", ""},
		{"The report doesn't load; an error about permissions is shown instead.", "fix", ""},
		{"Didn't we want to upgrade the database this quarter?", "enhancement", ""},
		{"There's no urgent need for refactoring at the moment.", "", ""},
		{"Everything works; no errors have been reported.", "", ""},
		{"We should not rewrite the client, clean up its tests or restructure its folders.", "", ""},
		{"Refactoring of the billing code isn't part of this work.", "", ""},
		{"The team is not interested in a big overhaul.", "", ""},
		{"Keep the wording of https://docs.example.org/errors/fix-list as it is.", "", ""},
		{"Output must be fixed-point numbers, error-tolerant and big-endian.", "", ""},
		{"It isn't a bug, it's how the standard describes it.", "", ""},
		{"We can live without improvements to the editor.", "", ""},
		{"Show the weekly totals per customer.", "", ""},
		{"Nothing has crashed in weeks.", "", ""},
		{"The page shouldnt need any fixes.", "", ""},
		{"A rewrite was never planned.", "", ""},
		{"No one asked us to clean up the schema.", "", ""},
		{"There are neither bugs nor crashes to report.", "", ""},
		{"The run was crash-free and bug free.", "", ""},
		{"It is not necessary to optimize the query.", "", ""},
		{"Let users export their invoices as PDF; see docs/errors/index.md.", "", ""},
		{"We do not plan on building our own broker.", "", ""},
		{"Major changes, rewrites or cleanups are explicitly out of scope.", "", ""},
		{"Login fails with error 500 and no stack trace is written", "fix", ""},
		{"Support keeps asking, and we can no longer ignore the crash reports", "fix", ""},
		{"The aim is to reorganize the packages without any change in behaviour", "refactor", ""},
		{"We do not have to wait: upgrade the runtime today", "enhancement", ""},
		{"Nobody can log in, the session cookie is broken", "fix", ""},
		{"It's not about money, it's about the bugs users meet every day", "fix", ""},
		{"A big migration, no way around it", "", "large"},
		{"The change is small and doesn't touch the schema", "", "small"},
		{"The old report wasn't bad but it could be better", "enhancement", ""},
		{"If the token isn't refreshed the client crashes", "fix", ""},
		{"We aren't planning a major release", "", ""},
		{"Please avoid a rewrite and keep the interfaces", "", ""},
		{"There has never been a bug in this module", "", ""},
		{"No crash, no error, just slow pages", "", ""},
		{"Users don't need new screens, simple ones or bigger ones", "", ""},
		{"Refactorings and rewrites won't be accepted", "", ""},
		{"This is neither quick nor easy", "", ""},
		{"You needn't clean up after the run", "", ""},
		{"No bug was found during the audit", "", ""},
	} {
		got := suggest(c.text, "", "")
		if got.Type != c.typ || got.Size != c.size {
			t.Errorf("suggest(%q) = %+v", c.text, got)
		}
	}
}

// plainSuggest is suggest as one reads what it promises: all words first, then sign by sign.
func plainSuggest(goals, constraints, context string) Suggestion {
	sections := []struct {
		name  string
		words []word
	}{{"Goals", plainWords(goals)}, {"Constraints", plainWords(constraints)}, {"Context", plainWords(context)}}
	find := func(from, to int) (string, string) {
		for i := from; i < to; i++ {
			for _, s := range sections {
				for _, w := range s.words {
					if w.signs&(1<<i) != 0 && !w.refused {
						return signs[i].answer, fmt.Sprintf("%q stands in %s", w.text, s.name)
					}
				}
			}
		}
		return "", ""
	}
	var out Suggestion
	out.Type, out.TypeReason = find(0, typeSigns)
	out.Size, out.SizeReason = find(typeSigns, len(signs))
	return out
}

// plainWords splits text into words and weighs them. Names of code (a_b, a.b, a::b, `a`) are no words.
func plainWords(text string) []word {
	rs := []rune(text)
	// Joins only between two letters or digits: a full stop before a blank ends the sentence.
	between := func(i int) bool { return i > 0 && i+1 < len(rs) && alnum(rs[i-1]) && alnum(rs[i+1]) }
	inWord := func(i int) bool {
		switch r := rs[i]; r {
		case '\'', '’', '_', '.':
			return between(i)
		case ':':
			return between(i) || i > 0 && i+1 < len(rs) && (rs[i-1] == ':' || rs[i+1] == ':')
		default:
			return alnum(r) || unicode.IsMark(r)
		}
	}
	var all, sentence []word
	off := false
	end := func() {
		weigh(sentence)
		for i := range sentence {
			sentence[i].refused = sentence[i].refused || off
		}
		off = off && sentence == nil
		all, sentence = append(all, sentence...), nil
	}
	code, hyphen := false, false
	for i := 0; i < len(rs); {
		if !inWord(i) {
			hyphen = false
			switch r := rs[i]; {
			case r == '`':
				code = !code
			case r == '\n' && plainParagraphEnd(rs[i+1:]):
				end()
			case r == ':':
				before := banner(sentence)
				end()
				off = before
			case r == ',':
				sentence = append(sentence, word{role: role{kind: comma}})
			case r == '-' && between(i):
				hyphen = true
			case !unicode.IsSpace(r) && r != '"' && r != '*' && r != '_':
				end()
			}
			code = code && rs[i] != '\n'
			i++
			continue
		}
		start := i
		for i < len(rs) && inWord(i) {
			i++
		}
		w := word{text: string(rs[start:i])}
		lower := strings.ToLower(w.text)
		if w.role = roles()[lower]; strings.HasSuffix(lower, "n't") || strings.HasSuffix(lower, "n’t") {
			w.kind |= notVerb | asks
		}
		if code || strings.ContainsAny(w.text, "_.:") {
			w = word{}
		}
		if n := len(sentence); n > 0 {
			before := sentence[n-1]
			two, ok := roles()[strings.ToLower(before.text)+" "+strings.ToLower(w.text)]
			switch {
			case ok:
				w = word{text: before.text + " " + w.text, role: two}
				sentence = sentence[:n-1]
			case hyphen && before.kind&notWord == 0:
				sentence = sentence[:n-1]
			}
		}
		sentence, hyphen = append(sentence, w), false
	}
	end()
	return all
}

func plainParagraphEnd(rs []rune) bool {
	rest := strings.TrimLeft(string(rs), " \t\r")
	return rest == "" || strings.ContainsAny(rest[:1], "\n-*+#") || unicode.IsDigit([]rune(rest)[0])
}

// TestSuggestAgainstPlainReading: reading the bytes once comes to what reading word by word does.
func TestSuggestAgainstPlainReading(t *testing.T) {
	parts := slices.Sorted(maps.Keys(roles()))
	parts = append(parts, strings.Split("the;it;page;does;is;that;to;need;don't;isn’t;CAN'T;cannot;bro\u212aen;f\u0130x;ошибка;größe;認証;हिन्दी;e\u0301;fix_me;a.b;a::b;::x;x::;a:b;12;v1.2;\xff;\U0001F600;o'clock;'fix'", ";")...)
	marks := strings.Split(" ; ; ; ; ;-;\n;\n\n;\n- ;\n ;. ;, ;: ;:;.;_;';’;`;\";*;;,;, ;\u00a0;\u2028;#;…", ";")
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
		if got.TypeReason != "" && got.SizeReason != "" {
			hits++
		}
		if got.TypeReason == "" {
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
