package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// pathOf returns the file of a file: URI, "" for any other text.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		if path = strings.TrimPrefix(path, "/"); u.Host != "" {
			path = "//" + u.Host + u.Path
		}
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// within returns the path of a file relative to a folder, with slashes; ok is false outside of the folder. Symbolic links in both
// are followed when they differ as written.
func within(dir, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, file)
	if err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	folder, name := filepath.Split(file)
	if at, err := filepath.EvalSymlinks(folder); err == nil {
		file = filepath.Join(at, name)
	}
	rel, err = filepath.Rel(real, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
