package classify

import (
	"maps"
	"slices"
	"strings"
)

// Categories are the values of Category without those of a project's own, in the order of views.
var Categories = []string{"Architecture", "Conventions", "Testing", "Errors", "API", "Dependencies", "Performance", "General"}

// Category returns what a learning is about: Architecture (where things are, how modules are built), Conventions
// (naming, formatting, patterns), Testing, Errors (what goes wrong, and its fix), API (endpoints, formats,
// authentication), Dependencies (libraries, versions, their quirks) or Performance; General when nothing
// speaks for one of them. The lines of the table that match add up; of two that weigh the same the first of the table wins.
//
// own are further categories, each with its words or rows of words. One of those wins as soon as one of its
// words is in the content, in any form (migration, migrations); the one with the most words, then the
// first by name. Case, blanks around the text and a full stop at its end do not change the value.
func Category(content string, own map[string][]string) Verdict {
	toks := tokens(content)
	if v, ok := ownCategory(toks, own); ok {
		return v
	}
	text, _ := plain(tokens(head(content, maxClaim)))
	sum := map[string]int{}
	best := Verdict{Value: "General", Rule: nothing + "category"}
	most := 0
	for _, l := range categoryTable {
		n := len(l.words().FindAllStringIndex(text, 2))
		if n == 0 {
			continue
		}
		if sum[l.value] += l.weight + n - 1; sum[l.value] > most {
			most, best = sum[l.value], Verdict{Value: l.value, Rule: l.reason(text)}
		}
	}
	return best
}

var categoryTable = []label{
	row("Testing", "tests", 6, `tests?|testing|tested|\S*(?:test|tests|vitest|jest|pytest|playwright|cypress|e2e)(?:s|\.\S+|_\S+|\(\))?|test_\S+|mock\S*|fixtures?|snapshots?|coverage|assert\S*|expect\S*|stubs?|тест\pL*`),
	row("Errors", "what goes wrong", 5, `fail(?:s|ed|ing|ure|ures)?|errors?|crash(?:es|ed)?|panics?|throws?|exceptions?|bugs?|root cause|leaks?|wrong(?:ly)?|silently|drops?|dropped|broken|breaks?|corrupt\pL*|malformed|hangs?|timed? ?outs?|deadlocks?|race|does not compile|stale|\pL+error|\pL+exception|ошибк\pL*|пада\pL+|flaky|fix(?:ed|es)?|workaround`),
	row("Performance", "time and memory", 6, `slow(?:er|ly)?|fast(?:er)?|latency|performance|memory|cpu|throughput|n\+1|quadratic|bench\pL*|milliseconds?|seconds? (?:to|per)|медленн\pL*|быстр\pL*`),
	row("API", "interface", 5, `apis?|endpoints?|rpc|rest|graphql|grpc|payloads?|http|requests?|responses?|headers?|wire|webhooks?|status codes?|oauth|auth|authentication|pagination|cursor|rate limits?|timestamps?|json|query parameters?|эндпоинт\pL*|запрос\pL*`),
	row("Dependencies", "library", 5, `dependenc(?:y|ies) (?:on|updates?|tree)|dependencies|packages?|librar(?:y|ies)|upgrad\pL+|lockfile|lock|crates?|npm|pnpm|yarn|pip|cargo\S*|go\.mod|package\.json|bundled?|deps|transitive|vendor\pL*|plugins?|requires? (?:\S+ )?(?:cgo|node|python)|@\S+/\S+|\S+/\S+ v?\d+\S*|cgo|engine|библиотек\pL*|зависимост\pL*|пакет\pL*`),
	row("Dependencies", "a tool's version", 2, `versions?|\S+ v?\d+\.\d+\S*|v\d+\S*|[≥>=]+ ?\d\S*`),
	row("Architecture", "where things are", 4, `modules?|layers?|imports?|services?|architectur\pL*|components?|structure|director(?:y|ies)|folders?|repo(?:s|sitory)?|owned|gateway|injection|deployments?|queues?|workspaces?|abstractions?|shared|boundar(?:y|ies)|schemas?|lives?|live in|source of truth|defined in|registry|explicit config\S*|routes?|модул\pL*|сервис\pL*|слой|слои`),
	row("Architecture", "paths", 2, `\S+/\S+|\S+\.(?:go|ts|rs|py|js|java|toml|yml|yaml)`),
	row("Architecture", "names code", 1, `\S*[_(:]\S+|\S+\.\S+`),
	row("API", "option", 2, `--[a-z]\S*`),
	row("Conventions", "command", 6, `(?:npm|pnpm|yarn|make|just|cargo|go) run \S+`),
	row("Conventions", "names and style", 5, `nam(?:e|ed|es|ing)|prefix(?:ed)?|suffix|format\S*|style|tabs|spaces|indent\pL*|quotes?|comments?|casing|camelcase|snake_case|lint\pL*|convention\S*|commits?|titles?|changelog|patterns?|const|unused|strings?|concatenation|release|именова\pL+|стил\pL+`),
	row("Conventions", "rule", 3, `(?:^|\. )(?:always|never|use|do not|prefer|avoid|keep|prefix|when|if|all|every|any|no|must|should)`),
}

// ownCategory finds the category of the project's own whose words are in a text.
func ownCategory(toks []token, own map[string][]string) (best Verdict, found bool) {
	stems := stemsOf(toks)
	most := 0
	for _, name := range slices.Sorted(maps.Keys(own)) {
		var words []string
		n := 0
		for _, entry := range own[name] {
			row := stemsOf(tokens(strings.Trim(entry, "`")))
			at := 0
			for len(row) > 0 && at+len(row) <= len(stems) && !slices.Equal(stems[at:at+len(row)], row) {
				at++
			}
			if len(row) == 0 || at+len(row) > len(stems) {
				continue
			}
			n++
			for _, t := range toks[at : at+len(row)] {
				words = append(words, `"`+t.text+`"`)
			}
		}
		if n > most {
			best, most = Verdict{name, "word of this project's own: " + strings.Join(words, ", ")}, n
		}
	}
	return best, most > 0
}

func stemsOf(toks []token) []string {
	stems := make([]string, len(toks))
	for i := range toks {
		stems[i] = stem(toks[i].text)
	}
	return stems
}
