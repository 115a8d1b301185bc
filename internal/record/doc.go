package record

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// Doc is one version of a record's file, parsed once: a save passes it from layer to layer. It is immutable and safe for concurrent use.
type Doc struct {
	Src  []byte
	Etag string // "" for no file

	front    *frontmatter.Doc // never nil
	frontErr error
	open     []Block // the unresolved conflicts
	text     []byte  // Src with U+FFFD for every byte that is not text
	bad      int     // the first such byte, -1 for none

	once    sync.Once
	body    *markdown.Doc
	bodyErr error
}

// NoFile returns the Doc of a record without a file.
func NoFile() *Doc {
	d := Open(nil)
	d.Etag = ""
	return d
}

// Open parses the bytes of a record's file. The caller must not change them afterwards.
func Open(src []byte) *Doc {
	d := newDoc(src)
	d.front, d.frontErr = frontmatter.Parse(d.text)
	return d
}

func newDoc(src []byte) *Doc {
	d := &Doc{Src: src, Etag: Etag(src), text: src, bad: notText(src)}
	if d.bad >= 0 {
		d.text = bytes.ToValidUTF8(src, []byte("\uFFFD"))
		d.text = bytes.ReplaceAll(d.text, []byte{0}, []byte("\uFFFD"))
	}
	d.open = Unresolved(d.text)
	return d
}

// Front returns the front matter. Errors are those of frontmatter.Parse.
func (d *Doc) Front() (*frontmatter.Doc, error) { return d.front, d.frontErr }

// Revision returns the revision in the front matter, 0 for none and for 2,147,483,647 or more, after which none might come.
func (d *Doc) Revision() int {
	n, ok := d.front.Int("revision")
	if !ok || n >= math.MaxInt32 {
		return 0
	}
	return max(0, n)
}

// markdown returns the text after the front matter, with blanks for the marker lines of conflicts.
func (d *Doc) markdown() (*markdown.Doc, error) {
	d.once.Do(func() {
		if d.body != nil {
			return
		}
		text := d.text
		if len(d.open) > 0 {
			text = withoutMarkers(text, d.open)
		}
		if d.body, d.bodyErr = markdown.Parse(text, d.front.Body); d.bodyErr != nil {
			d.body = &markdown.Doc{}
		}
		d.body.Src = d.text
	})
	return d.body, d.bodyErr
}

// Writable returns the reason not to write to the file (Broken, with the line), nil when there is none.
func (d *Doc) Writable() error {
	err := d.readable()
	if err == nil {
		_, err = d.markdown()
	}
	return err
}

// readable is Writable without the check of the Markdown.
func (d *Doc) readable() error {
	switch {
	case d.bad >= 0:
		return broken(1+bytes.Count(d.Src[:d.bad], newline), whyNotText(d.Src, d.bad), "save the file as UTF-8 text")
	case len(d.open) > 0:
		return broken(d.open[0].Line, conflictBegins, "resolve the conflict, by hand or with sdd resolve, then save again")
	case d.frontErr != nil:
		f := fault.Of(d.frontErr)
		return broken(f.Line, f.Message, cmp.Or(f.Hint, "mend the front matter, then save again"))
	}
	return nil
}

// Edit is the function Edit for a parsed file.
func (d *Doc) Edit(kind Kind, sets []frontmatter.Set, changes []markdown.Change) (Updated, error) {
	if err := d.readable(); err != nil {
		return Updated{}, err
	}
	for _, c := range changes {
		if at := notText([]byte(c.Text)); at >= 0 {
			arg := cmp.Or(SectionKey(kind, c.Section), c.Section.Name)
			return Updated{}, fault.New(fault.Invalid, "%s holds bytes that are no text (byte %d)", arg, at).For(arg).
				With("give valid UTF-8 without NUL bytes")
		}
	}
	u, err := d.edit(kind, sets, changes)
	if err == nil && len(u.Doc.open) > 0 {
		u, err = d.defused(kind, sets, changes)
	}
	return u, err
}

// With returns the version with other keys: d itself when it has them.
func (d *Doc) With(kind Kind, sets []frontmatter.Set) (*Doc, error) {
	u, err := d.Edit(kind, sets, nil)
	return u.Doc, err
}

// edit returns the new version.
func (d *Doc) edit(kind Kind, sets []frontmatter.Set, changes []markdown.Change) (Updated, error) {
	of := Kind(d.front.String("kind"))
	for _, s := range sets {
		if k, ok := s.Value.(string); ok && s.Key == "kind" {
			of = Kind(k)
		}
	}
	front, err := d.front.Apply(KeysOf(kind, of), sets)
	if err != nil {
		return Updated{}, err
	}
	body, err := d.behind(front)
	if err != nil {
		return Updated{}, err
	}
	md, err := body.Update(SectionsOf(kind, of), changes)
	if err != nil {
		for _, c := range changes {
			if f := fault.Of(err); f.Arg == c.Section.Name { // the argument has another name than its section
				return Updated{}, f.For(cmp.Or(SectionKey(kind, c.Section), f.Arg))
			}
		}
		return Updated{}, err
	}
	u := Updated{Doc: d, Out: md.Out, Warnings: md.Warnings}
	if !bytes.Equal(md.Out, d.Src) {
		u.Doc = newDoc(md.Out)
		u.Doc.front, u.Doc.body = front.WithBody(md.Out), md.Doc
		same := bytes.Equal(md.Out[:front.Body], front.Src[:front.Body])
		if same && !front.Present { // otherwise the block ends at the same place
			u.Doc.front, err = frontmatter.Parse(md.Out)
			same = err == nil && u.Doc.front.Body == front.Body
		}
		if !same {
			return Updated{}, fault.New(fault.Internal, "the text would change the front matter").
				With("nothing was written; report it with the file as it is")
		}
	}
	return u, nil
}

// behind returns the text placed after other front matter.
func (d *Doc) behind(front *frontmatter.Doc) (*markdown.Doc, error) {
	body, err := d.markdown()
	switch {
	case err != nil || front == d.front:
		return body, err
	case bytes.Equal(front.Src[front.Body:], d.Src[d.front.Body:]):
		return body.At(front.Src, front.Body), nil
	}
	return markdown.Parse(front.Src, front.Body)
}

// defused is edit for text that contains or completes a merge conflict, to which nothing is written: marker lines get a backslash.
func (d *Doc) defused(kind Kind, sets []frontmatter.Set, changes []markdown.Change) (Updated, error) {
	changes = slices.Clone(changes)
	var warnings []markdown.Warning
	// First the conflicts that are whole within one text, then any line that may complete one.
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
		u, err := d.edit(kind, sets, changes)
		if err != nil || len(u.Doc.open) == 0 {
			u.Warnings = append(warnings, u.Warnings...)
			return u, err
		}
	}
	return Updated{}, fault.New(fault.Invalid, "the text makes a merge conflict of what is in the file").
		With("leave out lines of seven <, = or >")
}
