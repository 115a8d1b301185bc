package discovery

import (
	"cmp"
	"context"
	_ "embed"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/git"
	"sdd/internal/pattern"
)

// tree is the folder under discovery: the names of its files, and the heads of those that were read.
type tree struct {
	root      *os.Root
	path      string
	files     []string // sorted, with slashes, without vendored ones
	folders   map[string]*folder
	sorted    []*folder // by path, with a slash behind each
	inGit     bool      // git listed the files
	truncated bool
	heads     map[string]head
	warnings  []string
}

type folder struct {
	path  string   // "." for the root
	files []string // base names
	dirs  []string // base names
	code  counts   // source files below by language, test data left out
}

//go:embed names.txt
var nameLists string

var nameSets = pattern.Lists(nameLists)

// called reports whether a name of a folder is in a set of names.txt.
func called(name, set string) bool { return nameSets()[set][name] }

// within reports whether a folder in the path of file is in a set, which has tests/data for the folder data in one of tests.
func within(file, set string) bool {
	names, tests := nameSets()[set], ""
	for {
		folder, rest, ok := strings.Cut(file, "/")
		if !ok || names[folder] || names[tests+folder] {
			return ok
		}
		if tests = ""; called(folder, "tests") {
			tests = "tests/"
		}
		file = rest
	}
}

// list fills in the files that git tracks or does not ignore; outside git, those of a walk. Of too many it keeps the
// nearest to the top.
func (t *tree) list(ctx context.Context) error {
	files, ok := t.listed(ctx)
	if !ok {
		files = t.walked(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	odd := false
	files = slices.DeleteFunc(files, func(file string) bool {
		if !utf8.ValidString(file) || strings.ContainsFunc(file, unicode.IsControl) || strings.Contains(file, "`") {
			odd = true
			return true
		}
		return within(file, "vendored")
	})
	if odd {
		t.warnings = append(t.warnings, "files whose names are not plain text were left out")
	}
	if len(files) > maxFiles {
		t.truncated = true
		slices.SortFunc(files, func(a, b string) int {
			return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
		})
		files = files[:maxFiles]
	}
	slices.Sort(files)
	t.files = slices.Compact(files)
	t.fold()
	return nil
}

// listed gets all files from git in one call. ok is false outside a work tree, where git cannot run, and in a folder
// that the repository around it ignores.
func (t *tree) listed(ctx context.Context) (files []string, ok bool) {
	top, _, _, ok := git.Top(t.path)
	if !ok || !git.Available() {
		return nil, false
	}
	out, err := git.Run(ctx, t.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		if ctx.Err() == nil {
			t.warnings = append(t.warnings, "git does not list the files, so that ignored ones are among them")
		}
		return nil, false
	}
	files = slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool {
		return name == "" || strings.HasSuffix(name, "/") // a repository inside this one
	})
	if len(files) == 0 && !git.SameFile(top, t.path) {
		return nil, false
	}
	t.inGit = true
	return files, true
}

// walked lists the files folder by folder, those near the top first, up to the limit. It follows no symbolic links.
func (t *tree) walked(ctx context.Context) (files []string) {
	for queue := []string{"."}; len(queue) > 0 && len(files) <= maxFiles && ctx.Err() == nil; queue = queue[1:] {
		dir := queue[0]
		entries, err := fs.ReadDir(t.root.FS(), dir)
		if err != nil {
			t.warnings = append(t.warnings, dir+": the folder cannot be read")
		}
		manifests := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isManifest(e.Name()) })
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case !e.IsDir():
				if e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 {
					files = append(files, name)
				}
			case !called(e.Name(), "vendored") && !(manifests && called(e.Name(), "built")):
				queue = append(queue, name)
			}
		}
	}
	return files
}

func (t *tree) fold() {
	t.folders = map[string]*folder{".": {path: ".", code: counts{}}}
	var at *folder
	for _, file := range t.files {
		dir, base := path.Split(file)
		dir = path.Clean(dir)
		if at == nil || at.path != dir {
			at = t.makeFolder(dir)
		}
		at.files = append(at.files, base)
	}
	sources := counts{}
	for _, f := range t.files {
		sources[languages()[path.Ext(f)]]++
	}
	plus := sources["C++"] > sources["C"]
	t.sorted = slices.SortedFunc(maps.Values(t.folders), func(a, b *folder) int { return strings.Compare(a.path+"/", b.path+"/") })
	for _, f := range t.sorted {
		slices.Sort(f.dirs)
		own := counts{}
		if !within(f.path+"/", "data") {
			for _, base := range f.files {
				if l := languageOf(base, plus); l != "" {
					own[l]++
				}
			}
		}
		for up := f; len(own) > 0; up = t.folders[path.Dir(up.path)] {
			for l, n := range own {
				up.code[l] += n
			}
			if up.path == "." {
				break
			}
		}
	}
}

func (t *tree) makeFolder(dir string) *folder {
	if f, ok := t.folders[dir]; ok {
		return f
	}
	f := &folder{path: dir, code: counts{}}
	t.folders[dir] = f
	up := t.makeFolder(path.Dir(dir))
	up.dirs = append(up.dirs, path.Base(dir))
	return f
}

func (t *tree) has(file string) bool {
	f, ok := t.folders[path.Dir(file)]
	if ok {
		_, ok = slices.BinarySearch(f.files, path.Base(file))
	}
	return ok
}

func (t *tree) first(files ...string) string {
	if i := slices.IndexFunc(files, t.has); i >= 0 {
		return files[i]
	}
	return ""
}

// topFile returns the file at the top with that name in any case, "" for none.
func (t *tree) topFile(names ...string) string {
	top := t.folders["."].files
	for _, name := range names {
		if i := slices.IndexFunc(top, func(file string) bool { return strings.EqualFold(file, name) }); i >= 0 {
			return top[i]
		}
	}
	return ""
}

// under returns dir and the folders below it, sorted by path.
func (t *tree) under(dir string) []*folder {
	if dir == "." {
		return t.sorted
	}
	i, _ := slices.BinarySearchFunc(t.sorted, dir, func(f *folder, dir string) int { return strings.Compare(f.path+"/", dir+"/") })
	n := i
	for n < len(t.sorted) && strings.HasPrefix(t.sorted[n].path+"/", dir+"/") {
		n++
	}
	return t.sorted[i:n]
}
