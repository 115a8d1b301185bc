package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
)

// store makes an .sdd folder with that config.yaml.
func store(t *testing.T, src string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".sdd")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, Name), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLoad(t *testing.T) {
	with := func(change func(*Config)) Config {
		c := Default()
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name, src string
		want      Config
	}{
		{"empty", "", Default()},
		{"comments", "# nothing\n", Default()},
		{"null", "project:\npipeline: ~\nlimits:\n", Default()},
		{"all", "project: demo\npipeline: spec-kit\nlimits:\n  title: 1\n  section: 16777216\n  file: 67108864\n",
			with(func(c *Config) { c.Project, c.Pipeline, c.Limits = "demo", "spec-kit", Limits{1, 16 << 20, 64 << 20} })},
		{"one limit", "limits: {title: 1000}\n", with(func(c *Config) { c.Limits.Title = 1000 })},
		{"a name that is a number", "project: 1.10\n", with(func(c *Config) { c.Project = "1.10" })},
		{"BOM, CRLF and a document line", "\ufeff---\r\nproject: 'a b'\r\n", with(func(c *Config) { c.Project = "a b" })},
		{"sections", "search_strategy:\n  mode: hybrid\n  since: 2026-11-21\n  rag:\n    args: {1: x}\ninclude: [code, docs]\nsecrets:\n",
			with(func(c *Config) {
				c.Sections = map[string]any{
					"search_strategy": map[string]any{"mode": "hybrid", "since": "2026-11-21", "rag": map[string]any{"args": map[string]any{"1": "x"}}},
					"include":         []any{"code", "docs"},
				}
			})},
		{"unknown", "projet: x\nlimits:\n  title: 5\n  size: 3\nlearning:\n  anything: 1\n",
			with(func(c *Config) {
				c.Limits.Title = 5
				c.Sections["learning"] = map[string]any{"anything": int64(1)}
				c.Unknown = []Unknown{{"projet", 1}, {"limits.size", 4}}
			})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load(store(t, tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLoadFails(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		line      int
		message   string
	}{
		{"broken", "project: x\nlimits: [\npipeline: none\n", 2, "does not parse"},
		{"a list", "- x\n", 1, "the file is not a list of"},
		{"twice", "project: x\nproject: y\n", 2, `the key "project" stands twice, on lines 1 and 2`},
		{"two documents", "project: x\n---\nproject: y\n", 2, "goes on after the end"},
		{"markers", "project: x\n<<<<<<< ours\npipeline: none\n=======\n>>>>>>> theirs\n", 2, "conflict markers"},
		{"pipeline", "\npipeline: waterfall\n", 2, `pipeline: "waterfall" is none of openspec, spec-kit, gentle-ai, hoofy, none`},
		{"title too small", "limits:\n  title: 0\n", 2, "limits.title: 0 is not between 1 and 1000"},
		{"title too large", "limits:\n  title: 1001\n", 2, "limits.title: 1001 is not between 1 and 1000"},
		{"section", "limits:\n  section: 16777217\n", 2, "is not between 1 and 16777216"},
		{"file", "limits:\n  title: 5\n  file: -1\n", 3, "limits.file: -1 is not between 1 and 67108864"},
		{"text for a number", "limits:\n  title: many\n", 2, `"many" stands where a whole number is expected`},
		{"fraction", "limits:\n  title: 1.5\n", 2, `1.5 stands where a whole number is expected`},
		{"list for text", "project: [a]\n", 1, "a list stands where text is expected"},
		{"number for a map", "limits: 5\n", 1, `limits: 5 stands where keys with values are expected`},
		{"name of two lines", "project: \"a\\nb\"\n", 1, "control characters"},
		{"long name", "project: " + strings.Repeat("x", 201) + "\n", 1, "201 characters, at most 200"},
		{"bomb", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f]\n", 1, "aliases"},
		{"not text", "project: \xff\n", 1, "not valid UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load(store(t, tt.src))
			f := fault.Of(err)
			if err == nil || f.Code != fault.Broken || f.File != ".sdd/config.yaml" || f.Line != tt.line || f.Hint == "" ||
				!strings.Contains(f.Message, tt.message) || strings.Contains(f.Message, "front matter") {
				t.Errorf("got %#v", f)
			}
			if diff := cmp.Diff(Default(), got); diff != "" {
				t.Errorf("not the default with an error: %s", diff)
			}
		})
	}
}

func TestLoadOddFiles(t *testing.T) {
	if c, err := Load(filepath.Join(t.TempDir(), "no", ".sdd")); err != nil || !cmp.Equal(c, Default()) {
		t.Errorf("no folder: %v %v", c, err)
	}
	dir := store(t, "")
	path := filepath.Join(dir, Name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(dir); err != nil || !cmp.Equal(c, Default()) {
		t.Errorf("no file: %v %v", c, err)
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); !fault.Is(err, fault.Broken) {
		t.Errorf("a folder: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("project: secret\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, path); err != nil {
		t.Skip(err)
	}
	if c, err := Load(dir); !fault.Is(err, fault.Unavailable) || c.Project != "" {
		t.Errorf("a link out of the folder: %v %v", c, err)
	}
}

func TestCreate(t *testing.T) {
	for _, name := range []string{"demo", "", "yes", "1.10", "a: b # c", "日本", `"`} {
		src := Create(name)
		c, err := Parse(src)
		want := Default()
		want.Project = name
		if err != nil || !cmp.Equal(c, want) {
			t.Errorf("%q: %v %+v\n%s", name, err, c, src)
		}
	}
	// The examples say the truth.
	bare := regexp.MustCompile(`(?m)^# ((?:pipeline|limits| ).*)$`).ReplaceAll(Create("demo"), []byte("$1"))
	c, err := Parse(bare)
	if err != nil || c.Limits != Default().Limits || c.Pipeline == "" || len(c.Unknown) > 0 {
		t.Errorf("%v %+v\n%s", err, c, bare)
	}
}
