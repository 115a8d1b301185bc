//go:build unix

package screens

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestInterrupt: Ctrl-C ends every command that waits for its input, with what a shell expects, and nothing is saved.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"explore Topic --context -", "explore Topic --file -", "learn -", "decide capture -", "import -", "--json explore Topic --goals -",
	} {
		t.Run(command, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command("sdd", append([]string{"--dir", dir}, strings.Fields(command)...)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// More than a pipe holds: when all is written, the command reads.
			if _, err := in.Write(bytes.Repeat([]byte("a line of text\n"), 8<<10)); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 130 || stderr.String() != "sdd: interrupted\n" {
				t.Errorf("exit code %d, standard error %q", code, stderr.String())
			}
			if want := `"code": "interrupted"`; strings.HasPrefix(command, "--json") != strings.Contains(stdout.String(), want) {
				t.Errorf("standard output %q", stdout.String())
			}
			if _, err := os.Stat(dir + "/.sdd"); err == nil {
				t.Error("a store was made")
			}
		})
	}
}
