package transfer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/markdown"
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
