package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// factFilters are the filters of the list of facts, as in the address of the page.
type factFilters struct{ Level, Domain, Module, State, Text, Cursor string }

func factFiltersOf(q url.Values) factFilters {
	return factFilters{q.Get("level"), strings.TrimSpace(q.Get("domain")), strings.TrimSpace(q.Get("module")), q.Get("state"),
		strings.TrimSpace(q.Get("text")), q.Get("cursor")}
}

// address is the list with these filters.
func (f factFilters) address() string {
	return address("/facts", "level", f.Level, "domain", f.Domain, "module", f.Module, "state", f.State, "text", f.Text, "cursor", f.Cursor)
}

// narrowed reports whether a filter other than the level is set.
func (f factFilters) narrowed() bool {
	f.Level, f.Cursor = "", ""
	return f != factFilters{}
}

func (f factFilters) wanted() (fact.Filter, error) {
	want := fact.Filter{Domain: f.Domain, Module: f.Module, State: f.State, Text: f.Text, Limit: perPage, Cursor: f.Cursor}
	if f.Level == "" {
		return want, nil
	}
	n, err := strconv.Atoi(f.Level)
	if err != nil {
		return want, fault.New(fault.Invalid, "level %q is no number", record.Brief(f.Level)).For("level").
			With("allowed: 0 project, 1 domain, 2 module, 3 code")
	}
	want.Level = &n
	return want, nil
}

// factCard is a fact on its page.
type factCard struct {
	fact.Fact
	Name     string // its start, on one line
	LevelOf  string // the name of its level
	Page     string
	Body     template.HTML
	Back     string // the page to return to after a change
	Actions  []action
	More     []action // actions with an optional reason: none
	Editable bool
}

// mostDomains is the number of domains to choose from; the user can type any other.
const mostDomains = 10

var factStates = append(record.StatusesOf(record.Fact, ""), "any")

// factList shows the matching facts, the newest first.
func (s *site) factList(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	f := factFiltersOf(r.URL.Query())
	want, err := f.wanted()
	if err != nil {
		return err
	}
	list, next, total, err := s.facts.List(r.Context(), want)
	if err != nil {
		return err
	}
	all, err := s.facts.All(r.Context())
	if err != nil {
		return err
	}
	l := listing{
		Title: "Facts", Noun: "fact", Nouns: "facts", Path: "/facts", Field: "text", Text: f.Text, Hint: "words in the fact",
		Keep: []pair{{"level", f.Level}}, Total: total, Of: len(all), Narrowed: f.narrowed(), Clear: factFilters{Level: f.Level}.address(),
		Back: f.address(), Bulk: []action{{"refresh", "Still true", "", "main"}, {"archive", "Archive", "", "quiet"}},
		Choices: []choice{{"state", "State", f.State, "", factStates}, {"domain", "Domain", f.Domain, "auth", nil},
			{"module", "Module", f.Module, "internal/auth", nil}},
		Empty: empty{"No facts yet.", "sdd fact discover finds out what the project is. An agent adds one with sdd_fact, you with:",
			`sdd fact add "Amounts are kept in cents"`},
	}
	l.countFacts(all, f, want)
	for _, one := range list {
		l.Rows = append(l.Rows, s.factRow(one, f.address()))
	}
	l.paged(r, next)
	return s.show(w, r, http.StatusOK, "list", page{Title: "Facts", Nav: "facts", Stamp: stamp, Body: l})
}

func (s *site) factRow(f fact.Fact, back string) row {
	c := s.factCard(f)
	out := row{ID: f.ID, State: f.State, Name: plain(nameOf(f.Content, 140)), Note: plain(oneLine(f.Why, 90)), Page: c.Page,
		When: cmp.Or(f.Refreshed, f.Created), Actions: c.Actions, Gone: record.Gone(f.State)}
	for _, t := range []string{c.LevelOf, oneLine(f.Domain, 30), oneLine(f.Module, 30)} {
		if t != "" {
			out.Tags = append(out.Tags, t)
		}
	}
	if f.Confidence < 1 {
		out.Tags = append(out.Tags, percent(f.Confidence)+" sure")
	}
	if c.Editable {
		out.Edit = address(c.Page+"/edit", "back", back)
	}
	if len(c.Actions) > 0 {
		out.Item = itemOf("fact", f.Etag, f.ID)
	}
	return out
}

// countFacts sets the levels and domains to choose from, with the numbers of facts in the chosen state.
func (p *listing) countFacts(all []fact.Fact, f factFilters, want fact.Filter) {
	levels, domains := make([]int, len(record.Levels)), map[string]int{}
	stale := 0
	names := map[string]string{} // the latest spelling of a domain, by its name in lower case
	for i := range all {
		one := &all[i]
		if one.State == "stale" {
			stale++
		}
		if want.State == "" && !one.Live() || want.State != "" && want.State != "any" && one.State != want.State {
			continue
		}
		levels[one.Level]++
		if one.Domain != "" && (want.Level == nil || *want.Level == one.Level) {
			key := strings.ToLower(one.Domain)
			domains[key]++
			names[key] = cmp.Or(names[key], one.Domain)
		}
	}
	sum := 0
	for _, n := range levels {
		sum += n
	}
	if stale > 0 && f.State != "stale" {
		p.Notice = &link{plural(stale, "fact is stale", "facts are stale"), factFilters{State: "stale"}.address()}
	}
	to := f
	to.Level, to.Cursor = "", ""
	p.Tabs = append(p.Tabs, tab{"all levels", to.address(), sum, f.Level == ""})
	for n, name := range record.Levels {
		to.Level = strconv.Itoa(n)
		p.Tabs = append(p.Tabs, tab{name, to.address(), levels[n], f.Level == to.Level})
	}
	to.Level = f.Level
	keys := make([]string, 0, len(domains))
	for key := range domains {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(domains[b]-domains[a], strings.Compare(a, b)) })
	p.Others = max(0, len(keys)-mostDomains)
	for _, key := range keys[:len(keys)-p.Others] {
		to.Domain = names[key]
		current := strings.EqualFold(f.Domain, names[key])
		if current {
			to.Domain = "" // a second click removes the filter
		}
		p.Chips = append(p.Chips, tab{oneLine(names[key], 60), to.address(), domains[key], current})
	}
}

// factActions are the actions on a fact, in the order of their buttons.
var factActions = []action{
	{"refresh", "Still true", "a", "main"}, {"resurrect", "Bring back", "a", "main"}, {"expire", "Mark as stale", "", "quiet"},
	{"archive", "Archive", "r", "quiet"},
}

func (s *site) factCard(f fact.Fact) factCard {
	c := factCard{Fact: f, Name: nameOf(f.Content, 90), LevelOf: record.Levels[f.Level], Page: pageOf(record.Fact, "", f.ID)}
	c.Back = c.Page
	closed := s.closed(f.File)
	if f.File == "" || closed != "" { // a found fact without a file cannot be changed
		return c
	}
	moves := fact.Moves(f.Status)
	for _, a := range factActions {
		idle := a.Name == "expire" && f.State != "active" || a.Name == "archive" && f.Status == "archived"
		if slices.Contains(moves, a.Name) && !idle {
			c.Actions = append(c.Actions, a)
		}
	}
	c.Editable = slices.Contains(moves, "edit")
	return c
}

// factPage is one fact with all its details.
type factPage struct {
	factCard
	Evidence template.HTML
	From     *link  // the record that the fact belongs to
	Topic    string // the topic of discovery that found it
	Older    []link // replaced by it, the latest first
	Newer    []link // replacing it, the next one first
	Code     *codePart
	Rail     *rail
	Tier     tier.Tier
}

// fact shows one fact with all its details, or its history.
func (s *site) fact(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	f, err := s.facts.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p := page{Title: nameOf(f.Content, 60), Nav: "facts", Stamp: stamp}
	if view := r.URL.Query().Get("view"); view != "" {
		of := subject{Subject: history.Subject{ID: f.ID, Path: strings.TrimPrefix(f.File, store.Folder+"/")}, Name: p.Title,
			Page: pageOf(record.Fact, "", f.ID)}
		return s.history(w, r, p, view, of)
	}
	if p.Body, err = s.factPage(r, f); err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "fact", p)
}

func (s *site) factPage(r *http.Request, f fact.Fact) (factPage, error) {
	body := factPage{factCard: s.factCard(f), Topic: f.Topic()}
	body.Tier = s.tierOf(r.Context(), f.File)
	closed := s.closed(f.File)
	body.Body = s.notice(closed, f.File) + s.prose(f.Content, f.File, 1)
	if f.File != "" {
		body.Code, body.Rail = s.codeOf(r.Context(), f.ID, closed), s.railOf(r.Context(), f.ID)
	}
	if f.Evidence != "" {
		body.Evidence = s.prose(f.Evidence, f.File, 2)
	}
	if f.Parent != "" && body.Topic == "" {
		to := s.linkOf(f.Parent)
		body.From = &to
	}
	all, err := s.facts.All(r.Context())
	if err != nil {
		return body, err
	}
	body.Older, body.Newer = chain(all, f)
	return body, nil
}

// chain returns the facts that a fact replaced, and those that replaced it. It stops at a circle.
func chain(all []fact.Fact, f fact.Fact) (older, newer []link) {
	byID, replacedBy := map[string]*fact.Fact{}, map[string][]*fact.Fact{}
	for i := range all {
		one := &all[i]
		byID[one.ID] = one
		if one.SupersededBy != "" {
			replacedBy[one.SupersededBy] = append(replacedBy[one.SupersededBy], one)
		}
	}
	seen := map[string]bool{f.ID: true}
	for queue := []string{f.ID}; len(queue) > 0; queue = queue[1:] {
		for _, one := range replacedBy[queue[0]] {
			if !seen[one.ID] {
				seen[one.ID] = true
				older, queue = append(older, factLink(one)), append(queue, one.ID)
			}
		}
	}
	for id := f.SupersededBy; id != "" && !seen[id]; {
		seen[id] = true
		one := byID[id]
		if one == nil {
			return older, append(newer, link{Text: visible(id)}) // its file is missing
		}
		newer, id = append(newer, factLink(one)), one.SupersededBy
	}
	return older, newer
}

func factLink(f *fact.Fact) link { return link{nameOf(f.Content, 120), pageOf(record.Fact, "", f.ID)} }

// linkOf links to the record with that name, with its title; without an address when it is unknown or ambiguous.
func (s *site) linkOf(name string) link {
	found := s.index.Lookup(index.Ref{ID: name})
	if len(found) != 1 {
		return link{Text: oneLine(name, 120)}
	}
	return link{nameOf(cmp.Or(found[0].Title, found[0].ID), 120), pageOf(found[0].Kind, found[0].Color, found[0].ID)}
}
