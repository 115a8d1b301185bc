package web

import (
	"net/http"
	"net/url"
	"strings"

	"sdd/internal/fact"
	"sdd/internal/record"
)

// editFact shows the form for the text of a fact.
func (s *site) editFact(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	f, err := s.facts.Get(r.Context(), r.PathValue("id"))
	return s.opened(w, r, stamp, editFactOf(f.ID), stored{f.File, f.Etag, strings.TrimSpace(f.Content)}, err)
}

func editFactOf(id string) editPage {
	return editPage{ID: id, Page: pageOf(record.Fact, "", id), Noun: "fact", List: "/facts", ListName: "Facts", Anew: "sdd fact add"}
}

// actOnFact does an action on a fact.
func (s *site) actOnFact(w http.ResponseWriter, r *http.Request) error {
	ctx, id := r.Context(), r.PathValue("id")
	return s.actOn(w, r, acting{
		actions: strings.Fields("edit refresh expire archive resurrect"), edit: editFactOf(id),
		get: func() (stored, error) {
			f, err := s.facts.Get(ctx, id)
			return stored{f.File, f.Etag, f.Content}, err
		},
		do: func(form url.Values) (string, error) {
			a := fact.Action{Action: form.Get("action"), IDs: []string{id}, IfMatch: form.Get("if_match"), Tool: "page", Session: s.session}
			if a.Action == "edit" {
				a.Content = lineEnds(form.Get("content"))
			}
			_, err := s.facts.Review(ctx, a)
			return id, err
		},
		show: func(p page, status int) error {
			f, err := s.facts.Get(ctx, id)
			if err != nil {
				return err
			}
			p.Title = nameOf(f.Content, 60)
			if p.Body, err = s.factPage(r, f); err != nil {
				return err
			}
			return s.show(w, r, status, "fact", p)
		},
	})
}
