package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"sdd/internal/learning"
	"sdd/internal/record"
)

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
	names, used := map[string]string{}, map[string]bool{}
	for _, i := range all {
		used[i.ID] = true
	}
	for _, i := range all {
		if len(i.Aliases) > 0 && !used[i.Aliases[0]] {
			names[i.ID], used[i.Aliases[0]] = i.Aliases[0], true
		}
	}
	var ideas []Idea
	for _, i := range all {
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

// fromStored converts a stored idea to a line.
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

// natural compares ids so that idea-9 comes before idea-10.
func natural(a, b string) int {
	digits := func(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		if n > 0 && m > 0 {
			x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = a[n:], b[m:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}
