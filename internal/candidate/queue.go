package candidate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The queue has the candidates of commits until they are written: .sdd/.local/extract has a file for each commit with candidates, and the
// file `tips` with the commits whose history has been read. The file of a commit is complete before the commit counts as read, and depends
// only on the commit: any number of processes may do the same work at once, and a killed one leaves nothing to repair.
// After a deletion of the folder, the latest commits are read again.
//
// Enqueue adds candidates of other sources, each call a file whose name is the hash of its content.

const (
	queueFolder = "extract"
	tipsName    = "tips"

	mostCommits = 50  // read in one pass: after a large pull, `sdd extract A..B` does the others
	mostTips    = 128 // that are remembered
	mostWaiting = 500 // commits in the queue, and as many calls of Enqueue
	otherPrefix = "other-"
)

// readLimit is the longest time that a reading call spends on new commits. The next call continues.
const readLimit = 2 * time.Second

// queued are the candidates of one commit, or of one call of Enqueue.
type queued struct {
	Commit     string      `json:"commit,omitempty"`
	Date       string      `json:"date"` // of its author
	Candidates []Candidate `json:"candidates"`

	name string // of its file
}

type queue struct {
	i *Inbox

	mu      sync.Mutex      // held while commits are read
	head    string          // the commit whose history is in the queue
	reachOf string          // the commit that reaches is of
	reaches map[string]bool // whether a queued commit is in the history of reachOf
}

// Follow puts the candidates of new commits into the queue. It changes no record, takes at most two seconds, and does nothing
// without a store or where nothing can be written.
func (i *Inbox) Follow(ctx context.Context) error {
	if i.opt.Extract == nil || !i.st.Exists() {
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
		return nil // read-only: the queue can be read, but not extended
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
		return nil // the commits may be replaced soon: the next call reads them
	}
	commits, err := i.unseen(ctx, repo, head, tips)
	if err != nil {
		return ctx.Err() // git failed: the next call tries again
	}
	if i.opt.Units != nil {
		commits = i.opt.Units(commits)
	}
	until := time.Now().Add(readLimit)
	for n, c := range slices.Backward(commits) {
		if n < len(commits)-1 && time.Now().After(until) {
			_ = writeTips(dir, tips)
			return nil
		}
		if i.enqueue(ctx, dir, repo, c) != nil {
			return ctx.Err() // a full disk, like a read-only one, extends no queue
		}
		tips = append(tips, c.ID)
	}
	if writeTips(dir, append(tips, head)) == nil {
		q.head = head
	}
	return nil
}

// unseen returns the commits to read, the newest first. Without tips these are those since the store was committed, else the last one.
func (i *Inbox) unseen(ctx context.Context, repo *git.Repo, head string, tips []string) ([]git.Revision, error) {
	if len(tips) > 0 {
		return repo.Revisions(ctx, mostCommits, append([]string{head, "--not"}, tips...)...)
	}
	all, err := repo.Revisions(ctx, mostCommits, head)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	folder, oldest := store.PathIn(repo, i.st.Dir()), all[len(all)-1].ID
	if _, err := repo.Run(ctx, "cat-file", "-e", oldest+":"+folder); err == nil {
		return all, nil
	}
	out, err := repo.Run(ctx, "rev-list", "--reverse", "--topo-order", head, "--not", oldest, "--", folder)
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(out), "\n")
	n := slices.IndexFunc(all, func(c git.Revision) bool { return c.ID == first })
	return all[:max(n, 0)+1], nil
}

// utc converts a time of git to the form of records, "" when it cannot be parsed.
func utc(date string) string {
	t, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return ""
	}
	return record.Stamp(t)
}

// enqueue puts the candidates of one commit into the queue. A commit that cannot be read has none.
func (i *Inbox) enqueue(ctx context.Context, dir *os.Root, repo *git.Repo, c git.Revision) error {
	found, err := i.opt.Extract(ctx, Range{Repo: repo, To: c.ID})
	if err != nil {
		return ctx.Err()
	}
	w := queued{Commit: c.ID, Date: utc(c.Date)}
	for _, f := range found {
		f.Status, f.Commit, f.Reason, f.Date = Queued, c.ID, "", w.Date
		if _, err := i.prepare(&f); err == nil {
			w.Candidates = append(w.Candidates, f)
		}
	}
	src, err := json.Marshal(w)
	if err != nil || len(w.Candidates) == 0 {
		return err
	}
	return store.WriteWhole(dir, c.ID+".json", src, false)
}

// Enqueue puts candidates into the queue that are neither in it nor in the inbox nor records, and returns those. Two processes may
// do it at once. Without a store it does nothing. Faults: Unwritable, config.yaml's.
func (i *Inbox) Enqueue(ctx context.Context, list []Candidate) (_ []Candidate, err error) {
	defer fault.Caught(&err)
	if !i.st.Exists() || len(list) == 0 {
		return nil, nil
	}
	waiting := fault.Must(i.Queued(ctx))
	var w queued
	for _, c := range list {
		_, known, done, err := i.admit(ctx, &c)
		fault.Check(err)
		same := func(o Candidate) bool { return o.ID == c.ID }
		if done || known.ID != "" || slices.ContainsFunc(waiting, same) || slices.ContainsFunc(w.Candidates, same) {
			continue
		}
		c.Status, c.Reason = Queued, ""
		w.Candidates, w.Date = append(w.Candidates, c), max(w.Date, c.Created)
	}
	src, err := json.Marshal(w)
	if err != nil || len(w.Candidates) == 0 {
		return nil, err
	}
	dir := fault.Must(i.queueDir())
	defer dir.Close()
	return w.Candidates, store.WriteWhole(dir, otherPrefix+record.Etag(src)+".json", src, false)
}

// queueDir opens the folder of the queue for writing.
func (i *Inbox) queueDir() (*os.Root, error) {
	dir, err := i.st.Private(queueFolder, true)
	if err != nil {
		return nil, fault.New(fault.Unwritable, "the queue in %s/.local/%s cannot be written: %v", store.Folder, queueFolder, err).
			With("look at the permissions of the folder")
	}
	return dir, nil
}

func readTips(dir *os.Root) []string {
	src, err := dir.ReadFile(tipsName)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(string(src)), func(s string) bool { return strings.Trim(s, "0123456789abcdef") != "" })
}

// writeTips adds the commits to those that other processes have written.
func writeTips(dir *os.Root, tips []string) error {
	all := readTips(dir)
	all = append(all, slices.DeleteFunc(slices.Clone(tips), func(t string) bool { return slices.Contains(all, t) })...)
	all = all[max(0, len(all)-mostTips):]
	return store.WriteWhole(dir, tipsName, []byte(strings.Join(all, "\n")+"\n"), false)
}

// Queued calls Follow and returns the candidates in the queue, each with its commit and once, in list order. It leaves
// out those that are in the inbox or a record by now, and candidates of commits outside the history of the checked-out
// commit; it removes those whose commit no branch has.
func (i *Inbox) Queued(ctx context.Context) (_ []Candidate, err error) {
	defer fault.Caught(&err)
	fault.Check(i.Follow(ctx))
	list, err := i.readQueue(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	there := fault.Must(i.read(ctx))
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

// readQueue reads the queue as far as its commits are in the history of the checked-out commit, the oldest commit first.
func (i *Inbox) readQueue(ctx context.Context) ([]queued, error) {
	dir, err := i.st.Private(queueFolder, false)
	if err != nil {
		return nil, nil
	}
	defer dir.Close()
	names, err := fs.Glob(dir.FS(), "*.json")
	if err != nil {
		return nil, nil
	}
	var commits, wanted []string
	for _, name := range names {
		if strings.HasPrefix(name, otherPrefix) {
			wanted = append(wanted, name)
		} else if id := strings.TrimSuffix(name, ".json"); strings.Trim(id, "0123456789abcdef") == "" {
			commits = append(commits, id)
		}
	}
	commits = commits[:min(len(commits), mostWaiting)]
	reachable, err := i.queue.reachable(ctx, dir, commits)
	if err != nil {
		return nil, err
	}
	wanted = wanted[:min(len(wanted), mostWaiting)]
	for _, id := range commits {
		if reachable[id] {
			wanted = append(wanted, id+".json")
		}
	}
	var out []queued
	for _, name := range wanted {
		w := queued{name: name}
		src, err := dir.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has written it meanwhile
		}
		if err != nil || json.Unmarshal(src, &w) != nil {
			dir.Remove(name) // damaged; after a deletion of `tips` that of a commit is found again
			continue
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b queued) int { return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.name, b.name)) })
	return out, i.dropMissing(ctx, out)
}

// dropMissing drops the candidates whose key the checked-out tree no longer has.
func (i *Inbox) dropMissing(ctx context.Context, list []queued) error {
	files := map[string]string{}
	for _, w := range list {
		for _, c := range w.Candidates {
			if c.Key != "" {
				files[c.Key] = c.CodeRef.File()
			}
		}
	}
	repo, err := git.Open(i.st.Dir())
	if i.opt.Missing == nil || len(files) == 0 || err != nil {
		return nil
	}
	missing, err := i.opt.Missing(ctx, repo, files)
	if err != nil {
		return ctx.Err()
	}
	for n := range list {
		list[n].Candidates = slices.DeleteFunc(list[n].Candidates, func(c Candidate) bool { return missing[c.Key] })
	}
	return nil
}

// reachable returns which commits are in the history of the checked-out commit, and drops those that no branch has from the queue.
func (q *queue) reachable(ctx context.Context, dir *os.Root, commits []string) (map[string]bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	head := git.CheckedOutCommit(ctx, q.i.st.Dir())
	if head == "" {
		return nil, nil
	}
	if q.reachOf != head {
		q.reachOf, q.reaches = head, map[string]bool{}
	}
	known := func(c string) bool { _, ok := q.reaches[c]; return ok }
	ask := slices.DeleteFunc(slices.Clone(commits), known)
	if len(ask) == 0 {
		return q.reaches, nil
	}
	repo, err := git.Open(q.i.st.Dir())
	if err != nil {
		return nil, nil
	}
	var away, lost []string
	there, err := repo.Run(ctx, append([]string{"rev-list", "--no-walk", "--ignore-missing"}, ask...)...)
	existing := strings.Fields(string(there))
	if err == nil {
		away, err = beyond(ctx, repo, existing, head)
	}
	if err == nil {
		lost, err = beyond(ctx, repo, away, head, "--branches")
	}
	if err != nil {
		return nil, ctx.Err()
	}
	for _, c := range ask {
		q.reaches[c] = slices.Contains(existing, c) && !slices.Contains(away, c)
		if !slices.Contains(existing, c) || slices.Contains(lost, c) {
			dir.Remove(c + ".json")
		}
	}
	return q.reaches, nil
}

// beyond returns the commits that none of the revs reaches.
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

// flush writes the queue: sure candidates as records, the others into the inbox.
func (i *Inbox) flush(ctx context.Context, out *Report, by By) (err error) {
	defer fault.Caught(&err)
	fault.Check(i.Follow(ctx))
	list, err := i.readQueue(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	dir := fault.Must(i.queueDir())
	defer dir.Close()
	for _, w := range list {
		fault.Check(i.write(ctx, w.Candidates, out, by, nil))
		fault.Check(i.at("written"))
		dir.Remove(w.name)
	}
	return nil
}
