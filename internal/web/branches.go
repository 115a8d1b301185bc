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

// branchesPage lists the changes of the current branch, and the branches that change the same sections.
type branchesPage struct {
	*site
	history.PullRequest
	Base      string // as given, or found
	Fault     *fault.Error
	Others    []other
	Elsewhere int // branches and work trees with such changes
	Names     []string
	Pair      *sideBySide // two branches side by side, nil without a choice
	First     string
	Next      string
}

// sideBySide is what two branches both changed since they parted.
type sideBySide struct {
	Ours, Theirs, Base string
	Records            []merge.Both
	More               int // records that are left out
}

// other is a branch or a work tree with changes of the same sections.
type other struct {
	Name, Worktree string
	Date           string
	Overlaps       []history.Overlap
}

const (
	mostPairs = 50  // records
	mostNames = 300 // branches to choose from; any other name can be in the address
)

// usualBases are the default bases; the first existing one counts.
var usualBases = []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"}

// Link names the record in a file, relative to the store's root, and leads to its page.
func (s *site) Link(title, file string) link { return link{oneLine(title, 120), s.pageOfFile(file)} }

// LinkBelow is Link for a path relative to the top of the work tree, by its own name.
func (s *site) LinkBelow(path string) link {
	name := path[max(strings.Index(path, store.Folder+"/"), 0):]
	return link{name, s.pageOfFile(name)}
}

// branches shows the sections that this branch and another one both change.
func (s *site) branches(w http.ResponseWriter, r *http.Request) error {
	p, q := page{Title: "Branches", Nav: "branches", Live: true}, r.URL.Query()
	body := branchesPage{site: s, Base: strings.TrimSpace(q.Get("base"))}
	asked, status := body.Base != "", http.StatusOK
	for n, step := range []func(context.Context, *branchesPage, url.Values){s.compare, s.pairOf} {
		err := tried(func() { step(r.Context(), &body, q) })
		if err == nil || body.Fault != nil {
			continue
		}
		if body.Fault = faultOf(err); body.Fault.Code == fault.Internal {
			return err
		}
		if asked || n > 0 {
			status = statusOf(body.Fault.Code)
		}
	}
	p.Body = body
	return s.show(w, r, status, "branches", p)
}

// pairOf compares the two branches that the address names, each at the commit at which they parted.
func (s *site) pairOf(ctx context.Context, p *branchesPage, q url.Values) {
	repo := fault.Must(git.Open(s.Store.Dir()))
	p.Names = strings.Fields(string(fault.Must(repo.Run(ctx, "for-each-ref", "--sort=-committerdate", "--count="+strconv.Itoa(mostNames),
		"--format=%(refname:short)", "refs/heads", "refs/remotes"))))
	ours, theirs := strings.TrimSpace(q.Get("ours")), strings.TrimSpace(q.Get("theirs"))
	if ours == "" || theirs == "" {
		return
	}
	records, base, more, err := merge.BothChanged(ctx, s.Store, ours, theirs, mostPairs)
	fault.Check(err)
	p.Pair = &sideBySide{ours, theirs, base, records, more}
}

func (s *site) compare(ctx context.Context, p *branchesPage, q url.Values) {
	repo := fault.Must(git.Open(s.Store.Dir()))
	if fault.Must(repo.Head(ctx)) == "" {
		fault.Check(fault.New(fault.Unavailable, "nothing is committed yet").
			With("commit .sdd with your code: branches are compared by their commits"))
	}
	for _, name := range usualBases {
		if _, err := repo.Resolve(ctx, name); p.Base == "" && err == nil {
			p.Base = name
		}
	}
	if p.Base == "" {
		fault.Check(fault.New(fault.Unavailable, "there is no branch main or master to compare with").
			With("write the branch that this one is to be merged into"))
	}
	fault.Check(s.Index.Refresh(ctx)) // for the present addresses of records
	p.PullRequest = fault.Must(history.PullRequestOf(ctx, s.Store, p.Base))
	all := byBranch(p.Overlaps)
	p.Elsewhere = len(all)
	at, _ := strconv.Atoi(q.Get("cursor")) // any other text is the first page
	at = min(max(at, 0), len(all))
	end := min(at+perPage, len(all))
	if at > 0 {
		p.First = address("/branches", "base", p.Base)
	}
	if end < len(all) {
		p.Next = address("/branches", "base", p.Base, "cursor", strconv.Itoa(end))
	}
	p.Others = all[at:end]
}

func byBranch(all []history.Overlap) (list []other) {
	for _, o := range all {
		at := len(list) - 1
		if at < 0 || list[at].Name != o.Branch || list[at].Worktree != o.Worktree {
			list = append(list, other{Name: o.Branch, Worktree: o.Worktree, Date: o.Date})
			at++
		}
		list[at].Overlaps = append(list[at].Overlaps, o)
	}
	return list
}
