package store

import (
	"context"
	"path"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
)

// Markers of a merge conflict in a code fence may be documentation, so the bytes of a file alone do not show whether a
// merge left them. Git's index does: it lists the file as in conflict until the user stages it. The store asks git only
// about files with such markers; without an answer they count as documentation.

// Unmerged is a record that git has in conflict, with the markers in a code fence.
type Unmerged struct {
	Path string // relative to .sdd
	Line int    // of the first marker
}

// ConflictLine returns the line of the first marker that a merge left in a fence of src, the bytes of the file at path;
// 0 when there are none, or they are documentation.
func (s *Store) ConflictLine(ctx context.Context, path string, src []byte) int {
	fenced := record.Fenced(src)
	if len(fenced) == 0 {
		return 0
	}
	if found, _ := git.InConflict(ctx, s.sdd, path); len(found) == 0 {
		return 0
	}
	return fenced[0].Line
}

// Unmerged lists the records that git has in conflict and whose markers are in fences, so that only git shows the conflict.
func (s *Store) Unmerged(ctx context.Context) []Unmerged {
	paths, _ := git.InConflict(ctx, s.sdd)
	var all []Unmerged
	for _, p := range paths {
		if _, ok := record.KindOf(p); !ok {
			continue
		}
		f, err := s.Read(p)
		if err != nil || record.ConflictMarkers(f.Bytes) > 0 {
			continue
		}
		if fenced := record.Fenced(f.Bytes); len(fenced) > 0 {
			all = append(all, Unmerged{p, fenced[0].Line})
		}
	}
	return all
}

// refuseUnmerged returns the reason not to write to the file name; at is its path when links are followed.
func (s *Store) refuseUnmerged(ctx context.Context, name, at string, src []byte) error {
	line := s.ConflictLine(ctx, at, src)
	switch {
	case ctx.Err() != nil:
		return &fault.Error{Code: fault.Unavailable, Message: "the call was cancelled; nothing was written", Cause: ctx.Err()}
	case line > 0:
		return record.Unmerged(line).At(shown(name), line)
	}
	return nil
}

// refuseUnmerged checks the bytes of the file as read, unless the save may write to a conflict.
func (w *saving) refuseUnmerged(ctx context.Context, now []byte) error {
	if w.e.InConflict {
		return nil
	}
	return w.s.refuseUnmerged(ctx, w.path, path.Join(w.to.folder, w.to.name), now)
}
