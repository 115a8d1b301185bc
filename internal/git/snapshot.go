package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	mostHashed   = 8 << 20 // bytes of a changed file to hash; a larger file's id comes from its size
	hashedAtOnce = 500
)

// Snapshot returns the files below the folders (all if none are given) of the work tree at dir, by path relative to
// dir: tracked files, and new files that are not ignored, each with the id that git would give to its bytes. The same
// bytes have the same id, committed or not, with any line ends on this machine.
func Snapshot(ctx context.Context, dir string, folders ...string) (map[string]string, error) {
	known, err := Run(ctx, dir, append([]string{"ls-files", "-z", "--stage", "--"}, folders...)...)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, f := range fields(known) {
		head, path, _ := strings.Cut(f, "\t")
		if w := strings.Fields(head); len(w) == 3 {
			files[path] = w[1]
		}
	}
	args := []string{"ls-files", "-z", "-t", "--modified", "--deleted", "--others", "--exclude-standard", "--"}
	dirty, err := Run(ctx, dir, append(args, folders...)...)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, f := range fields(dirty) {
		tag, path, _ := strings.Cut(f, " ")
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		switch {
		case tag == "R" || err != nil:
			delete(files, path)
		case info.Mode().IsRegular() && info.Size() <= mostHashed:
			changed = append(changed, path)
		default: // a link, a repository inside, a large file
			files[path] = fmt.Sprintf("%s %d", info.Mode().Type(), info.Size())
		}
	}
	slices.Sort(changed)
	changed = slices.Compact(changed)
	changed = slices.DeleteFunc(changed, func(path string) bool { // ls-files lists a deleted file as modified, too
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		return err != nil
	})
	for some := range slices.Chunk(changed, hashedAtOnce) {
		out, err := Run(ctx, dir, append([]string{"hash-object", "--"}, some...)...)
		if err != nil {
			return nil, err
		}
		ids := strings.Fields(string(out))
		for i, path := range some {
			if i < len(ids) {
				files[path] = ids[i]
			}
		}
	}
	return files, nil
}
