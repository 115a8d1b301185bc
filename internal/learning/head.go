package learning

import (
	"context"
	"strings"

	"sdd/internal/git"
)

// The file of an uncommitted learning does not show which commit its author had checked out, and its time is inexact. So this machine
// records the commit when a learning that names files is made or confirmed: .sdd/.local/learning/heads.

const (
	headsName = "heads"
	mostHeads = 1 << 20 // bytes, above which old notes are deleted
)

// remember records the checked-out commit when a learning is made or confirmed.
func (l *Learnings) remember(i *Idea) {
	if len(i.files) == 0 {
		return
	}
	if head := git.CheckedOutCommit(context.Background(), l.st.Dir()); head != "" {
		l.appendLine(localFolder, headsName, i.ID+" "+i.heldAt()+" "+head, mostHeads)
	}
}

// heads returns the notes, by id and time.
func (l *Learnings) heads() map[string]string {
	out := map[string]string{}
	for _, name := range []string{headsName + ".old", headsName} {
		src, _ := l.readPrivate(localFolder, name, 2*mostHeads)
		for row := range strings.Lines(string(src)) {
			if f := strings.Fields(row); len(f) == 3 {
				out[f[0]+" "+f[1]] = f[2]
			}
		}
	}
	return out
}
