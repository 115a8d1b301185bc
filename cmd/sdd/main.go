// Command sdd keeps the knowledge about a project as Markdown in git.
package main

import (
	"os"

	"sdd/cmd/sdd/program"
	_ "sdd/internal/memory/start" // no collection before the first answer
)

func main() { os.Exit(program.Main()) }
