package extract

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// Commit is a commit as the analysis sees it.
type Commit struct {
	ID       string // "" of what is not committed
	Parents  int    // how many it has
	Message  string
	Boundary bool     // a shallow clone ends here: its files are not known
	Touched  []string // paths of all files that it changed
	Paths    int      // how many there are
	Files    []File   // those whose bytes are known, by path

	Had, Has func(dir string) bool // whether there were files in a folder before, and are after
}

// File is a file that a commit changed.
type File struct {
	Path          string
	Before, After []byte
	New, Gone     bool
}

// Analyse extracts from commits, the oldest first. It is From without a repository: the same bytes give the same result.
func Analyse(commits []Commit, domains []string) Result {
	a := newAnalysis(domains)
	for _, c := range commits {
		a.commit(c)
	}
	return a.result()
}

// analysis is an extraction under way.
type analysis struct {
	domains map[string]bool // nil: told from paths
	truths  map[string]*truth
	order   []*truth
	skips   []Skipped
	commits int
	more    bool // commits before the first were left out
	cuts    bool

	formatted bool                // only the form of the files of the last commit changed
	latest    map[string]*version // by path: what one commit makes of a file the next one begins with
	kept      int                 // bytes of these
}

func newAnalysis(domains []string) *analysis {
	a := &analysis{truths: map[string]*truth{}}
	for _, d := range domains {
		if a.domains == nil {
			a.domains = map[string]bool{}
		}
		a.domains[d] = true
	}
	return a
}

const maxSkipped = 500

func (a *analysis) skip(commit, file, why string) {
	if len(a.skips) < maxSkipped {
		a.skips = append(a.skips, Skipped{commit, plainPath(file), why})
	}
}

// cut is skip for what was left out because there is too much.
func (a *analysis) cut(commit, file, why string) {
	a.cuts = true
	if len(a.skips) >= maxSkipped { // this one has to be seen
		a.skips = a.skips[:maxSkipped-1]
	}
	a.skip(commit, file, why)
}

// commit analyses the next commit.
func (a *analysis) commit(c Commit) {
	a.commits++
	switch {
	case c.Boundary:
		a.skip(c.ID, "", "the shallow clone ends here: what it changed is not known")
	case c.Parents > 1:
		a.skip(c.ID, "", "a merge: what it brings is told by its commits")
	}
	m := parseMessage(c.Message)
	if m.reverts != "" {
		a.takeBack(m.reverts)
	}
	told := false
	if c.Parents <= 1 && !c.Boundary {
		told = a.files(&c, m)
	}
	if m.reverts == "" && a.message(&c, m) {
		told = true
	}
	if !told && c.Parents <= 1 && !c.Boundary {
		a.skip(c.ID, "", a.whyNothing(&c, m))
	}
}

// files takes what the files of a commit change and reports whether that is anything.
func (a *analysis) files(c *Commit, m message) bool {
	a.formatted = false
	all := newChanges()
	for i := range c.Files {
		f := &c.Files[i]
		if f.Before != nil && f.After != nil && bytes.Equal(f.Before, f.After) {
			continue
		}
		before, after := a.versions(f)
		all.file(f, before, after)
	}
	a.formatted = len(c.Files) > 0 && len(c.Files) == len(c.Touched) && all.formatted == len(c.Files)
	for _, file := range all.broken {
		a.skip(c.ID, file, "cannot be parsed")
	}
	modules(c, all)
	all.symbols(m)
	told := false
	for _, ch := range all.order {
		if ch.idle() {
			continue
		}
		ch.commit = c.ID
		if _, ok := ch.say(); ok {
			told = true
		}
		a.take(ch)
	}
	return told
}

// maxLatest is how many bytes of versions are kept for the next commits.
const maxLatest = 32 << 20

// versions returns both versions of a file.
func (a *analysis) versions(f *File) (before, after *version) {
	if before = a.latest[f.Path]; before == nil || f.Before == nil || !bytes.Equal(before.raw, f.Before) {
		before = newVersion(f.Path, f.Before)
	}
	after = newVersion(f.Path, f.After)
	if a.kept += len(f.After); a.latest == nil || a.kept > maxLatest {
		a.latest, a.kept = map[string]*version{}, len(f.After)
	}
	a.latest[f.Path] = after
	return before, after
}

// whyNothing tells why a commit gave nothing.
func (a *analysis) whyNothing(c *Commit, m message) string {
	if m.reverts != "" {
		return "a revert"
	}
	if c.Paths == 0 {
		return "it changes no files"
	}
	classes := map[string]bool{}
	for _, p := range c.Touched {
		_, class := interest(p)
		classes[class] = true
	}
	if len(classes) == 1 {
		for class, why := range map[string]string{classLock: "lock files only", classVendored: "vendored or generated files only", classRecord: "records only",
			classDoc: "documentation only", classTest: "tests only", classBinary: "binary files only"} {
			if classes[class] {
				return why
			}
		}
	}
	if a.formatted {
		return "formatting or comments only"
	}
	return "nothing that a reader would keep"
}

// Classes of files by their names.
const (
	classLock     = "lock"
	classVendored = "vendored"
	classRecord   = "record"
	classDoc      = "doc"
	classTest     = "test"
	classBinary   = "binary"
	classOther    = "other"
	classSource   = "source"
)

var lockFiles = pattern.Words(`package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb go.sum go.work.sum Cargo.lock poetry.lock uv.lock pdm.lock
	Pipfile.lock composer.lock Gemfile.lock mix.lock pubspec.lock packages.lock.json flake.lock gradle.lockfile Podfile.lock deno.lock Chart.lock .terraform.lock.hcl
	requirements.lock Package.resolved buf.lock`)

var binaryEnds = pattern.Words(`.png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .tgz .bz2 .xz .7z .jar .war .class .exe .dll .so .dylib .a .o .bin .dat .woff .woff2 .ttf .otf .eot
	.mp3 .mp4 .mov .avi .wav .sqlite .db .pyc .wasm .psd .parquet .onnx .pt`)

var docEnds = pattern.Words(`.md .markdown .rst .adoc .txt .svg .css .scss .less .html .csv .tsv .po .pot .snap .map .log`)

// interest reports whether a reader knows a file of that name, and the class that it has.
func interest(file string) (read bool, class string) {
	base := path.Base(file)
	ext := strings.ToLower(path.Ext(base))
	switch {
	case strings.HasPrefix(file, ".sdd/") || strings.Contains(file, "/.sdd/"):
		return false, classRecord
	case lockFiles()[base]:
		return false, classLock
	case isVendored(file):
		return false, classVendored
	case binaryEnds()[ext]:
		return false, classBinary
	case isTest(file):
		return false, classTest
	}
	for i := range readers {
		if readers[i].wants(file) {
			return true, classSource
		}
	}
	if docEnds()[ext] {
		return false, classDoc
	}
	return false, classOther
}

// Known returns the files that a reader knows. The others need not be read.
func Known(files []File) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		read, _ := interest(f.Path)
		return !read
	})
}
