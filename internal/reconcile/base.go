package reconcile

import (
	"bytes"
	"context"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
)

// picked is the label of a commit that was brought over by itself: its id, and its subject behind that.
var picked = pattern.Late(`^([0-9a-f]{4,64})(?: \(|\.\.\. )`)

// stashed is the label of what git stash brings back.
const stashed = "Stashed changes"

// baseOf finds the version that both sides of the conflicts in a file began with, in the history. ok is false when
// it is not known.
func (r resolver) baseOf(ctx context.Context, path string, now []byte, s marked) (base []byte, ok bool, err error) {
	if r.repo == nil {
		return nil, false, nil
	}
	commit, last, err := r.parted(ctx, path, now, s.blocks[0])
	if err != nil {
		return nil, false, err
	}
	if commit == "" {
		// Nobody says where the other side comes from. The last version without the conflicts is older than both
		// sides when it has the words of neither.
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
	// It had another name then, or both sides made it.
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

// parted finds the commit that both sides of a conflict come from, "" when that is not known. last is the
// commit before the conflict came into the file.
func (r resolver) parted(ctx context.Context, path string, now []byte, b block) (commit, last string, err error) {
	opening := strings.TrimRight(string(firstLine(now[b.at[0]:])), "\r\n")
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
		commit, err = r.byLabel(ctx, parents[0], b.labels.Theirs)
		return commit, parents[0], err
	}
	switch op, bringing := r.repo.Underway(); {
	case bringing == "":
		commit, err = r.byLabel(ctx, "HEAD", b.labels.Theirs)
	case op == git.Merging:
		commit, err = known(r.repo.MergeBase(ctx, "HEAD", bringing))
	case op == git.Reverting:
		commit, err = known(r.repo.Resolve(ctx, bringing))
	default:
		commit, err = known(r.repo.Resolve(ctx, bringing+"^"))
	}
	return commit, "HEAD", err
}

// byLabel finds it by what the markers say of the other side.
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

// known takes a commit that there is not for one that is not known.
func known(commit string, err error) (string, error) {
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return "", nil
	}
	return commit, err
}

// from reports whether base can be what the blocks come from: it holds what they say of it.
func (m marked) from(base []byte) bool {
	for _, b := range m.blocks {
		if b.hasBase && !bytes.Contains(plain(base), plain(b.base)) {
			return false
		}
	}
	return true
}

// newer reports whether both sides of every block say something that base does not.
func (m marked) newer(base []byte) bool {
	has := map[string]bool{}
	for line := range bytes.Lines(base) {
		has[string(bytes.TrimSpace(line))] = true
	}
	says := func(side []byte) bool {
		for line := range bytes.Lines(side) {
			if !has[string(bytes.TrimSpace(line))] && len(bytes.TrimSpace(line)) > 0 {
				return true
			}
		}
		return false
	}
	for _, b := range m.blocks {
		if !says(b.ours) || !says(b.theirs) {
			return false
		}
	}
	return true
}
