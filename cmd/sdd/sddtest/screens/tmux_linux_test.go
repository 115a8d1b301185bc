package screens

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTmux resolves a conflict, approves, searches and quits in tmux, at three sizes. What tmux shows is the screen, as a user sees it.
func TestTmux(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	const conflict = "---\ntitle: Cart\n---\n\n## Goals\n\n<<<<<<< HEAD\n- mine\n||||||| 1a2b3c4\n- old\n=======\n- yours\n>>>>>>> topic\n"
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			c := newStore(t)
			c.Write(logs, candidateFile("fact-00000000000b", "pending", "Logs are JSON."))
			c.Write(".sdd/explore/cart.md", conflict)
			server := fmt.Sprintf("sdd-%d-%d", os.Getpid(), size[0])
			tmux := func(args ...string) string {
				t.Helper()
				return c.Must(0, "tmux", append([]string{"-L", server, "-f", "/dev/null"}, args...)...)
			}
			tmux("new-session", "-d", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]), "sdd; echo status $?; cat")
			t.Cleanup(func() { tmux("kill-server") })
			await := func(texts ...string) {
				t.Helper()
				for t.Context().Err() == nil {
					screen, all := tmux("capture-pane", "-p"), true
					for _, text := range texts {
						all = all && strings.Contains(screen, text)
					}
					if all {
						return
					}
				}
			}
			press := func(keys ...string) { t.Helper(); tmux(append([]string{"send-keys"}, keys...)...) }
			await("1 Conflicts  1/1", "> markers", "2 Review  1", "pending", "4 Records", "q quit   Enter open")
			press("Enter")
			await("> Conflict 1 of 1", "1 ours · HEAD", "- old", "3 theirs · topic", "2 base   3 theirs   4 both")
			press("3")
			await("took theirs in line 7")
			if got := c.Read(".sdd/explore/cart.md"); !strings.HasSuffix(got, "## Goals\n\n- yours\n") {
				t.Errorf("after the choice:\n%s", got)
			}
			press("Escape")
			await("1 Conflicts  none")
			press("2")
			await("2 Review  1/1", "> pending", "a approve   r reject")
			press("a")
			await("approved: Logs are JSON.", "2 Review  none")
			press("/", "cart", "Enter")
			await("/cart", "> ", "Cart")
			press("q")
			await("status 0")
		})
	}
}
