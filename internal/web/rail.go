package web

import (
	"context"
	"net/url"
	"strings"

	"sdd/internal/index"
	"sdd/internal/record"
)

// rail is what stands beside a record: the records that name it, the places in the code that it names, and where it goes from here.
type rail struct {
	ID, Page string
	Back     []link
	More     int // records that name it and are left out
	Places   []place
	Against  []link // records that contradict it
	Handoff  string // the form that makes a document of it, "" for none
}

// place is a place in the code with its state.
type place struct{ Name, State, Now string }

const mostBack = 20

// railOf is the rail of a record with that id; nil when the index does not have it.
func (s *site) railOf(ctx context.Context, id string) *rail {
	found := s.index.Lookup(index.Ref{ID: id})
	if len(found) != 1 {
		return nil
	}
	e := found[0]
	r := &rail{ID: e.ID, Page: pageOf(e.Kind, e.Color, e.ID)}
	for _, from := range s.index.Linking(e.ID, e.Slug, e.Path, e.File, e.ID[strings.LastIndexByte(e.ID, '/')+1:]) {
		if from.Path == e.Path {
			continue
		}
		if len(r.Back) == mostBack {
			r.More++
			continue
		}
		r.Back = append(r.Back, link{nameOf(from.Title, 80), pageOf(from.Kind, from.Color, from.ID)})
	}
	if all, err := s.uses.Anchors(ctx, id); err == nil {
		for _, a := range all {
			r.Places = append(r.Places, place{a.Place, string(a.State), a.Now})
		}
	}
	if f, err := s.facts.Get(ctx, id); err == nil {
		against, _ := s.facts.Against(ctx, &f) // without them the page shows the rest
		for n := range against {
			r.Against = append(r.Against, factLink(&against[n]))
		}
	} else if e.Color == record.Learning {
		doubted, _ := s.learnings.Check(ctx, false)
		for _, i := range doubted {
			if i.ID == e.ID && i.Verdict.Evidence != nil {
				r.Against = append(r.Against, link{nameOf(i.Verdict.Evidence.New, 120), "/learnings/" + url.PathEscape(i.Verdict.By)})
			}
		}
	}
	if e.Kind == record.Exploration || e.Kind == record.Decision {
		r.Handoff = escapePath("/handoff/" + e.ID)
	}
	return r
}
