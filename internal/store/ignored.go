package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"sdd/internal/config"
	"sdd/internal/git"
	"sdd/internal/record"
)

// Ignored describes why git ignores new records: no commit will have them.
type Ignored struct {
	git.Ignore
	Tracked int // files of the store that git tracks all the same, since the user added them by force

	Above bool // git ignores a folder above .sdd: a later line in .gitignore cannot include the records
}

// Text names the pattern and its effect.
func (i *Ignored) Text() string {
	text := fmt.Sprintf("git ignores %s by %q in %s:%d: ", Folder, i.Pattern, i.Source, i.Line)
	switch i.Tracked {
	case 0:
		return text + "no commit holds the records, and git clean -X deletes them"
	case 1:
		return text + "no commit holds new records; 1 file is tracked, as it was added by force"
	}
	return fmt.Sprintf("%sno commit holds new records; %d files are tracked, as they were added by force", text, i.Tracked)
}

// Fix returns the hint for the user.
func (i *Ignored) Fix() string {
	fix := "sdd init --unignore puts !/" + Folder + "/ into .gitignore"
	if i.Above {
		fix = "take the pattern out, or keep the store in another folder (--dir)"
	}
	return fix + "; if it is on purpose, set ignored: true in " + Folder + "/" + config.Name
}

// Ignored reports whether git ignores new records of the store. It returns nil where git takes them, outside git, and where
// config.yaml or the store's own .gitignore ignores them on purpose.
func (s *Store) Ignored(ctx context.Context) (*Ignored, error) {
	repo, err := git.Open(s.dir)
	if err != nil {
		return nil, nil
	}
	if cfg, _ := s.Config(); cfg.Ignored {
		return nil, nil
	}
	root := path.Clean(filepath.ToSlash(cmp.Or(relative(repo.Top, s.dir), "."))) + "/"
	store := path.Join(root, Folder)
	folders := []string{store + "/"}
	if root != "./" {
		folders = append(folders, root)
	}
	var samples []string
	for _, k := range record.Kinds {
		samples = append(samples, path.Join(store, record.Folder(k), "new-record.md"))
	}
	found, err := repo.Ignored(ctx, append(append(folders, samples...), store+"/"+config.Name)...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	for _, at := range append([]string{root, store + "/", store + "/" + config.Name}, samples...) {
		by, ok := found[at]
		if !ok || strings.HasPrefix(by.Source, store+"/") {
			continue
		}
		tracked, err := repo.Run(ctx, "ls-files", "-z", "--", store)
		return &Ignored{Ignore: by, Tracked: bytes.Count(tracked, []byte{0}), Above: at == root}, err
	}
	return nil, nil
}

func relative(top, dir string) string {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return ""
	}
	return rel
}

// NewlyIgnored is Ignored, once, after this process has created its first record. Any other call returns nil.
func (s *Store) NewlyIgnored(ctx context.Context) *Ignored {
	if !s.created.CompareAndSwap(true, false) || s.warned.Swap(true) {
		return nil
	}
	i, _ := s.Ignored(ctx) // the doctor reports errors of git
	return i
}
