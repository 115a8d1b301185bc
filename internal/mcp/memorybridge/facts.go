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

// approveFact stores a fact at confidence 1. If the inbox has it, the fact gets its evidence.
func (b bridge) approveFact(ctx context.Context, call *catalog.Call, a factArgs) (keys, error) {
	id := record.HexID(record.IDPrefix(record.Fact), a.Content, nil)
	if waits, err := b.Inbox.Get(ctx, id); err == nil && (waits.Status == candidate.Pending || waits.Status == candidate.Queued) {
		if _, err := b.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{id}, Tool: call.By()}); err != nil {
			return nil, err
		}
	}
	out, err := b.Facts.Add(
		ctx, fact.Input{Content: a.Content, Level: a.level(1), Domain: a.Domain, Module: a.Module, Confidence: 1, Tool: call.By()},
	)
	return keys{"status": success, "fact_id": out.ID, "content": a.Content, "level": out.Level, "domain": a.Domain}, err
}

func (b bridge) addHierarchicalFact(ctx context.Context, call *catalog.Call, a factArgs) (keys, error) {
	if a.ParentID != "" {
		if _, err := b.Facts.Get(ctx, a.ParentID); err != nil {
			return nil, calledAs(err, "id", "parent_id")
		}
	}
	out, err := b.Facts.Add(ctx, fact.Input{
		Content: a.Content, Level: a.level(0), Domain: a.Domain, Module: a.Module, CodeRef: a.CodeRef, Parent: a.ParentID,
		Confidence: 1, TTLDays: a.TTLDays, Tool: call.By(),
	})
	return keys{"status": success, "fact_id": out.ID, "content": a.Content, "level": levelNames[out.Level], "domain": a.Domain,
		"module": a.Module}, calledAs(err, "parent", "parent_id")
}

type ttlArgs struct {
	FactID         string `json:"fact_id"`
	TTLDays        int    `json:"ttl_days"`
	RefreshTrigger string `json:"refresh_trigger"`
	OnExpire       string `json:"on_expire"`
}

// markStale is Memory Bridge's name for on_expire's stale, and its default.
const markStale = "mark_stale"

func (b bridge) setTTL(ctx context.Context, call *catalog.Call, a ttlArgs) (keys, error) {
	if a.OnExpire == "" {
		a.OnExpire = markStale
	}
	t := fact.Action{
		Action: "refresh", IDs: []string{a.FactID}, TTLDays: a.TTLDays, RefreshOn: a.RefreshTrigger, OnExpire: a.OnExpire, Tool: call.By(),
	}
	if t.OnExpire == markStale {
		t.OnExpire = "stale"
	}
	done, err := b.Facts.Review(ctx, t)
	if err != nil {
		return nil, calledAs(calledAs(err, "ids", "fact_id"), "refresh_on", "refresh_trigger")
	}
	return keys{"status": success, "fact_id": done.Items[0].ID, "ttl_days": a.TTLDays, "refresh_trigger": a.RefreshTrigger,
		"on_expire": a.OnExpire}, nil
}

type staleArgs struct {
	IncludeArchived bool `json:"include_archived"`
}

// staleFacts updates expired facts, unless the server or the store is read-only, and lists the stale ones.
func (b bridge) staleFacts(ctx context.Context, call *catalog.Call, a staleArgs) (keys, error) {
	failures := []string{}
	moves, err := b.Facts.GC(ctx, !b.readOnly, false, call.By())
	if err != nil {
		if !fault.Is(err, fault.Unwritable) {
			return nil, err
		}
		failures = append(failures, fault.FailureOf(err).Message)
	}
	moved := map[string]int{}
	for _, m := range moves {
		moved[m.To]++
	}
	count, shown := 0, []keys{}
	all, err := b.Facts.All(ctx)
	for _, f := range all {
		if f.State != "stale" && (f.State != "archived" || !a.IncludeArchived) {
			continue
		}
		if count++; len(shown) < mostStale {
			shown = append(shown, keys{"id": f.ID, "content": fault.Cut(f.Content, staleText), "level": levelNames[f.Level], "domain": f.Domain,
				"created_at": f.Created, "state": f.State})
		}
	}
	report := keys{"processed": len(moves), "marked_stale": moved["stale"], "archived": moved["archived"], "deleted": 0, "refreshed": 0,
		"errors": failures}
	return keys{"status": success, "stale_count": count, "stale_facts": shown, "ttl_report": report}, err
}

type factID struct {
	FactID string `json:"fact_id"`
}

// movedFact is the result of a change of one fact's state.
func movedFact(done fact.Reviewed, err error, message string) (keys, error) {
	if err != nil {
		return nil, calledAs(err, "ids", "fact_id")
	}
	return keys{"status": success, "fact_id": done.Items[0].ID, "message": message}, nil
}

func (b bridge) refreshFact(ctx context.Context, call *catalog.Call, a factID) (keys, error) {
	done, err := b.Facts.Review(ctx, fact.Action{Action: "refresh", IDs: []string{a.FactID}, Tool: call.By()})
	return movedFact(done, err, "its time begins again")
}

func (b bridge) deleteFact(ctx context.Context, call *catalog.Call, a factID) (keys, error) {
	done, err := b.Facts.Review(ctx, fact.Action{Action: "delete", IDs: []string{a.FactID}, Tool: call.By()})
	return movedFact(done, err, "archived; sdd_review action resurrect brings it back")
}

func (b bridge) indexEmbeddings(ctx context.Context, _ *catalog.Call, _ nothing) (keys, error) {
	live, err := b.live(ctx)
	return keys{"status": success, "indexed_count": len(live),
		"message": "facts are indexed when they are saved or edited; nothing was left to do"}, err
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

// factsByDomain counts the facts that it leaves out for space; sdd_search finds them.
func (b bridge) factsByDomain(ctx context.Context, _ *catalog.Call, a domainArgs) (keys, error) {
	count, shown, left := 0, []keys{}, mostOfFacts
	live, err := b.live(ctx)
	for _, f := range live {
		stale := f.State == "stale"
		if !strings.EqualFold(f.Domain, strings.TrimSpace(a.Domain)) || stale && !a.IncludeStale {
			continue
		}
		one := keys{"id": f.ID, "content": f.Content, "level": levelNames[f.Level], "module": f.Module, "is_stale": stale}
		if text := asSent(one); len(shown) == count && tokens.Within(text, left) {
			left -= tokens.Count(text)
			shown = append(shown, one)
		}
		count++
	}
	return keys{"status": success, "domain": a.Domain, "facts_count": count, "facts": shown, "omitted": count - len(shown)}, err
}

func (b bridge) listDomains(ctx context.Context, _ *catalog.Call, _ nothing) (keys, error) {
	counts, err := b.domainCounts(ctx)
	names := slices.Sorted(maps.Keys(counts))
	list := func(n int) keys { // the counts include facts left out for space
		shown := map[string]int{}
		for _, name := range names[:n] {
			shown[name] = counts[name]
		}
		return keys{"status": success, "domains": append([]string{}, names[:n]...), "domain_counts": shown, "total_domains": len(names)}
	}
	return list(tokens.Room(len(names), func(n int) bool { return tokens.WithinJSON(list(n), mostOfFacts) })), err
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

func (b bridge) hierarchyStats(ctx context.Context, _ *catalog.Call, _ nothing) (keys, error) {
	levels := map[string]int{}
	for _, name := range levelNames {
		levels[name] = 0
	}
	live, err := b.live(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range live {
		levels[levelNames[f.Level]]++
	}
	n, err := b.Count(ctx)
	if err != nil {
		return nil, err
	}
	domains, err := b.domainCounts(ctx)
	if err != nil {
		return nil, err
	}
	causal, err := b.causalStats(ctx)
	of := n.Statuses[string(record.Fact)]
	facts := keys{"total_facts": n.Living[string(record.Fact)], "by_level": levels, "stale_facts": of["stale"],
		"archived_facts": of["archived"], "with_embeddings": 0, "domains": len(domains)}
	return keys{"status": success, "memory_store": facts, "causal_chains": causal}, err
}
