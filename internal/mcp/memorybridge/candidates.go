package memorybridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/mcp/catalog"
	"sdd/internal/tokens"
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
		if !both {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA == nil && errB == nil {
			out.LineRange = []int{a, b}
		}
	}
	return out
}

type extractArgs struct {
	Source      string `json:"source"`
	FilePath    string `json:"file_path"`
	AutoApprove bool   `json:"auto_approve"`
}

type extractedFacts struct {
	extracted
	TotalChanges int `json:"total_changes"`
}

// extractFacts looks for candidates in uncommitted changes. For a file without any it reads the last commit that changed
// it. With auto_approve the confident ones become records; the others stay in the inbox.
func (b bridge) extractFacts(ctx context.Context, call *catalog.Call, a extractArgs) (extractedFacts, error) {
	out := extractedFacts{extracted: extracted{Status: success, Candidates: []oldCandidate{}}}
	if a.FilePath != "" && a.Source != "file" {
		return out, fault.New(fault.Invalid, "file_path goes with source file").For("file_path").With(`send "source": "file"`)
	}
	repo, err := git.Open(b.Store.Dir())
	if err != nil {
		return out, err
	}
	rev, r := "", candidate.Range{Staged: a.Source == "staged", Worktree: a.Source != "staged"}
	var paths []string
	if a.Source == "file" {
		if r.Path, err = inRepo(repo.Top, b.Store.Dir(), a.FilePath); err != nil {
			return out, err
		}
		paths = []string{r.Path}
	}
	states, err := repo.Dirty(ctx, paths...)
	if err != nil {
		return out, err
	}
	for _, s := range states {
		if !r.Staged || s.Staged != ' ' && s.Staged != '?' {
			out.TotalChanges++
		}
	}
	if r.Path != "" && len(states) == 0 {
		log, err := repo.Steps(ctx, "HEAD", 1, r.Path)
		if err != nil {
			return out, err
		}
		if len(log) == 0 {
			return out, nil
		}
		rev, r.Worktree, out.TotalChanges = log[0].ID, false, 1
	}
	find := b.Inbox.Propose
	if a.AutoApprove {
		find = b.Inbox.Extract
	}
	report, err := find(ctx, rev, r, candidate.By{Tool: call.By()})
	if err != nil {
		return out, err
	}
	for _, list := range [][]candidate.Candidate{report.Approved, report.Candidates} {
		for n := range list {
			out.add(candidateKeys(&list[n]))
		}
	}
	out.extracted = out.within()
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

type pendingArgs struct {
	Limit int `json:"limit"`
}

func (b bridge) pendingCandidates(ctx context.Context, _ *catalog.Call, a pendingArgs) (keys, error) {
	if a.Limit == 0 {
		a.Limit = mostPending
	}
	list, _, _, err := b.Inbox.List(ctx, candidate.Filter{Status: candidate.Pending, Limit: a.Limit})
	if err != nil {
		return nil, err
	}
	shown := []keys{}
	for _, one := range list {
		shown = append(shown, keys{"id": one.ID, "content": fault.Cut(one.Content, pendingText), "source": one.Source,
			"confidence": one.Confidence, "domain": one.Domain, "level": one.Level})
	}
	shown = shown[:tokens.Room(len(shown), func(n int) bool { return tokens.WithinJSON(shown[:n], mostOfFacts-200) })]
	all, err := b.Count(ctx)
	n := all.Inbox()
	return keys{"status": success, "candidates": shown, "count": len(shown),
		"stats": keys{"pending": n.Pending, "approved": n.Approved, "rejected": n.Rejected}}, err
}

type candidateID struct {
	CandidateID string `json:"candidate_id"`
}

func (b bridge) approveCandidate(ctx context.Context, call *catalog.Call, a candidateID) (keys, error) {
	was, err := b.Inbox.Get(ctx, a.CandidateID)
	if err != nil {
		return nil, calledAs(err, "ids", "candidate_id")
	}
	done, err := b.Inbox.Review(ctx, candidate.Action{Action: "approve", IDs: []string{was.ID}, Tool: call.By()})
	if err != nil {
		return nil, calledAs(err, "ids", "candidate_id")
	}
	return keys{"status": success, "fact_id": done[0].ID, "content": fault.Cut(was.Content, pendingText)}, nil
}

func (b bridge) rejectCandidate(ctx context.Context, call *catalog.Call, a candidateID) (keys, error) {
	_, err := b.Inbox.Review(ctx, candidate.Action{Action: "reject", IDs: []string{a.CandidateID}, Tool: call.By()})
	return keys{"status": success, "message": "rejected: it does not come back"}, calledAs(err, "ids", "candidate_id")
}

func (b bridge) approveAllCandidates(ctx context.Context, call *catalog.Call, _ nothing) (keys, error) {
	done, err := b.Inbox.ApproveAll(ctx, 0, candidate.By{Tool: call.By()})
	if err != nil && len(done) > 0 {
		f := *fault.Of(err)
		f.Hint = strings.TrimSpace(fmt.Sprintf("%d are approved already. %s", len(done), f.Hint))
		err = &f
	}
	return keys{"status": success, "approved_count": len(done)}, err
}
