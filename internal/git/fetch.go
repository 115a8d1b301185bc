package git

import (
	"context"
	"os"
	"strings"
)

// batch is the option of ssh that makes it fail where it would ask.
const batch = " -o BatchMode=yes"

// SSHCommand returns the user's command for ssh in the repository at dir, with the option that it asks for nothing.
func SSHCommand(ctx context.Context, dir string) string {
	ssh := os.Getenv("GIT_SSH_COMMAND")
	if ssh == "" {
		out, _ := Run(ctx, dir, "config", "--get", "core.sshCommand")
		ssh = line(out)
	}
	if ssh == "" {
		ssh = "ssh"
	}
	return strings.TrimSuffix(ssh, batch) + batch
}

// Fetch runs git fetch with args in dir, with the user's credentials, and gives it stdin. It never asks for a password, a
// passphrase or a host's key, and starts no program that the remote's address names. The fault is that of Run.
func Fetch(ctx context.Context, dir, stdin string, args ...string) error {
	env := []string{"GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"}
	if os.Getenv("GIT_SSH") == "" || os.Getenv("GIT_SSH_COMMAND") != "" {
		env = append(env, "GIT_SSH_COMMAND="+SSHCommand(ctx, dir))
	}
	_, err := run(ctx, dir, env, []byte(stdin), append([]string{
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.negotiationAlgorithm=noop",
		"fetch", "--quiet", "--no-tags", "--recurse-submodules=no",
	}, args...))
	if e, ok := err.(*Error); ok {
		e.Args = []string{"fetch"}
		e.Stderr = strings.TrimSpace(e.Stderr)
	}
	return err
}
