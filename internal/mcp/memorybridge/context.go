package memorybridge

import (
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
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/setup"
	"sdd/internal/tokens"
)

type discoverArgs struct {
	ProjectRoot string `json:"project_root"`
	TaskHint    string `json:"task_hint"`
}

type discoveredProject struct {
	Status           string   `json:"status"`
	ProjectType      string   `json:"project_type"` // such as go, node, python; unknown without a manifest
	ProjectName      string   `json:"project_name"`
	Framework        string   `json:"framework"` // always empty: the manifest names it
	FactsCreated     int      `json:"facts_created"`
	DiscoveryTokens  int      `json:"discovery_tokens"`  // o200k tokens of the new facts
	SuggestedDomains []string `json:"suggested_domains"` // those of task_hint first
	LOCEstimate      int      `json:"loc_estimate"`
	FileCount        int      `json:"file_count"`
	Warnings         []string `json:"warnings"`
}

func (b bridge) discoverProject(ctx context.Context, _ *catalog.Call, a discoverArgs) (discoveredProject, error) {
	if err := b.isRoot(a.ProjectRoot); err != nil {
		return discoveredProject{}, err
	}
	found, err := b.Facts.Discover(ctx, true)
	if err != nil {
		return discoveredProject{}, err
	}
	look, err := discovery.Look(ctx, b.Store.Dir())
	if err != nil {
		return discoveredProject{}, err
	}
	out := discoveredProject{
		Status: success, ProjectType: look.Kind, ProjectName: found.Project, SuggestedDomains: found.Domains,
		LOCEstimate: look.Lines, FileCount: look.Files, Warnings: found.Warnings, FactsCreated: len(found.Facts),
	}
	for _, f := range found.Facts {
		out.DiscoveryTokens += tokens.Count(f.Content)
	}
	hint := strings.ToLower(a.TaskHint)
	named := func(domain string) int { return min(strings.Count(hint, strings.ToLower(domain)), 1) }
	slices.SortStableFunc(out.SuggestedDomains, func(a, b string) int { return named(b) - named(a) })
	out.SuggestedDomains = out.SuggestedDomains[:min(len(out.SuggestedDomains), mostNamed)]
	out.Warnings = out.Warnings[:min(len(out.Warnings), mostNamed)]
	return out, err
}

// mostNamed is the limit of the domains and warnings that the discovery of a project names.
const mostNamed = 50

// isRoot refuses a folder other than the served one.
func (b bridge) isRoot(root string) error {
	if root == "" {
		return nil
	}
	path := root
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.Store.Dir(), path)
	}
	if git.SameFile(path, b.Store.Dir()) {
		return nil
	}
	return fault.New(fault.Outside, "%q is not the folder of this server's project", fault.Cut(root, 200)).For("project_root").
		With("omit project_root, or start a server there: sdd mcp --dir FOLDER")
}

type routeArgs struct {
	Query        string `json:"query"`
	MaxTokens    int    `json:"max_tokens"`
	IncludeStale bool   `json:"include_stale"`
}

type routedContext struct {
	Status             string   `json:"status"`
	FactsCount         int      `json:"facts_count"`
	TotalTokens        int      `json:"total_tokens"`
	RoutingConfidence  float64  `json:"routing_confidence"` // the share of the question's words that occur in records
	RoutingExplanation string   `json:"routing_explanation"`
	DomainsLoaded      []string `json:"domains_loaded"`
	FallbackUsed       bool     `json:"fallback_used"` // no record answers the question: the result is only the overview
	Context            string   `json:"context"`
}

const (
	routeBudget = 2000 // tokens, without max_tokens
	leastRoute  = 50   // the smallest budget of a context
)

// routeContext changes no record. The whole result stays within max_tokens, as the context does.
func (b bridge) routeContext(ctx context.Context, call *catalog.Call, a routeArgs) (routedContext, error) {
	if a.MaxTokens == 0 {
		a.MaxTokens = routeBudget
	}
	q := answer.Query{
		Query: a.Query, MaxTokens: a.MaxTokens, Mode: answer.Route, Fresh: !a.IncludeStale, Tool: call.By(), Session: call.Client.Session,
	}
	for {
		out, err := b.route(ctx, q)
		if err != nil {
			return routedContext{}, err
		}
		over := tokens.Count(asSent(out)) - a.MaxTokens
		if over <= 0 || q.MaxTokens == leastRoute {
			return out, nil
		}
		q.MaxTokens = max(q.MaxTokens-over, leastRoute)
	}
}

func (b bridge) route(ctx context.Context, q answer.Query) (routedContext, error) {
	told, err := b.Answers.Brief(ctx, q)
	if err != nil {
		return routedContext{}, err
	}
	out := routedContext{
		Status: success, FactsCount: told.FactsCount, TotalTokens: told.TokensUsed, RoutingConfidence: math.Round(told.Known*100) / 100,
		DomainsLoaded: []string{}, FallbackUsed: told.Known == 0, Context: told.Context,
	}
	all, err := b.Facts.All(ctx)
	if err != nil {
		return routedContext{}, err
	}
	for _, f := range all {
		if f.Domain != "" && !slices.Contains(out.DomainsLoaded, f.Domain) && slices.Contains(told.Sources, f.ID) {
			out.DomainsLoaded = append(out.DomainsLoaded, f.Domain)
		}
	}
	slices.Sort(out.DomainsLoaded)
	out.RoutingExplanation = fmt.Sprintf(
		"%d records told, %d did not fit; records have %.0f %% of the question's words", told.SourcesTotal, told.OmittedTotal, 100*told.Known,
	)
	if out.FallbackUsed {
		out.RoutingExplanation = "nothing is recorded about this question; the context is the overview of the project"
	}
	return out, nil
}

type hookArgs struct {
	HookType string `json:"hook_type"`
}

type installedHook struct {
	Status   string `json:"status"`
	Message  string `json:"message"`
	HookPath string `json:"hook_path"` // relative to the work tree if it is inside
}

func (b bridge) installGitHooks(ctx context.Context, _ *catalog.Call, a hookArgs) (installedHook, error) {
	if a.HookType == "" {
		a.HookType = "post-commit"
	}
	done, err := setup.InstallHooks(ctx, b.Store.Dir(), []string{a.HookType})
	if err != nil {
		return installedHook{}, err
	}
	h := done.Hooks[0]
	if h.State != setup.HookInstalled {
		hint := h.Fix
		if len(h.Lines) > 0 {
			hint = "add by hand:\n" + strings.Join(h.Lines, "\n")
		}
		return installedHook{}, fault.New(fault.Conflict, "%s is %s and was not written: %s", h.Name, h.State, h.Text).For("hook_type").With(hint)
	}
	message := h.Name + " calls sdd already"
	if h.Changed {
		message = h.Name + " calls sdd now"
	}
	return installedHook{success, message, h.File}, nil
}

type health struct {
	Status     string           `json:"status"` // healthy, or degraded when a file is faulty
	Components healthComponents `json:"components"`
	Problems   []lookup.Problem `json:"problems"`
	L0Context  string           `json:"l0_context"` // facts about the whole project, 500 tokens at most
}

type healthComponents struct {
	Store struct {
		Status     string `json:"status"`
		FactsCount int    `json:"facts_count"`
		Domains    int    `json:"domains"`
	} `json:"store"`
	Router struct {
		Status            string `json:"status"`
		EmbeddingsEnabled bool   `json:"embeddings_enabled"`
	} `json:"router"`
	Causal struct {
		Status    string `json:"status"`
		Decisions int    `json:"decisions"`
	} `json:"causal"`
	Orchestrator struct {
		Status string `json:"status"`
	} `json:"orchestrator"`
}

const (
	overviewBudget = 500 // tokens of l0_context
	mostProblems   = 20
)

func (b bridge) healthCheck(ctx context.Context, _ *catalog.Call, _ nothing) (health, error) {
	s, err := lookup.StatusOf(ctx, b.Store, b.Index)
	if err != nil {
		return health{}, err
	}
	facts, err := b.factStats(ctx)
	if err != nil {
		return health{}, err
	}
	n, err := b.Count(ctx)
	if err != nil {
		return health{}, err
	}
	out := health{Status: "healthy", Problems: append([]lookup.Problem{}, s.Problems[:min(len(s.Problems), mostProblems)]...)}
	if len(s.Problems) > 0 {
		out.Status = "degraded"
	}
	out.Components.Store.Status, out.Components.Store.FactsCount, out.Components.Store.Domains = out.Status, facts.TotalFacts, facts.Domains
	out.Components.Router.Status, out.Components.Causal.Status, out.Components.Orchestrator.Status = "healthy", "healthy", "healthy"
	out.Components.Causal.Decisions = n.Records[string(record.Decision)]
	live, err := b.live(ctx)
	for _, f := range live {
		if f.Level != 0 {
			continue
		}
		line := f.Line() + "\n"
		if !tokens.Within(out.L0Context+line, overviewBudget) {
			break
		}
		out.L0Context += line
	}
	return out, err
}
