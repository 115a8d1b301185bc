package check

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// selection returns a filter for the files that the report covers, nil for all files, and the paths that are not in .sdd.
func (c *checker) selection(o Options) (wanted func(path string) bool, outside []string) {
	if len(o.Paths) == 0 {
		return nil, nil
	}
	work := fault.Must(filepath.Abs(o.WorkDir))
	var prefixes []string
	for _, p := range o.Paths {
		rel := c.locate(p, work)
		if prefixes = append(prefixes, rel); rel == "" {
			outside = append(outside, p)
		}
	}
	return func(path string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool {
			return prefix == "." || path == prefix || strings.HasPrefix(path, prefix+"/")
		})
	}, outside
}

// locate returns a path relative to .sdd, "" outside. It may be relative to the working directory, the store's root or .sdd.
func (c *checker) locate(p, work string) string {
	sdd := filepath.Join(c.root, store.Folder)
	tries := []string{p}
	if !filepath.IsAbs(p) {
		tries = []string{filepath.Join(work, p), filepath.Join(c.root, p), filepath.Join(sdd, p)}
	}
	for _, abs := range tries {
		if _, err := os.Lstat(abs); err == nil {
			return below(abs, sdd)
		} else if !errors.Is(err, os.ErrNotExist) {
			fault.Check(fault.New(fault.Invalid, "%q cannot be looked at", p).For("PATH").With("name a file or folder under " + store.Folder))
		}
	}
	fault.Check(fault.New(fault.NotFound, "there is no file or folder %q", p).For("PATH").
		With("name files and folders relative to this folder, or to " + store.Folder))
	return ""
}

// below returns the part of the store that a path covers, relative to .sdd.
func below(abs, sdd string) string {
	realStore, _ := filepath.EvalSymlinks(sdd) // "" for a path that does not exist
	real, _ := filepath.EvalSymlinks(abs)
	for _, pair := range [][2]string{{sdd, abs}, {cmp.Or(realStore, sdd), cmp.Or(real, abs)}} {
		if rel, err := filepath.Rel(pair[0], pair[1]); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		if rel, err := filepath.Rel(pair[1], pair[0]); err == nil && filepath.IsLocal(rel) {
			return "." // a folder that holds the store
		}
	}
	return ""
}

// collisions finds pages whose path equals another one of paths on a file system that ignores case or normalises accents.
func collisions(pages []*page, paths []string) {
	same := map[string][]string{}
	for _, path := range paths {
		key := foldPath(path)
		same[key] = append(same[key], path)
	}
	for _, p := range pages {
		if twins := otherFiles(same[foldPath(p.path)], p.path); twins != "" {
			p.add(ruleCollision, place{}, p.path, fmt.Sprintf("on macOS and Windows this name and %s are one", twins), "rename one of the files")
		}
	}
}

// foldPath returns the same text for paths that such file systems take for one.
func foldPath(path string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(path))))
}

// portable adds a finding for a name that Windows refuses.
func (c *checker) portable(p *page) {
	for part := range strings.SplitSeq(p.path, "/") {
		if why := refusedName(part); why != "" {
			p.add(ruleName, place{}, part, fmt.Sprintf("Windows refuses the name %q: %s", part, why), "rename it")
			return
		}
	}
}

// refusedName returns why Windows refuses a name, "" when it does not.
func refusedName(name string) string {
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*\`, r) }); i >= 0 {
		return fmt.Sprintf("it holds %q", name[i])
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return "it ends with a full stop or a blank"
	}
	// Windows ignores what follows the first full stop, and blanks before it.
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	if record.IsDevice(strings.TrimRight(stem, " ")) {
		return "it is that of a device"
	}
	return ""
}

// linesOf returns how many lines a file has, -1 when they cannot be counted. Many records link to few files, so each is counted once.
func (c *checker) linesOf(abs string) int {
	if known, ok := c.counts[abs]; ok {
		return known
	}
	n := -1
	if fi, err := os.Stat(abs); err == nil && fi.Mode().IsRegular() && fi.Size() <= mostRead {
		if src, err := os.ReadFile(abs); err == nil {
			n = countLines(src)
		}
	}
	c.counts[abs] = n
	return n
}

// countLines returns the number of lines in src; a last line without an end counts.
func countLines(src []byte) (n int) {
	for range bytes.Lines(src) {
		n++
	}
	return n
}
