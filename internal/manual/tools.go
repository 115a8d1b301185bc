package manual

import (
	"fmt"
	"strings"

	"sdd/internal/mcpserver"
	"sdd/schema"
)

// tools is the reference of what the MCP server offers.
func tools() []byte {
	var b strings.Builder
	offers := mcpserver.Offers()
	b.WriteString(generated + "# Tools, resources and prompts\n\nWhat `sdd mcp` offers. A * marks what has to be there.\n\n## Tools of sdd\n\n")
	b.WriteString("`--toolsets` chooses among the tools by the names of their sets; `compat` lists other names and the tools of other servers too, which can always be called.\n\n")
	compat := offers.Compat()
	for _, t := range append(offers.Tools[:len(offers.Tools):len(offers.Tools)], compat...) {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", t.Name, anchor(t.Name), escaped(t.Title))
	}
	for _, t := range offers.Tools {
		tool(&b, t)
	}
	b.WriteString("\n## Tools of other servers\n\nThey are listed with the toolset `compat`.\n")
	for _, t := range compat {
		tool(&b, t)
	}
	b.WriteString("\n## A tool that fails\n\nThe result has `isError` and holds:\n\n")
	table(&b, schema.Rows(schema.Load("tools/error")), "key")
	b.WriteString("\n## Resources\n\n| address | what it is | type |\n|---|---|---|\n")
	for _, r := range offers.Resources {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.URI, escaped(r.Description), r.MIMEType)
	}
	for _, r := range offers.Templates {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.URI, escaped(r.Description), r.MIMEType)
	}
	b.WriteString("\n## Prompts\n\n| name | what it is for | arguments |\n|---|---|---|\n")
	for _, p := range offers.Prompts {
		var arguments []string
		for _, a := range p.Arguments {
			text := "`" + a.Name + "`"
			if !a.Required {
				text += " (optional)"
			}
			arguments = append(arguments, text+": "+escaped(a.Description))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, escaped(p.Description), strings.Join(arguments, "; "))
	}
	return []byte(b.String())
}

func tool(b *strings.Builder, t mcpserver.Tool) {
	fmt.Fprintf(b, "\n### %s\n\n%s.", t.Name, escaped(strings.TrimSuffix(t.Title, ".")))
	fmt.Fprintf(b, " %s\n\nToolset `%s`", escaped(t.Description), t.Toolset)
	for _, a := range t.Aliases {
		fmt.Fprintf(b, "; also called `%s`", a)
	}
	for _, h := range []struct {
		is   bool
		said string
	}{
		{t.Writes, "writes to the store"}, {t.ReadOnly, "reads only"}, {t.Destructive, "takes away"},
		{t.Idempotent, "again it changes nothing more"}, {t.OpenWorld, "may ask what is not on this machine"},
	} {
		if h.is {
			b.WriteString("; " + h.said)
		}
	}
	b.WriteString(".\n\n")
	if in := schema.Rows(t.Input); len(in) > 0 {
		table(b, in, "argument")
		b.WriteString("\n")
	} else {
		b.WriteString("It takes no arguments.\n\n")
	}
	table(b, schema.Rows(schema.Load("tools/"+t.Name+".output")), "result")
}

// table writes the keys of a schema.
func table(b *strings.Builder, rows []schema.Row, head string) {
	fmt.Fprintf(b, "| %s | holds | default | |\n|---|---|---|---|\n", head)
	for _, r := range rows {
		name, byDefault := "`"+r.Name+"`", ""
		if r.Required {
			name += " *"
		}
		if r.Default != "" {
			byDefault = "`" + r.Default + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, escaped(r.Kind), byDefault, escaped(r.About))
	}
}

// settings is the reference of config.yaml.
func settings() []byte {
	var b strings.Builder
	b.WriteString(generated + "# .sdd/config.yaml\n\nSettings of a store. Every key may be missing. " +
		"A * marks a key that is required where the object above it is present.\n\n")
	table(&b, schema.Rows(schema.Load("config")), "key")
	return []byte(b.String())
}
