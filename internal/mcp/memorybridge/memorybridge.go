// Package memorybridge offers the tools of Memory Bridge (rlm_*) under their names, with their arguments and the keys of their
// results, over the same core as sdd's own tools. It repairs Memory Bridge's defects: it stores a ttl, refreshes facts, applies
// include_stale, and returns an error with a message for empty or unknown values. Each tool belongs to the toolset of the sdd tool
// that does the same.
package memorybridge

import (
	"context"

	"sdd/internal/app"
	"sdd/internal/mcp/catalog"
	"sdd/internal/mcp/transport"
)

// bridge is the state that the tools share.
type bridge struct {
	*app.App
	readOnly bool
}

// Tools returns the tools in Memory Bridge's order.
func Tools(w *app.App, readOnly bool) []catalog.Tool {
	b := bridge{w, readOnly}
	return []catalog.Tool{
		{Name: "rlm_discover_project", Toolset: "context", Title: "Discover the project", Writes: true, Idempotent: true,
			Description: "Find out what this project is and keep it as facts.", Call: oldKeys(b.discoverProject)},
		{Name: "rlm_route_context", Toolset: "context", Title: "Route context", ReadOnly: true, Idempotent: true,
			Description: "What this project knows about a question, within a token budget. sdd_context does more.", Call: oldKeys(b.routeContext)},
		{Name: "rlm_extract_facts", Toolset: "context", Title: "Extract facts", Writes: true, Idempotent: true,
			Description: "Find facts and decisions in changes; they wait for approval.", Call: oldKeys(b.extractFacts)},
		{Name: "rlm_approve_fact", Toolset: "context", Title: "Approve a fact", Writes: true, Idempotent: true,
			Description: "Keep a fact that somebody vouches for.", Call: oldKeys(b.approveFact)},
		{Name: "rlm_add_hierarchical_fact", Toolset: "context", Title: "Add a fact", Writes: true, Idempotent: true,
			Description: "Keep a fact at a level: 0 project, 1 domain, 2 module, 3 code.", Call: oldKeys(b.addHierarchicalFact)},
		{Name: "rlm_get_causal_chain", Toolset: "decide", Title: "Get a causal chain", ReadOnly: true, Idempotent: true,
			Description: "Why something was decided: the decision that answers a question, with its causes.", Call: oldKeys(b.causalChain)},
		{Name: "rlm_record_causal_decision", Toolset: "decide", Title: "Record a decision", Writes: true, Idempotent: true,
			Description: "Keep what was decided, and why.", Call: oldKeys(b.recordCausalDecision)},
		{Name: "rlm_set_ttl", Toolset: "context", Title: "Set a lifetime", Writes: true, Idempotent: true,
			Description: "Say how long a fact holds without being looked at.", Call: oldKeys(b.setTTL)},
		{Name: "rlm_get_stale_facts", Toolset: "context", Title: "Get stale facts", Idempotent: true,
			Description: "Expire what is due and list the facts to be looked at.", Call: oldKeys(b.staleFacts)},
		{Name: "rlm_index_embeddings", Toolset: "context", Title: "Index", ReadOnly: true, Idempotent: true,
			Description: "How many facts can be found. They are indexed when they are saved: this need not be called.",
			Call:        oldKeys(b.indexEmbeddings)},
		{Name: "rlm_get_hierarchy_stats", Toolset: "context", Title: "Get figures", ReadOnly: true, Idempotent: true,
			Description: "How many facts and decisions there are.", Call: oldKeys(b.hierarchyStats)},
		{Name: "rlm_get_facts_by_domain", Toolset: "context", Title: "Get the facts of a domain", ReadOnly: true, Idempotent: true,
			Description: "The facts of one domain.", Call: oldKeys(b.factsByDomain)},
		{Name: "rlm_list_domains", Toolset: "context", Title: "List domains", ReadOnly: true, Idempotent: true,
			Description: "The domains that facts have.", Call: oldKeys(b.listDomains)},
		{Name: "rlm_refresh_fact", Toolset: "context", Title: "Refresh a fact", Writes: true, Idempotent: true,
			Description: "Say that a fact was looked at and holds: its time begins again.", Call: oldKeys(b.refreshFact)},
		{Name: "rlm_delete_fact", Toolset: "context", Title: "Delete a fact", Writes: true, Idempotent: true, Destructive: true,
			Description: "Archive a fact: it does not count any more, and can be brought back.", Call: oldKeys(b.deleteFact)},

		{Name: "rlm_install_git_hooks", Toolset: "context", Title: "Install git hooks", Writes: true, Idempotent: true,
			Description: "Let git tell of new commits, so that facts are found in them.", Call: oldKeys(b.installGitHooks)},
		{Name: "rlm_health_check", Toolset: "context", Title: "Check health", ReadOnly: true, Idempotent: true,
			Description: "What the store holds and whether something is wrong with it.", Call: oldKeys(b.healthCheck)},
		{Name: "rlm_get_pending_candidates", Toolset: "review", Title: "Get pending candidates", ReadOnly: true, Idempotent: true,
			Description: "What was found and waits for approval.", Call: oldKeys(b.pendingCandidates)},
		{Name: "rlm_approve_candidate", Toolset: "review", Title: "Approve a candidate", Writes: true, Idempotent: true,
			Description: "Make a record of a candidate.", Call: oldKeys(b.approveCandidate)},
		{Name: "rlm_reject_candidate", Toolset: "review", Title: "Reject a candidate", Writes: true, Idempotent: true,
			Description: "Turn a candidate down: it does not come back.", Call: oldKeys(b.rejectCandidate)},
		{Name: "rlm_approve_all_candidates", Toolset: "review", Title: "Approve all candidates", Writes: true, Idempotent: true,
			Description: "Make records of all candidates that wait.", Call: oldKeys(b.approveAllCandidates)},
		{Name: "rlm_extract_from_conversation", Toolset: "decide", Title: "Extract from a conversation", Writes: true, Idempotent: true,
			Description: "Find decisions in a conversation; they wait for approval.", Call: oldKeys(b.extractFromConversation)},
	}
}

// oldKeys makes a Tool.Call of a function whose result has Memory Bridge's keys. The text of the result is its
// JSON.
func oldKeys[A, R any](
	f func(ctx context.Context, call *catalog.Call, args A) (R, error),
) func(context.Context, *catalog.Call) (catalog.Result, error) {
	return catalog.Handler(func(ctx context.Context, call *catalog.Call, args A) (catalog.Result, error) {
		r, err := f(ctx, call, args)
		if err != nil {
			return catalog.Result{}, err
		}
		return catalog.Result{Structured: r}, nil
	})
}

// keys is a result with Memory Bridge's keys, which the output schema of the tool describes.
type keys map[string]any

// asSent returns v as JSON.
func asSent(v any) string {
	raw, _ := transport.Encode(v)
	return string(raw)
}

// success is the status of every result.
const success = "success"

// nothing is the type of arguments for a tool without any.
type nothing struct{}
