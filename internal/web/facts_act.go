package web

import (
	"net/http"
	"strings"

	"sdd/internal/fact"
	"sdd/internal/record"
)

// factForms are the actions of the forms of a fact.
var factForms = strings.Fields("edit refresh expire archive resurrect")

// editFact shows the form for the text of a fact.
func (s *site) editFact(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	f, err := s.facts.Get(r.Context(), r.PathValue("id"))
	return s.opened(w, r, stamp, editFactOf(f.ID), stored{f.File, f.Etag, strings.TrimSpace(f.Content)}, err)
}

func editFactOf(id string) editPage {
	return editPage{ID: id, Page: pageOf(record.Fact, "", id), Noun: "fact", List: "/facts", ListName: "Facts", Anew: "sdd fact add"}
}

// actOnFact does a form's action and returns to the form's page.
func (s *site) actOnFact(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := r.PostForm
	a := fact.Action{Action: form.Get("action"), IDs: []string{r.PathValue("id")}, IfMatch: form.Get("if_match"), Tool: "page",
		Session: s.session}
	if a.Action == "edit" {
		a.Content = lineEnds(form.Get("content"))
	}
	if now, err := s.facts.Get(r.Context(), a.IDs[0]); err == nil && a.Action == "edit" && form.Get("preview") != "" {
		return s.previewed(w, r, stamp, editFactOf(now.ID), stored{now.File, now.Etag, now.Content})
	}
	if err := formAsks(factForms, a.Action, a.IfMatch); err != nil {
		return err
	}
	now, err := s.facts.Get(r.Context(), a.IDs[0])
	if err == nil && a.Action != "edit" && now.Etag != a.IfMatch {
		err = changedSince(now.ID)
	}
	if err == nil {
		_, err = s.facts.Review(r.Context(), a)
	}
	if err != nil {
		return s.factNotDone(w, r, stamp, a, err)
	}
	said := a.Action
	if a.Action == "edit" {
		if now, err := s.facts.Get(r.Context(), now.ID); err == nil && strings.TrimSpace(now.Content) != strings.TrimSpace(a.Content) {
			said = "adjusted"
		}
	}
	return s.finish(w, r, back(form.Get("back"), "/facts", said, now.ID))
}

// factNotDone shows the error of an action. The form keeps the user's text.
func (s *site) factNotDone(w http.ResponseWriter, r *http.Request, stamp string, a fact.Action, cause error) error {
	f := faultOf(cause)
	now, err := s.facts.Get(r.Context(), a.IDs[0])
	if a.Action == "edit" {
		return s.formAgain(w, r, stamp, editFactOf(a.IDs[0]), f, stored{now.File, now.Etag, now.Content}, err)
	}
	if err != nil {
		return cause
	}
	body, err := s.factPage(r, now)
	if err != nil {
		return err
	}
	return s.show(w, r, statusOf(f.Code), "fact", page{Title: nameOf(now.Content, 60), Nav: "facts", Stamp: stamp,
		Said: nothingChanged(f, "fact"), Body: body})
}
