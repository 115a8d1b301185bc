package memorybridge

import (
	"context"
	"fmt"
	"slices"

	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/decision/capture"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

type chainArgs struct {
	Query    string `json:"query"`
	MaxDepth int    `json:"max_depth"`
}

type causalChain struct {
	Status       string   `json:"status"`
	Found        bool     `json:"found"`
	Decision     string   `json:"decision"`
	Reasons      []string `json:"reasons"`
	Consequences []string `json:"consequences"`
	Constraints  []string `json:"constraints"`
	TotalNodes   int      `json:"total_nodes"`
	Mermaid      string   `json:"mermaid"`
	Summary      string   `json:"summary"`
	Message      string   `json:"message,omitempty"`
}

const (
	chainLinks  = 5    // followed links without max_depth
	mostOfChain = 8000 // tokens of a result
)

// causalChain returns the decision that answers a question best, with its causes. It follows a chain less far
// when the result would be too long.
func (b bridge) causalChain(ctx context.Context, _ *catalog.Call, a chainArgs) (causalChain, error) {
	if a.MaxDepth == 0 {
		a.MaxDepth = chainLinks
	}
	for depth := a.MaxDepth; ; depth-- {
		out, err := b.chain(ctx, a.Query, depth)
		if err != nil {
			return out, calledAs(err, "depth", "max_depth")
		}
		if tokens.Within(asSent(out), mostOfChain) || depth == 1 {
			if depth < a.MaxDepth {
				out.Message = fmt.Sprintf("followed %d links far, not %d: more is too long for an answer", depth, a.MaxDepth)
			}
			return out, nil
		}
	}
}

func (b bridge) chain(ctx context.Context, query string, depth int) (causalChain, error) {
	out := causalChain{Status: success, Reasons: []string{}, Consequences: []string{}, Constraints: []string{}}
	chains, err := b.Decisions.Chains(ctx, query, depth)
	if err != nil {
		return out, err
	}
	if len(chains) == 0 {
		out.Message = "no decision has to do with it; rlm_record_causal_decision records one"
		return out, nil
	}
	best := chains[0]
	out.Found, out.Decision, out.TotalNodes = true, best.Root.Choice(), len(best.Nodes)
	out.Reasons = append(out.Reasons, best.Root.Because...)
	out.Consequences = append(out.Consequences, best.Root.Consequences...)
	out.Constraints = append(out.Constraints, best.Root.Constraints...)
	out.Mermaid, out.Summary = best.Mermaid(), best.Text()
	return out, nil
}

func (b bridge) recordCausalDecision(ctx context.Context, call *catalog.Call, in decision.Input) (keys, error) {
	in.Tool = call.By()
	out, err := b.Decisions.Record(ctx, in)
	if err != nil {
		return nil, err
	}
	return keys{
		"status": success, "decision_id": out.Results[0].ID, "decision": in.Decision, "reasons_count": len(in.Reasons),
		"consequences_count": len(in.Consequences), "constraints_count": len(in.Constraints), "alternatives_count": len(in.Alternatives),
	}, nil
}

func (b bridge) causalStats(ctx context.Context) (keys, error) {
	links, err := b.Decisions.Graph(ctx, "")
	if err != nil {
		return nil, err
	}
	all, err := b.Decisions.All(ctx)
	if err != nil {
		return nil, err
	}
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
	return keys{"total_nodes": nodes, "total_edges": edges, "decisions": len(all), "by_type": types}, nil
}

type conversationArgs struct {
	Text        string `json:"text"`
	AutoApprove bool   `json:"auto_approve"`
}

type extracted struct {
	Status          string         `json:"status"`
	Candidates      []oldCandidate `json:"candidates"`
	AutoApproved    int            `json:"auto_approved"`
	PendingApproval int            `json:"pending_approval"`
	Omitted         int            `json:"omitted,omitempty"` // candidates left out for space; the counts include them
}

// within returns e with as many candidates as fit into an answer.
func (e extracted) within() extracted {
	all := e.Candidates
	n := tokens.Room(len(all), func(n int) bool { return tokens.WithinJSON(all[:n], mostOfFacts-200) })
	e.Candidates, e.Omitted = all[:n], len(all)-n
	return e
}

// extractFromConversation finds decisions in a text. With auto_approve the confident ones become records; the others stay
// in the inbox.
func (b bridge) extractFromConversation(ctx context.Context, call *catalog.Call, a conversationArgs) (extracted, error) {
	out := extracted{Status: success, Candidates: []oldCandidate{}}
	if a.AutoApprove {
		done, err := b.Decisions.Record(ctx, decision.Input{Text: a.Text, Source: "conversation", Tool: call.By()})
		if err != nil {
			return out, err
		}
		for _, r := range done.Results {
			waits := r.Action == decision.Waiting
			out.add(oldCandidate{ID: r.ID, Content: r.Decision, Confidence: r.Confidence, Source: "conversation", SuggestedLevel: 1,
				LineRange: []int{}, RequiresApproval: waits, Approved: !waits})
		}
		return out.within(), nil
	}
	if err := record.CheckText("text", a.Text); err != nil {
		return out, err
	}
	var list []candidate.Candidate
	for _, d := range capture.Find(a.Text) {
		list = append(list, candidate.Candidate{
			Kind: string(record.Decision), Content: d.Decision, Confidence: d.Confidence, Source: "conversation", Signal: d.Rule, Causes: d.Causes,
			Evidence: []candidate.Evidence{{Text: d.Sentence, Lines: fmt.Sprintf("L%d", d.Line)}},
		})
	}
	stored, err := b.Inbox.Put(ctx, list, candidate.By{Tool: call.By()})
	for _, s := range stored {
		if !slices.ContainsFunc(out.Candidates, func(o oldCandidate) bool { return o.ID == s.ID }) {
			out.add(candidateKeys(&s.Candidate))
		}
	}
	return out.within(), err
}

func (e *extracted) add(c oldCandidate) {
	e.Candidates = append(e.Candidates, c)
	switch {
	case c.Approved:
		e.AutoApproved++
	case !c.Rejected:
		e.PendingApproval++
	}
}
