// Package discovery describes a repository: from one walk over its file names and the heads of the files that describe
// it, it makes facts of one sentence each, with their source paths.
//
// It does not guess from names when a file has the answer, repeats no lists of a manifest, and makes no facts about missing things. The
// facts can be committed: they have no absolute path, user, host, secret or time, and rough shares and lists stay the same from one
// commit to the next. It writes nothing. The facts quote other people's text, so callers must show them as data.
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
	Domain     string  // always at level 1; at level 2 if the module is in one
	Module     string  // of level 2: the folder
	Content    string  // one English sentence
	Source     string  // path in the repository with slashes, with #L3 for a line; "." is the folder itself
	Confidence float64 // 1 for a statement in a file, less for a convention
	Key        string  // the subject, such as "languages", "test:go", "module:services/api"; each fact has its own
}

// Report is the result of Discover.
type Report struct {
	Facts     []Found           `json:"facts"`               // by level, the most useful first; domains and modules by name
	Domains   []string          `json:"-"`                   // by name
	ADRs      []ADR             `json:"-"`                   // by path
	Manifests map[string]string `json:"manifests"`           // path of each file that facts come from, with its size and time, for Changed
	Warnings  []string          `json:"warnings"`            // files that could not be read, by path
	Files     int               `json:"-"`                   // number of files; when Truncated, of those that were read
	Truncated bool              `json:"truncated,omitempty"` // the tree has more files or manifests than the limits
}

// Limits; tests lower them.
var (
	maxFiles     = 200_000 // of more files, the nearest to the top
	maxManifests = 400     // of more manifests, the nearest to the top
)

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

// Discover describes the folder root, which need not be a git repository or the top of one. The same files give the same
// report. Unreadable and invalid files are warnings; the error is that of ctx, or an Invalid fault when root cannot be
// read as a folder.
func Discover(ctx context.Context, root string) (_ Report, err error) {
	defer fault.Caught(&err)
	s := fault.Must(newSurvey(ctx, root))
	defer s.close()
	s.readManifests()
	s.readTasks()
	s.readReadme()
	s.report.ADRs = s.findADRs()
	s.findDomains()

	s.addProject()
	s.addLanguages()
	s.addVersions()
	s.addBuilt()
	s.addCommands()
	s.addRules()
	s.addEntries()
	s.addLayout()
	s.addADRs()
	s.addDomains()
	s.addModules()

	fault.Check(ctx.Err())
	s.finish()
	return s.report, nil
}

func newSurvey(ctx context.Context, root string) (*survey, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%q is not a folder that can be read", root).For("root").
			With("name the folder of a project").From(err)
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

// add adds a fact. It ignores an empty fact and a second one with the same key.
func (s *survey) add(f Found) {
	f.Content = OneLine(f.Content)
	if f.Content == "" || slices.ContainsFunc(s.report.Facts, func(g Found) bool { return g.Key == f.Key }) {
		return
	}
	f.Source = cmp.Or(f.Source, ".")
	s.report.Facts = append(s.report.Facts, f)
}

func (s *survey) project(key string, confidence float64, source, format string, args ...any) {
	s.add(Found{Key: key, Confidence: confidence, Source: source, Content: fmt.Sprintf(format, args...)})
}

func (s *survey) warn(format string, args ...any) {
	s.warnings = append(s.warnings, OneLine(fmt.Sprintf(format, args...)))
}

const maxWarnings = 50

// finish removes facts that may not be committed and fills in the rest of the report.
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
	for _, path := range Changed(s.path, s.report.Manifests) { // of an ignored manifest, or a second README
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

func machineBound(text string) bool {
	marks := []string{"/home/", "/Users/", "/root/", `:\Users\`, "file://"}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}

// noticed are the other files at the top that count as manifests.
var noticed = pattern.Words(`Makefile GNUmakefile makefile Taskfile.yml Taskfile.yaml justfile Justfile Rakefile tasks.py
	README.md README.rst README.adoc README.txt README`)

// Changed returns, sorted, the files with facts that were added, changed or deleted since a report with the manifests
// old. It checks the files in old, and new manifests at the top of root; it does not see new files in other folders.
func Changed(root string, old map[string]string) (changed []string) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil // no answer
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
