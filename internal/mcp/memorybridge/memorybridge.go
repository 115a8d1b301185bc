// Package memorybridge offers the tools of Memory Bridge (rlm_*) under their names, with their arguments and the keys of their
// results, over the same core as sdd's own tools. It repairs Memory Bridge's defects: it stores a ttl, refreshes facts, applies
// include_stale, and returns an error with a message for empty or unknown values. Each tool belongs to the toolset of the sdd tool
// that does the same.
package memorybridge

import (
	"context"
	"errors"

	"sdd/internal/app"
	"sdd/internal/decision"
	"sdd/internal/fault"
	"sdd/internal/mcp/catalog"
	"sdd/internal/tokens"
)

// bridge is the state that the tools share.
type bridge struct {
	*app.App
	readOnly bool
}

// args are the arguments of all tools; the schema of each tool names its own.
type args struct {
	decision.Input // decision, text, source, code_ref and the causes

	Content, Query, Domain, Module string

	Level           *int
	Limit           int
	FactID          string `json:"fact_id"`
	CandidateID     string `json:"candidate_id"`
	ParentID        string `json:"parent_id"`
	TTLDays         int    `json:"ttl_days"`
	RefreshTrigger  string `json:"refresh_trigger"`
	OnExpire        string `json:"on_expire"`
	IncludeStale    bool   `json:"include_stale"`
	IncludeArchived bool   `json:"include_archived"`
	MaxTokens       int    `json:"max_tokens"`
	MaxDepth        int    `json:"max_depth"`
	ProjectRoot     string `json:"project_root"`
	TaskHint        string `json:"task_hint"`
	FilePath        string `json:"file_path"`
	AutoApprove     bool   `json:"auto_approve"`
	HookType        string `json:"hook_type"`
}

// keys is a result with Memory Bridge's keys, which the output schema of the tool describes.
type keys map[string]any

type access int

const (
	reads access = iota
	writes
	deletes
	expires // writes, unless the server or the store is read-only
)

// Tools returns the tools in Memory Bridge's order.
func Tools(w *app.App, readOnly bool) (all []catalog.Tool) {
	b := bridge{w, readOnly}
	for _, t := range []struct {
		name, toolset string
		access        access
		title, about  string
		call          func(ctx context.Context, a args) keys
	}{
		{"rlm_discover_project", "context", writes, "Discover the project", "Find out what this project is and keep it as facts.",
			b.discoverProject},
		{"rlm_route_context", "context", reads, "Route context",
			"What this project knows about a question, within a token budget. sdd_context does more.", b.routeContext},
		{"rlm_extract_facts", "context", writes, "Extract facts", "Find facts and decisions in changes; they wait for approval.",
			b.extractFacts},
		{"rlm_approve_fact", "context", writes, "Approve a fact", "Keep a fact that somebody vouches for.", b.approveFact},
		{"rlm_add_hierarchical_fact", "context", writes, "Add a fact", "Keep a fact at a level: 0 project, 1 domain, 2 module, 3 code.",
			b.addHierarchicalFact},
		{"rlm_get_causal_chain", "decide", reads, "Get a causal chain",
			"Why something was decided: the decision that answers a question, with its causes.", b.causalChain},
		{"rlm_record_causal_decision", "decide", writes, "Record a decision", "Keep what was decided, and why.", b.recordCausalDecision},
		{"rlm_set_ttl", "context", writes, "Set a lifetime", "Say how long a fact holds without being looked at.", b.setTTL},
		{"rlm_get_stale_facts", "context", expires, "Get stale facts", "Expire what is due and list the facts to be looked at.", b.staleFacts},
		{"rlm_index_embeddings", "context", reads, "Index",
			"How many facts can be found. They are indexed when they are saved: this need not be called.", b.indexEmbeddings},
		{"rlm_get_hierarchy_stats", "context", reads, "Get figures", "How many facts and decisions there are.", b.hierarchyStats},
		{"rlm_get_facts_by_domain", "context", reads, "Get the facts of a domain", "The facts of one domain.", b.factsByDomain},
		{"rlm_list_domains", "context", reads, "List domains", "The domains that facts have.", b.listDomains},
		{"rlm_refresh_fact", "context", writes, "Refresh a fact", "Say that a fact was looked at and holds: its time begins again.",
			b.moveFact("refresh", "its time begins again")},
		{"rlm_delete_fact", "context", deletes, "Delete a fact", "Archive a fact: it does not count any more, and can be brought back.",
			b.moveFact("delete", "archived; sdd_review action resurrect brings it back")},

		{"rlm_install_git_hooks", "context", writes, "Install git hooks", "Let git tell of new commits, so that facts are found in them.",
			b.installGitHooks},
		{"rlm_health_check", "context", reads, "Check health", "What the store holds and whether something is wrong with it.", b.healthCheck},
		{"rlm_get_pending_candidates", "review", reads, "Get pending candidates", "What was found and waits for approval.",
			b.pendingCandidates},
		{"rlm_approve_candidate", "review", writes, "Approve a candidate", "Make a record of a candidate.", b.approveCandidate},
		{"rlm_reject_candidate", "review", writes, "Reject a candidate", "Turn a candidate down: it does not come back.", b.rejectCandidate},
		{"rlm_approve_all_candidates", "review", writes, "Approve all candidates", "Make records of all candidates that wait.",
			b.approveAllCandidates},
		{"rlm_extract_from_conversation", "decide", writes, "Extract from a conversation",
			"Find decisions in a conversation; they wait for approval.", b.extractFromConversation},
	} {
		all = append(all, catalog.Tool{
			Name: t.name, Toolset: t.toolset, Title: t.title, Description: t.about, Idempotent: true, ReadOnly: t.access == reads,
			Writes: t.access == writes || t.access == deletes, Destructive: t.access == deletes,
			Call: catalog.Handler(func(ctx context.Context, call *catalog.Call, a args) (catalog.Result, error) {
				a.Tool, a.Session = call.By(), call.Client.Session
				out, err := a.answer(ctx, t.call)
				return catalog.Result{Structured: out}, a.renamed(err)
			}),
		})
	}
	return all
}

// answer calls a tool, whose steps end it by fault.Check.
func (a args) answer(ctx context.Context, call func(ctx context.Context, a args) keys) (out keys, err error) {
	defer fault.Caught(&err)
	out = call(ctx, a)
	if out["status"] == nil {
		out["status"] = "success"
	}
	return out, nil
}

// renamed gives the argument of a fault the tool's name instead of the core's.
func (a args) renamed(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	out := *f
	for _, arg := range []struct {
		core, old string
		given     bool
	}{
		{"ids", "fact_id", a.FactID != ""}, {"ids", "candidate_id", a.CandidateID != ""}, {"depth", "max_depth", a.MaxDepth > 0},
		{"id", "parent_id", a.ParentID != ""}, {"parent", "parent_id", a.ParentID != ""},
		{"refresh_on", "refresh_trigger", a.RefreshTrigger != ""},
	} {
		if arg.given && f.Arg == arg.core {
			out.Arg = arg.old
		}
	}
	return &out
}

// mostTokens is the limit of a result without its own budget.
const mostTokens = 8000

// fitting returns as many of the things as fit into a result.
func fitting[T any](all []T) []T {
	return all[:tokens.Room(len(all), func(n int) bool { return tokens.WithinJSON(all[:n], mostTokens-200) })]
}
