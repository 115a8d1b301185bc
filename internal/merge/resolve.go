package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/journal"
	"sdd/internal/record"
	"sdd/internal/store"
)

// After a merge without the driver, which merge, rebase, cherry-pick, revert and stash leave alike, Resolve merges a record again: three
// versions in the index when the file is as git left it, else the text between the remaining markers, with the base from the index, the
// history or the markers. Without a base it cannot distinguish new words from changed ones: the markers stay.

// Outcomes for a file.
const (
	FileMerged    = "merged"    // no conflict is left
	FileOpen      = "conflict"  // some are, between markers
	FileByHand    = "by_hand"   // nothing was done: the user has to decide, or has decided
	FileUnchanged = "unchanged" // it has no conflict
)

// Resolution is the outcome of Resolve.
type Resolution struct {
	Files []Resolved `json:"files"`
	Next  string     `json:"next"` // what to do now, "" for nothing
}

// Resolved is a file and its outcome.
type Resolved struct {
	Pending
	Action string `json:"action"`
	Staged bool   `json:"staged"` // it was put into the index
}

// Open reports whether a conflict is left.
func (r Resolution) Open() bool {
	return slices.ContainsFunc(r.Files, func(f Resolved) bool { return f.Action == FileOpen || f.Action == FileByHand })
}

// Unmerged lists the records of a store that the index has in conflict, relative to .sdd. Outside git there are none.
func Unmerged(ctx context.Context, st *store.Store) ([]string, error) {
	r, err := newResolver(ctx, st)
	var all []string
	for path := range r.conflicts {
		if rel, ok := strings.CutPrefix(path, r.prefix+"/"); ok {
			if _, ok := record.KindOf(rel); ok {
				all = append(all, rel)
			}
		}
	}
	slices.Sort(all)
	return all, err
}

// Resolve merges records again, and stages what is merged if the index had it in conflict or with its markers; nothing is committed.
// Files are relative to .sdd; sdd undo brings back what was there.
func Resolve(ctx context.Context, st *store.Store, files []string) (Resolution, error) {
	out := Resolution{Files: []Resolved{}}
	r, err := newResolver(ctx, st)
	if err != nil {
		return out, err
	}
	for _, file := range files {
		done, err := r.file(ctx, file)
		switch {
		case err != nil && (len(files) == 1 || ctx.Err() != nil):
			return out, err
		case err != nil: // the other files are merged all the same
			done.Action, done.Reason = FileByHand, err.Error()
		}
		out.Files = append(out.Files, done)
	}
	out.Next, err = r.next(ctx, out)
	return out, err
}

type resolver struct {
	st        *store.Store
	repo      *git.Repo // nil outside git
	prefix    string    // of .sdd, relative to the top of the work tree; outside git to the store's root
	conflicts map[string]git.Conflicted
}

func newResolver(ctx context.Context, st *store.Store) (resolver, error) {
	r := resolver{st: st, prefix: store.Folder, conflicts: map[string]git.Conflicted{}}
	repo, err := git.Open(st.Dir())
	if err != nil {
		return r, nil
	}
	prefix := store.PathIn(repo, st.Dir())
	conflicts, err := repo.Conflicts(ctx, prefix)
	if fault.Is(err, fault.Unavailable) { // journalled saves need no git
		return r, nil
	}
	r.repo, r.prefix = repo, prefix
	for _, c := range conflicts {
		r.conflicts[c.Path] = c
	}
	return r, err
}

type attempt struct {
	out       []byte
	conflicts []record.Conflict
	action    string
	reason    string
}

func (r resolver) file(ctx context.Context, file string) (Resolved, error) {
	path := r.prefix + "/" + file
	done := Resolved{Pending: Pending{File: path, Overlaps: []record.Conflict{}}}
	c, unmerged := r.conflicts[path]
	var stages Versions
	if unmerged {
		if done.Reason = reasonOf(c); done.Reason == "" && !r.there(file) {
			done.Reason = "its file is gone"
		}
		if done.Reason != "" {
			done.Action = FileByHand
			done.Reason += "; git add it, or git rm it"
			return done, nil
		}
		var err error
		if stages, err = staged(ctx, r.repo, c); err != nil {
			return done, err
		}
	}
	var last attempt
	saved, err := r.save(ctx, file, func(now []byte) ([]byte, error) {
		var err error
		if unmerged {
			last, err = r.fromStages(ctx, path, now, stages)
		} else {
			last, err = r.fromMarkers(ctx, path, now, split(now), nil)
		}
		return last.out, err
	})
	if err != nil {
		return done, err
	}
	done.Action, done.Reason = last.action, last.reason
	done.Overlaps = append(done.Overlaps, last.conflicts...)
	if done.Action == FileMerged && (unmerged || r.stagedAs(ctx, path, saved.Before)) {
		if err := r.repo.Stage(ctx, path); err != nil {
			return done, err
		}
		done.Staged = true
	}
	return done, nil
}

// save changes a file that may be in conflict.
func (r resolver) save(ctx context.Context, file string, apply func(now []byte) ([]byte, error)) (store.Saved, error) {
	now, err := r.st.Read(file)
	if err != nil {
		return store.Saved{}, err
	}
	id := record.Parse(file, now.Bytes, record.Defaults{Project: r.st.Project()}).ID
	return r.st.Save(ctx, store.Edit{
		Lock: id, Record: id, Op: "resolve", InConflict: true,
		Resolve: func() (string, error) { return file, nil },
		Apply:   func(now []byte, _ bool) ([]byte, error) { return apply(now) },
		// Record no section as saved by a tool, because git may undo its changes.
		Changed: func(before, after *record.Doc) []journal.Change { return []journal.Change{} },
	})
}

func (r resolver) there(file string) bool {
	_, err := os.Lstat(filepath.Join(r.st.Dir(), store.Folder, filepath.FromSlash(file)))
	return !errors.Is(err, fs.ErrNotExist)
}

// stagedAs reports whether the index has the file as it was, and this differs from the commit that is checked out.
func (r resolver) stagedAs(ctx context.Context, path string, before []byte) bool {
	if r.repo == nil {
		return false
	}
	names, err := r.repo.Staged(ctx, path)
	if err != nil || len(names) == 0 {
		return false
	}
	src, err := r.repo.ShowStaged(ctx, path)
	return err == nil && bytes.Equal(plain(src), plain(before))
}

// plain is src with the line ends that git stores.
func plain(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\r\n"), newline) }

// fromStages merges the versions that the index has, when the file is as git left it.
func (r resolver) fromStages(ctx context.Context, path string, now []byte, v Versions) (attempt, error) {
	s := splitUnmerged(now, v)
	if len(s.blocks) == 0 {
		if !bytes.Equal(now, v.Ours) && !bytes.Equal(now, v.Theirs) {
			return attempt{out: now, action: FileByHand, reason: "it was mended by hand; git add it"}, nil
		}
		m, err := File(ctx, path, v, Labels{}, false)
		return tried(m, v), err
	}
	l := s.labels()
	m, err := File(ctx, path, v, l, s.complete())
	if err != nil || sameSides(now, m.Out, v) || r.untouched(ctx, now, v, l) {
		return tried(m, v), err
	}
	return r.fromMarkers(ctx, path, now, s, v.Base)
}

// untouched reports whether the file is git's merge of the versions by lines, in any of its styles.
func (r resolver) untouched(ctx context.Context, now []byte, v Versions, l Labels) bool {
	out, _, err := git.MergeFile(ctx, v.Base, v.Ours, v.Theirs, l, git.PlainStyle)
	return err == nil && sameSides(now, out, v)
}

// sameSides reports whether two texts with markers contain the same two sides. The extent of each block depends on git's style.
func sameSides(a, b []byte, v Versions) bool {
	x, y := splitUnmerged(a, v).sides(), splitUnmerged(b, v).sides()
	return bytes.Equal(x.Ours, y.Ours) && bytes.Equal(x.Theirs, y.Theirs)
}

// fromMarkers merges the text between the markers of s, against base; nil is the one in the history, else the one between the markers.
func (r resolver) fromMarkers(ctx context.Context, path string, now []byte, s marked, base []byte) (attempt, error) {
	if len(s.blocks) == 0 {
		return attempt{out: now, action: FileUnchanged}, nil
	}
	v := s.sides()
	if base == nil {
		var ok bool
		var err error
		if base, ok, err = r.baseOf(ctx, path, now, s); err != nil {
			return attempt{}, err
		}
		switch {
		case ok && s.from(base):
		case s.complete():
			base = v.Base
		default:
			return attempt{out: now, action: FileOpen, conflicts: s.overlaps(),
				reason: "what both sides began with is not known, so it has to be merged by hand"}, nil
		}
	}
	v.Base = base
	m, err := File(ctx, path, v, s.labels(), s.complete())
	return tried(m, v), err
}

// tried is the attempt with the result m of merging v.
func tried(m Merged, v Versions) attempt {
	a := attempt{out: m.Out, action: FileOpen, conflicts: m.Conflicts}
	switch {
	case m.Clean:
		a.action = FileMerged
	case len(m.Conflicts) == 0:
		a.reason = "it cannot be read as a record, so it is merged by lines"
		a.conflicts = splitUnmerged(m.Out, v).overlaps()
	}
	atLines(a.conflicts, m.Out, v)
	return a
}

// overlaps lists the blocks, without their key or section, which are not known.
func (m marked) overlaps() []record.Conflict {
	var all []record.Conflict
	for _, b := range m.blocks {
		all = append(all, record.Conflict{Line: b.Line, Ours: b.Ours, Theirs: b.Theirs})
	}
	return all
}

// next returns what the user should do now.
func (r resolver) next(ctx context.Context, done Resolution) (string, error) {
	if slices.ContainsFunc(done.Files, func(f Resolved) bool { return f.Action == FileOpen }) {
		return "edit the text between the markers, then git add the file", nil
	}
	if r.repo == nil {
		return "", nil
	}
	left, err := r.repo.Conflicts(ctx)
	if err != nil {
		return "", err
	}
	left = slices.DeleteFunc(left, func(c git.Conflicted) bool {
		return slices.ContainsFunc(done.Files, func(f Resolved) bool { return f.File == c.Path })
	})
	switch {
	case len(left) > 0:
		return fmt.Sprintf("%d more in conflict, among them %s: git status lists them", len(left), left[0].Path), nil
	case done.Open(): // the reason of each file says what to do
		return "", nil
	}
	switch op, _ := r.repo.Underway(); {
	case op == git.Merging:
		return "git commit", nil
	case op != git.NoOperation:
		return fmt.Sprintf("git %s --continue", op), nil
	case slices.ContainsFunc(done.Files, func(f Resolved) bool { return f.Staged }):
		return "git diff --cached shows the result; git commit, and git stash drop if it came from there", nil
	}
	return "", nil
}

// Text describes the outcome.
func (r Resolution) Text() string {
	var b strings.Builder
	for _, f := range r.Files {
		b.WriteString(f.File + ": " + f.Action)
		if f.Staged {
			b.WriteString(", staged")
		}
		if f.Reason != "" {
			b.WriteString(": " + f.Reason)
		}
		b.WriteString("\n")
		if len(f.Overlaps) > 0 {
			b.WriteString(pendingText([]Pending{f.Pending}))
		}
	}
	if r.Next != "" {
		b.WriteString("next: " + r.Next + "\n")
	}
	return b.String()
}
