package docs

import (
	"cmp"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"sdd/internal/docs/inventory"
	"sdd/internal/fault"
	"sdd/internal/pattern"
)

const (
	maxQuery         = 1000 // characters
	maxSource        = 4096 // bytes
	defaultThreshold = 50
	defaultObjects   = 5
	maxObjects       = 50
	defaultChars     = 4000
	minChars         = 100
	maxChars         = 100_000
	defaultTokens    = 4000
	minTokens        = 50
	maxTokens        = 100_000
)

// check fills in the defaults and refuses what is out of range.
func (r *Reader) check(source, query string, o Options) (wanted, error) {
	w := wanted{Options: o, query: query}
	switch {
	case strings.TrimSpace(source) == "":
		return w, fault.New(fault.Invalid, "source is empty").For("source").
			With("name a folder, a page, an objects.inv, a Go package or installed documentation; sdd docs --list names what is installed")
	case len(source) > maxSource || strings.ContainsRune(source, 0):
		return w, fault.New(fault.Invalid, "source is no path, address or name").For("source").With("it has at most 4096 bytes and no NUL")
	case utf8.RuneCountInString(query) > maxQuery:
		return w, fault.New(fault.Invalid, "query has %d characters, at most %d are allowed", utf8.RuneCountInString(query), maxQuery).
			For("query").With("name what you look for, such as Path.read_text")
	}
	switch w.MatchMode = strings.ToLower(w.MatchMode); w.MatchMode {
	case "":
		w.MatchMode = Fuzzy
	case Fuzzy, Exact, Regexp:
	default:
		return w, fault.New(fault.Invalid, "match_mode is %q", o.MatchMode).For("match_mode").With("allowed are fuzzy, exact and regex")
	}
	if w.MatchMode == Regexp {
		expr := query
		if !strings.HasPrefix(expr, "(?-i)") {
			expr = "(?i)" + expr
		}
		tree, err := syntax.Parse(expr, syntax.Perl)
		if err == nil {
			w.re, err = pattern.Given(tree)
		}
		if err != nil {
			return w, fault.New(fault.Invalid, "query %q is no regular expression: %v", query, err).For("query").
				With("the syntax is RE2: no look-around, no back-references; match_mode fuzzy takes plain text")
		}
	}
	if w.FuzzyThreshold == nil {
		w.FuzzyThreshold = new(defaultThreshold)
	} else if n := *w.FuzzyThreshold; n < 0 || n > 100 {
		return w, fault.OutOfRange("fuzzy_threshold", n, defaultThreshold, 0, 100)
	}
	for _, n := range []struct {
		arg         string
		v           *int
		def, lo, hi int
	}{
		{"max_objects", &w.MaxObjects, defaultObjects, 1, maxObjects},
		{"max_chars", &w.MaxChars, defaultChars, minChars, maxChars},
		{"max_tokens", &w.MaxTokens, cmp.Or(r.settings.MaxTokens, defaultTokens), minTokens, maxTokens},
	} {
		if err := fault.Within(n.arg, n.v, n.def, n.lo, n.hi); err != nil {
			return w, err
		}
	}
	if w.Offset < 0 || w.Offset > 100_000_000 {
		return w, fault.OutOfRange("offset", w.Offset, 0, 0, 100_000_000)
	}
	if w.IncludeDocumentation == nil {
		w.IncludeDocumentation = new(true)
	}
	sections := []string{}
	for _, s := range w.IncludeSections {
		s = strings.ToLower(strings.TrimSpace(s))
		if s != SectionSignature && s != SectionDescription {
			return w, fault.New(fault.Invalid, "include_sections names %q", s).For("include_sections").With("allowed are signature and description")
		}
		if !slices.Contains(sections, s) {
			sections = append(sections, s)
		}
	}
	if len(w.IncludeSections) == 0 {
		sections = []string{SectionSignature, SectionDescription}
	}
	w.IncludeSections = sections
	w.Domain, w.Role = strings.TrimSpace(w.Domain), strings.TrimSpace(w.Role)
	if domain, role, ok := strings.Cut(w.Role, ":"); ok && (w.Domain == "" || strings.EqualFold(w.Domain, domain)) && domain != "" &&
		role != "" {
		w.given.domain, w.given.role = domain, role // py:method, unless a role has this name
	}
	return w, nil
}

// shortRoles are the short names of roles in text and in MkDocs.
var shortRoles = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"meth": "method", "func": "function", "attr": "attribute", "exc": "exception", "mod": "module", "cls": "class", "prop": "property",
		"var": "variable", "const": "constant", "param": "parameter", "obj": "object", "opt": "option", "cmdopt": "cmdoption",
	}
})

func longRole(r string) string {
	r = strings.ToLower(r)
	return cmp.Or(shortRoles()[r], r)
}

// filter returns a function that reports whether an object passes the filters. An unknown domain or role is
// an error that lists the known ones.
func (s *openSource) filter(w *wanted) (func(i int) bool, error) {
	counts := s.inv.Counts()
	of := func(c inventory.Count, domain, role string) bool {
		return (domain == "" || strings.EqualFold(c.Domain, domain)) && (role == "" || longRole(c.Role) == longRole(role))
	}
	has := func(domain, role string) bool {
		return slices.ContainsFunc(counts, func(c inventory.Count) bool { return of(c, domain, role) })
	}
	if w.given.role != "" && !has(w.Domain, w.Role) && has(w.given.domain, w.given.role) {
		w.Domain, w.Role = w.given.domain, w.given.role
	}
	if w.Domain != "" && !has(w.Domain, "") {
		return nil, kindsFault("domain", w.Domain, domains(counts))
	}
	allowed := map[inventory.Kind]bool{}
	var present []string
	for _, c := range counts {
		allowed[c.Kind] = of(c, w.Domain, w.Role)
		if of(c, w.Domain, "") {
			present = append(present, fmt.Sprintf("%s:%s (%d)", c.Domain, c.Role, c.Objects))
		}
	}
	if w.Role != "" && !has(w.Domain, w.Role) {
		return nil, kindsFault("role", w.Role, present)
	}
	if w.Domain == "" && w.Role == "" && w.Priority == nil {
		return func(int) bool { return true }, nil
	}
	return func(i int) bool {
		return allowed[s.inv.Objects[i].Kind()] && (w.Priority == nil || s.inv.Objects[i].Priority == *w.Priority)
	}, nil
}

func domains(counts []inventory.Count) []string {
	var names []string
	sum := map[string]int{}
	for _, c := range counts {
		if sum[c.Domain] == 0 {
			names = append(names, c.Domain)
		}
		sum[c.Domain] += c.Objects
	}
	slices.SortStableFunc(names, func(a, b string) int { return sum[b] - sum[a] })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s (%d)", n, sum[n])
	}
	return names
}
