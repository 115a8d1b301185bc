package explore

import "testing"

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
