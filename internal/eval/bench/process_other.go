//go:build !linux

package bench

import "time"

func peakMemory(int) (float64, error)    { return 0, errLinuxOnly }
func memory(int) (float64, error)        { return 0, errLinuxOnly }
func bytesWritten(int) (int64, error)    { return 0, errLinuxOnly }
func cpuTime(int) (time.Duration, error) { return 0, errLinuxOnly }
func syncDisks()                         {}
func fileSystem(string) string           { return "an unnamed file system" }
