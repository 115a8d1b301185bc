package store

import (
	"io"
	"io/fs"
	"os"
)

// list calls f for the visible entries of an open folder.
func list(d *os.File, f func(name string, kind fs.FileMode, st Stat) error) error {
	for {
		entries, err := d.ReadDir(1024)
		for _, e := range entries {
			fi, err := e.Info()
			if err != nil || hidden(e.Name()) {
				continue // gone meanwhile, or hidden
			}
			if err := f(e.Name(), fi.Mode().Type(), statOf(fi)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
