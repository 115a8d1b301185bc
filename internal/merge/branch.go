package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Outcomes of a merge of a branch.
const (
	BranchMerged = "merged"
	FastForward  = "fast_forward"
	UpToDate     = "up_to_date"
	InConflict   = "conflict"
)

// Branch is the outcome of a merge of BASE into the commit that is checked out.
type Branch struct {
	Base    string    `json:"base"` // as it was named
	Action  string    `json:"action"`
	Commit  string    `json:"commit"`  // that is checked out now
	Records []string  `json:"records"` // files of records that both sides had changed
	Files   []Pending `json:"files"`   // in conflict, records first
	Next    string    `json:"next"`    // what to do about the conflicts
}

// Pending is a file in conflict.
type Pending struct {
	File     string            `json:"file"` // relative to the top of the work tree
	Overlaps []record.Conflict `json:"overlaps"`
	Reason   string            `json:"reason"` // why, where the texts do not conflict
}

// MergeBranch merges the commit that base names with the driver's settings, if nothing is staged and no operation of git under way.
func MergeBranch(ctx context.Context, dir, base string, settings []git.Setting) (Branch, error) {
	repo, err := git.Open(dir)
	if err != nil {
		return Branch{}, err
	}
	b := Branch{Base: base, Records: []string{}, Files: []Pending{}}
	theirs, err := repo.Resolve(ctx, base)
	if err != nil {
		return b, err
	}
	if err := ready(ctx, repo); err != nil {
		return b, err
	}
	before, err := repo.Head(ctx)
	if err != nil {
		return b, err
	}
	if b.Records, err = bothChanged(ctx, repo, before, theirs, store.PathIn(repo, dir)); err != nil {
		return b, err
	}
	settings, done, err := withAttributes(ctx, repo, dir, settings)
	if err != nil {
		return b, err
	}
	defer done()
	output, mergeErr := repo.Merge(ctx, base, settings)
	var failed *git.Error
	if mergeErr != nil && !errors.As(mergeErr, &failed) {
		return b, mergeErr
	}
	if b.Commit, err = repo.Head(ctx); err != nil {
		return b, err
	}
	if mergeErr == nil {
		switch b.Commit {
		case before:
			b.Action = UpToDate
		case theirs:
			b.Action = FastForward
		default:
			b.Action = BranchMerged
		}
		return b, nil
	}
	b.Action = InConflict
	if b.Files, err = pending(ctx, repo); err != nil {
		return b, err
	}
	if len(b.Files) > 0 {
		b.Next = "edit the text between the markers, git add the files, git commit; git merge --abort takes the merge back"
		return b, nil
	}
	return b, refused(repo, base, output)
}

// ready refuses to merge into a work tree with an operation under way, conflicts or staged changes.
func ready(ctx context.Context, repo *git.Repo) error {
	if op, _ := repo.Underway(); op != git.NoOperation {
		return fault.New(fault.Unwritable, "a %s is under way", op).
			With(fmt.Sprintf("sdd resolve mends conflicts in records; then git %s --continue, or --abort", op))
	}
	left, err := repo.Conflicts(ctx)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fault.New(fault.Unwritable, "%s is in conflict already", left[0].Path).
			With("sdd resolve mends conflicts in records; git status lists all")
	}
	staged, err := repo.Staged(ctx)
	if err != nil {
		return err
	}
	if len(staged) > 0 {
		more := ""
		if len(staged) > 1 {
			more = fmt.Sprintf(" and %d more", len(staged)-1)
		}
		return fault.New(fault.Unwritable, "%s%s is staged and not committed", staged[0], more).With("git commit it, or git stash, then merge")
	}
	return nil
}

// refused is the fault for a merge that git did not make, or did not commit.
func refused(repo *git.Repo, base, output string) error {
	if op, _ := repo.Underway(); op == git.Merging {
		return fault.New(fault.Unwritable, "%s is merged but not committed: %s", base, output).With("git commit, or git merge --abort")
	}
	return fault.New(fault.Unwritable, "git did not merge %s: %s", base, output).With("git status shows the state of the work tree")
}

// bothChanged lists the files of records in a store that both sides changed since they parted.
func bothChanged(ctx context.Context, repo *git.Repo, ours, theirs, prefix string) ([]string, error) {
	both := []string{}
	if ours == "" {
		return both, nil
	}
	base, err := repo.MergeBase(ctx, ours, theirs)
	if err != nil || base == "" {
		return both, err
	}
	var sides [2][]git.Change
	for i, head := range []string{ours, theirs} {
		if sides[i], err = repo.Diff(ctx, base, head, prefix); err != nil {
			return both, err
		}
	}
	changed := map[string]bool{} // by the path in base
	for _, c := range sides[0] {
		changed[cmp.Or(c.From, c.Path)] = true
	}
	for _, c := range sides[1] {
		if _, ok := KindAt(c.Path); ok && changed[cmp.Or(c.From, c.Path)] {
			both = append(both, c.Path)
		}
	}
	return both, nil
}

// withAttributes adds a merge attribute for this run where records have none, in a copy of the user's own, of the lowest rank.
func withAttributes(ctx context.Context, repo *git.Repo, dir string, settings []git.Setting) (
	all []git.Setting, done func(), err error) {
	done = func() {}
	sample := store.PathIn(repo, dir) + "/" + record.Folder(record.Exploration) + "/x.md"
	values, err := repo.Attributes(ctx, "merge", sample)
	if err != nil || values[0] != "unspecified" {
		return settings, done, err
	}
	text := userAttributes(ctx, repo)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for _, k := range record.Kinds {
		text += "**/" + store.Folder + "/" + record.Folder(k) + "/**/*.md merge=sdd\n"
	}
	tmp, err := os.CreateTemp("", "sdd-attributes-*")
	if err != nil {
		return settings, done, err
	}
	done = func() { os.Remove(tmp.Name()) }
	_, err = tmp.WriteString(text)
	err = cmp.Or(err, tmp.Close())
	return append(slices.Clone(settings), git.Setting{Key: "core.attributesFile", Value: filepath.ToSlash(tmp.Name())}), done, err
}

// userAttributes returns the text of the user's own file of attributes.
func userAttributes(ctx context.Context, repo *git.Repo) string {
	var path string
	if out, err := repo.Run(ctx, "config", "--type=path", "--get", "core.attributesFile"); err == nil {
		path = strings.TrimSuffix(string(out), "\n")
	} else if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		path = filepath.Join(xdg, "git", "attributes")
	} else if home, err := os.UserHomeDir(); err == nil {
		path = filepath.Join(home, ".config", "git", "attributes")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// pending lists the files in conflict, records first, each record with its conflicts.
func pending(ctx context.Context, repo *git.Repo) ([]Pending, error) {
	files, err := repo.Conflicts(ctx)
	if err != nil {
		return nil, err
	}
	all := []Pending{}
	var others []Pending
	for _, f := range files {
		p := Pending{File: f.Path, Overlaps: []record.Conflict{}, Reason: reasonOf(f)}
		if _, ok := KindAt(f.Path); !ok {
			others = append(others, p)
			continue
		}
		if p.Reason == "" {
			if p.Overlaps, err = overlapsIn(ctx, repo, f); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return append(all, others...), nil
}

// reasonOf returns why a file is in conflict, "" when its texts conflict.
func reasonOf(f git.Conflicted) string {
	switch {
	case f.Link:
		return "it is no regular file on one side"
	case f.Ours != "" && f.Theirs != "":
		return ""
	case f.Base == "":
		return "renamed in two ways, or there is something else at its place"
	case f.Ours != "":
		return "deleted by theirs, changed by ours"
	case f.Theirs != "":
		return "deleted by ours, changed by theirs"
	}
	return "renamed in two ways, or deleted on both sides"
}

// overlapsIn merges the index's versions of a file again, to find its conflicts.
func overlapsIn(ctx context.Context, repo *git.Repo, f git.Conflicted) ([]record.Conflict, error) {
	v, err := staged(ctx, repo, f)
	if err != nil {
		return nil, err
	}
	m, err := File(ctx, f.Path, v, Labels{}, false)
	all := append([]record.Conflict{}, m.Conflicts...)
	if src, err := os.ReadFile(filepath.Join(repo.Top, filepath.FromSlash(f.Path))); err == nil {
		atLines(all, src, v)
	}
	return all, err
}

// atLines sets the lines of overlaps in the file merged from v, when it has just these conflicts.
func atLines(all []record.Conflict, src []byte, v Versions) {
	blocks := splitUnmerged(src, v).blocks
	if len(blocks) != len(all) {
		return
	}
	for i, b := range blocks {
		all[i].Line = b.Line
	}
}

// staged returns the three versions of a file in conflict, as git would write them to disk.
func staged(ctx context.Context, repo *git.Repo, f git.Conflicted) (Versions, error) {
	return readVersions(f.Base, f.Ours, f.Theirs, func(id string) ([]byte, error) {
		if id == "" {
			return []byte{}, nil
		}
		return repo.CheckedOut(ctx, id, f.Path)
	})
}

// Text describes the outcome of the merge.
func (b Branch) Text() string {
	var out strings.Builder
	switch b.Action {
	case UpToDate:
		fmt.Fprintf(&out, "nothing to merge: %s is in already\n", b.Base)
	case FastForward:
		fmt.Fprintf(&out, "%s had all of this branch: moved forward to %.10s\n", b.Base, b.Commit)
	case BranchMerged:
		fmt.Fprintf(&out, "merged %s: %.10s\n", b.Base, b.Commit)
		for _, f := range b.Records {
			fmt.Fprintf(&out, "  %s, changed on both sides\n", f)
		}
	case InConflict:
		fmt.Fprintf(&out, "%s is not merged: both sides changed the same things\n", b.Base)
		out.WriteString(pendingText(b.Files))
		out.WriteString(b.Next + "\n")
	}
	return out.String()
}

func pendingText(files []Pending) string {
	var out strings.Builder
	for _, f := range files {
		if len(f.Overlaps) == 0 {
			fmt.Fprintf(&out, "  %s: %s\n", f.File, cmp.Or(f.Reason, "conflict"))
		}
		for _, o := range f.Overlaps {
			where := ""
			if o.Where != "" {
				where = o.Where + ": "
			}
			fmt.Fprintf(&out, "  %s:%d: %s%s | %s\n", f.File, o.Line, where, short(o.Ours), short(o.Theirs))
		}
	}
	return out.String()
}

// short is a text of one side in a few words.
func short(s string) string {
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return "(deleted)"
	}
	return fmt.Sprintf("%q", fault.Cut(s, 60))
}
