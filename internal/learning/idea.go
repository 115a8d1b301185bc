package learning

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/frontmatter"
	"sdd/internal/index/records"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Idea is an idea in its file, with its verdict.
type Idea struct {
	ID             string   `json:"id"`
	Color          string   `json:"color"`
	Status         string   `json:"status"` // of the file; see Effective
	Title          string   `json:"title,omitempty"`
	Content        string   `json:"content"`
	Scope          string   `json:"scope,omitempty"`
	Parent         string   `json:"parent,omitempty"`
	Agents         []string `json:"agents,omitempty"`
	Impact         string   `json:"impact,omitempty"`
	ImpactRule     string   `json:"impact_rule,omitempty"` // set when a rule gives the same impact
	Category       string   `json:"category,omitempty"`
	CategoryRule   string   `json:"category_rule,omitempty"`
	Validated      bool     `json:"validated"`
	AppliedTo      []string `json:"applied_to,omitempty"`
	SupersededBy   string   `json:"superseded_by,omitempty"`
	Created        string   `json:"created,omitempty"`
	DoneAt         string   `json:"done_at,omitempty"`
	ArchivedAt     string   `json:"archived_at,omitempty"`
	ArchivedReason string   `json:"archived_reason,omitempty"`
	ResurrectedAt  string   `json:"resurrected_at,omitempty"`
	ResurrectedBy  string   `json:"resurrected_by,omitempty"`
	OutdatedReason string   `json:"outdated_reason,omitempty"`
	OutdatedCommit string   `json:"outdated_commit,omitempty"`
	ValidatedAt    string   `json:"validated_at,omitempty"`
	Aliases        []string `json:"aliases,omitempty"`
	File           string   `json:"file"` // relative to the store's root
	Etag           string   `json:"etag"`
	Verdict        *Verdict `json:"verdict,omitempty"`
	Imported       string   `json:"-"` // values that its importer stores with it

	path    string // relative to .sdd
	broken  bool   // the file must not be written to
	white   bool   // the file has white for green and done
	created int64
	files   []string // that the content names
}

// Verdict is derived for a learning whose file is still active: from commits, a contradiction or a finished parent. With
// the status check the learning only gets a mark: agents still get it, and the file stays. With the others agents do not
// get the learning, and Check writes the verdict into the file.
type Verdict struct {
	Status   string      `json:"status"` // check, outdated or archived
	Reason   string      `json:"reason"`
	Commit   string      `json:"commit,omitempty"`
	By       string      `json:"by,omitempty"` // the newer learning or the finished parent
	Evidence *Superseded `json:"evidence,omitempty"`
}

// Statuses of learnings.
const (
	active   = "active"
	outdated = "outdated"
	archived = "archived"
	deleted  = "deleted"
	done     = "done"  // of the other colours
	check    = "check" // of a verdict: it needs a review
)

// Reasons in the files.
const (
	parentDone    = "parent_green_completed"
	filesModified = "affected files modified"
	contradicted  = "a newer learning may contradict it"
	newerLearning = "superseded by newer learning"
)

// Effective returns the status in force: that of the verdict, else the file's.
func (i Idea) Effective() string {
	if i.Verdict != nil && i.Verdict.Status != check {
		return i.Verdict.Status
	}
	return i.Status
}

// Mark returns the note for an agent that gets the learning: " (check: touched by 1a2b3c4d5e)", "" for none.
func (i Idea) Mark() string {
	switch v := i.Verdict; {
	case v == nil || v.Status != check:
		return ""
	case v.Commit != "":
		return " (check: touched by " + v.Commit[:min(len(v.Commit), 10)] + ")"
	default:
		return " (check: against " + v.By + ")"
	}
}

// Learning reports whether the idea is a learning.
func (i Idea) Learning() bool { return i.Color == record.Learning }

func (i Idea) kind() string {
	if i.Learning() {
		return "learning"
	}
	return string(record.Idea)
}

// confirmed returns the time of the last validation or resurrection, "" for none.
func (i Idea) confirmed() string {
	if record.Moment(i.ResurrectedAt) > record.Moment(i.ValidatedAt) {
		return i.ResurrectedAt
	}
	return i.ValidatedAt
}

// heldAt returns the time at which the learning was last known to be true: its confirmation, else its creation.
func (i Idea) heldAt() string { return cmp.Or(i.confirmed(), i.Created) }

// texts are the front-matter keys with a text, except those of every record; lists those with a list.
func (i *Idea) texts() map[string]*string {
	return map[string]*string{
		"parent": &i.Parent, "impact": &i.Impact, "category": &i.Category, "superseded_by": &i.SupersededBy, "done_at": &i.DoneAt,
		"archived_at": &i.ArchivedAt, "archived_reason": &i.ArchivedReason,
		"resurrected_at": &i.ResurrectedAt, "resurrected_by": &i.ResurrectedBy,
		"outdated_reason": &i.OutdatedReason, "outdated_commit": &i.OutdatedCommit, "validated_at": &i.ValidatedAt, "imported": &i.Imported,
	}
}

func (i *Idea) lists() map[string]*[]string {
	return map[string]*[]string{"agents": &i.Agents, "applied_to": &i.AppliedTo, "aliases": &i.Aliases}
}

// parse reads the idea in the file at path, relative to .sdd. It never fails: missing values have their defaults.
func parse(path string, src []byte) *Idea { return read(path, record.Open(src)) }

func read(path string, doc *record.Doc) *Idea {
	r := doc.Record(path, record.Defaults{})
	i := &Idea{
		ID: r.ID, Color: strings.ToLower(r.Color), Status: r.Status, Title: r.Title, Content: r.Preamble,
		Created: r.Created, File: store.Folder + "/" + path, Etag: r.Etag, path: path, broken: !r.Writable, created: record.Moment(r.Created),
	}
	if fm, err := doc.Front(); err == nil {
		for key, text := range i.texts() {
			*text = strings.TrimSpace(fm.String(key))
		}
		for key, list := range i.lists() {
			for _, v := range fm.Strings(key) {
				if v = strings.TrimSpace(v); v != "" {
					*list = append(*list, v)
				}
			}
		}
		i.Impact = strings.ToLower(i.Impact)
		i.Validated, _ = fm.Bool("validated")
	}
	if i.Color == white { // people may write it
		i.Color, i.Status, i.white = "green", done, true
	}
	if i.Learning() {
		i.Scope, i.files = r.Scope, filesIn(i.Content)
	}
	return i
}

// keys returns the front matter of a new idea, in order.
func (i *Idea) keys() []frontmatter.Set {
	values := map[string]any{"id": i.ID, "color": i.Color, "status": i.Status, "created": i.Created}
	if i.Learning() {
		values["scope"], values["validated"] = i.Scope, i.Validated
	}
	for key, text := range i.texts() {
		values[key] = *text
	}
	for key, list := range i.lists() {
		values[key] = *list
	}
	var sets []frontmatter.Set
	for _, key := range record.Keys(record.Idea) {
		sets = append(sets, frontmatter.Set{Key: key, Value: values[key]})
	}
	return records.Present(sets)
}

var (
	// mentioned matches a code span, or a run of text without blanks, quotes and brackets.
	mentioned = pattern.Late("`([^`\n]+)`|[^\\s`\"'“”‘’„«»()\\[\\]{}<>,;|=]+")
	// filePosition matches a place in a file: :12, :12:5, #L3-L9.
	filePosition = pattern.Late(`(?::[0-9][0-9:-]*|#.*)$`)
)

const (
	shortestName = 4
	longestName  = 1024
)

// filesIn returns the names in a content that may be paths of files, or ends of paths, sorted, each once: those with a folder or
// an extension, and Makefile and the like. A name counts only when a commit changes a file of that path, so a name of
// something else does no harm.
func filesIn(content string) (names []string) {
	for _, m := range mentioned().FindAllStringSubmatch(content, -1) {
		words := []string{m[0]}
		if m[1] != "" { // one name, with blanks perhaps, or a command with names
			if words = strings.Fields(m[1]); len(words) > 1 && strings.Contains(words[0], "/") {
				words = append(words, m[1])
			}
		}
		for _, name := range words {
			name = strings.ReplaceAll(strings.TrimRight(strings.TrimLeft(name, "*"), ".:!?*…"), `\`, "/")
			name = path.Clean(filePosition().ReplaceAllString(name, ""))
			switch {
			case len(name) < shortestName, len(name) > longestName, name[0] == '/', strings.HasPrefix(name, ".."),
				strings.ContainsAny(name, "*?{}<>@$%~^&!:`"), !strings.ContainsFunc(name, unicode.IsLetter),
				!strings.Contains(name, "/") && path.Ext(name) == "" && !strings.HasSuffix(strings.ToLower(name), "file"):
			default:
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
