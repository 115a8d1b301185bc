package memorybridge

import (
	"context"
	"fmt"

	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/decision/capture"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

const chainLinks = 5 // followed links without max_depth

// causalChain returns the decision that answers a question best, with its causes. It follows a chain less far
// when the result would be too long.
func (b bridge) causalChain(ctx context.Context, a args) (keys, error) {
	most := a.MaxDepth
	if most == 0 {
		most = chainLinks
	}
	for depth := most; ; depth-- {
		chains, err := b.Decisions.Chains(ctx, a.Query, depth)
		if err != nil {
			return nil, err
		}
		if len(chains) == 0 {
			return keys{"found": false, "decision": "", "reasons": []string{}, "consequences": []string{}, "constraints": []string{},
				"total_nodes": 0, "mermaid": "", "summary": "",
				"message": "no decision has to do with it; rlm_record_causal_decision records one"}, nil
		}
		best := chains[0]
		root := best.Root
		out := keys{"found": true, "decision": root.Choice(), "reasons": append([]string{}, root.Because...),
			"consequences": append([]string{}, root.Consequences...), "constraints": append([]string{}, root.Constraints...),
			"total_nodes": len(best.Nodes), "mermaid": best.Mermaid(), "summary": best.Text()}
		if tokens.WithinJSON(out, mostTokens-50) || depth == 1 {
			if depth < most {
				out["message"] = fmt.Sprintf("followed %d links far, not %d: more is too long for an answer", depth, most)
			}
			return out, nil
		}
	}
}

func (b bridge) recordCausalDecision(ctx context.Context, a args) (keys, error) {
	in := a.Input
	out, err := b.Decisions.Record(ctx, decision.Input{Decision: in.Decision, Causes: in.Causes, Tool: in.Tool})
	if err != nil {
		return nil, err
	}
	return keys{
		"decision_id": out.Results[0].ID, "decision": in.Decision, "reasons_count": len(in.Reasons),
		"consequences_count": len(in.Consequences), "constraints_count": len(in.Constraints), "alternatives_count": len(in.Alternatives),
	}, nil
}

func (b bridge) causalStats(ctx context.Context) (keys, error) {
	links, err := b.Decisions.Graph(ctx, "")
	if err != nil {
		return nil, err
	}
	all, err := b.Decisions.All(ctx)
	types, edges, nodes := map[string]int{}, len(links.Edges), len(all)
	for n := range all {
		d := &all[n]
		types["decision"]++
		for kind, texts := range map[string][]string{
			"reason": d.Because, "consequence": d.Consequences, "constraint": d.Constraints, "alternative": d.Alternatives,
			"assumption": d.Assumptions,
		} {
			types[kind] += len(texts)
			edges += len(texts)
			nodes += len(texts)
		}
	}
	return keys{"total_nodes": nodes, "total_edges": edges, "decisions": len(all), "by_type": types}, err
}

// extractFromConversation finds decisions in a text. With auto_approve the confident ones become records; the others stay
// in the inbox.
func (b bridge) extractFromConversation(ctx context.Context, a args) (keys, error) {
	const source = "conversation"
	var found []oldCandidate
	if a.AutoApprove {
		done, err := b.Decisions.Record(ctx, decision.Input{Text: a.Text, Source: source, Tool: a.Tool})
		for _, r := range done.Results {
			waits := r.Action == decision.Waiting
			found = append(found, oldCandidate{ID: r.ID, Content: r.Decision, Confidence: r.Confidence, Source: source, SuggestedLevel: 1,
				LineRange: []int{}, RequiresApproval: waits, Approved: !waits})
		}
		return extracted(found), err
	}
	if err := record.CheckText("text", a.Text); err != nil {
		return nil, err
	}
	var list []candidate.Candidate
	for _, d := range capture.Find(a.Text) {
		list = append(list, candidate.Candidate{
			Kind: string(record.Decision), Content: d.Decision, Confidence: d.Confidence, Source: source, Signal: d.Rule, Causes: d.Causes,
			Evidence: []candidate.Evidence{{Text: d.Sentence, Lines: fmt.Sprintf("L%d", d.Line)}},
		})
	}
	stored, err := b.Inbox.Put(ctx, list, candidate.By{Tool: a.Tool})
	seen := map[string]bool{}
	for _, s := range stored {
		if !seen[s.ID] {
			found = append(found, candidateKeys(&s.Candidate))
		}
		seen[s.ID] = true
	}
	return extracted(found), err
}
