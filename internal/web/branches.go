package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/history"
	"sdd/internal/merge"
	"sdd/internal/store"
)

// branchesPage lists the changes of the current branch, and the branches with changes of the same
// sections.
type branchesPage struct {
	Base      string // as given, or found
	Fault     *fault.Error
	Branch    string // the checked-out branch, "" for none
	From      string
	Head      string
	Same      bool // the branch is its base
	Others    []other
	Changed   []changed
	Code      []namedPlace // code under records that this branch changes; Now is its place, "" when it is gone
	Open      int          // uncommitted records
	Unread    int
	Sections  int // also changed by another branch
	Elsewhere int // branches and work trees with such changes
	At        int // others before this page
	Names     []string
	Pair      *sideBySide // two branches side by side, nil without a choice
	First     string
	Next      string
}

// sideBySide is what two branches both changed since they parted.
type sideBySide struct {
	Ours, Theirs, Base string
	Records            []bothRecord
	More               int // records that are left out
}

// bothRecord is a record that both changed.
type bothRecord struct {
	Record   link
	File     string
	Clean    bool
	Sections []merge.Section
}

const (
	mostPairs = 50  // records
	mostNames = 300 // branches to choose from; any other name can be in the address
)

// pairOf compares the two branches that the address names, each at the commit at which they parted.
func (s *site) pairOf(ctx context.Context, p *branchesPage, q url.Values) error {
	repo, err := git.Open(s.store.Dir())
	if err != nil {
		return err
	}
	out, err := repo.Run(ctx, "for-each-ref", "--sort=-committerdate", "--count="+strconv.Itoa(mostNames), "--format=%(refname:short)",
		"refs/heads", "refs/remotes")
	if err != nil {
		return err
	}
	p.Names = strings.Fields(string(out))
	ours, theirs := strings.TrimSpace(q.Get("ours")), strings.TrimSpace(q.Get("theirs"))
	if ours == "" || theirs == "" {
		return nil
	}
	list, base, more, err := merge.BothChanged(ctx, s.store, ours, theirs, mostPairs)
	if err != nil {
		return err
	}
	p.Pair = &sideBySide{Ours: ours, Theirs: theirs, Base: short(base), More: more}
	for _, b := range list {
		i := strings.Index(b.File, store.Folder+"/")
		name := b.File[max(i, 0):]
		p.Pair.Records = append(p.Pair.Records, bothRecord{link{name, s.pageOfFile(name)}, b.File, b.Clean, b.Sections()})
	}
	return nil
}

// other is a branch or a work tree with changes of the same sections.
type other struct {
	Name, Worktree string
	Date           string
	Overlaps       []overlap
}

// overlap is a section that both change.
type overlap struct {
	Record  link
	File    string
	Section string
	Items   []string
	Clash   bool // a merge of the two has a conflict
}

// changed is a record that the branch changes.
type changed struct {
	Record  link
	File    string
	Summary string
	Rows    []diffRow
}

// namedPlace is a place in the code that a record names and the branch changes.
type namedPlace struct {
	Record    link
	File      string
	Line      int
	Path, Now string
}

// usualBases are the default bases; the first existing one counts.
var usualBases = []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"}

// branches shows the sections that this branch and another one both change.
func (s *site) branches(w http.ResponseWriter, r *http.Request) error {
	p := page{Title: "Branches", Nav: "branches", Stamp: s.live.stamp()}
	body := branchesPage{Base: strings.TrimSpace(r.URL.Query().Get("base"))}
	body.At, _ = strconv.Atoi(r.URL.Query().Get("cursor")) // any other text is the first page
	asked := body.Base != ""
	status := http.StatusOK
	if err := s.compare(r.Context(), &body); err != nil {
		body.Fault = faultOf(err)
		if body.Fault.Code == fault.Internal {
			return err
		}
		if asked {
			status = statusOf(body.Fault.Code)
		}
	}
	if err := s.pairOf(r.Context(), &body, r.URL.Query()); err != nil && body.Fault == nil {
		if body.Fault = faultOf(err); body.Fault.Code == fault.Internal {
			return err
		}
		status = statusOf(body.Fault.Code)
	}
	p.Body = body
	return s.show(w, r, status, "branches", p)
}

func (s *site) compare(ctx context.Context, p *branchesPage) error {
	repo, err := git.Open(s.store.Dir())
	if err != nil {
		return err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return fault.New(fault.Unavailable, "nothing is committed yet").With("commit .sdd with your code: branches are compared by their commits")
	}
	if p.Base == "" {
		if p.Base = usualBase(ctx, repo); p.Base == "" {
			return fault.New(fault.Unavailable, "there is no branch main or master to compare with").
				With("write the branch that this one is to be merged into")
		}
	}
	if err := s.index.Refresh(ctx); err != nil { // for the present addresses of records
		return err
	}
	pr, err := history.PullRequestOf(ctx, s.store, p.Base)
	if err != nil {
		return err
	}
	p.Branch, p.From, p.Head, p.Same = oneLine(pr.Branch, 120), short(pr.From), short(pr.Head), pr.From == pr.Head
	p.Open, p.Unread, p.Sections = pr.Uncommitted, pr.Unread, len(pr.Overlaps)
	p.Others = s.others(pr.Overlaps)
	p.Elsewhere = len(p.Others)
	if p.At = min(max(p.At, 0), p.Elsewhere); p.At > 0 {
		p.First = address("/branches", "base", p.Base)
	}
	if end := p.At + perPage; end < p.Elsewhere {
		p.Next = address("/branches", "base", p.Base, "cursor", strconv.Itoa(end))
	}
	p.Others = p.Others[p.At:min(p.At+perPage, p.Elsewhere)]
	for _, c := range pr.Records {
		p.Changed = append(p.Changed, changed{link{oneLine(c.Title, 120), s.pageOfFile(c.File)}, c.File, visible(c.Summary()), rowsOf(c.Rows())})
	}
	for _, c := range pr.Code.Changes {
		p.Code = append(p.Code, namedPlace{link{oneLine(c.Title, 120), s.pageOfFile(c.File)}, c.File, c.Line, c.Place, c.Now})
	}
	return nil
}

func usualBase(ctx context.Context, repo *git.Repo) string {
	for _, name := range usualBases {
		if _, err := repo.Resolve(ctx, name); err == nil {
			return name
		}
	}
	return ""
}

// others groups overlaps by branch.
func (s *site) others(all []history.Overlap) (list []other) {
	for _, o := range all {
		item := overlap{link{oneLine(o.Title, 120), s.pageOfFile(o.File)}, o.File, oneLine(o.Section, 120), nil, o.Conflict}
		for _, text := range o.Items {
			item.Items = append(item.Items, oneLine(text, 300))
		}
		at := len(list) - 1
		if at < 0 || list[at].Name != o.Branch || list[at].Worktree != o.Worktree {
			list = append(list, other{Name: o.Branch, Worktree: o.Worktree, Date: o.Date})
			at++
		}
		list[at].Overlaps = append(list[at].Overlaps, item)
	}
	return list
}
