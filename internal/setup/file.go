package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"sdd/internal/atomicfile"
	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

type ownedFile struct {
	path   string // as its owner's program reads it
	target string // the file itself: behind links
	link   bool
	exists bool
	src    []byte
	mode   fs.FileMode
}

// maxOwned is the limit for the size. Claude Code keeps its conversations in the file of its servers.
const maxOwned = 64 << 20 // bytes

// openOwned reads a file, which need not exist. It follows links, as managers of dotfiles need it: writes change the link's target. root
// is the project's folder, "" for a file of the user. The target of a project's file must be in the project: a cloned repository must not
// choose a file elsewhere that is written.
func openOwned(path, root string) (*ownedFile, error) {
	f := &ownedFile{path: path, mode: 0o644}
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		f.link = true
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.link:
		return nil, f.fault(fault.Broken, "it is a link that leads nowhere", "make the file that it leads to, or delete it")
	case errors.Is(err, fs.ErrNotExist):
		f.target = filepath.Join(realFolder(filepath.Dir(path)), filepath.Base(path))
	case err != nil:
		return nil, f.fault(fault.Unwritable, "it cannot be read: "+plainError(err), "make it readable")
	case !info.Mode().IsRegular():
		return nil, f.fault(fault.Broken, "it is no regular file", "put a file in its place")
	case info.Size() > maxOwned:
		return nil, f.fault(fault.Broken, fmt.Sprintf("it is larger than %d MiB", maxOwned>>20), "add the lines by hand")
	default:
		f.exists, f.mode = true, info.Mode().Perm()
		if f.target, err = filepath.EvalSymlinks(path); err == nil {
			f.src, err = readWhole(f.target)
		}
		if errors.Is(err, fs.ErrNotExist) { // another process just removed it
			return openOwned(path, root)
		}
		if err != nil {
			return nil, f.fault(fault.Unwritable, "it cannot be read: "+plainError(err), "make it readable")
		}
	}
	if root != "" && !below(realFolder(root), f.target) {
		return nil, f.fault(fault.Outside, "a link leads out of the project, to "+filepath.ToSlash(f.target),
			"put a file of the project in its place, or set up your own file: --user")
	}
	return f, nil
}

func readWhole(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxOwned+1))
}

func plainError(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

func (f *ownedFile) fault(code fault.Code, text, hint string) error {
	return fault.New(code, "%s", text).With(hint).At(filepath.ToSlash(f.path), 0)
}

// foldersAbove counts the folders directly above a path that are missing or among those that were made.
func foldersAbove(path string, made map[string]bool) (n int) {
	for at := filepath.Dir(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !made[at] && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		n++
	}
	return n
}

// removeEmptyFolders removes at most n folders above a path while they are empty and not one to keep.
func removeEmptyFolders(path string, n int, keep ...string) {
	for at := filepath.Dir(path); n > 0 && !slices.Contains(keep, at) && os.Remove(at) == nil; n-- {
		at = filepath.Dir(at)
	}
}

// put replaces the file in one step and keeps its mode, or removes it, unless another program changed it since it was read.
func (f *ownedFile) put(data []byte, exists bool) error {
	now, err := readWhole(f.target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || (err == nil) != f.exists || !bytes.Equal(now, f.src) {
		return f.fault(fault.Conflict, "another program changed it just now", "run this again")
	}
	if exists {
		if err := replaceFile(f.target, data, f.mode); err != nil {
			return f.fault(fault.Unwritable, "it cannot be written: "+plainError(err), "make the file and its folder writable")
		}
	} else if err := os.Remove(f.target); err != nil {
		return f.fault(fault.Unwritable, "it cannot be removed: "+plainError(err), "make its folder writable")
	}
	return nil
}

// replaceFile replaces the file at path in one step, with that mode, and makes missing folders. After an error the file is as it was.
func replaceFile(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.Replace(path, data, mode)
}

// Unignore adds lines to the .gitignore beside the store so that git includes its records, and returns them; none when git includes the
// records already. All other bytes stay. After an error the file is as it was.
func Unignore(ctx context.Context, st *store.Store) (added []string, err error) {
	name := filepath.Join(st.Dir(), ".gitignore")
	before, err := os.ReadFile(name)
	existed := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannotUnignore(err)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	defer func() {
		if err != nil && len(added) > 0 {
			added = nil
			if existed {
				_ = replaceFile(name, before, mode)
			} else {
				_ = os.Remove(name)
			}
		}
	}()
	newline := lines.Newline(before)
	text := string(before)
	// The first line includes the folder, the second the files in it that patterns such as * or *.md match.
	for _, line := range []string{"!/" + store.Folder + "/", "!/" + store.Folder + "/**"} {
		i, err := st.Ignored(ctx)
		if i == nil || err != nil {
			return added, err
		}
		if i.Above {
			return added, fault.New(fault.Conflict, "%s", i.Text()).With(i.Fix())
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += newline
		}
		text += line + newline
		added = append(added, line)
		if err := replaceFile(name, []byte(text), mode); err != nil {
			return added, cannotUnignore(err)
		}
	}
	i, err := st.Ignored(ctx)
	if i != nil {
		err = fault.New(fault.Conflict, "%s", i.Text()).With("take the pattern out by hand")
	}
	return added, err
}

func cannotUnignore(err error) error {
	return fault.New(fault.Unwritable, "it cannot be changed: %s", plainError(err)).At(".gitignore", 0).
		With("add the line !/" + store.Folder + "/ to it by hand")
}

const diffColumns = 240 // of a line, in characters

// unifiedDiff shows a change of a file, "" when nothing differs. It masks secrets, and shortens long lines.
func unifiedDiff(name string, before, after []byte, existed, exists bool) string {
	from, to := name, name
	if !existed {
		from = "/dev/null"
	}
	if !exists {
		to = "/dev/null"
	}
	_, text, _ := strings.Cut(string(diff.Diff(from, masked(before), to, masked(after))), "\n") // without the line "diff from to"
	var b strings.Builder
	lines := slices.Collect(strings.Lines(text))
	shared := 0 // the length of what an old and a new line share at their start
	for i, line := range lines {
		switch line = strings.TrimRight(line, "\r\n"); line[0] {
		case '@':
			line = strings.ReplaceAll(line, ",1 ", " ")
		case '-':
			next := slices.IndexFunc(lines[i+1:], func(l string) bool { return l[0] != '\\' })
			if shared = 0; next >= 0 && lines[i+1+next][0] == '+' {
				for other := lines[i+1+next]; 1+shared < min(len(line), len(other)) && line[1+shared] == other[1+shared]; shared++ {
				}
			}
			line = cutLine(line, shared)
		case '+':
			line = cutLine(line, shared)
			shared = 0
		case ' ':
			line = cutLine(line, 0)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// cutLine returns a line of a diff, of a long one the part around an offset.
func cutLine(line string, at int) string {
	kind, s := line[:1], line[1:]
	if utf8.RuneCountInString(s) <= diffColumns {
		return line
	}
	start := max(min(at-diffColumns/4, len(s)-diffColumns), 0)
	end := min(start+diffColumns, len(s))
	text := strings.ToValidUTF8(s[start:end], "")
	if start > 0 {
		text = "… " + text
	}
	if end < len(s) {
		text += " …"
	}
	return kind + text
}

// masked returns a text with "…" in place of secrets.
func masked(src []byte) []byte {
	var b bytes.Buffer
	at := 0
	for _, s := range secrets.Scan(src) {
		b.Write(src[at:s.Start])
		b.WriteString("…")
		at = s.End
	}
	b.Write(src[at:])
	return b.Bytes()
}
