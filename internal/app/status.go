package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sdd/internal/answer"
	"sdd/internal/answer/embed"
	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Only this file computes the effective status of records and their numbers.

// counted is the part of a record that Count and Standing need.
type counted struct {
	kind           record.Kind
	name           string // its kind, of an idea its colour
	status, stated string // the effective status, "" of a candidate that is now a record; and the status in the file
	file           string // "" of a decision in the project's own folders, a fact that could not be stored, a candidate in the queue
	source         string
}

// each calls f for every record of those kinds; without kinds, for all except explorations.
func (w *App) each(ctx context.Context, f func(counted), kinds ...record.Kind) (err error) {
	defer fault.Caught(&err)
	wanted := func(k record.Kind) bool { return len(kinds) == 0 || slices.Contains(kinds, k) }
	if !w.Store.Exists() {
		return nil
	}
	if wanted(record.Idea) {
		for _, i := range fault.Must(w.Learnings.Newest(ctx)) {
			f(counted{record.Idea, i.Color, i.Effective(), i.Status, i.File, ""})
		}
	}
	if wanted(record.Fact) {
		for _, one := range fault.Must(w.Facts.All(ctx)) {
			f(counted{record.Fact, string(record.Fact), one.State, one.Status, one.File, one.Source})
		}
	}
	if wanted(record.Decision) {
		for _, d := range fault.Must(w.Decisions.All(ctx)) {
			file := d.File
			if d.InPlace {
				file = ""
			}
			f(counted{record.Decision, string(record.Decision), d.Effective(), d.Status, file, d.Source})
		}
	}
	if wanted(record.Candidate) {
		all, done, err := w.Inbox.All(ctx)
		fault.Check(err)
		for n := range all {
			f(counted{record.Candidate, string(record.Candidate), all[n].Status, all[n].Status, all[n].File, ""})
		}
		for n := range done {
			f(counted{record.Candidate, string(record.Candidate), "", done[n].Status, done[n].File, ""})
		}
	}
	return nil
}

// Standing returns the effective status of those records of the kinds whose file has another status.
func (w *App) Standing(ctx context.Context, kinds ...record.Kind) (index.Standing, error) {
	s := index.Standing{}
	return s, w.each(ctx, func(o counted) {
		if o.file != "" && o.status != o.stated {
			s[strings.TrimPrefix(o.file, store.Folder+"/")] = o.status
		}
	}, kinds...)
}

// Search finds records; see lookup.Search. Without a status in the query it computes the effective status only of those
// facts that are in the result, so that it need not read all facts: time alone never makes a fact outdated.
func (w *App) Search(ctx context.Context, q lookup.Query) (_ lookup.Found, err error) {
	defer fault.Caught(&err)
	kinds := []record.Kind{record.Idea, record.Decision, record.Candidate}
	if q.Status != "" {
		kinds = append(kinds, record.Fact)
	}
	if t, err := record.ParseType(q.Type); err == nil {
		kinds = slices.DeleteFunc(kinds, func(k record.Kind) bool { return k != t.Kind })
	}
	ctx = w.Index.Call(ctx)
	if commits := w.commits.Load(); commits != nil {
		q.Commits = *commits
	}
	tiers := w.askTiers(ctx)
	standing := index.Standing{}
	if len(kinds) > 0 {
		standing = fault.Must(w.Standing(ctx, kinds...))
	}
	if slices.Contains(kinds, record.Decision) && w.plainOf == nil && !w.fromHub {
		q.Elsewhere = fault.Must(w.Decisions.Elsewhere(ctx))
	}
	q.First = fault.Must(w.atPlace(ctx, q.Query))
	namesIdea := strings.Contains(strings.ToLower(q.Query), record.IDPrefix(record.Idea)+"-")
	if !namesIdea && q.Type+q.Status+q.Scope+q.SessionID == "" {
		w.leaveToFacts(ctx, standing)
	}
	states := func(paths []string) (index.Standing, error) { return w.Facts.StatesOf(ctx, paths) }
	return lookup.Search(ctx, w.Store, w.Index, w.Tree, standing, states, tiers, q)
}

// leaveToFacts leaves out the learnings of which a fact in force was made: it says the same.
func (w *App) leaveToFacts(ctx context.Context, standing index.Standing) {
	for _, i := range fault.Must(w.Learnings.Newest(ctx)) {
		inForce := func(id string) bool {
			return slices.ContainsFunc(w.Index.Lookup(index.Ref{ID: id}), func(e index.Entry) bool {
				return e.Kind == record.Fact && !record.Gone(e.Status)
			})
		}
		if i.Learning() && slices.ContainsFunc(i.AppliedTo, inForce) {
			standing[strings.TrimPrefix(i.File, store.Folder+"/")] = ""
		}
	}
}

func (w *App) Get(ctx context.Context, a lookup.Ask) (lookup.Record, error) {
	ctx = w.Index.Call(ctx)
	status := func(e index.Entry) (string, error) { return w.StatusOf(ctx, e) }
	if commits := w.commits.Load(); commits != nil {
		if err := w.Index.Refresh(ctx); err != nil {
			return lookup.Record{}, err
		}
		a.ID, a.Commits = w.Qualified(a.ID), *commits
	}
	r, err := lookup.Get(ctx, w.Store, w.Index, w.Tree, status, w.askTiers(ctx), a)
	if fault.Is(err, fault.NotFound) {
		if r, _, ok := w.Unfiled(ctx, a); ok {
			return lookup.Given(w.Store, r, a)
		}
	}
	return r, err
}

// Unfiled returns a record that has no file in the store, and its bytes: one of the project's own decision records, or a queued candidate.
func (w *App) Unfiled(ctx context.Context, a lookup.Ask) (r record.Record, src []byte, ok bool) {
	if len(a.ID) > lookup.MaxRef {
		return r, nil, false
	}
	if r, src, ok = w.Decisions.InPlace(ctx, a.ID, a.Scope); !ok {
		r, src, ok = w.Inbox.InQueue(ctx, a.ID)
	}
	return r, src, ok
}

func (w *App) StatusOf(ctx context.Context, e index.Entry) (string, error) {
	standing, err := w.Standing(ctx, e.Kind)
	if status := standing[e.Path]; status != "" {
		return status, err
	}
	return e.Status, err
}

// Counts are the numbers of records in every status, in the store and elsewhere.
type Counts struct {
	Records   map[string]int            `json:"records"`             // by kind
	Living    map[string]int            `json:"living"`              // of those, by kind: with a status outside record.Gone
	Elsewhere map[string]int            `json:"elsewhere,omitempty"` // of those, by kind: outside .sdd, or in its queue
	Statuses  map[string]map[string]int `json:"statuses"`            // by kind, of ideas by colour, and by effective status

	taken int // facts and decisions found in commits
}

// Count counts the records in their present files.
func (w *App) Count(ctx context.Context) (c Counts, err error) {
	c = Counts{Records: map[string]int{}, Living: map[string]int{}, Elsewhere: map[string]int{}, Statuses: map[string]map[string]int{}}
	for _, k := range record.Kinds {
		c.Records[string(k)], c.Living[string(k)] = 0, 0
	}
	count := func(o counted) {
		kind := string(o.kind)
		c.Records[kind]++
		if !record.Gone(o.status) {
			c.Living[kind]++
		}
		if o.file == "" {
			c.Elsewhere[kind]++
		}
		if candidate.FromCommit(o.source) {
			c.taken++
		}
		if c.Statuses[o.name] == nil {
			c.Statuses[o.name] = map[string]int{}
		}
		c.Statuses[o.name][o.status]++
	}
	if err = w.each(ctx, func(o counted) {
		if o.status != "" {
			count(o)
		}
	}); err != nil {
		return c, err
	}
	for _, e := range w.Index.Entries(record.Exploration) {
		count(counted{kind: e.Kind, name: string(e.Kind), status: e.Status, file: e.File})
	}
	return c, nil
}

func (c Counts) Inbox() candidate.Numbers {
	n := c.Statuses[string(record.Candidate)]
	return candidate.Numbers{
		Pending: n[candidate.Pending], Queued: n[candidate.Queued], Approved: n[candidate.Approved], Rejected: n[candidate.Rejected],
	}.With(c.taken)
}

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

	refused error // why no save can make the store
}

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
func (w *App) Status(ctx context.Context) (s Status, err error) {
	defer fault.Caught(&err)
	s = Status{Ideas: map[string]int{}, Facts: Facts{map[string]int{}, map[string]int{}}, Decisions: Decisions{ByStatus: map[string]int{}}}
	s.Status, s.Counts = fault.Must(lookup.StatusOf(ctx, w.Store, w.Index)), fault.Must(w.Count(ctx))
	if !s.Exists {
		s.refused = git.WithoutWorkTree(s.Root)
		return s, nil
	}
	s.Inbox = s.Counts.Inbox()
	for _, color := range record.Colors {
		for status, n := range s.Statuses[color] {
			s.Ideas[color+" "+status] = n
		}
	}
	s.Facts.ByState = s.of(record.Fact)
	for _, f := range fault.Must(w.Facts.All(ctx)) {
		if f.Live() {
			s.Facts.ByLevel[strconv.Itoa(f.Level)]++
		}
	}
	decisions := fault.Must(w.Decisions.All(ctx))
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
	s.Changed = len(fault.Must(w.Alarms(ctx)))
	s.Context = fault.Must(w.Answers.Usage(ctx))
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

func (s Status) Text() string {
	if s.refused != nil {
		return fmt.Sprintf("no store in %s (project %s), and no save can make one: %s\n", s.Root, s.Project, fault.Of(s.refused).OneLine())
	} else if !s.Exists {
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
		lines = append(lines, (&fault.Error{File: p.File, Line: p.Line, Message: p.Text}).Error())
	}
	return strings.Join(slices.Concat(lines, s.Pending, s.Lines(), []string{""}), "\n")
}

// elsewhereOf names the place of records outside .sdd.
var elsewhereOf = map[record.Kind]string{
	record.Decision: "in the project's own folders", record.Fact: "found and not stored",
}

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

// Coverage is the share of one kind of records that say why, where or that they were looked at, at the end of each month.
type Coverage struct {
	Name    string
	has, of []int // of each month alone
}

// Coverages returns the coverage of decisions, facts and learnings in force, in months such as 2026-11, the oldest first.
func (w *App) Coverages(ctx context.Context, months []string) (all []Coverage, err error) {
	defer fault.Caught(&err)
	for _, name := range []string{"decisions say why", "facts name evidence or code", "learnings are validated"} {
		all = append(all, Coverage{name, make([]int, len(months)), make([]int, len(months))})
	}
	add := func(kind int, begun string, has bool) {
		at, _ := slices.BinarySearch(months, begun[:min(len(begun), len("2006-01"))])
		if at == len(months) { // a clock was wrong
			at--
		}
		all[kind].of[at]++
		if has {
			all[kind].has[at]++
		}
	}
	decisions := fault.Must(w.Decisions.All(ctx))
	says := caused(decisions)
	for n := range decisions {
		add(0, decisions[n].When(), says(&decisions[n]))
	}
	for _, f := range fault.Must(w.Facts.All(ctx)) {
		if f.Live() {
			add(1, f.Created, f.Evidence != "" || len(f.CodeRef) > 0)
		}
	}
	for _, i := range fault.Must(w.Learnings.Newest(ctx)) {
		if i.Learning() {
			add(2, i.Created, i.Validated)
		}
	}
	return all, nil
}

// Share is the coverage at the end of a month, 0 to 1.
func (c Coverage) Share(month int) float64 {
	has, of := 0, 0
	for n := range month + 1 {
		has, of = has+c.has[n], of+c.of[n]
	}
	return float64(has) / float64(max(1, of))
}

// caused returns whether a decision of a list has a reason, or a link to or from another one.
func caused(all []decision.Decision) func(*decision.Decision) bool {
	linked := map[string]bool{}
	for n := range all {
		d := &all[n]
		for _, other := range slices.Concat(d.Supersedes, d.DependsOn, d.RelatesTo) {
			linked[d.ID], linked[other] = true, true
		}
	}
	return func(d *decision.Decision) bool { return len(d.Because)+len(d.Drivers) > 0 || linked[d.ID] }
}

// Months returns the last n months until a time, the oldest first.
func Months(n int, now time.Time) (all []string) {
	for ; n > 0; n-- {
		all = append(all, time.Date(now.Year(), now.Month()-time.Month(n-1), 1, 0, 0, 0, 0, time.UTC).Format("2006-01"))
	}
	return all
}
