//go:build !unix

package transport

import "os"

// guardStdout returns standard output. Until restore, other output to os.Stdout goes to standard error.
func guardStdout() (own *os.File, restore func()) {
	own = os.Stdout
	os.Stdout = os.Stderr
	return own, func() { os.Stdout = own }
}
