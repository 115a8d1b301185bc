package explore

import "testing"

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
		{goals: "no new dependencies"},
		{constraints: "without a big rewrite", goals: "cleaned up names", typ: "refactor", typReason: `"cleaned up" stands in Goals`},
		{goals: "a one-liner to clean-up logs", typ: "refactor", typReason: `"clean-up" stands in Goals`, size: "small", sizeReason: `"one-liner" stands in Goals`},
		{goals: "Build it", context: "a major overhaul", typ: "feature", typReason: `"Build" stands in Goals`, size: "large", sizeReason: `"major" stands in Context`},
		{goals: "see `error.go` and fix_me and pkg.errors"},
		{goals: "see `error` in the log"},
		{goals: "- not this\n- fix that", typ: "fix", typReason: `"fix" stands in Goals`},
		{goals: "it's not broken. Upgrade it.", typ: "enhancement", typReason: `"Upgrade" stands in Goals`},
		{goals: "small but complex", size: "small", sizeReason: `"small" stands in Goals`},
		{goals: "news, additive, buildings, debugging, terrors, unbroken, prefixes, newsletter"},
		{constraints: "- Node 22.12 or newer only\n- photos larger than 2 MB", goals: "the newest release"},
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

// TestSuggestKept: a refusing word refuses its clause only.
func TestSuggestKept(t *testing.T) {
	for _, c := range []struct{ text, typ, size string }{
		{"Out of scope: colours. Fix the login", "fix", ""},
		{"Planned: fix the login", "fix", ""},
		{"Do not touch the API - fix the bug", "fix", ""},
		{"Fix the page when a restart is not needed", "fix", ""},
		{"a bug-fix", "fix", ""},
		{"crashes/hangs and/or bugs", "fix", ""},
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

// TestSuggestSaysNothing: where the clause refuses something else, there is no hint.
func TestSuggestSaysNothing(t *testing.T) {
	for _, text := range []string{
		"We cannot reproduce the crash", "not only refactor but test", "Don't let the errors pile up", "a small fix rather than a rewrite",
		"Do not change the API, fix the bug.", "Login fails with error 500 and no stack trace is written", "fix/improve it",
	} {
		if got := suggest(text, "", ""); got != (Suggestion{}) {
			t.Errorf("suggest(%q) = %+v", text, got)
		}
	}
}

// TestSuggestSentences: what people write, and the type and size that it speaks for, if it does.
func TestSuggestSentences(t *testing.T) {
	for _, c := range []struct{ text, typ, size string }{
		{"The export button has been broken since Tuesday and we don't know why.", "fix", ""},
		{"Customers complain that the app crashes whenever they upload more than ten photos.", "fix", ""},
		{"Please restructure the payment module; nobody understands it any more.", "refactor", ""},
		{"It isn't pretty, so let's clean up the handlers before the release.", "refactor", ""},
		{"Users should be able to create folders.", "feature", ""},
		{"A quick win: show the total in the header.", "", "small"},
		{"The importer needs a complete rewrite because it can't handle streaming.", "", "large"},
		{"The report doesn't load; an error about permissions is shown instead.", "", ""},
		{"Bad input gives clear errors that name the line.", "", ""},
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
		{"The old report wasn't bad but it could be better", "enhancement", ""},
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

func BenchmarkSuggest(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		suggest(benchText, benchText, benchText)
	}
}
