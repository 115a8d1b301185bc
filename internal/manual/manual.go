// Package manual describes the program to people: its man pages, and the reference of commands, tools and settings in
// Markdown. Both are made from the tree of commands, the catalog of the MCP server and the schemas, so that they cannot
// disagree with the program.
//
// The reference is in .docs/reference, and a test fails when it differs from what this package makes. Renew it with
//
//	go generate ./internal/manual
package manual

import (
	"fmt"
	"strings"

	"sdd/internal/cli"
	"sdd/internal/mcp"
	"sdd/schema"
)

//go:generate go run genreference.go

// Folder is the folder of the reference, relative to the top of the repository.
const Folder = ".docs/reference"

// Reference returns the files of the reference by their names in [Folder].
func Reference() map[string][]byte {
	pages := map[string][]byte{
		"commands.md": commands(),
		"tools.md":    tools(),
		"config.md":   settings(),
	}
	for _, name := range []string{"files", "merge", "ranking", "security"} {
		title, text, _ := strings.Cut(cli.Topic(name), "\n")
		pages[name+".md"] = []byte(generated + "# " + title + "\n\n```text\n" + strings.TrimSpace(text) + "\n```\n")
	}
	return pages
}

const generated = "<!-- Made by go generate ./internal/manual; what is changed here is lost. -->\n\n"

func tools() []byte { return append([]byte(generated), render("tools.tmpl", mcp.Offers())...) }

func settings() []byte {
	return []byte(generated + "# .sdd/config.yaml\n\nSettings of a store. Every key may be missing. " +
		"A * marks a key that is required where the object above it is present.\n\n" + table(keysOf("config"), "key"))
}

func keysOf(name string) []schema.Row { return schema.Rows(schema.Load(name)) }

func table(rows []schema.Row, head string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | holds | default | |\n|---|---|---|---|\n", head)
	for _, r := range rows {
		name, byDefault := "`"+r.Name+"`", ""
		if r.Required {
			name += " *"
		}
		if r.Default != "" {
			byDefault = "`" + r.Default + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, escaped(r.Kind), byDefault, escaped(r.About))
	}
	return b.String()
}
