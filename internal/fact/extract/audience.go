package extract

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/discovery"
	"sdd/internal/git"
	"sdd/internal/pattern"
)

// Most commits do not matter to users of the program: tests, CI, upgrades, moved code, releases. The author's commit
// type, the first words, the subject and the files show which.

// quietTypes are the types and areas of commits that change nothing for users.
var quietTypes = pattern.Words(`build chore ci test tests testing refactor style deps dep dependencies deps-dev docs doc release vendor
	lint wip internal cleanup revert
	bench benchmark benchmarks tooling workflow workflows makefile circleci github travis appveyor typo format`)

// loud are the types of commits that matter to users.
var loud = pattern.Words(`feat feature fix bugfix hotfix perf security deprecate`)

var (
	// upgrade is the start of a title of an ordinary upgrade.
	upgrade = pattern.Late(`(?i)^(?:bump|upgrad|updat)\w*\b.*\b(?:from|to|version|v?\d+\.\d|dependenc|deps|modules?|go|vendor|lock` +
		`|packages|copyright|years?|licen[sc]e|common files|changelog|readme|maintainers|codeowners|bindata|assets|actions?|workflows?|ci)`)
	// chore is the start of a title of work that users do not see.
	chore = pattern.Late(`(?i)^(?:merge|revert|reapply|synchroni[sz]e|sync|prep|prepare|cut|changelog|refactor\w*|restructur\w*` +
		`|reorgani[sz]\w*|renam\w+|mov(?:e|es|ed|ing)|extract\w*|split\w*|clean\w*|tidy|simplif\w+|lint\w*|format\w*|gofmt|typos?|wip` +
		`|bump\w*|pin|unpin|backport|forward.?port|dedup\w*|unify|consolidat\w*|inline|de-?flake|flaky|benchmarks?|tests?|volunteer` +
		`|nominate|vendor\w*|renovate|dependabot|pre-commit|translat\w*|document(?:ing|s? (?:the|how|what|that|why|when))|modernize` +
		`|regenerat\w*|generate)\b`)
	// released is the start of a title of a release.
	released = pattern.Late(`(?i)^(?:\*?:?\s*(?:release|cut|prep\w*|version|bump)\b.*\d|v?\d+\.\d[\w.+-]*$)`)
	// inner matches parts that users do not see.
	inner = pattern.Late(`(?i)\b(?:typos?|spelling|(?:unit|acceptance|integration|e2e|flaky|failing) tests?` +
		`|(?:add|fix|improv|extend|writ|updat|more)\w*(?: [^\s-]\S*){0,2} tests?$` +
		`|tests? (?:for|cases?|suites?|helpers?|util\w*|coverage)|flak(?:y|iness)|refactor\w*|lint(?:er|ing|s)?|golangci(?:-lint)?` +
		`|staticcheck|gofmt|go vet|mypy|type (?:hints?|annotations?)|changelog|release (?:notes|shepherd|v?\d)|readme|contributing|docstrings?` +
		`|maintainers?|codeowners|code of conduct|dead code|unused|boilerplate|benchmarks?|ci|circleci|travis|appveyor|github actions?` +
		`|workflows?|dependabot|renovate|makefile|pre-commit|issue template|dependenc(?:y|ies)|nits?|cosmetic|wip|godoc|license headers?` +
		`|copyright)\b`)
	// documents matches a title of work on the documentation.
	documents = pattern.Late(`(?i)^(?:(?:improve|fix|update|add|clarif\w+|correct|rework|expand|tweak|polish|adjust|extend|minor|small` +
		`|slight|some|more|better` +
		`|missing)\w*\b.*)?\b(?:docs?|documentation)\b(?: (?:for|of|about|on|to|in|improvements?|fix(?:es)?|updates?|changes?)\b|$)`)
)

var quietTitles = []func() *regexp.Regexp{upgrade, released, inner, documents}

// quiet reports whether the words of a message describe no change for users.
func (m message) quiet() bool {
	area, _, _ := strings.Cut(strings.Trim(m.typ, "[]"), "/")
	switch {
	case m.breaking:
		return false
	case quietTypes()[area], quietTypes()[m.scope], !loud()[m.typ] && chore().MatchString(m.title):
		return true
	}
	return slices.ContainsFunc(quietTitles, func(title func() *regexp.Regexp) bool { return title().MatchString(m.title) })
}

// touchesUsers reports whether a unit has a file that reaches users. It returns true for a unit without files.
func touchesUsers(u unit) bool {
	return len(u.Files) == 0 || slices.ContainsFunc(u.Files, func(f git.Change) bool {
		moved := f.Status == git.Renamed && path.Base(f.Path) == path.Base(f.From)
		return !moved && ofUsers(f.Path)
	})
}

var (
	asideFolders = pattern.Words(`test tests testdata test-data test_data testing __tests__ fixture fixtures __fixtures__ mocks __mocks__ e2e
		spec specs vendor node_modules third_party example examples sample samples demo demos playground script scripts hack ci tools
		benchmark benchmarks __benchmarks__ bench website changelog changelogs newsfragments generated dist`)
	asideFiles = pattern.Words(`changelog changes version readme maintainers contributing codeowners authors license licence notice agents
		claude security history governance release
		package.json package-lock.json go.mod go.sum yarn.lock pnpm-lock.yaml cargo.lock poetry.lock uv.lock pipfile pipfile.lock
		gemfile gemfile.lock composer.lock lerna.json tox.ini setup.cfg pyproject.toml makefile jenkinsfile`)
	testFile = pattern.Late(`(?i)(?:_test|[._-](?:test|tests|test-d|spec|stories))\.\w+$|^test_|^conftest\.py$|^testing\.\w+$` +
		`|(?:Test|Tests|IT|Spec)\.(?:java|kt|cs|php|scala|swift)$`)
	docFile = pattern.Late(`(?i)\.(?:md|markdown|rst|adoc|txt)$|(?:^|/)docs?/.*\.(?:html|css|svg|png|jpe?g|gif|ipynb|py|js|ya?ml|json)$`)
)

// ofUsers reports whether a file is part of the product: no test, documentation, example, manifest or development tool.
func ofUsers(file string) bool { return !aside(file) && !docFile().MatchString(file) }

func aside(file string) bool {
	dir, base := path.Split(strings.ToLower(file))
	stem, _, _ := strings.Cut(base, ".")
	asideFolder := func(p string) bool { return asideFolders()[p] || len(p) > 1 && p[0] == '.' }
	return slices.ContainsFunc(strings.Split(dir, "/"), asideFolder) || strings.HasPrefix(base, ".") ||
		asideFiles()[base] || asideFiles()[stem] && stem != "version" || base == "version" ||
		testFile().MatchString(path.Base(file)) ||
		strings.HasPrefix(base, "makefile.") || strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
}

// general are folders that every project has: they do not name a part of it.
var general = pattern.Words(`src source lib libs internal pkg app apps cmd packages modules crates core common utils util main java kotlin
	python com org net io server client backend frontend web`)

// place returns the part of the project that contains a file: the first folder with a specific name.
func place(file string) string {
	parts := strings.Split(path.Dir(file), "/")
	for _, p := range parts {
		if p = strings.ToLower(discovery.OneLine(p)); p != "." && p != "" && !general()[p] {
			return p
		}
	}
	return ""
}
