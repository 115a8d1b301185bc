// Package internal holds no code of its own: its test keeps the packages in their layers.
package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "sdd"

// floors lists every package by its floor, the lowest first. A package imports packages of lower floors, of
// its own floor only along sameFloor, and never upwards. A package in a folder of another one belongs to it.
var floors = [][]string{
	{"internal/fault", "internal/pattern", "internal/atomicfile", "internal/lines", "internal/analysis"},
	{"schema", "internal/memory", "internal/markdown", "internal/frontmatter", "internal/git", "internal/tokens", "internal/secrets", "internal/transcript", "internal/config", "internal/allow", "internal/tier", "internal/tty", "internal/symbol", "internal/agenthook"},
	{"internal/record", "internal/journal", "internal/discovery", "internal/anchor", "internal/sealed"},
	{"internal/store", "internal/index"},
	{"internal/explore", "internal/lookup", "internal/learning", "internal/fact", "internal/decision", "internal/answer",
		"internal/candidate", "internal/check", "internal/history", "internal/merge", "internal/codesearch", "internal/docs", "internal/setup", "internal/transfer", "internal/prompt", "internal/session", "internal/repos", "internal/hub"},
	{"internal/app"},
	{"internal/cli", "internal/mcp", "internal/web", "internal/terminal", "internal/lsp"},
	{"cmd/sdd", "internal/eval", "internal/manual"},
	{"cmd/sdd-eval"},
}

// sameFloor lists the imports within a floor. They form no circle: Go sees to that.
var sameFloor = map[string][]string{
	"internal/analysis": {"internal/lines"},                                                                 // the border of a rune
	"internal/tier":     {"internal/git"},                                                                   // what is committed, and where
	"internal/config":   {"internal/frontmatter"},                                                           // its YAML
	"internal/symbol":   {"internal/markdown"},                                                              // the headings of documents
	"internal/anchor":   {"internal/record"},                                                                // front matter and limits
	"internal/index":    {"internal/store"},                                                                 // the files that it is derived from
	"internal/fact":     {"internal/learning", "internal/decision"},                                         // learnings that become facts; decisions in prose
	"internal/decision": {"internal/learning"},                                                              // the rules for contradictions
	"internal/answer":   {"internal/fact", "internal/decision", "internal/learning", "internal/codesearch"}, // what it tells; which servers are trusted
	"internal/check":    {"internal/fact", "internal/learning", "internal/codesearch"},                      // what is wrong with a fact; the settings of learnings and code search
	"internal/history":  {"internal/check"},                                                                 // SARIF
	"internal/setup":    {"internal/lookup", "internal/learning", "internal/prompt", "internal/codesearch"}, // what doctor and status report of the records; the texts of commands; settings
	"internal/prompt":   {"internal/codesearch", "internal/transfer"},                                       // which phases read code; where one can hand off to
	"internal/session":  {"internal/decision"},                                                              // the rules for decisions in prose
	"internal/hub":      {"internal/answer"},                                                                // the vectors of records
	"internal/transfer": {
		"internal/learning",                                        // the ideas that it brings in and out
		"internal/candidate",                                       // what comes in and somebody has to decide on
		"internal/decision", "internal/explore", "internal/lookup", // what is handed off, to whom, and where the project keeps such files
	},
}

// owners lists the libraries that only some packages know.
var owners = map[string][]string{
	"github.com/blevesearch/snowballstem": {"internal/analysis", "internal/decision"},
	"github.com/yuin/goldmark":            {"internal/markdown"},
	"go.yaml.in/yaml":                     {"internal/frontmatter"},
	"gopkg.in/yaml":                       {"internal/frontmatter"},
	"github.com/goccy/go-yaml":            {},
	"github.com/adrg/frontmatter":         {"internal/frontmatter"},
	"github.com/mark3labs/mcp-go":         {"internal/mcp", "internal/codesearch"},
	"github.com/fsnotify/fsnotify":        {"internal/store"},
	"github.com/spf13/cobra":              {"internal/cli", "internal/manual"},
	"golang.org/x/term":                   {"internal/terminal", "internal/tty"},
	"github.com/tailscale/hujson":         {"internal/setup", "internal/codesearch"},
	"github.com/jackc":                    {"internal/hub"},
	"filippo.io/age":                      {"internal/sealed"},
	"github.com/chromedp":                 {}, // the rest for tests only
	"github.com/tiktoken-go":              {},
	"github.com/modelcontextprotocol":     {},
	"github.com/google/go-cmp":            {},
	"github.com/rogpeppe/go-internal":     {"internal/setup"}, // its unified diff; the rest for tests
}

// visible lists what the top of the repository shows.
var visible = []string{"cmd", "internal", "schema", "go.mod", "go.sum", "README.md"}

// place is where a package stands.
type place struct {
	name  string // as in floors
	floor int
}

// placeOf finds the place of a package by its folder, relative to the top.
func placeOf(dir string) (place, bool) {
	for floor, names := range floors {
		for _, name := range names {
			if dir == name || strings.HasPrefix(dir, name+"/") {
				return place{name, floor}, true
			}
		}
	}
	return place{}, false
}

// packages returns the imports of every package of the program, without tests, by its folder.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, root := range []string{"cmd", "internal", "schema"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(file string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".")) {
				return filepath.SkipDir
			}
			if e.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			for _, g := range f.Comments {
				for _, c := range g.List {
					if c.Text == "//go:build ignore" { // a generator
						return nil
					}
				}
			}
			dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../")
			if _, ok := found[dir]; !ok {
				found[dir] = nil
			}
			for _, i := range f.Imports {
				name, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					return err
				}
				if !slices.Contains(found[dir], name) {
					found[dir] = append(found[dir], name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestLayers(t *testing.T) {
	for dir, imports := range packages(t) {
		here, ok := placeOf(dir)
		if !ok && forTests(dir) {
			continue
		}
		if !ok {
			t.Errorf("%s has no floor: add it to the list in this test and to the design", dir)
			continue
		}
		for _, name := range imports {
			target, ok := strings.CutPrefix(name, module+"/")
			if !ok {
				continue
			}
			there, ok := placeOf(target)
			switch {
			case !ok || there.name == here.name || there.floor < here.floor:
			case there.floor > here.floor:
				t.Errorf("%s (floor %d) imports upwards: %s (floor %d)", dir, here.floor, target, there.floor)
			case !slices.Contains(sameFloor[here.name], there.name):
				t.Errorf("%s imports %s of its own floor: list it in this test if it must", dir, target)
			}
		}
	}
}

// TestArchitecturePage: the project's own page on its floors names every package, and none that is gone.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", ".sdd", "explore", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range floors {
		for _, name := range names {
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("%s is not in the architecture page: sdd edit explore/architecture", name)
			}
		}
	}
	for _, part := range strings.Split(string(page), "`") {
		if dir, _, _ := strings.Cut(part, " "); dir == part && strings.HasPrefix(part, "internal/") && !strings.HasSuffix(part, ".go") {
			if _, ok := placeOf(part); !ok {
				t.Errorf("the architecture page names %s, which is gone", part)
			}
		}
	}
}

// forTests reports whether a package is what tests share, which its name says: terminaltest, sddtest.
func forTests(dir string) bool {
	dir = strings.TrimPrefix(dir, module+"/")
	return (strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "internal/")) && strings.HasSuffix(dir, "test")
}

func TestLibrariesStayWithTheirOwners(t *testing.T) {
	for dir, imports := range packages(t) {
		here, _ := placeOf(dir)
		if forTests(dir) {
			continue
		}
		for _, name := range imports {
			if forTests(name) {
				t.Errorf("%s imports %s, which is for tests only", dir, name)
			}
			for library, allowed := range owners {
				of := name == library || strings.HasPrefix(name, library+"/") || strings.HasPrefix(name, library+".")
				if of && !slices.Contains(allowed, here.name) {
					t.Errorf("%s imports %s, which is for %q only", dir, name, allowed)
				}
			}
		}
	}
}

func TestPackagesAreNamedForWhatTheyKnow(t *testing.T) {
	for dir := range packages(t) {
		switch path.Base(dir) {
		case "util", "utils", "helper", "helpers", "common", "shared", "misc", "base", "types":
			t.Errorf("%s does not say what it knows", dir)
		}
	}
}

// TestTop looks at the files that git knows: what is built or left lying about is nobody's concern.
func TestTop(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not in a git work tree")
	}
	for file := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		first, _, _ := strings.Cut(file, "/")
		if first != "" && !strings.HasPrefix(first, ".") && !slices.Contains(visible, first) {
			t.Errorf("%s stands at the top of the repository, which holds only %q", first, visible)
		}
	}
}
