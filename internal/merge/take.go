package merge

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Block is one unresolved conflict of a text, with whole lines on each side.
type Block struct {
	Line               int    // of its opening marker
	At                 [2]int // its bytes
	Ours, Base, Theirs string
	HasBase            bool // the base is between the markers too
	Labels             Labels
}

// Blocks lists the unresolved conflicts of a text.
func Blocks(src []byte) (all []Block) {
	for _, b := range split(src).blocks {
		all = append(all, Block{b.line, b.at, string(b.ours), string(b.base), string(b.theirs), b.hasBase, b.labels})
	}
	return all
}

// Sides are the texts that Take can put in the place of a conflict. The last one is ours followed by theirs.
var Sides = []string{"ours", "base", "theirs", "both"}

// Take puts one side in the place of the conflict that begins in a line of a record; file is relative to .sdd, ifMatch the etag of
// the text that the caller read. After the last conflict it stages a file that git has in conflict. The journal keeps the file from
// before. Faults: Invalid (side, no conflict there), Conflict (the file has changed), those of Store.Save.
func Take(ctx context.Context, st *store.Store, file string, line int, side, ifMatch string) error {
	r, err := newResolver(ctx, st)
	if err != nil {
		return err
	}
	now, err := st.Read(file)
	if err != nil {
		return err
	}
	if !slices.Contains(Sides, side) {
		return fault.New(fault.Invalid, "side %q is unknown", record.Brief(side)).For("side").With("allowed: " + strings.Join(Sides, ", "))
	}
	id, left := record.Parse(file, now.Bytes, record.Defaults{Project: st.Project()}).ID, 0
	_, err = st.Save(ctx, store.Edit{
		Lock: id, Record: id, Op: "resolve", InConflict: true,
		Resolve: func() (string, error) { return file, nil },
		Apply: func(now []byte, _ bool) ([]byte, error) {
			if record.Etag(now) != ifMatch {
				return nil, fault.New(fault.Conflict, "%s has changed since it was read, nothing was done", file).With("look at it again")
			}
			m, found := split(now), false
			left = len(m.blocks) - 1
			out := m.with(func(b block) []byte {
				if b.line != line {
					return now[b.at[0]:b.at[1]]
				}
				found = true
				return map[string][]byte{"ours": b.ours, "base": b.base, "theirs": b.theirs, "both": slices.Concat(b.ours, b.theirs)}[side]
			})
			if !found {
				return nil, fault.New(fault.Invalid, "no conflict of %s begins in line %d", file, line).For("line").With("look at it again")
			}
			return out, nil
		},
		// Record no section as saved by a tool, because git may undo its changes.
		Changed: func(before, after *record.Doc) []journal.Change { return []journal.Change{} },
	})
	if path := r.prefix + "/" + file; err == nil && left == 0 && r.repo != nil {
		if _, unmerged := r.conflicts[path]; unmerged {
			err = r.repo.Stage(ctx, path)
		}
	}
	return err
}
