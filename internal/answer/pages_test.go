package answer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/index"
	"sdd/internal/tokens"
)

const backends = `==========
 Backends
==========

.. A note to writers
   # that nobody reads

Where copies go
===============

Copies can be kept in these places::

    shop --to local

Keys
~~~~

+------+-------+
| Name | Use   |
+======+=======+
| a    | reads |
+------+-------+
`

// TestMarkdownOf: reStructuredText keeps its lines, and its headings, tables and directives become those of Markdown.
func TestMarkdownOf(t *testing.T) {
	got := string(markdownOf([]byte(backends)))
	if strings.Count(got, "\n") != strings.Count(backends, "\n") {
		t.Errorf("the lines moved:\n%s", got)
	}
	for _, want := range []string{"\n# Backends\n", "\n## Where copies go\n", "these places:\n", "\n### Keys\n", "| a    | reads |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "nobody reads") || strings.Contains(got, "===") {
		t.Errorf("tells a comment or a line that was drawn:\n%s", got)
	}
}

// TestCodeOfRestructured: code that a line introduces stays with it, on the lines of the source.
func TestCodeOfRestructured(t *testing.T) {
	for src, want := range map[string]string{
		"To watch: ::\n\n   $ tox -e docs\n\nThen.\n":                         "To watch:\n```\n   $ tox -e docs\n```\nThen.\n",
		".. note:: When using\n    it, release it.\n\n    Later.\n\nThen.\n":  "When using\nit, release it.\n\nLater.\n\nThen.\n",
		".. code-block:: sh\n   :caption: a\n\n   make\n\n   test\n\nThen.\n": "\n\n```\n   make\n\n   test\n```\nThen.\n",
		"- run::\n\n    make\n\n  then\n":                                     "- run:\n```\n    make\n\n  then\n```",
		"#. one\n\n   more\n#. two\n\nThen\n\n#. new\n":                       "1. one\n\n   more\n2. two\n\nThen\n\n1. new\n",
		"Nothing::\n\nfollows.\n":                                             "Nothing:\n\nfollows.\n",
	} {
		if got := string(markdownOf([]byte(src))); got != want {
			t.Errorf("%q\ngives %q\nwant  %q", src, got, want)
		}
	}
}

func TestPageTitle(t *testing.T) {
	for src, want := range map[string]string{
		"---\ntitle: \"Set up\"\n---\n# Other\n":            "Set up",
		"```sh\n# a comment\n```\n\n# Shop [![ci](a)](b)\n": "Shop",
		"text\n": "page", "# \n\n# Shop\n": "Shop", "# Shop ([店](https://x.y))\n": "Shop (店)",
		"---\ndate: 2026\n---\n\n# Shop #\n\n# What follows\n": "Shop",
	} {
		if got := pageTitle("docs/page.md", []byte(src)); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

// TestNewcomer asks a newcomer's questions of a repository without records: each answer begins with what was asked for.
func TestNewcomer(t *testing.T) {
	b := withFacts(t, 0)
	long := strings.Repeat("It is described with many words that say where what is put and why that is so. ", 8)
	list := ""
	for _, name := range strings.Fields("disk tape cloud pigeon") {
		list += "- " + name + ": " + long + "\n"
	}
	rows := strings.Repeat("| E_TOO_SMALL | something that is not what was asked for here |\n", 40)
	for name, text := range map[string]string{
		"go.mod":          "module example.com/shop\n\ngo 1.26\n",
		"package.json":    `{"version": "1.2.0", "scripts": {"test": "vitest", "lint": "eslint"}}`,
		"main.go":         "package main\n\nfunc main() {}\n",
		"LICENSE":         "\n   Apache License\n   Version 2.0\n   http://www.apache.org\n   Terms\n   many terms\n",
		"README.md":       "# Shop [![ci](a)](b)\n\n[![badge](a)](b)\n\n<p align=\"center\"><a href=x>Releases</a> · <a href=y>Docs</a></p>\n\n<p>Shop <b>sells</b> things to people.</p>\n\n<!-- hidden -->\n\n## Backends\n\nIt keeps orders in these places:\n\n" + list,
		"docs/more.md":    "# More\n\n## Running\n\nSome backends are slower than other backends, and backends can be tested with the backends suite.\n\n```\nbackends --test\n```\n",
		"docs/copy.md":    "# Copy\n\n# Where money goes\n\nMoney goes into the vault.\n\n[vault]: https://example.com/money\n",
		"docs/zh/more.md": "# More\n\n## Running\n\nThis copy tells in another language that some backends are slower than other backends.\n",
		"CHANGELOG.md":    "# Changelog\n\n## 1.2.0\n\n- Add pigeons to the backends, and a lighthouse\n\n## 1.1.0\n\n- Add tapes to the backends\n",
		"docs/errors.md": "# Errors\n\n- [Codes](#codes)\n- [E_TOO_LARGE](#a)\n- [E_TOO_SMALL](#b)\n\n## Codes\n\n| Code | Why |\n|---|---|\n" + rows +
			"| E_TOO_LARGE | the parcel is too heavy |\n" + rows,
		"docs/limits.md":                "# Limits\n\n## Parcels\n\nA parcel limit says what one parcel may weigh.\n\nUnless it is set, 30 kg.\n\n## Baskets\n\nA wicker one is used.\n\nThe basket can carry two things.\n",
		"CODE_OF_CONDUCT.md":            "# Conduct\n\nBe kind to backends. Version 2.0 of the covenant.\n",
		".github/ISSUE_TEMPLATE/bug.md": "Which backends are there in your version?\n",
		"docs/template.md":              "# Templates\n\nRender a template with tmpl.\n",
		"sites/www/index.rst":           "Shop\n====\n\nThe pages.\n",
		"sites/www/faq.rst":             "Questions\n=========\n\nWhy `Fabric <https://fabric.org>`_ left\n---------------------------------------\n\nThe weavers of the loom went to :ref:`their guild <guild>`.\n",
		"lib/parts/loom.md":             "# Loom\n\nThe weavers of the loom are parts of a library.\n",
		"docs/weights.md":               "# Weights\n\n**Old.** This page is deprecated.\n\nCrates of the warehouse weigh at most 20 kg, as crates of a warehouse do.\n",
		"docs/queue.md":                 "# Messages\n\nThe messages about orders go through a queue.\n",
		"docs/prices.md":                "# Prices\n\nIf this page is outdated, open an issue.\n\n<table>\n    <tr>\n        <td>Courier</td>\n        <td>Price</td>\n    </tr>\n    <tr>\n        <td>Ann</td>\n        <td>3 coins</td>\n    </tr>\n</table>\n",
		"lib/samples/index.md":          "# Site\n\nThe courier of a test has a price of coins.\n",
		"lib/samples/more.md":           "# Courier\n\nThe courier of a test has a price of coins.\n",
		"docs/crates.md":                "# Crates\n\nThe crates of the warehouse weigh at most 30 kg.\n",
		"docs/opening.md": "# Opening\n\n" + strings.Repeat("1. Wake the keeper of the gate and of all its locks and bolts and chains, with a bell.\n", 3) +
			"4. Turn the golden key in the lock of the gate, as the keeper says.\n5. Push.\n6. Take the golden key out of the gate again, and hang it up.\n" +
			strings.Repeat("7. Greet the merchants at the counter, each of them by the name that is in the book.\n", 4),
		"docs/faq.md":          "# FAQ\n\n## How can I ship the parcel to an island?\n\nAsk the harbour master.\n\n## Rates\n\nParcels to ship to an island cost more, and a parcel for an island is slow.\n",
		"docs/rules.md":        "# House\n\nNew rules have to implement the gate.\n\nThe harbour opens at dawn.\n",
		"docs/migrations.md":   "# Migrations\n\nA database migration is written by hand.\n",
		"docs/adr/template.md": "# Backends\n\nWhich backends are there?\n",
		"docs/design.md":       "# Design\n\nTests are built first.\n\n# Where money goes\n\nMoney goes into the vault.\n",
	} {
		at := filepath.Join(b.Store.Dir(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ question, want, not string }{
		{"What is this?", "## What answers\n\n- [README.md] Shop\n  - Shop sells things to people.\n", "Nothing is recorded"},
		{"What kind of application is this?", "## What answers\n\n- [README.md] Shop\n  - Shop sells things to people.\n", "Nothing"},
		{"Which problems are known?", "## What answers\n\n- [README.md] Shop\n  - Shop sells things to people.\n", ""},
		{"What is Shop?", "## What answers\n\n- [README.md] Shop\n  - Shop sells things to people.\n", "Nothing is recorded"},
		{"What is this?", "example.com/shop. Its README says: “Shop sells things to people.”", "badge"},
		{"How do I build it and run the tests?", "## What answers\n\n- [go.mod] Build with `go build ./...`.\n" +
			"- [package.json] Run the tests with `npm test`, which runs `vitest`.\n- [go.mod] Run the tests with `go test ./...`.\n", ""},
		{"Which version of Go do I need?", "## What answers\n\n- [go.mod] The oldest supported Go version is `1.26`, as go.mod requires.\n", ""},
		{"What must a test file of a new language contain?", "## What answers\n\n- [docs/", ""},
		{"Which backends are there?", "## What answers\n\n- [README.md] Shop\n  - Backends: It keeps orders in these places:\n  - disk: ", "hidden"},
		{"Which backends are there?", "  - pigeon: ", ""},
		{"Which backends are there?", "", "[docs/zh/more.md]"},
		{"Which “backends” are there?", "", "[docs/zh/more.md]"},
		{"Which backends are there?", "", "[CHANGELOG.md]"},
		{"Which backends are there?", "", "[CODE_OF_CONDUCT.md]"},
		{"Which backends are there?", "", "ISSUE_TEMPLATE"},
		{"Which backends are there?", "", "template.md"},
		{"What is the code of conduct?", "Be kind to backends.", ""},
		{"How do I render a template?", "Render a template with tmpl.", ""},
		{"Who are the weavers of the loom?", "[sites/www/faq.rst] Questions\n  - Why Fabric left: The weavers of the loom went to their guild.\n", "lib/parts"},
		{"How much may crates of the warehouse weigh?", "## What answers\n\n- [docs/crates.md] Crates\n", ""},
		{"How much may crates of the warehouse weigh?", "- [docs/weights.md] [outdated] Weights\n", ""},
		{"What is the price of the courier Ann?", "- [docs/prices.md] Prices\n", "[lib/samples"},
		{"What is the price of the courier Ann?", "Courier Price Ann 3 coins", "```"},
		{"How do I open the gate with the golden key?", "- [docs/opening.md] Opening\n  - 1. Wake", ""},
		{"How do I open the gate with the golden key?", "  - 4. Turn the golden key in the lock of the gate, as the keeper says.\n  - 5. Push.\n  - 6. Take", ""},
		{"Do the messages about orders go through Kafka?", "Nothing here has these words: Kafka.", ""},
		{"How is a database migration written?", "A database migration is written by hand.", ""},
		{"Is there a lighthouse?", "[CHANGELOG.md] Changelog\n  - 1.2.0: Add pigeons", ""},
		{"What changed recently?", "## What answers\n\n- [CHANGELOG.md] Changelog\n  - 1.2.0: Add pigeons", "tapes"},
		{"What changed in v1.99?", "Nothing", "pigeons"},
		{"What was added in 1.2.0?", "## What answers\n\n- [CHANGELOG.md] Changelog\n  - 1.2.0: Add pigeons", ""},
		{"What does E_TOO_LARGE mean?", "## What answers\n\n- [docs/errors.md] Errors\n  - Codes: Code | Why …; E_TOO_LARGE | the parcel", ""},
		{"How much does the basket carry?", "  - Baskets: A wicker one is used.\n  - The basket can carry two things.\n", ""},
		{"What is the parcel limit for Kafka?", "Nothing here has these words: Kafka. What follows comes nearest.", ""},
		{"What is the parcel limit?", "  - Unless it is set, 30 kg.", ""},
		{"How can I ship a parcel to an island?", "## What answers\n\n- [docs/faq.md] FAQ\n  - How can I ship the parcel to an island?: Ask the harbour master.", ""},
		{"What must a new rule implement?", "## What answers\n\n- [docs/rules.md] House\n  - New rules have to implement the gate.\n", "pigeons"},
		{"Which licence does it have?", "[LICENSE] LICENSE\n  - Apache License Version 2.0", "many terms"},
		{"Where does money go, as described?", "Where money goes: Money goes into the vault.", "[docs/copy.md]"},
		{"Where does money go, as described?", "", "example.com/money"},
	} {
		r := b.ask(t, Query{Query: x.question, MaxTokens: 3000})
		if !strings.Contains(r.Context, x.want) || x.not != "" && strings.Contains(r.Context, x.not) {
			t.Errorf("%s: wanted %q and not %q in\n%s", x.question, x.want, x.not, r.Context)
		}
	}
}

// A long passage is cut to the lines or sentences that the question is about.
func TestExcerpt(t *testing.T) {
	var table, code strings.Builder
	table.WriteString("| Handler | Effect |\n|---|---|\n")
	for n := range 60 {
		fmt.Fprintf(&table, "| Handler%d | answers one request with kind %d as usual |\n", n, n)
		fmt.Fprintf(&code, "\tr.Get(\"/page%d\", request%d)\n", n, n)
	}
	filler := "A" + strings.Repeat(" long story", 200) + ". "
	for passage, want := range map[string]string{
		table.String() + "| Timeout | ends a request after its deadline |": "Handler | Effect …; Timeout | ends a request after its deadline",
		"```go\n" + code.String() + "\n\t// a deadline for each\n\tr.Use(Timeout(60))\n\n" + code.String() + "```": `
    ` + "```go" + `
    …
    // a deadline for each
    r.Use(Timeout(60))
    …
    ` + "```",
		table.String(): clipped(plain(table.String()), 300),
		filler + "The **timeout** is 60 seconds. " + filler:        "… The timeout is 60 seconds. …",
		filler + "The timeout" + strings.Repeat(" and so on", 300): clipped("… The timeout"+strings.Repeat(" and so on", 300), 300),
	} {
		g := &gathering{clip: 300, marker: index.NewMarker("the timeout of a deadline")}
		if got := g.excerpt(passage, plain(passage), g.clip); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// escapes reports whether an excerpt would end the list item that it is in.
func escapes(text string) bool {
	_, below, _ := strings.Cut(text, "\n")
	fence := ""
	for line := range strings.Lines(below) {
		line = strings.TrimRight(line, "\n")
		inner, indented := strings.CutPrefix(line, "    ")
		switch {
		case line != "" && !indented:
			return true
		case fence == "" && strings.HasPrefix(inner, "```"):
			fence = inner[:len(inner)-len(strings.TrimLeft(inner, "`"))]
		case fence != "" && strings.TrimSpace(inner) == fence:
			fence = ""
		}
	}
	return fence != ""
}

// Code keeps its lines, and nothing in it ends its fence or the list item.
func TestPlain(t *testing.T) {
	for passage, want := range map[string]string{
		"Set it:\n\n```yml\nenvironment:\n    - TZ=Etc/UTC\n```\n\nThen restart.":                  "Set it:\n    ```yml\n    environment:\n        - TZ=Etc/UTC\n    ```\n    Then restart.",
		"Run:\n\n```sh\nmake test\n```\nand wait.":                                                 "Run: `make test` and wait.",
		"Report:\n\n````md\n```go\nf()\n```\n# End\n````":                                          "Report:\n    ````md\n    ```go\n    f()\n    ```\n    # End\n    ````",
		"Call it:\n\n    a()\n    b()\n\nOnce.":                                                    "Call it:\n    ```\n    a()\n    b()\n    ```\n    Once.",
		"!!! note\n    Text of\n    the note.":                                                     "note Text of the note.",
		"See:\n\n```{note} Stable\nIt is\nstable.\n```":                                            "See: Stable It is stable.",
		"```npm install pail```\n\nThen run it.":                                                   "```npm install pail``` Then run it.",
		"``` { .yaml .annotate }\na:\n  - b\n```":                                                  "\n    ```\n    a:\n      - b\n    ```",
		"2024 we moved to this:\n\n    a()\n    b()":                                               "2024 we moved to this:\n    ```\n    a()\n    b()\n    ```",
		"=== \"npm\"\n\n    run this first":                                                        "\"npm\" run this first",
		"- ```\n  make\n  test\n  ```\n- then":                                                     "\n    ```\n    make\n    test\n    ```\n    then",
		"> [!NOTE]\n> Be kind:\n> ```\n> a\n> b\n> ```\nNow.":                                      "[!NOTE] Be kind:\n    ```\n    a\n    b\n    ```\n    Now.",
		"Call it:\n\n```go\nr := New()\nr.Run()\n```\n\nThen wait for it, since it takes a while.": "Call it:\n    ```go\n    r := New()\n    r.Run()\n    ```\n    Then wait for it, since it takes a while.",
		"```go\nr := New()\nr.Use(Timeout(60), Limit(20))\nr.Run()\n```\n\nThen wait for it.":      "\n    ```go\n    r := New()\n    r.Use(Timeout(60), Limit(20))\n    r.Run()\n    ```\n    Then wait for it.",
		"- first\n- second\n\n      more of it":                                                    "first; second more of it",
		"- first:\n\n  ```\n  - x\n  - y\n  ```\n- second":                                         "first:\n    ```\n    - x\n    - y\n    ```\n    second",
	} {
		got := plain(passage)
		if got != want || escapes(got) {
			t.Errorf("plain(%q)\ngot  %q\nwant %q", passage, got, want)
		}
		for most := 12; most < 40; most++ {
			if cut := clipped(got, most); escapes(cut) {
				t.Errorf("cut to %d tokens: %q", most, cut)
			}
			if item := clipped("  - "+strings.TrimSpace(got), most); got[0] == '\n' && escapes("\n    "+strings.TrimPrefix(item, "  - ")) {
				t.Errorf("an item cut to %d tokens: %q", most, item)
			}
		}
	}
}

// FuzzPage reads documents that others wrote: whatever they hold, a page has a title on one line and its excerpts stay in their limit.
func FuzzPage(f *testing.F) {
	for _, text := range []string{"# \n", "---\ntitle: x\n", "|\n|-\n", "```\n", "a\n=\n", ".. x::\n\n  y\n", "# a [![b", backends} {
		f.Add(text, 10)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		g := &gathering{clip: 10 + limit&0xff, marker: index.NewMarker("the title of a page")}
		for _, src := range [][]byte{[]byte(text), markdownOf([]byte(text))} {
			if title := pageTitle("docs/page.md", src); title == "" || strings.Contains(title, "\n") {
				t.Errorf("the title of %q is %q", src, title)
			}
			if got := g.excerpt(string(src), plain(string(src)), g.clip); escapes(got) || !tokens.Within(got, g.clip+2) {
				t.Errorf("%d tokens: %q", tokens.Count(got), got)
			}
		}
	})
}

func TestFromAsciiDoc(t *testing.T) {
	for text, want := range map[string]string{
		"NAME\n----\ngate - a gate\n\nMORE\n~~~~\n":                                "## NAME\n\ngate - a gate\n\n### MORE\n\n",
		"image:: The image to run.\n[red]#Never# as root, see https://x.y[docs]\n": "image:: The image to run.\n[red]#Never# as root, see [docs](https://x.y)\n",
	} {
		if got := string(fromAsciiDoc([]byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	src := "= Guide\n:toc:\nimage:https://x[CI]\n\n== Limits ==\n\n.An example\n[source,java]\n----\n== no heading\n----\n\n====\nSee https://x.org[the page] and <<limits,Limits>>.\n" +
		"====\n\n* one\n** two\n. first\n// hidden\n\n////\nhidden\n////\n\n|===\n|a |b\n|===\n"
	want := "# Guide\n\n\n\n## Limits\n\nAn example:\n\n```\n== no heading\n```\n\n\nSee [the page](https://x.org) and Limits.\n" +
		"\n\n- one\n  - two\n1. first\n\n\n\n\n\n\n\n|a |b\n\n"
	if got := string(fromAsciiDoc([]byte(src))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
