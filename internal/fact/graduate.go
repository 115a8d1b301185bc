package fact

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/record"
)

// A proven learning may become a fact. The fact's parent is the learning's id, and the learning's applied_to names the
// fact. The learning stays unchanged otherwise: agents that ask for learnings still get it.

// Graduation selects the learnings that become facts, and gives values for the facts; empty ones are guessed.
type Graduation struct {
	IDs     []string
	Level   *int   // default by the learning's category: 0 for architecture, conventions and general, 1 for the others
	Domain  string // of level 1: the category
	Module  string
	Tool    string
	Session string
}

// Graduated is one learning with its fact.
type Graduated struct {
	Learning learning.Idea
	Fact     Stored
}

// Graduates reports whether a learning may become a fact: it is active, or archived with its work, and has no fact yet.
func Graduates(i learning.Idea) bool {
	status := i.Effective()
	return i.Learning() && (status == "active" || status == "archived") && !graduated(i)
}

// graduated reports whether a learning has a fact already.
func graduated(i learning.Idea) bool {
	return slices.ContainsFunc(i.AppliedTo, func(to string) bool {
		return strings.HasPrefix(to, record.IDPrefix(record.Fact)+"-") && record.IsHexID(to)
	})
}

// Graduate makes facts of learnings, in order, and stops at the first failure: it returns the finished ones. A learning
// that has a fact already keeps that one. Faults: those of Add and of learning.Review; Invalid for an idea that is not a
// learning, and for a learning that is outdated or deleted.
func (f *Facts) Graduate(ctx context.Context, l *learning.Learnings, g Graduation) (out []Graduated, err error) {
	defer fault.Caught(&err)
	out = []Graduated{}
	if len(g.IDs) == 0 {
		return out, fault.New(fault.Invalid, "graduate needs the ids of learnings").For("ids").With("list the learnings: sdd review list")
	}
	for _, id := range g.IDs {
		i := fault.Must(l.Get(ctx, id))
		if !Graduates(i) && !graduated(i) {
			why := i.Effective() + ": only active and archived"
			if !i.Learning() {
				why = "an idea of colour " + i.Color + ": only"
			}
			return out, fault.New(fault.Invalid, "%s is %s learnings become facts", i.ID, why).For("ids").
				With("validate it first, or add the fact itself")
		}
		in := Input{Content: i.Content, Parent: i.ID, Module: g.Module, Tool: g.Tool, Session: g.Session}
		if category := i.Category; !slices.Contains([]string{"", "Architecture", "Conventions", "General"}, category) {
			in.Level, in.Domain = 1, record.Slug(category)
		}
		if g.Level != nil {
			in.Level = *g.Level
		}
		if in.Level == 0 {
			in.Domain = ""
		}
		in.Domain = cmp.Or(g.Domain, in.Domain)
		stored := fault.Must(f.Add(ctx, in))
		apply := learning.Action{Action: "apply", IDs: []string{i.ID}, Target: stored.ID, Tool: g.Tool, Session: g.Session}
		fault.Must(l.Review(ctx, apply))
		out = append(out, Graduated{i, stored})
	}
	return out, nil
}
