package store

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// holder names the process that has f locked, "" when the system does not name it.
func holder(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	locks, _ := os.ReadFile("/proc/locks")
	for line := range strings.Lines(string(locks)) { // 1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF
		w := strings.Fields(line)
		if len(w) < 6 || w[1] != "FLOCK" || !strings.HasSuffix(w[5], fmt.Sprintf(":%d", stat.Ino)) {
			continue
		}
		if name, err := os.ReadFile("/proc/" + w[4] + "/comm"); err == nil {
			return "process " + w[4] + " (" + strings.TrimSpace(string(name)) + ")"
		}
	}
	return ""
}
