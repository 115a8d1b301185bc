package fact

import (
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

	"sdd/internal/anchor"
	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/store"
)

// refresh_on: has a file that it matches changed since the last refresh of the fact?
//
// A tool that stores or refreshes the fact records in seen a hash over the names and bytes of all files that the pattern matches, as git
// would store them. The fact is stale while they have another hash, independent of clocks. A hand-written fact has no such hash: its files
// have changed when they differ from those in the last commit that changed the fact's file; an uncommitted one is not stale.

// watched caches the part of the tree that facts depend on.
type watched struct {
	mu      sync.Mutex
	sum     string // hash of all files that were read
	digests map[string]string
	bases   map[string]bool // whether files differ from those in the last commit of a fact's file, by etag and path
}

const mostFiles = 100_000 // files that are read outside git

// tree maps the path of each file below some folders to git's id of it.
type tree map[string]string

// look lists the files that the globs may match.
func (f *Facts) look(ctx context.Context, globs []string) tree {
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
	files, err := git.Snapshot(ctx, f.st.Home(), folders...)
	if err != nil {
		files = walk(ctx, f.st.Home(), folders)
	}
	maps.DeleteFunc(files, func(path, _ string) bool { return within(path, store.Folder) })
	return files
}

// sum returns the hash of the files that match.
func (t tree) sum(match func(path string) bool) string {
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(t)) {
		if match(path) {
			fmt.Fprintf(sum, "%s\x00%s\x00", path, t[path])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

// digest returns the hash of the files that a refresh_on matches, in the form of seen.
func (t tree) digest(refreshOn string) string {
	g, err := compileGlob(refreshOn)
	if err != nil {
		return ""
	}
	return t.sum(g.match)
}

// touched returns, by path, the active facts with a refresh_on whose files have changed; watching is false when none has one.
func (f *Facts) touched(ctx context.Context, all []*Fact) (changed map[string]bool, watching bool) {
	var watchers []*Fact
	globs := map[string]bool{}
	for _, one := range all {
		if one.Status == active && one.refreshOn() != "" {
			watchers = append(watchers, one)
			globs[one.refreshOn()] = true
		}
	}
	if len(watchers) == 0 {
		return nil, false
	}
	w := &f.tree
	w.mu.Lock()
	defer w.mu.Unlock()
	files := f.look(ctx, slices.Sorted(maps.Keys(globs)))
	if sum := files.sum(func(string) bool { return true }); sum != w.sum {
		w.sum, w.digests, w.bases = sum, map[string]string{}, map[string]bool{}
	}
	changed = map[string]bool{}
	for _, one := range watchers {
		if one.Seen == "" {
			key := one.Etag + one.path
			if _, known := w.bases[key]; !known {
				w.bases[key] = f.differsFromCommitted(ctx, one, files)
			}
			changed[one.path] = w.bases[key]
			continue
		}
		glob := one.refreshOn()
		if _, known := w.digests[glob]; !known {
			w.digests[glob] = files.digest(glob)
		}
		changed[one.path] = w.digests[glob] != one.Seen
	}
	return changed, true
}

// differsFromCommitted reports whether the files of a fact differ from those in the commit that last changed the fact's file.
func (f *Facts) differsFromCommitted(ctx context.Context, one *Fact, now tree) bool {
	file := filepath.FromSlash(one.File)
	out, err := git.Run(ctx, f.st.Home(), "log", "-1", "--format=%H", "--", file)
	base := strings.TrimSpace(string(out))
	if err != nil || base == "" {
		return false
	}
	if out, err := git.Run(ctx, f.st.Home(), "status", "--porcelain", "--", file); err != nil || len(out) > 0 {
		return false // the fact's file was edited since
	}
	out, err = git.Run(ctx, f.st.Home(), "ls-tree", "-r", "-z", base)
	if err != nil {
		return false
	}
	was := tree{}
	for row := range strings.SplitSeq(string(out), "\x00") {
		head, path, _ := strings.Cut(row, "\t")
		if w := strings.Fields(head); len(w) == 3 && !within(path, store.Folder) {
			was[path] = w[2]
		}
	}
	return was.digest(one.refreshOn()) != now.digest(one.refreshOn())
}

// within reports whether a path is that folder or is in a folder of that name.
func within(path, folder string) bool { return slices.Contains(strings.Split(path, "/"), folder) }

// skipped are folders of other programs, for use where git does not list the ignored files.
var skipped = strings.Fields(".git .hg .svn .sdd node_modules vendor .venv venv __pycache__ target dist build")

// walk is look without git. It leaves out files that it cannot read.
func walk(ctx context.Context, root string, folders []string) tree {
	files := tree{}
	for _, start := range folders {
		_ = fs.WalkDir(os.DirFS(root), start, func(name string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil || len(files) >= mostFiles:
				return fs.SkipAll
			case err != nil:
			case e.IsDir() && name != start && slices.Contains(skipped, e.Name()):
				return fs.SkipDir
			case e.Type().IsRegular():
				if id := blobID(filepath.Join(root, filepath.FromSlash(name))); id != "" {
					files[name] = id
				}
			}
			return nil
		})
	}
	return files
}

const mostHashed = 8 << 20 // bytes of a file that are hashed; of a larger file only the size counts

// blobID returns git's id of the file, "" when it cannot be read.
func blobID(name string) string {
	if info, err := os.Stat(name); err == nil && info.Size() > mostHashed {
		return strconv.FormatInt(info.Size(), 10)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(src), src))
	return hex.EncodeToString(sum[:])
}

// ttlKeys are the keys of a new ttl of a fact, nil for none.
func (f *Facts) ttlKeys(ctx context.Context, was *Fact, t *TTL) []frontmatter.Set {
	if t == nil {
		return nil
	}
	return append([]frontmatter.Set{{Key: "ttl", Value: t.value()}}, f.seenKey(ctx, was, t)...)
}

// seenKey records the present state of the files that t depends on. The fingerprints of places stay.
func (f *Facts) seenKey(ctx context.Context, was *Fact, t *TTL) []frontmatter.Set {
	if t == nil || t.RefreshOn == "" {
		return nil
	}
	if digest := f.look(ctx, []string{t.RefreshOn}).digest(t.RefreshOn); digest != "" {
		return []frontmatter.Set{anchor.WithHash(digest, was.pins)}
	}
	return nil
}
