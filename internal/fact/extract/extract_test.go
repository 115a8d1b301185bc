package extract_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sdd/internal/fact/extract"
	"sdd/internal/git"
	_ "sdd/internal/longtest"
	"sdd/internal/secrets"
)

// repo is a repository that tests make commits in.
type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	r := &repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files ("" removes one) and commits everything.
func (r *repo) commit(message string, files ...string) string {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(r.dir, filepath.FromSlash(files[i]))
		if files[i+1] == "" {
			if err := os.Remove(name); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o666); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) open() *git.Repo {
	r.t.Helper()
	g, err := git.Open(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

func (r *repo) all() []extract.Candidate {
	r.t.Helper()
	got, err := extract.From(context.Background(), r.open(), nil, "HEAD")
	if err != nil {
		r.t.Fatal(err)
	}
	checkLaws(r.t, got)
	return got
}

// lines are candidates a line each: what sort, whether sure, and the words.
func lines(list []extract.Candidate) string {
	var all []string
	for _, c := range list {
		mark := "? "
		if c.Confidence >= extract.Sure {
			mark = "! "
		}
		all = append(all, mark+c.Signal+" | "+c.Content)
	}
	return strings.Join(all, "\n")
}

func want(t *testing.T, list []extract.Candidate, want ...string) {
	t.Helper()
	if got := lines(list); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// checkLaws looks at what holds of every candidate, whatever is in the commits.
func checkLaws(t testing.TB, list []extract.Candidate) {
	t.Helper()
	for _, c := range list {
		texts := append([]string{c.Content, c.Domain, c.Key, c.CodeRef}, slices.Concat(c.Reasons, c.Alternatives)...)
		for _, e := range c.Evidence {
			texts = append(texts, e.Path, e.Text)
		}
		for _, s := range texts {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) || len(secrets.Scan([]byte(s))) > 0 {
				t.Errorf("no plain line, or a secret: %q", s)
			}
		}
		if n := utf8.RuneCountInString(c.Content); n < 8 || n > 300 || len(c.Evidence) == 0 || c.Signal == "" || c.Confidence < .5 || c.Confidence > 1 || c.Confidence >= extract.Sure && c.CodeRef == "" {
			t.Errorf("%+v", c)
		}
	}
}

const program = "package main\n\nfunc main() {}\n"

// TestWords: the candidates of one message, with the file that it changes.
func TestWords(t *testing.T) {
	for _, tt := range []struct{ message, file, want string }{
		{"feat(export): add a CSV writer (#12)", "export/csv.go", "feature | export: add a CSV writer"},
		{"fix: keep the cursor after a search", "ui/search.ts", "fix | keep the cursor after a search"},
		{"mailer: retry when the server is busy", "mailer/send.go", "change | mailer: retry when the server is busy"},
		{"Allow more than one sender (fixes #7)", "mailer/send.go", "feature | Allow more than one sender"},
		{"Allow more than one sender. Closes #7 (#8)", "mailer/send.go", "feature | Allow more than one sender."},
		{"ABC-123: Show the balance in the account's currency", "bank/view.py", "change | Show the balance in the account's currency"},
		{"Fixes #981\n\nThe list of invoices was empty on the first of January.\n\nMore.", "bank/view.py", ""},
		{"feat(api)!: answer with a list", "api/list.go", "breaking | Breaking change: api: answer with a list"},
		{"Answer with a list\n\nBREAKING CHANGE: the reply of /bills is an array\nfrom now on.", "api/list.go", "breaking | Breaking change: the reply of /bills is an array from now on."},
		{"Deprecate the XML reply", "api/list.go", "deprecation | Deprecate the XML reply"},
		{"Use SQLite instead of Postgres because one file is enough", "store/db.go", "decision | Use SQLite instead of Postgres because one file is enough"},
		{"Rework the sheet\n\n```release-note\n[FEATURE] Sheets can be printed. #12\n```", "sheet/print.go", "feature | Sheets can be printed."},
		{"Rework the sheet again\n\n```release-notes\nNONE\n```", "sheet/print.go", ""},
		{"Merged PR 44: Print several sheets", "sheet/print.go", "change | Print several sheets"},

		{"build(deps): bump a/b from 1.2 to 1.3", "go.mod", ""},
		{"Update the compiler to version 1.30", "build/x.go", ""},
		{"chore: tidy", "a.go", ""},
		{"refactor(api): one loop less", "api/list.go", ""},
		{"Move the parser into a package of its own", "parse/parse.go", ""},
		{"Rename a helper", "parse/parse.go", ""},
		{"Fix a flaky test", "parse/parse.go", ""},
		{"Add some Parse() tests", "parse/parse.go", ""},
		{"Add a flag to skip tests", "parse/parse.go", "feature | Add a flag to skip tests"},
		{"fix(ci): cache the modules", "parse/parse.go", ""},
		{"Fix typo in a message", "parse/parse.go", ""},
		{"Add a case with two commas", "parse/parse_test.go", ""},
		{"Say how to install", "README.md", ""},
		{"Check the licences", ".github/workflows/licence.yml", ""},
		{"Release 1.4.0", "version.go", ""},
		{"v2.1.0-rc.1", "version.go", ""},
		{"Merge branch 'main' into feature", "a.go", ""},
		{"wip", "a.go", ""},
		{"Improve the docs of the parser", "parse/parse.go", ""},
		{"Document what a page returns", "parse/parse.go", ""},
		{"Skip a case on the newest interpreter", "Gemfile", ""},
		{"We did not decide to use Redis. WIP", "a.go", ""},

		{"Decision: keep the sheets in one file\n\nThat is simple since one person edits them.", "sheet/a.go", "decision | Keep the sheets in one file"},
		{"Open sheets faster\n\nWe decided to read a sheet once because the disk is slow.", "sheet/a.go",
			"change | Open sheets faster\ndecision | Read a sheet once"},
		{"refactor: open sheets\n\nIt was decided to read a sheet once. We will see.", "sheet/a.go", "decision | Read a sheet once"},
		{"Open sheets\n\nWe have not decided to read a sheet once.", "sheet/a.go", "change | Open sheets"},
	} {
		c := extract.Told(git.Revision{ID: "c", Message: tt.message, Files: []git.Change{{Status: git.Modified, Path: tt.file}}})
		if got := strings.ReplaceAll(lines(c), "? ", ""); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.message, got, tt.want)
		}
		checkLaws(t, c)
	}
	c := extract.Told(git.Revision{ID: "c", Message: "Use SQLite instead of Postgres because one file is enough", Files: []git.Change{{Path: "store/db.go"}}})[0]
	for message, want := range map[string]float64{
		"Allow more than one sender": 0.7, "Always retry when the server is busy": 0.7, "Retry when the server is busy": 0.5,
		"fix: never lose the cursor": 0.5, "Add a mailer": 0.5, "Add missing sender of mails": 0.5,
		"Rework\n\n```release-note\n[FEATURE] Sheets can be printed. #12\n```": 0.8, "Rework\n\n```release-note\n[BUGFIX] Sheets lost their frame. #12\n```": 0.5,
	} {
		c := extract.Told(git.Revision{ID: "c", Message: message, Files: []git.Change{{Path: "store/db.go"}}})
		if len(c) != 1 || c[0].Confidence != want {
			t.Errorf("%q: %+v, want confidence %v", message, c, want)
		}
	}
	for message, reason := range map[string]string{
		"Decision: keep the sheets\n\nNotes.\n\nOne person edits them, since June.": "One person edits them, since June",
		"Open sheets\n\nWe decided to read once because the disk is slow.":          "the disk is slow",
	} {
		c := extract.Told(git.Revision{ID: "c", Message: message})
		if last := c[len(c)-1]; last.Kind != extract.Decision || !slices.Equal(last.Reasons, []string{reason}) {
			t.Errorf("%q: %+v", message, last)
		}
	}
	if c.Kind != extract.Decision || !slices.Equal(c.Reasons, []string{"one file is enough"}) || !slices.Equal(c.Alternatives, []string{"Postgres"}) || c.Domain != "store" || c.Evidence[1].Path != "store/db.go" {
		t.Errorf("%+v", c)
	}
}

// TestChangelogLines: the candidate of a commit is what it adds to the changelog beside its work, in those words.
func TestChangelogLines(t *testing.T) {
	r := newRepo(t)
	r.commit("Start", "CHANGELOG.md", "# Changes\n\n- It begins.\n", "a.go", program)
	r.commit("chore: loosen a check", "CHANGELOG.md", "# Changes\n\n- Bills may have a negative sum, which\n  makes them credits. [#8](https://example.com/8)\n- It begins.\n", "a.go", program+"// 1\n")
	r.commit("Print on both sides", "changelog/unreleased/pull-9", "Enhancement: Sheets are printed on both sides\n\nThis saves paper.\n", "b.go", program)
	r.commit("Release 2.0", "CHANGELOG.md", "# Changes\n\n## 2.0\n\n- Bills may have a negative sum.\n- It begins.\n- More.\n", "a.go", program)
	want(t, r.all(), "? change | Enhancement: Sheets are printed on both sides", "? change | Bills may have a negative sum, which makes them credits.")
}

// TestPullRequests: a merge with the title of a pull request is one candidate; of other merges the commits are.
func TestPullRequests(t *testing.T) {
	r := newRepo(t)
	r.commit("Start", "a.txt", "a")
	branch := func(name, merge string, messages ...string) {
		r.git("checkout", "-q", "-b", name)
		for _, m := range messages {
			r.commit(m, name+".go", program+"// "+m+"\n")
		}
		r.git("checkout", "-q", "main")
		r.commit("docs: a word", "a.txt", name)
		r.git("merge", "-q", "--no-ff", "-m", merge, name)
	}
	branch("one", "Merge pull request #3 from me/one\n\nAdd a second ledger", "Add a ledger", "Make it work")
	branch("two", "Merge branch 'two'", "Add a third ledger", "Sum up all ledgers")
	branch("three", "Merge branch 'three' into 'main'\n\nPrint ledgers\n\nSee merge request group/shop!4", "Try", "Try again")
	got := r.all()
	want(t, got, "? change | Print ledgers", "? change | Sum up all ledgers", "? feature | Add a third ledger", "? feature | Add a second ledger")
	if c := got[0]; c.Evidence[0].Commit != r.git("rev-parse", "HEAD") || c.Evidence[1].Path != "three.go" {
		t.Errorf("%+v", c)
	}
	all, err := r.open().Revisions(t.Context(), 4, "HEAD")
	if units := extract.Units(all); err != nil || len(units) != 2 || units[0].ID != all[0].ID {
		t.Errorf("%v %v of %v", units, err, all)
	}
}

func goFlags(lines ...string) string {
	return "package main\n\nfunc main() {\n\t" + strings.Join(lines, "\n\t") + "\n}\n"
}

// TestShownByTheTree: only what the tree that is checked out has is sure, and what it has no more is no candidate.
func TestShownByTheTree(t *testing.T) {
	r := newRepo(t)
	force, dry := `flag.Bool("force", false, "Overwrite what is there")`, `flag.Bool("dry-run", false, "Say what would be done")`
	r.commit("Start", "cmd/x/main.go", goFlags(force))
	r.commit("Be careful", "cmd/x/main.go", goFlags(force, dry, `os.Getenv("LEDGER_HOME")`))
	r.commit("Add `--depth` to the walk", "cmd/x/main.go", goFlags(force, dry, `os.Getenv("LEDGER_HOME")`, `flag.Int("depth", 1, "Levels to walk")`))
	r.commit("Add --old to the walk", "cmd/x/main.go", goFlags(dry, `os.Getenv("LEDGER_HOME")`, `flag.Int("depth", 1, "Levels to walk")`, `flag.Bool("old", false, "Old ones too")`))
	r.commit("Answer on /bills", "api/serve.go", "package api\n\nfunc init() { mux.HandleFunc(\"GET /bills\", bills) }\n")
	r.commit("Walk less", "cmd/x/main.go", goFlags(dry, `os.Getenv("LEDGER_HOME")`, `flag.Int("depth", 1, "Levels to walk")`))
	r.commit("refactor: move the flags", "cmd/x/main.go", goFlags(`os.Getenv("LEDGER_HOME")`), "cmd/x/flags.go", goFlags(dry, `flag.Int("depth", 1, "Levels to walk")`))
	r.commit("Remove --depth", "b.go", program)
	r.commit("test: more", "cmd/x/main_test.go", goFlags(`flag.Bool("only-tests", false, "")`))
	got := r.all()
	want(t, got,
		"? change | Walk less",
		"? change | Answer on /bills", "! route | The route `GET /bills` is registered (api/serve.go).",
		"! feature | Add `--depth` to the walk",
		"? change | Be careful", "! option | Command-line option `--dry-run` (cmd/x/flags.go): Say what would be done.", "! env | The environment variable `LEDGER_HOME` is read (cmd/x/main.go).")
	if c := got[3]; c.Key != "option:depth" || c.CodeRef != "cmd/x/flags.go#L5" {
		t.Errorf("%+v", c)
	}
	missing, err := extract.Missing(t.Context(), r.open(), map[string]string{"option:depth": "cmd/x/main.go", "option:force": "cmd/x/main.go", "route:GET /bills": "api/serve.go", "route:GET /bill": "api/serve.go", "field:Bill.paid": "bill.proto"})
	if err != nil || len(missing) != 2 || !missing["option:force"] || !missing["route:GET /bill"] {
		t.Errorf("%v %v", missing, err)
	}
}

// TestDeclarations: what declares an item in each language, and what only looks so.
func TestDeclarations(t *testing.T) {
	for file, code := range map[string][]string{
		"a.go":                {`+fs.StringVar(&x, "name", "", "The name of it")`, `+cmd.Flags().BoolP("quiet", "q", false, "say nothing at all")`, `+kingpin.Flag("depth.max", "Levels to walk").Int()`, `+r.Get("/bills/{id}", show)`, `+os.LookupEnv("SHOP_HOME")`, `-os.Getenv("HOME")`, `-// os.Getenv("OLD_HOME")`, `-list.Get("/x")`, `-fmt.Println("--no")`},
		"a.py":                {`+p.add_argument("-v", "--verbose", help="Say more of it")`, `+@click.option("--dry-run", is_flag=True)`, `+x = os.environ.get("SHOP_HOME")`, `+@app.get("/bills")`, `-os.environ["SHOP_SET"] = "1"`, `-client.get("/bills/2")`},
		"a.ts":                {`+program.option('-o, --out <file>', 'Where it is written')`, `+const a = process.env.SHOP_HOME === '1'`, `+app.post('/bills', add)`, `-process.env.SHOP_SET = '1'`, `-process.env.SHOP_ELSE ??= '1'`, `-axios.get('/bills/3')`},
		"a.rs":                {`+    #[arg(long = "out-dir")]`, `+env::var("SHOP_HOME")`},
		"A.java":              {`+@GetMapping("/bills")`, `+System.getenv("SHOP_HOME")`},
		"a.rb":                {`+ENV.fetch("SHOP_HOME")`, `-ENV["SHOP_SET"] = "1"`},
		"a_test.go":           {`-fs.StringVar(&x, "name", "", "The name of it")`},
		"__benchmarks__/a.js": {`-process.env.ROUNDS`},
		"index.test-d.ts":     {`-program.option('-o, --out <file>', 'Where it is written')`},
		"demo/a.js":           {`-program.option('-o, --out <file>', 'Where it is written')`},
		"latest-d.ts":         {`+program.option('-o, --out <file>', 'Where it is written')`},
	} {
		for _, l := range code {
			r := newRepo(t)
			r.commit("Start", "x.txt", "x")
			r.commit("chore: x", file, l[1:]+"\n")
			if got := r.all(); len(got) != map[bool]int{true: 1}[l[0] == '+'] {
				t.Errorf("%s %s: %s", file, l, lines(got))
			}
		}
	}
}

// TestComments: what stands in a comment or in a documentation string declares nothing; what is code beside one does.
func TestComments(t *testing.T) {
	for file, code := range map[string]string{
		"a.py": "\"\"\"Doc.\n\n    @app.route(\"/old\")\n    os.environ[\"OLD_A\"]\n\"\"\"\nx = 1  # os.getenv(\"OLD_B\")\n# os.getenv(\"OLD_C\")\n" +
			"class A:\n    r'''Reads\n    os.getenv(\"OLD_D\").'''\n    @app.route(\"/new/a\")\n    def f(self):\n        'os.getenv(\"OLD_E\")'\n        return f(\"\"\"x\"\"\", os.getenv(\"NEW_A\"))\n",
		"a.js":   "/**\n * Answers:\n *\n *     app.get('/old', f)\n */\n/* process.env.OLD_A */\napp.get(\"/new/*/a\", process.env.NEW_A) // process.env.OLD_B\nx(`/* ${process.env.NEW_B} */`)\n",
		"a.tsx":  "const a = <p>{process.env.NEW_A}\n{/* process.env.OLD_A */}</p>\n",
		"a.rs":   "//! env::var(\"OLD_A\")\n/* /* x */\nenv::var(\"OLD_B\") */\n/// env::var(\"OLD_C\")\nfn f() { env::var(\"NEW_A\") } // env::var(\"OLD_D\")\n",
		"a.go":   "package a\n\n/*\nf reads\nos.Getenv(\"OLD_A\")\n*/\nfunc f() { g(\"//\", os.Getenv(\"NEW_A\")) } // os.Getenv(\"OLD_B\")\n",
		"A.java": "/**\r\n * System.getenv(\"OLD_A\")\r\n */\r\nclass A { String s = System.getenv(\"NEW_A\"); }\r\n",
		"a.rb":   "=begin\nENV[\"OLD_A\"]\n=end\nx = ENV[\"NEW_A\"] # ENV[\"OLD_B\"]\n",
	} {
		r := newRepo(t)
		r.commit("Start", "x.txt", "x")
		r.commit("chore: x", file, code)
		got := lines(r.all())
		if low := strings.ToLower(got); strings.Contains(low, "old") || strings.Count(low, "new") != strings.Count(strings.ToLower(code), "new") {
			t.Errorf("%s:\n%s\ntold\n%s", file, code, got)
		}
	}
}

// TestHelpIsWhole: the help of an option is given when it is one literal, whatever quotes are in it; a part of it
// is not.
func TestHelpIsWhole(t *testing.T) {
	for code, want := range map[string]string{
		`a.go fs.StringVar(&x, "name", "", "set the \"name\" of \"it\" first")`:       `: set the "name" of "it" first.`,
		`a.go fs.StringVar(&x, "name", "", prefix+" name "+usage+" (default: none)")`: ".",
		`a.go fs.StringVar(&x, "name", "", "the name of "+what)`:                      ".",
		`a.py p.add_argument("--name", help="don't say the name")`:                    ": don't say the name.",
		`a.py p.add_argument("--name", help="the first half " "and the other")`:       ".",
		`a.py p.add_argument('--name', type=str, help='the "name" of it')`:            `: the "name" of it.`,
		`a.ts program.option('--name <x>', "the shop's name")`:                        `: the shop's name.`,
	} {
		file, line, _ := strings.Cut(code, " ")
		r := newRepo(t)
		r.commit("Start", "x.txt", "x")
		r.commit("chore: x", file, line+"\n")
		if got := lines(r.all()); !strings.Contains(got, "Command-line option `--name`"+want) && !strings.Contains(got, "Command-line option `--name` ("+file+")"+want) {
			t.Errorf("%s\ntold %s, want %s", code, got, want)
		}
	}
}

// TestNewerWins: what was reverted is no candidate, and of two sentences that differ in a version the newer one is.
func TestNewerWins(t *testing.T) {
	r := newRepo(t)
	r.commit("Start", "a.txt", "a")
	r.commit("Require Node 18.2", "a.js", "1")
	r.commit("Send receipts twice", "b.js", "1")
	r.git("-c", "core.editor=true", "revert", "--no-edit", "HEAD")
	r.commit("Require Node 20.1", "a.js", "2")
	want(t, r.all(), "? change | Require Node 20.1")
}

func TestNotCommitted(t *testing.T) {
	r := newRepo(t)
	r.commit("Start", "main.go", goFlags())
	r.commit("x")
	if err := os.WriteFile(filepath.Join(r.dir, "main.go"), []byte(goFlags(`flag.Bool("staged", false, "What is staged")`)), 0o666); err != nil {
		t.Fatal(err)
	}
	r.git("add", "main.go")
	if err := os.WriteFile(filepath.Join(r.dir, "new.go"), []byte(goFlags(`flag.Bool("new", false, "What is new")`)), 0o666); err != nil {
		t.Fatal(err)
	}
	for staged, lines := range map[bool][]string{
		true:  {"? option | Command-line option `--staged` (main.go): What is staged."},
		false: {"? option | Command-line option `--staged` (main.go): What is staged.", "? option | Command-line option `--new` (new.go): What is new."},
	} {
		got, err := extract.Uncommitted(t.Context(), r.open(), staged)
		if err != nil {
			t.Fatal(err)
		}
		want(t, got, lines...)
	}
}

// TestSecretsStayOut: in the words, in the help of an option, in the evidence.
func TestSecretsStayOut(t *testing.T) {
	key := "AKIA" + "Z7QX2LMN4PRS6TUV"
	r := newRepo(t)
	r.commit("Start", "a.txt", "a")
	r.commit("Use "+key+" for uploads", "a.go", program)
	r.commit("Sign uploads", "main.go", goFlags(`flag.String("key", "", "The key, such as `+key+`")`))
	for _, c := range r.all() {
		if strings.Contains(c.Content+c.Evidence[0].Text, key) {
			t.Errorf("%+v", c)
		}
	}
}

// FuzzWords: any message with any file gives plain lines.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"feat(x)!: y z w\n\nBREAKING CHANGE: a\n b\n", "Merge pull request #1 from a/b\n\nTitle here", "a: b\n```release-note\n- c d e\n```", "\x00\xff: [](", "Revert \"x y\"\n\nThis reverts commit 1234567.", "Use a instead of b because c"} {
		f.Add(s, "a/b.go")
	}
	f.Fuzz(func(t *testing.T, message, file string) {
		if file == "" || len(message) > 4096 {
			return
		}
		for _, c := range extract.Told(git.Revision{ID: "c", Parents: []string{"a", "b"}, Message: message, Files: []git.Change{{Path: file}}}) {
			if c.Signal == "" || len(c.Evidence) == 0 {
				t.Errorf("%+v", c)
			}
		}
	})
}
