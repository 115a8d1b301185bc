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

// factsPage lists facts by level and domain.
type factsPage struct {
	Filters  factFilters
	Levels   []tab
	Domains  []tab // the largest
	Others   int   // domains not in the list
	States   []string
	Cards    []factCard
	Total    int
	Store    int // facts in all
	Stale    int
	StaleOf  string // their list
	Narrowed bool
	Clear    string
	First    string // the page of the newest ones, "" on that page
	Next     string
}

// factCard is a fact in the list.
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
const mostDomains = 16

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
	p := factsPage{Filters: f, States: factStates, Total: total, Store: len(all), Narrowed: f.narrowed(),
		Clear: factFilters{Level: f.Level}.address(), StaleOf: factFilters{State: "stale"}.address()}
	p.count(all, want)
	for _, one := range list {
		c := s.factCard(one, f.address(), 2)
		if one.State == "active" { // an active fact needs no decision: its page has the buttons
			c.Actions = nil
		}
		p.Cards = append(p.Cards, c)
	}
	to := f
	if to.Cursor = ""; f.Cursor != "" {
		p.First = to.address()
	}
	if next != "" {
		to.Cursor = next
		p.Next = to.address()
	}
	return s.show(w, http.StatusOK, "facts", page{Title: "Facts", Nav: "facts", Stamp: stamp, Said: saidOf(factDone, r.URL.Query(), "/facts"),
		Body: p})
}

// count sets the levels and domains to choose from, with the numbers of facts in the chosen state.
func (p *factsPage) count(all []fact.Fact, want fact.Filter) {
	levels, domains := make([]int, len(record.Levels)), map[string]int{}
	names := map[string]string{} // the latest spelling of a domain, by its name in lower case
	for i := range all {
		one := &all[i]
		if one.State == "stale" {
			p.Stale++
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
	to := p.Filters
	to.Level, to.Cursor = "", ""
	p.Levels = append(p.Levels, tab{"all levels", to.address(), sum, p.Filters.Level == ""})
	for n, name := range record.Levels {
		to.Level = strconv.Itoa(n)
		p.Levels = append(p.Levels, tab{name, to.address(), levels[n], p.Filters.Level == to.Level})
	}
	to.Level = p.Filters.Level
	keys := make([]string, 0, len(domains))
	for key := range domains {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(domains[b]-domains[a], strings.Compare(a, b)) })
	p.Others = max(0, len(keys)-mostDomains)
	for _, key := range keys[:len(keys)-p.Others] {
		to.Domain = names[key]
		current := strings.EqualFold(p.Filters.Domain, names[key])
		if current {
			to.Domain = "" // a second click removes the filter
		}
		p.Domains = append(p.Domains, tab{oneLine(names[key], 60), to.address(), domains[key], current})
	}
}

// factActions are the actions on a fact, in the order of their buttons.
var factActions = []action{
	{"refresh", "Still true", "v", "main"}, {"resurrect", "Bring back", "r", "main"}, {"expire", "Mark as stale", "", "quiet"},
	{"archive", "Archive", "", "quiet"},
}

func (s *site) factCard(f fact.Fact, back string, under int) factCard {
	c := factCard{Fact: f, Name: nameOf(f.Content, 90), LevelOf: record.Levels[f.Level], Page: pageOf(record.Fact, "", f.ID), Back: back}
	closed := s.closed(f.File)
	c.Body = notice(closed) + s.prose(f.Content, f.File, under)
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
	Tier     tier.Tier
}

// fact shows one fact with all its details, or its history.
func (s *site) fact(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	f, err := s.facts.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p := page{Title: nameOf(f.Content, 60), Nav: "facts", Stamp: stamp, Said: saidOf(factDone, r.URL.Query(), "/facts")}
	if view := r.URL.Query().Get("view"); view != "" {
		of := subject{Subject: history.Subject{ID: f.ID, Path: strings.TrimPrefix(f.File, store.Folder+"/")}, Name: p.Title,
			Page: pageOf(record.Fact, "", f.ID)}
		return s.history(w, r, p, view, of)
	}
	if p.Body, err = s.factPage(r, f); err != nil {
		return err
	}
	return s.show(w, http.StatusOK, "fact", p)
}

func (s *site) factPage(r *http.Request, f fact.Fact) (factPage, error) {
	body := factPage{factCard: s.factCard(f, pageOf(record.Fact, "", f.ID), 1), Topic: f.Topic()}
	body.Tier = s.tierOf(r.Context(), f.File)
	if f.File != "" {
		body.Code = s.codeOf(r.Context(), f.ID, s.closed(f.File))
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
