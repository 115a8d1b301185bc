package memorybridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/mcp/catalog"
	"sdd/internal/mcp/transport"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// levelNames are the levels of facts as the other server calls them.
var levelNames = []string{"L0_PROJECT", "L1_DOMAIN", "L2_MODULE", "L3_CODE"}

const (
	mostStale   = 20   // facts that are listed
	staleText   = 100  // characters of one of them
	mostOfFacts = 8000 // tokens of a list of facts
)

// calledAs is a fault of the core as it concerns a tool whose argument has another name.
func calledAs(err error, core, old string) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Arg != core {
		return err
	}
	out := *f
	out.Arg = old
	return &out
}

type oldFactArgs struct {
	Content  string `json:"content"`
	Level    *int   `json:"level"`
	Domain   string `json:"domain"`
	Module   string `json:"module"`
	CodeRef  string `json:"code_ref"`
	ParentID string `json:"parent_id"`
	TTLDays  int    `json:"ttl_days"`
}

type approvedFact struct {
	Status  string `json:"status"`
	FactID  string `json:"fact_id"`
	Content string `json:"content"`
	Level   int    `json:"level"`
	Domain  string `json:"domain"`
}

// approveFact stores a fact at confidence 1. Where it waits in the inbox, its evidence goes with it.
func (c bridge) approveFact(ctx context.Context, call *catalog.Call, a oldFactArgs) (approvedFact, error) {
	level := 1
	if a.Level != nil {
		level = *a.Level
	}
	id := record.HexID(record.IDPrefix(record.Fact), a.Content, nil)
	if waits, err := c.Inbox.Get(ctx, id); err == nil && (waits.Status == candidate.Pending || waits.Status == candidate.Queued) {
		if _, err := c.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{id}, By: candidate.By{Tool: call.By()}}); err != nil {
			return approvedFact{}, err
		}
	}
	out, err := c.Facts.Add(ctx, fact.Input{Content: a.Content, Level: level, Domain: a.Domain, Module: a.Module, Confidence: 1, Tool: call.By()})
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

func (c bridge) addHierarchicalFact(ctx context.Context, call *catalog.Call, a oldFactArgs) (addedFact, error) {
	level := 0
	if a.Level != nil {
		level = *a.Level
	}
	if a.ParentID != "" {
		if _, err := c.Facts.Get(ctx, a.ParentID); err != nil {
			return addedFact{}, calledAs(err, "id", "parent_id")
		}
	}
	out, err := c.Facts.Add(ctx, fact.Input{
		Content: a.Content, Level: level, Domain: a.Domain, Module: a.Module, CodeRef: a.CodeRef, Parent: a.ParentID,
		Confidence: 1, TTLDays: a.TTLDays, Tool: call.By(),
	})
	if err != nil {
		return addedFact{}, calledAs(err, "parent", "parent_id")
	}
	return addedFact{success, out.ID, a.Content, levelNames[out.Level], a.Domain, a.Module}, nil
}

type ttlArgs struct {
	FactID         string `json:"fact_id"`
	TTLDays        int    `json:"ttl_days"`
	RefreshTrigger string `json:"refresh_trigger"`
	OnExpire       string `json:"on_expire"`
}

type ttlSet struct {
	Status         string `json:"status"`
	FactID         string `json:"fact_id"`
	TTLDays        int    `json:"ttl_days"`
	RefreshTrigger string `json:"refresh_trigger"`
	OnExpire       string `json:"on_expire"`
}

// markStale is on_expire's stale in the words of the other server, and its default.
const markStale = "mark_stale"

func (c bridge) setTTL(ctx context.Context, call *catalog.Call, a ttlArgs) (ttlSet, error) {
	if a.OnExpire == "" {
		a.OnExpire = markStale
	}
	t := fact.TTL{Days: float64(a.TTLDays), RefreshOn: a.RefreshTrigger, OnExpire: a.OnExpire}
	if t.OnExpire == markStale {
		t.OnExpire = "stale"
	}
	done, err := c.Facts.SetTTL(ctx, []string{a.FactID}, t, call.By())
	if err != nil {
		return ttlSet{}, calledAs(calledAs(err, "ids", "fact_id"), "refresh_on", "refresh_trigger")
	}
	return ttlSet{success, done.Items[0].ID, a.TTLDays, a.RefreshTrigger, a.OnExpire}, nil
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

// staleFacts writes down what has expired, unless the server or the store is read-only, and lists what is stale.
func (c bridge) staleFacts(ctx context.Context, call *catalog.Call, a staleArgs) (staleList, error) {
	out := staleList{Status: success, StaleFacts: []staleFact{}, TTLReport: ttlReport{Errors: []string{}}}
	moves, err := c.Facts.GC(ctx, !c.readOnly, false, call.By())
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
	all, err := c.Facts.All(ctx)
	if err != nil {
		return out, err
	}
	for n := range all {
		f := &all[n]
		if f.State != "stale" && (f.State != "archived" || !a.IncludeArchived) {
			continue
		}
		if out.StaleCount++; len(out.StaleFacts) < mostStale {
			out.StaleFacts = append(out.StaleFacts, staleFact{f.ID, fault.Cut(f.Content, staleText), levelNames[f.Level], f.Domain, f.Created, f.State})
		}
	}
	return out, nil
}

type oldFactID struct {
	FactID string `json:"fact_id"`
}

type factDone struct {
	Status  string `json:"status"`
	FactID  string `json:"fact_id"`
	Message string `json:"message"`
}

func (c bridge) refreshFact(ctx context.Context, call *catalog.Call, a oldFactID) (factDone, error) {
	done, err := c.Facts.Refresh(ctx, []string{a.FactID}, call.By())
	if err != nil {
		return factDone{}, calledAs(err, "ids", "fact_id")
	}
	return factDone{success, done.Items[0].ID, "its time begins again"}, nil
}

func (c bridge) deleteFact(ctx context.Context, call *catalog.Call, a oldFactID) (factDone, error) {
	done, err := c.Facts.Delete(ctx, []string{a.FactID}, false, call.By())
	if err != nil {
		return factDone{}, calledAs(err, "ids", "fact_id")
	}
	return factDone{success, done.Items[0].ID, "archived; sdd_review action resurrect brings it back"}, nil
}

type indexedCount struct {
	Status       string `json:"status"`
	IndexedCount int    `json:"indexed_count"`
	Message      string `json:"message"`
}

func (c bridge) indexEmbeddings(ctx context.Context, _ *catalog.Call, _ nothing) (indexedCount, error) {
	all, err := c.Facts.All(ctx)
	n := 0
	for i := range all {
		if all[i].Live() {
			n++
		}
	}
	return indexedCount{success, n, "facts are indexed when they are saved or edited; nothing was left to do"}, err
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
	Omitted    int          `json:"omitted"` // that did not fit; sdd_search finds them
}

type domainFact struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Level   string `json:"level"`
	Module  string `json:"module"`
	IsStale bool   `json:"is_stale"`
}

func (c bridge) factsByDomain(ctx context.Context, _ *catalog.Call, a domainArgs) (domainFacts, error) {
	out := domainFacts{Status: success, Domain: a.Domain, Facts: []domainFact{}}
	all, err := c.Facts.All(ctx)
	if err != nil {
		return out, err
	}
	left := mostOfFacts
	for n := range all {
		f := &all[n]
		if !f.Live() || !strings.EqualFold(f.Domain, strings.TrimSpace(a.Domain)) || f.State == "stale" && !a.IncludeStale {
			continue
		}
		out.FactsCount++
		one := domainFact{f.ID, f.Content, levelNames[f.Level], f.Module, f.State == "stale"}
		raw, err := transport.Encode(one)
		if err != nil {
			return out, err
		}
		if out.Omitted > 0 || !tokens.Within(string(raw), left) {
			out.Omitted++
			continue
		}
		left -= tokens.Count(string(raw))
		out.Facts = append(out.Facts, one)
	}
	return out, nil
}

type domainList struct {
	Status       string         `json:"status"`
	Domains      []string       `json:"domains"`
	DomainCounts map[string]int `json:"domain_counts"`
	TotalDomains int            `json:"total_domains"`
}

func (c bridge) listDomains(ctx context.Context, _ *catalog.Call, _ nothing) (domainList, error) {
	counts, err := c.domainCounts(ctx)
	names := slices.Sorted(maps.Keys(counts))
	list := func(n int) domainList { // all of them count, also those that do not fit
		shown := map[string]int{}
		for _, name := range names[:n] {
			shown[name] = counts[name]
		}
		return domainList{success, append([]string{}, names[:n]...), shown, len(names)}
	}
	return list(catalog.Room(len(names), func(n int) bool { return tokens.WithinJSON(list(n), mostOfFacts) })), err
}

// domainCounts counts the facts that count by domain.
func (c bridge) domainCounts(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	all, err := c.Facts.All(ctx)
	for n := range all {
		if f := &all[n]; f.Domain != "" && f.Live() {
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
	TotalFacts     int            `json:"total_facts"` // that count: active and stale ones
	ByLevel        map[string]int `json:"by_level"`
	StaleFacts     int            `json:"stale_facts"`
	ArchivedFacts  int            `json:"archived_facts"`
	WithEmbeddings int            `json:"with_embeddings"`
	Domains        int            `json:"domains"`
}

func (c bridge) hierarchyStats(ctx context.Context, _ *catalog.Call, _ nothing) (hierarchyStats, error) {
	facts, err := c.factStats(ctx)
	if err != nil {
		return hierarchyStats{}, err
	}
	causal, err := c.causalStats(ctx)
	return hierarchyStats{success, facts, causal}, err
}

func (c bridge) factStats(ctx context.Context) (factStats, error) {
	s := factStats{ByLevel: map[string]int{}}
	for _, name := range levelNames {
		s.ByLevel[name] = 0
	}
	all, err := c.Facts.All(ctx)
	if err != nil {
		return s, err
	}
	for n := range all {
		f := &all[n]
		if f.Live() {
			s.ByLevel[levelNames[f.Level]]++
		}
	}
	n, err := c.Count(ctx)
	if err != nil {
		return s, err
	}
	of := n.Statuses[string(record.Fact)]
	s.TotalFacts, s.StaleFacts, s.ArchivedFacts = n.Living[string(record.Fact)], of["stale"], of["archived"]
	counts, err := c.domainCounts(ctx)
	s.Domains = len(counts)
	return s, err
}
