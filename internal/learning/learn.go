package learning

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/learning/classify"
	"sdd/internal/learning/signal"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Input is what was found out: Content is one learning, Text any text with signals in it.
type Input struct {
	Content  string `json:"content,omitempty"`
	Text     string `json:"text,omitempty"`
	Scope    string `json:"scope,omitempty"`  // local (default) or global; a signal says its own
	Parent   string `json:"parent,omitempty"` // the idea or outside id that it came from
	Agent    string `json:"agent,omitempty"`
	Impact   string `json:"impact,omitempty"`   // default: by rule
	Category string `json:"category,omitempty"` // likewise
	Tool     string `json:"-"`
	Session  string `json:"-"`
}

// Learned is what became of each learning, in the order given.
type Learned struct {
	Results  []Stored  `json:"results"`
	Warnings []Warning `json:"warnings"`
}

// What a call did to a learning. Action of Stored is the first that applies.
const (
	Created     = "created"
	Reactivated = "reactivated" // it was archived or outdated
	Promoted    = "promoted"    // it was local
	Joined      = "joined"      // another agent found it too
	Duplicate   = "duplicate"   // nothing new, nothing written
)

// Stored is what became of one learning.
type Stored struct {
	ID           string       `json:"id"`
	Action       string       `json:"action"`
	News         []string     `json:"news"` // all that the call changed; Action is the first, duplicate when there is none
	File         string       `json:"file"` // relative to the store's root
	Etag         string       `json:"etag"`
	Color        string       `json:"color"`
	Scope        string       `json:"scope,omitempty"`
	Status       string       `json:"status"`
	Impact       string       `json:"impact,omitempty"`
	ImpactRule   string       `json:"impact_rule,omitempty"` // when a rule chose
	Category     string       `json:"category,omitempty"`
	CategoryRule string       `json:"category_rule,omitempty"`
	Similar      []Similar    `json:"similar"`
	Superseded   []Superseded `json:"superseded"`

	warnings []Warning
	content  string
}

// Similar is another learning that says nearly the same. It is a hint; nothing is merged.
type Similar struct {
	ID         string  `json:"id"`
	Content    string  `json:"content"`
	File       string  `json:"file"`
	Similarity float64 `json:"similarity"` // 0 to 1
}

// Superseded is an older learning that a newer one takes back, with the evidence.
type Superseded struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	File    string `json:"file"`
	Subject string `json:"subject"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Rule    string `json:"rule"`
}

// Warning is something that was not stored as given, or not at all.
type Warning struct {
	Code string `json:"code"`
	Line int    `json:"line,omitempty"` // in the text, from 1
	Text string `json:"text"`
}

// Codes of warnings besides those of signals and of Markdown.
const (
	NoSignal = "none"     // the text has no signal
	Refused  = "refused"  // a signal that could not be stored
	NotSaid  = "not_said" // a signal in what a tool printed or a person said
)

// Learn stores what was found out. One content is one file, whoever stores it, however often and at once; what a
// repetition brings is not dropped: a global one promotes, an archived or outdated one comes back, another agent
// is added. A deleted one stays deleted.
//
// Faults: Invalid (arguments, limits, secrets), Broken (the file there cannot be understood, config.yaml),
// Ambiguous (several files have the id), Unwritable. A signal of Text that cannot be stored is a warning.
func (l *Learnings) Learn(ctx context.Context, in Input) (_ Learned, err error) {
	defer secrets.Blame(&err, in)
	if strings.TrimSpace(in.Content) != "" && in.Text != "" {
		return Learned{}, fault.New(fault.Invalid, "content and text are both given").For("content").
			With("content is one learning; text is any text with signals in it")
	}
	if in.Text != "" {
		return l.LearnFrom(ctx, strings.NewReader(in.Text), in)
	}
	w, err := l.prepare(&in)
	if err != nil {
		return Learned{}, err
	}
	if err := l.finish(ctx); err != nil {
		return Learned{}, err
	}
	got, err := w.store(ctx, in)
	if err != nil {
		return Learned{}, err
	}
	out := Learned{Results: []Stored{got}, Warnings: got.warnings}
	return out.filled(), nil
}

// LearnFrom stores the learnings that r announces by signals, as it is read; r may be of any length.
func (l *Learnings) LearnFrom(ctx context.Context, r io.Reader, in Input) (Learned, error) {
	in.Content, in.Text = "", ""
	w, err := l.prepare(&in)
	if err != nil {
		return Learned{}, err
	}
	if err := l.finish(ctx); err != nil {
		return Learned{}, err
	}
	var out Learned
	warnings, err := signal.Scan(r, w.cfg.Limits.Section, func(s signal.Signal) error {
		if s.Source != signal.Unmarked && s.Source != signal.Assistant {
			out.Warnings = append(out.Warnings, Warning{NotSaid, s.Line, fmt.Sprintf("a signal in words of %s is not stored: %s", s.Source, record.Brief(s.Content))})
			return nil
		}
		one := in
		one.Content, one.Scope = s.Content, record.Local
		if s.Global {
			one.Scope = record.Global
		}
		got, err := w.store(ctx, one)
		switch {
		case err == nil:
			out.Results = append(out.Results, got)
			for _, warn := range got.warnings {
				warn.Line = s.Line
				out.Warnings = append(out.Warnings, warn)
			}
		case fault.Is(err, fault.Invalid), fault.Is(err, fault.Broken), fault.Is(err, fault.Ambiguous), fault.Is(err, fault.Conflict):
			out.Warnings = append(out.Warnings, Warning{Refused, s.Line, err.Error()})
		default:
			return err
		}
		return nil
	})
	for _, warn := range warnings {
		out.Warnings = append(out.Warnings, Warning{warn.Code, warn.Line, warn.Text})
	}
	if err != nil {
		return out.filled(), err
	}
	if len(out.Results) == 0 && len(out.Warnings) == 0 {
		out.Warnings = append(out.Warnings, Warning{NoSignal, 0,
			"the text has no signal such as <swarm>LEARNING_LOCAL:…</swarm>; to store the text itself, give it as content"})
	}
	slices.SortStableFunc(out.Warnings, func(a, b Warning) int { return a.Line - b.Line })
	return out.filled(), nil
}

func (out Learned) filled() Learned {
	if out.Results == nil {
		out.Results = []Stored{}
	}
	if out.Warnings == nil {
		out.Warnings = []Warning{}
	}
	return out
}

// writer stores learnings of one call.
type writer struct {
	l   *Learnings
	cfg config.Config
	set settings
}

// prepare checks what all learnings of a call have in common.
func (l *Learnings) prepare(in *Input) (*writer, error) {
	w := &writer{l: l}
	var err error
	if w.cfg, err = l.st.Config(); err != nil {
		return nil, err
	}
	if w.set, err = l.settings(); err != nil {
		return nil, err
	}
	if in.Scope == "" {
		in.Scope = record.Local
	}
	if in.Scope, err = scopeNamed(in.Scope); err != nil {
		return nil, err
	}
	if in.Impact != "" {
		if in.Impact, err = impactNamed(in.Impact); err != nil {
			return nil, err
		}
	}
	if in.Category != "" {
		if in.Category, err = w.set.category(in.Category); err != nil {
			return nil, err
		}
	}
	if in.Parent, err = oneLine("parent", in.Parent, w.cfg.Limits); err != nil {
		return nil, err
	}
	in.Agent, err = oneLine("agent", in.Agent, w.cfg.Limits)
	return w, err
}

// store stores one learning and looks at those that are near it.
func (w *writer) store(ctx context.Context, in Input) (Stored, error) {
	l := w.l
	var err error
	if in.Content, err = record.Content("content", in.Content, w.cfg.Limits.Section); err != nil {
		return Stored{}, err
	}
	out := Stored{Impact: in.Impact, Category: in.Category}
	if in.Impact == "" {
		v := classify.Impact(in.Content)
		out.Impact, out.ImpactRule = v.Value, v.Rule
	}
	if in.Category == "" {
		v := classify.Category(in.Content, w.set.categories)
		out.Category, out.CategoryRule = v.Value, v.Rule
	}
	if err := l.ix.Refresh(ctx); err != nil {
		return Stored{}, err
	}
	near, err := l.near(ctx, in.Content)
	if err != nil {
		return Stored{}, err
	}
	s := &storing{w: w, ctx: ctx, in: in, out: out, id: idOf(in.Content), now: l.now()}
	key := record.ContentKey(in.Content)
	for _, n := range near {
		if record.ContentKey(n.Content) == key { // also one that was edited into this content
			s.id = n.ID
			break
		}
	}
	if !l.st.Exists() { // what cannot be stored makes no store either
		if _, err := s.apply(nil, false); err != nil {
			return Stored{}, err
		}
	}
	saved, err := l.save(ctx, store.Edit{
		Record: s.id, Resolve: s.resolve, Apply: s.apply, Done: s.tell,
		Op: "learn", Tool: in.Tool, Session: in.Session,
	})
	if err != nil {
		return Stored{}, store.InFile(err, s.path)
	}
	s.finish(saved)
	if err := s.relate(near); err != nil {
		return Stored{}, err
	}
	return s.out, nil
}

// storing is one learning under way.
type storing struct {
	w   *writer
	ctx context.Context
	in  Input
	out Stored
	id  string
	now time.Time

	path string
	news []string
}

// resolve says, under the lock, where the learning is or shall be.
func (s *storing) resolve() (path string, err error) {
	s.id, s.path, err = s.w.l.place(s.ctx, s.id, record.Learning, s.in.Content)
	return s.path, err
}

// place returns the id and file that an idea of that colour and content has, or gets: id, unless that belongs to
// something else.
func (l *Learnings) place(ctx context.Context, id, color, content string) (string, string, error) {
	for {
		held, err := l.ix.Holders(ctx, id)
		if err != nil {
			return "", "", err
		}
		switch len(held) {
		case 0:
			path := fileOf(id, content)
			path = l.ix.FreePath(path, id)
			return id, path, nil
		case 1:
			f, err := l.st.Read(held[0].Path)
			if err != nil {
				return "", "", err
			}
			if i := parse(held[0].Path, f.Bytes); i.broken || same(i, color, content) {
				return id, held[0].Path, nil
			}
		default:
			return "", "", index.SeveralFiles("content", "idea", id, index.Files(held))
		}
		long := record.HexID(record.IDPrefix(record.Idea), content, func(string) bool { return true })
		if id == long {
			return "", "", fault.New(fault.Conflict, "the id %s belongs to something else", id).For("content").With("say it in other words")
		}
		id = long
	}
}

// same reports whether an idea that has the id of a content is that idea: of the same colour, and with the
// same content, or with one that was edited since the id was given. An id that still fits a content which is
// another one is what a collision looks like.
func same(i *Idea, color, content string) bool {
	if i.Color != color {
		return false
	}
	return record.ContentKey(i.Content) == record.ContentKey(content) || idOf(i.Content) != idOf(content)
}

// apply makes the file, or brings the news to the one that is there.
func (s *storing) apply(before []byte, exists bool) ([]byte, error) {
	s.news, s.out.warnings = nil, nil
	if !exists {
		out, warnings, err := record.Compose(record.Idea, s.keys(), s.in.Content)
		if err != nil {
			return nil, err
		}
		s.news, s.out.warnings = []string{Created}, warningsOf(warnings)
		return out, s.w.l.guard(nil, out)
	}
	i := parse(s.path, before)
	if err := record.Writable(before); err != nil {
		return nil, err
	}
	if i.Status == deleted {
		return before, nil
	}
	var sets []frontmatter.Set
	if i.Status == archived || i.Status == outdated || s.w.l.verdictOf(s.ctx, i) != nil {
		by := s.in.Agent
		if by == "" {
			by = "learned again"
		}
		sets = append(sets, back(i)...)
		sets = append(sets, frontmatter.Set{Key: "resurrected_at", Value: record.Stamp(s.now)}, frontmatter.Set{Key: "resurrected_by", Value: by})
		s.news = append(s.news, Reactivated)
	}
	if s.in.Scope == record.Global && i.Scope != record.Global {
		sets = append(sets, frontmatter.Set{Key: "scope", Value: record.Global})
		s.news = append(s.news, Promoted)
	}
	if s.in.Agent != "" && !slices.Contains(i.Agents, s.in.Agent) {
		sets = append(sets, frontmatter.Set{Key: "agents", Value: append(slices.Clone(i.Agents), s.in.Agent)})
		s.news = append(s.news, Joined)
	}
	if len(sets) == 0 {
		return before, nil
	}
	out, err := frontmatter.Apply(before, record.Keys(record.Idea), sets)
	if err != nil {
		return nil, err
	}
	return out, s.w.l.guard(before, out)
}

// back are the keys that make a learning active again, and take away why it was not.
func back(i *Idea) []frontmatter.Set {
	sets := []frontmatter.Set{{Key: "status", Value: active}}
	for _, k := range []struct{ key, value string }{
		{"superseded_by", i.SupersededBy}, {"outdated_reason", i.OutdatedReason}, {"outdated_commit", i.OutdatedCommit},
	} {
		if k.value != "" {
			sets = append(sets, frontmatter.Set{Key: k.key})
		}
	}
	return sets
}

// keys are those of a new learning.
func (s *storing) keys() []frontmatter.Set {
	sets := []frontmatter.Set{{Key: "id", Value: s.id}, {Key: "color", Value: record.Learning}, {Key: "status", Value: active}, {Key: "scope", Value: s.in.Scope}}
	if s.in.Parent != "" {
		sets = append(sets, frontmatter.Set{Key: "parent", Value: s.in.Parent})
	}
	if s.in.Agent != "" {
		sets = append(sets, frontmatter.Set{Key: "agents", Value: []string{s.in.Agent}})
	}
	return append(sets, frontmatter.Set{Key: "impact", Value: s.out.Impact}, frontmatter.Set{Key: "category", Value: s.out.Category},
		frontmatter.Set{Key: "validated", Value: false}, frontmatter.Set{Key: "created", Value: record.Stamp(s.now)})
}

// finish fills in the result and tells of it.
func (s *storing) finish(saved store.Saved) {
	l := s.w.l
	i := parse(saved.Path, saved.After)
	s.out.ID, s.out.File, s.out.Etag, s.out.Color = i.ID, i.File, i.Etag, i.Color
	s.out.Scope, s.out.Status, s.out.content = i.Scope, i.Status, i.Content
	if i.Impact != s.out.Impact {
		s.out.Impact, s.out.ImpactRule = i.Impact, ""
	}
	if i.Category != s.out.Category {
		s.out.Category, s.out.CategoryRule = i.Category, ""
	}
	if saved.Unchanged {
		s.news = nil
	}
	s.out.News, s.out.Action = append([]string{}, s.news...), Duplicate
	s.out.Similar, s.out.Superseded = []Similar{}, []Superseded{}
	if len(s.news) == 0 {
		l.counts.duplicate()
		return
	}
	s.out.Action = s.news[0]
	if s.news[0] == Created || s.news[0] == Reactivated {
		l.remember(i)
	}
	if s.news[0] != Created {
		l.counts.duplicate()
	}
}

// tell makes the event.
func (s *storing) tell(saved store.Saved) {
	i := parse(saved.Path, saved.After)
	detail := map[string]string{"action": strings.Join(s.news, ","), "scope": i.Scope}
	if s.in.Agent != "" {
		detail["agent"] = s.in.Agent
	}
	if i.Parent != "" {
		detail["parent"] = i.Parent
	}
	s.w.l.events.saved(saved, detail)
}
