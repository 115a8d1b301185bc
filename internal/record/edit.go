package record

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// Updated is the result of an edit.
type Updated struct {
	Out             []byte
	ChangedSections []markdown.Known // their text differs
	ChangedKeys     []string         // of the front matter: new, gone or with another value
	Warnings        []markdown.Warning
}

// Changed reports whether the edit changed anything.
func (u Updated) Changed() bool { return len(u.ChangedSections) > 0 || len(u.ChangedKeys) > 0 }

// Edit sets keys and changes sections of the record in src, and touches no other byte: a key
// set to what it is and a section replaced by what it holds stay as they are. Where src is empty
// the record is made new, its keys in the order of its kind; where it has no front matter, keys that
// are set make one before the text.
//
// It refuses (Broken, with the line; the caller knows the file) what Parse calls not writable, and
// (Invalid, with the argument) text that no file should hold. What was given reads back, and
// everything else reads as before: the packages below check their part by parsing the result, Edit
// that the parts do not touch each other and that the file can be written to again.
func Edit(src []byte, kind Kind, sets []frontmatter.Set, changes []markdown.Change) (Updated, error) {
	if _, err := readable(src); err != nil {
		return Updated{}, err
	}
	for _, c := range changes {
		if at := notText([]byte(c.Text)); at >= 0 {
			arg := cmp.Or(SectionKey(kind, c.Section), c.Section.Name)
			return Updated{}, fault.New(fault.Invalid, "%s holds bytes that are no text (byte %d)", arg, at).For(arg).
				With("give valid UTF-8 without NUL bytes")
		}
	}
	u, err := edit(src, kind, sets, changes)
	if err == nil && ConflictMarkers(u.Out) > 0 {
		u, err = defused(src, kind, sets, changes)
	}
	if err != nil {
		return Updated{}, err
	}
	return u, nil
}

// Writable returns why a file with these bytes must not be written to (Broken, with the line),
// nil when it may.
func Writable(src []byte) error {
	body, err := readable(src)
	if err == nil {
		_, err = markdown.Parse(src, body)
	}
	return err
}

// readable is Writable but for the Markdown: it returns where that begins.
func readable(src []byte) (body int, err error) {
	if at := notText(src); at >= 0 {
		return 0, broken(1+bytes.Count(src[:at], newline), whyNotText(src, at), "save the file as UTF-8 text")
	}
	if n := ConflictMarkers(src); n > 0 {
		return 0, broken(n, conflictBegins, "resolve the conflict, by hand or with sdd resolve, then save again")
	}
	fm, err := frontmatter.Parse(src)
	if err != nil {
		f := fault.Of(err)
		return 0, broken(f.Line, f.Message, cmp.Or(f.Hint, "mend the front matter, then save again"))
	}
	return fm.Body, nil
}

func broken(line int, message, hint string) *fault.Error {
	return fault.New(fault.Broken, "%s", message).With(hint).At("", line)
}

// edit makes the new bytes.
func edit(src []byte, kind Kind, sets []frontmatter.Set, changes []markdown.Change) (Updated, error) {
	old, err := frontmatter.Parse(src)
	if err != nil {
		return Updated{}, err
	}
	of := Kind(old.String("kind"))
	for _, s := range sets {
		if k, ok := s.Value.(string); ok && s.Key == "kind" {
			of = Kind(k)
		}
	}
	out, err := frontmatter.Apply(src, KeysOf(kind, of), sets)
	if err != nil {
		return Updated{}, err
	}
	now, err := frontmatter.Parse(out)
	if err != nil {
		return Updated{}, err
	}
	md, err := markdown.Update(out, now.Body, SectionsOf(kind, of), changes)
	if err != nil {
		for _, c := range changes {
			if f := fault.Of(err); f.Arg == c.Section.Name { // the argument is not called as its section is
				return Updated{}, f.For(cmp.Or(SectionKey(kind, c.Section), f.Arg))
			}
		}
		return Updated{}, err
	}
	same := bytes.Equal(md.Out[:now.Body], out[:now.Body])
	if same && !now.Present { // else the block ends where it ended
		after, err := frontmatter.Parse(md.Out)
		same = err == nil && after.Body == now.Body
	}
	if !same {
		return Updated{}, fault.New(fault.Internal, "the text would change the front matter").
			With("nothing was written; report it with the file as it is")
	}
	u := Updated{Out: md.Out, ChangedSections: md.Changed, Warnings: md.Warnings}
	for _, s := range sets {
		if !sameValue(old, now, s.Key) && !slices.Contains(u.ChangedKeys, s.Key) {
			u.ChangedKeys = append(u.ChangedKeys, s.Key)
		}
	}
	return u, nil
}

// defused is edit for text that contains a merge conflict, or makes one together with the rest of the file: marker lines get a
// backslash, so that they read as text. A file with conflict markers could not be written to again.
func defused(src []byte, kind Kind, sets []frontmatter.Set, changes []markdown.Change) (Updated, error) {
	changes = slices.Clone(changes)
	var warnings []markdown.Warning
	// First the conflicts that a text holds whole, then whatever line may complete one.
	for _, char := range []byte{0, '<', '>', '='} {
		for i, c := range changes {
			text, n := escapeMarkers(c.Text, char)
			if n == 0 {
				continue
			}
			changes[i].Text = text
			warnings = append(warnings, markdown.Warning{Code: "line_escaped", Section: c.Section.Name,
				Text: fmt.Sprintf("line %d of the text, a conflict marker, got a backslash: a file that holds a merge conflict is not written to", n)})
		}
		u, err := edit(src, kind, sets, changes)
		if err != nil || ConflictMarkers(u.Out) == 0 {
			u.Warnings = append(warnings, u.Warnings...)
			return u, err
		}
	}
	return Updated{}, fault.New(fault.Invalid, "the text makes a merge conflict of what is in the file").
		With("leave out lines of seven <, = or >")
}

// escapeMarkers puts a backslash before every marker line of that character, for 0 before the
// first line of every conflict, and returns the number of the first line that got one.
func escapeMarkers(text string, char byte) (escaped string, first int) {
	opens := map[int]bool{}
	for _, c := range unresolved([]byte(text)) {
		opens[c.line] = true
	}
	var b strings.Builder
	for i, l := range strings.SplitAfter(text, "\n") {
		if c, _ := marker([]byte(l)); opens[i+1] || char != 0 && c == char {
			b.WriteByte('\\')
			if first == 0 {
				first = i + 1
			}
		}
		b.WriteString(l)
	}
	return b.String(), first
}

func sameValue(a, b *frontmatter.Doc, key string) bool {
	return a.Has(key) == b.Has(key) && fmt.Sprint(a.Value(key)) == fmt.Sprint(b.Value(key))
}
