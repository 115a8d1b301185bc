// Package config reads .sdd/config.yaml: its keys, their defaults and the permitted values.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
)

// Name is the file's name inside the store's folder.
const Name = "config.yaml"

// Pipelines are the values of Pipeline besides "".
var Pipelines = []string{"openspec", "spec-kit", "gentle-ai", "hoofy", "none"}

// Config is the content of config.yaml, with defaults for missing keys.
type Config struct {
	Project  string // "" means the name from the git remote or the folder
	Pipeline string // "" means the pipeline whose folders the repository has
	Limits   Limits
	Ignored  bool // git ignores the store on purpose

	// Sections has the keys that other packages read and check, as frontmatter's Value returns them; missing and empty ones are absent.
	Sections map[string]any

	// Unknown are the keys that this version does not know: spelling mistakes, or keys of a later version.
	Unknown []Unknown
}

// Limits are the maximum sizes. A larger text is an error; the program never cuts it.
type Limits struct {
	Title   int // characters
	Section int // bytes
	File    int // bytes
}

// Unknown is an unknown key; a nested one has its path (limits.size).
type Unknown struct {
	Key  string
	Line int
}

// The bounds of the limits themselves.
const (
	maxTitle   = 1000
	maxSection = 16 << 20
	maxFile    = 64 << 20

	maxProject = 200     // characters
	maxConfig  = 1 << 20 // bytes of config.yaml
)

// Default returns the configuration of a store without config.yaml.
func Default() Config {
	return Config{Limits: Limits{Title: 200, Section: 256 << 10, File: 1 << 20}, Sections: map[string]any{}}
}

// known are the known keys, by the key above them.
var known = map[string][]string{
	"":       append([]string{"project", "pipeline", "limits", "ignored"}, sections...),
	"limits": {"title", "section", "file"},
}

var sections = []string{"search_strategy", "learning", "docs", "embeddings", "secrets", "include", "budgets", "hooks",
	"handoff", "check", "trust", "private", "with", "hub"}

// Load reads config.yaml in sddDir. A missing file or folder gives the defaults; unknown keys are no error. Any other error is a fault with
// File, and Line if a line causes it; the returned Config is then the default one.
func Load(sddDir string) (Config, error) {
	src, err := read(sddDir)
	if src == nil || err != nil {
		return Default(), err
	}
	c, err := Parse(src)
	if err != nil {
		f := fault.Of(err)
		f.File = shown(sddDir)
		if f.Hint == "" {
			f.Hint = "mend the line, or remove it to get the default"
		}
		return Default(), f
	}
	return c, nil
}

// shown is the file's path relative to the store's root.
func shown(sddDir string) string { return filepath.Base(sddDir) + "/" + Name }

// read returns the bytes of config.yaml, nil if there is none. It follows no links out of the folder and waits for no pipe.
func read(sddDir string) ([]byte, error) {
	root, err := os.OpenRoot(sddDir)
	if err != nil {
		return nil, unreadable(sddDir, err)
	}
	defer root.Close()
	st, err := root.Stat(Name)
	switch {
	case err != nil:
		return nil, unreadable(sddDir, err)
	case !st.Mode().IsRegular():
		return nil, fault.New(fault.Broken, "not a regular file").
			With("replace it by a file, or remove it to get the defaults").At(shown(sddDir), 0)
	case st.Size() > maxConfig:
		return nil, fault.New(fault.Broken, "the file has %d bytes, at most %d are read", st.Size(), maxConfig).
			With("remove what does not belong there").At(shown(sddDir), 0)
	}
	src, err := root.ReadFile(Name)
	return src, unreadable(sddDir, err)
}

// unreadable is the fault for an error, nil for none and for a missing file.
func unreadable(sddDir string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.New(fault.Unavailable, "cannot be read: %v", err).
		With("check that you may read it and that it is no link out of the folder").At(shown(sddDir), 0).From(err)
}

// Parse reads the bytes of a config.yaml. Errors are Broken faults with the line.
func Parse(src []byte) (Config, error) {
	c := Default()
	doc, err := frontmatter.ParseYAML(src)
	if err != nil {
		f := fault.Of(err)
		f.Message = strings.Replace(f.Message, "the front matter", "the file", 1)
		return c, f
	}
	r := reader{doc: doc}
	c.Project = strings.TrimSpace(r.text("project"))
	if n := utf8.RuneCountInString(c.Project); n > maxProject {
		r.wrong("project", "the name has %d characters, at most %d are allowed", n, maxProject)
	}
	if strings.ContainsFunc(c.Project, unicode.IsControl) {
		r.wrong("project", "%q is no name: it holds line breaks or control characters", c.Project)
	}
	c.Pipeline = r.text("pipeline")
	if c.Pipeline != "" && !slices.Contains(Pipelines, c.Pipeline) {
		r.wrong("pipeline", "%q is none of %s", c.Pipeline, strings.Join(Pipelines, ", "))
	}
	if v := doc.Value("limits"); v != nil {
		limits, ok := v.(map[string]any)
		if !ok {
			r.wrong("limits", "%s stands where keys with values are expected", Describe(v))
		}
		r.limit(limits, "title", &c.Limits.Title, maxTitle)
		r.limit(limits, "section", &c.Limits.Section, maxSection)
		r.limit(limits, "file", &c.Limits.File, maxFile)
	}
	switch v := doc.Value("ignored").(type) {
	case nil:
	case bool:
		c.Ignored = v
	default:
		r.wrong("ignored", "%s stands where true or false is expected", Describe(v))
	}
	for _, name := range sections {
		if v := doc.Value(name); v != nil {
			c.Sections[name] = v
		}
	}
	c.Unknown = append(unknown(doc), unknown(doc, "limits")...)
	slices.SortStableFunc(c.Unknown, func(a, b Unknown) int { return a.Line - b.Line })
	return c, r.err
}

// reader checks values and keeps the first error.
type reader struct {
	doc *frontmatter.Doc
	err error
}

func (r *reader) wrong(path, format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.Broken, path+": "+format, args...).At("", r.doc.Line(strings.Split(path, ".")...))
	}
}

// text returns a scalar as written in the file, since a project's name may be 1.10.
func (r *reader) text(key string) string {
	switch v := r.doc.Value(key).(type) {
	case []any, map[string]any:
		r.wrong(key, "%s stands where text is expected", Describe(v))
	}
	return r.doc.String(key)
}

func (r *reader) limit(limits map[string]any, name string, into *int, most int) {
	switch v := limits[name].(type) {
	case nil:
	case int64:
		if v < 1 || v > int64(most) {
			r.wrong("limits."+name, "%d is not between 1 and %d", v, most)
			return
		}
		*into = int(v)
	default:
		r.wrong("limits."+name, "%s stands where a whole number is expected", Describe(v))
	}
}

// Describe describes a value of config.yaml for a message.
func Describe(v any) string {
	switch v := v.(type) {
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case string:
		return strconv.Quote(v)
	default:
		return fmt.Sprint(v)
	}
}

// unknown returns the unknown keys under path.
func unknown(doc *frontmatter.Doc, path ...string) (out []Unknown) {
	at := strings.Join(path, ".")
	for _, k := range doc.Under(path...) {
		if !slices.Contains(known[at], k.Name) {
			out = append(out, Unknown{strings.Join(append(path, k.Name), "."), k.Line})
		}
	}
	return out
}

// Create returns the config.yaml for a new store: the project's name, and the other settings as comments with the defaults.
func Create(project string) []byte {
	line := "project: " + frontmatter.Quote(project)
	if project == "" {
		line = "# project: name"
	}
	return []byte(`# Settings of this store. Every line may be missing.

# The name that records go under.
` + line + `

# Whose first commands are offered after an exploration: openspec, spec-kit, gentle-ai,
# hoofy or none. Without this line no commands are offered.
# pipeline: openspec

# What is longer is refused, never cut. These are the defaults.
# limits:
#   title: 200       # characters
#   section: 262144  # bytes
#   file: 1048576    # bytes
`)
}

// Budget returns budgets.<tool> of config.yaml; preset if it is missing or not a number from 50 to 100,000 (which sdd check reports).
func (c Config) Budget(tool string, preset int) int {
	budgets, _ := c.Sections["budgets"].(map[string]any)
	n, _ := frontmatter.Number(budgets[tool])
	if n < 50 || n > 100_000 {
		return preset
	}
	return int(n)
}
