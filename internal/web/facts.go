package web

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/app"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
)

// mostDomains is the number of domains to choose from; the user can type any other.
const mostDomains = 10

var factStates = append(record.StatusesOf(record.Fact, ""), "any")

func (s *site) factList(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	value := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	l := newListing(listing{
		Title: "Facts", Text: value("text"), Hint: "words in the fact",
		Keep:  []pair{{"level", q.Get("level")}},
		Clear: address("/facts", "level", q.Get("level")),
		Bulk:  []action{{"refresh", "Still true", "", "main"}, {"archive", "Archive", "", "quiet"}},
		Choices: []choice{{"state", "State", q.Get("state"), "", factStates}, {"domain", "Domain", value("domain"), "auth", nil},
			{"module", "Module", value("module"), "internal/auth", nil}},
		Empty: empty{"No facts yet.", "sdd fact discover finds out what the project is. An agent adds one with sdd_fact, you with:",
			`sdd fact add "Amounts are kept in cents"`},
	})
	want := fact.Filter{Domain: value("domain"), Module: value("module"), State: q.Get("state"), Text: l.Text, Limit: perPage,
		Cursor: q.Get("cursor")}
	if level := q.Get("level"); level != "" {
		n, err := strconv.Atoi(level)
		if err != nil {
			return fault.New(fault.Invalid, "level %q is no number", record.Brief(level)).For("level").
				With("allowed: 0 project, 1 domain, 2 module, 3 code")
		}
		want.Level = &n
	}
	list, next, total, err := s.Facts.List(r.Context(), want)
	fault.Check(err)
	all := fault.Must(s.Facts.All(r.Context()))
	l.Total, l.Of, l.next = total, len(all), next
	l.countFacts(r, all, want)
	for _, one := range list {
		l.Rows = append(l.Rows, s.factRow(one, here(r, "cursor", want.Cursor)))
	}
	return s.showList(w, r, l.Title, l)
}

func (s *site) factRow(f fact.Fact, back string) row {
	out := row{ID: f.ID, State: f.State, Name: plain(nameOf(f.Content, 140)), Note: plain(oneLine(f.Why, 90)),
		Page: app.PagePath(string(record.Fact), f.ID), When: cmp.Or(f.Refreshed, f.Created), Gone: record.Gone(f.State)}
	out.tag(record.Levels[f.Level], oneLine(f.Domain, 30), oneLine(f.Module, 30))
	if f.Confidence < 1 {
		out.tag(percent(f.Confidence) + " sure")
	}
	if f.File == "" || s.closed(f.File) != "" {
		return out
	}
	editable := false
	if out.Actions, editable = factActionsOf(f); editable {
		out.Edit = address(out.Page+"/edit", "back", back)
	}
	if len(out.Actions) > 0 {
		out.Item = itemOf("fact", f.Etag, f.ID)
	}
	return out
}

// countFacts sets the levels and domains to choose from, with the numbers of facts in the chosen state.
func (p *listing) countFacts(r *http.Request, all []fact.Fact, want fact.Filter) {
	levels, domains, states := map[string]int{}, map[string]int{}, map[string]int{}
	names := map[string]string{} // the latest spelling of a domain, by its name in lower case
	for i := range all {
		one := &all[i]
		states[one.State]++
		if want.State == "" && !one.Live() || want.State != "" && want.State != "any" && one.State != want.State {
			continue
		}
		levels[record.Levels[one.Level]]++
		if one.Domain != "" && (want.Level == nil || *want.Level == one.Level) {
			key := strings.ToLower(one.Domain)
			domains[key]++
			names[key] = cmp.Or(names[key], one.Domain)
		}
	}
	if stale := states["stale"]; stale > 0 && want.State != "stale" {
		p.Notice = &link{fault.Count(stale, "fact is stale", "facts are stale"), "/facts?state=stale"}
	}
	chosen := r.URL.Query().Get("level")
	p.Tabs = append(p.Tabs, tab{"all levels", here(r, "level", ""), sum(levels), chosen == ""})
	for n, name := range record.Levels {
		level := strconv.Itoa(n)
		p.Tabs = append(p.Tabs, tab{name, here(r, "level", level), levels[name], chosen == level})
	}
	keys := mostOf(domains)
	p.Others = max(0, len(keys)-mostDomains)
	for _, key := range keys[:len(keys)-p.Others] {
		current, to := strings.EqualFold(want.Domain, names[key]), names[key]
		if current {
			to = "" // a second click removes the filter
		}
		p.Chips = append(p.Chips, tab{oneLine(names[key], 60), here(r, "domain", to), domains[key], current})
	}
}

// factActions are the actions on a fact, in the order of their buttons.
var factActions = []action{
	{"refresh", "Still true", "a", "main"}, {"resurrect", "Bring back", "a", "main"}, {"expire", "Mark as stale", "", "quiet"},
	{"archive", "Archive", "r", "quiet"},
}

// factActionsOf are the permitted actions on a fact, without those that would change nothing.
func factActionsOf(f fact.Fact) (all []action, edit bool) {
	moves := fact.Moves(f.Status)
	for _, a := range factActions {
		idle := a.Name == "expire" && f.State != "active" || a.Name == "archive" && f.Status == "archived"
		if slices.Contains(moves, a.Name) && !idle {
			all = append(all, a)
		}
	}
	return all, slices.Contains(moves, "edit")
}

type factPage struct {
	sheet
	*fact.Fact
	LevelOf  string // the name of its level
	Evidence template.HTML
	From     *link  // the record that the fact belongs to
	Older    []link // replaced by it, the latest first
	Newer    []link // replacing it, the latest first
}

func (s *site) ofFact(r *http.Request) written {
	ctx, id := r.Context(), r.PathValue("id")
	to := app.PagePath(string(record.Fact), id)
	return written{
		form:    editPage{ID: id, Page: to, Noun: "fact", List: "/facts", ListName: "Facts", Anew: "sdd fact add"},
		actions: "edit refresh expire archive resurrect",
		get: func() (stored, error) {
			f, err := s.Facts.Get(ctx, id)
			return stored{f.ID, f.File, f.Etag, strings.TrimSpace(f.Content)}, err
		},
		page: func() any { return s.factPage(ctx, fault.Must(s.Facts.Get(ctx, id))) },
		do: func(action, text string, form url.Values) (*url.URL, error) {
			_, err := s.Facts.Review(ctx, s.change(action, id, text, form))
			return back(form.Get("back"), "/facts", id), err
		},
	}
}

func (s *site) factPage(ctx context.Context, f fact.Fact) factPage {
	p := factPage{Fact: &f, LevelOf: record.Levels[f.Level],
		sheet: s.sheetOf(ctx, app.PagePath(string(record.Fact), f.ID), stored{f.ID, f.File, f.Etag, f.Content}, true)}
	if f.File != "" && p.closed == "" { // a found fact without a file cannot be changed
		p.Actions, p.Editable = factActionsOf(f)
	}
	if f.Evidence != "" {
		p.Evidence = s.prose(f.Evidence, f.File, 2)
	}
	if f.Parent != "" && f.Topic() == "" {
		to := s.linkOf(f.Parent)
		p.From = &to
	}
	p.Older, p.Newer = chain(fault.Must(s.Facts.All(ctx)), f)
	slices.Reverse(p.Newer)
	return p
}

// chain returns the facts that a fact replaced, and those that replaced it. It stops at a circle.
func chain(all []fact.Fact, f fact.Fact) (older, newer []link) {
	byID, replacedBy := map[string]*fact.Fact{}, map[string][]*fact.Fact{}
	for i := range all {
		one := &all[i]
		byID[one.ID] = one
		replacedBy[one.SupersededBy] = append(replacedBy[one.SupersededBy], one)
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

func factLink(f *fact.Fact) link {
	return link{nameOf(f.Content, 120), app.PagePath(string(record.Fact), f.ID)}
}

// linkOf links to the record with that name, with its title; without an address when it is unknown or ambiguous.
func (s *site) linkOf(name string) link {
	found := s.Index.Lookup(index.Ref{ID: name})
	if len(found) != 1 {
		return link{Text: oneLine(name, 120)}
	}
	return link{nameOf(cmp.Or(found[0].Title, found[0].ID), 120), pageOfEntry(found[0])}
}
