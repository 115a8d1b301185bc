package fact

import (
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// refresh_on: has a file that it matches changed since the fact was refreshed?
//
// A tool that stores or refreshes the fact writes down what it saw: seen is a hash over the names and bytes of all
// files that the pattern matches. The fact is stale while they hash to something else, whether that came by a commit, a
// merge, a checkout or an edit that is not committed, and whatever the clocks say; a change that is taken back is
// none. The hash is of what git would store, so it is the same in every clone, and ignored files do not count.
//
// A fact that was written by hand has no such hash. Then its file's own history says what its author had before
// their eyes: files that differ from those of the last commit which changed the fact's file have changed. While the
// fact is not committed nothing is known, and it is not stale.

// watched is the tree as far as facts depend on it.
type watched struct {
	mu      sync.Mutex
	sum     string // of everything that was looked at
	digests map[string]string
	bases   map[string]bool // whether files changed since the last commit of a fact's file, by that file and the glob
}

const mostFiles = 100_000 // that are looked at outside git

// view is the files below some folders at one moment.
type view struct {
	files map[string]string // id by path
	sum   string
}

// look lists the files that the globs may match, with what their bytes are known by.
func (f *Facts) look(ctx context.Context, globs []string) view {
	var folders []string
	for _, text := range globs {
		if g, err := compileGlob(text); err == nil {
			folders = append(folders, g.folders()...)
		}
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	if slices.Contains(folders, ".") {
		folders = []string{"."}
	}
	var v view
	if _, _, _, ok := git.Top(f.st.Dir()); ok {
		v.files, _ = git.Snapshot(ctx, f.st.Dir(), folders...)
	}
	if v.files == nil {
		v.files = walk(ctx, f.st.Dir(), folders)
	}
	maps.DeleteFunc(v.files, func(path, _ string) bool { return within(path, store.Folder) })
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(v.files)) {
		fmt.Fprintf(sum, "%s\x00%s\x00", path, v.files[path])
	}
	v.sum = hex.EncodeToString(sum.Sum(nil))
	return v
}

// digest is the hash of the files that a glob matches.
func (v view) digest(text string) string {
	g, err := compileGlob(text)
	if err != nil {
		return ""
	}
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(v.files)) {
		if g.match(path) {
			fmt.Fprintf(sum, "%s\x00%s\x00", path, v.files[path])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// seen is what seen of a fact with that glob says now, "" for none.
func (f *Facts) seen(ctx context.Context, text string) string {
	if text == "" {
		return ""
	}
	return f.look(ctx, []string{text}).digest(text)
}

// touched returns the facts among all, active ones with a refresh_on, whose files have changed, by path.
func (f *Facts) touched(ctx context.Context, all []*Fact) map[string]bool {
	globs := map[string]bool{}
	for _, one := range all {
		if one.Status == active && one.refreshOn() != "" {
			globs[one.refreshOn()] = true
		}
	}
	if len(globs) == 0 {
		return nil
	}
	w := &f.tree
	w.mu.Lock()
	defer w.mu.Unlock()
	v := f.look(ctx, slices.Sorted(maps.Keys(globs)))
	if v.sum != w.sum {
		w.sum, w.digests, w.bases = v.sum, map[string]string{}, map[string]bool{}
	}
	out := map[string]bool{}
	for _, one := range all {
		text := one.refreshOn()
		if one.Status != active || text == "" {
			continue
		}
		if one.Seen == "" {
			out[one.path] = f.sinceCommitted(ctx, one, v)
			continue
		}
		d, ok := w.digests[text]
		if !ok {
			d = v.digest(text)
			w.digests[text] = d
		}
		out[one.path] = d != one.Seen
	}
	return out
}

// sinceCommitted reports whether files that a fact depends on differ from those of the commit that last changed its file.
func (f *Facts) sinceCommitted(ctx context.Context, one *Fact, v view) bool {
	key := one.Etag + one.path
	known, ok := f.tree.bases[key]
	if !ok {
		known = f.differsFromCommitted(ctx, one, v)
		f.tree.bases[key] = known
	}
	return known
}

func (f *Facts) differsFromCommitted(ctx context.Context, one *Fact, v view) bool {
	file := filepath.FromSlash(one.File)
	out, err := git.Run(ctx, f.st.Dir(), "log", "-1", "--format=%H", "--", file)
	base := strings.TrimSpace(string(out))
	if err != nil || base == "" {
		return false
	}
	if out, err := git.Run(ctx, f.st.Dir(), "status", "--porcelain", "--", file); err != nil || len(out) > 0 {
		return false // it was edited since
	}
	out, err = git.Run(ctx, f.st.Dir(), "ls-tree", "-r", "-z", base)
	if err != nil {
		return false
	}
	was := view{files: map[string]string{}}
	for row := range strings.SplitSeq(string(out), "\x00") {
		head, path, _ := strings.Cut(row, "\t")
		if w := strings.Fields(head); len(w) == 3 && !within(path, store.Folder) {
			was.files[path] = w[2]
		}
	}
	return was.digest(one.refreshOn()) != v.digest(one.refreshOn())
}

// within reports whether a path is that folder or lies in a folder of that name.
func within(path, folder string) bool {
	return slices.Contains(strings.Split(path, "/"), folder)
}

// skipped are folders of other programs, where git does not say what is ignored.
var skipped = strings.Fields(".git .hg .svn .sdd node_modules vendor .venv venv __pycache__ target dist build")

// walk is look without git. Files that cannot be read are left out.
func walk(ctx context.Context, root string, folders []string) map[string]string {
	files := map[string]string{}
	for _, folder := range folders {
		start := filepath.Join(root, filepath.FromSlash(folder))
		_ = filepath.WalkDir(start, func(name string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil || len(files) >= mostFiles:
				return fs.SkipAll
			case err != nil:
				return nil
			case e.IsDir():
				if name != start && slices.Contains(skipped, e.Name()) {
					return fs.SkipDir
				}
				return nil
			}
			rel, err := filepath.Rel(root, name)
			info, infoErr := e.Info()
			if cmp.Or(err, infoErr) != nil || !info.Mode().IsRegular() {
				return nil
			}
			if id := blobID(name, info.Size()); id != "" {
				files[filepath.ToSlash(rel)] = id
			}
			return nil
		})
	}
	return files
}

const mostHashed = 8 << 20 // bytes of a file whose bytes count; of a larger one the size does

// blobID is the id under which git stores the file.
func blobID(name string, size int64) string {
	if size > mostHashed {
		return strconv.FormatInt(size, 10)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", len(src))
	sum.Write(src)
	return hex.EncodeToString(sum.Sum(nil))
}

// ttlKeys are the keys of a new ttl, nil for none.
func (f *Facts) ttlKeys(ctx context.Context, t *TTL) []frontmatter.Set {
	if t == nil {
		return nil
	}
	return append([]frontmatter.Set{{Key: "ttl", Value: t.value()}}, f.seenKey(ctx, t)...)
}

// seenKey notes what the files that t depends on are like now.
func (f *Facts) seenKey(ctx context.Context, t *TTL) []frontmatter.Set {
	if t == nil || t.RefreshOn == "" {
		return nil
	}
	if digest := f.seen(ctx, t.RefreshOn); digest != "" {
		return []frontmatter.Set{{Key: "seen", Value: digest}}
	}
	return nil
}

// stampNow is the moment of a call as records have it.
func (f *Facts) stampNow() string { return record.Stamp(f.now()) }
