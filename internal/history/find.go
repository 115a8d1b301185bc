package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Subject is the record whose history the caller wants.
type Subject struct {
	ID   string
	Path string // of its file, relative to .sdd; of a deleted record, its last file
	Gone bool   // the record was deleted
}

// FindGone finds a deleted record by its id, topic key, title, slug or file: one whose deletion is not committed, else the one deleted
// last. The fault is NotFound when the history has none.
func FindGone(ctx context.Context, st *store.Store, name string) (Subject, error) {
	h, err := openHistory(ctx, st)
	if err != nil {
		return Subject{}, err
	}
	defer h.close()
	head, err := h.repo.Head(ctx)
	if err != nil {
		return Subject{}, err
	}
	steps := []git.Step{}
	if head != "" {
		c, err := h.compare(state{rev: head}, state{disk: true})
		if err != nil {
			return Subject{}, err
		}
		for _, r := range c.Records {
			if r.Status == Removed && r.old.hasName(name) {
				return Subject{r.old.rec.ID, r.old.path, true}, nil
			}
		}
		if steps, err = h.repo.Steps(ctx, head, h.prefix); err != nil {
			return Subject{}, err
		}
	}
	for _, s := range steps {
		for _, d := range s.Deltas {
			path, ok := h.recordPath(d.Path)
			if !ok || !d.Gone || d.Old[0] == "" {
				continue
			}
			if v := h.version(state{rev: parent(&s, 0)}, path, d.Old[0]); v.hasName(name) {
				return Subject{v.rec.ID, path, true}, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return Subject{}, err
		}
	}
	return Subject{}, fault.New(fault.NotFound, "nothing is or was called %q", record.OneLine(name)).For("RECORD").
		With("sdd search lists what there is; git log --all may know records of other branches")
}

// At returns the named record as it was in the commit rev, even if its name or file changed since. known is the present record of that
// name, nil when it is gone. The fault is NotFound when the commit does not have the record.
func At(ctx context.Context, st *store.Store, name string, known *Subject, rev string) (r record.Record, src []byte, commit string, err error) {
	h, err := openHistory(ctx, st)
	if err != nil {
		return r, nil, "", err
	}
	defer h.close()
	if commit, err = h.repo.Resolve(ctx, rev); err != nil {
		return r, nil, "", err
	}
	found, err := h.at(commit, name, known)
	if err != nil {
		return r, nil, "", err
	}
	switch len(found) {
	case 0:
		return r, nil, "", fault.New(fault.NotFound, "%q was not there in %s", record.OneLine(name), rev).For("RECORD").
			With("sdd log tells when a record came, and under which names it was known")
	case 1:
		v := found[0]
		return v.rec, v.src, commit, v.err
	}
	var names []string
	for _, v := range found {
		names = append(names, fmt.Sprintf("%s (%s)", v.rec.ID, store.Folder+"/"+v.path))
	}
	return r, nil, "", fault.New(fault.Ambiguous, "%d records were called %q in %s: %s", len(found), record.OneLine(name), short(commit),
		strings.Join(names, "; ")).
		For("RECORD").With("give one of these ids or files")
}

// at finds the record in a commit: by its present file and identity, then by its identity, then by the files that it had in between;
// a deleted record, by name.
func (h *history) at(commit, name string, known *Subject) ([]*version, error) {
	entries, err := h.tree(commit)
	if err != nil {
		return nil, err
	}
	isKnown := func(v *version) bool { return v.rec.ID == known.ID }
	if known != nil {
		v, err := h.inTree(commit, entries, func(path string) bool { return path == known.Path }, isKnown)
		if err != nil || len(v) > 0 {
			return v, err
		}
	}
	anywhere := func(string) bool { return true }
	if known == nil {
		return h.inTree(commit, entries, anywhere, func(v *version) bool { return v.hasName(name) })
	}
	found, err := h.inTree(commit, entries, anywhere, isKnown)
	if err != nil || len(found) > 0 {
		return found[:min(len(found), 1)], err
	}
	t, _, err := h.traceFrom(*known)
	if err != nil {
		return nil, err
	}
	wasThere := func(path string) bool { return slices.Contains(t.paths, path) }
	found, err = h.inTree(commit, entries, wasThere, func(v *version) bool { return t.ids[v.rec.ID] })
	return found[:min(len(found), 1)], err
}

// inTree reads the records of a commit at the paths that at accepts, and returns the wanted ones.
func (h *history) inTree(commit string, entries []git.Entry, at func(path string) bool, wanted func(*version) bool) ([]*version, error) {
	var found []*version
	for _, e := range entries {
		path, _ := h.recordPath(e.Path)
		if !at(path) {
			continue
		}
		if err := h.ctx.Err(); err != nil {
			return nil, err
		}
		if v := h.version(state{rev: commit}, path, e.ID); wanted(v) {
			found = append(found, v)
		}
	}
	return found, nil
}

// traceFrom follows a record from the commit that is checked out, where it may have another name than on disk, and returns its
// uncommitted change, nil when there is none.
func (h *history) traceFrom(s Subject) (*trace, *Change, error) {
	head, err := h.repo.Head(h.ctx)
	if err != nil {
		return nil, nil, err
	}
	t, err := h.newTrace(head)
	if err != nil {
		return nil, nil, err
	}
	open, err := h.uncommitted(head, s)
	if err != nil {
		return nil, nil, err
	}
	if open == nil && !s.Gone && len(t.at[s.Path]) == 0 { // git ignores it
		if c, ok := differ(nil, h.onDisk(s.Path)); ok {
			open = &c
		}
	}
	if open != nil && open.old != nil {
		s = Subject{ID: open.old.rec.ID, Path: open.old.path}
	}
	return t, open, t.follow(s.ID, s.Path)
}

// uncommitted is the change of a record since the commit that is checked out, nil when there is none.
func (h *history) uncommitted(head string, s Subject) (*Change, error) {
	c, err := h.compare(state{rev: head}, state{disk: true})
	for i, r := range c.Records {
		if s.Gone && r.Status == Removed && r.old.path == s.Path || !s.Gone && r.new != nil && r.new.path == s.Path {
			return &c.Records[i], err
		}
	}
	return nil, err
}
