package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// Imported is the result of importing a file of ideas.
type Imported struct {
	Format string `json:"format"`
	DryRun bool   `json:"dry_run,omitempty"` // nothing was written
	Actions
	LeftOut  int        `json:"left_out"` // lines; a warning gives the reason
	Ideas    []LineIdea `json:"ideas"`
	Warnings []Warning  `json:"warnings"` // by line
}

// LineIdea is the result for one line.
type LineIdea struct {
	Line   int    `json:"line"`
	From   string `json:"from"` // the id in the file
	ID     string `json:"id"`
	Action string `json:"action"` // created, updated or duplicate
	File   string `json:"file"`
}

// ImportIdeas stores the ideas of src in their order. An id of the file becomes an alias, so that references find the idea. If another
// record has that id already, references in this file get the idea's new id instead. Importing again changes nothing. A line that cannot
// be stored is a warning; an error ends the import, and what was stored until then stays. It calls progress, unless nil, after each line.
func ImportIdeas(ctx context.Context, l *learning.Learnings, src io.Reader, progress func(line int)) (out Imported, err error) {
	defer fault.Caught(&err)
	out = Imported{Format: IdeasJSONL, Ideas: []LineIdea{}, Warnings: []Warning{}}
	m := fault.Must(l.Import(ctx, "sdd import"))
	type numbered struct {
		line int
		Idea
	}
	var all, named []numbered    // named have an id
	last := map[string]int{}     // id → the last line with it
	taken := map[string]string{} // id that another record has → the idea's new id
	warnings := fault.Must(EachIdea(src, func(line int, i Idea) error {
		all = append(all, numbered{line, i})
		if i.ID == "" {
			return ctx.Err()
		}
		last[i.ID], named = line, append(named, numbered{line, i})
		delete(taken, i.ID)
		own := m.IDOf(i.Idea)
		if held := m.Holders(i.ID); len(held) > 0 && !slices.Contains(held, own) {
			taken[i.ID] = own
		}
		return ctx.Err()
	}))
	refer := func(id string) string { return cmp.Or(taken[id], id) }
	ordered := slices.IsSortedFunc(named, func(a, b numbered) int { return exportOrder(a.Idea, b.Idea) })
	for _, i := range all {
		warn := func(code, format string, args ...any) {
			out.Warnings = append(out.Warnings, Warning{code, i.line, fmt.Sprintf(format, args...)})
		}
		if n := last[i.ID]; i.ID != "" && n != i.line {
			out.LeftOut++
			warn(Again, "the id %q is in line %d too, which is used; this line is left out", i.ID, n)
			continue
		}
		native := i.ID == m.IDOf(i.Idea.Idea)
		if !ordered && !native {
			i.Extra.Line = i.line
		}
		in := i.stored()
		if own, ok := taken[i.ID]; ok {
			warn(Taken, "something else here has the id %q: this idea is %s alone", i.ID, own)
		} else if i.ID != "" && !native {
			in.Aliases = []string{i.ID}
		}
		in.Parent, in.SupersededBy = refer(in.Parent), refer(in.SupersededBy)
		for n, id := range in.AppliedTo {
			in.AppliedTo[n] = refer(id)
		}
		got, err := m.Store(ctx, in)
		switch {
		case err == nil:
			for _, w := range got.Warnings() {
				warn(w.Code, "%s", w.Text)
			}
			out.Ideas = append(out.Ideas, LineIdea{i.line, i.ID, got.ID, got.Action, got.File})
			out.count(got.Action)
		case isRefusal(err):
			out.LeftOut++
			warn(Refused, "the idea %q is left out: %v", i.ID, err)
		default:
			return out, err
		}
		if progress != nil {
			progress(i.line)
		}
		fault.Check(ctx.Err())
	}
	for _, w := range warnings {
		if w.Code == Malformed || w.Code == Empty {
			out.LeftOut++
		}
	}
	out.Warnings = append(out.Warnings, warnings...)
	slices.SortStableFunc(out.Warnings, func(a, b Warning) int { return a.Line - b.Line })
	return out, nil
}

// exportOrder compares two lines in the order of an export. A file in which only some lines have a time is never in that order.
func exportOrder(a, b Idea) int {
	if (a.Created == "") != (b.Created == "") {
		return -1
	}
	return cmp.Or(record.CompareTimes(a.Created, b.Created), natural(a.ID, b.ID))
}

// Text renders the result for a person.
func (out Imported) Text() string {
	var b strings.Builder
	if out.DryRun {
		b.WriteString("dry run: nothing was written\n")
	}
	for _, i := range out.Ideas {
		if i.Action != learning.Duplicate {
			fmt.Fprintf(&b, "%s %s (line %d, %q, %s)\n", i.ID, i.Action, i.Line, i.From, i.File)
		}
	}
	for _, w := range out.Warnings {
		fmt.Fprintf(&b, "warning, line %d: %s\n", w.Line, w.Text)
	}
	fmt.Fprintf(&b, "%d created, %d updated, %d here already, %d left out\n", out.Created, out.Updated, out.Duplicate, out.LeftOut)
	return b.String()
}

func (i Idea) stored() learning.Idea {
	extra := i.Extra
	if i.Color != record.Learning {
		for _, k := range otherKeys {
			raw, ok := extra.Metadata[k.name]
			if !ok {
				continue
			}
			if k.read(&i, raw); !bytes.Equal(k.normal(&i), raw) { // it stays an unknown key
				k.read(&i, nil)
				continue
			}
			extra.Metadata = cloneOf(extra.Metadata)
			delete(extra.Metadata, k.name)
		}
	}
	in := i.Idea
	in.AppliedTo = slices.Clone(i.AppliedTo)
	if _, spelled := extra.Keys["content"]; !spelled && learning.Kept(i.Content) != i.Content {
		extra.Keys = cloneOf(extra.Keys)
		extra.Keys["content"] = text(i.Content)
	}
	if i.Color == record.Learning {
		for _, k := range []struct{ name, value string }{{"impact", i.Impact}, {"category", i.Category}} {
			if name := underMetadata + k.name; k.value == "" && !slices.Contains(extra.Absent, name) { // a rule chooses it
				extra.Absent = append(slices.Clone(extra.Absent), name)
			}
		}
	}
	if line := string(encoded(extra)); line != "{}" {
		in.Imported = line
	}
	return in
}

func cloneOf(m map[string]json.RawMessage) map[string]json.RawMessage {
	return maps.Collect(maps.All(m))
}

// IdeasJSONL is the name of the format.
const IdeasJSONL = "ideas-jsonl"

// Exported is the result of an export.
type Exported struct {
	Format  string   `json:"format"`
	Ideas   int      `json:"ideas"`
	LeftOut []string `json:"left_out"` // files that cannot be read
}

// ExportIdeas writes every idea, deleted ones as well, sorted by time and then by id; an imported idea has its first alias as id. An
// imported idea has the keys of its line, in their order. Ideas of a file whose lines were in another order come first, in that order.
// Other ideas have a category only when the rules would not choose it. The same files give the same bytes.
func ExportIdeas(ctx context.Context, l *learning.Learnings, w io.Writer) (Exported, error) {
	out := Exported{Format: IdeasJSONL, LeftOut: []string{}}
	all, left, err := l.All(ctx)
	if err != nil {
		return out, err
	}
	out.LeftOut = append(out.LeftOut, left...)
	var ideas []Idea
	names, used := map[string]string{}, map[string]bool{}
	for _, i := range all {
		used[i.ID] = true
	}
	for _, i := range all {
		if len(i.Aliases) > 0 && !used[i.Aliases[0]] {
			names[i.ID], used[i.Aliases[0]] = i.Aliases[0], true
		}
		ideas = append(ideas, fromStored(i))
	}
	ideas = Renamed(ideas, names)
	group, first := map[string]int{}, 0 // by id: the index of the first idea with the same time
	for n, i := range all {
		if i.Created != all[first].Created {
			first = n
		}
		group[ideas[n].ID] = first
	}
	slices.SortStableFunc(ideas, func(a, b Idea) int {
		if a.Extra.Line > 0 && b.Extra.Line > 0 {
			return a.Extra.Line - b.Extra.Line
		}
		// Those with a line come first.
		return cmp.Or(b.Extra.Line-a.Extra.Line, group[a.ID]-group[b.ID], natural(a.ID, b.ID))
	})
	out.Ideas = len(ideas)
	return out, WriteIdeas(w, ideas)
}

func fromStored(i learning.Idea) Idea {
	out := Idea{Idea: i}
	// A user may have broken the key imported by hand: then the fields are all there is.
	if i.Imported != "" && json.Unmarshal([]byte(i.Imported), &out.Extra) != nil {
		out.Extra = Extra{}
	}
	if was, problem := readString(out.Extra.Keys["content"]); problem == "" && was != "" && learning.Kept(was) == i.Content {
		out.Content = was
	}
	if i.Color != record.Learning {
		for _, k := range otherKeys {
			if raw := k.normal(&out); raw != nil {
				out.Extra.Metadata = cloneOf(out.Extra.Metadata)
				out.Extra.Metadata[k.name] = raw
			}
		}
		return out
	}
	absent := func(key string) bool { return slices.Contains(out.Extra.Absent, underMetadata+key) }
	native := i.Imported == "" && len(i.Aliases) == 0
	if i.ImpactRule != "" && absent("impact") {
		out.Impact = ""
	}
	if i.CategoryRule != "" && (native || absent("category")) {
		out.Category = ""
	}
	return out
}

var number = pattern.Late(`[0-9]+`)

// natural compares ids so that idea-9 comes before idea-10.
func natural(a, b string) int { return strings.Compare(naturalKey(a), naturalKey(b)) }

// naturalKey is a text with the length of each number before it.
func naturalKey(s string) string {
	return number().ReplaceAllStringFunc(s, func(n string) string {
		n = strings.TrimLeft(n, "0")
		return "0" + string(rune(len(n))) + n
	})
}
