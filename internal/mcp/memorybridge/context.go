package memorybridge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/discovery"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/setup"
	"sdd/internal/tokens"
)

func (b bridge) discoverProject(ctx context.Context, a args) keys {
	b.isRoot(a.ProjectRoot)
	found := fault.Must(b.Facts.Discover(ctx, true))
	look := fault.Must(discovery.Look(ctx, b.Store.Dir()))
	created := 0
	for _, f := range found.Facts {
		created += tokens.Count(f.Content)
	}
	hint := strings.ToLower(a.TaskHint)
	named := func(domain string) int { return min(strings.Count(hint, strings.ToLower(domain)), 1) }
	slices.SortStableFunc(found.Domains, func(a, b string) int { return named(b) - named(a) })
	return keys{
		"project_type": look.Kind, "project_name": found.Project, "framework": "", "facts_created": len(found.Facts),
		"discovery_tokens": created, "suggested_domains": found.Domains[:min(len(found.Domains), mostNamed)],
		"loc_estimate": look.Lines, "file_count": look.Files, "warnings": found.Warnings[:min(len(found.Warnings), mostNamed)],
	}
}

// mostNamed is the limit of the domains and warnings that the discovery of a project names.
const mostNamed = 50

// isRoot refuses a folder other than the served one.
func (b bridge) isRoot(root string) {
	path := root
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.Store.Dir(), path)
	}
	if root != "" && !git.SameFile(path, b.Store.Dir()) {
		fault.Check(fault.New(fault.Outside, "%q is not the folder of this server's project", fault.Cut(root, 200)).For("project_root").
			With("omit project_root, or start a server there: sdd mcp --dir FOLDER"))
	}
}

const (
	routeBudget = 2000 // tokens, without max_tokens
	leastRoute  = 50   // the smallest budget of a context
)

// routeContext changes no record. The whole result stays within max_tokens, as the context does.
func (b bridge) routeContext(ctx context.Context, a args) keys {
	most := cmp.Or(a.MaxTokens, routeBudget)
	q := answer.Query{Query: a.Query, MaxTokens: most, Mode: answer.Route, Fresh: !a.IncludeStale, Session: a.Session}
	for {
		out := b.route(ctx, q)
		over := tokens.Count(tokens.JSON(out)) - most
		if over <= 0 || q.MaxTokens == leastRoute {
			return out
		}
		q.MaxTokens = max(q.MaxTokens-over, leastRoute)
	}
}

func (b bridge) route(ctx context.Context, q answer.Query) keys {
	told := fault.Must(b.Answers.Brief(ctx, q))
	domains := []string{}
	for _, f := range fault.Must(b.Facts.All(ctx)) {
		if f.Domain != "" && !slices.Contains(domains, f.Domain) && slices.Contains(told.Sources, f.ID) {
			domains = append(domains, f.Domain)
		}
	}
	slices.Sort(domains)
	why := fmt.Sprintf("%d records told, %d did not fit; records have %.0f %% of the question's words",
		told.SourcesTotal, told.OmittedTotal, 100*told.Known)
	if told.Known == 0 {
		why = "nothing is recorded about this question; the context is the overview of the project"
	}
	return keys{
		"status": "success", "facts_count": told.FactsCount, "total_tokens": told.TokensUsed, "context": told.Context,
		"routing_confidence":  math.Round(told.Known*100) / 100, // the share of the question's words that occur in records
		"routing_explanation": why, "domains_loaded": domains,
		"fallback_used": told.Known == 0, // no record answers the question: the result is only the overview
	}
}

func (b bridge) installGitHooks(ctx context.Context, a args) keys {
	done := fault.Must(setup.InstallHooks(ctx, b.Store.Dir(), []string{cmp.Or(a.HookType, "post-commit")}))
	h := done.Hooks[0]
	if h.State != setup.HookInstalled {
		hint := h.Fix
		if len(h.Lines) > 0 {
			hint = "add by hand:\n" + strings.Join(h.Lines, "\n")
		}
		fault.Check(fault.New(fault.Conflict, "%s is %s and was not written: %s", h.Name, h.State, h.Text).For("hook_type").With(hint))
	}
	message := h.Name + " calls sdd already"
	if h.Changed {
		message = h.Name + " calls sdd now"
	}
	return keys{"message": message, "hook_path": h.File} // relative to the work tree if it is inside
}

const (
	overviewBudget = 500 // tokens of l0_context
	mostProblems   = 20
)

// healthCheck reports a store with a faulty file as degraded. l0_context are facts about the whole project.
func (b bridge) healthCheck(ctx context.Context, _ args) keys {
	s, n, live := fault.Must(lookup.StatusOf(ctx, b.Store, b.Index)), fault.Must(b.Count(ctx)), b.live(ctx)
	status, overview := "healthy", ""
	if len(s.Problems) > 0 {
		status = "degraded"
	}
	for _, f := range live {
		if f.Level != 0 {
			continue
		}
		line := f.Line() + "\n"
		if !tokens.Within(overview+line, overviewBudget) {
			break
		}
		overview += line
	}
	return keys{
		"status": status, "problems": append([]lookup.Problem{}, s.Problems[:min(len(s.Problems), mostProblems)]...), "l0_context": overview,
		"components": keys{
			"store":        keys{"status": status, "facts_count": n.Living[string(record.Fact)], "domains": len(domainCounts(live))},
			"router":       keys{"status": "healthy", "embeddings_enabled": false},
			"causal":       keys{"status": "healthy", "decisions": n.Records[string(record.Decision)]},
			"orchestrator": keys{"status": "healthy"},
		},
	}
}
