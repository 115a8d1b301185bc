package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/index/indextest"
	_ "sdd/internal/longtest" // files are in memory where there is room
	"sdd/internal/store"
)

// checkStore makes a store of files, relative to its root, and checks it.
func checkStore(t testing.TB, files map[string]string, o Options) (Report, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".sdd"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "ROOT", dir)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.WorkDir = dir
	r, err := checkDir(t, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func checkDir(t testing.TB, dir string, o Options) (Report, error) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	return Check(context.Background(), st, ix, o)
}

// shortened renders findings as file:line:column rule.
func shortened(r Report) []string {
	out := []string{}
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s:%d:%d %s %s", strings.TrimPrefix(f.File, ".sdd/"), f.Line, f.Column, f.Severity, f.Rule))
	}
	return out
}

// doc is a record with front matter and a section.
func doc(frontMatter, body string) string { return "---\n" + frontMatter + "---\n\n" + body }

const good = "## Goals\n\n- one\n"

// token is a secret that no scanner finds in this file.
var token = "ghp_" + "q7Rk2mXv9LpT4bNc8WzE1yHf6JdSa3UgQ0Zi"

func TestCheckRules(t *testing.T) {
	big := strings.Repeat("word ", 60000)
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"nothing wrong", map[string]string{
			".sdd/config.yaml":                         "project: shop\nlimits:\n  title: 100\nsecrets:\n  allow: [a1b2c3d4e5f6]\n",
			".sdd/explore/auth.md":                     doc("title: Auth\ncreated: 2026-11-20\n", good+"\nSee [code](../../src/a.go#L2-L3), [other](token.md), sdd://explore/token, sdd://overview and https://x.dev.\n"),
			".sdd/explore/token.md":                    "# Token\n\nplain text\n",
			".sdd/decisions/use-go.md":                 doc("title: Use Go\nstatus: accepted\nrelates_to: explore/auth\n", "## Decision Outcome\n\nGo.\n"),
			".sdd/decisions/use-c.md":                  doc("title: Use C\nstatus: superseded\ndepends_on: [decision/use-go, Use Go, .sdd/decisions/use-go.md]\n", "## Decision Outcome\n\nC.\n"),
			".sdd/facts/fact-0123456789ab-x.md":        doc("id: fact-0123456789ab\nlevel: 3\ncode_ref: src/a.go#L1-L3\nparent: JIRA-7\n", "It is so.\n"),
			".sdd/ideas/idea-0123456789ab-x.md":        doc("id: idea-0123456789ab\ncolor: yellow\nstatus: active\nparent: SHOP-12\naliases: [L-7]\nsuperseded_by: null\n", "Learned.\n"),
			".sdd/inbox/idea-0123456789ab-x.md":        doc("id: idea-0123456789ab\nkind: idea\nstatus: pending\n", "Learned.\n"),
			".sdd/personal/facts/fact-0123456789ab.md": doc("id: fact-0123456789ab\n", "It is so.\n"),
			"src/a.go": "a\nb\nc",
		}, []string{}},
		{
			"conflict markers",
			map[string]string{".sdd/explore/a.md": doc("title: A\n", "## Goals\n\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")},
			[]string{"explore/a.md:7:1 error conflict-markers"},
		},
		{
			"conflict markers in front matter",
			map[string]string{".sdd/explore/a.md": "---\n<<<<<<< ours\ntitle: A\n=======\ntitle: B\n>>>>>>> theirs\n---\n\ntext\n"},
			[]string{"explore/a.md:2:1 error conflict-markers"},
		},
		{"documented conflict markers", map[string]string{".sdd/explore/a.md": "# A\n\n```\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n```\n"}, []string{}},
		{
			"broken front matter",
			map[string]string{".sdd/explore/a.md": "---\ntitle: A\nproject: [x\n---\n\ntext\n"},
			[]string{"explore/a.md:3:1 error broken-front-matter"},
		},
		{
			"unclosed front matter",
			map[string]string{".sdd/explore/a.md": "---\ntitle: A\n\n## Goals\n\n- x\n"},
			[]string{"explore/a.md:1:1 error broken-front-matter"},
		},
		{
			"a key twice",
			map[string]string{".sdd/explore/a.md": doc("title: A\ntitle: B\n", good)},
			[]string{"explore/a.md:3:1 error broken-front-matter"},
		},
		{"not UTF-8", map[string]string{".sdd/explore/a.md": "# A\n\nab\xffc\n"}, []string{"explore/a.md:3:1 error invalid-text"}},
		{"a NUL byte", map[string]string{".sdd/explore/a.md": "# A\n\nab\x00c\n"}, []string{"explore/a.md:3:1 error invalid-text"}},
		{"a secret", map[string]string{".sdd/explore/a.md": doc("title: A\n", "## Goals\n\nkey "+token+"\n")}, []string{"explore/a.md:7:5 error secret"}},
		{"a secret in front matter", map[string]string{".sdd/explore/a.md": doc("title: A "+token+"\n", good)}, []string{"explore/a.md:2:10 error secret"}},
		{
			"a secret in a broken file",
			map[string]string{".sdd/explore/a.md": "---\ntitle: [A\n---\n" + token + "\n"},
			[]string{"explore/a.md:2:1 error broken-front-matter", "explore/a.md:4:1 error secret"},
		},
		{
			"a secret in a huge file",
			map[string]string{".sdd/config.yaml": "limits: {file: 1000}\n", ".sdd/explore/a.md": "# A\n\n" + big[:2000] + "\n" + token + "\n"},
			[]string{"explore/a.md:1:1 warning file-too-large", "explore/a.md:4:1 error secret"},
		},
		{"a secret in config.yaml", map[string]string{".sdd/config.yaml": "project: " + token + "\n"}, []string{"config.yaml:1:10 error secret"}},
		{
			"one record in two files",
			map[string]string{".sdd/explore/a.md": doc("title: Auth\n", good), ".sdd/explore/b.md": doc("title: auth!\n", good), ".sdd/explore/c.md": doc("title: Other\n", good)},
			[]string{"explore/a.md:1:1 error duplicate-identity", "explore/b.md:1:1 error duplicate-identity"},
		},
		{
			"one fact in two files",
			map[string]string{".sdd/facts/fact-0123456789ab-a.md": "A.\n", ".sdd/facts/b.md": doc("id: fact-0123456789ab\n", "B.\n")},
			[]string{"facts/b.md:1:1 error duplicate-identity", "facts/fact-0123456789ab-a.md:1:1 error duplicate-identity"},
		},
		{"scope and folder", map[string]string{
			".sdd/explore/a.md":                        doc("title: A\nscope: personal\n", good),
			".sdd/facts/fact-0123456789ab-a.md":        doc("id: fact-0123456789ab\nscope: Personal\n", "A.\n"),
			".sdd/personal/explore/a.md":               doc("title: B\nscope: project\n", good),
			".sdd/personal/explore/b.md":               doc("title: C\nscope: personal\n", good),
			".sdd/ideas/idea-0123456789ab-x.md":        doc("id: idea-0123456789ab\ncolor: yellow\nscope: local\n", "x\n"),
			".sdd/personal/facts/fact-1123456789ab.md": doc("id: fact-1123456789ab\n", "B.\n"),
		}, []string{
			"explore/a.md:3:1 error scope-and-folder", "facts/fact-0123456789ab-a.md:3:1 error bad-value",
			"facts/fact-0123456789ab-a.md:3:1 error scope-and-folder", "personal/explore/a.md:3:1 error scope-and-folder",
		}},
		{"the same topic of two projects", map[string]string{".sdd/explore/a.md": doc("title: Auth\n", good), ".sdd/explore/b.md": doc("title: Auth\nproject: other\n", good)}, []string{}},
		{"wrong values", map[string]string{
			".sdd/explore/a.md":                 doc("title: A\nscope: team\nrevision: many\ncreated: 20.11.2026\n", good),
			".sdd/ideas/idea-0123456789ab-x.md": doc("id: idea-0123456789ab\ncolor: yellow\nstatus: pending\nagents: ann\n", "x\n"),
			".sdd/facts/fact-0123456789ab-x.md": doc("id: fact-0123456789ab\nlevel: 4\nconfidence: 1.5\nttl:\n  days: 0\n", "x\n"),
		}, []string{
			"explore/a.md:3:1 error bad-value", "explore/a.md:4:1 error bad-value", "explore/a.md:5:1 error bad-value",
			"facts/fact-0123456789ab-x.md:3:1 error bad-value", "facts/fact-0123456789ab-x.md:4:1 error bad-value", "facts/fact-0123456789ab-x.md:5:1 error bad-value",
			"ideas/idea-0123456789ab-x.md:4:1 error bad-value", "ideas/idea-0123456789ab-x.md:5:1 error bad-value",
		}},
		{"candidates", map[string]string{
			".sdd/inbox/a.md":                   doc("status: maybe\n", "Of no kind.\n"),
			".sdd/inbox/fact-0123456789ab-x.md": doc("id: fact-0123456789ab\nlevel: 4\ncreated: soon\nkind: fact\nconfidence: 2\nstatus: approved\n", "x\n"),
			".sdd/inbox/use-jwt.md":             doc("title: Use JWT\ndate: 2026-11-20\nkind: decision\nconfidence: 0.8\nstatus: rejected\nrejected_reason: no\n", "## Decision Outcome\n\nUse JWT\n"),
			".sdd/decisions/use-jwt.md":         doc("title: Use JWT\nstatus: accepted\n", "## Decision Outcome\n\nUse JWT\n"),
		}, []string{
			"inbox/a.md:1:1 error bad-value", "inbox/a.md:2:1 error bad-value",
			"inbox/fact-0123456789ab-x.md:3:1 error bad-value", "inbox/fact-0123456789ab-x.md:4:1 error bad-value", "inbox/fact-0123456789ab-x.md:6:1 error bad-value",
		}},
		{"unknown keys are free", map[string]string{".sdd/explore/a.md": doc("title: A\nowner: ann\nx-y: {a: [1]}\n", good)}, []string{}},
		{
			"sizes",
			map[string]string{".sdd/config.yaml": "limits: {title: 10, section: 100}\n", ".sdd/explore/a.md": doc("title: A title that is long\n", "## Goals\n\n"+big[:200]+"\n")},
			[]string{"explore/a.md:2:1 warning title-too-long", "explore/a.md:5:1 warning section-too-large"},
		},
		{
			"empty records",
			map[string]string{".sdd/explore/a.md": "", ".sdd/explore/b.md": doc("title: B\n", "# B\n\n## Goals\n")},
			[]string{"explore/a.md:1:1 warning empty-record", "explore/b.md:1:1 warning empty-record"},
		},
		{"sections of one name", map[string]string{".sdd/explore/a.md": doc("title: A\n", "## Goals\n\n- a\n\n## goals\n\n- b\n")}, []string{"explore/a.md:9:1 warning duplicate-section"}},
		{
			"names",
			map[string]string{
				".sdd/explore/Auth.md": doc("title: A\n", good), ".sdd/explore/auth.md": doc("title: B\n", good),
				".sdd/explore/café.md": doc("title: C\n", good), ".sdd/explore/cafe\u0301.md": doc("title: D\n", good),
				".sdd/explore/nul.md": doc("title: E\n", good), ".sdd/explore/a:b.md": doc("title: F\n", good), ".sdd/explore/x./y.md": doc("title: G\n", good),
			},
			[]string{
				"explore/Auth.md:1:1 warning name-collision", "explore/a:b.md:1:1 warning unportable-name", "explore/auth.md:1:1 warning name-collision",
				"explore/cafe\u0301.md:1:1 warning name-collision", "explore/café.md:1:1 warning name-collision", "explore/nul.md:1:1 warning unportable-name", "explore/x./y.md:1:1 warning unportable-name",
			},
		},
		{"dead references", map[string]string{
			".sdd/decisions/a.md":               doc("title: A\nsupersedes: decision/gone\ndepends_on:\n  - decision/b\n  - Nobody knows\nrelates_to: https://x.dev/adr\n", "## Decision Outcome\n\nA.\n"),
			".sdd/decisions/b.md":               doc("title: B\n", "## Decision Outcome\n\nB.\n"),
			".sdd/ideas/idea-0123456789ab-x.md": doc("id: idea-0123456789ab\nparent: idea-ffffffffffff\nsuperseded_by: SHOP-1\n", "x\n"),
		}, []string{"decisions/a.md:3:1 warning dead-reference", "decisions/a.md:4:1 warning dead-reference", "ideas/idea-0123456789ab-x.md:3:1 warning dead-reference"}},
		{"dead links", map[string]string{
			".sdd/explore/a.md": doc("title: A\n", `## Goals

[gone](gone.md), [ok](b.md "title"), [ok](<b.md>), ![image](../../img/none.png) and [far](../../../../etc/passwd).
[lines](../../src/a.go#L4), [lines](../../src/a.go#L3-L2), [ok](../../src/a.go#L3), [ok](../../src/#x), [ok](/src/a.go), [gone](/src/b.go).
<sdd://explore/gone>, sdd://explore/b#Goals, sdd://decision/none. [x](sdd://fact/fact-ffffffffffff)
[web](https://x.dev/a), [mail](mailto:a@b.c), [top](#goals), [](), [tpl]({{ url }}), [esc](b%2Emd), [par](b.md#a(b))

[def]: none.md
[^1]: not a link
[ok2]: b.md 'title'

- item
  [in a list](gone2.md)

      [code in a list](gone.md)

  [still in the list](gone5.md)

`+"`[code](gone.md)` and ``[`code`](gone.md)`` and \\[no](gone.md) and `open [yes](gone3.md)\n\n```\n[fenced](gone.md)\n```\n\n    [indented](gone.md)\n\n<!-- [comment](gone.md)\n\n[comment](gone.md) -->\n\n> ~~~\n> [quoted fence](gone.md)\n> ~~~\n> [quoted](gone4.md)\n"),
			".sdd/explore/b.md":          "# B\n\n[p](../personal/explore/p.md)\n",
			".sdd/personal/explore/p.md": "# P\n\n[b](../../explore/b.md)\n",
			"src/a.go":                   "1\n2\n3\n",
		}, []string{
			"explore/a.md:7:8 warning dead-link", "explore/a.md:7:61 warning dead-link", "explore/a.md:7:91 warning dead-link",
			"explore/a.md:8:9 warning dead-link", "explore/a.md:8:37 warning dead-link", "explore/a.md:8:129 warning dead-link",
			"explore/a.md:9:2 warning dead-link", "explore/a.md:9:46 warning dead-link", "explore/a.md:9:71 warning dead-link",
			"explore/a.md:12:8 warning dead-link", "explore/a.md:17:15 warning dead-link", "explore/a.md:21:23 warning dead-link",
			"explore/a.md:23:80 warning dead-link", "explore/a.md:38:12 warning dead-link",
			"explore/b.md:3:5 warning dead-link",
		}},
		{"code that is not there", map[string]string{
			".sdd/facts/fact-000000000001-a.md": doc("code_ref: src/none.go#L1\n", "a\n"),
			".sdd/facts/fact-000000000002-b.md": doc("code_ref: src/a.go#L10-L50\n", "b\n"),
			".sdd/facts/fact-000000000003-c.md": doc("code_ref: src/a.go#L1-L2\n", "c\n"),
			".sdd/facts/fact-000000000004-d.md": doc("code_ref: https://x.dev/a.go\n", "d\n"),
			".sdd/facts/fact-000000000005-e.md": doc("code_ref: Refresh\n", "e\n"),
			".sdd/facts/fact-000000000006-f.md": doc("code_ref: ../../x.go\n", "f\n"),
			"src/a.go":                          "1\n2\n",
		}, []string{"facts/fact-000000000001-a.md:2:1 warning anchor-gone", "facts/fact-000000000002-b.md:2:1 warning anchor-gone", "facts/fact-000000000006-f.md:2:1 warning anchor-gone"}},
		{"absolute paths", map[string]string{
			".sdd/explore/a.md":                 doc("title: A\n", "[x](ROOT/src/a.go#L1) [y](file://ROOT/src/a.go) [z](C:/src/a.go) [h](~/a.go) `[c](ROOT/src/a.go)`\n"),
			".sdd/facts/fact-000000000001-a.md": doc("code_ref: ROOT/src/a.go#L1\n", "a\n"),
			"src/a.go":                          "1\n",
		}, []string{
			"explore/a.md:5:5 warning absolute-path", "", "", "", "facts/fact-000000000001-a.md:2:1 warning absolute-path",
		}},
		{
			"config.yaml",
			map[string]string{".sdd/config.yaml": "projct: x\nlimits:\n  titel: 5\n  section: none\npipeline: openspek\nbudgets:\n  search: 5\nsecrets:\n  allow:\n    - nope\nembeddings: {url: 'http://x'}\n"},
			[]string{
				"config.yaml:1:1 warning unknown-config-key", "config.yaml:3:1 warning unknown-config-key", "config.yaml:4:1 error broken-config", "config.yaml:5:1 error broken-config",
				"config.yaml:7:1 error broken-config", "config.yaml:9:1 error broken-config", "config.yaml:11:1 error broken-config",
			},
		},
		{"broken config.yaml", map[string]string{".sdd/config.yaml": "project: [x\n"}, []string{"config.yaml:1:1 error broken-config"}},
		{"config.yaml past what the schema says", map[string]string{".sdd/config.yaml": "limits:\n  file: 99999999999\n"}, []string{"config.yaml:2:1 error broken-config"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, dir := checkStore(t, tt.files, Options{})
			got := shortened(r)
			for i, w := range tt.want {
				if w == "" && i < len(got) {
					got[i] = "" // its column depends on the folder
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%s", diff, r.Text())
			}
			for _, f := range r.Findings {
				if f.Message == "" || len(f.Fingerprint) != 12 || severityOf(f.Rule) == "" {
					t.Errorf("finding %+v", f)
				}
				if all := f.Message + f.Fix; strings.Contains(all, token) {
					t.Errorf("a secret is shown: %s", all)
				}
			}
			if again, err := checkDir(t, dir, Options{WorkDir: dir}); err != nil || cmp.Diff(r.Findings, again.Findings) != "" {
				t.Errorf("a second check differs: %v", err)
			}
		})
	}
}

func TestCheckLimitsToPaths(t *testing.T) {
	files := map[string]string{
		".sdd/explore/a.md": doc("title: A\nscope: x\n", good), ".sdd/explore/sub/b.md": doc("title: B\nscope: x\n", good),
		".sdd/facts/fact-000000000001-c.md": doc("level: 9\n", "c\n"), "src/a.go": "x\n", ".sdd/config.yaml": "x: 1\n",
	}
	_, dir := checkStore(t, files, Options{})
	for _, tt := range []struct {
		paths []string
		work  string
		want  int
	}{
		{nil, "", 4},
		{[]string{"."}, "", 4},
		{[]string{".sdd"}, "", 4},
		{[]string{".sdd/explore"}, "", 2},
		{[]string{".sdd/explore/"}, "", 2},
		{[]string{"explore/a.md"}, "", 1},
		{[]string{dir + "/.sdd/facts"}, "", 1},
		{[]string{"a.md"}, ".sdd/explore", 1},
		{[]string{"."}, ".sdd/explore/sub", 1},
		{[]string{"../.sdd/facts", "../.sdd/explore/a.md"}, "src", 2},
		{[]string{"src/a.go"}, "", 0},
		{[]string{".sdd/config.yaml"}, "", 1},
	} {
		r, err := checkDir(t, dir, Options{Paths: tt.paths, WorkDir: filepath.Join(dir, tt.work)})
		if err != nil || len(r.Findings) != tt.want {
			t.Errorf("%q in %q: %d findings, want %d (%v)", tt.paths, tt.work, len(r.Findings), tt.want, err)
		}
	}
	if _, err := checkDir(t, dir, Options{Paths: []string{"none.md"}, WorkDir: dir}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a path that does not exist gave %v", err)
	}
}

func TestCheckWithoutStore(t *testing.T) {
	r, err := checkDir(t, t.TempDir(), Options{})
	if err != nil || r.Checked != 0 || r.Findings == nil || r.Fixed == nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestCheckAllowsByFingerprint(t *testing.T) {
	files := map[string]string{".sdd/explore/a.md": doc("title: A\nscope: "+token+"\n", "key "+token+"\n")}
	r, dir := checkStore(t, files, Options{})
	var fp string
	for _, f := range r.Findings {
		if f.Rule == ruleSecret {
			fp = f.Fingerprint
		}
		if strings.Contains(f.Message, token) {
			t.Errorf("%s shows the secret: %s", f.Rule, f.Message)
		}
	}
	if len(r.Findings) != 3 || fp == "" || !strings.Contains(r.Text(), fp) {
		t.Fatalf("got %s", r.Text())
	}
	if err := os.WriteFile(filepath.Join(dir, ".sdd/config.yaml"), []byte("secrets:\n  allow: ["+fp+"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := checkDir(t, dir, Options{}); err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != ruleValue {
		t.Errorf("with the fingerprint allowed: %s %v", r.Text(), err)
	}
}

// benchStore makes a store of 10,000 records of 2 KB.
func benchStore(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	corpus := indextest.New(5000)
	if err := os.MkdirAll(filepath.Join(dir, ".sdd", "explore"), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 10000 {
		if err := os.WriteFile(filepath.Join(dir, ".sdd", indextest.Path(i)), corpus.Text(i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func TestCheckOddConfig(t *testing.T) {
	_, dir := checkStore(t, nil, Options{})
	if err := os.Mkdir(filepath.Join(dir, ".sdd", "config.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := checkDir(t, dir, Options{})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != ruleConfig {
		t.Errorf("%s %v", r.Text(), err)
	}
}

// BenchmarkCheck checks 10,000 records, read anew each time.
func BenchmarkCheck(b *testing.B) {
	dir := benchStore(b)
	for b.Loop() {
		if r, err := checkDir(b, dir, Options{}); err != nil || r.Checked != 10000 {
			b.Fatalf("%d checked, %v", r.Checked, err)
		}
	}
}
