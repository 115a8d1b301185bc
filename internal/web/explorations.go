package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// wholePage is the token budget of a list for people: the largest one.
const wholePage = 100_000

// explorations lists the matching ones, the best first; without words the newest first.
func (s *site) explorations(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	text, scope := strings.TrimSpace(q.Get("text")), q.Get("scope")
	l := newListing(listing{
		Title: "Explorations", Text: text, Hint: "words in title or text",
		Choices: []choice{{"scope", "Scope", scope, "", record.ScopesOf(record.Exploration)}},
		Empty: empty{"No explorations yet.", "Talk a topic over with an agent that has sdd_explore, or write the first lines yourself:",
			`sdd explore "User auth" --goals "- log in by mail"`},
	})
	found := fault.Must(s.Search(r.Context(), lookup.Query{
		Query: text, Type: string(record.Exploration), Scope: scope, Limit: perPage, Cursor: q.Get("cursor"), MaxTokens: wholePage,
	}))
	l.Total, l.Of, l.next = found.Total, found.Total, found.NextCursor
	mark := index.NewMarker(text)
	for _, h := range found.Results {
		one := s.hitRow(mark, h, h.ID)
		one.Type = ""
		for _, e := range s.Index.Lookup(index.Ref{ID: h.File}) {
			one.When = e.Created
		}
		l.Rows = append(l.Rows, one)
	}
	return s.showList(w, r, l.Title, l)
}

type recordPage struct {
	Name     string
	ID, File string
	Scope    string
	Project  string
	Own      string // the store's own project
	Revision int
	Created  string
	Sections []section
	Problems []record.Problem
	Closed   string        // why the file cannot be saved now, and what to do
	Notice   template.HTML // the same, and the conflicts to resolve
	Page     string
	At       string // the commit, "" for the present file
	List     link   // the list of all
	Status   string // of an idea or decision
	Date     string // of a decision
	Tier     tier.Tier
	Code     *codePart
	Rail     *rail
	Absent   []link // the forms for the missing sections

	Below, Above      []step // the decisions that a decision rests on, and those that rest on it
	MoreBelow, MoreUp int
	Item              string // of a decision: it names the version for act
	Actions           []action
	Replace           string // the form for a decision that replaces it
}

type section struct {
	ID, Name string
	Key      string // argument name, "" for an unknown section
	Edit     string // its form, "" for none
	Body     template.HTML
	Etag     string
	text     string
	Checks   []checkable // of a list of unknowns: its items instead of Body
}

// checkable is an item that can be checked.
type checkable struct {
	N    int
	Done bool
	Name string
	Body template.HTML
}

// edits sets the form of each section that the kind knows: of several with one name the first, which saves change.
func (s *site) edits(p *recordPage, kind record.Kind) {
	if p.Closed != "" {
		return
	}
	for n := range p.Sections {
		if p.Sections[n].Key == "unknowns" {
			p.Sections[n].Checks = s.checksOf(p.Sections[n].text, p.File)
			break
		}
	}
	for _, known := range record.Sections(kind) {
		key := record.SectionKey(kind, known)
		to := address(p.Page, "view", "edit", "section", key)
		if known.Under != "" { // in the text of another
			continue
		}
		if at := slices.IndexFunc(p.Sections, func(sec section) bool { return sec.Key == key }); at >= 0 {
			p.Sections[at].Edit = to
		} else {
			p.Absent = append(p.Absent, link{known.Name, to})
		}
	}
}

func (s *site) exploration(w http.ResponseWriter, r *http.Request) error {
	nav := "explorations"
	if strings.HasPrefix(r.URL.Path, "/ideas/") {
		nav = "search" // the search lists ideas
	} else if r.URL.Query().Get("view") == "edit" {
		return s.shown(s.ofSection)(w, r)
	}
	return s.one(w, r, nav, func(e index.Entry, p *recordPage) {
		if e.Kind == record.Idea {
			status, err := s.StatusOf(r.Context(), e)
			if err != nil {
				status = e.Status
			}
			p.List, p.Status = link{"Ideas", address("/search", "type", string(record.Idea))}, strings.TrimSpace(e.Color+" "+status)
		} else {
			s.edits(p, e.Kind)
		}
	})
}

func (s *site) read(r *http.Request) (index.Entry, store.File, error) {
	return lookup.Read(r.Context(), s.Store, s.Index, func() (index.Entry, error) {
		return lookup.One(s.Index, strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/ideas"), "/"), "", "")
	})
}

// one shows the record of the address, or its history; more completes the page.
func (s *site) one(w http.ResponseWriter, r *http.Request, nav string, more func(e index.Entry, p *recordPage)) error {
	e, f, err := s.read(r)
	parsed := record.Parse(e.Path, f.Bytes, record.Defaults{Project: s.Store.Project()})
	source := ""
	if fault.Is(err, fault.NotFound) {
		if own, src, ok := s.Decisions.InPlace(r.Context(), r.URL.Path[1:], ""); ok {
			e, parsed, source, err = index.Entry{ID: own.ID, Path: own.File, Kind: own.Kind, Title: own.Title}, own, string(src), nil
		}
	}
	fault.Check(err)
	of := subject{Subject: history.Subject{ID: e.ID, Path: e.Path, Source: source}, Name: oneLine(e.Title, 120),
		Page: pageOfEntry(e)}
	p := page{Title: of.Name, Nav: nav, Live: true}
	if view := r.URL.Query().Get("view"); view != "" {
		return s.history(w, r, p, view, of)
	}
	if line := s.Store.ConflictLine(r.Context(), e.Path, f.Bytes); line > 0 && parsed.Writable {
		parsed.Problems = append(parsed.Problems, record.ConflictAt(line))
	}
	shown := s.recordPage(parsed, of)
	shown.Closed = closedBy(shown.File, shown.Problems)
	shown.Notice = s.notice(shown.Closed, shown.File)
	shown.Code = s.codeOf(r.Context(), e.ID, shown.Closed)
	shown.Tier = s.Tiers(r.Context()).Of(e.Path)
	shown.Rail = s.railOf(r.Context(), e.ID)
	more(e, &shown)
	p.Body = shown
	return s.show(w, r, http.StatusOK, "record", p)
}

func (s *site) recordPage(r record.Record, of subject) recordPage {
	p := recordPage{
		Name: of.Name, ID: r.ID, File: path.Join(store.Folder, r.File), Scope: r.Scope, Project: r.Project, Own: s.Store.Project(),
		Revision: r.Revision, Created: r.Created, Problems: r.Problems, Page: of.Page, List: link{"Explorations", "/explorations"},
	}
	if text := withoutTitle(r.Preamble); strings.TrimSpace(text) != "" {
		p.Sections = append(p.Sections, section{Body: s.prose(text, p.File, 1)})
	}
	for i, sec := range r.Sections {
		if sec.Inner() {
			continue
		}
		p.Sections = append(p.Sections, section{
			ID: fmt.Sprintf("section-%d", i+1), Name: oneLine(sec.Name, 120), Key: sec.Key, Body: s.prose(sec.Text, p.File, 2), Etag: sec.Etag,
			text: sec.Text,
		})
	}
	return p
}

// withoutTitle removes the title heading at the top of a file: the page shows the title itself.
func withoutTitle(text string) string {
	text = strings.TrimLeft(text, "\r\n")
	if strings.HasPrefix(text, "# ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// topic is the exploration or decision of a request's address, from its present file.
func (s *site) topic(r *http.Request) (record.Record, error) {
	e, f, err := s.read(r)
	if err != nil {
		return record.Record{}, err
	}
	return record.Parse(e.Path, f.Bytes, record.Defaults{Project: s.Store.Project()}), nil
}

// ofSection is a section of the exploration or decision of a request, as its form has it; a missing section has no text.
func (s *site) ofSection(r *http.Request) written {
	key := cmp.Or(r.PostForm.Get("section"), r.URL.Query().Get("section"))
	now, err := s.topic(r)
	t := written{actions: "edit check", form: editPage{
		ID: oneLine(cmp.Or(now.Title, r.URL.Path[1:]), 120), Page: escapePath(r.URL.Path), Noun: "section",
		List: "/explorations", ListName: "Explorations", Anew: "sdd explore", Section: key,
	}}
	if strings.Contains(r.URL.Path, "/"+string(record.Decision)+"/") {
		t.form.List, t.form.ListName, t.form.Anew = "/decisions", "Decisions", "sdd decide"
	}
	known, ok := record.SectionNamed(now.Kind, key)
	if err == nil && (!ok || known.Under != "" || record.SectionKey(now.Kind, known) != key) {
		err = fault.New(fault.Invalid, "the record has no section %q", record.Brief(key)).For("section").
			With("open the record, and choose Edit at a section")
	}
	t.form.Name = known.Name
	t.get = func() (stored, error) {
		if err != nil {
			return stored{}, err
		}
		now, err := s.topic(r)
		return sectionOf(now, key), err
	}
	t.do = func(action, text string, form url.Values) (*url.URL, error) {
		was := sectionOf(now, key).text
		if action == "check" {
			n, err := strconv.Atoi(form.Get("item"))
			checked, ok := checkItem(was, n)
			if err != nil || !ok {
				return nil, fault.New(fault.Invalid, "item %q is not in the list", record.Brief(form.Get("item"))).For("item").
					With("open the page again")
			}
			text = checked
		}
		if strings.TrimSpace(text) == "" && was == "" {
			return nil, fault.New(fault.Invalid, "the text is empty").For("content").With("write something, or go back")
		}
		return &url.URL{Path: r.URL.Path}, s.storeSection(r, now, key, text, form.Get("if_match"))
	}
	return t
}

// sectionOf is the first section of a record with that key, since saves change that one. For a missing one it has the etag of the file.
func sectionOf(r record.Record, key string) stored {
	now := stored{r.ID, store.Folder + "/" + r.File, r.Etag, ""}
	if i := slices.IndexFunc(r.Sections, func(sec record.Section) bool { return sec.Key == key }); i >= 0 {
		now.etag, now.text = r.Sections[i].Etag, strings.Trim(r.Sections[i].Text, "\n")
	}
	return now
}

// storeSection saves a section of an exploration or decision. A blank text clears it.
func (s *site) storeSection(r *http.Request, now record.Record, key, text, ifMatch string) error {
	if now.Kind == record.Decision {
		_, err := s.Decisions.EditSection(r.Context(), decision.SectionEdit{ID: now.ID, Section: key, Content: text, IfMatch: ifMatch,
			Tool: "page", Session: s.session})
		return err
	}
	in := explore.Input{Title: now.Title, Project: now.Project, Scope: now.Scope, SessionID: s.session, IfMatch: ifMatch, Tool: "page"}
	*in.Field(key) = text
	if strings.TrimSpace(text) == "" {
		in.Clear = []string{key}
	}
	_, err := explore.Save(r.Context(), s.Store, s.Index, in)
	return err
}

var listItem = pattern.Late(`^[-*] (?:\[([ xX])\] )?(\S.*)$`)

// checksOf returns the items of a text that is one list of single lines, nil for any other text.
func (s *site) checksOf(text, file string) (all []checkable) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		m := listItem().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			return nil
		}
		all = append(all, checkable{len(all), m[1] != "" && m[1] != " ", oneLine(m[2], 200), s.prose(m[2], file, 2)})
	}
	return all
}

// checkItem checks the n-th item of such a text, or unchecks it. An item without a box counts as unchecked.
func checkItem(text string, n int) (string, bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if n < 0 || n >= len(lines) {
		return "", false
	}
	m := listItem().FindStringSubmatch(strings.TrimRight(lines[n], "\r"))
	if m == nil {
		return "", false
	}
	box := "[x]"
	if m[1] != "" && m[1] != " " {
		box = "[ ]"
	}
	lines[n] = lines[n][:2] + box + " " + m[2]
	return strings.Join(lines, "\n"), true
}
