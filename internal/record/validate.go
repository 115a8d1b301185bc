package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"sdd/internal/frontmatter"
	"sdd/schema"
)

// Finding is a defect of a file, for people and `sdd check`. The file is still readable.
type Finding struct {
	Line    int    // 1-based
	Key     string // front-matter key or section, "" when it concerns the file
	Code    string // a Problem's code, or one of those below
	Message string
	Allowed []string // the allowed values, if they are a list
}

// Codes of findings besides those of problems.
const (
	BadValue        = "bad_value"         // a front-matter value breaks its schema
	SectionTooLarge = "section_too_large" // a section is over its limit
	TitleTooLong    = "title_too_long"
	Empty           = "empty" // the record has no text
)

// Validate lists the defects of the record in file, by line: its problems, values that break the schema, and sizes above the limits.
func Validate(file string, src []byte, d Defaults) []Finding {
	fm, err := frontmatter.Parse(src)
	return Parse(file, src, d).Validate(fm, err, d)
}

// Validate is the function Validate for a record with that front matter.
func (r Record) Validate(fm *frontmatter.Doc, err error, d Defaults) []Finding {
	var found []Finding
	for _, p := range r.Problems {
		found = append(found, Finding{Line: max(1, p.Line), Code: p.Code, Message: p.Text})
	}
	if err == nil {
		found = r.dates(fm, append(found, r.values(fm)...))
	}
	if n := utf8.RuneCountInString(r.Title); d.Limits.Title > 0 && n > d.Limits.Title {
		found = append(found, Finding{Line: max(1, fm.Line("title")), Key: "title", Code: TitleTooLong,
			Message: fmt.Sprintf("the title has %d characters, at most %d are allowed", n, d.Limits.Title)})
	}
	for _, s := range r.Sections {
		if d.Limits.Section > 0 && len(s.Text) > d.Limits.Section {
			found = append(found, Finding{Line: s.Line, Key: s.Name, Code: SectionTooLarge,
				Message: fmt.Sprintf("section %s has %d bytes, at most %d are allowed", s.Name, len(s.Text), d.Limits.Section)})
		}
	}
	if r.empty() {
		found = append(found, Finding{Line: 1, Code: Empty, Message: "the record has no text"})
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Line - b.Line })
	return found
}

// empty reports whether the record has only headings.
func (r *Record) empty() bool {
	for _, s := range r.Sections {
		if s.Text != "" {
			return false
		}
	}
	for _, l := range strings.Split(r.Preamble, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "# ") {
			return false
		}
	}
	return true
}

// Noun returns the word for records of a type, as Type returns it; of a kind it is also the name of the schema of its front matter.
func Noun(name string) string {
	if name == string(Exploration) {
		return "exploration"
	}
	return name
}

// values checks the front matter against the schema of the kind, and for a candidate against that of its later kind for other keys.
func (r *Record) values(fm *frontmatter.Doc) []Finding {
	found := r.valuesOf(fm, r.Kind, r.FrontMatter)
	if r.Kind != Candidate {
		return found
	}
	if r.FrontMatter["kind"] == nil {
		found = append(found, Finding{Line: 1, Key: "kind", Code: BadValue,
			Message: "kind is missing: a candidate becomes a record of its kind", Allowed: []string{"idea", "fact", "decision"}})
	}
	if r.Of != "" {
		rest := maps.Clone(r.FrontMatter)
		for _, key := range layouts[Candidate].keys {
			delete(rest, key)
		}
		for _, f := range r.valuesOf(fm, r.Of, rest) {
			if !slices.ContainsFunc(found, func(other Finding) bool { return other.Key == f.Key }) {
				found = append(found, f)
			}
		}
	}
	return found
}

var dateKeys = strings.Fields("created date refreshed valid_from valid_until done_at archived_at resurrected_at validated_at")

// dates adds the dates that no calendar has to what the schema found: a pattern allows any day.
func (r *Record) dates(fm *frontmatter.Doc, found []Finding) []Finding {
	keys := KeysOf(r.Kind, r.Of)
	for _, key := range dateKeys {
		value, _ := r.FrontMatter[key].(string)
		known := slices.ContainsFunc(found, func(f Finding) bool { return f.Key == key })
		if value == "" || known || !slices.Contains(keys, key) || Moment(value) != 0 {
			continue
		}
		found = append(found, Finding{Line: max(1, fm.Line(key)), Key: key, Code: BadValue,
			Message: fmt.Sprintf("%s is %q, it should look like 2026-11-20", key, value)})
	}
	return found
}

func (r *Record) valuesOf(fm *frontmatter.Doc, k Kind, values map[string]any) []Finding {
	err := schema.Compile(Noun(string(k))).Validate(any(values))
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var found []Finding
	for _, leaf := range schema.Leaves(invalid) {
		key := strings.Join(leaf.InstanceLocation, ".")
		f := Finding{Line: 1, Key: key, Code: BadValue, Message: r.message(key, leaf.ErrorKind)}
		if len(leaf.InstanceLocation) > 0 {
			f.Line = max(1, fm.Line(leaf.InstanceLocation[0]))
		}
		if enum, ok := leaf.ErrorKind.(*kind.Enum); ok {
			for _, v := range enum.Want {
				f.Allowed = append(f.Allowed, fmt.Sprint(v))
			}
		}
		// The list of one colour and that of all colours may both refuse a status: report the shorter list.
		if i := slices.IndexFunc(found, func(other Finding) bool { return other.Key == key }); i >= 0 {
			if len(f.Allowed) > 0 && len(f.Allowed) < len(found[i].Allowed) {
				found[i] = f
			}
			continue
		}
		found = append(found, f)
	}
	return found
}

// message returns the text for an invalid value.
func (r *Record) message(key string, e jsonschema.ErrorKind) string {
	if p, ok := e.(*kind.Pattern); ok {
		like := p.Want
		if examples := schema.PropertyOf(Noun(string(r.Kind)), key).Examples; len(examples) > 0 {
			like = examples[0]
		}
		return fmt.Sprintf("%s is %q, it should look like %s", key, p.Got, like)
	}
	return cmp.Or(schema.Problem(key, e), fmt.Sprintf("%s is not as it should be: %v", key, e))
}
