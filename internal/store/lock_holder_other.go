//go:build !linux

package store

import "os"

func holder(*os.File) string { return "" }
