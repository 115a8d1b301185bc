package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/explore"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/record"
)

// newPage is the form for a record that does not exist yet.
type newPage struct {
	Kinds             []string
	Kind, Title, Text string
	Domain            string
	Supersedes        string // of a decision
	Fault             *fault.Error
}

// newKinds are the kinds of records that the form makes.
var newKinds = []string{"fact", "decision", "learning", "exploration"}

func (s *site) newForm(w http.ResponseWriter, r *http.Request) error {
	p := newPage{Kinds: newKinds, Kind: r.URL.Query().Get("kind"), Text: r.URL.Query().Get("text"),
		Supersedes: r.URL.Query().Get("supersedes")}
	if !slices.Contains(newKinds, p.Kind) {
		p.Kind = newKinds[0]
	}
	return s.show(w, r, http.StatusOK, "new", page{Title: "New record", Nav: "new", Body: p})
}

// makeNew stores a record from the form and shows it. A failed save shows the form again with the user's text.
func (s *site) makeNew(w http.ResponseWriter, r *http.Request) error {
	form := r.PostForm
	p := newPage{Kinds: newKinds, Kind: form.Get("kind"), Title: strings.TrimSpace(form.Get("title")), Text: lineEnds(form.Get("content")),
		Domain: strings.TrimSpace(form.Get("domain")), Supersedes: form.Get("supersedes")}
	to, err := s.storeNew(r, p)
	if err != nil {
		p.Fault = faultOf(err)
		return s.show(w, r, statusOf(p.Fault.Code), "new", page{Title: "New record", Nav: "new", Body: p})
	}
	return s.finish(w, r, to+"?done=made")
}

// storeNew stores the record and returns its page.
func (s *site) storeNew(r *http.Request, p newPage) (to string, err error) {
	ctx := r.Context()
	switch p.Kind {
	case "fact":
		in := fact.Input{Content: p.Text, Domain: p.Domain, Tool: "page", Session: s.session}
		if p.Domain != "" {
			in.Level = 1
		}
		out, err := s.Facts.Add(ctx, in)
		return pageOf(record.Fact, "", out.ID), err
	case "learning":
		out, err := s.Learnings.Learn(ctx, learning.Input{Content: p.Text, Tool: "page", Session: s.session})
		if err != nil || len(out.Results) == 0 {
			return "", err
		}
		return "/learnings/" + url.PathEscape(out.Results[0].ID), nil
	case "decision":
		in := decision.Input{Decision: p.Title, Supersedes: p.Supersedes, Tool: "page", Session: s.session}
		for _, line := range strings.Split(p.Text, "\n") {
			if line = strings.TrimSpace(strings.TrimLeft(line, "-* ")); line != "" {
				in.Reasons = append(in.Reasons, line)
			}
		}
		out, err := s.Decisions.Record(ctx, in)
		if err != nil || len(out.Results) == 0 {
			return "", err
		}
		return pageOf(record.Decision, "", out.Results[0].ID), nil
	case "exploration":
		in := explore.Input{Title: p.Title, SessionID: s.session, Tool: "page"}
		in.Context = p.Text
		out, err := explore.Save(ctx, s.Store, s.Index, in)
		return pageOf(record.Exploration, "", out.ID), err
	}
	return "", fault.New(fault.Invalid, "kind %q is unknown", record.Brief(p.Kind)).For("kind").
		With("allowed: " + strings.Join(newKinds, ", "))
}
