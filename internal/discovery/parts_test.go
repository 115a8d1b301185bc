package discovery

import (
	"slices"
	"strings"
	"testing"
)

func TestParseADR(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       ADR
		ok         bool
	}{
		{"d/0001-a.md", "# 1. Use X\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\nSuperseded by [2](2.md)\n", ADR{Title: "Use X", Status: "superseded", Date: "2020-01-02"}, true},
		{"d/0001-b.md", "# 1. Use X\n\n## Status\n\nSuperceded by [2. Use accepted forms](0002-y.md)\n", ADR{Title: "Use X", Status: "superseded"}, true},
		{"d/0001-c.md", "# 1. Use X\n\n## Status\n\nAccepted\n\nSuperceded by [2. Y](0002-y.md)\n", ADR{Title: "Use X", Status: "superseded"}, true},
		{"d/0003-a.md", "# 3. Use X\n\n## Status\n\nSupercedes [2. Y](0002-y.md)\n", ADR{Title: "Use X", Status: "accepted"}, true},
		{"d/0003-b.md", "# 3. Use X\n\n## Status\n\nSupercedes [2. Y](0002-y.md)\n\nSuperceded by [4. Z](0004-z.md)\n", ADR{Title: "Use X", Status: "superseded"}, true},
		{"d/0002-a.md", "# ADR-0002: Use Y\n\n* **Status**: proposed <!-- x -->\n* Deciders: A\n* Date: 2021-10-11\n", ADR{Title: "Use Y", Status: "proposed", Date: "2021-10-11"}, true},
		{"d/use-z.md", "---\nstatus: \"rejected\"\ndate: 2022-03-04\ntitle: Use Z\n---\n# Other\n", ADR{Title: "Use Z", Status: "rejected", Date: "2022-03-04"}, true},
		{"d/0004-no-heading.md", "Text.\n", ADR{Title: "no heading"}, true},
		{"d/2024-plans.md", "# 2024\n", ADR{Title: "2024"}, true},
		{"d/notes.md", "# Notes\n\nOf a meeting.\n", ADR{Title: "Notes"}, false},
		{"d/broken.md", "---\nstatus: [\n---\n# Broken\n\n## Decision\n\nYes.\n", ADR{Title: "Broken"}, true},
		{"d/0005-status.md", "# Status first\n\n## Status\n\n**Deprecated** since 2023\n", ADR{Title: "Status first", Status: "deprecated"}, true},
	} {
		c.want.Path = c.file
		got, ok := ParseADR(c.file, []byte(c.text))
		if !strings.Contains(c.text, got.StatusText) {
			t.Errorf("%s: the status is written %q", c.file, got.StatusText)
		}
		got.StatusText = ""
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %+v %v, want %+v %v", c.file, got, ok, c.want, c.ok)
		}
	}
}

func TestADRsOfAFolder(t *testing.T) {
	root := t.TempDir()
	write(t, root, ".adr-dir", "doc/choices\n")
	write(t, root, "doc/choices/0001-a.md", "# 1. A\n")
	write(t, root, "services/x/docs/Decisions/README.md", "# Index\n\n## Decision\n")
	write(t, root, "services/x/docs/Decisions/0001-b.md", "# 1. B\n")
	write(t, root, ".sdd/decisions/c.md", "# C\n\n## Decision Outcome\n")
	write(t, root, "examples/adr/0001-d.md", "# 1. D\n")
	var paths []string
	for _, a := range ADRs(root) {
		paths = append(paths, a.Path)
	}
	if want := []string{"doc/choices/0001-a.md", "services/x/docs/Decisions/0001-b.md"}; !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
}

func TestReadmeOf(t *testing.T) {
	for _, c := range []struct{ file, text, title, purpose string }{
		{"README.md", "# shopdb\n\n`shopdb://user:password@host:port/shop?table=orders`\n\nShopdb keeps the orders of a shop.\n",
			"shopdb", "Shopdb keeps the orders of a shop."},
		{"README.md", "# spd\n\nVery fast logging library for C++. [![ci](https://x/b.svg)](https://x) [![Build status](https://y?a=b)](https://y) ![Release][r]\n",
			"spd", "Very fast logging library for C++."},
		{"README.md", "# A\n\n[![x](y)](z) [Docs](d)\n\nDiscuss the SDK on [Discord](d)\n\nWhat it really does is this.\n", "A", "What it really does is this."},
		{"README.md", "Title\n=====\n\n```\ncode that is long enough to be text\n```\n\n- an item that is long enough, too.\n\nAt last, the text.", "Title", "At last, the text."},
		{"README.md", "# Only a title\n", "Only a title", ""},
		{"README.md", "# A\r\n\r\nLines that end\r\nas on Windows.\r\n", "A", "Lines that end as on Windows."},
		{"README.rst", "#####\nTitle\n#####\n\n.. note:: x\n\n:field: y\n\nThe ``first`` paragraph of the text.\n", "Title", "The first paragraph of the text."},
		{"README.adoc", "= Title\n:toc:\n\nimage:x.png[]\n\nThe first paragraph of the text.\n", "Title", "The first paragraph of the text."},
		{"README.txt", "\n\nThe first paragraph of the text.\nIt goes on.\n\nMore.", "", "The first paragraph of the text. It goes on."},
		{"README.md", "", "", ""},
		{"README.md", "# A\n\nIt retries calls that fail. With Node.js it offers these strategies:\n\n- Retry\n", "A", "It retries calls that fail."},
		{"README.md", "# A\n\nWith Node.js it offers these strategies:\n\n- Retry\n", "A", ""},
		{"README.md", "<p align=\"center\"><img src=x alt=logo></p>\n<h3 align=\"center\">Every site</h3>\n<p align=\"center\">It is a server that is safe by itself.</p>\n" +
			"<p><a href=x>Releases</a></p>\n\nThen more is said in a paragraph.\n", "", "It is a server that is safe by itself."},
		{"README.md", "<h4 align=\"center\">\n  <a href=x>Board Editor</a> |\n  <a href=y>Documentation</a> |\n  <a href=z>Blog of it</a>\n" +
			"</h4>\n\nA board to draw on together.\n", "", "A board to draw on together."},
		{"README.md", "# Pail\n\nSee the [site](x) for all the documentation.\n\nPail is a library for water.\n",
			"Pail", "Pail is a library for water."},
		{"README.md", "# Pail\n\nA library for the water of others.\n\n## More\n\nPail is a word.\n",
			"Pail", "A library for the water of others."},
	} {
		if got := readmeOf(c.file, []byte(c.text)); got.title != c.title || got.purpose != c.purpose {
			t.Errorf("%q: title %q, purpose %q", c.text, got.title, got.purpose)
		}
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two.": "One", "It knows e.g. one. Two": "It knows e.g. one", "Version 1.2 is\nhere": "Version 1.2 is here", "一つ。二つ。": "一つ", "Really? Yes.": "Really", "": "",
	} {
		if got := sentence(text, 100); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
