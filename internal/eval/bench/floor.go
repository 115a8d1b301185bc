package bench

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeDurably is the least work for a durable write of a file: a temporary file, fsync, rename, fsync of the
// folder. It is the floor of every save.
func writeDurably(path string, data []byte) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".raw-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && os.PathSeparator == '/' { // Windows cannot
		return err
	}
	return nil
}

// walkRecords calls visit for every Markdown file below dir.
func walkRecords(dir string, visit func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return visit(path, info)
	})
}

// statAll calls stat for every record, the least work of a start with a cache.
func statAll(dir string) error {
	return walkRecords(dir, func(string, fs.FileInfo) error { return nil })
}

// readAll reads every record, the least work of a start without a cache.
func readAll(dir string) error {
	return walkRecords(dir, func(path string, _ fs.FileInfo) error {
		_, err := os.ReadFile(path)
		return err
	})
}
