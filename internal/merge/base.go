package merge

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/lines"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// picked matches the label of a single picked commit: its id, then its subject.
var picked = pattern.Late(`^([0-9a-f]{4,64})(?: \(|\.\.\. )`)

// stashed is the label of changes that git stash brings back.
const stashed = "Stashed changes"

// baseOf finds, in the history, the common base of both sides of the conflicts in a file. ok is false when it is not known.
func (r resolver) baseOf(ctx context.Context, path string, now []byte, s marked) (base []byte, ok bool, err error) {
	if r.repo == nil {
		return nil, false, nil
	}
	commit, last, err := r.commonCommit(ctx, path, now, s.blocks[0])
	if err != nil {
		return nil, false, err
	}
	if commit == "" {
		// The last version without the conflicts is older than both sides when it has the words of neither.
		base, err = r.repo.Show(ctx, last, path)
		if fault.Is(err, fault.NotFound) {
			return nil, false, nil
		}
		return base, err == nil && s.newer(base), err
	}
	base, err = r.repo.Show(ctx, commit, path)
	if !fault.Is(err, fault.NotFound) {
		return base, err == nil, err
	}
	// The file had another name then, or both sides added it.
	changes, err := r.repo.Diff(ctx, commit, "HEAD")
	if err != nil {
		return nil, false, err
	}
	for _, c := range changes {
		if c.Path == path && c.From != "" {
			base, err = r.repo.Show(ctx, commit, c.From)
			return base, err == nil, err
		}
	}
	return nil, true, nil
}

// commonCommit finds the commit that both sides come from, "" when unknown. last is the commit before the conflict came in.
func (r resolver) commonCommit(ctx context.Context, path string, now []byte, b record.Block) (commit, last string, err error) {
	opening := strings.TrimRight(string(lines.First(now[b.At[0]:])), "\r\n")
	head, err := r.repo.Show(ctx, "HEAD", path)
	if err == nil && bytes.Contains(head, []byte(opening+"\n")) { // the markers are committed
		by, parents, err := r.repo.Bringing(ctx, "HEAD", path, opening)
		switch {
		case err != nil || by == "" || len(parents) == 0:
			return "", "HEAD", err
		case len(parents) > 1:
			commit, err = r.repo.MergeBase(ctx, parents[0], parents[1])
			return commit, parents[0], err
		}
		commit, err = r.byLabel(ctx, parents[0], b.Labels.Theirs)
		return commit, parents[0], err
	}
	switch op, bringing := r.repo.Underway(); {
	case bringing == "":
		commit, err = r.byLabel(ctx, "HEAD", b.Labels.Theirs)
	case op == git.Merging:
		commit, err = known(r.repo.MergeBase(ctx, "HEAD", bringing))
	case op == git.Reverting:
		commit, err = known(r.repo.Resolve(ctx, bringing))
	default:
		commit, err = known(r.repo.Resolve(ctx, bringing+"^"))
	}
	return commit, "HEAD", err
}

// byLabel finds the common commit by the other side's label in the markers.
func (r resolver) byLabel(ctx context.Context, ours, theirs string) (string, error) {
	if theirs == stashed {
		return known(r.repo.Resolve(ctx, "refs/stash^"))
	}
	if m := picked().FindStringSubmatch(theirs); m != nil {
		return known(r.repo.Resolve(ctx, m[1]+"^"))
	}
	name, _, _ := strings.Cut(theirs, ":") // the path follows where it is another
	if name == "" || name == "theirs" {
		return "", nil
	}
	return known(r.repo.MergeBase(ctx, ours, name))
}

// known turns the error for a commit that does not exist into an unknown commit, "".
func known(commit string, err error) (string, error) {
	if fault.Is(err, fault.NotFound, fault.Invalid) {
		return "", nil
	}
	return commit, err
}

// from reports whether base can be the base of the blocks: it contains the base that they show.
func (m marked) from(base []byte) bool {
	return !slices.ContainsFunc(m.blocks, func(b record.Block) bool {
		return b.HasBase && !bytes.Contains(plain(base), plain([]byte(b.Base)))
	})
}

// newer reports whether both sides of every block have a line that base lacks.
func (m marked) newer(base []byte) bool {
	has := map[string]bool{}
	for line := range bytes.Lines(base) {
		has[string(bytes.TrimSpace(line))] = true
	}
	isNew := func(side string) bool {
		for line := range strings.Lines(side) {
			if line = strings.TrimSpace(line); line != "" && !has[line] {
				return true
			}
		}
		return false
	}
	return !slices.ContainsFunc(m.blocks, func(b record.Block) bool { return !isNew(b.Ours) || !isNew(b.Theirs) })
}
