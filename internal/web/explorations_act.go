package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

// topic is the exploration of a request's address, from its present file.
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
	at := slices.Index(explore.FieldNames, key)
	if at < 0 {
		return editPage{}, fault.New(fault.Invalid, "an exploration has no section %q", record.Brief(key)).For("section").
			With("allowed: " + strings.Join(explore.FieldNames, ", "))
	}
	p := editPage{
		ID: oneLine(r.Title, 120), Page: pageOf(record.Exploration, "", r.ID), Noun: "section", List: "/explorations", ListName: "Explorations",
		Anew: "sdd explore", Section: key, Name: record.ExplorationSections[at].Name, File: store.Folder + "/" + r.File, Etag: r.Etag,
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
	if err != nil {
		return err
	}
	if s.closed(p.File) != "" { // the page shows the reason
		http.Redirect(w, r, p.Page, http.StatusSeeOther)
		return nil
	}
	return s.form(w, r, http.StatusOK, stamp, p)
}

// saveSection saves a section from a form. An empty text clears it.
func (s *site) saveSection(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := r.PostForm
	if err := formAsks([]string{"edit"}, form.Get("action"), form.Get("if_match")); err != nil {
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
	if form.Get("preview") != "" {
		stored := p.Text
		p.Etag, p.Text = form.Get("if_match"), text
		return s.previewed(w, r, stamp, p, stored)
	}
	in := explore.Input{Title: now.Title, Project: now.Project, Scope: now.Scope, SessionID: s.session, IfMatch: form.Get("if_match"),
		Tool: "page"}
	*in.Field(p.Section) = text
	if strings.TrimSpace(text) == "" {
		if in.Clear, said = []string{p.Section}, "cleared"; p.Text == "" {
			return s.sectionNotSaved(w, r, stamp, p, form, fault.New(fault.Invalid, "the text is empty").For("content").
				With("write something, or go back"))
		}
	}
	out, err := explore.Save(r.Context(), s.store, s.index, in)
	if err != nil {
		return s.sectionNotSaved(w, r, stamp, p, form, err)
	}
	if said == "edit" && strings.TrimSpace(*out.Sections.Field(p.Section)) != strings.TrimSpace(text) {
		said = "adjusted"
	}
	return s.finish(w, r, p.Page+"?done="+said)
}

// sectionNotSaved shows the reason, with the user's text in the form.
func (s *site) sectionNotSaved(w http.ResponseWriter, r *http.Request, stamp string, p editPage, form url.Values, cause error) error {
	p.Fault = s.stopped(faultOf(cause), p.File)
	stored := p.Text
	p.Text = lineEnds(form.Get("content"))
	if p.Fault.Code == fault.Conflict {
		p.Conflict, p.Stored, p.Shown = true, stored, s.prose(stored, p.File, 2)
	} else {
		p.Etag = form.Get("if_match")
	}
	return s.form(w, r, statusOf(p.Fault.Code), stamp, p)
}
