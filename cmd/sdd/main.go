// Command sdd keeps what a project has found out as Markdown in git.
package main

import (
	"os"

	"sdd/internal/cli"
)

func main() { os.Exit(cli.Main()) }
