package memorybridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/git"
)

// oldCandidate is a candidate with the keys of Memory Bridge, and its id.
type oldCandidate struct {
	ID               string  `json:"id"`
	Content          string  `json:"content"`
	Confidence       float64 `json:"confidence"`
	Source           string  `json:"source"`
	SuggestedLevel   int     `json:"suggested_level"`
	SuggestedDomain  string  `json:"suggested_domain"`
	SuggestedModule  string  `json:"suggested_module"`
	FilePath         string  `json:"file_path"`  // the source file
	LineRange        []int   `json:"line_range"` // first and last line there; empty when unknown
	RequiresApproval bool    `json:"requires_approval"`
	Approved         bool    `json:"approved"`
	Rejected         bool    `json:"rejected"`
}

func candidateKeys(c *candidate.Candidate) oldCandidate {
	out := oldCandidate{
		ID: c.ID, Content: c.Content, Confidence: c.Confidence, Source: c.Source, SuggestedLevel: c.Level, SuggestedDomain: c.Domain,
		SuggestedModule: c.Module, LineRange: []int{}, RequiresApproval: c.Status == candidate.Pending, Approved: c.Status == candidate.Approved,
		Rejected: c.Status == candidate.Rejected,
	}
	if len(c.Evidence) > 0 {
		out.FilePath = c.Evidence[0].Path
		first, last, both := strings.Cut(strings.ReplaceAll(c.Evidence[0].Lines, "L", ""), "-")
		from, err := strconv.Atoi(first)
		to, wrong := from, error(nil)
		if both {
			to, wrong = strconv.Atoi(last)
		}
		if err == nil && wrong == nil {
			out.LineRange = []int{from, to}
		}
	}
	return out
}

// extracted is the result of an extraction: as many of the candidates as fit into an answer. The counts include the others.
func extracted(all []oldCandidate) keys {
	shown, approved, pending := fitting(all), 0, 0
	for _, c := range all {
		switch {
		case c.Approved:
			approved++
		case !c.Rejected:
			pending++
		}
	}
	out := keys{"candidates": append([]oldCandidate{}, shown...), "auto_approved": approved, "pending_approval": pending}
	if omitted := len(all) - len(shown); omitted > 0 {
		out["omitted"] = omitted
	}
	return out
}

// extractFacts looks for candidates in uncommitted changes. For a file without any it reads the last commit that changed
// it. With auto_approve the confident ones become records; the others stay in the inbox.
func (b bridge) extractFacts(ctx context.Context, a args) (keys, error) {
	if a.FilePath != "" && a.Source != "file" {
		return nil, fault.New(fault.Invalid, "file_path goes with source file").For("file_path").With(`send "source": "file"`)
	}
	repo, err := git.Open(b.Store.Dir())
	if err != nil {
		return nil, err
	}
	rev, r := "", candidate.Range{Staged: a.Source == "staged", Worktree: a.Source != "staged"}
	var paths []string
	if a.Source == "file" {
		if r.Path, err = inRepo(repo.Top, b.Store.Dir(), a.FilePath); err != nil {
			return nil, err
		}
		paths = []string{r.Path}
	}
	states, err := repo.Dirty(ctx, paths...)
	if err != nil {
		return nil, err
	}
	changes := 0
	for _, s := range states {
		if !r.Staged || s.Staged != ' ' && s.Staged != '?' {
			changes++
		}
	}
	var found []oldCandidate
	if r.Path != "" && len(states) == 0 {
		log, err := repo.Steps(ctx, "HEAD", 1, r.Path)
		if err != nil {
			return nil, err
		}
		if len(log) > 0 {
			rev, r.Worktree, changes = log[0].ID, false, 1
		}
	}
	if changes > 0 || r.Path == "" {
		find := b.Inbox.Propose
		if a.AutoApprove {
			find = b.Inbox.Extract
		}
		report, err := find(ctx, rev, r, candidate.By{Tool: a.Tool})
		if err != nil {
			return nil, err
		}
		for _, c := range slices.Concat(report.Approved, report.Candidates) {
			found = append(found, candidateKeys(&c))
		}
	}
	out := extracted(found)
	out["total_changes"] = changes
	return out, nil
}

// inRepo returns the path in the work tree of a file whose path is absolute or relative to dir.
func inRepo(top, dir, file string) (string, error) {
	if file == "" {
		return "", fault.New(fault.Invalid, "file_path is required").For("file_path").With("name the file that facts are looked for in")
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, filepath.FromSlash(path))
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return "", fault.New(fault.NotFound, "there is no file %q", fault.Cut(file, 200)).For("file_path").
			With("give a path from the project's folder")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	rel, err := filepath.Rel(top, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fault.New(fault.Outside, "%q lies outside of the repository", fault.Cut(file, 200)).For("file_path").
			With("give a path from the project's folder")
	}
	return filepath.ToSlash(rel), nil
}

const (
	mostPending = 20  // listed candidates without a limit
	pendingText = 200 // characters of a candidate
)

func (b bridge) pendingCandidates(ctx context.Context, a args) (keys, error) {
	list, _, _, err := b.Inbox.List(ctx, candidate.Filter{Status: candidate.Pending, Limit: cmp.Or(a.Limit, mostPending)})
	if err != nil {
		return nil, err
	}
	shown := []keys{}
	for _, one := range list {
		shown = append(shown, keys{"id": one.ID, "content": fault.Cut(one.Content, pendingText), "source": one.Source,
			"confidence": one.Confidence, "domain": one.Domain, "level": one.Level})
	}
	shown = fitting(shown)
	all, err := b.Count(ctx)
	n := all.Inbox()
	return keys{"candidates": shown, "count": len(shown),
		"stats": keys{"pending": n.Pending, "approved": n.Approved, "rejected": n.Rejected}}, err
}

func (b bridge) approveCandidate(ctx context.Context, a args) (keys, error) {
	was, err := b.Inbox.Get(ctx, a.CandidateID)
	if err != nil {
		return nil, err
	}
	done, err := b.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{was.ID}, Tool: a.Tool})
	if err != nil {
		return nil, err
	}
	return keys{"fact_id": done[0].ID, "content": fault.Cut(was.Content, pendingText)}, nil
}

func (b bridge) rejectCandidate(ctx context.Context, a args) (keys, error) {
	_, err := b.Inbox.Review(ctx, candidate.Action{Action: "reject", IDs: []string{a.CandidateID}, Tool: a.Tool})
	return keys{"message": "rejected: it does not come back"}, err
}

func (b bridge) approveAllCandidates(ctx context.Context, a args) (keys, error) {
	done, err := b.Inbox.ApproveAll(ctx, 0, candidate.By{Tool: a.Tool})
	if err != nil && len(done) > 0 {
		f := *fault.Of(err)
		f.Hint = strings.TrimSpace(fmt.Sprintf("%d are approved already. %s", len(done), f.Hint))
		err = &f
	}
	return keys{"approved_count": len(done)}, err
}
