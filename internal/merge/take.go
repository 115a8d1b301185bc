package merge

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Sides are the texts that Take can put in the place of a conflict. The last one is ours followed by theirs.
var Sides = []string{"ours", "base", "theirs", "both"}

// Take puts one side in the place of the conflict that begins in a line of a record, read with the etag ifMatch. After the last conflict it
// stages a file that git has in conflict. file is relative to .sdd. Faults: Invalid (side, no conflict there), Conflict (it has changed),
// those of Store.Save.
func Take(ctx context.Context, st *store.Store, file string, line int, side, ifMatch string) error {
	r, err := newResolver(ctx, st)
	if err != nil {
		return err
	}
	if !slices.Contains(Sides, side) {
		return fault.New(fault.Invalid, "side %q is unknown", record.Brief(side)).For("side").With("allowed: " + strings.Join(Sides, ", "))
	}
	left := 0
	_, err = r.save(ctx, file, func(now []byte) ([]byte, error) {
		if record.Etag(now) != ifMatch {
			return nil, fault.New(fault.Conflict, "%s has changed since it was read, nothing was done", file).With("look at it again")
		}
		m, found := split(now), false
		left = len(m.blocks) - 1
		out := m.with(func(b record.Block) string {
			if b.Line != line {
				return string(now[b.At[0]:b.At[1]])
			}
			found = true
			return map[string]string{"ours": b.Ours, "base": b.Base, "theirs": b.Theirs, "both": b.Ours + b.Theirs}[side]
		})
		if !found {
			return nil, fault.New(fault.Invalid, "no conflict of %s begins in line %d", file, line).For("line").With("look at it again")
		}
		return out, nil
	})
	if path := r.prefix + "/" + file; err == nil && left == 0 && r.repo != nil {
		if _, unmerged := r.conflicts[path]; unmerged {
			err = r.repo.Stage(ctx, path)
		}
	}
	return err
}
