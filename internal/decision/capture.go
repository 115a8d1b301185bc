package decision

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/decision/capture"
	"sdd/internal/fault"
	"sdd/internal/record"
)

const mostText = 8 << 20 // bytes of a text in which decisions are looked for

// capture records the sure decisions in a text; the others become candidates.
func (d *Decisions) capture(ctx context.Context, in Input) (out Recorded, err error) {
	defer fault.Caught(&err)
	if len(in.Text) > mostText {
		return Recorded{}, fault.New(fault.Invalid, "text has %d bytes, at most %d are read", len(in.Text), mostText).For("text").
			With("give it in parts")
	}
	fault.Check(record.CheckText("text", in.Text))
	refs := []string(in.CodeRef)
	given := func(s string) *[]string {
		if s == "" {
			return new([]string)
		}
		return &[]string{s}
	}
	for _, l := range append(in.Lists(), record.CauseList{Name: supersedesLink, Texts: given(in.Supersedes)},
		record.CauseList{Name: dependsOnLink, Texts: &in.DependsOn}, record.CauseList{Name: relatesToLink, Texts: &in.RelatesTo},
		record.CauseList{Name: "status", Texts: given(in.Status)}, record.CauseList{Name: anchor.RefKey, Texts: &refs}) {
		if len(*l.Texts) > 0 {
			return Recorded{}, fault.New(fault.Invalid, "%s goes with decision, not with text", l.Name).For(l.Name).
				With("text may tell several decisions; record the one that it belongs to with decision")
		}
	}
	fault.Must(d.prepare(&in))
	defer func() { out = out.filled() }()
	var unsure []capture.Decision
	var places []int // of the unsure ones among the results
	for _, found := range find(in.Text) {
		if found.Confidence < capture.Sure {
			places = append(places, len(out.Results))
			out.Results = append(out.Results, Result{
				ID: record.DecisionID(record.Slug(found.Decision), in.Scope), Action: Waiting,
				Decision: found.Decision, Status: found.Status, Confidence: found.Confidence,
			})
			unsure = append(unsure, found)
			continue
		}
		one := in
		one.Text, one.Decision, one.Causes = "", found.Decision, found.Causes
		one.CodeRef = anchor.Named(d.st.Dir(), found.Sentence)
		if found.Status != accepted { // without a status an existing decision that is not in force stays as it is
			one.Status = found.Status
		}
		got, warned, err := d.record(ctx, one)
		for _, w := range warned {
			w.Line = found.Line
			out.Warnings = append(out.Warnings, w)
		}
		switch {
		case err == nil:
			got.Confidence = found.Confidence
			out.Results = append(out.Results, got)
		case fault.Is(err, fault.Invalid, fault.Broken, fault.Ambiguous, fault.Conflict):
			out.Warnings = append(out.Warnings, Warning{refused, found.Line, fault.Of(err).Error() + ": " + record.Brief(found.Decision)})
		default:
			return out, err
		}
	}
	if d.inbox != nil && len(unsure) > 0 {
		placed := fault.Must(d.inbox(ctx, unsure, in))
		for i, p := range placed[:min(len(placed), len(places))] {
			out.Results[places[i]].ID, out.Results[places[i]].File = p.ID, p.File
		}
	}
	if len(out.Results) == 0 && len(out.Warnings) == 0 {
		out.Warnings = []Warning{{noDecision, 0, "no decision was found in the text; to record all of it, give it as one decision"}}
	}
	for _, r := range out.Results {
		if r.Action == Waiting {
			continue
		}
		for _, s := range fault.Must(d.suggest(ctx, r.ID)) {
			if len(out.Suggestions) < mostSuggested && !slices.ContainsFunc(out.Results, func(o Result) bool { return o.ID == s.ID }) {
				out.Suggestions = append(out.Suggestions, s)
			}
		}
	}
	return out, nil
}

// find returns the decisions in a text. A reason inside the decision's own words is moved to its reasons.
func find(text string) []capture.Decision {
	all := capture.Find(text)
	for i := range all {
		found := &all[i]
		at := record.BecauseForm().FindStringIndex(found.Decision)
		if at == nil || len(found.Reasons) > 0 {
			continue
		}
		option, reason := strings.Trim(found.Decision[:at[0]], " ,;:("), record.InSentence(found.Decision)
		if option != "" && reason != "" {
			found.Decision, found.Reasons = option, []string{reason}
		}
	}
	return all
}
