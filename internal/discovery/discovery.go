// Package discovery finds out what a repository is: in one walk over its file names and a look at the heads of the
// files that describe it, it makes facts of one sentence each, with the path that each comes from.
//
// Nothing is guessed from a name where a file can be asked: manifests are read by their formats' parsers, package
// documentation by the language's. What a manifest lists is left to it, and what is missing is no fact. The facts are
// ready to be committed: they hold no absolute path, user, host or secret, nothing of the clock, and shares and lists
// are rough enough to stay as they are from one commit to the next.
//
// It reads only the tree and what git knows of it, and writes nothing. What it quotes was written by others: it is
// data for those who show it.
package discovery

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/secrets"
)

// Levels of facts.
const (
	Project = 0
	Domain  = 1
	Module  = 2
)

// Found is a fact about the repository.
type Found struct {
	Level      int     // Project, Domain or Module
	Domain     string  // of level 1 always, of level 2 where the module lies in one
	Module     string  // of level 2: the folder
	Content    string  // one English sentence
	Source     string  // path in the repository with slashes, with #L3 for a line; "." is the folder itself
	Confidence float64 // 1 for what is written in a file, less for what is usual
	Key        string  // what the fact is about, such as "languages", "test:go", "module:services/api"; one fact has each
}

// Report is what Discover found.
type Report struct {
	Facts     []Found           `json:"facts"`               // by level, the most useful first; domains and modules by name
	Domains   []string          `json:"-"`                   // by name
	ADRs      []ADR             `json:"-"`                   // by path
	Manifests map[string]string `json:"manifests"`           // path of each file that facts are read from, with its size and time, for Changed
	Warnings  []string          `json:"warnings"`            // what could not be read, by path
	Files     int               `json:"-"`                   // how many files there are, or were looked at when Truncated
	Truncated bool              `json:"truncated,omitempty"` // the tree has more files or manifests than the limits
}

// Limits; tests lower them.
var (
	maxFiles     = 200_000 // of more files the ones nearest to the top are looked at
	maxManifests = 400     // of more manifests the ones nearest to the top are read
)

// survey is a discovery under way.
type survey struct {
	ctx context.Context
	*tree
	report       Report
	modules      []*module
	tasks        []command
	domains      []domain
	readme       readme
	documentedIn map[string]bool // files whose documentation is in a fact
}

// Discover looks at the folder root, which need not be a git repository or the top of one. The same files give the
// same report. Files that cannot be read or parsed are warnings; the error is that of ctx, or an Invalid fault when
// root is no folder that can be read.
func Discover(ctx context.Context, root string) (Report, error) {
	s, err := newSurvey(ctx, root)
	if err != nil {
		return Report{}, err
	}
	defer s.close()
	s.readManifests()
	s.readTasks()
	s.readReadme()
	s.report.ADRs = s.findADRs()
	s.findDomains()

	s.addProject()
	s.addLanguages()
	s.addBuilt()
	s.addCommands()
	s.addRules()
	s.addEntries()
	s.addLayout()
	s.addADRs()
	s.addDomains()
	s.addModules()

	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	s.finish()
	return s.report, nil
}

// newSurvey opens and lists root.
func newSurvey(ctx context.Context, root string) (*survey, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		f := fault.New(fault.Invalid, "%q is not a folder that can be read", root).For("root").With("name the folder of a project")
		f.Cause = err
		return nil, f
	}
	s := &survey{ctx: ctx, report: Report{Manifests: map[string]string{}}, documentedIn: map[string]bool{}}
	s.tree = &tree{root: dir, path: root, heads: map[string]head{}}
	if err := s.list(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *survey) close() { _ = s.root.Close() }

// add takes a fact. One without words, and a second one with the same key, is none.
func (s *survey) add(f Found) {
	f.Content = OneLine(f.Content)
	if f.Content == "" || slices.ContainsFunc(s.report.Facts, func(g Found) bool { return g.Key == f.Key }) {
		return
	}
	f.Source = cmp.Or(f.Source, ".")
	s.report.Facts = append(s.report.Facts, f)
}

// project takes a fact of level 0.
func (s *survey) project(key string, confidence float64, source, format string, args ...any) {
	s.add(Found{Key: key, Confidence: confidence, Source: source, Content: fmt.Sprintf(format, args...)})
}

// warn notes what went wrong with a file.
func (s *survey) warn(format string, args ...any) {
	s.warnings = append(s.warnings, OneLine(fmt.Sprintf(format, args...)))
}

const maxWarnings = 50

// finish leaves out what may not be committed and fills in the rest of the report.
func (s *survey) finish() {
	s.report.Facts = slices.DeleteFunc(s.report.Facts, func(f Found) bool {
		switch {
		case len(secrets.Scan([]byte(f.Content))) > 0:
			s.warn("%s: what it says of %s looks like a secret and was left out", f.Source, f.Key)
		case machineBound(f.Content):
			s.warn("%s: what it says of %s names a folder of one machine and was left out", f.Source, f.Key)
		default:
			return false
		}
		return true
	})
	for path, h := range s.heads {
		if h.manifest {
			s.report.Manifests[path] = h.stamp
		}
	}
	for _, path := range Changed(s.path, s.report.Manifests) { // an ignored manifest, or a second README
		if _, known := s.report.Manifests[path]; !known {
			s.report.Manifests[path] = stampOf(s.root, path)
		}
	}
	slices.Sort(s.warnings)
	s.report.Warnings = slices.Compact(s.warnings)
	if more := len(s.report.Warnings) - maxWarnings; more > 0 {
		s.report.Warnings = append(s.report.Warnings[:maxWarnings], fmt.Sprintf("and %d more warnings", more))
	}
	s.report.Files = len(s.files)
	s.report.Truncated = s.truncated
}

// machineBound reports whether a text names a place that only one machine has.
func machineBound(text string) bool {
	for _, mark := range []string{"/home/", "/Users/", "/root/", `:\Users\`, "file://"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// noticed are the other files at the top that facts are read from as from a manifest.
var noticed = pattern.Words(`Makefile GNUmakefile makefile Taskfile.yml Taskfile.yaml justfile Justfile Rakefile
	README.md README.rst README.adoc README.txt README`)

// Changed returns the paths of files that facts were read from and that are new, changed or gone since a report with the
// manifests old, sorted. It looks at the files in old and for manifests that came to the top of root; files that came
// elsewhere are not seen.
func Changed(root string, old map[string]string) (changed []string) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil // nothing is known
	}
	defer dir.Close()
	for path, was := range old {
		if stampOf(dir, path) != was {
			changed = append(changed, path)
		}
	}
	entries, _ := fs.ReadDir(dir.FS(), ".")
	for _, e := range entries {
		name := e.Name()
		if _, known := old[name]; !known && (isManifest(name) || noticed()[name]) && stampOf(dir, name) != "" {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}
