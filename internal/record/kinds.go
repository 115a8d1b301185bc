package record

import (
	"path"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/markdown"
)

// Kind is the kind of a record. Its text is the `type` that tools and commands use.
type Kind string

const (
	Exploration Kind = "explore"
	Idea        Kind = "idea" // a learning is an idea of colour yellow
	Fact        Kind = "fact"
	Decision    Kind = "decision"
	Candidate   Kind = "candidate" // an idea, fact or decision that waits for approval
)

// Kinds lists every kind, in the order in which they are shown.
var Kinds = []Kind{Exploration, Idea, Fact, Decision, Candidate}

// Scopes. Explorations, facts and decisions are project or personal, explorations private too; learnings are local to an agent or global.
const (
	Project  = "project"
	Personal = "personal"
	Private  = "private" // of explorations; its file is encrypted and in a folder of its own, so it is no value in a plain file
	Local    = "local"
	Global   = "global"
)

// section is a known section of a kind, with the argument that fills it.
type section struct {
	markdown.Known
	key string
}

// layout is the definition of a kind: its folder, its sections, the order of keys in a new file, its scopes and statuses.
type layout struct {
	folder   string
	sections []section
	keys     []string
	scopes   []string // the first is the default
	statuses []string
}

var layouts = map[Kind]layout{
	Exploration: {
		folder: "explore",
		sections: []section{
			{markdown.Known{Name: "Goals"}, "goals"},
			{markdown.Known{Name: "Constraints"}, "constraints"},
			{markdown.Known{Name: "Preferences"}, "preferences"},
			{markdown.Known{Name: "Unknowns"}, "unknowns"},
			{markdown.Known{Name: "Decisions"}, "decisions"},
			{markdown.Known{Name: "Context"}, "context"},
		},
		keys:   strings.Fields("title project scope revision created session_id code_ref seen"),
		scopes: []string{Project, Personal},
	},
	Idea: {
		folder:   "ideas",
		sections: []section{{markdown.Known{Name: "History"}, "history"}},
		keys: strings.Fields(`id color status scope parent agents impact category validated applied_to superseded_by created done_at
			archived_at archived_reason resurrected_at resurrected_by outdated_reason outdated_commit validated_at code_ref seen aliases
			imported`),
		scopes:   []string{Local, Global},
		statuses: strings.Fields("pending active blocked done failed timeout review outdated archived deleted"),
	},
	Fact: {
		folder:   "facts",
		sections: []section{{markdown.Known{Name: "Evidence"}, "evidence"}},
		keys: strings.Fields(`id level domain module status confidence source code_ref parent superseded_by valid_from valid_until ttl
			created refreshed seen scope`),
		scopes:   []string{Project, Personal},
		statuses: strings.Fields("active stale superseded archived"),
	},
	Decision: {
		folder: "decisions",
		sections: []section{
			{markdown.Known{Name: "Context and Problem Statement"}, "context"},
			{markdown.Known{Name: "Decision Drivers"}, "drivers"},
			{markdown.Known{Name: "Considered Options"}, "options"},
			{markdown.Known{Name: "Decision Outcome"}, "outcome"},
			{markdown.Known{Name: "Consequences", Under: "Decision Outcome"}, "consequences"},
		},
		keys:     strings.Fields("title status date supersedes depends_on relates_to source code_ref seen created scope"),
		scopes:   []string{Project, Personal},
		statuses: strings.Fields("proposed accepted superseded rejected"),
	},
	Candidate: {
		folder:   "inbox",
		sections: []section{{markdown.Known{Name: "Evidence"}, "evidence"}},
		keys:     strings.Fields("kind confidence status rejected_reason"),
		scopes:   []string{Project},
		statuses: strings.Fields("pending approved rejected"),
	},
}

// ExplorationSections are the known sections of an exploration.
var ExplorationSections = Sections(Exploration)

// ideaStatuses are the statuses of ideas by colour, those of "" are of all other colours.
var ideaStatuses = map[string][]string{
	"":       strings.Fields("pending active blocked done"),
	"green":  strings.Fields("pending active blocked done failed timeout review"),
	Learning: strings.Fields("active outdated archived deleted"),
}

// Colors of ideas. White is not a colour of its own: it is green with status done.
var Colors = strings.Fields("black gray orange purple red blue green yellow")

// Learning is the colour of ideas that are learnings.
const Learning = "yellow"

// Levels of facts, by number.
var Levels = strings.Fields("project domain module code")

// Folder returns the folder below `.sdd` (and below `.sdd/personal`) that holds records of kind k.
func Folder(k Kind) string { return layouts[k].folder }

// Sections returns the known sections of kind k, in order; see SectionsOf for candidates.
func Sections(k Kind) []markdown.Known { return SectionsOf(k, "") }

// SectionsOf is Sections for a candidate that will be of kind `of`.
func SectionsOf(k, of Kind) []markdown.Known {
	var known []markdown.Known
	for _, s := range sectionsOf(k, of) {
		known = append(known, s.Known)
	}
	return known
}

// sectionsOf returns a shared list: callers must not change it.
func sectionsOf(k, of Kind) []section {
	own := layouts[k].sections
	if k != Candidate || of == "" || of == Fact {
		return own
	}
	return slices.Concat(layouts[of].sections, own)
}

// Keys returns the front-matter keys of kind k in the order in which a new file has them.
func Keys(k Kind) []string { return KeysOf(k, "") }

// KeysOf is Keys for a candidate that will be of kind `of`.
func KeysOf(k, of Kind) []string {
	var later []string
	own := layouts[k].keys
	if k == Candidate {
		later = slices.DeleteFunc(slices.Clone(layouts[of].keys), func(key string) bool { return slices.Contains(own, key) })
	}
	return append(later, own...)
}

// SectionKey returns the argument that fills section s of kind k, "" for an unknown section.
func SectionKey(k Kind, s markdown.Known) string { return keyOf(layouts[k].sections, s) }

func keyOf(sections []section, s markdown.Known) string {
	for _, known := range sections {
		if strings.EqualFold(known.Name, strings.TrimSpace(s.Name)) && strings.EqualFold(known.Under, s.Under) {
			return known.key
		}
	}
	return ""
}

// SectionNamed returns the section of kind k with that argument or heading, without case.
func SectionNamed(k Kind, name string) (markdown.Known, bool) {
	name = strings.TrimSpace(name)
	for _, known := range layouts[k].sections {
		if strings.EqualFold(known.key, name) || strings.EqualFold(known.Name, name) {
			return known.Known, true
		}
	}
	return markdown.Known{}, false
}

// Inner reports whether the text of another section contains this one, as that of a decision contains its consequences.
func (s Section) Inner() bool {
	return slices.ContainsFunc(layouts[Decision].sections, func(k section) bool { return k.Under != "" && k.key == s.Key })
}

// ScopesOf returns the scopes that a record of kind k may have, the default first.
func ScopesOf(k Kind) []string { return layouts[k].scopes }

// StatusesOf returns the statuses of kind k; for ideas those of the colour, of all colours for "". Explorations have none.
func StatusesOf(k Kind, color string) []string {
	if k != Idea || color == "" {
		return layouts[k].statuses
	}
	if own, ok := ideaStatuses[color]; ok {
		return own
	}
	return ideaStatuses[""]
}

// KindOf returns the kind of the record at a path relative to `.sdd`; false in other folders, hidden, or with other extensions.
func KindOf(file string) (Kind, bool) {
	if !strings.HasSuffix(file, ".md") || strings.HasPrefix(file, ".") || strings.Contains(file, "/.") {
		return "", false
	}
	scope, rest, own := strings.Cut(file, "/")
	if own = own && (scope == Personal || scope == Private); !own {
		rest = file
	}
	folder, name, ok := strings.Cut(rest, "/")
	if !ok || path.Base(name) == ".md" {
		return "", false
	}
	for _, k := range Kinds {
		if layouts[k].folder == folder {
			if own && !slices.Contains(layouts[k].scopes, scope) && (scope != Private || k != Exploration) {
				return "", false
			}
			return k, true
		}
	}
	return "", false
}

// Type is a value of the `type` filter: a kind, and for learnings the colour.
type Type struct {
	Kind  Kind
	Color string
}

// Types lists the values of the `type` filter, including the other names of explorations.
var Types = strings.Fields("explore exploration context discuss learning idea fact decision candidate")

// ParseType parses a value of the `type` filter.
func ParseType(name string) (Type, error) {
	switch n := strings.ToLower(strings.TrimSpace(name)); n {
	case "explore", "exploration", "context", "discuss":
		return Type{Kind: Exploration}, nil
	case "learning":
		return Type{Kind: Idea, Color: Learning}, nil
	case "idea", "fact", "decision", "candidate":
		return Type{Kind: Kind(n)}, nil
	}
	return Type{}, fault.New(fault.Invalid, "unknown type %q", name).For("type").With("use one of " + strings.Join(Types, ", "))
}
