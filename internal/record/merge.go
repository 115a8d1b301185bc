package record

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// Conflict is a key or a section item that both sides changed differently.
type Conflict struct {
	Where  string `json:"where"` // the key or section, "front matter" when the block is one conflict
	Line   int    `json:"line"`  // in Merged.Out, of the opening marker
	Base   string `json:"-"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// Merged is the result of Merge. With conflicts, Out has markers around the conflicting parts only.
type Merged struct {
	Out       []byte
	Conflicts []Conflict
}

// Merge merges the changes of ours and theirs to base: front matter by key, text by section and item. It never guesses:
// it reports a conflict when both sides changed the same words.
//
// Swapping the sides gives the same result, and merging a side again changes nothing. The revision becomes ours + theirs
// − base when each side has a change that the other lacks, else the larger of both.
func Merge(kind Kind, base, ours, theirs []byte, labels markdown.MergeLabels) Merged {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(theirs, base):
		return Merged{Out: ours}
	case bytes.Equal(ours, base):
		return Merged{Out: theirs}
	}
	head, keys := frontmatter.Merge(base, ours, theirs, rules, frontmatter.Labels(labels))
	text := markdown.Merge(Body(base), Body(ours), Body(theirs), SectionsOf(kind, ofKind(ours, theirs)), labels)
	m := Merged{Out: append(bytes.Clone(head), text.Out...)}
	for _, c := range keys {
		m.Conflicts = append(m.Conflicts, Conflict{cmp.Or(c.Key, "front matter"), c.Line, c.Base, c.Ours, c.Theirs})
	}
	above := bytes.Count(head, newline)
	for _, c := range text.Conflicts {
		m.Conflicts = append(m.Conflicts, Conflict{c.Section, above + c.Line, c.Base, c.Ours, c.Theirs})
	}
	if len(m.Conflicts) == 0 {
		m.Out = contained(m.Out, ours, theirs)
	}
	return m
}

// MergeSaves merges an editor's text (ours) with a tool's change (theirs). The fault Conflict for arg has both texts of each conflict.
func MergeSaves(kind Kind, base, ours, theirs []byte, arg, hint string) ([]byte, error) {
	m := Merge(kind, base, ours, theirs, markdown.MergeLabels{Ours: "stored", Theirs: "yours"})
	if len(m.Conflicts) == 0 {
		return m.Out, nil
	}
	var both strings.Builder
	for _, c := range m.Conflicts {
		fmt.Fprintf(&both, "\n\n%s, stored:\n%s\n\nyours:\n%s", cmp.Or(c.Where, "content"), c.Ours, c.Theirs)
	}
	return nil, fault.New(fault.Conflict, "the same words were changed on both sides, nothing was written%s", both.String()).
		For(arg).With(hint)
}

// contained corrects the revision of a merge in which one side has all of the other's changes.
func contained(out, ours, theirs []byte) []byte {
	withoutRevision := func(src []byte) string {
		bare, err := frontmatter.Apply(src, nil, []frontmatter.Set{{Key: "revision"}})
		if err != nil {
			return string(src)
		}
		return string(bare)
	}
	if s := withoutRevision(out); s != withoutRevision(ours) && s != withoutRevision(theirs) {
		return out
	}
	n := max(revision(ours), revision(theirs))
	if n == revision(out) {
		return out
	}
	fixed, err := frontmatter.Apply(out, Keys(Exploration), []frontmatter.Set{{Key: "revision", Value: n}})
	if err != nil {
		return out
	}
	return fixed
}

func revision(src []byte) int {
	fm, _ := frontmatter.Parse(src)
	if n, ok := fm.Int("revision"); ok {
		return max(n, 1)
	}
	return 1
}

// rules resolve keys that both sides changed, without a conflict.
var rules = frontmatter.Rules{
	"revision": func(base, ours, theirs string) (string, bool) {
		b, ok1 := count(base)
		o, ok2 := count(ours)
		t, ok3 := count(theirs)
		return strconv.Itoa(max(o+t-b, o, t)), ok1 && ok2 && ok3
	},
	// Both sides created the record: the earlier one counts.
	"created":    earlier,
	"session_id": earlier,
	"done_at":    earlier,
	// Both sides confirmed it: the later one counts.
	"refreshed":    later,
	"seen":         later, // the next discovery looks again
	"validated_at": later,
	"date":         later,
	// Two branches have the same learning: the wider scope and the validation count.
	"scope":     either("local", "global"),
	"validated": either("false", "true"),
}

// either returns a rule that prefers the second of two values.
func either(less, more string) func(base, ours, theirs string) (string, bool) {
	return func(_, ours, theirs string) (string, bool) {
		return more, ours == less && theirs == more || ours == more && theirs == less
	}
}

// count parses a revision; a missing one is 1.
func count(s string) (int, bool) {
	if s == "" {
		return 1, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func earlier(_, ours, theirs string) (string, bool) {
	if ours == "" || theirs == "" {
		return ours + theirs, true
	}
	return min(ours, theirs), true
}

func later(_, ours, theirs string) (string, bool) { return max(ours, theirs), true }

// Body returns the text after the front matter.
func Body(src []byte) []byte {
	fm, _ := frontmatter.Parse(src)
	return src[fm.Body:]
}

// ofKind returns the later kind of a candidate, from either side.
func ofKind(ours, theirs []byte) Kind {
	for _, src := range [][]byte{ours, theirs} {
		if fm, err := frontmatter.Parse(src); err == nil && fm.String("kind") != "" {
			return Kind(fm.String("kind"))
		}
	}
	return ""
}
