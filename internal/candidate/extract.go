package candidate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Report is the result of an explicit call. Every candidate is in exactly one of the lists.
type Report struct {
	Approved   []Candidate `json:"approved"`   // now records; File is the record's
	Candidates []Candidate `json:"candidates"` // in the inbox now, pending
	Skipped    []Candidate `json:"skipped"`    // known already, rejected once, or not to be stored; Reason has the cause
	Warnings   []string    `json:"warnings,omitempty"`
}

func newReport() Report {
	return Report{Approved: []Candidate{}, Candidates: []Candidate{}, Skipped: []Candidate{}}
}

// add puts a candidate into its list, unless the report has it.
func (r *Report) add(s Stored) {
	list := &r.Candidates
	switch {
	case s.Action != Created:
		list = &r.Skipped
	case s.Status == Approved:
		list = &r.Approved
	}
	same := func(c Candidate) bool { return c.ID == s.ID }
	if s.ID == "" || !slices.ContainsFunc(slices.Concat(r.Approved, r.Candidates, r.Skipped), same) {
		*list = append(*list, s.Candidate)
	}
}

// Apply writes approved and queued candidates: those with `status: approved` become records, the files of those that
// already are records are removed, and the queue is written. Every call that writes calls it. A candidate that cannot be
// written is a warning and stays.
func (i *Inbox) Apply(ctx context.Context, by By) (Report, error) {
	out := newReport()
	all, err := i.read(ctx)
	if err != nil {
		return out, err
	}
	for _, c := range all {
		switch {
		case c.Status == Rejected:
		case i.isRecord(c):
			if err := i.remove(ctx, c, "approve", by); err != nil && !fault.Is(err, fault.Conflict) {
				return out, err
			}
		case c.Status == Approved:
			m, err := i.approve(ctx, c, by)
			if err != nil {
				if ctx.Err() != nil || fault.Is(err, fault.Unwritable) {
					return out, err
				}
				out.Warnings = append(out.Warnings, fmt.Sprintf("%s: %s", c.File, fault.Of(err).Message))
				continue
			}
			done := *c
			done.Status, done.File, done.Etag = Approved, m.File, m.Etag
			out.Approved = append(out.Approved, done)
		}
	}
	return out, i.flush(ctx, &out, by)
}

// ApproveAll calls Apply, then approves every pending candidate of at least that confidence and returns those. Proposals to archive a
// record are approved one by one.
func (i *Inbox) ApproveAll(ctx context.Context, least float64, by By) (out []Moved, err error) {
	defer fault.Caught(&err)
	out = []Moved{}
	if least < 0 || least > 1 {
		return out, fault.New(fault.Invalid, "min-confidence is %v", least).For("min-confidence").With("allowed: 0 to 1")
	}
	fault.Must(i.Apply(store.ByItself(ctx), by))
	all := fault.Must(i.read(ctx))
	for _, c := range all {
		if c.Status != Pending || c.Confidence < least || c.Kind == string(Tidy) {
			continue
		}
		out = append(out, fault.Must(i.approve(ctx, c, by)))
	}
	return out, nil
}

// write stores candidates: the sure ones as records, the others in the inbox.
func (i *Inbox) write(ctx context.Context, list []Candidate, out *Report, by By, stored func(n int)) error {
	for n, c := range list {
		if stored != nil {
			stored(n)
		}
		got, err := i.store(ctx, c, by)
		if err != nil {
			return err
		}
		out.add(got)
	}
	return nil
}

// store stores one candidate. A sure one never has a file in the inbox.
func (i *Inbox) store(ctx context.Context, c Candidate, by By) (Stored, error) {
	if c = c.asPending(); c.Confidence < Sure {
		return i.put(ctx, c, by)
	}
	c.Status = Queued
	src, out, done, err := i.admit(ctx, &c)
	if done || err != nil {
		return out, err
	}
	c.src, c.path = src, ""
	kept, err := i.keepers[record.Kind(c.Kind)](ctx, c, by)
	if fault.Is(err, fault.Invalid, fault.Ambiguous, fault.Conflict, fault.Broken) {
		return refused(c, err), nil
	}
	if err != nil {
		return Stored{}, err
	}
	c.Status, c.File, c.Etag, c.src = Approved, kept.File, kept.Etag, nil
	if kept.Action == Duplicate {
		c.Reason = isRecord
		return Stored{c, Duplicate}, nil
	}
	return Stored{c, Created}, nil
}

// Extract finds candidates in changes and writes them: the sure ones as records, the others into the inbox. Repeating it
// adds nothing. spec is A..B, one revision, or "" for the last commit; Staged and Worktree select uncommitted changes.
// It calls Apply first. Faults: Unavailable (no git, no extractor), NotFound (no such revision), Invalid.
func (i *Inbox) Extract(ctx context.Context, spec string, uncommitted Range, by By) (out Report, err error) {
	defer fault.Caught(&err)
	out = newReport()
	r := fault.Must(i.ranged(ctx, spec, uncommitted))
	out, err = i.Apply(store.ByItself(ctx), by)
	fault.Check(err)
	found := fault.Must(i.find(ctx, r))
	return out, i.write(ctx, found, &out, by, r.Stored)
}

// Propose finds candidates as Extract does and puts all of them into the inbox, also the sure ones. It makes no records
// and leaves the queue. Faults: those of Extract.
func (i *Inbox) Propose(ctx context.Context, spec string, uncommitted Range, by By) (out Report, err error) {
	defer fault.Caught(&err)
	out = newReport()
	r := fault.Must(i.ranged(ctx, spec, uncommitted))
	found := fault.Must(i.find(ctx, r))
	stored, err := i.Put(ctx, found, by)
	for _, s := range stored {
		if s.Action == Duplicate && s.Status == Pending {
			s.Action = Created
		}
		out.add(s)
	}
	return out, err
}

func (i *Inbox) find(ctx context.Context, r Range) ([]Candidate, error) {
	found, err := i.opt.Extract(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Path != "" {
		found = slices.DeleteFunc(found, func(c Candidate) bool {
			return !slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Path == r.Path })
		})
	}
	for n := range found {
		found[n].Date = utc(found[n].Date)
	}
	return found, nil
}

// ranged completes the range of spec and uncommitted.
func (i *Inbox) ranged(ctx context.Context, spec string, uncommitted Range) (r Range, err error) {
	defer fault.Caught(&err)
	r = uncommitted
	if i.opt.Extract == nil {
		return r, fault.New(fault.Unavailable, "this program cannot find facts in commits yet").
			With("candidates in .sdd/inbox can be reviewed: sdd review list --kind candidate")
	}
	bad := func(format string, args ...any) error {
		return fault.New(fault.Invalid, format, args...).For("range").With("give A..B, one revision, --staged or --worktree")
	}
	spec = strings.TrimSpace(spec)
	given := slices.DeleteFunc([]bool{spec != "", r.Staged, r.Worktree, r.All}, func(is bool) bool { return !is })
	if len(given) > 1 {
		return r, bad("a range, --staged, --worktree and --all exclude each other")
	}
	r.Repo = fault.Must(git.Open(i.st.Dir()))
	if r.Staged || r.Worktree {
		return r, nil
	}
	if r.All && !i.st.Exists() && spec == "" {
		spec = "HEAD"
	}
	from, to, two := strings.Cut(spec, "..")
	if !two {
		to = spec
	}
	if strings.HasPrefix(to, ".") {
		return r, bad("%q is no range: what two branches have apart is not extracted", record.Brief(spec))
	}
	r.To = fault.Must(r.Repo.Resolve(ctx, cmp.Or(to, "HEAD")))
	if two {
		r.From, err = r.Repo.Resolve(ctx, cmp.Or(from, "HEAD"))
	}
	return r, err
}

// Reasons to skip what is known.
const (
	isRecord = "it is a record already"
	isThere  = "it is in the inbox already"
)

const mostShown = 20 // candidates of each list in Text

// Text renders the report for a person, with the text of candidates quoted as data. It only counts those known already.
func (r Report) Text() string {
	var b strings.Builder
	skipped := slices.DeleteFunc(slices.Clone(r.Skipped), func(c Candidate) bool { return c.Reason == isRecord || c.Reason == isThere })
	if known := len(r.Skipped) - len(skipped); known > 0 {
		fmt.Fprintf(&b, "%d known already\n", known)
	}
	for _, part := range []struct {
		what string
		list []Candidate
	}{{"approved", r.Approved}, {"to be reviewed", r.Candidates}, {"skipped", skipped}} {
		shown := part.list[:min(len(part.list), mostShown)]
		if len(shown) > 0 {
			fmt.Fprintf(&b, "%d %s\n%s", len(part.list), part.what, Text(shown))
		}
		if more := len(part.list) - len(shown); more > 0 {
			fmt.Fprintf(&b, "and %d more: --json lists all\n", more)
		}
	}
	for _, w := range r.Warnings {
		b.WriteString("not written: " + record.OneLine(w) + "\n")
	}
	if b.Len() == 0 {
		return "nothing found\n"
	}
	if len(r.Candidates) > 0 {
		b.WriteString("sdd review approve ID… makes records of those in " + store.Folder + "/inbox\n")
	}
	return b.String()
}
