// Command release makes what is published of a version:
//
//	go run ./.release -version v1.2.3 -out /tmp/sdd-v1.2.3
//
// The folder then holds archives for six platforms, MCP bundles, bills of materials, server.json for the MCP registry, a Homebrew
// formula, a Scoop manifest, a container file, SHA256SUMS and RELEASE_NOTES.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"sdd/internal/fault"
	"sdd/internal/release"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "release:", err)
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Hint != "" {
		fmt.Fprintln(os.Stderr, "hint:", f.Hint)
	}
	os.Exit(1)
}

func run(ctx context.Context) error {
	o := release.Options{Dir: ".", Log: os.Stderr}
	flag.StringVar(&o.Version, "version", "", "what is released, such as v1.2.3")
	flag.StringVar(&o.Out, "out", "", "folder to make")
	flag.StringVar(&o.Owner, "owner", "", "owner of the repository on GitHub (default: of the git remote)")
	flag.StringVar(&o.Repo, "repo", "", "name of the repository on GitHub (default: of the git remote)")
	flag.BoolVar(&o.Dirty, "dirty", false, "take changes that are in no commit, and say so in the version")
	platforms := flag.String("platforms", "all", "all, host, or some, such as linux/amd64,darwin/arm64")
	validate := flag.Bool("validate", false, "check what was made against the official schemas, which are fetched")
	flag.Parse()
	if flag.NArg() > 0 {
		return fault.New(fault.Invalid, "%q is no flag", flag.Arg(0)).With("-help lists the flags")
	}
	var err error
	if o.Platforms, err = release.ParsePlatforms(*platforms); err != nil {
		return err
	}
	if err := release.Make(ctx, o); err != nil {
		return err
	}
	if *validate {
		return release.Validate(ctx, o.Out, os.Stderr)
	}
	return nil
}
