package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/answer/embed"
	"sdd/internal/candidate"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Status is the number of records, the problems of the store and the figures of its use cases.
type Status struct {
	lookup.Status
	Counts
	Inbox      candidate.Numbers `json:"inbox"`
	Ideas      map[string]int    `json:"ideas"` // by colour and status, such as "yellow active"
	Facts      Facts             `json:"facts"`
	Decisions  Decisions         `json:"decisions"`
	Discovery  *Discovery        `json:"discovery,omitempty"` // nil if this machine has made none
	Context    answer.Usage      `json:"context"`
	Changed    int               `json:"changed_code"`         // records whose code has changed or is gone
	Embeddings *embed.State      `json:"embeddings,omitempty"` // none are configured
}

// Facts are the numbers of facts.
type Facts struct {
	ByLevel map[string]int `json:"by_level"` // of active and stale facts
	ByState map[string]int `json:"by_state"` // the effective status
}

// Decisions are the numbers of decisions, including those in the project's own folders.
type Decisions struct {
	ByStatus       map[string]int `json:"by_status"`       // by effective status
	WithCause      int            `json:"with_cause"`      // with a reason, or a link to another decision
	CausalCoverage float64        `json:"causal_coverage"` // the share of those, 0 to 1; 0 without decisions
}

// Discovery is the last discovery of the project on this machine.
type Discovery struct {
	At     string `json:"at"`
	TookMS int64  `json:"took_ms,omitempty"` // not known where its facts came with a clone
}

// Status reads the whole store. It writes only pending counts.
func (w *App) Status(ctx context.Context) (Status, error) {
	s := Status{Ideas: map[string]int{}, Facts: Facts{map[string]int{}, map[string]int{}}, Decisions: Decisions{ByStatus: map[string]int{}}}
	var err error
	if s.Status, err = lookup.StatusOf(ctx, w.Store, w.Index); err != nil {
		return s, err
	}
	if s.Counts, err = w.Count(ctx); err != nil || !s.Exists {
		return s, err
	}
	s.Inbox = s.Counts.Inbox()
	for _, color := range record.Colors {
		for status, n := range s.Statuses[color] {
			s.Ideas[color+" "+status] = n
		}
	}
	s.Facts.ByState = s.of(record.Fact)
	facts, err := w.Facts.All(ctx)
	if err != nil {
		return s, err
	}
	for n := range facts {
		if f := &facts[n]; f.Live() {
			s.Facts.ByLevel[strconv.Itoa(f.Level)]++
		}
	}
	decisions, err := w.Decisions.All(ctx)
	if err != nil {
		return s, err
	}
	says := caused(decisions)
	for n := range decisions {
		if says(&decisions[n]) {
			s.Decisions.WithCause++
		}
	}
	s.Decisions.ByStatus = s.of(record.Decision)
	if len(decisions) > 0 {
		s.Decisions.CausalCoverage = float64(s.Decisions.WithCause) / float64(len(decisions))
	}
	if at, took, ok := w.Facts.LastDiscovery(); ok {
		s.Discovery = &Discovery{at, took.Milliseconds()}
	}
	changed, err := w.Alarms(ctx)
	if err != nil {
		return s, err
	}
	s.Changed = len(changed)
	if s.Context, err = w.Answers.Usage(ctx); err != nil {
		return s, err
	}
	if state, ok, err := w.Embeddings.State(); err == nil && ok { // sdd check reports errors in config.yaml
		s.Embeddings = &state
	}
	return s, nil
}

// of are the records of a kind by status.
func (c Counts) of(k record.Kind) map[string]int {
	if n := c.Statuses[string(k)]; n != nil {
		return n
	}
	return map[string]int{}
}

// Text renders the status for a person.
func (s Status) Text() string {
	if !s.Exists {
		return fmt.Sprintf("no store yet in %s (project %s); the first save makes it\n", s.Root, s.Project)
	}
	lines := []string{fmt.Sprintf("%s/%s (project %s)", s.Root, store.Folder, s.Project)}
	for _, k := range record.Kinds {
		n, other := s.Records[string(k)], s.Elsewhere[string(k)]
		if n == 0 || k == record.Candidate { // the line of the inbox counts them
			continue
		}
		line := fmt.Sprintf("%6d %s", n, k)
		if other > 0 {
			line += fmt.Sprintf(", %d of them %s", other, elsewhereOf[k])
		}
		lines = append(lines, line)
	}
	for _, p := range s.Problems {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text))
	}
	return strings.Join(slices.Concat(lines, s.Pending, s.Lines(), []string{""}), "\n")
}

// elsewhereOf names the place of records outside .sdd.
var elsewhereOf = map[record.Kind]string{
	record.Decision: "in the project's own folders", record.Fact: "found and not stored",
}

// Lines are the figures that are not empty, a line each.
func (s Status) Lines() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if text := strings.TrimSuffix(s.Inbox.Text(), "\n"); text != "" {
		add("%s", text)
	}
	if len(s.Facts.ByState) > 0 {
		text := "facts: " + counts(s.Facts.ByState)
		if len(s.Facts.ByLevel) > 0 {
			text += "; active and stale by level:"
			for _, level := range slices.Sorted(maps.Keys(s.Facts.ByLevel)) {
				text += fmt.Sprintf(" L%s %d", level, s.Facts.ByLevel[level])
			}
		}
		add("%s", text)
	}
	if len(s.Ideas) > 0 {
		add("ideas: %s", counts(s.Ideas))
	}
	if len(s.Decisions.ByStatus) > 0 {
		add("decisions: %s; %.0f %% have a reason or a link", counts(s.Decisions.ByStatus), 100*s.Decisions.CausalCoverage)
	}
	if s.Changed > 0 {
		add("%s", needALook(s.Changed))
	}
	if d := s.Discovery; d != nil {
		took := ""
		if d.TookMS > 0 {
			took = fmt.Sprintf(", in %d ms", d.TookMS)
		}
		add("discovery: %s%s", d.At, took)
	}
	if c := s.Context; c.Since != "" {
		text := fmt.Sprintf("context: calls since %s: %d", c.Since, c.Calls)
		if c.Sessions > 0 {
			text += fmt.Sprintf(", %.1f a session", c.CallsPerSession)
		}
		if c.Unused > 0 {
			text += fmt.Sprintf("; facts unused for %d days: %d", answer.UnusedDays, c.Unused)
		}
		add("%s", text)
	}
	if e := s.Embeddings; e != nil {
		text := fmt.Sprintf("embeddings: %s at %s, %d records have vectors, %d not yet", e.Model, e.Server, e.Records, e.Missing)
		switch {
		case !e.Trusted:
			text += "; not trusted on this machine: sdd trust"
		case e.Failed != "":
			text += "; left alone for a minute: " + e.Failed
		}
		add("%s", text)
	}
	return lines
}

// counts lists numbers in the order of their names.
func counts(m map[string]int) string {
	names := slices.Sorted(maps.Keys(m))
	for n, name := range names {
		names[n] = fmt.Sprintf("%d %s", m[name], name)
	}
	return strings.Join(names, ", ")
}
