package inbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The queue holds what was found in commits and is not written yet: .sdd/.local/extract, a file for each commit that has
// candidates, and the file `tips` with the commits whose history has been looked at. A file is written whole before its commit
// counts as seen, and what is in it depends on the commit alone: so any number of processes may do the same work at
// once, and one that is killed leaves nothing to mend. When the folder is deleted, the latest commits are looked at again.

const (
	queueFolder = "extract"
	tipsName    = "tips"

	mostCommits = 50  // that are looked at in one go: after a large pull, `sdd extract A..B` does the others
	mostTips    = 128 // that are remembered
	mostWaiting = 500 // commits in the queue
)

// patience is how long a call that reads looks at new commits. What is left is for the next one.
const patience = 2 * time.Second

// waiting are the candidates of one commit.
type waiting struct {
	Commit     string      `json:"commit"`
	Date       string      `json:"date"` // of its author
	Candidates []Candidate `json:"candidates"`
}

type queue struct {
	i *Inbox

	mu    sync.Mutex      // held while commits are looked at
	head  string          // whose history this process has seen looked at
	heres string          // the commit that the next is of
	here  map[string]bool // whether queued commits are in what is checked out
}

// Follow takes new commits in: what they tell waits in the queue from then on. It writes to no record, looks for at most
// two seconds, and does nothing where there is no store or nothing can be written.
func (i *Inbox) Follow(ctx context.Context) error {
	if i.extract == nil || !i.st.Exists() {
		return nil
	}
	q := &i.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	head := git.CheckedOutCommit(ctx, i.st.Dir())
	if head == "" || head == q.head {
		return nil
	}
	dir, err := i.st.Private(queueFolder, true)
	if err != nil {
		return nil // read-only: what is queued is read, and nothing is added
	}
	defer dir.Close()
	tips := readTips(dir)
	if slices.Contains(tips, head) {
		q.head = head
		return nil
	}
	repo, err := git.Open(i.st.Dir())
	if err != nil {
		return nil
	}
	if op, _ := repo.Underway(); op == git.Rebasing || op == git.Applying {
		return nil // its commits may all be replaced: whoever comes afterwards looks
	}
	commits, err := i.unseen(ctx, repo, head, tips)
	if err == nil {
		commits, err = i.standing(ctx, repo, commits)
	}
	if err != nil {
		return ctx.Err() // git cannot tell
	}
	until := time.Now().Add(patience)
	for n, c := range commits {
		if n > 0 && time.Now().After(until) {
			return writeTips(dir, tips)
		}
		if err := i.enqueue(ctx, dir, repo, c); err != nil {
			return err
		}
		tips = append(tips, c.id)
	}
	if err := writeTips(dir, append(tips, head)); err != nil {
		return err
	}
	q.head = head
	return nil
}

// commit is a commit that is looked at.
type commit struct{ id, date string }

// unseen returns the commits that are to be looked at, the oldest first. Where nothing is known of earlier ones, these are those
// since the store was committed; where it is not, the last one.
func (i *Inbox) unseen(ctx context.Context, repo *git.Repo, head string, tips []string) ([]commit, error) {
	if len(tips) > 0 {
		return log(ctx, repo, append([]string{head, "--not"}, tips...)...)
	}
	all, err := log(ctx, repo, head)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if _, err := repo.Run(ctx, "cat-file", "-e", all[0].id+":"+i.folder(repo)); err == nil {
		return all, nil
	}
	out, err := repo.Run(ctx, "rev-list", "--reverse", "--topo-order", head, "--not", all[0].id, "--", i.folder(repo))
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	for n, c := range all {
		if c.id == first {
			return all[n:], nil
		}
	}
	return all[len(all)-1:], nil
}

// standing leaves of commits those that are looked at.
func (i *Inbox) standing(ctx context.Context, repo *git.Repo, commits []commit) ([]commit, error) {
	if i.units == nil || len(commits) < 2 {
		return commits, nil
	}
	var ids []string
	for _, c := range slices.Backward(commits) {
		ids = append(ids, c.id)
	}
	ids, err := i.units(ctx, repo, ids)
	return slices.DeleteFunc(commits, func(c commit) bool { return !slices.Contains(ids, c.id) }), err
}

// folder is the path of the store in the work tree.
func (i *Inbox) folder(repo *git.Repo) string {
	below, err := filepath.Rel(repo.Top, i.st.Dir())
	if err != nil {
		return store.Folder
	}
	return path.Join(filepath.ToSlash(below), store.Folder)
}

// log returns the latest commits that revs name, the oldest first. Ids that the repository does not have any
// more are passed over.
func log(ctx context.Context, repo *git.Repo, revs ...string) ([]commit, error) {
	args := append([]string{"-c", "log.showSignature=false", "log", "--topo-order", "--no-color", "--format=%H %aI", "--ignore-missing",
		"--max-count=" + strconv.Itoa(mostCommits)}, revs...)
	out, err := repo.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	var all []commit
	for l := range strings.Lines(string(out)) {
		if id, date, ok := strings.Cut(strings.TrimSpace(l), " "); ok {
			all = append(all, commit{id, utc(date)})
		}
	}
	slices.Reverse(all)
	return all, nil
}

// utc is a moment of git's as records have it, "" when it cannot be read.
func utc(date string) string {
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return ""
	}
	return record.Stamp(t)
}

// enqueue looks at one commit. One that cannot be understood has nothing to tell.
func (i *Inbox) enqueue(ctx context.Context, dir *os.Root, repo *git.Repo, c commit) error {
	found, err := i.extract(ctx, Range{Repo: repo, To: c.id})
	if err != nil {
		return ctx.Err()
	}
	w := waiting{Commit: c.id, Date: c.date}
	for _, f := range found {
		f.Status, f.Commit, f.Reason, f.Date = Queued, c.id, "", c.date
		if _, err := i.prepare(&f); err == nil {
			w.Candidates = append(w.Candidates, f)
		}
	}
	if len(w.Candidates) == 0 {
		return nil
	}
	src, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return store.WriteWhole(dir, c.id+".json", src, false)
}

func readTips(dir *os.Root) []string {
	src, err := dir.ReadFile(tipsName)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(string(src)), func(s string) bool { return strings.Trim(s, "0123456789abcdef") != "" })
}

// writeTips adds to what other processes noted meanwhile.
func writeTips(dir *os.Root, tips []string) error {
	all := readTips(dir)
	for _, t := range tips {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	all = all[max(0, len(all)-mostTips):]
	return store.WriteWhole(dir, tipsName, []byte(strings.Join(all, "\n")+"\n"), false)
}

// Queued returns what was found in commits and is not written yet, each with its commit, in the order of lists: once, and
// without what is in the inbox or a record by now. New commits are taken in before. What was found in a commit that is not
// in the history of what is checked out is left out, and dropped when no branch has it either.
func (i *Inbox) Queued(ctx context.Context) ([]Candidate, error) {
	if err := i.Follow(ctx); err != nil {
		return nil, err
	}
	list, err := i.queued(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	there, err := i.read(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, c := range there {
		seen[c.ID] = true
	}
	var out []Candidate
	for _, w := range list {
		for _, c := range w.Candidates {
			if !seen[c.ID] && !i.isRecord(&c) {
				seen[c.ID] = true
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int { return inOrder(&a, &b) })
	return out, nil
}

// queued reads the queue: what is in the history of what is checked out, the oldest commit first.
func (i *Inbox) queued(ctx context.Context) ([]waiting, error) {
	dir, err := i.st.Private(queueFolder, false)
	if err != nil {
		return nil, nil
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil, nil
	}
	var commits []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && strings.Trim(id, "0123456789abcdef") == "" && len(commits) < mostWaiting {
			commits = append(commits, id)
		}
	}
	if len(commits) == 0 {
		return nil, nil
	}
	here, err := i.queue.reachable(ctx, dir, commits)
	if err != nil {
		return nil, err
	}
	var out []waiting
	for _, id := range commits {
		if !here[id] {
			continue
		}
		src, err := dir.ReadFile(id + ".json")
		var w waiting
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has written it meanwhile
		}
		if err != nil || json.Unmarshal(src, &w) != nil || w.Commit != id {
			dir.Remove(id + ".json") // nobody's work: it is found again when `tips` is gone too
			continue
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b waiting) int { return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Commit, b.Commit)) })
	return out, i.stillTrue(ctx, out)
}

// stillTrue drops the candidates that a later commit made untrue.
func (i *Inbox) stillTrue(ctx context.Context, list []waiting) error {
	files := map[string]string{}
	for _, w := range list {
		for _, c := range w.Candidates {
			if c.Key != "" {
				files[c.Key], _, _ = strings.Cut(c.CodeRef, "#")
			}
		}
	}
	repo, err := git.Open(i.st.Dir())
	if i.missing == nil || len(files) == 0 || err != nil {
		return nil
	}
	missing, err := i.missing(ctx, repo, files)
	if err != nil {
		return ctx.Err()
	}
	for n := range list {
		list[n].Candidates = slices.DeleteFunc(list[n].Candidates, func(c Candidate) bool { return missing[c.Key] })
	}
	return nil
}

// reachable tells which commits are in the history of what is checked out, and drops from the queue those that no branch has.
func (q *queue) reachable(ctx context.Context, dir *os.Root, commits []string) (map[string]bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	head := git.CheckedOutCommit(ctx, q.i.st.Dir())
	if head == "" {
		return nil, nil
	}
	if q.heres != head {
		q.heres, q.here = head, map[string]bool{}
	}
	var ask []string
	for _, c := range commits {
		if _, ok := q.here[c]; !ok {
			ask = append(ask, c)
		}
	}
	if len(ask) == 0 {
		return q.here, nil
	}
	repo, err := git.Open(q.i.st.Dir())
	if err != nil {
		return nil, nil
	}
	there, err := existing(ctx, repo, ask)
	if err != nil {
		return nil, ctx.Err()
	}
	away, err := beyond(ctx, repo, there, head)
	if err != nil {
		return nil, ctx.Err()
	}
	lost, err := beyond(ctx, repo, away, head, "--branches")
	if err != nil {
		return nil, ctx.Err()
	}
	for _, c := range ask {
		q.here[c] = slices.Contains(there, c) && !slices.Contains(away, c)
		if !slices.Contains(there, c) || slices.Contains(lost, c) {
			dir.Remove(c + ".json")
		}
	}
	return q.here, nil
}

// existing returns those of the commits that the repository has.
func existing(ctx context.Context, repo *git.Repo, commits []string) ([]string, error) {
	out, err := repo.Run(ctx, append([]string{"rev-list", "--no-walk", "--ignore-missing"}, commits...)...)
	return strings.Fields(string(out)), err
}

// beyond returns those of the commits that none of the revs leads to.
func beyond(ctx context.Context, repo *git.Repo, commits []string, revs ...string) ([]string, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	out, err := repo.Run(ctx, slices.Concat([]string{"rev-list"}, commits, []string{"--not"}, revs, []string{"--"})...)
	if err != nil {
		return nil, err
	}
	beyond := strings.Fields(string(out))
	return slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !slices.Contains(beyond, c) }), nil
}

// flush writes what waits in the queue: the sure ones as records, the others into the inbox.
func (i *Inbox) flush(ctx context.Context, out *Report, by By) error {
	if err := i.Follow(ctx); err != nil {
		return err
	}
	list, err := i.queued(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	dir, err := i.st.Private(queueFolder, true)
	if err != nil {
		return fault.New(fault.Unwritable, "the queue in %s/.local/%s cannot be written: %v", store.Folder, queueFolder, err).With("look at the permissions of the folder")
	}
	defer dir.Close()
	for _, w := range list {
		if err := i.write(ctx, w.Candidates, out, by, nil); err != nil {
			return err
		}
		if err := i.at("written"); err != nil {
			return err
		}
		dir.Remove(w.Commit + ".json")
	}
	return nil
}
