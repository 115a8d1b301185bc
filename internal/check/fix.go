package check

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// --fix corrects only what has one possible reading, and only the bytes of that value (for a moved place also `seen`, and `revision` of an
// exploration). A second run changes nothing.

// fixAll corrects the wanted pages, and inspects them again.
func (c *checker) fixAll(ctx context.Context, ix *index.Index, pages []*page, wanted func(string) bool) []Fixed {
	done := []Fixed{}
	for i, p := range pages {
		if !p.fixes || wanted != nil && !wanted(p.path) {
			continue
		}
		var fixed []Fixed
		saved, err := c.st.Save(ctx, store.Edit{
			Lock: p.id, Record: p.id, Op: "check",
			Resolve: func() (string, error) { return p.path, nil },
			Apply: func(before []byte, exists bool) ([]byte, error) {
				if !exists {
					return nil, fault.New(fault.NotFound, "the file is gone").At(store.Folder+"/"+p.path, 0)
				}
				after, mended := c.mend(p.path, before)
				after, moved, err := c.takeNewPlaces(ctx, p, after)
				fixed = append(mended, moved...)
				return after, err
			},
		})
		if fault.Is(err, fault.NotFound) {
			continue // deleted meanwhile
		}
		fault.Check(err)
		if !saved.Unchanged && ix != nil {
			ix.Put(saved)
		}
		done = append(done, fixed...)
		pages[i] = c.inspect(p.path, saved.After)
		c.judge(ctx, pages[i:i+1])
	}
	return done
}

// mend returns src corrected, and the corrections. A file that must not be written stays as it is.
func (c *checker) mend(path string, src []byte) ([]byte, []Fixed) {
	doc := record.Open(src)
	if doc.Writable() != nil {
		return src, nil
	}
	fm, _ := doc.Front()
	var fixed []Fixed
	note := func(line int, rule, message string) {
		fixed = append(fixed, Fixed{File: store.Folder + "/" + path, Line: line, Rule: rule, Message: message})
	}
	out := src
	for _, l := range slices.Backward(markdown.Links(src, fm.Body)) {
		if rel, ok := c.relative(path, l.Raw); ok {
			out = slices.Concat(out[:l.Start], []byte(rel), out[l.End:])
			note(l.Line, ruleAbsolute, fmt.Sprintf("make the link %s", rel))
		}
	}
	kind, _ := record.KindOf(path)
	order := record.KeysOf(kind, record.Kind(fm.String("kind")))
	for _, key := range fm.Keys {
		value, rule, ok := c.better(path, out, fm, key.Name)
		if !ok {
			continue
		}
		if after, err := setTo(out, order, key.Name, value); err == nil && c.bad(path, after, key.Name) == nil {
			out = after
			note(key.Line, rule, fmt.Sprintf("set %s to %v", key.Name, value))
		}
	}
	return out, fixed
}

func setTo(src []byte, order []string, key string, value any) (out []byte, err error) {
	set := func(src []byte, value any) ([]byte, error) {
		return frontmatter.Apply(src, order, []frontmatter.Set{{Key: key, Value: value}})
	}
	if _, isText := value.(string); !isText { // a quoted number counts as that number, and would keep its quotes
		src, err = set(src, "")
	}
	if err != nil {
		return nil, err
	}
	return set(src, value)
}

// bad returns the problem with the value of a key, nil when there is none.
func (c *checker) bad(path string, src []byte, key string) *record.Finding {
	for _, f := range record.Validate(path, src, c.defaults) {
		if f.Code == record.BadValue && f.Key == key {
			return &f
		}
	}
	return nil
}

// better returns the corrected value of a key; ok is false when there is no single correction.
func (c *checker) better(path string, src []byte, fm *frontmatter.Doc, key string) (value any, rule string, ok bool) {
	text, ok := fm.Value(key).(string)
	if !ok {
		return nil, "", false
	}
	if key == anchor.RefKey {
		rel, ok := c.relativeCode(text)
		return rel, ruleAbsolute, ok && anchor.NamesFile(text)
	}
	found := c.bad(path, src, key)
	if found == nil {
		return nil, "", false
	}
	trimmed := strings.TrimSpace(text)
	if len(found.Allowed) > 0 {
		i := slices.IndexFunc(found.Allowed, func(allowed string) bool { return strings.EqualFold(allowed, trimmed) })
		if i < 0 {
			return nil, "", false
		}
		return found.Allowed[i], ruleValue, true
	}
	if n, err := strconv.ParseInt(trimmed, 10, 64); err == nil && strconv.FormatInt(n, 10) == trimmed {
		value = n
	} else if f, err := strconv.ParseFloat(trimmed, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == trimmed {
		value = f
	} else if low := strings.ToLower(trimmed); low == "true" || low == "false" {
		value = low == "true"
	}
	return value, ruleValue, value != nil
}

// absolute adds a finding for each absolute path to a file of this repository.
func (c *checker) absolute(p *page) {
	for _, l := range p.links {
		if rel, ok := c.relative(p.path, l.Raw); ok {
			p.add(ruleAbsolute, place{l.Line, l.Column}, rel, fmt.Sprintf("%s is right on this machine only", l.Raw), "write "+rel)
		}
	}
	for _, r := range p.refs {
		if rel, ok := c.relativeCode(r.value); ok && r.code {
			p.add(ruleAbsolute, place{line: r.line}, rel, fmt.Sprintf("code_ref %s is right on this machine only", r.value), "write "+rel)
		}
	}
}

// relative returns an absolute path into the repository relative to the record at path; ok is false for any other destination.
func (c *checker) relative(path, raw string) (string, bool) {
	in := c.insideTop(strings.TrimPrefix(raw, "file://"))
	if in == "" {
		return "", false
	}
	file := in[:strings.IndexAny(in+"#", "#?")]
	from := filepath.Join("/", filepath.FromSlash(c.base()), store.Folder, filepath.FromSlash(path), "..")
	rel, err := filepath.Rel(from, filepath.Join("/", filepath.FromSlash(file)))
	return filepath.ToSlash(rel) + in[len(file):], err == nil
}

// relativeCode is relative for code_ref, which counts from the store's root.
func (c *checker) relativeCode(value string) (string, bool) {
	in := c.insideTop(strings.TrimSpace(value))
	if c.base() != "" {
		in = strings.TrimPrefix(in, c.base()+"/")
	}
	return in, in != ""
}

// insideTop returns what follows the top of the work tree in an absolute path, "" for any other.
func (c *checker) insideTop(file string) string {
	top := filepath.ToSlash(c.top)
	for _, t := range []string{top, (&url.URL{Path: top}).EscapedPath()} {
		if rest, ok := strings.CutPrefix(file, t+"/"); ok && t != "" && rest != "" {
			return rest
		}
	}
	return ""
}
