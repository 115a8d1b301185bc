package learning

import (
	"bytes"
	"context"
	"os"
	"strings"

	"sdd/internal/git"
)

// A learning that is not committed yet does not say what its author had before their eyes; its time does, to
// the second and by their clock. So the commit that was checked out is noted on this machine when a learning that
// names files is made or confirmed: .sdd/.local/learning/heads. Without the note the time decides.

const (
	localFolder = "learning"
	headsName   = "heads"
	mostHeads   = 1 << 20 // bytes, after which older notes go
)

// remember notes the commit that is checked out while a learning is made or confirmed.
func (l *Learnings) remember(i *Idea) {
	if len(i.files) == 0 {
		return
	}
	when := i.confirmed()
	if when == "" {
		when = i.Created
	}
	head := git.CheckedOutCommit(context.Background(), l.st.Dir())
	if head == "" {
		return
	}
	dir, err := l.st.Private(localFolder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	if st, err := dir.Stat(headsName); err == nil && st.Size() > mostHeads {
		dir.Rename(headsName, headsName+".old")
	}
	f, err := dir.OpenFile(headsName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteString("\n" + i.ID + " " + when + " " + head + "\n") // half a line of a crash spoils itself only
}

// heads returns the notes, by id and time.
func (l *Learnings) heads() map[string]string {
	out := map[string]string{}
	dir, err := l.st.Private(localFolder, false)
	if err != nil {
		return out
	}
	defer dir.Close()
	for _, name := range []string{headsName + ".old", headsName} {
		src, err := dir.ReadFile(name)
		if err != nil {
			continue
		}
		for l := range bytes.Lines(src) {
			if f := strings.Fields(string(l)); len(f) == 3 {
				out[f[0]+" "+f[1]] = f[2]
			}
		}
	}
	return out
}
