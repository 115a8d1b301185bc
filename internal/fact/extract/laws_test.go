package extract_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sdd/internal/fact/extract"
	"sdd/internal/secrets"
)

// checkLaws looks at what holds of every candidate, whatever the commits say.
func checkLaws(t *testing.T, r extract.Result) {
	t.Helper()
	keys := map[string]bool{}
	line := func(what, s string, most int) {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) }) {
			t.Errorf("%s is no plain line: %q", what, s)
		}
		if n := utf8.RuneCountInString(s); n > most {
			t.Errorf("%s has %d characters: %q", what, n, s)
		}
	}
	for _, c := range r.Candidates {
		line("content", c.Content, 300)
		line("key", c.Key, 4000)
		line("domain", c.Domain, 4000)
		line("module", c.Module, 4000)
		switch {
		case c.Kind != extract.Fact && c.Kind != extract.Decision, c.Content == "", c.Signal == "", c.Key == "", len(c.Evidence) == 0:
			t.Errorf("incomplete: %+v", c)
		case c.Confidence < 0.5 || c.Confidence > 1, c.Level < 0 || c.Level > 2, c.Level == 1 && c.Domain == "", c.Level == 2 && c.Module == "":
			t.Errorf("out of range: %+v", c)
		case keys[c.Key]:
			t.Errorf("two candidates have the key %q", c.Key)
		case len(secrets.Scan([]byte(c.Content))) > 0:
			t.Errorf("a secret in %q", c.Content)
		}
		keys[c.Key] = true
		for _, e := range c.Evidence {
			line("evidence", e.Text, 200)
			line("path", e.Path, 8000)
		}
		for _, p := range [][]string{c.Reasons, c.Alternatives, c.Consequences, c.Constraints, c.Assumptions} {
			for _, s := range p {
				line("part", s, 300)
			}
		}
	}
	for _, s := range r.Skipped {
		line("skipped", s.Why, 400)
		line("skipped path", s.Path, 8000)
	}
}

// names has a file name for every reader.
var names = strings.Fields(`go.mod a/package.json b/pyproject.toml requirements.txt Pipfile setup.cfg Cargo.toml pom.xml build.gradle build.gradle.kts a.csproj Directory.Packages.props
	gradle/libs.versions.toml Gemfile x.gemspec composer.json pubspec.yaml mix.exs .nvmrc .tool-versions rust-toolchain.toml global.json gradle/wrapper/gradle-wrapper.properties LICENSE Makefile
	Taskfile.yml justfile Rakefile .github/workflows/a.yml .gitlab-ci.yml Jenkinsfile .circleci/config.yml Dockerfile compose.yaml .env.example config/a.yaml config/a.json config/a.toml
	app.properties tsconfig.json eslint.config.js main.tf doc/adr/0001-a.md .gitmodules db/schema.sql migrations/001_a.sql db/migrate/1_a.rb app/migrations/0001_a.py migrations/versions/a.py
	database/migrations/a.php migrations/a.ts Migrations/A.cs priv/repo/migrations/a.exs a.proto a.graphql a.prisma openapi.yaml src/a.ts src/a.js src/a.go src/a.py app/urls.py src/a.rs src/A.java
	src/A.kt src/A.cs src/a.php config/routes.rb src/a.rb lib/router.ex src/a.dart src/a.swift src/a.cc app/api/x/route.ts scripts/a.sh`)

// commitOf takes every file from one pair of texts.
func commitOf(before, after []byte, message string) extract.Commit {
	c := extract.Commit{ID: "c", Parents: 1, Message: message, Paths: len(names), Touched: names}
	c.Had = func(string) bool { return false }
	c.Has = func(dir string) bool { return len(dir)%2 == 0 }
	for _, n := range names {
		c.Files = append(c.Files, extract.File{Path: n, Before: before, After: after, New: before == nil, Gone: after == nil})
	}
	return c
}

func FuzzAnalyse(f *testing.F) {
	for i, seed := range corpus(f) {
		if i%12 != 0 {
			continue
		}
		f.Add([]byte(seed), []byte(strings.ToUpper(seed)), seed)
	}
	f.Fuzz(func(t *testing.T, before, after []byte, message string) {
		if len(before)+len(after) > 4<<10 {
			return
		}
		checkLaws(t, extract.Analyse([]extract.Commit{commitOf(before, after, message), commitOf(nil, before, ""), commitOf(after, nil, "")}, nil))
	})
}

// corpus returns the files of the labelled commits, both versions at once.
func corpus(t testing.TB) (out []string) {
	files, err := filepath.Glob("extracteval/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no labelled commits")
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(src), "\n--- ")[1:] {
			_, text, _ := strings.Cut(part, "\n")
			var b strings.Builder
			for l := range strings.Lines(text) {
				if strings.HasPrefix(l, "=== ") {
					break
				}
				b.WriteString(l[min(1, len(l)):])
			}
			out = append(out, b.String())
		}
	}
	return out
}

// TestDamagedFiles takes the files of the corpus apart at random: no reader may break.
func TestDamagedFiles(t *testing.T) {
	all := corpus(t)
	r := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		text := []byte(all[r.IntN(len(all))] + all[r.IntN(len(all))])
		before := append([]byte{}, text...)
		for range 1 + r.IntN(12) {
			i := r.IntN(len(text))
			switch r.IntN(4) {
			case 0:
				text[i] = byte(r.IntN(256))
			case 1:
				text = append(text[:i], text[min(len(text), i+r.IntN(30)):]...)
			case 2:
				text = append(text[:i], append([]byte("\x1b[31m\u202e<script>\x00\n```\n## "), text[i:]...)...)
			default:
				text = append(text[:i], append([]byte(all[r.IntN(len(all))]), text[i:]...)...)
			}
			if len(text) == 0 {
				text = []byte("x")
			}
		}
		checkLaws(t, extract.Analyse([]extract.Commit{commitOf(before, text, string(text))}, nil))
	}
}

// TestLinear makes files on which a reader that looks twice at everything would not come to an end.
func TestLinear(t *testing.T) {
	for name, unit := range map[string]string{"braces": "{", "parens": "(", "calls": "app.get(", "quotes": `"`, "creates": "CREATE TABLE a (", "alters": "ALTER TABLE a ADD b int,", "models": "migrations.AddField((((",
		"tables": "create_table :a do |t|\n", "messages": "message A {", "keys": "a:\n ", "dashes": "- ", "slashes": "/*", "words": "export ", "hashes": "#[arg(long", "arrows": ".route(\"/x\", get(h)).get("} {
		t.Run(name, func(t *testing.T) {
			text := []byte(strings.Repeat(unit, 15_000/len(unit)))
			checkLaws(t, extract.Analyse([]extract.Commit{commitOf([]byte("x"), text, "")}, nil))
		})
	}
}
