// Package record knows the files of a store: the kinds of records, their names and identities, how to parse, validate and edit one, and
// how three versions merge. It does no I/O.
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
	Status   string // "" for kinds without one
	Color    string // of an idea
	Session  string // that created it, "" when unknown
	Revision int    // saves by the tool, at least 1
	Created  string // as in the file

	File        string // relative to `.sdd`, with slashes
	Etag        string
	FrontMatter map[string]any // ready for JSON

	Preamble     string // text before the first section, title heading included
	PreambleLine int    // its first line in the file, 0 when it is empty
	Sections     []Section

	Problems []Problem
	Writable bool // false when a save must not touch the file before its problems are mended
}

// Section is one part of the record: a level-2 section, a level-3 one that its kind knows, or
// what follows a level-1 heading behind the first section.
type Section struct {
	Name     string
	Key      string // the argument that fills it, "" for sections the kind does not know
	Text     string // the stored bytes without blank lines at both ends
	Etag     string // of Text
	Line     int    // of the heading, in the file
	TextLine int    // of the first line of Text
}

// Problem is something a reader of the file should know.
type Problem struct {
	Line int // 0 when it concerns the whole file
	Code string
	Text string
}

// Codes of problems. All but DuplicateSection keep the file from being written to.
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

// Limits are the sizes past which a text is refused, never cut. A limit of 0 is none.
type Limits struct {
	Title   int // characters
	Section int // bytes
	File    int // bytes
}
