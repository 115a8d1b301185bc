// Command sdd keeps what a project has found out as Markdown in git.
package main

import (
	"os"

	"sdd/cmd/sdd/program"
	_ "sdd/internal/memory/start" // no collection before the first answer
)

func main() { os.Exit(program.Main()) }
