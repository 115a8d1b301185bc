package manual

import (
	"fmt"
	"strings"

	"sdd/internal/cli"
)

// commands is the reference of the command line.
func commands() []byte {
	var b strings.Builder
	root := cli.Commands()
	b.WriteString(generated + "# Commands\n\n")
	prose(&b, root.Long)
	b.WriteString("Every command takes these flags:\n\n")
	list(&b, flags(root.PersistentFlags()))
	b.WriteString("| exit code | meaning |\n|---|---|\n")
	for _, e := range cli.ExitCodes() {
		fmt.Fprintf(&b, "| %d | %s |\n", e.Code, e.Meaning)
	}
	b.WriteString("\nThe merge driver ends as git wants it: 0 merged, 1 conflict.\n\n")
	all := documented(root)[1:]
	for _, c := range all {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", c.CommandPath(), anchor(c.CommandPath()), escaped(c.Short))
	}
	for _, c := range all {
		if !strings.HasSuffix(b.String(), "\n\n") {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", c.CommandPath())
		fmt.Fprintf(&b, "```\n%s\n```\n\n", c.UseLine())
		prose(&b, long(c))
		list(&b, flags(c.NonInheritedFlags()))
		if c.Example != "" {
			fmt.Fprintf(&b, "```\n%s\n```\n", dedent(c.Example))
		}
	}
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

// prose writes the text of a help page.
func prose(b *strings.Builder, text string) {
	for _, p := range blocks(text) {
		if p.literal {
			fmt.Fprintf(b, "```\n%s\n```\n\n", dedent(p.text))
		} else {
			b.WriteString(escaped(p.text) + "\n\n")
		}
	}
}

// list writes flags.
func list(b *strings.Builder, all []flag) {
	for _, f := range all {
		name := "--" + f.name
		if f.short != "" {
			name = "-" + f.short + ", " + name
		}
		if f.value != "" {
			name += " " + f.value
		}
		fmt.Fprintf(b, "- `%s`: %s", name, escaped(f.about))
		if f.byDefault != "" {
			fmt.Fprintf(b, " (default `%s`)", f.byDefault)
		}
		b.WriteString("\n")
	}
	if len(all) > 0 {
		b.WriteString("\n")
	}
}

// anchor is what a heading is linked by.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

// escaped is text that Markdown shows as it is.
func escaped(text string) string {
	return strings.NewReplacer("\\", "\\\\", "<", "\\<", ">", "\\>", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "|", "\\|", "#", "\\#").Replace(text)
}
