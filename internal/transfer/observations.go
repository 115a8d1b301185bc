package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/learning"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Hoofy (github.com/HendryAvila/Hoofy) and engram (github.com/Gentleman-Programming/engram) keep observations with a type, a title, a
// text, a project and sometimes a topic key. The import reads their export as JSON, or the rows of their table of observations as a list.
// Both have the same keys, except for the ids of engram's synchronisation.
//
// The topic key, else the type, decides what an observation becomes (becomes). An exploration keeps its text, for Hoofy writes the same
// six sections. A decision in engram's form (**What**, **Why**, **Where**, **Learned**) fills the outcome, its reasons and consequences;
// any other text becomes the outcome. One of unknown type becomes a candidate for a fact. A relation of Hoofy between two decisions
// becomes a link.
//
// The import leaves out, and reports: deleted observations; sessions, prompts and traces of tools, which are logs; and the memories of
// other projects, which must not get into this repository by accident. There are no personal learnings and candidates: an observation of
// scope personal becomes a personal fact instead.

// observation is an object of the export, or a row.
type observation map[string]json.RawMessage

func (o observation) text(key string) string { s, _ := readString(o[key]); return s }

func (o observation) isText(key string) bool { _, problem := readString(o[key]); return problem == "" }

func (o observation) time(key string) string { t, _ := readTime(o[key]); return t }

// derived are columns that the program computes from others, or needs only itself.
var derived = strings.Fields("normalized_hash embedding embedding_model embedding_created_at")

const (
	explorationType = "explore"
	decisionType    = "decision"
	learningType    = "learning"
	factType        = "fact"
	logType         = "log"
)

// becomes returns what an observation of that type becomes here, "" when that is unknown.
func becomes(kind, topic string) string {
	if strings.HasPrefix(topic, "explore/") {
		return explorationType
	}
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "explore", "exploration":
		return explorationType
	case "decision", "architecture", "adr":
		return decisionType
	case "bugfix", "bug", "pattern", "discovery", "learning", "lesson", "insight", "gotcha":
		return learningType
	case "config", "configuration", "preference", "fact", "convention":
		return factType
	case "session_summary", "session", "summary", "prompt", "progress", "tool_use", "file_change", "file_read", "command", "search":
		return logType
	}
	return ""
}

func readObservations(format string, ask Ask) (out reading) {
	all, edges := readExport(ask.Path, &out)
	out.observations(format, all, ask)
	out.relations(edges)
	return out
}

type exported struct {
	Observations []json.RawMessage `json:"observations"`
	Sessions     []json.RawMessage `json:"sessions"`
	Prompts      []json.RawMessage `json:"prompts"`
	Relations    []edge            `json:"relations"`
}

// exportOf reads an export, or a list of observations.
func exportOf(src []byte) (e exported, err error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimSpace(src), []byte("[")) {
		err = json.Unmarshal(src, &e.Observations)
	} else {
		err = json.Unmarshal(src, &e)
	}
	return e, err
}

// edge is a relation between two observations, by their ids.
type edge struct {
	From int64  `json:"from_id"`
	To   int64  `json:"to_id"`
	Type string `json:"type"`
	Note string `json:"note,omitempty"`
}

// readExport reads the JSON of an export. It is one value, so a syntax error leaves nothing to import.
func readExport(path string, out *reading) ([]observation, []edge) {
	src := readExported(path)
	e, err := exportOf(src)
	if err != nil {
		f := fault.New(fault.Invalid, "%q is no export as JSON: %v", path, err).For("FILE").With("export it again; nothing was brought in")
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			f.Message += " (line " + strconv.Itoa(1+bytes.Count(src[:min(int(syntax.Offset), len(src))], []byte("\n"))) + ")"
		}
		fault.Check(f)
	}
	if e.Observations == nil {
		fault.Check(fault.New(fault.Invalid, "%q has no observations", path).For("FILE").With("give what an export wrote as JSON"))
	}
	const isLog = "they are a log and no record"
	sessions := 0
	for _, raw := range e.Sessions {
		var o observation
		if json.Unmarshal(raw, &o) != nil || o.text("summary")+o.text("directory") != "" { // else the session only groups observations
			sessions++
		}
	}
	out.leaveSome("sessions", sessions, isLog)
	out.leaveSome("prompts", len(e.Prompts), isLog)
	var all []observation
	for n, raw := range e.Observations {
		var o observation
		if json.Unmarshal(raw, &o) != nil || o == nil {
			out.leave("observation "+strconv.Itoa(n+1), "it is no JSON object")
		} else {
			all = append(all, o)
		}
	}
	return all, e.Relations
}

// readExported reads a file, which must be no database.
func readExported(path string) []byte {
	src := fault.Must(readWhole(path, mostExport))
	if bytes.HasPrefix(src, []byte("SQLite format 3")) {
		fault.Check(fault.New(fault.Invalid, "%q is an SQLite database, which is not read", path).For("FILE").
			With("give it as JSON: engram export, or sqlite3 -json FILE 'SELECT * FROM observations'"))
	}
	return src
}

func (r *reading) observations(format string, all []observation, ask Ask) {
	others, unknown := map[string]int{}, map[string]int{}
	for n, o := range all {
		number := strconv.Itoa(n + 1)
		from := "observation " + cmp.Or(o.text("id"), o.text("sync_id"), number)
		project := strings.TrimSpace(o.text("project"))
		if project != "" && ask.Project != AnyProject && !record.SameProject(project, ask.Project) {
			others[project]++
			continue
		}
		kind := becomes(o.text("type"), o.text("topic_key"))
		title := record.OneLine(o.text("title"))
		switch {
		case !null(o["deleted_at"]):
			r.leave(from, "it was deleted there")
			continue
		case kind == logType:
			r.leave(from, "%q of type %s is a log and no record", record.Brief(title), o.text("type"))
			continue
		case !o.isText("title") || !o.isText("content"):
			r.leave(from, "its title or its content is no text")
			continue
		case title == "" && strings.TrimSpace(o.text("content")) == "":
			r.leave(from, "it is empty")
			continue
		}
		key := cmp.Or(o.text("sync_id"), cmp.Or(o.text("id"), number)+"@"+o.text("created_at")) // identifies it across databases
		i := item{from: from, origin: origin{Format: format, Key: key, Item: map[string]json.RawMessage{}}}
		for name, raw := range o {
			switch {
			case null(raw), name == "content", slices.Contains(derived, name):
			case slices.Contains(written, name):
				i.origin.Item[name] = canonical(raw)
			default: // it may contain anything, even personal data
				unknown[name]++
			}
		}
		if strings.EqualFold(o.text("scope"), record.Personal) {
			i.scope = record.Personal
			if kind == learningType || kind == "" {
				kind = factType
			}
		}
		if project != "" && !record.SameProject(project, ask.Own) && ask.Project == AnyProject {
			i.project = project
		}
		i.other = cmp.Or(o.text("sync_id"), "observation "+o.text("id"))
		if err := r.observation(i, o, kind, title); err != nil {
			r.leave(from, "%s", fault.Of(err).Message)
		}
	}
	for _, name := range sortedKeys(unknown) {
		r.leaveSome("key "+record.Brief(name), unknown[name], "it is not known, and not brought in with its observations")
	}
	for _, project := range sortedKeys(others) {
		r.leaveSome("project "+record.Brief(project), others[project],
			"it is another project; --project brings in that one, --project '"+AnyProject+"' every one")
	}
}

// relationTypes are the keys for links between decisions, and the types of relations.
var relationTypes = []string{"supersedes", "depends_on", "relates_to"}

func (r *reading) relations(edges []edge) {
	at := map[string]int{}
	for n, i := range r.items {
		if i.kind == record.Decision {
			at[string(i.origin.Item["id"])] = n
		}
	}
	left, notes := 0, 0
	for _, e := range edges {
		from, ok := at[strconv.FormatInt(e.From, 10)]
		to, both := at[strconv.FormatInt(e.To, 10)]
		if !ok || !both || from == to {
			left++
			continue
		}
		if e.Note != "" {
			notes++
		}
		key := "relates_to"
		if slices.Contains(relationTypes, e.Type) {
			key = e.Type
		}
		r.items[from].relate(key, r.items[to])
	}
	r.leaveSome("relations", left, "they link what is not two decisions here")
	r.leaveSome("notes of relations", notes, "a link has no place for one")
}

// canonical is the same for all spellings of a JSON value.
func canonical(raw json.RawMessage) json.RawMessage {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return text(s)
	}
	return compacted(raw)
}

func (r *reading) observation(i item, o observation, kind, title string) (err error) {
	defer fault.Caught(&err)
	created, content := o.time("created_at"), o.text("content")
	source := i.origin.Format + ", " + i.other
	var sets []frontmatter.Set
	set := func(key string, value string) {
		if value != "" {
			sets = append(sets, frontmatter.Set{Key: key, Value: value})
		}
	}
	switch kind {
	case explorationType:
		i.kind, i.title = record.Exploration, cmp.Or(title, i.other)
		set("title", i.title)
		set("created", created)
		set("session_id", record.OneLine(o.text("session_id")))
		head := fault.Must(frontmatter.Apply(nil, record.Keys(record.Exploration), sets))
		i.src = fmt.Appendf(head, "\n%s\n", strings.TrimSpace(lf(content)))
	case decisionType:
		i.kind, i.title = record.Decision, cmp.Or(title, i.other)
		set("title", i.title)
		set("status", "accepted")
		if last := day(cmp.Or(o.time("updated_at"), created)); last != "" {
			sets = append(sets, frontmatter.Set{Key: "date", Value: frontmatter.Date(last)})
		}
		set("source", source)
		set("created", created)
		i.src = decided(sets, i.title, content)
	case learningType:
		i.idea = &learning.Idea{Color: record.Learning, Status: "active", Content: titled(title, content), Created: created, Scope: record.Local}
	case factType:
		i.kind, i.content, i.other = record.Fact, titled(title, content), ""
		sets = append(sets, frontmatter.Set{Key: "level", Value: 0}, frontmatter.Set{Key: "status", Value: "active"})
		set("source", source)
		set("created", created)
		i.sets = sets
	default:
		i.inbox = &candidate.Candidate{
			Kind: string(record.Fact), Content: titled(title, content), Confidence: 0.5, Source: source, Created: created, Signal: i.origin.Format,
		}
	}
	r.items = append(r.items, i)
	return nil
}

func lf(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n") }

func titled(title, content string) string {
	switch {
	case title == "" || strings.HasPrefix(content, title):
		return content
	case strings.TrimSpace(content) == "":
		return title
	}
	return title + "\n\n" + content
}

// forms are the labels of engram's form, in its order.
var forms = []string{"**What**: ", "**Why**: ", "**Where**: ", "**Learned**: "}

// formed separates the parts of a text in engram's form; ok is false for any other text.
func formed(content string) (parts [4]string, ok bool) {
	at := -1
	for line := range strings.Lines(lf(content)) {
		line = strings.TrimSuffix(line, "\n")
		next := slices.IndexFunc(forms, func(f string) bool { return strings.HasPrefix(line, f) })
		switch {
		case next > at:
			at = next
			parts[at] = strings.TrimPrefix(line, forms[at])
		case next >= 0 || at < 0 && strings.TrimSpace(line) != "":
			return parts, false
		case at >= 0:
			parts[at] += "\n" + line
		}
	}
	for n := range parts {
		parts[n] = strings.TrimSpace(parts[n])
	}
	return parts, parts[0] != ""
}

// decided makes the file of a decision. A text with a decision's sections becomes the body.
func decided(sets []frontmatter.Set, title, content string) []byte {
	parsed := func(src string) record.Record { return record.Parse("decisions/x.md", []byte(src), record.Defaults{}) }
	src := fault.Must(frontmatter.Apply(nil, record.Keys(record.Decision), sets))
	if heading := "\n# " + title + "\n"; parsed(heading).Title == title {
		src = append(src, heading...)
	}
	body := strings.TrimSpace(lf(content))
	if body == "" {
		return src
	}
	if slices.ContainsFunc(parsed(body).Sections, func(s record.Section) bool { return s.Key == "outcome" }) {
		return fmt.Appendf(src, "\n%s\n", body)
	}
	outcome, where := body, ""
	if p, ok := formed(content); ok {
		where = p[2]
		outcome = p[0]
		if p[1] != "" {
			outcome += "\n\nBecause:\n\n" + markdown.ItemLines("- ", p[1])
		}
		if p[3] != "" {
			outcome = strings.TrimRight(outcome, "\n") + "\n\n### Consequences\n\n" + markdown.ItemLines("- ", p[3])
		}
		outcome = strings.TrimRight(outcome, "\n")
	}
	changes := []markdown.Change{{Section: markdown.Known{Name: "Decision Outcome"}, Text: outcome}}
	if where != "" {
		changes = append(changes, markdown.Change{Section: markdown.Known{Name: "More Information"}, Text: "Where: " + where})
	}
	return fault.Must(record.Edit(src, record.Decision, nil, changes)).Out
}

// written are the keys of an observation that an import keeps.
var written = strings.Fields(`id sync_id session_id type title content tool_name project scope topic_key revision_count duplicate_count
	last_seen_at created_at updated_at deleted_at`)

// detectExport returns the possible formats of an export as JSON, nil when it is not one.
func detectExport(src []byte) []string {
	e, err := exportOf(src)
	if err != nil || e.Observations == nil {
		return nil
	}
	found := []string{Engram, Hoofy}
	for _, raw := range e.Observations {
		var o observation
		switch {
		case json.Unmarshal(raw, &o) != nil:
		case o.text("sync_id") != "":
			return []string{Engram}
		case becomes(o.text("type"), o.text("topic_key")) == explorationType:
			found = []string{Hoofy}
		}
	}
	return found
}
