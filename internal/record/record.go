// Package record defines the files of a store: the kinds of records, their names and identities, and how to parse,
// validate, edit and merge a file. It does no I/O.
package record

// Record is the content of one file.
type Record struct {
	Kind     Kind
	Of       Kind   // of a candidate: the kind it will have
	ID       string // unique in a store; what tools take and show
	TopicKey string // of an exploration: explore/<slug>
	Title    string // one line
	Slug     string // of the title
	Project  string
	Scope    string
	Status   string // the one that counts, see statusOf; "" for kinds without one
	Color    string // of an idea
	Session  string // the session that created it, "" when unknown
	Revision int    // saves by the tool, at least 1
	Created  string // as in the file

	File        string // relative to `.sdd`, with slashes
	Etag        string
	FrontMatter map[string]any // ready for JSON

	Preamble     string // text before the first section, title heading included
	PreambleLine int    // its first line in the file, 0 when it is empty
	Sections     []Section

	Problems []Problem
	Writable bool // false when a save must not touch the file before the user fixes its problems
}

// Section is a level-2 section, a level-3 section that its kind knows, or the text of a level-1 heading behind the first section.
type Section struct {
	Name     string
	Key      string // the argument that fills it, "" for sections the kind does not know
	Text     string // the stored bytes without blank lines at both ends
	Etag     string // of Text
	Line     int    // of the heading, in the file
	TextLine int    // of the first line of Text
}

// Problem is a defect of the file that its readers should know.
type Problem struct {
	Line int // 0 when it concerns the whole file
	Code string
	Text string
}

// Codes of problems. All but DuplicateSection make the file not writable.
const (
	BrokenYAML       = "broken_yaml"
	Conflicted       = "conflict_markers"
	InvalidUTF8      = "invalid_utf8"
	TooLarge         = "too_large"
	TooDeep          = "too_deep"
	DuplicateSection = "duplicate_section"
)

// Type is the value of the `type` filter that finds the record: its kind, or `learning`.
func (r *Record) Type() string {
	if r.Kind == Idea && r.Color == Learning {
		return "learning"
	}
	return string(r.Kind)
}

// Limits are the largest allowed sizes; a text is never cut. 0 means no limit.
type Limits struct {
	Title   int // characters
	Section int // bytes
	File    int // bytes
}
