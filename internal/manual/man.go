package manual

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/cli"
)

// Page is one man page, in the man(7) language, which man of every system reads.
type Page struct {
	Name string // of the file, such as sdd-show.1
	Text []byte
}

// Pages makes the man pages: sdd(1), and one for each command. version and date are in their footers; the same arguments
// give the same bytes.
func Pages(version string, date time.Time) []Page {
	root := cli.Commands()
	all := documented(root)
	var pages []Page
	for _, c := range all {
		p := page{}
		p.head(c, version, date)
		if c == root {
			p.overview(root, all[1:])
		} else {
			p.command(c)
		}
		pages = append(pages, Page{pageName(c) + ".1", []byte(p.b.String())})
	}
	return pages
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page is a man page as it is written.
type page struct{ b strings.Builder }

// line writes one line of the page. The arguments of a request must be escaped.
func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) head(c *cobra.Command, version string, date time.Time) {
	p.line(".TH %s 1 %s %s %s", quoted(strings.ToUpper(pageName(c))), date.UTC().Format(time.DateOnly), quoted("sdd "+version), quoted("sdd"))
	p.line(".SH NAME")
	p.line("%s \\- %s", roff(pageName(c)), roff(c.Short))
	p.line(".SH SYNOPSIS")
	if c.HasParent() {
		p.line(".B %s", roff(c.CommandPath()))
		rest := strings.TrimSpace(strings.TrimPrefix(c.UseLine(), c.CommandPath()))
		if rest != "" {
			p.line("%s", roff(rest))
		}
	} else {
		p.line(".B sdd\n.I command\n[flags]")
	}
	p.line(".SH DESCRIPTION")
	p.prose(long(c))
}

// prose writes the text of a help page.
func (p *page) prose(text string) {
	for i, b := range blocks(text) {
		if b.literal {
			p.line(".PP\n.in +4n\n.nf")
			for l := range strings.SplitSeq(dedent(b.text), "\n") {
				p.line("%s", cmp.Or(roff(l), ".sp"))
			}
			p.line(".fi\n.in")
			continue
		}
		if i > 0 {
			p.line(".PP")
		}
		for l := range strings.SplitSeq(b.text, "\n") {
			p.line("%s", roff(strings.TrimSpace(l)))
		}
	}
}

func (p *page) flags(title string, all []flag) {
	if len(all) == 0 {
		return
	}
	p.line(".SH %s", title)
	for _, f := range all {
		name := "\\-\\-" + roff(f.name)
		if f.short != "" {
			name = "\\-" + roff(f.short) + ", " + name
		}
		p.line(".TP")
		if f.value == "" {
			p.line(".B %s", name)
		} else {
			p.line(".BI %s %s", quotedRoff(name), quotedRoff(" "+roff(f.value)))
		}
		about := f.about
		if f.byDefault != "" {
			about += " (default " + f.byDefault + ")"
		}
		p.line("%s", roff(about))
	}
}

func (p *page) command(c *cobra.Command) {
	p.flags("OPTIONS", flags(c.NonInheritedFlags()))
	p.flags("GLOBAL OPTIONS", flags(c.InheritedFlags()))
	if c.Example != "" {
		p.line(".SH EXAMPLES\n.nf")
		for l := range strings.SplitSeq(dedent(c.Example), "\n") {
			p.line("%s", roff(l))
		}
		p.line(".fi")
	}
	also := []*cobra.Command{c.Parent()}
	for _, child := range documented(c)[1:] {
		if child.Parent() == c {
			also = append(also, child)
		}
	}
	p.seeAlso(also)
}

// overview writes the parts that only sdd(1) has.
func (p *page) overview(root *cobra.Command, all []*cobra.Command) {
	p.line(".SH COMMANDS")
	var also []*cobra.Command
	for _, c := range all {
		if c.Parent() == root {
			p.line(".TP\n.BR %s (1)\n%s", roff(pageName(c)), roff(c.Short))
			also = append(also, c)
		}
	}
	p.flags("OPTIONS", flags(root.PersistentFlags()))
	p.line(".SH EXIT STATUS")
	for _, e := range cli.ExitCodes() {
		p.line(".TP\n.B %d\n%s", e.Code, roff(e.Meaning))
	}
	p.line(".SH FILES\n.TP\n.I .sdd/\nthe store: one Markdown file for each record\n.TP\n.I .sdd/config.yaml\nits settings")
	p.seeAlso(also)
}

func (p *page) seeAlso(all []*cobra.Command) {
	p.line(".SH SEE ALSO")
	slices.SortFunc(all, func(a, b *cobra.Command) int { return strings.Compare(pageName(a), pageName(b)) })
	for i, c := range all {
		comma := ","
		if i == len(all)-1 {
			comma = ""
		}
		p.line(".BR %s (1)%s", roff(pageName(c)), comma)
	}
}

// roff is text that the formatter shows as it is.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString("\\e")
		case r == '-':
			b.WriteString("\\-")
		case r == '\'':
			b.WriteString("\\(aq")
		case r == '^':
			b.WriteString("\\(ha")
		case r == '~':
			b.WriteString("\\(ti")
		case r == '`':
			b.WriteString("\\(ga")
		case r > 126:
			fmt.Fprintf(&b, "\\[u%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	if s := b.String(); strings.HasPrefix(s, ".") {
		return "\\&" + s
	}
	return b.String()
}

// quoted is text as one argument of a request.
func quoted(text string) string { return quotedRoff(roff(text)) }

func quotedRoff(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\(dq`) + `"` }
