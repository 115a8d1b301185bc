package learning

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/record"
)

// An idea that was imported or learned before makes no second file: it gains the values that it lacks, and loses none. Of two different
// statuses the later counts; without times, the one further on in life.

const (
	Updated = "updated" // Action: an existing idea gained something: values of an import, places in code
	Differs = "differs" // code of a warning: the existing idea has another content
)

// Import stores ideas from elsewhere, one after the other. It is not for concurrent use.
type Import struct {
	w         *writer
	tool      string
	at        string            // time of the import, for ideas without `created`
	byContent map[string]string // id by colour and content, of ideas whose content was edited after they got the id
}

// Import begins an import. tool is named in the journal.
func (l *Learnings) Import(ctx context.Context, tool string) (_ *Import, err error) {
	defer fault.Caught(&err)
	w := fault.Must(l.writer())
	fault.Check(l.cache.sync(ctx))
	m := &Import{w: w, tool: tool, at: record.Stamp(l.now()), byContent: map[string]string{}}
	for _, i := range l.cache.newest() {
		if idOf(i.Content) != i.ID {
			m.byContent[i.Color+"\x00"+record.ContentKey(i.Content)] = i.ID
		}
	}
	return m, nil
}

// Holders returns the ids of the ideas that have name as their id or alias.
func (m *Import) Holders(name string) (ids []string) {
	for _, i := range m.w.l.cache.named(name) {
		ids = append(ids, i.ID)
	}
	return ids
}

// IDOf returns the id of in here, or the one that it would get: that of its content, or its own if that has our form and
// no idea here has its content.
func (m *Import) IDOf(in Idea) string {
	content := strings.TrimSpace(in.Content)
	id, edited := m.byContent[in.Color+"\x00"+record.ContentKey(content)]
	if !edited {
		id = idOf(content)
	}
	ours := record.IsHexID(in.ID) && strings.HasPrefix(in.ID, record.IDPrefix(record.Idea)+"-")
	if ours && (m.Holders(in.ID) != nil || m.Holders(id) == nil) {
		return in.ID
	}
	return id
}

// Store stores in with the id of IDOf, its status, times, references, Aliases and Imported. Action is created, updated
// or duplicate. Rules choose a missing impact or category. Faults are those of Learn, and Invalid for an unknown colour
// or status.
func (m *Import) Store(ctx context.Context, in Idea) (_ Stored, err error) {
	defer fault.Caught(&err)
	fault.Check(m.clean(&in))
	given := in // without the values that a rule chooses
	in.ID, in.Created = m.IDOf(in), cmp.Or(in.Created, m.at)
	by := putting{op: "import", tool: m.tool, detail: map[string]string{"action": "import"}}
	out := fault.Must(m.w.put(ctx, in, by, func(have *Idea) ([]frontmatter.Set, []string) { return gained(have, given), []string{Updated} }))
	if key := record.ContentKey(out.content); key != record.ContentKey(in.Content) && key != record.ContentKey(Kept(in.Content)) {
		out.warnings = append(out.warnings, Warning{Code: Differs, Text: "the text of " + out.ID + " is another one here, which stays"})
	}
	return out, nil
}

// Kept returns a content as a file holds it: trimmed, with LF line ends, and contained. An invalid content comes back
// unchanged.
func Kept(content string) string {
	clean := strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\r", "\n"))
	if kept, _, err := record.Contained(record.Idea, clean); err == nil {
		return kept
	}
	return content
}

// Warnings list the differences between the content as given and as stored.
func (s Stored) Warnings() []Warning { return s.warnings }

func (m *Import) clean(in *Idea) (err error) {
	defer fault.Caught(&err)
	lim := m.w.cfg.Limits
	if !slices.Contains(record.Colors, in.Color) {
		return fault.New(fault.Invalid, "color %q is unknown", record.Brief(in.Color)).For("color").
			With("allowed: " + strings.Join(record.Colors, ", "))
	}
	in.Status = fault.Must(record.OneOf("status", in.Status, record.StatusesOf(record.Idea, in.Color)))
	in.Content = fault.Must(record.Content("content", in.Content, lim.Section))
	fault.Check(m.w.check(in))
	if err = record.CheckText("imported", in.Imported); err == nil && len(in.Imported) > lim.Section {
		err = fault.New(fault.Invalid, "its unknown keys have %d bytes, at most %d are kept", len(in.Imported), lim.Section).For("imported").
			With("take the largest out of the line; limits.section in .sdd/config.yaml sets the limit")
	}
	return err
}

// gained returns the keys that an existing idea gets from an imported one.
func gained(i *Idea, in Idea) (sets []frontmatter.Set) {
	set := func(key string, value any) { sets = append(sets, frontmatter.Set{Key: key, Value: value}) }
	if in.Status != i.Status && in.overtakes(i) {
		sets = append(sets, in.life(i)...)
	}
	if i.Learning() && in.Scope == record.Global && i.Scope != record.Global {
		set("scope", record.Global)
	}
	if in.Validated && !i.Validated {
		set("validated", true)
		if in.ValidatedAt != "" {
			set("validated_at", in.ValidatedAt)
		}
	}
	texts, more := i.texts(), in.texts()
	for _, key := range []string{"parent", "impact", "category"} {
		if *texts[key] == "" && *more[key] != "" {
			set(key, *more[key])
		}
	}
	given := in.lists()
	for _, key := range []string{"agents", "applied_to", "aliases"} {
		have := *i.lists()[key]
		if all := record.Union(slices.Clone(have), *given[key]...); len(all) > len(have) {
			set(key, all)
		}
	}
	// The further values belong to the first name of an idea: another name of the same idea has others. Values of another
	// format stay.
	primary := len(i.Aliases) == 0 || len(in.Aliases) > 0 && i.Aliases[0] == in.Aliases[0]
	free := i.Imported == "" || formatOf(i.Imported) == "" && formatOf(in.Imported) == ""
	if primary && free && in.Imported != "" && in.Imported != i.Imported {
		set("imported", in.Imported)
	}
	return sets
}

// formatOf returns the format that an importer recorded with an idea, "" for ideas.jsonl and hand-written ones.
func formatOf(imported string) string {
	var kept struct{ Format string }
	_ = json.Unmarshal([]byte(imported), &kept)
	return kept.Format
}

// moved returns the time of the last change of status, if known.
func (i Idea) moved() int64 {
	return max(record.Moment(i.ArchivedAt), record.Moment(i.ResurrectedAt), record.Moment(i.ValidatedAt), record.Moment(i.DoneAt))
}

// further orders statuses by how far on in its life an idea with them is.
var further = map[string]int{"pending": 0, active: 1, "blocked": 1, "failed": 1, "timeout": 1, "review": 1, outdated: 2, done: 3,
	archived: 3, deleted: 4}

// overtakes reports whether the status of an imported idea wins over the present one.
func (i Idea) overtakes(here *Idea) bool {
	if theirs, ours := i.moved(), here.moved(); theirs != ours {
		return theirs > ours
	}
	return further[i.Status] > further[here.Status]
}

// life returns the keys of the status of an imported idea, and its reasons.
func (i Idea) life(here *Idea) []frontmatter.Set {
	sets := []frontmatter.Set{{Key: "status", Value: i.Status}}
	if i.Status == active {
		sets = back(here)
	}
	texts := i.texts()
	keys := strings.Fields("superseded_by archived_at archived_reason resurrected_at resurrected_by outdated_reason outdated_commit")
	for _, key := range keys {
		set := slices.ContainsFunc(sets, func(s frontmatter.Set) bool { return s.Key == key })
		if !set && *texts[key] != "" {
			sets = append(sets, frontmatter.Set{Key: key, Value: *texts[key]})
		}
	}
	return sets
}

// All returns every idea, the oldest first (those without `created` come last), with the rules that would choose
// their impact and category. Left names the files that cannot be parsed.
func (l *Learnings) All(ctx context.Context) (ideas []Idea, left []string, err error) {
	if err := l.cache.sync(ctx); err != nil {
		return nil, nil, err
	}
	for _, i := range l.cache.newest() {
		if i.broken {
			left = append(left, i.File)
		} else {
			ideas = append(ideas, l.show(i))
		}
	}
	slices.SortStableFunc(ideas, func(a, b Idea) int { return oldestFirst(&a, &b) })
	slices.Sort(left)
	return ideas, left, nil
}
