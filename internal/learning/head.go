package learning

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
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
	head := l.headNow(context.Background())
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

// headNow returns the commit that is checked out where the store is, "" outside git and before the first commit.
// It reads git's files, and asks git only where they do not tell.
func (l *Learnings) headNow(ctx context.Context) string {
	_, gitDir, common, ok := git.Top(l.st.Dir())
	if !ok {
		return ""
	}
	src, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	head := strings.TrimSpace(string(src))
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		return commitID(head)
	}
	for _, dir := range []string{gitDir, common} {
		if src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(ref))); err == nil {
			if id := commitID(strings.TrimSpace(string(src))); id != "" {
				return id
			}
		}
	}
	packed, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	if err == nil {
		for line := range bytes.Lines(packed) {
			if id, name, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && name == ref {
				return commitID(id)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(common, "reftable")); err != nil {
		return "" // no commit yet
	}
	repo, err := git.Open(l.st.Dir())
	if err != nil {
		return ""
	}
	id, _ := repo.Head(ctx)
	return id
}

func commitID(s string) string {
	if n := len(s); (n == 40 || n == 64) && strings.Trim(s, "0123456789abcdef") == "" {
		return s
	}
	return ""
}
