package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sdd/internal/cli"
	"sdd/internal/manual"
)

// build builds the program of one platform: static, without paths of this machine, and with version and commit. It leaves out Go's
// own git information, which depends on the tags of a clone.
func (r *release) build(ctx context.Context, b product) error {
	if err := os.MkdirAll(filepath.Dir(b.program), 0o755); err != nil {
		return err
	}
	in := r.Module + "/internal/cli"
	_, err := goTool(ctx, r.Dir, []string{"GOOS=" + b.OS, "GOARCH=" + b.Arch},
		"build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags", fmt.Sprintf("-s -w -X %s.version=%s -X %s.commit=%s", in, r.Called, in, r.Commit),
		"-o", b.program, "./cmd/sdd")
	return err
}

// contents are the files of an archive: the program and the files to install with it.
func (r *release) contents(p Platform, program []byte) ([]file, error) {
	files := append([]file{{p.Exe(), program, 0o755}}, r.extras...)
	root := cli.Commands()
	var shells [4]bytes.Buffer
	if err := errors.Join(
		root.GenBashCompletionV2(&shells[0], true), root.GenZshCompletion(&shells[1]),
		root.GenFishCompletion(&shells[2], true), root.GenPowerShellCompletionWithDesc(&shells[3]),
	); err != nil {
		return nil, err
	}
	for i, name := range []string{"sdd.bash", "_sdd", "sdd.fish", "sdd.ps1"} {
		files = append(files, file{"completions/" + name, shells[i].Bytes(), 0o644})
	}
	if p.OS != "windows" {
		for _, page := range manual.Pages(r.Called, r.When) {
			files = append(files, file{"man/man1/" + page.Name, page.Text, 0o644})
		}
	}
	return files, nil
}

// run runs a program with an input and returns its output.
func run(ctx context.Context, input string, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
