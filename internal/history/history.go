// Package history compares versions of records, by section and item: the changes between two states (diff), the commits and authors
// of a text (log, why), the latest changes, and the changes of a branch on one page (review-pr).
package history

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// history reads a store from its git repository. It writes nothing, not even git's index, so it works in a read-only clone.
type history struct {
	ctx     context.Context
	st      *store.Store
	repo    *git.Repo
	objects *git.Objects
	prefix  string            // the store's folder, relative to the top of the work tree
	beside  Subject           // a decision record in a folder beside the store; then only the history of that folder is read
	own     map[string]string // the store's own project, by commit
	steps   []git.Step        // the commits that changed records, nil before they are needed
	open    *[]Change         // that are not committed, nil before they are needed
}

// inHistory runs do with the history of a store. The error is the one that ended it, Unavailable when the store has no repository.
func inHistory(ctx context.Context, st *store.Store, do func(h *history)) (err error) {
	defer fault.Caught(&err)
	repo, err := git.Open(st.Dir())
	if err != nil {
		return err
	}
	h := &history{ctx: ctx, st: st, repo: repo, objects: repo.Objects(ctx), prefix: store.PathIn(repo, st.Dir()), own: map[string]string{}}
	defer h.objects.Close()
	do(h)
	return nil
}

// goOn ends the comparison when the caller no longer waits for it.
func (h *history) goOn() { fault.Check(h.ctx.Err()) }

// head is the commit that is checked out, "" before the first one.
func (h *history) head() string { return fault.Must(h.repo.Head(h.ctx)) }

// base is the store's root relative to the top of the work tree, with a slash at its end; "" when it is the top.
func (h *history) base() string { return strings.TrimSuffix(h.prefix, store.Folder) }

// branch is the branch that is checked out, "" when none is.
func (h *history) branch() string {
	return strings.TrimPrefix(fault.Must(h.repo.CurrentBranch(h.ctx)), "refs/heads/")
}

// state is the records of a commit, or those on disk.
type state struct {
	rev  string // "" for the disk, and for a branch without commits
	disk bool
}

// version is the file of a record in one state.
type version struct {
	path string // relative to .sdd
	src  []byte
	rec  record.Record
	err  error // why the bytes cannot be read: too large, not a regular file
}

// mergeBase returns the commit at which two histories parted; having none is a fault.
func (h *history) mergeBase(a, b string) string {
	base := fault.Must(h.repo.MergeBase(h.ctx, a, b))
	if base != "" {
		return base
	}
	if shallow, err := h.repo.Shallow(h.ctx); err == nil && shallow {
		fault.Check(fault.New(fault.Unavailable, "this clone is shallow: the commit from which %s and %s parted is not in it",
			short(a), short(b)).
			With("git fetch --unshallow origin gets the rest; in a workflow, fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 on GitLab"))
	}
	fault.Check(fault.New(fault.NotFound, "%s and %s have no commit in common", short(a), short(b)).
		With("compare two commits of one history, or with .. instead of ..."))
	return ""
}

func short(commit string) string {
	if len(commit) < 40 || strings.Trim(commit, "0123456789abcdef") != "" {
		return commit
	}
	return commit[:10]
}

// versions reads both sides of the deltas of records.
func (h *history) versions(from, to state, deltas []git.Delta) (olds, news []*version) {
	for _, d := range deltas {
		path, ok := h.recordPath(d.Path)
		if !ok {
			continue
		}
		if d.Old[0] != "" {
			olds = append(olds, h.version(from, path, d.Old[0]))
		}
		switch {
		case d.Gone:
		case to.disk:
			if v := h.onDisk(path); v != nil {
				news = append(news, v)
			}
		default:
			news = append(news, h.version(to, path, d.New))
		}
		h.goOn()
	}
	return olds, news
}

// recordPath converts a path relative to the top of the work tree to one relative to .sdd. ok is false when it is not a record's.
func (h *history) recordPath(file string) (rel string, ok bool) {
	rel, ok = strings.CutPrefix(file, h.folder()+"/")
	if !ok {
		return "", false
	}
	if h.beside.Source != "" {
		rel = path.Dir(h.beside.Path) + "/" + rel
	}
	_, ok = record.KindOf(parsedAs(rel))
	return rel, ok
}

// file is the reverse of recordPath.
func (h *history) file(rel string) string { return path.Join(h.prefix, rel) }

// folder is the folder whose files are records, relative to the top of the work tree.
func (h *history) folder() string {
	if h.beside.Source != "" {
		return h.file(path.Dir(h.beside.Path))
	}
	return h.prefix
}

// parsedAs is the path by which a file is parsed: one beside the store is a decision.
func parsedAs(rel string) string {
	if strings.HasPrefix(rel, "../") {
		return "decisions/" + path.Base(rel)
	}
	return rel
}

// inFolder returns the record as the history of its folder names it.
func (h *history) inFolder(s Subject) Subject {
	if s.Source != "" {
		h.beside = s
		s.ID = newVersion(s.Path, []byte(s.Source), h.st.Project()).rec.ID
	}
	return s
}

func newVersion(path string, src []byte, project string) *version {
	return &version{path: path, src: src, rec: record.Parse(parsedAs(path), src, record.Defaults{Project: project})}
}

func (h *history) version(in state, path, id string) *version {
	src, err := h.objects.Read(id)
	v := newVersion(path, src, h.project(in))
	v.err = err
	return v
}

// onDisk reads a record as it is now, nil when it is gone.
func (h *history) onDisk(path string) *version {
	if h.beside.Source != "" {
		if path != h.beside.Path {
			return nil
		}
		return newVersion(path, []byte(h.beside.Source), h.st.Project())
	}
	f, err := h.st.Read(path)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	v := newVersion(path, f.Bytes, h.st.Project())
	v.err = err
	return v
}

// project returns the store's own project in a state; identities depend on it.
func (h *history) project(in state) string {
	if in.disk || in.rev == "" {
		return h.st.Project()
	}
	if h.own[in.rev] == "" {
		src, _ := h.objects.Read(in.rev + ":" + h.prefix + "/" + config.Name)
		h.own[in.rev] = h.st.Project()
		if c, err := config.Parse(src); err == nil && c.Project != "" {
			h.own[in.rev] = c.Project
		}
	}
	return h.own[in.rev]
}

// tree returns the files of all records of a commit, by path.
func (h *history) tree(rev string) []git.Entry {
	return slices.DeleteFunc(fault.Must(h.repo.Tree(h.ctx, rev, h.folder())), func(e git.Entry) bool {
		_, ok := h.recordPath(e.Path)
		return e.Link || !ok
	})
}

// Subject is the record whose history the caller wants.
type Subject struct {
	ID   string
	Path string // of its file, relative to .sdd; of a deleted record, its last file
	Gone bool   // the record was deleted

	Source string // the text of a decision record beside the store, whose Path leads out of it; "" for a record of the store
}

// FindGone finds a deleted record by its id, topic key, title, slug or file: one whose deletion is not committed, else the one deleted
// last. The fault is NotFound when the history has none.
func FindGone(ctx context.Context, st *store.Store, name string) (found Subject, err error) {
	err = inHistory(ctx, st, func(h *history) { found = h.gone(name) })
	if err == nil && !found.Gone {
		err = fault.New(fault.NotFound, "nothing is or was called %q", record.OneLine(name)).For("RECORD").
			With("sdd search lists what there is; git log --all may know records of other branches")
	}
	return found, err
}

func (h *history) gone(name string) Subject {
	head := h.head()
	if head == "" {
		return Subject{}
	}
	for _, r := range h.dirty() {
		if r.Status == Removed && r.old.hasName(name) {
			return Subject{ID: r.old.rec.ID, Path: r.old.path, Gone: true}
		}
	}
	for _, list := range []func() ([]git.Step, error){
		func() ([]git.Step, error) { return h.repo.Steps(h.ctx, head, 0, h.prefix) },
		func() ([]git.Step, error) { return h.repo.Drops(h.ctx, "", head, h.prefix) },
	} {
		for _, s := range fault.Must(list()) {
			for _, d := range s.Deltas {
				path, ok := h.recordPath(d.Path)
				if !ok || !d.Gone || d.Old[0] == "" {
					continue
				}
				if v := h.version(state{rev: parent(&s, 0)}, path, d.Old[0]); v.hasName(name) {
					return Subject{ID: v.rec.ID, Path: path, Gone: true}
				}
			}
			h.goOn()
		}
	}
	return Subject{}
}

// At returns the named record as it was in the commit rev, even if its name or file changed since. known is the present record of that
// name, nil when it is gone. The fault is NotFound when the commit does not have the record.
func At(
	ctx context.Context, st *store.Store, name string, known *Subject, rev string,
) (r record.Record, src []byte, commit string, err error) {
	err = inHistory(ctx, st, func(h *history) {
		commit = fault.Must(h.repo.Resolve(ctx, rev))
		if known != nil {
			of := h.inFolder(*known)
			known = &of
		}
		found := h.at(commit, name, known)
		if len(found) == 0 {
			fault.Check(fault.New(fault.NotFound, "%q was not there in %s", record.OneLine(name), rev).For("RECORD").
				With("sdd log tells when a record came, and under which names it was known"))
		}
		if len(found) > 1 {
			var names []string
			for _, v := range found {
				names = append(names, fmt.Sprintf("%s (%s)", v.rec.ID, store.Folder+"/"+v.path))
			}
			fault.Check(fault.New(fault.Ambiguous, "%d records were called %q in %s: %s", len(found), record.OneLine(name), short(commit),
				strings.Join(names, "; ")).For("RECORD").With("give one of these ids or files"))
		}
		v := found[0]
		v.rec.File = v.path
		r, src = v.rec, v.src
		fault.Check(v.err)
	})
	return r, src, commit, err
}

// at finds the record in a commit: by its present file and identity, its identity, the files it had in between; a deleted one by name.
func (h *history) at(commit, name string, known *Subject) (found []*version) {
	entries := h.tree(commit)
	in := func(at func(path string) bool, wanted func(*version) bool) []*version {
		found = nil
		for _, e := range entries {
			path, _ := h.recordPath(e.Path)
			if !at(path) {
				continue
			}
			h.goOn()
			if v := h.version(state{rev: commit}, path, e.ID); wanted(v) {
				found = append(found, v)
			}
		}
		return found
	}
	anywhere := func(string) bool { return true }
	if known == nil {
		return in(anywhere, func(v *version) bool { return v.hasName(name) })
	}
	isKnown := func(v *version) bool { return v.rec.ID == known.ID }
	if len(in(func(path string) bool { return path == known.Path }, isKnown)) == 0 && len(in(anywhere, isKnown)) == 0 {
		t, _ := h.traceFrom(*known)
		in(func(path string) bool { return slices.Contains(t.paths, path) }, func(v *version) bool { return t.ids[v.rec.ID] })
	}
	return found[:min(len(found), 1)]
}

// traceFrom follows a record from the commit that is checked out, and returns its uncommitted change, nil when there is none.
func (h *history) traceFrom(s Subject) (*trace, *Change) {
	open := h.uncommitted(s)
	if open == nil && s.Gone {
		return h.traceGone(s), nil
	}
	t := h.newTrace(h.head())
	was := s
	if open != nil && open.old != nil {
		was = Subject{ID: open.old.rec.ID, Path: open.old.path}
	}
	t.follow(was.ID, was.Path)
	if open == nil && len(t.found) == 0 { // git ignores it
		if c, ok := differ(nil, h.onDisk(s.Path)); ok {
			open = &c
		}
	}
	return t, open
}

// traceGone follows a record to the commit that removed it, which may be a merge of branches of which one has it.
func (h *history) traceGone(s Subject) *trace {
	head := h.head()
	h.steps = fault.Must(h.repo.AllSteps(h.ctx, head, h.prefix))
	t := h.newTrace(head)
	t.follow(s.ID, s.Path)
	if len(t.found) == 0 {
		return t
	}
	last := slices.Min(slices.Collect(maps.Keys(t.found)))
	if t.found[last].now == nil {
		return t
	}
	if drops := fault.Must(h.repo.Drops(h.ctx, h.steps[last].ID, head, h.file(s.Path))); len(drops) > 0 {
		h.steps = slices.Insert(h.steps, last, drops[len(drops)-1])
		t = h.newTrace(head)
		t.follow(s.ID, s.Path)
	}
	return t
}

// dirty returns the records that differ from the commit that is checked out.
func (h *history) dirty() []Change {
	if h.open == nil {
		c := h.compare(state{rev: h.head()}, state{disk: true}, nil)
		h.open = &c.Records
	}
	return *h.open
}

// uncommitted is the change of a record since the commit that is checked out, nil when there is none.
func (h *history) uncommitted(s Subject) *Change {
	all := h.dirty()
	for i, r := range all {
		if s.Gone && r.Status == Removed && r.old.path == s.Path || !s.Gone && r.new != nil && r.new.path == s.Path {
			return &all[i]
		}
	}
	return nil
}
