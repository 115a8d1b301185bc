package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// procField returns the number of a field in a file of /proc.
func procField(pid int, file, name string) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.ParseInt(strings.Fields(value)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, name)
}

// peakMemory returns the peak memory of a process, in MiB.
func peakMemory(pid int) (float64, error) {
	kb, err := procField(pid, "status", "VmHWM")
	return float64(kb) / 1024, err
}

// memory returns the present memory of a process, its program included, in MiB.
func memory(pid int) (float64, error) {
	kb, err := procField(pid, "status", "VmRSS")
	return float64(kb) / 1024, err
}

// bytesWritten returns the bytes that a process has written to disk.
func bytesWritten(pid int) (int64, error) { return procField(pid, "io", "write_bytes") }

// cpuTime returns the processor time of a process.
func cpuTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(b), ") ") // the name before may contain anything
	f := strings.Fields(rest)
	if !ok || len(f) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat is odd", pid)
	}
	const tick = time.Second / 100 // USER_HZ
	var ticks time.Duration
	for _, s := range f[11:13] { // utime, stime
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += time.Duration(n)
	}
	return ticks * tick, nil
}

// syncDisks waits for pending writes to disk, which would slow the next measurement.
func syncDisks() { syscall.Sync() }

// fileSystem names the file system of a folder.
func fileSystem(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "an unknown file system"
	}
	switch s.Type {
	case unix.EXT4_SUPER_MAGIC:
		return "ext4"
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs"
	case unix.TMPFS_MAGIC:
		return "tmpfs (in memory: durable writes cost nothing there)"
	}
	return fmt.Sprintf("file system 0x%x", s.Type)
}
