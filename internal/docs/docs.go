// Package docs looks something up in documentation: it finds the objects of a source that a query
// means, and returns their signatures and texts. It sends nothing to other machines, unless the
// source is a web address with an allowed host.
package docs

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/docs/inventory"
	"sdd/internal/docs/match"
	"sdd/internal/fault"
	"sdd/internal/tier"
)

// Match modes.
const (
	Fuzzy  = "fuzzy" // names similar to the query, the same name first
	Exact  = "exact" // the name or its end, ignoring case and separators
	Regexp = "regex" // names that match a regular expression of RE2, ignoring case
)

// Sections of a documentation.
const (
	SectionSignature   = "signature"
	SectionDescription = "description"
)

// Options narrow a search and its answer. The zero value gives the defaults.
type Options struct {
	Domain               string   `json:"domain,omitempty"`
	Role                 string   `json:"role,omitempty"` // long or short, such as method or meth
	Priority             *int     `json:"priority,omitempty"`
	MatchMode            string   `json:"match_mode,omitempty"`            // default fuzzy
	FuzzyThreshold       *int     `json:"fuzzy_threshold,omitempty"`       // 0 to 100, default 50
	MaxObjects           int      `json:"max_objects,omitempty"`           // 1 to 50, default 5
	IncludeSections      []string `json:"include_sections,omitempty"`      // default both
	IncludeDocumentation *bool    `json:"include_documentation,omitempty"` // default true
	MaxChars             int      `json:"max_chars,omitempty"`             // of a description, 100 to 100,000, default 4,000
	MaxTokens            int      `json:"max_tokens,omitempty"`            // of the answer, 50 to 100,000, default 4,000
	Offset               int      `json:"offset,omitempty"`                // characters of the descriptions to skip
}

// Ask is a call: the source, the query and the options.
type Ask struct {
	Source string `json:"source"`
	Query  string `json:"query"`
	Options
}

// Result is the found objects. Documents come in the order of their rank; an object without a readable
// text is in Errors instead. No array is nil.
type Result struct {
	Project     string       `json:"project"`
	Version     string       `json:"version"`
	Query       string       `json:"query"`
	Search      Search       `json:"search_metadata"`
	Documents   []Document   `json:"documents"`
	Errors      []Failure    `json:"errors"`
	Suggestions []Suggestion `json:"suggestions"` // names to try when nothing matches
	Provenance  Provenance   `json:"provenance"`
}

// Search describes the search. ObjectCount is len(Documents)+len(Errors).
type Search struct {
	ObjectCount  int     `json:"object_count"`
	MaxObjects   int     `json:"max_objects"`
	TotalMatches int     `json:"total_matches"`
	Omitted      int     `json:"omitted,omitempty"` // matches left out for max_tokens
	Filters      Filters `json:"filters"`
	SkippedLines int     `json:"skipped_lines,omitempty"` // lines of the inventory that are no entries
}

// Filters are the filters that applied.
type Filters struct {
	Domain               string   `json:"domain,omitempty"`
	Role                 string   `json:"role,omitempty"`
	Priority             *int     `json:"priority,omitempty"`
	MatchMode            string   `json:"match_mode"`
	FuzzyThreshold       *int     `json:"fuzzy_threshold,omitempty"` // in fuzzy mode
	IncludeSections      []string `json:"include_sections"`
	IncludeDocumentation bool     `json:"include_documentation"`
}

// Document is a found object.
type Document struct {
	Name          string         `json:"name"`
	Role          string         `json:"role"`
	Domain        string         `json:"domain"`
	URI           string         `json:"uri"`
	DisplayName   string         `json:"display_name,omitempty"`
	FuzzyScore    *int           `json:"fuzzy_score,omitempty"` // 0 to 100, in fuzzy mode
	Matched       string         `json:"matched,omitempty"`     // "text" when its text matches, not its name
	Documentation *Documentation `json:"documentation,omitempty"`
}

// Documentation is a page's description of an object: third-party data, as Markdown without HTML.
type Documentation struct {
	Signature   *string  `json:"signature,omitempty"`
	Signatures  []string `json:"signatures,omitempty"` // all signatures that share the description
	Description *string  `json:"description,omitempty"`
	URL         string   `json:"url"`
	Members     []string `json:"members,omitempty"` // objects described within it, by name; at most maxMembers
	MoreMembers int      `json:"more_members,omitempty"`
	Truncated   bool     `json:"truncated,omitempty"`
	TotalChars  int      `json:"total_chars,omitempty"` // of the whole description, when it is cut
	NextOffset  int      `json:"next_offset,omitempty"` // offset of the next part
	Hash        string   `json:"hash,omitempty"`        // the start of the SHA-256 of the page
	Copy

	whole string // the description without cuts
}

// Copy is the state of a copy of a web page; zero for files of this machine.
type Copy struct {
	Fetched string `json:"fetched,omitempty"` // when the server was last asked, RFC 3339
	Stale   bool   `json:"stale,omitempty"`   // the server does not answer now
}

// Failure is an object whose documentation the reader could not get.
type Failure struct {
	Name   string `json:"name"`
	Domain string `json:"domain"`
	Role   string `json:"role"`
	URI    string `json:"uri"`
	Error  string `json:"error"`
	Code   string `json:"code"`
}

// Codes of a Failure.
const (
	PageNotFound   = "page_not_found"
	AnchorNotFound = "anchor_not_found"
	FetchFailed    = "fetch_failed"
	OutsideSource  = "outside_source"
	TooLarge       = "too_large"
	BlockedAddress = "blocked_address"
	NotHTML        = "not_html"
)

// Suggestion is another name to try.
type Suggestion struct {
	Name   string `json:"name"`
	Domain string `json:"domain"`
	Role   string `json:"role"`
}

// Provenance is the origin of the answer.
type Provenance struct {
	Tier tier.Tier `json:"tier,omitempty"` // foreign, but for the project's own packages
	Kind string    `json:"kind"`           // sphinx, mkdocs, pydoctor, rustdoc or go
	Base string    `json:"base"`           // address of the documentation's top
	Hash string    `json:"hash,omitempty"` // the start of the SHA-256 of its inventory or index
	Copy
}

const (
	maxSuggestions = 5
	maxMembers     = 40
	leastSuggested = 30 // score
)

// Explore finds the objects in source that query means, and returns their descriptions. An empty query lists
// all objects that pass the filters. No match is no error; an unreadable source is one.
func (r *Reader) Explore(ctx context.Context, source, query string, o Options) (_ Result, err error) {
	defer fault.Caught(&err)
	w := fault.Must(r.check(source, query, o))
	s := fault.Must(r.open(ctx, source))
	defer s.close()
	if s.expand != nil {
		s.expand(query)
	}
	wants := fault.Must(s.filter(&w))
	all := func(int) bool { return ctx.Err() == nil }
	keep := func(i int) bool { return all(i) && wants(i) }
	hits := w.find(s.inv, keep)
	res := Result{
		Project: s.inv.Project, Version: s.inv.Version, Query: query,
		Search:    Search{MaxObjects: w.MaxObjects, TotalMatches: len(hits), Filters: w.filters(), SkippedLines: s.inv.Skipped},
		Documents: []Document{}, Errors: []Failure{}, Suggestions: []Suggestion{}, Provenance: s.provenance,
	}
	if p := &res.Provenance; p.Kind != "go" || res.Version != "" || strings.Contains(p.Base, "/vendor/") {
		p.Tier = tier.Foreign
	}
	best := 0
	if len(hits) > 0 {
		best = hits[0].Score
	}
	var found []answer
	if w.asksInWords(best) { // no name answers the question
		found = fault.Must(s.byText(ctx, query, w.MaxObjects))
	}
	res.Search.TotalMatches += len(found)
	for _, h := range hits[:min(len(hits), w.MaxObjects-len(found))] {
		found = append(found, answer{Object: s.inv.Objects[h.Index], score: &h.Score})
	}
	if len(found) == 0 {
		res.Suggestions = suggest(s.inv, query, keep, all)
	}
	fault.Check(ctx.Err())
	for _, a := range found {
		if err := ctx.Err(); err != nil {
			return Result{}, fault.New(fault.Unavailable, "the look-up was cancelled").With("ask for fewer objects")
		}
		obj := a.Object
		d := Document{Name: obj.Name, Role: obj.Role, Domain: obj.Domain, URI: obj.URI, DisplayName: obj.Display}
		if a.score == nil {
			d.Matched = "text"
		}
		if w.MatchMode == Fuzzy && query != "" {
			d.FuzzyScore = a.score
		}
		if *w.IncludeDocumentation {
			e, fail := s.entry(obj)
			if fail != nil {
				res.Errors = append(res.Errors, Failure{obj.Name, obj.Domain, obj.Role, obj.URI, fail.message, fail.code})
				continue
			}
			d.Documentation = e.documentation(w, s.nameOf)
		}
		res.Documents = append(res.Documents, d)
	}
	res.Search.ObjectCount = len(res.Documents) + len(res.Errors)
	res.fit(w)
	return res, nil
}

type answer struct {
	inventory.Object
	score *int // of its name; nil when its text matches
}

func (w *wanted) find(inv *inventory.Inventory, keep func(int) bool) []match.Hit {
	switch {
	case w.re != nil:
		return match.Regexp(inv, w.re, keep)
	case strings.TrimSpace(w.query) == "":
		return match.All(inv, keep)
	case w.MatchMode == Exact:
		return match.Exact(inv, w.query, keep)
	default:
		return match.Fuzzy(inv, w.query, *w.FuzzyThreshold, keep)
	}
}

// suggest returns the names most similar to the query: of the objects that pass the filters, else of all.
func suggest(inv *inventory.Inventory, query string, keep, all func(int) bool) []Suggestion {
	out := []Suggestion{}
	for _, ok := range []func(int) bool{keep, all} {
		for _, h := range match.Fuzzy(inv, query, leastSuggested, ok) {
			o := inv.Objects[h.Index]
			if out = append(out, Suggestion{o.Name, o.Domain, o.Role}); len(out) == maxSuggestions {
				return out
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return out
}

// wanted is a checked call with the defaults filled in.
type wanted struct {
	Options
	query string
	re    *regexp.Regexp // in regex mode
	given struct{ domain, role string }
}

func (w *wanted) filters() Filters {
	f := Filters{
		Domain: w.Domain, Role: w.Role, Priority: w.Priority, MatchMode: w.MatchMode,
		IncludeSections: w.IncludeSections, IncludeDocumentation: *w.IncludeDocumentation,
	}
	if w.MatchMode == Fuzzy {
		f.FuzzyThreshold = w.FuzzyThreshold
	}
	return f
}

func (w *wanted) section(name string) bool { return slices.Contains(w.IncludeSections, name) }

// kindsFault is the fault of an unknown domain or role; it lists the known ones.
func kindsFault(arg, value string, present []string) error {
	const most = 20
	more := ""
	if len(present) > most {
		more = fmt.Sprintf(" and %d more", len(present)-most)
		present = present[:most]
	}
	return fault.New(fault.Invalid, "%s %q is not in this documentation", arg, value).For(arg).
		With("present are: " + strings.Join(present, ", ") + more)
}
