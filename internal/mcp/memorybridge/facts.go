package memorybridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/candidate"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// levelNames are Memory Bridge's names of the levels of facts.
var levelNames = []string{"L0_PROJECT", "L1_DOMAIN", "L2_MODULE", "L3_CODE"}

const (
	mostStale   = 20   // listed facts
	staleText   = 100  // characters of a fact
	mostOfFacts = 8000 // tokens of a list of facts
)

// calledAs renames the argument of a fault from the core's name to the tool's.
func calledAs(err error, core, old string) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Arg != core {
		return err
	}
	out := *f
	out.Arg = old
	return &out
}

type factArgs struct {
	Content  string        `json:"content"`
	Level    *int          `json:"level"`
	Domain   string        `json:"domain"`
	Module   string        `json:"module"`
	CodeRef  anchor.Places `json:"code_ref"`
	ParentID string        `json:"parent_id"`
	TTLDays  int           `json:"ttl_days"`
}

// level returns the given level, else usual.
func (a factArgs) level(usual int) int {
	if a.Level != nil {
		return *a.Level
	}
	return usual
}

type approvedFact struct {
	Status  string `json:"status"`
	FactID  string `json:"fact_id"`
	Content string `json:"content"`
	Level   int    `json:"level"`
	Domain  string `json:"domain"`
}

// approveFact stores a fact at confidence 1. If the inbox has it, the fact gets its evidence.
func (b bridge) approveFact(ctx context.Context, call *catalog.Call, a factArgs) (approvedFact, error) {
	id := record.HexID(record.IDPrefix(record.Fact), a.Content, nil)
	if waits, err := b.Inbox.Get(ctx, id); err == nil && (waits.Status == candidate.Pending || waits.Status == candidate.Queued) {
		if _, err := b.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{id}, By: candidate.By{Tool: call.By()}}); err != nil {
			return approvedFact{}, err
		}
	}
	out, err := b.Facts.Add(
		ctx, fact.Input{Content: a.Content, Level: a.level(1), Domain: a.Domain, Module: a.Module, Confidence: 1, Tool: call.By()},
	)
	return approvedFact{success, out.ID, a.Content, out.Level, a.Domain}, err
}

type addedFact struct {
	Status  string `json:"status"`
	FactID  string `json:"fact_id"`
	Content string `json:"content"`
	Level   string `json:"level"`
	Domain  string `json:"domain"`
	Module  string `json:"module"`
}

func (b bridge) addHierarchicalFact(ctx context.Context, call *catalog.Call, a factArgs) (addedFact, error) {
	if a.ParentID != "" {
		if _, err := b.Facts.Get(ctx, a.ParentID); err != nil {
			return addedFact{}, calledAs(err, "id", "parent_id")
		}
	}
	out, err := b.Facts.Add(ctx, fact.Input{
		Content: a.Content, Level: a.level(0), Domain: a.Domain, Module: a.Module, CodeRef: a.CodeRef, Parent: a.ParentID,
		Confidence: 1, TTLDays: a.TTLDays, Tool: call.By(),
	})
	return addedFact{success, out.ID, a.Content, levelNames[out.Level], a.Domain, a.Module}, calledAs(err, "parent", "parent_id")
}

type ttlArgs struct {
	FactID         string `json:"fact_id"`
	TTLDays        int    `json:"ttl_days"`
	RefreshTrigger string `json:"refresh_trigger"`
	OnExpire       string `json:"on_expire"`
}

type ttlSet struct {
	Status string `json:"status"`
	ttlArgs
}

// markStale is Memory Bridge's name for on_expire's stale, and its default.
const markStale = "mark_stale"

func (b bridge) setTTL(ctx context.Context, call *catalog.Call, a ttlArgs) (ttlSet, error) {
	if a.OnExpire == "" {
		a.OnExpire = markStale
	}
	t := fact.TTL{Days: float64(a.TTLDays), RefreshOn: a.RefreshTrigger, OnExpire: a.OnExpire}
	if t.OnExpire == markStale {
		t.OnExpire = "stale"
	}
	done, err := b.Facts.SetTTL(ctx, []string{a.FactID}, t, call.By())
	if err != nil {
		return ttlSet{}, calledAs(calledAs(err, "ids", "fact_id"), "refresh_on", "refresh_trigger")
	}
	a.FactID = done.Items[0].ID
	return ttlSet{success, a}, nil
}

type staleArgs struct {
	IncludeArchived bool `json:"include_archived"`
}

type staleList struct {
	Status     string      `json:"status"`
	StaleCount int         `json:"stale_count"`
	StaleFacts []staleFact `json:"stale_facts"`
	TTLReport  ttlReport   `json:"ttl_report"`
}

type staleFact struct {
	ID        string `json:"id"`
	Content   string `json:"content"`
	Level     string `json:"level"`
	Domain    string `json:"domain"`
	CreatedAt string `json:"created_at"`
	State     string `json:"state"`
}

type ttlReport struct {
	Processed   int      `json:"processed"`
	MarkedStale int      `json:"marked_stale"`
	Archived    int      `json:"archived"`
	Deleted     int      `json:"deleted"`
	Refreshed   int      `json:"refreshed"`
	Errors      []string `json:"errors"`
}

// staleFacts updates expired facts, unless the server or the store is read-only, and lists the stale ones.
func (b bridge) staleFacts(ctx context.Context, call *catalog.Call, a staleArgs) (staleList, error) {
	out := staleList{Status: success, StaleFacts: []staleFact{}, TTLReport: ttlReport{Errors: []string{}}}
	moves, err := b.Facts.GC(ctx, !b.readOnly, false, call.By())
	if err != nil {
		if !fault.Is(err, fault.Unwritable) {
			return out, err
		}
		out.TTLReport.Errors = append(out.TTLReport.Errors, fault.FailureOf(err).Message)
	}
	for _, m := range moves {
		out.TTLReport.Processed++
		switch m.To {
		case "stale":
			out.TTLReport.MarkedStale++
		case "archived":
			out.TTLReport.Archived++
		}
	}
	all, err := b.Facts.All(ctx)
	for _, f := range all {
		if f.State != "stale" && (f.State != "archived" || !a.IncludeArchived) {
			continue
		}
		if out.StaleCount++; len(out.StaleFacts) < mostStale {
			out.StaleFacts = append(
				out.StaleFacts, staleFact{f.ID, fault.Cut(f.Content, staleText), levelNames[f.Level], f.Domain, f.Created, f.State},
			)
		}
	}
	return out, err
}

type factID struct {
	FactID string `json:"fact_id"`
}

type factDone struct {
	Status  string `json:"status"`
	FactID  string `json:"fact_id"`
	Message string `json:"message"`
}

// movedFact is the result of a change of one fact's state.
func movedFact(done fact.Reviewed, err error, message string) (factDone, error) {
	if err != nil {
		return factDone{}, calledAs(err, "ids", "fact_id")
	}
	return factDone{success, done.Items[0].ID, message}, nil
}

func (b bridge) refreshFact(ctx context.Context, call *catalog.Call, a factID) (factDone, error) {
	done, err := b.Facts.Refresh(ctx, []string{a.FactID}, call.By())
	return movedFact(done, err, "its time begins again")
}

func (b bridge) deleteFact(ctx context.Context, call *catalog.Call, a factID) (factDone, error) {
	done, err := b.Facts.Delete(ctx, []string{a.FactID}, false, call.By())
	return movedFact(done, err, "archived; sdd_review action resurrect brings it back")
}

type indexedCount struct {
	Status       string `json:"status"`
	IndexedCount int    `json:"indexed_count"`
	Message      string `json:"message"`
}

func (b bridge) indexEmbeddings(ctx context.Context, _ *catalog.Call, _ nothing) (indexedCount, error) {
	live, err := b.live(ctx)
	return indexedCount{success, len(live), "facts are indexed when they are saved or edited; nothing was left to do"}, err
}

// live returns the active and the stale facts.
func (b bridge) live(ctx context.Context) ([]fact.Fact, error) {
	all, err := b.Facts.All(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(f fact.Fact) bool { return !f.Live() }), err
}

type domainArgs struct {
	Domain       string `json:"domain"`
	IncludeStale bool   `json:"include_stale"`
}

type domainFacts struct {
	Status     string       `json:"status"`
	Domain     string       `json:"domain"`
	FactsCount int          `json:"facts_count"`
	Facts      []domainFact `json:"facts"`
	Omitted    int          `json:"omitted"` // facts left out for space; sdd_search finds them
}

type domainFact struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Level   string `json:"level"`
	Module  string `json:"module"`
	IsStale bool   `json:"is_stale"`
}

func (b bridge) factsByDomain(ctx context.Context, _ *catalog.Call, a domainArgs) (domainFacts, error) {
	out := domainFacts{Status: success, Domain: a.Domain, Facts: []domainFact{}}
	live, err := b.live(ctx)
	left := mostOfFacts
	for _, f := range live {
		stale := f.State == "stale"
		if !strings.EqualFold(f.Domain, strings.TrimSpace(a.Domain)) || stale && !a.IncludeStale {
			continue
		}
		out.FactsCount++
		one := domainFact{f.ID, f.Content, levelNames[f.Level], f.Module, stale}
		text := asSent(one)
		if out.Omitted > 0 || !tokens.Within(text, left) {
			out.Omitted++
			continue
		}
		left -= tokens.Count(text)
		out.Facts = append(out.Facts, one)
	}
	return out, err
}

type domainList struct {
	Status       string         `json:"status"`
	Domains      []string       `json:"domains"`
	DomainCounts map[string]int `json:"domain_counts"`
	TotalDomains int            `json:"total_domains"`
}

func (b bridge) listDomains(ctx context.Context, _ *catalog.Call, _ nothing) (domainList, error) {
	counts, err := b.domainCounts(ctx)
	names := slices.Sorted(maps.Keys(counts))
	list := func(n int) domainList { // the counts include facts left out for space
		shown := map[string]int{}
		for _, name := range names[:n] {
			shown[name] = counts[name]
		}
		return domainList{success, append([]string{}, names[:n]...), shown, len(names)}
	}
	return list(catalog.Room(len(names), func(n int) bool { return tokens.WithinJSON(list(n), mostOfFacts) })), err
}

// domainCounts counts the active and the stale facts of each domain.
func (b bridge) domainCounts(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	live, err := b.live(ctx)
	for _, f := range live {
		if f.Domain != "" {
			counts[f.Domain]++
		}
	}
	return counts, err
}

type hierarchyStats struct {
	Status       string      `json:"status"`
	MemoryStore  factStats   `json:"memory_store"`
	CausalChains causalStats `json:"causal_chains"`
}

type factStats struct {
	TotalFacts     int            `json:"total_facts"` // active and stale
	ByLevel        map[string]int `json:"by_level"`
	StaleFacts     int            `json:"stale_facts"`
	ArchivedFacts  int            `json:"archived_facts"`
	WithEmbeddings int            `json:"with_embeddings"`
	Domains        int            `json:"domains"`
}

func (b bridge) hierarchyStats(ctx context.Context, _ *catalog.Call, _ nothing) (hierarchyStats, error) {
	facts, err := b.factStats(ctx)
	if err != nil {
		return hierarchyStats{}, err
	}
	causal, err := b.causalStats(ctx)
	return hierarchyStats{success, facts, causal}, err
}

func (b bridge) factStats(ctx context.Context) (factStats, error) {
	s := factStats{ByLevel: map[string]int{}}
	for _, name := range levelNames {
		s.ByLevel[name] = 0
	}
	live, err := b.live(ctx)
	if err != nil {
		return s, err
	}
	for _, f := range live {
		s.ByLevel[levelNames[f.Level]]++
	}
	n, err := b.Count(ctx)
	if err != nil {
		return s, err
	}
	of := n.Statuses[string(record.Fact)]
	s.TotalFacts, s.StaleFacts, s.ArchivedFacts = n.Living[string(record.Fact)], of["stale"], of["archived"]
	counts, err := b.domainCounts(ctx)
	s.Domains = len(counts)
	return s, err
}
