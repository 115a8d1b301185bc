package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
)

// topic is the exploration or decision of a request's address, from its present file.
func (s *site) topic(r *http.Request) (record.Record, error) {
	if err := s.index.Refresh(r.Context()); err != nil {
		return record.Record{}, err
	}
	e, err := lookup.One(s.index, strings.TrimPrefix(r.URL.Path, "/"), "", "")
	if err != nil {
		return record.Record{}, err
	}
	f, err := s.store.Read(e.Path)
	if err != nil {
		return record.Record{}, err
	}
	return record.Parse(e.Path, f.Bytes, record.Defaults{Project: s.store.Project()}), nil
}

// sectionForm is the form for a section by its argument name; empty for a missing section.
func (s *site) sectionForm(r record.Record, key string) (editPage, error) {
	known, ok := record.SectionNamed(r.Kind, key)
	if !ok || known.Under != "" || record.SectionKey(r.Kind, known) != key {
		return editPage{}, fault.New(fault.Invalid, "the record has no section %q", record.Brief(key)).For("section").
			With("open the record, and choose Edit at a section")
	}
	p := editPage{
		ID: oneLine(r.Title, 120), Page: pageOf(r.Kind, "", r.ID), Noun: "section", List: "/explorations", ListName: "Explorations",
		Anew: "sdd explore", Section: key, Name: known.Name, File: store.Folder + "/" + r.File, Etag: r.Etag,
	}
	if r.Kind == record.Decision {
		p.List, p.ListName, p.Anew = "/decisions", "Decisions", "sdd decide"
	}
	for _, sec := range r.Sections {
		if sec.Key == key {
			p.Etag, p.Text = sec.Etag, strings.Trim(sec.Text, "\n")
			break // saves change the first of them
		}
	}
	return p, nil
}

// editSection shows the form.
func (s *site) editSection(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	now, err := s.topic(r)
	if err != nil {
		return err
	}
	p, err := s.sectionForm(now, r.URL.Query().Get("section"))
	return s.opened(w, r, stamp, p, stored{p.File, p.Etag, p.Text}, err)
}

// saveSection saves a section from a form. An empty text clears it.
func (s *site) saveSection(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := r.PostForm
	if err := formAsks([]string{"edit", "check"}, form.Get("action"), form.Get("if_match")); err != nil {
		return err
	}
	now, err := s.topic(r)
	if err != nil {
		return err
	}
	p, err := s.sectionForm(now, form.Get("section"))
	if err != nil {
		return err
	}
	said, text := "edit", lineEnds(form.Get("content"))
	if form.Get("action") == "check" {
		n, err := strconv.Atoi(form.Get("item"))
		checked, ok := checkItem(p.Text, n)
		if err != nil || !ok {
			return fault.New(fault.Invalid, "item %q is not in the list", record.Brief(form.Get("item"))).For("item").With("open the page again")
		}
		text = checked
	}
	if form.Get("preview") != "" {
		return s.previewed(w, r, stamp, p, stored{p.File, p.Etag, p.Text})
	}
	if strings.TrimSpace(text) == "" {
		if said = "cleared"; p.Text == "" {
			return s.formAgain(w, r, stamp, p, fault.New(fault.Invalid, "the text is empty").For("content").
				With("write something, or go back"), stored{p.File, p.Etag, p.Text}, nil)
		}
	}
	saved, err := s.storeSection(r, now, p.Section, text, form.Get("if_match"))
	if err != nil {
		return s.formAgain(w, r, stamp, p, faultOf(err), stored{p.File, p.Etag, p.Text}, nil)
	}
	if said == "edit" && strings.TrimSpace(saved) != strings.TrimSpace(text) {
		said = "adjusted"
	}
	return s.finish(w, r, p.Page+"?done="+said)
}

// storeSection saves a section of an exploration or decision, and returns the text that its file has now. A blank text clears it.
func (s *site) storeSection(r *http.Request, now record.Record, key, text, ifMatch string) (stored string, err error) {
	if now.Kind == record.Decision {
		after, err := s.decisions.EditSection(r.Context(), decision.SectionEdit{ID: now.ID, Section: key, Content: text, IfMatch: ifMatch,
			Tool: "page", Session: s.session})
		for _, sec := range slices.Backward(after.Sections) {
			if sec.Key == key {
				stored = sec.Text
			}
		}
		return stored, err
	}
	in := explore.Input{Title: now.Title, Project: now.Project, Scope: now.Scope, SessionID: s.session, IfMatch: ifMatch, Tool: "page"}
	*in.Field(key) = text
	if strings.TrimSpace(text) == "" {
		in.Clear = []string{key}
	}
	out, err := explore.Save(r.Context(), s.store, s.index, in)
	return *out.Sections.Field(key), err
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
