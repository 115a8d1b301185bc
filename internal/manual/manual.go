// Package manual describes the program to people: its man pages, and the reference of commands, tools and settings in
// Markdown. Both are made from the tree of commands, the catalog of the MCP server and the schemas, so that they cannot
// disagree with the program.
//
// The reference is in .docs/reference, and a test fails when it differs from what this package makes. Renew it with
//
//	go generate ./internal/manual
package manual

import (
	"strings"

	"sdd/internal/cli"
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
