package manual

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sdd/internal/cli"
	"sdd/schema"
)

//go:embed *.tmpl
var templateFiles embed.FS

func render(name string, data any) []byte {
	t := template.New(name).Funcs(template.FuncMap{
		"anchor": anchor, "dashes": dashes, "escaped": escaped, "page": pageName, "quoted": quoted, "roff": roff, "upper": strings.ToUpper,
		"input": schema.Input, "rows": func(source json.RawMessage) []schema.Row { return schema.Rows(source) }, "schema": keysOf, "table": table,
		"sentence": func(text string) string { return strings.TrimSuffix(text, ".") + "." },
	})
	var b strings.Builder
	if err := template.Must(t.ParseFS(templateFiles, name)).Execute(&b, data); err != nil {
		panic(err) // templates and commands are fixed
	}
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

func commands() []byte {
	var all []command
	for _, c := range documented(cli.Commands()) {
		all = append(all, command{Command: c})
	}
	text := render("commands.tmpl", struct {
		Commands  []command
		ExitCodes []cli.ExitCode
	}{all, cli.ExitCodes()})
	return append([]byte(generated+"# Commands\n"), text...)
}

// Page is one man page, in the man(7) language, which man of every system reads.
type Page struct {
	Name string // of the file, such as sdd-show.1
	Text []byte
}

// Pages makes the man pages: sdd(1), and one for each command. The same arguments give the same bytes.
func Pages(version string, date time.Time) (pages []Page) {
	for _, c := range documented(cli.Commands()) {
		text := render("man.tmpl", command{c, version, date.UTC().Format(time.DateOnly)})
		pages = append(pages, Page{pageName(c) + ".1", text})
	}
	return pages
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// command is a command as the templates see it.
type command struct {
	*cobra.Command
	Version, Date string
}

func (c command) Name() string { return pageName(c.Command) }

func (c command) Arguments() string {
	return strings.TrimSpace(strings.TrimPrefix(c.UseLine(), c.CommandPath()))
}

func (c command) Blocks() []block { return blocks(cmp.Or(c.Long, c.Short)) }

func (c command) ExampleLines() []string {
	if c.Example == "" {
		return nil
	}
	return dedent(strings.Split(c.Example, "\n"))
}

// Own are the flags of the command: of sdd, those that all commands take.
func (c command) Own() []flag {
	if !c.HasParent() {
		return flags(c.PersistentFlags())
	}
	return flags(c.NonInheritedFlags())
}

func (c command) Inherited() []flag { return flags(c.InheritedFlags()) }

func (c command) Related() []*cobra.Command {
	return slices.DeleteFunc(documented(c.Command), func(d *cobra.Command) bool { return d.Parent() != c.Command })
}

func (c command) SeeAlso() []*cobra.Command {
	all := c.Related()
	if c.HasParent() {
		all = append(all, c.Parent())
	}
	slices.SortFunc(all, func(a, b *cobra.Command) int { return strings.Compare(pageName(a), pageName(b)) })
	return all
}

func (c command) ExitCodes() []cli.ExitCode { return cli.ExitCodes() }

// documented lists the commands that people call, without the completion of each shell, which differs from system to system.
func documented(root *cobra.Command) (all []*cobra.Command) {
	all = append(all, root)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && root.Name() != "completion" {
			all = append(all, documented(c)...)
		}
	}
	return all
}

type flag struct {
	Short, Name, Value, About, Default string
}

func flags(set *pflag.FlagSet) (all []flag) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		g := flag{f.Shorthand, f.Name, value, about, f.DefValue}
		if slices.Contains([]string{"", "false", "0", "[]"}, g.Default) || strings.Contains(about, "(default") {
			g.Default = ""
		}
		all = append(all, g)
	})
	return all
}

func (f flag) Text() string {
	if f.Default == "" {
		return f.About
	}
	return f.About + " (default " + f.Default + ")"
}

// block is a paragraph, or literal lines.
type block struct {
	Lines   []string
	Literal bool
}

// blocks reads the text of a help page: indented lines are literal, others are paragraphs.
func blocks(text string) (all []block) {
	var last *block
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		literal := strings.HasPrefix(line, "  ") || line == "" && last != nil && last.Literal
		switch {
		case line == "" && !literal:
			last = nil
		case last != nil && last.Literal == literal:
			last.Lines = append(last.Lines, line)
		default:
			all = append(all, block{[]string{line}, literal})
			last = &all[len(all)-1]
		}
	}
	for i := range all {
		if b := &all[i]; b.Literal {
			b.Lines = dedent(strings.Split(strings.TrimRight(strings.Join(b.Lines, "\n"), "\n"), "\n"))
		}
	}
	return all
}

func dedent(lines []string) (out []string) {
	least := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, " ")); l != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for _, l := range lines {
		out = append(out, l[min(max(least, 0), len(l)):])
	}
	return out
}

// anchor is what a heading is linked by.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// escaped is text that Markdown shows as it is.
var escaped = strings.NewReplacer("\\", "\\\\", "<", "\\<", ">", "\\>", "*", "\\*", "_", "\\_", "`", "\\`",
	"[", "\\[", "|", "\\|", "#", "\\#").Replace

// roff is text that the formatter of man pages shows as it is.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		if escape, ok := roffEscapes[r]; ok {
			b.WriteString(escape)
		} else if r > 126 {
			fmt.Fprintf(&b, "\\[u%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	if s := b.String(); strings.HasPrefix(s, ".") {
		return "\\&" + s
	}
	return b.String()
}

var roffEscapes = map[rune]string{
	'\\': `\e`, '-': `\-`, '\'': `\(aq`, '^': `\(ha`, '~': `\(ti`, '`': `\(ga`,
}

// quoted is text as one argument of a request.
func quoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

// dashes is a flag as one argument of a request if a value follows, else as text.
func dashes(f flag) string {
	name := roff("--" + f.Name)
	if f.Short != "" {
		name = roff("-"+f.Short) + ", " + name
	}
	if f.Value != "" {
		return `"` + name + `"`
	}
	return name
}
