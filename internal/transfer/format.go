package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/discovery"
	"sdd/internal/fault"
	"sdd/internal/transcript"
)

// Names of the formats besides IdeasJSONL.
const (
	Engram      = "engram"
	Hoofy       = "hoofy"
	Memory      = "memory"
	BasicMemory = "basic-memory"
	MADR        = "madr"
	ADRTools    = "adr-tools"
	Backlog     = "backlog"

	ClaudeMemory = "claude-memory"
)

// Format is the format of another program's records.
type Format struct {
	Name   string
	About  string
	Folder bool // a folder of files; else one file
	Any    bool // of an import: a file, a folder or several

	read func(format string, ask Ask) reading // it may end by fault.Check
}

// Formats lists the formats of Import besides ideas.jsonl, in the order of help.
func Formats() []Format {
	return []Format{
		{Name: Hoofy, About: "Hoofy's memory as JSON: an export, or the rows of its observations", read: readObservations},
		{Name: Engram, About: "engram's memory as JSON: what engram export writes", read: readObservations},
		{Name: Memory, About: "the MCP memory server's knowledge graph (memory.json, memory.jsonl)", read: readGraph},
		{Name: BasicMemory, About: "a folder of basic-memory notes", Folder: true, read: readNotes},
		{Name: MADR, About: "a folder of decision records as MADR 2, 3 and 4 have them", Folder: true, read: readDecisions},
		{Name: ADRTools, About: "a folder of decision records as adr-tools and Nygard have them", Folder: true, read: readDecisions},
		{Name: Backlog, About: "the decisions of Backlog.md (backlog/decisions)", Folder: true, read: readDecisions},
		{Name: ClaudeMemory, Any: true,
			About: "rules and memories of Claude Code, Gemini, Cursor, Windsurf, Copilot, Kiro: a file, a project, ~/.claude",
			read:  readMemories},
	}
}

// Ask is what to import.
type Ask struct {
	Path    string   // a file, or a folder
	More    []string // further ones, of a format with Any
	Project string   // whose memories to import, from a format with several projects; AnyProject is all
	Root    string   // the folder of the project; "" is the store's
	Own     string   // the project of the store; Import sets it
}

// AnyProject selects every project.
const AnyProject = "*"

const (
	mostExport   = 256 << 20 // bytes of a file
	mostDocument = 4 << 20   // bytes of a file in a folder
	mostFiles    = 100_000
)

// Import imports ask.Path, which is in the format of that name. The result lists what it leaves out: a bad line or file does not stop
// the others. Importing again changes nothing. An error ends the import, and what was stored until then stays. It calls progress,
// unless nil, after each item.
//
// Faults: Invalid (an unknown format, a file in another format), NotFound, Unavailable (it cannot be read), those of the store.
func Import(ctx context.Context, u Uses, format string, ask Ask, progress func(n int)) (_ Brought, err error) {
	defer fault.Caught(&err)
	i := slices.IndexFunc(Formats(), func(f Format) bool { return f.Name == format })
	if i < 0 {
		return Brought{}, fault.New(fault.Invalid, "format %q is unknown", format).For("format")
	}
	f := Formats()[i]
	st, err := os.Stat(ask.Path)
	switch {
	case err != nil:
		return Brought{}, unreadable(ask.Path, err)
	case f.Folder && !st.IsDir():
		return Brought{}, fault.New(fault.Invalid, "%s is a folder of files, and %q is a file", f.Name, ask.Path).For("FILE").
			With("give the folder")
	case !f.Folder && !f.Any && st.IsDir():
		return Brought{}, fault.New(fault.Invalid, "%q is a folder", ask.Path).For("FILE").With("give a file")
	}
	ask.Root = cmp.Or(ask.Root, u.Store.Dir())
	if ask.Own = u.Store.Project(); ask.Project == "" {
		ask.Project = ask.Own
	}
	read := f.read(format, ask)
	fault.Check(u.Index.Refresh(ctx))
	if in := readInPlace(ask.Root, ask.Path); in != "" && f.Folder && f.Name != BasicMemory {
		read.notes = append(read.notes, "the decision records in "+in+
			" are read where they are too: take that folder away once they are here, or each is shown twice")
	}
	return storeItems(ctx, u, format, read, progress)
}

// readInPlace returns a folder below root whose decision records sdd reads without an import, if path is or contains it; else "".
func readInPlace(root, folder string) string {
	abs, _ := filepath.Abs(folder)
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	prefix := filepath.ToSlash(rel) + "/"
	for _, a := range discovery.ADRs(root) {
		if prefix == "./" || strings.HasPrefix(a.Path, prefix) {
			return path.Dir(a.Path)
		}
	}
	return ""
}

func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "there is no file %q", path).For("FILE").With("give its path, or - for standard input")
	}
	return fault.New(fault.Unavailable, "%q cannot be read: %v", path, err).For("FILE").With("look at its rights")
}

func readWhole(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	if int64(len(src)) > most {
		return nil, fault.New(fault.Invalid, "%q has more than %d bytes", path, most).For("FILE").With("split it")
	}
	return src, nil
}

// Detect returns the format of a file or folder, ideas.jsonl included: the only one that fits its content.
// Faults: Invalid when none or several fit, NotFound, Unavailable.
func Detect(path string) (_ string, err error) {
	defer fault.Caught(&err)
	st, err := os.Stat(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	detect := detectFile
	if st.IsDir() {
		detect = detectFolder
	}
	switch found := detect(path); len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := IdeasJSONL
		for _, f := range Formats() {
			names += ", " + f.Name
		}
		return "", fault.New(fault.Invalid, "the format of %q is none that is known", path).For("format").
			With("give --format: " + names + ", " + transcript.Names())
	default:
		return "", fault.New(fault.Invalid, "%q may be %s", path, strings.Join(found, " or ")).For("format").
			With("give --format with the one that it is")
	}
}

func detectFile(path string) []string {
	src := readExported(path)
	var o map[string]json.RawMessage
	for _, line := range linesOf(src) {
		_ = json.Unmarshal(line, &o) // the first line decides; the file may be one object on many lines
		break
	}
	has := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(k string) bool { _, ok := o[k]; return !ok })
	}
	kind, _ := readString(o["type"])
	switch {
	case kind == "entity" && has("name", "entityType"), kind == "relation" && has("from", "to", "relationType"):
		return []string{Memory}
	case has("color", "content"):
		return []string{IdeasJSONL}
	}
	return detectExport(src)
}

// detectFolder returns the formats of the Markdown files in a folder that can have only one format.
func detectFolder(folder string) []string {
	files, _ := markdownFiles(folder)
	var found []string
	for _, f := range files {
		d, err := parseMarkdown(f)
		if err != nil || d.template() {
			continue
		}
		if style := d.style(); style != "" && !slices.Contains(found, style) {
			found = append(found, style)
		}
	}
	// Any text may be a note: the folder contains notes only when it contains no decision record.
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(f string) bool { return f == BasicMemory })
	}
	return found
}

type folderFile struct {
	name string // relative to the folder, with slashes
	src  []byte
}

// markdownFiles reads the Markdown files below a folder, sorted by name, without hidden ones; left are those that it cannot read.
func markdownFiles(path string) (files []folderFile, left []Left) {
	root, err := os.OpenRoot(path)
	if err != nil {
		fault.Check(unreadable(path, err))
	}
	defer root.Close()
	fault.Check(fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		leave := func(why string) error {
			left = append(left, Left{From: name, Why: why})
			return nil
		}
		hidden := name != "." && e != nil && strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			leave("it cannot be read")
			fallthrough
		case hidden:
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() || !strings.EqualFold(filepath.Ext(name), ".md"):
			return nil
		case !e.Type().IsRegular():
			return leave("it is no regular file")
		case len(files) == mostFiles:
			return fault.New(fault.Invalid, "the folder holds more than %d Markdown files", mostFiles).For("FILE").With("give a smaller folder")
		}
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return leave("it cannot be read")
		}
		defer f.Close()
		src, err := io.ReadAll(io.LimitReader(f, mostDocument+1))
		switch {
		case err != nil:
			return leave("it cannot be read")
		case len(src) > mostDocument:
			return leave(fmt.Sprintf("it has more than %d bytes", mostDocument))
		}
		files = append(files, folderFile{name, src})
		return nil
	}))
	slices.SortFunc(files, func(a, b folderFile) int { return natural(a.name, b.name) })
	return files, left
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
