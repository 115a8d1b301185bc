package manual

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// block is a paragraph, or literal lines.
type block struct {
	text    string
	literal bool
}

// blocks reads the text of a help page: indented lines are literal, others are paragraphs.
func blocks(text string) (all []block) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		literal := strings.HasPrefix(l, "  ")
		switch last := len(all) - 1; {
		case l == "":
			if last >= 0 && all[last].literal {
				all[last].text += "\n"
			} else {
				all = append(all, block{})
			}
		case last >= 0 && all[last].literal == literal && all[last].text != "":
			all[last].text += "\n" + l
		default:
			all = append(all, block{l, literal})
		}
	}
	for i := range all {
		all[i].text = strings.TrimRight(all[i].text, "\n")
	}
	return slices.DeleteFunc(all, func(b block) bool { return b.text == "" })
}

// dedent removes the blanks that all lines begin with.
func dedent(text string) string {
	lines := strings.Split(text, "\n")
	least := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, " ")); l != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(least, 0), len(l)):]
	}
	return strings.Join(lines, "\n")
}

// documented lists the commands of a tree that people call, each before its subcommands. The help of each shell's completion differs
// from system to system and is left out.
func documented(root *cobra.Command) (all []*cobra.Command) {
	all = append(all, root)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && root.Name() != "completion" {
			all = append(all, documented(c)...)
		}
	}
	return all
}

// long is the help of a command.
func long(c *cobra.Command) string { return cmp.Or(c.Long, c.Short) }

// flag is a flag as people see it.
type flag struct {
	short, name, value, about, byDefault string
}

// flags lists the flags of a command, or those that it has from its parents.
func flags(set *pflag.FlagSet) (all []flag) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		g := flag{f.Shorthand, f.Name, value, about, f.DefValue}
		if slices.Contains([]string{"", "false", "0", "[]"}, g.byDefault) || strings.Contains(about, "(default") {
			g.byDefault = ""
		}
		all = append(all, g)
	})
	return all
}
