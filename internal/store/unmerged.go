package store

import (
	"context"
	"path"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
)

// Markers of a merge conflict in a code fence may be documentation, so the bytes of a file alone do not show
// whether a merge has put them there. Git's index does: the file is in conflict there until the user stages it. Git is asked
// only about files with such markers; where git does not answer, they count as documentation.

// Unmerged is a record with conflict markers in a code fence, that git has in conflict.
type Unmerged struct {
	Path string // relative to .sdd
	Line int    // of the first marker
}

// ConflictLine returns the line at which the markers in a fence begin that a merge left in src, the bytes of the file at
// path; 0 when there are none, or they are documentation.
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

// refuseUnmerged returns why the file name must not be written to; at is its path when links are followed.
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

// refuseUnmerged is that of the file as it was read, unless the save may write to it.
func (w *saving) refuseUnmerged(ctx context.Context, now []byte) error {
	if w.e.InConflict {
		return nil
	}
	return w.s.refuseUnmerged(ctx, w.path, path.Join(w.to.folder, w.to.name), now)
}
