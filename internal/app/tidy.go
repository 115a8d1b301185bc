package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sdd/internal/anchor"
	"sdd/internal/answer"
	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Kinds of proposals, in the order of Tidy.
const (
	duplicate     = "duplicate"
	covered       = "covered"
	gone          = "gone"
	unused        = "unused"
	contradiction = "contradiction"
)

// sureness is the confidence of a proposal by its kind.
var sureness = map[string]float64{duplicate: .9, covered: .8, gone: .6}

// Proposal is a reason to archive or supersede a record. The records are the one in question and the one that speaks against it, if any.
type Proposal struct {
	ID      string       `json:"id"` // of its candidate; "" when no approval can do it
	Kind    string       `json:"kind"`
	Records []TidyRecord `json:"records"`
	Reason  string       `json:"reason"`
	Settle  []string     `json:"settle"`           // commands, one of which settles it
	Status  string       `json:"status,omitempty"` // of its candidate in the inbox
}

type TidyRecord struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title"`
	File  string `json:"file"`
}

// Tidied is the proposals, without those that were rejected.
type Tidied struct {
	Proposals []Proposal `json:"proposals"`
	Rejected  int        `json:"rejected"`
	Added     int        `json:"added"` // candidates that this call put into the inbox
}

// Tidy proposes what could be archived or superseded, and writes nothing.
func (w *App) Tidy(ctx context.Context) (Tidied, error) {
	out := Tidied{Proposals: []Proposal{}}
	if !w.Store.Exists() {
		return out, nil
	}
	finders := []func(context.Context) ([]Proposal, error){w.overlaps, w.oldDecisions, w.repeated, w.goneCode, w.unused, w.disputed}
	found, failed := make([][]Proposal, len(finders)), make([]error, len(finders))
	var running sync.WaitGroup
	for n, find := range finders {
		running.Go(func() { found[n], failed[n] = find(ctx) })
	}
	running.Wait()
	if err := cmp.Or(failed...); err != nil {
		return out, err
	}
	inbox, _, err := w.Inbox.All(ctx)
	if err != nil {
		return out, err
	}
	status := map[string]string{}
	for n := range inbox {
		status[inbox[n].ID] = inbox[n].Status
	}
	for _, p := range slices.Concat(found...) {
		if p.Status = status[p.ID]; p.Status == candidate.Rejected {
			out.Rejected++
			continue
		}
		out.Proposals = append(out.Proposals, p)
	}
	return out, nil
}

// Propose puts the proposals of Tidy that an approval can do into the inbox. It adds none twice, and none that was rejected.
func (w *App) Propose(ctx context.Context, by candidate.By) (Tidied, error) {
	out, err := w.Tidy(ctx)
	for n := range out.Proposals {
		p := &out.Proposals[n]
		if err != nil || p.ID == "" {
			continue
		}
		var done []candidate.Stored
		done, err = w.Inbox.Put(ctx, []candidate.Candidate{p.candidate()}, by)
		for _, s := range done {
			if p.Status = s.Status; s.Action == candidate.Created {
				out.Added++
			}
		}
	}
	return out, err
}

func (p *Proposal) candidate() candidate.Candidate {
	c := candidate.Candidate{Kind: string(candidate.Tidy), Confidence: sureness[p.Kind]}
	do := "Archive"
	if p.supersedes() {
		do = "Supersede"
	}
	c.Content = fmt.Sprintf("%s [%s] %s\n\n%s", do, p.Records[0].ID, p.Records[0].Title, p.Reason)
	for _, r := range p.Records {
		c.Evidence = append(c.Evidence, candidate.Evidence{Path: r.File})
	}
	return c
}

// supersedes reports whether the second record of the proposal supersedes the first, which is not archived.
func (p *Proposal) supersedes() bool {
	return len(p.Records) == 2 && p.Records[0].Type == string(record.Decision) && p.Records[1].Type == string(record.Decision)
}

// proposal completes a proposal about e: a learning or a fact can be archived by an approval, a decision superseded, others cannot.
func proposal(kind, reason string, e index.Entry, against ...index.Entry) Proposal {
	p := Proposal{Kind: kind, Reason: record.OneLine(reason)}
	personal := false // the inbox is committed
	for _, e := range append([]index.Entry{e}, against...) {
		personal = personal || strings.HasPrefix(e.File, store.Folder+"/personal/")
		p.Records = append(p.Records, TidyRecord{e.ID, e.Type(), record.OneLine(e.Title), e.File})
		if archives(e) && (kind == contradiction || len(p.Settle) == 0) {
			p.Settle = append(p.Settle, "sdd review archive "+e.ID)
		}
	}
	can := archives(e)
	if p.supersedes() && record.DecisionID(record.Slug(against[0].Title), against[0].Scope) == against[0].ID {
		can, p.Settle = true, []string{"sdd decide " + quoted(against[0].Title) + " --supersedes " + e.ID}
	}
	if can && !personal {
		p.ID = record.HexID(string(candidate.Tidy), p.candidate().Content, nil)
	}
	if !can {
		p.Settle = []string{"sdd edit " + quoted(e.File)}
	}
	return p
}

func archives(e index.Entry) bool {
	return e.Kind == record.Fact || e.Kind == record.Idea && e.Color == record.Learning
}

// statement is a learning or fact in force.
type statement struct {
	index.Entry
	text     string
	learning *learning.Idea
	fact     *fact.Fact
}

// overlaps proposes the learnings and facts that another one makes superfluous. Of two that say the same the older one stays.
func (w *App) overlaps(ctx context.Context) (_ []Proposal, err error) {
	defer fault.Caught(&err)
	learnings, facts := fault.Must(w.Learnings.Newest(ctx)), fault.Must(w.Facts.All(ctx))
	var ofLearnings, ofFacts []statement
	for _, i := range learnings {
		if i.Learning() && i.Effective() == "active" {
			ofLearnings = append(ofLearnings, statement{learningEntry(i), i.Content, i, nil})
		}
	}
	for n := range facts {
		if f := &facts[n]; f.Live() && f.File != "" {
			ofFacts = append(ofFacts, statement{factEntry(f), f.Content, nil, f})
		}
	}
	return slices.Concat(overlapping(ofLearnings), overlapping(ofFacts)), nil
}

func learningEntry(i *learning.Idea) index.Entry {
	return index.Entry{
		ID: i.ID, Kind: record.Idea, Color: record.Learning, Title: record.OneLine(i.Content), File: i.File, Scope: i.Scope, Created: i.Created,
	}
}

func factEntry(f *fact.Fact) index.Entry {
	return index.Entry{ID: f.ID, Kind: record.Fact, Title: record.OneLine(f.Content), File: f.File, Scope: f.Scope, Created: f.Created}
}

// wide reports whether everybody gets the record.
func (s *statement) wide() bool { return s.Scope == record.Global || s.Scope == record.Project }

// reaches reports whether all who get another statement get s too, for as long.
func (s *statement) reaches(other *statement) bool {
	switch {
	case other.wide() && !s.wide():
		return false
	case s.fact != nil:
		return fact.OneSubject(s.fact, other.fact)
	case s.learning.Parent != "" && !strings.EqualFold(s.learning.Parent, other.learning.Parent):
		return false
	}
	return s.wide() || !slices.ContainsFunc(other.learning.Agents, func(a string) bool { return !slices.Contains(s.learning.Agents, a) })
}

func overlapping(all []statement) (out []Proposal) {
	slices.SortFunc(all, func(a, b statement) int {
		if a.wide() != b.wide() {
			return map[bool]int{true: -1, false: 1}[a.wide()]
		}
		return cmp.Or(record.CompareTimes(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	texts := make([]string, len(all))
	for n := range all {
		texts[n] = all[n].text
	}
	for _, o := range classify.Overlaps(texts) {
		if of, by := &all[o.Of], &all[o.By]; by.reaches(of) {
			out = append(out, superfluous(of.Entry, by.Entry, o.Same))
		}
	}
	return out
}

// superfluous proposes a record that another one says too.
func superfluous(of, by index.Entry, same bool) Proposal {
	if same {
		return proposal(duplicate, fmt.Sprintf("[%s] says the same: %s", by.ID, by.Title), of, by)
	}
	return proposal(covered, fmt.Sprintf("[%s] says this and more: %s", by.ID, by.Title), of, by)
}

// oldDecisions proposes that a decision supersedes an older one that says the same or less, and lists those that may contradict each other.
func (w *App) oldDecisions(ctx context.Context) (out []Proposal, err error) {
	all, err := w.Decisions.All(ctx)
	all = slices.DeleteFunc(slices.Clone(all), func(d decision.Decision) bool { return d.Effective() != "accepted" || d.InPlace })
	slices.SortFunc(all, func(a, b decision.Decision) int {
		return cmp.Or(record.CompareTimes(a.When(), b.When()), record.CompareTimes(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	var newest []string
	for _, d := range slices.Backward(all) {
		newest = append(newest, d.Title)
	}
	entry := func(d *decision.Decision) index.Entry {
		return index.Entry{ID: d.ID, Kind: record.Decision, Title: record.OneLine(d.Title), File: d.File, Scope: d.Scope, Created: d.Created}
	}
	for _, o := range classify.Overlaps(newest) {
		if o.By < o.Of { // else the longer one is older
			out = append(out, superfluous(entry(&all[len(all)-1-o.Of]), entry(&all[len(all)-1-o.By]), o.Same))
		}
	}
	for _, p := range classify.Among(all, func(d decision.Decision) string { return d.Title }, nil) {
		out = append(out, contradicting(Dispute{entry(&p.Older), entry(&p.Newer), p.Rule})...)
	}
	return out, err
}

// repeated proposes explorations whose title has the words of another one's, or nearly, and whose every line the other one has too.
func (w *App) repeated(ctx context.Context) (out []Proposal, err error) {
	if err := w.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	for _, of := range w.Index.Entries(record.Exploration) {
		for _, by := range w.Index.Near(of.Title, of.Project, of.Scope, mostNear) {
			said, also := w.lines(of), w.lines(by)
			missing := slices.ContainsFunc(said, func(l string) bool { return !slices.Contains(also, l) })
			if len(said) > 0 && !missing && (len(also) > len(said) || of.ID > by.ID) {
				out = append(out, proposal(covered, fmt.Sprintf("[%s] has all of its lines: %s", by.ID, by.Title), of, by))
				break
			}
		}
	}
	return out, nil
}

const mostNear = 5 // explorations of nearly the same title that are compared with one

func (w *App) lines(e index.Entry) (lines []string) {
	f, err := w.Store.Read(e.Path)
	if err != nil {
		return nil
	}
	for _, s := range record.Parse(e.Path, f.Bytes, record.Defaults{}).Sections {
		for line := range strings.Lines(s.Text) {
			if line = strings.ToLower(strings.Join(strings.Fields(line), " ")); line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// goneCode proposes the records whose code is gone. An approval archives only one that names no other code.
func (w *App) goneCode(ctx context.Context) (out []Proposal, err error) {
	all, err := w.Alarms(ctx)
	for _, places := range all {
		e := places[0].Entry
		var names []string
		for _, a := range places {
			if a.State == anchor.Gone {
				names = append(names, a.Place)
			}
		}
		if len(names) == 0 || e.Kind == record.Candidate {
			continue
		}
		reason := "its code is gone: " + strings.Join(names, ", ")
		if places[0].Why != "" {
			reason += " (" + places[0].Why + ")"
		}
		p := proposal(gone, reason, e)
		p.Settle = append(p.Settle, "sdd edit "+quoted(e.File))
		if len(names) < len(e.Anchors) {
			p.ID = ""
		}
		p.Settle = slices.Compact(p.Settle)
		out = append(out, p)
	}
	return out, err
}

// unused proposes the facts that no answer used for a long time, where this machine has counted for as long.
func (w *App) unused(ctx context.Context) (out []Proposal, err error) {
	facts, since, err := w.Answers.Unused(ctx)
	for n := range facts {
		if f := &facts[n]; f.File != "" {
			reason := fmt.Sprintf("no answer on this machine used it for %d days, counted since %s", answer.UnusedDays, since)
			p := proposal(unused, reason, factEntry(f))
			p.ID, p.Settle = "", append(p.Settle, "sdd review refresh "+f.ID) // the inbox is committed, the counts are this machine's
			out = append(out, p)
		}
	}
	return out, err
}

// A text that counts as contradicted has at most so many sentences and bytes: in longer ones the sentence is mostly an aside.
const (
	mostSaid     = 2
	longestClaim = 200
)

// disputed proposes one of two short records that may contradict each other.
func (w *App) disputed(ctx context.Context) ([]Proposal, error) {
	all, err := w.Disputes(ctx)
	return contradicting(all...), err
}

// contradicting returns the proposals of disputes, none for a long text. No approval can do them: most such pairs are two things.
func contradicting(all ...Dispute) (out []Proposal) {
	for _, d := range all {
		if max(classify.Sentences(d.Older.Title), classify.Sentences(d.Newer.Title)) <= mostSaid &&
			max(len(d.Older.Title), len(d.Newer.Title)) <= longestClaim {
			p := proposal(contradiction, fmt.Sprintf("[%s] may contradict it (%s): %s", d.Newer.ID, d.Rule, d.Newer.Title), d.Older, d.Newer)
			p.ID = ""
			out = append(out, p)
		}
	}
	return out
}

// keepTidy archives or supersedes the record of an approved proposal, if Tidy still proposes it.
func (w *App) keepTidy(ctx context.Context, c candidate.Candidate, by candidate.By) (_ candidate.Kept, err error) {
	defer fault.Caught(&err)
	for _, p := range fault.Must(w.Tidy(ctx)).Proposals {
		if p.ID != c.ID {
			continue
		}
		old := p.Records[0]
		if p.supersedes() {
			done := fault.Must(w.Decisions.Record(ctx, decision.Input{
				Decision: p.Records[1].Title, Supersedes: old.ID, Tool: by.Tool, Session: by.Session,
			}))
			r := done.Results[0]
			return candidate.Kept{ID: c.ID, Action: "supersede", File: r.File, Etag: r.Etag, Did: "superseded", Of: old.ID}, nil
		}
		done := fault.Must(w.Review(ctx, ReviewArgs{Action: archive, IDs: []string{old.ID}, Reason: p.Reason, Tool: by.Tool}))
		return candidate.Kept{ID: c.ID, Action: archive, File: done.Items[0].File, Etag: done.Items[0].Etag, Did: "archived", Of: old.ID}, nil
	}
	if len(c.Evidence) > 0 {
		path := strings.TrimPrefix(c.Evidence[0].Path, store.Folder+"/")
		for _, e := range w.Index.Entries(record.Idea, record.Fact, record.Decision) {
			if e.Path == path && !record.Gone(e.Status) {
				return candidate.Kept{}, fault.New(fault.Conflict, "%s does not hold any more: the records have changed", c.ID).For("ids").
					With("reject it")
			}
		}
	}
	return candidate.Kept{ID: c.ID, Action: candidate.Duplicate, File: c.File, Etag: c.Etag}, nil
}

func (t Tidied) Text() string {
	var b strings.Builder
	for _, p := range t.Proposals {
		r := p.Records[0]
		fmt.Fprintf(&b, "%-13s  [%s] %s\n               %s\n", p.Kind, record.OneLine(r.ID), r.Title, p.Reason)
		settle := p.Settle
		if p.Status != "" {
			settle = []string{"sdd review approve " + p.ID, "sdd review reject " + p.ID}
		}
		fmt.Fprintf(&b, "               %s\n", strings.Join(settle, "\n            or "))
	}
	if b.Len() == 0 {
		b.WriteString("nothing to tidy\n")
	}
	return b.String()
}
