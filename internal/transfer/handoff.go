package transfer

import (
	"context"
	"fmt"
	"maps"
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

// A hand-off makes the first document of another way of working of an exploration, or of a decision: a file where that has a
// place for it, else a text. The same records give the same bytes. The last line of a file says what it was made of, with a
// hash of the rest: so the file of a record is found again, whatever its number. A file that is there is never written over, also
// not by the text of the same record as it says now: whoever reads it there may have gone on from it.

// HandoffSources are what a hand-off reads.
type HandoffSources struct {
	Store     *store.Store
	Index     *index.Index
	Decisions *decision.Decisions
}

// HandoffAsk says what is handed off, and to whom.
type HandoffAsk struct {
	ID      string // id, topic key, title or file of an exploration or decision
	Project string // where several have the name
	Scope   string
	To      string // one of HandoffTargets; "" is handoff.to of config.yaml, else the pipeline that is in use
	DryRun  bool   // nothing is written
}

// Handoff is a document that was made for another way of working.
type Handoff struct {
	To     string `json:"to"`
	Source string `json:"source"` // the id of the record
	Title  string `json:"title"`
	File   string `json:"file"`   // from the project's folder, "" of a text that has no place
	Action string `json:"action"` // created or unchanged; of a dry run create, unchanged or kept, where another text is there; print
	Text   string `json:"text"`
	Next   string `json:"next"` // what follows there
}

// What a hand-off did or would do.
const (
	handCreated, handUnchanged, handPrint = "created", "unchanged", "print"
	handCreate, handKept                  = "create", "kept"
)

// target is another way of working.
type target struct {
	name string
	// write makes the document; file is "" where there is no place for one.
	write func(h *handing) (file string, text []byte, err error)
	next  string // what follows; %s is the slug
}

var targets = []target{
	{"openspec", (*handing).openSpec, "add specs and tasks with /opsx:continue %s, then run openspec validate %s"},
	{"spec-kit", (*handing).specKit, "give the first part to /speckit.specify and the second to /speckit.plan"},
	{"hoofy", (*handing).hoofy, "give the parts to sdd_init_project for a new project, to sdd_change for existing code"},
	{"gentle-ai", (*handing).gentleAI, "go on with /sdd-continue %s"},
	{"backlog", (*handing).backlog, "look at it with backlog board, and plan it"},
	{"adr", (*handing).adr, "read it, and commit it"},
	{"github-issue", (*handing).issue, "sdd handoff %r --to github-issue | gh issue create --title TITLE --body-file -"},
}

// HandoffTargets lists where a record can be handed to.
func HandoffTargets() (names []string) {
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// HandOff makes the document, and its file unless it is a dry run. A file that is there stays as it is. Faults: Invalid
// (arguments, another kind of record, no target), NotFound, Ambiguous, Broken, Conflict (a file with another text is there),
// Unwritable.
func HandOff(ctx context.Context, from HandoffSources, a HandoffAsk) (Handoff, error) {
	t, err := targetOf(from.Store, a.To)
	if err != nil {
		return Handoff{}, err
	}
	h, err := newHanding(ctx, from, a)
	if err != nil {
		return Handoff{}, err
	}
	out := Handoff{To: t.name, Source: h.id, Title: h.title, Action: handPrint}
	out.Next = strings.NewReplacer("%s", h.slug, "%r", h.id).Replace(t.next)
	file, text, err := t.write(h)
	if err != nil {
		return Handoff{}, err
	}
	out.File, out.Text = file, string(text)
	if file == "" {
		return out, nil
	}
	text = marked(text, h.mark)
	out.Text = string(text)
	out.Action, err = place(from.Store.Dir(), file, h.mark, text, a.DryRun)
	return out, err
}

// targetOf returns the target of that name, else the configured one, else the one whose folders are there.
func targetOf(st *store.Store, name string) (target, error) {
	cfg, err := st.Config()
	if err != nil {
		return target{}, err
	}
	given := strings.ToLower(strings.TrimSpace(name))
	if given == "" {
		given = configured(cfg.Sections["handoff"])
	}
	if given == "" {
		given = explore.Pipeline(st.Dir(), cfg.Pipeline)
	}
	allowed := "allowed: " + strings.Join(HandoffTargets(), ", ")
	if given == "" {
		return target{}, fault.New(fault.Invalid, "to is required: no pipeline is in use here").For("to").With(allowed + "; handoff.to in .sdd/config.yaml sets it for good")
	}
	i := slices.IndexFunc(targets, func(t target) bool { return t.name == given })
	if i < 0 {
		return target{}, fault.New(fault.Invalid, "nothing can be handed to %q", record.Brief(given)).For("to").With(allowed)
	}
	return targets[i], nil
}

// configured is handoff.to of config.yaml.
func configured(section any) string {
	m, _ := section.(map[string]any)
	to, _ := m["to"].(string)
	return strings.ToLower(strings.TrimSpace(to))
}

// handing is a record that is being handed off.
type handing struct {
	st        *store.Store
	id        string
	mark      string // its id, with the project where that is not the store's own
	kind      record.Kind
	title     string
	slug      string
	date      string              // YYYY-MM-DD, "" when nobody wrote it down
	text      map[string]string   // sections of an exploration by key, each so that it stays inside its place
	sections  []part              // those of a decision, as they stand
	decisions []decision.Decision // that the exploration led to, or the one that is handed off
}

func newHanding(ctx context.Context, from HandoffSources, a HandoffAsk) (*handing, error) {
	if strings.TrimSpace(a.ID) == "" {
		return nil, fault.New(fault.Invalid, "record is required").For("record").With("give an exploration or decision; sdd search --type explore lists them")
	}
	if err := from.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	e, err := lookup.One(from.Index, a.ID, a.Project, a.Scope)
	if err != nil {
		return nil, err
	}
	f, err := from.Store.Read(e.Path)
	if err != nil {
		return nil, err
	}
	if err := record.Writable(f.Bytes); err != nil {
		broken := *fault.Of(err)
		return nil, broken.At(e.File, broken.Line)
	}
	r := record.Parse(e.Path, f.Bytes, record.Defaults{Project: from.Store.Project()})
	h := &handing{st: from.Store, id: e.ID, mark: e.ID, kind: e.Kind, title: record.OneLine(r.Title), slug: record.Slug(r.Title), date: day(r.Created), text: map[string]string{}}
	if e.Kind == record.Exploration && !strings.EqualFold(e.Project, from.Store.Project()) {
		h.mark += "@" + record.Slug(e.Project)
	}
	all, err := from.Decisions.All(ctx)
	if err != nil {
		return nil, err
	}
	preamble, err := contained(withoutTitle(r.Preamble, h.title))
	if err != nil {
		return nil, err
	}
	switch e.Kind {
	case record.Exploration:
		var others []part // that no document has a place for: they belong to the context
		for _, s := range r.Sections {
			text, err := contained(s.Text)
			switch {
			case err != nil:
				return nil, err
			case s.Key == "":
				others = append(others, part{s.Name, text})
			default: // a section may stand there more than once
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
		end := 0 // of the last section, by lines
		for _, s := range r.Sections {
			if s.Text == "" || s.Line < end {
				continue // nothing, or a part of that one
			}
			end = s.TextLine + strings.Count(s.Text, "\n") + 1
			text, err := contained(s.Text)
			if err != nil {
				return nil, err
			}
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
		return nil, fault.New(fault.Invalid, "%s is of type %s: explorations and decisions can be handed off", e.ID, e.Type()).For("record").
			With("save what it led to with sdd explore or sdd decide, and hand that off")
	}
	if len(h.decisions) == 0 && !slices.ContainsFunc(h.sections, func(p part) bool { return p.text != "" }) && !slices.ContainsFunc(slices.Collect(maps.Values(h.text)), func(t string) bool { return t != "" }) {
		return nil, fault.New(fault.Invalid, "%s says nothing yet", e.ID).For("record").With("save its goals, constraints, decisions or context first")
	}
	return h, nil
}

// day is the day of a moment.
func day(moment string) string { return moment[:min(len(moment), len("2006-01-02"))] }

// part is a section of a document.
type part struct{ heading, text string }

// contained returns a text so that what stands behind it is not taken in: an open fence is closed, say.
func contained(text string) (string, error) {
	const name = "Text"
	u, err := markdown.Update(nil, 0, []markdown.Known{{Name: name}}, []markdown.Change{{Section: markdown.Known{Name: name}, Text: text}})
	if err != nil {
		return "", err
	}
	return strings.Trim(strings.TrimPrefix(string(u.Out), "## "+name), "\r\n"), nil
}

// withoutTitle is what stands before the first section without the heading of that title; that may have a number before it.
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

// document is front matter, a heading, and those parts that have a text; one without a heading stands before the others.
func document(sets []frontmatter.Set, title string, parts []part) ([]byte, error) {
	var head []byte
	if len(sets) > 0 {
		var order []string
		for _, s := range sets {
			order = append(order, s.Key)
		}
		var err error
		if head, err = frontmatter.Apply(nil, order, sets); err != nil {
			return nil, err
		}
		head = append(head, '\n')
	}
	src := head
	if title != "" {
		src = fmt.Appendf(slices.Clip(head), "# %s\n", title)
	}
	var order []markdown.Known
	var changes []markdown.Change
	for _, p := range parts {
		switch {
		case strings.TrimSpace(p.text) == "":
		case p.heading == "":
			src = fmt.Appendf(slices.Clip(src), "\n%s\n", strings.Trim(p.text, "\r\n"))
		default:
			order = append(order, markdown.Known{Name: p.heading})
			changes = append(changes, markdown.Change{Section: markdown.Known{Name: p.heading}, Text: p.text})
		}
	}
	u, err := markdown.Update(src, len(head), order, changes)
	return u.Out, err
}
