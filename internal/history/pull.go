package history

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// The review of a pull request reads only commits, so it works on a runner and in any clone.

// PullRequest is what a reviewer of a branch should know about its records.
type PullRequest struct {
	Base   string `json:"base"`   // as given
	Branch string `json:"branch"` // that is checked out, "" when none is
	Head   string `json:"head"`
	From   string `json:"from"` // the merge base of the branch and its base

	Records []Change `json:"records"` // all changes; the following are their parts by aspect
	Decides []Change `json:"decides"` // decisions
	Asks    []Change `json:"asks"`    // new questions
	Aims    []Change `json:"aims"`    // goals, constraints and preferences
	Drops   []Change `json:"drops"`   // removed and rejected items
	Notes   []Change `json:"notes"`   // everything else

	Raised []Raised `json:"raised"` // who wrote what a merge brings
	Orders []Order  `json:"orders"` // texts that read as instructions to an agent

	Code        CodeReview `json:"code"`
	Overlaps    []Overlap  `json:"overlaps"`
	Uncommitted int        `json:"uncommitted"`            // records that differ on disk; the review ignores them
	Unread      int        `json:"unread"`                 // older branches that the review left out
	Others      []string   `json:"other_stores,omitempty"` // folders of the repository's other stores whose records differ, not reviewed

	base string // the store's root below the top of the work tree
}

// PullRequestOf reviews the changes from the merge base with base to the commit that is checked out. The fault is Unavailable when a
// shallow clone lacks the merge base.
func PullRequestOf(ctx context.Context, st *store.Store, base string) (p PullRequest, err error) {
	err = inHistory(ctx, st, func(h *history) {
		against := h.resolveBase(base)
		p = PullRequest{Base: base, Overlaps: []Overlap{}, Raised: []Raised{}, Orders: []Order{},
			Code: CodeReview{Changes: []CodeChange{}}, base: h.base()}
		p.Head = fault.Must(h.repo.Resolve(ctx, "HEAD"))
		p.From, p.Branch = h.mergeBase(against, p.Head), h.branch()
		p.Records = h.compare(state{rev: p.From}, state{rev: p.Head}, nil).Records
		p.sort()
		h.raised(&p)
		h.withBase(&p, against)
		h.overlaps(&p, against, state{rev: p.Head})
		h.concerned(&p)
		p.Uncommitted = len(h.dirty())
	})
	return p, err
}

// resolveBase finds the base by its name, or by its name on origin, which is the only one in a runner's clone.
func (h *history) resolveBase(base string) string {
	if base == "" {
		fault.Check(fault.New(fault.Invalid, "--base is required").For("base").
			With("name the branch that this one is to be merged into: --base origin/main"))
	}
	commit, err := h.repo.Resolve(h.ctx, base)
	if fault.Is(err, fault.NotFound) {
		if commit, err = h.repo.Resolve(h.ctx, "refs/remotes/origin/"+base); err != nil {
			err = fault.New(fault.NotFound, "this clone does not know the base %q", base).For("base").
				With("git fetch origin " + strings.TrimPrefix(base, "origin/") + "; in a workflow, fetch-depth: 0 for actions/checkout")
		}
	}
	return fault.Must(commit, err)
}

// sort puts the parts of each change into the list of their aspect.
func (p *PullRequest) sort() {
	groups := map[*[]Change]aspect{&p.Decides: decides, &p.Asks: asks, &p.Aims: aims, &p.Drops: drops, &p.Notes: notes}
	by := map[string]string{} // the decision of the branch that supersedes one
	for _, o := range p.Records {
		for _, id := range o.supersedes() {
			by[id] = cmp.Or(by[id], o.ID)
		}
	}
	for to, want := range groups {
		*to = []Change{}
		for _, c := range p.Records {
			if part, ok := c.part(want); ok {
				if want == drops && c.Status != Removed && by[c.ID] != "" {
					part.Keys = append(part.Keys, KeyChange{Key: "superseded_by", New: by[c.ID]})
				}
				*to = append(*to, part)
			}
		}
	}
}

// aspect is what a change means to a reviewer.
type aspect int

const (
	formal aspect = iota // without meaning
	decides
	asks
	aims
	drops
	notes
)

// part is the part of a change with that aspect; ok is false when it has none.
func (c Change) part(want aspect) (Change, bool) {
	if c.Status == Removed {
		return c, want == drops
	}
	kind := c.new.rec.Kind
	sections := []SectionChange{}
	for _, s := range c.Sections {
		s.Items = slices.DeleteFunc(slices.Clone(s.Items), func(i ItemChange) bool { return aspectOf(kind, s.Name, i) != want })
		if len(s.Items) > 0 {
			sections = append(sections, s)
		}
	}
	keys := slices.DeleteFunc(slices.Clone(c.Keys), func(k KeyChange) bool { return aspectOfKey(kind, k, c.Status) != want })
	bare := len(c.Sections) == 0 && len(keys) == 0 && c.Status != Changed && want == notes // a file that was added or renamed
	c.Sections, c.Keys, c.Problems = sections, keys, nil
	return c, len(sections) > 0 || len(keys) > 0 || bare
}

func aspectOf(kind record.Kind, section string, i ItemChange) aspect {
	switch {
	case i.Kind == "removed":
		return drops
	case i.Kind == "moved" && i.From == "":
		return notes
	}
	known, _ := record.SectionNamed(kind, section)
	of := cmp.Or(aspectOfSection[kind][record.SectionKey(kind, known)], notes)
	if of == asks && record.Nothing(i.New) {
		return notes
	}
	return of
}

// aspectOfSection has the aspects of the sections that are not notes, by the arguments that fill them.
var aspectOfSection = map[record.Kind]map[string]aspect{
	record.Exploration: {"decisions": decides, "unknowns": asks, "goals": aims, "constraints": aims, "preferences": aims},
	record.Decision:    {"outcome": decides, "consequences": decides},
}

// The values of status that decide something, and those that drop it; the keys of a new record that a reviewer sees.
var (
	decidingStatuses = []string{"accepted", "approved", "done"}
	linkKeys         = []string{supersedesKey, "depends_on", "relates_to", "superseded_by", anchor.RefKey}
	droppingStatuses = []string{"rejected", "superseded", "archived", "deleted", "outdated", "stale", "failed", "timeout"}
)

func aspectOfKey(kind record.Kind, k KeyChange, s Status) aspect {
	status, _ := k.New.(string)
	switch {
	case !k.hasMeaning():
		return formal
	case k.Key == "status" && slices.Contains(decidingStatuses, status):
		return decides
	case k.Key == "status" && slices.Contains(droppingStatuses, status):
		return drops
	case s == Added && !slices.Contains(linkKeys, k.Key):
		return formal
	case s == Added && kind == record.Decision:
		return decides
	}
	return notes
}

// openBranches are the latest branches, without the reviewed one, and how many older ones were left out.
func (h *history) openBranches(p *PullRequest, base string) (all []git.Branch, more int) {
	seen := map[string]bool{}
	for _, b := range fault.Must(h.repo.Branches(h.ctx, base, p.Head)) { // sorted, the latest first
		if b.Short() == p.Branch || seen[b.Short()] || seen[b.Commit] {
			continue
		}
		seen[b.Short()], seen[b.Commit] = true, true
		all = append(all, b)
	}
	more = max(0, len(all)-mostBranches)
	return all[:len(all)-more], more
}

const mostBranches = 200

// Raised is what a merge puts on the base: records of one author, which agents then read as agreed on.
type Raised struct {
	Author    string `json:"author"`
	Signature string `json:"signature"` // signed, unsigned, not checked, or bad: the worst of the author's commits
	Records   int    `json:"records"`
}

// Order is a text of the branch that reads as an instruction to an agent.
type Order struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Words string `json:"words"`
}

// signatures are git's letters in words, from the best on.
var signatures = []struct{ letters, words string }{{"G", "signed"}, {"UXYRE", "not checked"}, {"N", "unsigned"}, {"B", "bad"}}

// raised adds who wrote the records that a merge brings, and which of them read as instructions.
func (h *history) raised(p *PullRequest) {
	wanted := map[string]bool{}
	for _, c := range p.Records {
		if c.Status == Removed {
			continue
		}
		wanted[c.File] = c.new.rec.Kind != record.Candidate || c.new.rec.Status == "approved" // the others wait in the inbox
		if words, line := tier.Instruction(string(c.new.src)); words != "" {
			p.Orders = append(p.Orders, Order{c.File, line, words})
		}
	}
	if len(wanted) == 0 {
		return
	}
	type by struct {
		files map[string]bool
		worst int
	}
	authors := map[string]*by{}
	author, signature := "", 0 // of the commit
	args := []string{"--name-only", "--no-renames", "--no-merges", p.From + ".." + p.Head, "--", h.prefix}
	fault.Check(h.repo.Log(h.ctx, []string{"%G?", "%an"}, args, func(w []string) {
		author, signature = w[1], len(signatures)-1
		for n, s := range signatures {
			if strings.Contains(s.letters, w[0]) {
				signature = n
			}
		}
	}, func(f []string) ([]string, bool) {
		if file := strings.TrimPrefix(f[0], h.base()); wanted[file] && author != "" {
			if authors[author] == nil {
				authors[author] = &by{files: map[string]bool{}}
			}
			a := authors[author]
			a.files[file], a.worst = true, max(a.worst, signature)
		}
		return f[1:], true
	}))
	for _, name := range slices.Sorted(maps.Keys(authors)) {
		a := authors[name]
		p.Raised = append(p.Raised, Raised{name, signatures[a.worst].words, len(a.files)})
	}
	slices.SortStableFunc(p.Raised, func(a, b Raised) int { return cmp.Compare(b.Records, a.Records) })
}

// raises is the line about what a merge puts on the base, "" for no record.
func (p PullRequest) raises() string {
	if len(p.Raised) == 0 {
		return ""
	}
	var parts []string
	for _, r := range p.Raised {
		parts = append(parts, fmt.Sprintf("%s by %s (signature: %s)", fault.Count(r.Records, "record", "records"), code(r.Author), r.Signature))
	}
	return "Agents treat what is merged as agreed: " + strings.Join(parts, ", ") + ".\n\n"
}

func (c *comment) addOrders(all []Order) {
	var entries []entry
	for _, o := range all {
		entries = append(entries, entry{o.File, fmt.Sprintf("- %s line %d: %s\n", code(o.File), o.Line, code(cut(o.Words, maxInline)))})
	}
	c.addAll("Reads as an instruction to an agent", entries)
}
