package memorybridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/decision/capture"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// oldCandidate is a candidate with the keys of Memory Bridge, and its id.
type oldCandidate struct {
	ID               string  `json:"id"`
	Content          string  `json:"content"`
	Confidence       float64 `json:"confidence"`
	Source           string  `json:"source"`
	SuggestedLevel   int     `json:"suggested_level"`
	SuggestedDomain  string  `json:"suggested_domain"`
	SuggestedModule  string  `json:"suggested_module"`
	FilePath         string  `json:"file_path"`  // the source file
	LineRange        []int   `json:"line_range"` // first and last line there; empty when unknown
	RequiresApproval bool    `json:"requires_approval"`
	Approved         bool    `json:"approved"`
	Rejected         bool    `json:"rejected"`
}

func candidateKeys(c *candidate.Candidate) oldCandidate {
	out := oldCandidate{
		ID: c.ID, Content: c.Content, Confidence: c.Confidence, Source: c.Source, SuggestedLevel: c.Level, SuggestedDomain: c.Domain,
		SuggestedModule: c.Module, LineRange: []int{}, RequiresApproval: c.Status == candidate.Pending, Approved: c.Status == candidate.Approved,
		Rejected: c.Status == candidate.Rejected,
	}
	if len(c.Evidence) > 0 {
		out.FilePath = c.Evidence[0].Path
		if first, last := c.Evidence[0].Range(); first > 0 {
			out.LineRange = []int{first, last}
		}
	}
	return out
}

// extracted is the result of an extraction: as many of the candidates as fit into an answer. The counts include the others.
func extracted(all []oldCandidate) keys {
	shown, approved, pending := fitting(all), 0, 0
	for _, c := range all {
		switch {
		case c.Approved:
			approved++
		case !c.Rejected:
			pending++
		}
	}
	out := keys{"candidates": append([]oldCandidate{}, shown...), "auto_approved": approved, "pending_approval": pending}
	if omitted := len(all) - len(shown); omitted > 0 {
		out["omitted"] = omitted
	}
	return out
}

// extractFacts looks for candidates in uncommitted changes; for a file without any, in the last commit that changed it.
func (b bridge) extractFacts(ctx context.Context, a args) keys {
	if a.FilePath != "" && a.Source != "file" {
		fault.Check(fault.New(fault.Invalid, "file_path goes with source file").For("file_path").With(`send "source": "file"`))
	}
	repo := fault.Must(git.Open(b.Store.Dir()))
	rev, r := "", candidate.Range{Staged: a.Source == "staged", Worktree: a.Source != "staged"}
	var paths []string
	if a.Source == "file" {
		r.Path = inRepo(repo.Top, b.Store.Dir(), a.FilePath)
		paths = []string{r.Path}
	}
	states := fault.Must(repo.Dirty(ctx, paths...))
	changes := 0
	for _, s := range states {
		if !r.Staged || s.Staged != ' ' && s.Staged != '?' {
			changes++
		}
	}
	var found []oldCandidate
	if r.Path != "" && len(states) == 0 {
		if log := fault.Must(repo.Steps(ctx, "HEAD", 1, r.Path)); len(log) > 0 {
			rev, r.Worktree, changes = log[0].ID, false, 1
		}
	}
	if changes > 0 || r.Path == "" {
		find := b.Inbox.Propose
		if a.AutoApprove {
			find = b.Inbox.Extract
		}
		report := fault.Must(find(ctx, rev, r, candidate.By{Tool: a.Tool}))
		for _, c := range slices.Concat(report.Approved, report.Candidates) {
			found = append(found, candidateKeys(&c))
		}
	}
	out := extracted(found)
	out["total_changes"] = changes
	return out
}

// inRepo returns the path in the work tree of a file whose path is absolute or relative to dir.
func inRepo(top, dir, file string) string {
	if file == "" {
		fault.Check(fault.New(fault.Invalid, "file_path is required").For("file_path").With("name the file that facts are looked for in"))
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, filepath.FromSlash(path))
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		fault.Check(fault.New(fault.NotFound, "there is no file %q", fault.Cut(file, 200)).For("file_path").
			With("give a path from the project's folder"))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	rel, err := filepath.Rel(top, path)
	if err != nil || !filepath.IsLocal(rel) {
		fault.Check(fault.New(fault.Outside, "%q lies outside of the repository", fault.Cut(file, 200)).For("file_path").
			With("give a path from the project's folder"))
	}
	return filepath.ToSlash(rel)
}

const (
	mostPending = 20  // listed candidates without a limit
	pendingText = 200 // characters of a candidate
)

func (b bridge) pendingCandidates(ctx context.Context, a args) keys {
	list, _, _, err := b.Inbox.List(ctx, candidate.Filter{Status: candidate.Pending, Limit: cmp.Or(a.Limit, mostPending)})
	fault.Check(err)
	shown := []keys{}
	for _, one := range list {
		shown = append(shown, keys{"id": one.ID, "content": fault.Cut(one.Content, pendingText), "source": one.Source,
			"confidence": one.Confidence, "domain": one.Domain, "level": one.Level})
	}
	shown = fitting(shown)
	n := fault.Must(b.Count(ctx)).Inbox()
	return keys{"candidates": shown, "count": len(shown),
		"stats": keys{"pending": n.Pending, "approved": n.Approved, "rejected": n.Rejected}}
}

func (b bridge) approveCandidate(ctx context.Context, a args) keys {
	was := fault.Must(b.Inbox.Get(ctx, a.CandidateID))
	done := fault.Must(b.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{was.ID}, Tool: a.Tool}))
	return keys{"fact_id": done[0].ID, "content": fault.Cut(was.Content, pendingText)}
}

func (b bridge) rejectCandidate(ctx context.Context, a args) keys {
	fault.Must(b.Inbox.Review(ctx, candidate.Action{Action: "reject", IDs: []string{a.CandidateID}, Tool: a.Tool}))
	return keys{"message": "rejected: it does not come back"}
}

func (b bridge) approveAllCandidates(ctx context.Context, a args) keys {
	done, err := b.Inbox.ApproveAll(ctx, 0, candidate.By{Tool: a.Tool})
	if err != nil && len(done) > 0 {
		f := *fault.Of(err)
		f.Hint = strings.TrimSpace(fmt.Sprintf("%d are approved already. %s", len(done), f.Hint))
		err = &f
	}
	fault.Check(err)
	return keys{"approved_count": len(done)}
}

const chainLinks = 5 // followed links without max_depth

// causalChain returns the decision that answers a question best, with its causes as far as they fit.
func (b bridge) causalChain(ctx context.Context, a args) keys {
	most := cmp.Or(a.MaxDepth, chainLinks)
	for depth := most; ; depth-- {
		chains := fault.Must(b.Decisions.Chains(ctx, a.Query, depth))
		if len(chains) == 0 {
			return keys{"found": false, "decision": "", "reasons": []string{}, "consequences": []string{}, "constraints": []string{},
				"total_nodes": 0, "mermaid": "", "summary": "",
				"message": "no decision has to do with it; rlm_record_causal_decision records one"}
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
			return out
		}
	}
}

func (b bridge) recordCausalDecision(ctx context.Context, a args) keys {
	in := a.Input
	out := fault.Must(b.Decisions.Record(ctx, decision.Input{Decision: in.Decision, Causes: in.Causes, Tool: in.Tool}))
	return keys{
		"decision_id": out.Results[0].ID, "decision": in.Decision, "reasons_count": len(in.Reasons),
		"consequences_count": len(in.Consequences), "constraints_count": len(in.Constraints), "alternatives_count": len(in.Alternatives),
	}
}

func (b bridge) causalStats(ctx context.Context) keys {
	links := fault.Must(b.Decisions.Graph(ctx, ""))
	all := fault.Must(b.Decisions.All(ctx))
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
	return keys{"total_nodes": nodes, "total_edges": edges, "decisions": len(all), "by_type": types}
}

// extractFromConversation finds decisions in a text; with auto_approve the confident ones become records.
func (b bridge) extractFromConversation(ctx context.Context, a args) keys {
	const source = "conversation"
	var found []oldCandidate
	if a.AutoApprove {
		for _, r := range fault.Must(b.Decisions.Record(ctx, decision.Input{Text: a.Text, Source: source, Tool: a.Tool})).Results {
			waits := r.Action == decision.Waiting
			found = append(found, oldCandidate{ID: r.ID, Content: r.Decision, Confidence: r.Confidence, Source: source, SuggestedLevel: 1,
				LineRange: []int{}, RequiresApproval: waits, Approved: !waits})
		}
		return extracted(found)
	}
	fault.Check(record.CheckText("text", a.Text))
	var list []candidate.Candidate
	for _, d := range capture.Find(a.Text) {
		list = append(list, candidate.Candidate{
			Kind: string(record.Decision), Content: d.Decision, Confidence: d.Confidence, Source: source, Signal: d.Rule, Causes: d.Causes,
			Evidence: []candidate.Evidence{{Text: d.Sentence, Lines: fmt.Sprintf("L%d", d.Line)}},
		})
	}
	seen := map[string]bool{}
	for _, s := range fault.Must(b.Inbox.Put(ctx, list, candidate.By{Tool: a.Tool})) {
		if !seen[s.ID] {
			found = append(found, candidateKeys(&s.Candidate))
		}
		seen[s.ID] = true
	}
	return extracted(found)
}
