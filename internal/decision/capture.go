package decision

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/decision/capture"
	"sdd/internal/fault"
	"sdd/internal/record"
)

const mostText = 8 << 20 // bytes of a text in which decisions are looked for

// capture records the sure decisions in a text; the others become candidates.
func (d *Decisions) capture(ctx context.Context, in Input) (Recorded, error) {
	if len(in.Text) > mostText {
		return Recorded{}, fault.New(fault.Invalid, "text has %d bytes, at most %d are read", len(in.Text), mostText).For("text").
			With("give it in parts")
	}
	if err := record.CheckText("text", in.Text); err != nil {
		return Recorded{}, err
	}
	for _, a := range []struct {
		arg   string
		given bool
	}{
		{"reasons", len(in.Reasons) > 0}, {"consequences", len(in.Consequences) > 0}, {"constraints", len(in.Constraints) > 0},
		{"assumptions", len(in.Assumptions) > 0}, {"alternatives", len(in.Alternatives) > 0}, {"supersedes", in.Supersedes != ""},
		{"depends_on", len(in.DependsOn) > 0}, {"relates_to", len(in.RelatesTo) > 0}, {"status", in.Status != ""},
	} {
		if a.given {
			return Recorded{}, fault.New(fault.Invalid, "%s goes with decision, not with text", a.arg).For(a.arg).
				With("text may tell several decisions; record the one that it belongs to with decision")
		}
	}
	w, err := d.prepare(&in)
	if err != nil {
		return Recorded{}, err
	}
	var out Recorded
	var waiting []Candidate
	var places []int // of the candidates among the results
	for _, found := range find(in.Text) {
		one := Input{
			Decision: found.Decision, Reasons: slices.Clone(found.Reasons), Consequences: found.Consequences, Constraints: found.Constraints,
			Assumptions: found.Assumptions, Alternatives: found.Alternatives, Status: found.Status, Source: in.Source, Scope: in.Scope,
			Tool: in.Tool, Session: in.Session,
		}
		id := record.DecisionID(record.Slug(found.Decision), in.Scope)
		if found.Confidence < capture.Sure {
			places = append(places, len(out.Results))
			out.Results = append(out.Results,
				Result{ID: id, Action: Waiting, Decision: found.Decision, Status: found.Status, Confidence: found.Confidence})
			waiting = append(waiting, Candidate{
				ID: id, Decision: found.Decision, Sentence: found.Sentence, Reasons: found.Reasons, Alternatives: found.Alternatives,
				Consequences: found.Consequences, Constraints: found.Constraints, Assumptions: found.Assumptions, Status: found.Status,
				Confidence: found.Confidence, Rule: found.Rule, Line: found.Line, Source: in.Source, Tool: in.Tool, Session: in.Session,
			})
			continue
		}
		if found.Status == accepted {
			one.Status = "" // the default, which keeps an existing decision that is not in force as it is
		}
		before := len(w.warnings)
		got, err := w.record(ctx, one)
		for i := range w.warnings[before:] {
			w.warnings[before+i].Line = found.Line
		}
		switch {
		case err == nil:
			got.Confidence = found.Confidence
			out.Results = append(out.Results, got)
		case fault.Is(err, fault.Invalid), fault.Is(err, fault.Broken), fault.Is(err, fault.Ambiguous), fault.Is(err, fault.Conflict):
			w.warnings = append(w.warnings, Warning{refused, found.Line, fault.Of(err).Error() + ": " + record.Brief(found.Decision)})
		default:
			out.Warnings = w.warnings
			return out.filled(), err
		}
	}
	if d.inbox != nil && len(waiting) > 0 {
		placed, err := d.inbox.Put(ctx, waiting)
		if err != nil {
			return out.filled(), err
		}
		for i, p := range placed[:min(len(placed), len(places))] {
			out.Results[places[i]].ID, out.Results[places[i]].File = p.ID, p.File
		}
	}
	if len(out.Results) == 0 && len(w.warnings) == 0 {
		w.warnings = append(w.warnings, Warning{noDecision, 0, "the text tells no decision; to record the text itself, give it as decision"})
	}
	for _, r := range out.Results {
		if r.Action == Waiting {
			continue
		}
		more, err := d.suggest(ctx, r.ID)
		if err != nil {
			return out.filled(), err
		}
		for _, s := range more {
			if len(out.Suggestions) < mostSuggested && !slices.ContainsFunc(out.Results, func(o Result) bool { return o.ID == s.ID }) {
				out.Suggestions = append(out.Suggestions, s)
			}
		}
	}
	out.Warnings = w.warnings
	return out.filled(), nil
}

// find returns the decisions in a text. A reason inside the decision's own words is moved to its reasons.
func find(text string) []capture.Decision {
	all := capture.Find(text)
	for i := range all {
		found := &all[i]
		at := becauseForm().FindStringIndex(found.Decision)
		if at == nil || len(found.Reasons) > 0 {
			continue
		}
		option, reason := strings.Trim(found.Decision[:at[0]], " ,;:("), inSentence(found.Decision)
		if option != "" && reason != "" {
			found.Decision, found.Reasons = option, []string{reason}
		}
	}
	return all
}
