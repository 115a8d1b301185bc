// Package reconcile is the use case of bringing branches together: git's merge driver for one record, a branch
// merged with that driver, and what a merge without it left behind.
//
// It needs neither the index nor, for the driver, the store: git waits for every call.
package reconcile

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"strings"

	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Versions are three versions of one file.
type Versions struct{ Base, Ours, Theirs []byte }

// Labels are what conflict markers say, and how long they are.
type Labels = git.MergeLabels

// Merged is the outcome of a merge: with conflicts, Out has markers around just what conflicts.
type Merged struct {
	Out       []byte
	Conflicts []record.Conflict
	Clean     bool
}

// KindAt returns the kind of the record at a path with slashes, relative to anything above the store's folder.
func KindAt(file string) (record.Kind, bool) {
	file = "/" + path.Clean(strings.ReplaceAll(file, `\`, "/"))
	i := strings.LastIndex(file, "/.sdd/")
	if i < 0 {
		return "", false
	}
	return record.KindOf(file[i+len("/.sdd/"):])
}

// File merges three versions of the file at a path. A record is merged by key, section and item; what is
// none, or has unresolved conflicts on a side already, by lines, as git does it. showBase puts the
// base between the markers too.
func File(ctx context.Context, file string, v Versions, l Labels, showBase bool) (Merged, error) {
	kind, ok := KindAt(file)
	if ok {
		v.Base, ok = withoutConflicts(v.Base)
	}
	if !ok || !mergeable(v.Ours) || !mergeable(v.Theirs) {
		return byLines(ctx, v, l, showBase)
	}
	m, ok := byItems(kind, v, l)
	if !ok {
		return byLines(ctx, v, l, showBase)
	}
	if showBase {
		m.Out = addBase(m, v.Base, l)
	}
	return m, nil
}

// mergeable reports whether a side can be read as a record. git takes what holds a zero byte for no text.
func mergeable(src []byte) bool {
	return record.ConflictMarkers(src) == 0 && bytes.IndexByte(src, 0) < 0
}

// withoutConflicts returns a base as it can be merged against. Where histories cross, git makes the base itself
// by merging two older ones, with longer markers where they conflict; there the base between the markers, which
// the driver puts there, is the one that both come from.
func withoutConflicts(base []byte) ([]byte, bool) {
	if bytes.IndexByte(base, 0) >= 0 {
		return base, false
	}
	s := split(base)
	if len(s.blocks) == 0 {
		return base, true
	}
	return s.sides().Base, s.complete()
}

// byItems merges a record. ok is false when the merge itself broke: then git's own way is left.
func byItems(kind record.Kind, v Versions, l Labels) (m Merged, ok bool) {
	defer func() {
		if recover() != nil {
			m, ok = Merged{}, false
		}
	}()
	r := record.Merge(kind, v.Base, v.Ours, v.Theirs, markdown.MergeLabels{Ours: l.Ours, Theirs: l.Theirs, MarkerSize: l.MarkerSize})
	return Merged{Out: r.Out, Conflicts: r.Conflicts, Clean: len(r.Conflicts) == 0}, true
}

// byLines merges as git does without a driver: of what is no text, ours stays, in conflict.
func byLines(ctx context.Context, v Versions, l Labels, showBase bool) (Merged, error) {
	for _, src := range [][]byte{v.Base, v.Ours, v.Theirs} {
		if bytes.IndexByte(src, 0) >= 0 {
			return Merged{Out: v.Ours}, nil
		}
	}
	style := git.PlainStyle
	if showBase {
		style = git.Diff3Style
	}
	out, ok, err := git.MergeFile(ctx, v.Base, v.Ours, v.Theirs, l, style)
	return Merged{Out: out, Clean: ok}, err
}

// addBase puts the base of each conflict between its markers, as git does with merge.conflictStyle=diff3.
func addBase(m Merged, base []byte, l Labels) []byte {
	fm, _ := frontmatter.Parse(m.Out)
	head := bytes.Count(m.Out[:fm.Body], newline)
	size := max(l.MarkerSize, 0)
	if size == 0 {
		size = defaultSize
	}
	var out bytes.Buffer
	rest, n := m.Out, 0
	upTo := func(stop func(line []byte) bool) {
		for len(rest) > 0 {
			line := firstLine(rest)
			if n++; stop(line) {
				n--
				return
			}
			out.Write(line)
			rest = rest[len(line):]
		}
	}
	for _, c := range m.Conflicts {
		upTo(func([]byte) bool { return n == c.Line })
		upTo(func(line []byte) bool { char, length := marker(line); return char == '=' && length == size })
		end := lineEnd(firstLine(rest))
		out.WriteString(strings.TrimRight(strings.Repeat("|", size)+" "+cmp.Or(l.Base, "base"), " ") + end)
		out.WriteString(baseLines(c, base, c.Line <= head, end))
	}
	out.Write(rest)
	return out.Bytes()
}

// baseLines returns the lines that a conflict is about as they are in base. Of a key, a conflict has the value only.
func baseLines(c record.Conflict, base []byte, inHead bool, end string) string {
	text := c.Base
	if inHead {
		fm, _ := frontmatter.Parse(base)
		for _, k := range fm.Keys {
			if k.Name == c.Where {
				text = string(base[k.Span.Start:k.Span.End])
			}
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return text
}
