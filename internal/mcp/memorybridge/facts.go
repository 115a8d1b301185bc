package memorybridge

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// levelNames are Memory Bridge's names of the levels of facts.
var levelNames = []string{"L0_PROJECT", "L1_DOMAIN", "L2_MODULE", "L3_CODE"}

const (
	mostStale = 20  // listed facts
	staleText = 100 // characters of a fact
)

// addFact stores the fact of a at confidence 1; without a level it has the usual one.
func (b bridge) addFact(ctx context.Context, a args, usual int) fact.Stored {
	if a.Level != nil {
		usual = *a.Level
	}
	return fault.Must(b.Facts.Add(ctx, fact.Input{Content: a.Content, Level: usual, Domain: a.Domain, Module: a.Module, CodeRef: a.CodeRef,
		Parent: a.ParentID, Confidence: 1, TTLDays: a.TTLDays, Tool: a.Tool}))
}

// approveFact stores a fact. If the inbox has it, the fact gets its evidence.
func (b bridge) approveFact(ctx context.Context, a args) keys {
	id := record.HexID(record.IDPrefix(record.Fact), a.Content, nil)
	if waits, err := b.Inbox.Get(ctx, id); err == nil && (waits.Status == candidate.Pending || waits.Status == candidate.Queued) {
		fault.Must(b.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{id}, Tool: a.Tool}))
	}
	out := b.addFact(ctx, a, 1)
	return keys{"fact_id": out.ID, "content": a.Content, "level": out.Level, "domain": a.Domain}
}

func (b bridge) addHierarchicalFact(ctx context.Context, a args) keys {
	if a.ParentID != "" {
		fault.Must(b.Facts.Get(ctx, a.ParentID))
	}
	out := b.addFact(ctx, a, 0)
	return keys{"fact_id": out.ID, "content": a.Content, "level": levelNames[out.Level], "domain": a.Domain, "module": a.Module}
}

// markStale is Memory Bridge's name for on_expire's stale, and its default.
const markStale = "mark_stale"

func (b bridge) setTTL(ctx context.Context, a args) keys {
	a.OnExpire = cmp.Or(a.OnExpire, markStale)
	act := fact.Action{Action: "refresh", IDs: []string{a.FactID}, TTLDays: a.TTLDays, RefreshOn: a.RefreshTrigger, OnExpire: a.OnExpire,
		Tool: a.Tool}
	if act.OnExpire == markStale {
		act.OnExpire = "stale"
	}
	done := fault.Must(b.Facts.Review(ctx, act))
	return keys{"fact_id": done.Items[0].ID, "ttl_days": a.TTLDays, "refresh_trigger": a.RefreshTrigger, "on_expire": a.OnExpire}
}

// staleFacts updates expired facts, unless the server or the store is read-only, and lists the stale ones.
func (b bridge) staleFacts(ctx context.Context, a args) keys {
	failures := []string{}
	moves, err := b.Facts.GC(ctx, !b.readOnly, false, a.Tool)
	if fault.Is(err, fault.Unwritable) {
		failures = append(failures, fault.FailureOf(err).Message)
	} else {
		fault.Check(err)
	}
	moved := map[string]int{}
	for _, m := range moves {
		moved[m.To]++
	}
	count, shown := 0, []keys{}
	for _, f := range fault.Must(b.Facts.All(ctx)) {
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
	return keys{"stale_count": count, "stale_facts": shown, "ttl_report": report}
}

func (b bridge) moveFact(action, message string) func(context.Context, args) keys {
	return func(ctx context.Context, a args) keys {
		done := fault.Must(b.Facts.Review(ctx, fact.Action{Action: action, IDs: []string{a.FactID}, Tool: a.Tool}))
		return keys{"fact_id": done.Items[0].ID, "message": message}
	}
}

func (b bridge) indexEmbeddings(ctx context.Context, _ args) keys {
	return keys{"indexed_count": len(b.live(ctx)), "message": "facts are indexed when they are saved or edited; nothing was left to do"}
}

// live returns the active and the stale facts.
func (b bridge) live(ctx context.Context) []fact.Fact {
	return slices.DeleteFunc(slices.Clone(fault.Must(b.Facts.All(ctx))), func(f fact.Fact) bool { return !f.Live() })
}

// factsByDomain counts the facts that it leaves out for space; sdd_search finds them.
func (b bridge) factsByDomain(ctx context.Context, a args) keys {
	count, shown, left := 0, []keys{}, mostTokens
	for _, f := range b.live(ctx) {
		stale := f.State == "stale"
		if !strings.EqualFold(f.Domain, strings.TrimSpace(a.Domain)) || stale && !a.IncludeStale {
			continue
		}
		one := keys{"id": f.ID, "content": f.Content, "level": levelNames[f.Level], "module": f.Module, "is_stale": stale}
		if text := tokens.JSON(one); len(shown) == count && tokens.Within(text, left) {
			left -= tokens.Count(text)
			shown = append(shown, one)
		}
		count++
	}
	return keys{"domain": a.Domain, "facts_count": count, "facts": shown, "omitted": count - len(shown)}
}

func (b bridge) listDomains(ctx context.Context, _ args) keys {
	counts := domainCounts(b.live(ctx))
	names := slices.Sorted(maps.Keys(counts))
	list := func(n int) keys { // the total includes domains left out for space
		shown := map[string]int{}
		for _, name := range names[:n] {
			shown[name] = counts[name]
		}
		return keys{"domains": append([]string{}, names[:n]...), "domain_counts": shown, "total_domains": len(names)}
	}
	return list(tokens.Room(len(names), func(n int) bool { return tokens.WithinJSON(list(n), mostTokens-200) }))
}

func domainCounts(facts []fact.Fact) map[string]int {
	counts := map[string]int{}
	for _, f := range facts {
		if f.Domain != "" {
			counts[f.Domain]++
		}
	}
	return counts
}

func (b bridge) hierarchyStats(ctx context.Context, _ args) keys {
	live, n := b.live(ctx), fault.Must(b.Count(ctx))
	levels := map[string]int{}
	for _, name := range levelNames {
		levels[name] = 0
	}
	for _, f := range live {
		levels[levelNames[f.Level]]++
	}
	of := n.Statuses[string(record.Fact)]
	facts := keys{"total_facts": n.Living[string(record.Fact)], "by_level": levels, "stale_facts": of["stale"],
		"archived_facts": of["archived"], "with_embeddings": 0, "domains": len(domainCounts(live))}
	return keys{"memory_store": facts, "causal_chains": b.causalStats(ctx)}
}
