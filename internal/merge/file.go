// Package merge merges records: as git's merge driver, for a whole branch, and again where a merge without the driver left conflicts. It
// does not use the index, and the driver not the store: git waits for every call.
package merge

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"strings"

	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/lines"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// Versions are three versions of one file.
type Versions struct{ Base, Ours, Theirs []byte }

// readVersions reads three versions by their names.
func readVersions(base, ours, theirs string, read func(name string) ([]byte, error)) (v Versions, err error) {
	var errs [3]error
	v.Base, errs[0] = read(base)
	v.Ours, errs[1] = read(ours)
	v.Theirs, errs[2] = read(theirs)
	return v, cmp.Or(errs[:]...)
}

// Labels are the labels of conflict markers and their length.
type Labels = git.MergeLabels

// Merged is the outcome of a merge: with conflicts, Out has markers around just the conflicting lines.
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

// File merges a record by key, section and item, anything else and sides with conflicts by lines, with the base in markers if showBase.
func File(ctx context.Context, file string, v Versions, l Labels, showBase bool) (Merged, error) {
	kind, ok := KindAt(file)
	if ok {
		v.Base, ok = withoutConflicts(v.Base)
	}
	if ok && mergeable(v.Ours) && mergeable(v.Theirs) {
		if m, ok := byItems(kind, v, l); ok {
			if showBase {
				m.Out = addBase(m, v.Base, l)
			}
			return m, nil
		}
	}
	return byLines(ctx, v, l, showBase)
}

// mergeable reports whether a side reads as a record: it has no unresolved conflict, and no zero byte, which means binary to git.
func mergeable(src []byte) bool {
	return record.ConflictMarkers(src) == 0 && bytes.IndexByte(src, 0) < 0
}

// withoutConflicts returns the base to merge against: one that git made of two older ones has the common base between its markers.
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

// byItems merges a record. ok is false when the merge panicked: the caller then merges by lines.
func byItems(kind record.Kind, v Versions, l Labels) (m Merged, ok bool) {
	defer func() {
		if recover() != nil {
			m, ok = Merged{}, false
		}
	}()
	r := record.Merge(kind, v.Base, v.Ours, v.Theirs, markdown.MergeLabels{Ours: l.Ours, Theirs: l.Theirs, MarkerSize: l.MarkerSize})
	return Merged{Out: r.Out, Conflicts: r.Conflicts, Clean: len(r.Conflicts) == 0}, true
}

// byLines merges as git does without a driver: of binary files ours stays, in conflict.
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
	size := cmp.Or(max(l.MarkerSize, 0), record.MarkerSize)
	var out bytes.Buffer
	open := m.Conflicts
	for n, line := range bytes.SplitAfter(m.Out, newline) {
		if len(open) > 0 && n >= open[0].Line && string(bytes.TrimRight(line, "\r\n")) == strings.Repeat("=", size) {
			end := lines.Newline(line)
			out.WriteString(strings.TrimRight(strings.Repeat("|", size)+" "+cmp.Or(l.Base, "base"), " ") + end)
			out.WriteString(baseLines(open[0], base, open[0].Line <= head, end))
			open = open[1:]
		}
		out.Write(line)
	}
	return out.Bytes()
}

// baseLines returns a conflict's lines in base. For a key, the conflict itself has only the value.
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
