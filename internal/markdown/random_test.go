package markdown

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var (
	rounds = flag.Int("rounds", 3000/raceShare, "random files and texts that are put together")
	seed   = flag.Uint64("seed", 1, "of the random files and texts")
)

// fragments are lines, or starts of lines, that mean something to the block parser.
var fragments = strings.Split("## Goals|## Constraints|## Context|## |# T|### x|#### y|  ## Goals|   # T|##\tUnknowns|Goals|a|b c|x\\|---|--|-|===|=| ---|***|* * *|"+
	"```|~~~|````|```go|  ```|``` `|- a|- |-|* a|  b|    c|\tc|1. a|2. b|1)|  - d|- ## x|- ```|> a|>|> ```|> ## x|> - a|"+
	"<!-- a|-->|<!-- a -->|<!--|<div>|</div>|<pre>|</pre>|<script>|</script>|<?|?>|<![CDATA[|]]>|<!A|>|<x>|  <pre>|- <!--|"+
	"[a]: /b|[a]:|/b|\"t|t\"|'|(|[c]: /d \"e\"|[a|b]: /c|\\|\\## a|{#id}|## Goals {#id}|Goals {|## x ##|a #|\f|\u00a0|\ufeff## a|\x00|\xff|a\rb|## a\r|title: x", "|")

func page(r *rand.Rand, lines int) []byte {
	var b bytes.Buffer
	newlines := []string{"\n", "\n", "\n", "\r\n", "\r"}
	usual := newlines[r.IntN(4)]
	for range r.IntN(lines + 1) {
		switch r.IntN(8) {
		case 0, 1:
		case 2:
			b.WriteString(strings.Repeat(" ", r.IntN(5)))
			fallthrough
		default:
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		if r.IntN(20) == 0 {
			b.WriteString(newlines[r.IntN(len(newlines))])
		} else {
			b.WriteString(usual)
		}
	}
	if r.IntN(3) == 0 {
		return bytes.TrimRight(b.Bytes(), "\r\n")
	}
	return b.Bytes()
}

// TestRandomPages puts random texts into random files: what a person would hardly write is what the
// laws are for.
func TestRandomPages(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 1))
	for range *rounds {
		src, text := page(r, 14), string(page(r, 8))
		from := bodyStart(src)
		k := order[r.IntN(len(order))]
		contained(t, "random", src, from, k, text)
		exact(t, order, src, from, Change{Section: k, Op: Clear})
		exact(t, order, src, from, Change{Section: k, Text: text, Op: Append})
		if t.Failed() {
			t.Fatalf("in\n%q", src)
		}
	}
}

// TestRandomLevelThree does the same where one known section stands inside another.
func TestRandomLevelThree(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 3))
	known := madr[len(madr)-2:]
	outcome, consequences := known[0], known[1]
	headings := []string{"## Decision Outcome\n", "### Consequences\n", "### More\n", "## Other\n", "# Part\n", "\n## Decision Outcome\n\na\n\n### Consequences\n\nb\n\n"}
	for range *rounds {
		var src []byte
		for range r.IntN(5) {
			src = append(append(src, page(r, 4)...), "\n"...)
			src = append(src, headings[r.IntN(len(headings))]...)
		}
		src = append(src, page(r, 4)...)
		from, text := bodyStart(src), string(page(r, 6))
		was := mustParse(t, src, from)
		for _, c := range []Change{{outcome, text, Replace}, {outcome, text, Append}, {outcome, "", Clear}, {consequences, text, Replace}, {consequences, text, Append}, {consequences, "", Clear}} {
			u := exact(t, known, src, from, c)
			if u == nil || c.Section == consequences || c.Op == Clear || strings.Contains(strings.ToLower(text), "consequences") {
				continue
			}
			is := mustParse(t, u.Out, from)
			a, b := was.Find(consequences), is.Find(consequences)
			if len(a) != len(b) || len(a) > 0 && was.Text(a[0]) != is.Text(b[0]) {
				t.Fatalf("%v: the section inside changed in\n%q\n%q", c, src, u.Out)
			}
		}
	}
}

// TestSameAsGoldmark compares the headings with those of goldmark's whole grammar, with inline
// parsing and heading attributes switched on.
func TestSameAsGoldmark(t *testing.T) {
	whole := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...), parser.WithAttribute())
	check := func(src []byte) {
		d := mustParse(t, src, 0)
		body := d.Src[d.From:]
		root := whole.Parse(text.NewReader(body))
		var want, got []string
		for n := root.FirstChild(); n != nil; n = n.NextSibling() {
			h, ok := n.(*ast.Heading)
			if !ok {
				continue
			}
			var lines []string
			for i := range h.Lines().Len() {
				seg := h.Lines().At(i)
				lines = append(lines, string(bytes.Trim(seg.Value(body), blank)))
			}
			want = append(want, strings.Repeat("#", h.Level)+strings.TrimRight(strings.Join(lines, " "), blank))
		}
		for _, h := range d.Headings {
			got = append(got, strings.Repeat("#", h.Level)+h.Text)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q:\ngot  %q\nwant %q", src, got, want)
		}
	}
	for _, f := range corpus(t) {
		check(f.src)
	}
	r := rand.New(rand.NewPCG(*seed, 2))
	for range *rounds {
		check(page(r, 20))
	}
}
