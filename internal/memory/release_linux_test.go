package memory

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestReleaseProgram holds the call to giving pages back, and the program to running on.
func TestReleaseProgram(t *testing.T) {
	pages := func() int { // of files, in KiB
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Skip(err)
		}
		_, rest, _ := strings.Cut(string(status), "RssFile:")
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := pages()
	ReleaseProgram()
	if after := pages(); after >= before {
		t.Errorf("%d KiB of files were in memory, and %d KiB still are", before, after)
	}
}
