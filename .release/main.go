// Command release writes the parts of a release that the program's own packages make, in a new folder: man pages, shell completion,
// the extension for VS Code and the plugins of clients. The script .ci/release calls it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sdd/internal/cli"
	"sdd/internal/manual"
	"sdd/internal/setup"
)

func main() {
	version := flag.String("version", "", "of the release, such as v1.2.3")
	number := flag.String("number", "", "the version in packages, such as 1.2.3")
	about := flag.String("about", "", "what the program is for")
	when := flag.Int64("when", 0, "time of the commit, in seconds since 1970")
	flag.Parse()
	if err := write(flag.Arg(0), *version, *number, *about, time.Unix(*when, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func write(dir, version, number, about string, when time.Time) (err error) {
	put := func(name string, fill func(w io.Writer) error) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		w, failed := (*os.File)(nil), os.MkdirAll(filepath.Dir(file), 0o755)
		if failed == nil {
			w, failed = os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		}
		if failed == nil {
			failed = errors.Join(fill(w), w.Close())
		}
		err = errors.Join(err, failed)
	}
	bytes := func(text []byte) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}
	}
	for _, page := range manual.Pages(version, when) {
		put("man/man1/"+page.Name, bytes(page.Text))
	}
	root := cli.Commands()
	put("completions/sdd.bash", func(w io.Writer) error { return root.GenBashCompletionV2(w, true) })
	put("completions/_sdd", root.GenZshCompletion)
	put("completions/sdd.fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) })
	put("completions/sdd.ps1", root.GenPowerShellCompletionWithDesc)
	extension, failed := setup.Extension(number, "sdd", when)
	err = errors.Join(err, failed)
	put("sdd.vsix", bytes(extension))
	for _, client := range setup.PluginClients {
		files, failed := setup.Plugin(client, number, about)
		err = errors.Join(err, failed)
		for _, f := range files {
			put("plugins/"+client+"/sdd/"+f.Path, bytes([]byte(f.Text)))
		}
	}
	return err
}
