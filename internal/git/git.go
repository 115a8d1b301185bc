// Package git finds work trees without starting a process, and reads history, differences and settings and merges by the git command: it
// has hooks, merge drivers and work trees, and reads the log of one file a thousand times faster than a library.
package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/lines"
)

// Error is a git command that failed.
type Error struct {
	Args   []string // without the options that choose the folder
	Exit   int      // -1 when it was killed
	Stderr string   // the line that names the failure, without "fatal: "
}

func (e *Error) Error() string {
	name := "git"
	if len(e.Args) > 0 {
		name += " " + e.Args[0]
	}
	if e.Stderr == "" {
		return fmt.Sprintf("%s: exit code %d", name, e.Exit)
	}
	return name + ": " + e.Stderr
}

// exited reports whether err is a git command that ended with one of the codes.
func exited(err error, codes ...int) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Exit)
}

// Available reports whether there is a git command.
func Available() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// Run runs git with args in dir and returns its standard output. Git asks nothing, takes no optional locks, writes English, and works on
// the repository at dir even in a hook of another one. The error is an *Error, or Unavailable if there is no git or it refuses the
// repository.
func Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return run(ctx, dir, nil, nil, args)
}

// stopDelay is how long a cancelled command may take to end before its pipes are closed.
const stopDelay = time.Second

func run(ctx context.Context, dir string, env []string, stdin []byte, args []string) ([]byte, error) {
	var stdout bytes.Buffer
	cmd := command(ctx, dir, env, args)
	if cmd.Stdout = &stdout; stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, failure(ctx, dir, args, err, stderr.String())
	}
	return stdout.Bytes(), nil
}

// pipe runs git and calls line for each line of its output as soon as git writes it.
func pipe(ctx context.Context, dir, stdin string, args []string, line func(l []byte)) error {
	cmd := command(ctx, dir, nil, args)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return failure(ctx, dir, args, err, "")
	}
	r := bufio.NewReaderSize(out, 64<<10)
	var l []byte
	for end := error(nil); end == nil; {
		if l, end = lines.Read(r, l[:0], 1); len(l) > 0 {
			line(l) // only the start of a line longer than the buffer
		}
	}
	if err := cmd.Wait(); err != nil {
		return failure(ctx, dir, args, err, stderr.String())
	}
	return nil
}

// plain are the settings of a user that would change an output.
var plain = []string{"-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "diff.relative=false", "-c", "core.quotePath=false"}

func command(ctx context.Context, dir string, env, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"-C", dir}, plain, args)...)
	cmd.Env = append(environment(os.Environ()), env...)
	cmd.WaitDelay = stopDelay
	return cmd
}

func failure(ctx context.Context, dir string, args []string, err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return failed(ctx, dir, args, exit.ExitCode(), stderr)
	}
	return cannotRun(err)
}

func cannotRun(err error) error {
	return fault.New(fault.Unavailable, "git cannot be run: %v", err).With("install git and put it on the PATH").From(err)
}

// unexpected is the fault for output of a git command in an unknown format.
func unexpected(command, output string) error {
	return fault.New(fault.Internal, "git %s printed %q", command, output)
}

// trustCommand is the start of git's hint when it refuses a repository of another owner, such as in a container.
const trustCommand = "git config --global --add safe.directory "

// failed returns the error of a command, Unavailable if git refuses another user's repository, which a second command may tell.
func failed(ctx context.Context, dir string, args []string, exit int, stderr string) error {
	if exit == 129 || strings.Contains(strings.ToLower(stderr), "git repository") {
		probe := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--git-dir")
		probe.Env = environment(os.Environ())
		var refusal bytes.Buffer
		probe.Stderr = &refusal
		if probe.Run() != nil && strings.Contains(refusal.String(), trustCommand) {
			stderr = refusal.String()
		}
	}
	if _, path, refused := strings.Cut(stderr, trustCommand); refused {
		path, _, _ = strings.Cut(path, "\n")
		return fault.New(fault.Unavailable, "git refuses this repository: %s", reason(stderr)).
			With("if you trust it, run: " + trustCommand + path)
	}
	return &Error{Args: args, Exit: exit, Stderr: reason(stderr)}
}

// reason returns the line of stderr that names the failure: the first fatal one, else the first.
func reason(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"fatal: ", "error: "} {
			if message, ok := strings.CutPrefix(line, mark); ok {
				return message
			}
		}
		if first == "" && !strings.HasPrefix(line, "hint: ") {
			first = line
		}
	}
	return first
}

// local names the variables that bind git to one repository, which it sets in a hook: those of `git rev-parse --local-env-vars` without
// settings (`git -c`), which submodules get too. The last four change the meaning of paths.
var local = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR", "GIT_GRAFT_FILE",
	"GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS",
	"GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// environment returns env for a git command whose output this package parses. Of variables with the same name, the last counts.
func environment(env []string) []string {
	return append(ownEnvironment(env), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1")
}

// ownEnvironment returns env for a command as the user runs it, without the variables that bind git to another repository.
func ownEnvironment(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(local, name)
	})
}
