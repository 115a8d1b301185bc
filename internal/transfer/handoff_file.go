package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/discovery"
	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
)

const (
	usualADRs   = "docs/decisions" // MADR's own folder, for a project without one
	mostHanded  = 4 << 20          // bytes of an existing file to read
	markedBytes = 12               // digits of the hash in a mark
)

// marked is a document with a last line that names its record.
func marked(text []byte, id string) []byte {
	text = append(bytes.TrimRight(text, "\n"), '\n', '\n')
	return fmt.Appendf(text, "%s%s %s -->\n", decision.HandoffMark, id, sumOf(text))
}

func sumOf(text []byte) string {
	return record.Etag(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))[:markedBytes]
}

// madeOf returns the id of the record that a file was made from, "" for none, and whether the file is unchanged since.
func madeOf(src []byte) (id string, untouched bool) {
	at := bytes.LastIndex(src, []byte(decision.HandoffMark))
	if at < 0 {
		return "", false
	}
	line, rest, _ := strings.Cut(string(src[at+len(decision.HandoffMark):]), "\n")
	words := strings.Fields(line)
	if len(words) != 3 || words[2] != "-->" {
		return "", false
	}
	return words[0], strings.TrimSpace(rest) == "" && words[1] == sumOf(src[:at])
}

// writeHandoff writes the document of the record with that mark to a file of the project, unless dry, and returns the action.
func writeHandoff(ctx context.Context, st *store.Store, file, mark string, text []byte, dry bool) (action string, err error) {
	failed := func(err error) error {
		reason := err
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			reason = pe.Err // the message names the file already
		}
		return fault.New(fault.Unwritable, "%s cannot be written: %v", file, reason).
			With("look at the rights of its folder and at the space on its disk, or print the document with --dry-run").From(err)
	}
	dir, err := os.OpenRoot(st.Dir())
	if err != nil {
		return "", failed(err)
	}
	defer dir.Close()
	was, err := readBelow(dir, file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && dry:
		return handCreate, nil
	case errors.Is(err, fs.ErrNotExist):
		if err := st.Place(ctx, file, text); errors.Is(err, fs.ErrExist) {
			return "", occupied(file, "another program just made it")
		} else if err != nil {
			return "", failed(err)
		}
		return handCreated, nil
	case err != nil && !fault.Is(err, fault.Conflict):
		return "", failed(err)
	case err == nil && bytes.Equal(bytes.ReplaceAll(was, []byte("\r\n"), []byte("\n")), text):
		return handUnchanged, nil
	case dry:
		return handKept, nil
	}
	if id, untouched := madeOf(was); untouched && id == mark {
		return "", occupied(file, "it was made of an earlier text of this record, or for another pipeline, and is not written over")
	}
	return "", occupied(file, "it is there already with another text, and is not written over")
}

func occupied(file, why string) error {
	return fault.New(fault.Conflict, "%s", why).For("record").At(file, 0).
		With("move or delete it and call again, or print the document with --dry-run")
}

func readBelow(dir *os.Root, file string) ([]byte, error) {
	info, err := dir.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostHanded {
		return nil, occupied(file, "it is there already and is no file that can be read")
	}
	return dir.ReadFile(file)
}

func (h *handedRecord) hasFolder(name string) bool {
	info, err := os.Stat(filepath.Join(h.st.Dir(), name))
	return err == nil && info.IsDir()
}

var (
	numberedName = pattern.Late(`^(\D{0,8}?)(\d{1,6})\b`)
	datedName    = pattern.Late(`^\d{4}-\d{2}-\d{2}`)
)

// adrFile is the file of the record's ADR: the existing one, else the next number in the project's folder for ADRs.
func (h *handedRecord) adrFile() string {
	var folders []string
	for _, a := range append(discovery.ADRs(h.st.Dir()), discovery.ADR{Path: usualADRs + "/x.md"}) {
		if dir := path.Dir(a.Path); !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	folder := folders[0]
	existing, names := h.findHandoff(folders...)
	if existing != "" {
		return existing
	}
	prefix, width, last := "", 4, 0
	for _, name := range names[0] {
		m := numberedName().FindStringSubmatch(name)
		if m == nil || !strings.HasSuffix(name, ".md") || datedName().MatchString(name) {
			continue
		}
		if n, _ := strconv.Atoi(m[2]); n >= last {
			prefix, width, last = m[1], len(m[2]), n
		}
	}
	return path.Join(folder, fmt.Sprintf("%s%0*d-%s.md", prefix, width, last+1, h.slug))
}

var taskName = pattern.Late(`(?i)^([a-z]+)-(\d+)(?:\.\d+)* - `)

// task is the file and id of the record's task: the existing one, else the next number that no task has, archived ones included.
func (h *handedRecord) task() (file, id string) {
	folders := []string{"backlog/tasks", "backlog/drafts", "backlog/completed", "backlog/archive/tasks", "backlog/archive/drafts"}
	existing, names := h.findHandoff(folders...)
	if m := taskName().FindStringSubmatch(path.Base(existing)); m != nil {
		return existing, strings.ToLower(m[1]) + "-" + m[2]
	}
	prefix, last := "task", 0
	for n, inOne := range names {
		for _, name := range inOne {
			if m := taskName().FindStringSubmatch(name); m != nil {
				number, _ := strconv.Atoi(m[2])
				last = max(last, number)
				if n == 0 {
					prefix = strings.ToLower(m[1])
				}
			}
		}
	}
	id = prefix + "-" + strconv.Itoa(last+1)
	return cmp.Or(existing, path.Join(folders[0], id+" - "+h.slug+".md")), id
}

// findHandoff returns the file of an earlier hand-off of the record in folders of the project, and the names of the files in each.
func (h *handedRecord) findHandoff(folders ...string) (existing string, names [][]string) {
	dir, err := os.OpenRoot(h.st.Dir())
	if err != nil {
		fault.Check(fault.New(fault.Unavailable, "the project's folder cannot be read").With("look at its rights"))
	}
	defer dir.Close()
	names = make([][]string, len(folders))
	for n, folder := range folders {
		entries, err := fs.ReadDir(dir.FS(), folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			fault.Check(fault.New(fault.Unwritable, "%s cannot be read", folder).With("look at the rights of the folder").From(err))
		}
		for _, e := range entries {
			names[n] = append(names[n], e.Name())
			if existing != "" || !strings.HasSuffix(e.Name(), ".md") {
				continue
			}
			file := path.Join(folder, e.Name())
			if src, err := readBelow(dir, file); err == nil {
				if id, _ := madeOf(src); id == h.mark {
					existing = file
				}
			}
		}
	}
	return existing, names
}
