package store

import (
	"context"
	"path/filepath"
	"strings"

	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/sealed"
)

// InCommit returns the files of records that a commit has in the store of the folder dir, with their paths in the store's folder. Links,
// personal and private records are left out: they are nobody else's.
func InCommit(ctx context.Context, repo *git.Repo, dir, commit string) (files []git.Entry, err error) {
	under, err := filepath.Rel(repo.Top, filepath.Join(dir, Folder))
	if err != nil {
		return nil, err
	}
	under = filepath.ToSlash(under)
	all, err := repo.Tree(ctx, commit, under)
	for _, f := range all {
		var ok bool
		if f.Path, ok = strings.CutPrefix(f.Path, under+"/"); !ok || f.Link ||
			strings.HasPrefix(f.Path, "personal/") || strings.HasPrefix(f.Path, sealed.Folder+"/") {
			continue
		}
		if _, known := record.KindOf(f.Path); known && filepath.IsLocal(filepath.FromSlash(f.Path)) {
			files = append(files, f)
		}
	}
	return files, err
}
