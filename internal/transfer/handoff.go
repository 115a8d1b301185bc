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
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
)

// A hand-off turns an exploration or a decision into the first document of another workflow: a file when the workflow has a place for
// it, else a text. The last line of a file names its record, with a hash of the other lines, so that a later hand-off finds the file
// whatever its number. A hand-off never overwrites a file, not even one of the same record, since the work there may have begun.

// HandoffSources is the access to the records to hand off.
type HandoffSources struct {
	Store     *store.Store
	Index     *index.Index
	Decisions *decision.Decisions
}

// HandoffAsk is the record to hand off, and the target.
type HandoffAsk struct {
	ID      string // id, topic key, title or file of an exploration or decision
	Project string // needed when several records have the name
	Scope   string
	To      string // one of HandoffTargets; "" is handoff.to of config.yaml, else the pipeline in use
	DryRun  bool   // write nothing
}

// Handoff is a document for another workflow.
type Handoff struct {
	To     string `json:"to"`
	Source string `json:"source"` // the id of the record
	Title  string `json:"title"`
	File   string `json:"file"`   // from the project's folder; "" for a text without a place
	Action string `json:"action"` // created or unchanged; in a dry run create, unchanged or kept (another text is there); print
	Text   string `json:"text"`
	Next   string `json:"next"` // the next step in the other workflow
}

const (
	handCreated, handUnchanged, handPrint = "created", "unchanged", "print"
	handCreate, handKept                  = "create", "kept"
)

type target struct {
	name string
	// write makes the document; file is "" when the workflow has no place for one.
	write func(h *handedRecord) (file string, text []byte)
	next  string // the next step; %s is the slug, %r the record's id
}

var targets = []target{
	{"openspec", (*handedRecord).openSpec, "add specs and tasks with /opsx:continue %s, then run openspec validate %s"},
	{"spec-kit", (*handedRecord).specKit, "give the first part to /speckit.specify and the second to /speckit.plan"},
	{"hoofy", (*handedRecord).hoofy, "give the parts to sdd_init_project for a new project, to sdd_change for existing code"},
	{"gentle-ai", (*handedRecord).gentleAI, "go on with /sdd-continue %s"},
	{"backlog", (*handedRecord).backlog, "look at it with backlog board, and plan it"},
	{"adr", (*handedRecord).adr, "read it, and commit it"},
	{"github-issue", (*handedRecord).issue, "sdd handoff %r --to github-issue | gh issue create --title TITLE --body-file -"},
}

// HandoffTargets lists the names of the targets.
func HandoffTargets() (names []string) {
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// HandOff makes the document and, unless it is a dry run, its file. It never changes an existing file. Faults: Invalid (arguments,
// another kind of record, no target), NotFound, Ambiguous, Broken, Conflict (the file exists with another text), Unwritable.
func HandOff(ctx context.Context, from HandoffSources, a HandoffAsk) (_ Handoff, err error) {
	defer fault.Caught(&err)
	t := targetOf(from.Store, a.To)
	h := newHandedRecord(ctx, from, a)
	file, text := t.write(h)
	out := Handoff{To: t.name, Source: h.id, Title: h.title, File: file, Action: handPrint, Text: string(text)}
	out.Next = strings.NewReplacer("%s", h.slug, "%r", h.id).Replace(t.next)
	if file == "" {
		if t.name == "openspec" || t.name == "backlog" { // its files are in a folder of that name
			out.Next = fmt.Sprintf("no file is written without the folder %s: run %s init, and hand it off again", t.name, t.name)
		}
		return out, nil
	}
	text = marked(text, h.mark)
	out.Text = string(text)
	out.Action, err = writeHandoff(ctx, from.Store, file, h.mark, text, a.DryRun)
	return out, err
}

// targetOf returns the target of that name, else the configured one, else that of the pipeline in use.
func targetOf(st *store.Store, name string) target {
	cfg := fault.Must(st.Config())
	section, _ := cfg.Sections["handoff"].(map[string]any)
	to, _ := section["to"].(string)
	given := strings.ToLower(cmp.Or(strings.TrimSpace(name), strings.TrimSpace(to)))
	if given == "" {
		given = explore.Pipeline(st.Dir(), cfg.Pipeline)
	}
	allowed := "allowed: " + strings.Join(HandoffTargets(), ", ")
	if given == "" {
		fault.Check(fault.New(fault.Invalid, "to is required: no pipeline is in use here").For("to").
			With(allowed + "; handoff.to in .sdd/config.yaml sets it for good"))
	}
	i := slices.IndexFunc(targets, func(t target) bool { return t.name == given })
	if i < 0 {
		fault.Check(fault.New(fault.Invalid, "nothing can be handed to %q", record.Brief(given)).For("to").With(allowed))
	}
	return targets[i]
}

type handedRecord struct {
	st        *store.Store
	id        string
	mark      string // its id, with the project when it is not the store's own
	kind      record.Kind
	title     string
	slug      string
	date      string              // YYYY-MM-DD, "" when unknown
	text      map[string]string   // sections of an exploration by key, contained
	sections  []part              // of a decision, unchanged
	decisions []decision.Decision // the exploration's decisions, or the decision to hand off
}

func newHandedRecord(ctx context.Context, from HandoffSources, a HandoffAsk) *handedRecord {
	if strings.TrimSpace(a.ID) == "" {
		fault.Check(fault.New(fault.Invalid, "record is required").For("record").
			With("give an exploration or decision; sdd search --type explore lists them"))
	}
	fault.Check(from.Index.Refresh(ctx))
	e := fault.Must(lookup.One(from.Index, a.ID, a.Project, a.Scope))
	f := fault.Must(from.Store.Read(e.Path))
	if err := record.Writable(f.Bytes); err != nil {
		broken := *fault.Of(err)
		fault.Check(broken.At(e.File, broken.Line))
	}
	r := record.Parse(e.Path, f.Bytes, record.Defaults{Project: from.Store.Project()})
	h := &handedRecord{
		st: from.Store, id: e.ID, mark: e.ID, kind: e.Kind,
		title: record.OneLine(r.Title), slug: record.Slug(r.Title), date: day(r.Created), text: map[string]string{},
	}
	if e.Kind == record.Exploration && !strings.EqualFold(e.Project, from.Store.Project()) {
		h.mark += "@" + record.Slug(e.Project)
	}
	all := fault.Must(from.Decisions.All(ctx))
	preamble := contained(withoutTitle(r.Preamble, h.title))
	switch e.Kind {
	case record.Exploration:
		var others []part // sections without a place of their own; they go to the context
		for _, s := range r.Sections {
			text := contained(s.Text)
			if s.Key == "" {
				others = append(others, part{s.Name, text})
			} else { // the same section may appear more than once
				h.text[s.Key] = labelled(part{"", h.text[s.Key]}, part{"", text})
			}
		}
		h.text["context"] = labelled(append([]part{{"", preamble}, {"", h.text["context"]}}, others...)...)
		for _, d := range all {
			if d.Source == e.ID && !d.InPlace && (d.Effective() == "accepted" || d.Effective() == "proposed") {
				h.decisions = append(h.decisions, d)
			}
		}
		slices.SortFunc(h.decisions, func(a, b decision.Decision) int { return strings.Compare(a.ID, b.ID) })
	case record.Decision:
		h.sections = []part{{"", preamble}}
		end := 0 // the last section's last line
		for _, s := range r.Sections {
			if s.Text == "" || s.Line < end {
				continue // empty, or inside the last section
			}
			end = s.TextLine + strings.Count(s.Text, "\n") + 1
			text := contained(s.Text)
			if i := slices.IndexFunc(h.sections, func(p part) bool { return strings.EqualFold(p.heading, s.Name) }); i >= 0 {
				h.sections[i].text = labelled(part{"", h.sections[i].text}, part{"", text})
			} else {
				h.sections = append(h.sections, part{s.Name, text})
			}
			if s.Key == "context" || strings.HasPrefix(strings.ToLower(s.Name), "context") {
				h.text["context"] = labelled(part{"", h.text["context"]}, part{"", text})
			}
		}
		for _, d := range all {
			if d.ID == e.ID {
				h.decisions, h.date = []decision.Decision{d}, d.When()
			}
		}
	default:
		fault.Check(fault.New(fault.Invalid, "%s is of type %s: explorations and decisions can be handed off", e.ID, e.Type()).For("record").
			With("save what it led to with sdd explore or sdd decide, and hand that off"))
	}
	hasText := slices.ContainsFunc(h.sections, func(p part) bool { return p.text != "" })
	for _, t := range h.text {
		hasText = hasText || t != ""
	}
	if len(h.decisions) == 0 && !hasText {
		fault.Check(fault.New(fault.Invalid, "%s says nothing yet", e.ID).For("record").
			With("save its goals, constraints, decisions or context first"))
	}
	return h
}

func day(time string) string { return time[:min(len(time), len("2006-01-02"))] }

type part struct{ heading, text string }

// contained returns a text whose Markdown cannot affect the text that follows; it closes an open code fence, for example.
func contained(text string) string {
	own := markdown.Known{Name: "Text"}
	u := fault.Must(markdown.Update(nil, 0, []markdown.Known{own}, []markdown.Change{{Section: own, Text: text}}))
	return strings.Trim(strings.TrimPrefix(string(u.Out), "## "+own.Name), "\r\n")
}

// withoutTitle is a preamble without the heading of that title, which may have a number before the title.
func withoutTitle(preamble, title string) string {
	d, err := markdown.Parse([]byte(preamble), 0)
	if err != nil || len(d.Headings) == 0 {
		return preamble
	}
	first := d.Headings[0]
	if first.Level != 1 || strings.TrimSpace(preamble[:first.Span.Start]) != "" || !strings.HasSuffix(record.OneLine(first.Text), title) {
		return preamble
	}
	return preamble[first.Span.End:]
}

// document is front matter, a heading, and the parts that have a text; those without a heading come first.
func document(sets []frontmatter.Set, title string, parts []part) []byte {
	var src []byte
	if len(sets) > 0 {
		var keys []string
		for _, s := range sets {
			keys = append(keys, s.Key)
		}
		src = append(fault.Must(frontmatter.Apply(nil, keys, sets)), '\n')
	}
	head := len(src)
	if title != "" {
		src = fmt.Appendf(src, "# %s\n", title)
	}
	var order []markdown.Known
	var changes []markdown.Change
	for _, p := range parts {
		switch known := (markdown.Known{Name: p.heading}); {
		case strings.TrimSpace(p.text) == "":
		case p.heading == "":
			src = fmt.Appendf(src, "\n%s\n", strings.Trim(p.text, "\r\n"))
		default:
			order = append(order, known)
			changes = append(changes, markdown.Change{Section: known, Text: p.text})
		}
	}
	return fault.Must(markdown.Update(src, head, order, changes)).Out
}

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
