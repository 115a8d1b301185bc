package learning

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/learning/signal"
	"sdd/internal/record"
	"sdd/internal/secrets"
)

// Input is a new idea. A learning is given as Content, or as signals in Text.
type Input struct {
	Content  string        `json:"content,omitempty"`
	Text     string        `json:"text,omitempty"`
	Scope    string        `json:"scope,omitempty"`  // of a learning: local (default) or global; a signal names its own
	Parent   string        `json:"parent,omitempty"` // the idea or outside id from which it came
	Agent    string        `json:"agent,omitempty"`
	Impact   string        `json:"impact,omitempty"`   // default: by rule
	Category string        `json:"category,omitempty"` // the same
	CodeRef  anchor.Places `json:"code_ref,omitempty"` // the code it is about; of signals without it, what their words name
	Color    string        `json:"-"`                  // of Add: one of record.Colors; white is green with status done
	Status   string        `json:"-"`                  // of Add: default pending, of a learning active
	Tool     string        `json:"-"`
	Session  string        `json:"-"`
}

// Learned holds the result for each learning, in the order given.
type Learned struct {
	Results  []Stored  `json:"results"`
	Warnings []Warning `json:"warnings"`
}

// News of a call about a learning. Action of Stored is the first that applies.
const (
	Created     = "created"
	Reactivated = "reactivated" // it was archived or outdated
	Promoted    = "promoted"    // it was local
	Joined      = "joined"      // another agent found it too
	Duplicate   = "duplicate"   // nothing new, nothing written
)

// Stored is the result for one learning.
type Stored struct {
	ID           string       `json:"id"`
	Action       string       `json:"action"`
	News         []string     `json:"news"` // all changes of the call; Action is the first, duplicate without any
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

// Similar is another learning with nearly the same words. It is a hint; no call merges them.
type Similar struct {
	ID         string  `json:"id"`
	Content    string  `json:"content"`
	File       string  `json:"file"`
	Similarity float64 `json:"similarity"` // 0 to 1
}

// Superseded is an older learning that a newer one contradicts, with the evidence.
type Superseded struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	File    string `json:"file"`
	Subject string `json:"subject"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Rule    string `json:"rule"`
}

// Warning reports a value that was changed or not stored.
type Warning struct {
	Code string `json:"code"`
	Line int    `json:"line,omitempty"` // in the text, from 1
	Text string `json:"text"`
}

// Codes of warnings besides those of signals and of Markdown.
const (
	NoSignal = "none"     // the text has no signal
	Refused  = "refused"  // a signal that could not be stored
	NotSaid  = "not_said" // a signal in the output of a tool or in a user's words
)

// Learn stores learnings. One content is one file, however often and by however many processes it is stored. A
// repetition adds its news: a global one promotes, an archived or outdated learning becomes active, another agent is
// added. A deleted one stays deleted.
//
// Faults: Invalid (arguments, limits, secrets), Broken (an unreadable file with this id, config.yaml), Ambiguous
// (several files have the id), Unwritable. A signal of Text that cannot be stored is a warning.
func (l *Learnings) Learn(ctx context.Context, in Input) (_ Learned, err error) {
	defer secrets.Blame(&err, in)
	defer fault.Caught(&err)
	if strings.TrimSpace(in.Content) != "" && in.Text != "" {
		return Learned{}, fault.New(fault.Invalid, "content and text are both given").For("content").
			With("content is one learning; text is any text with signals in it")
	}
	if in.Text != "" {
		return l.LearnFrom(ctx, strings.NewReader(in.Text), in)
	}
	in.Color = record.Learning
	w, idea, err := l.prepare(in)
	fault.Check(err)
	idea.Content = in.Content
	got := fault.Must(w.learn(ctx, in, idea, w.pins))
	return Learned{Results: []Stored{got}, Warnings: append([]Warning{}, got.warnings...)}, nil
}

// LearnFrom stores the learnings that r announces by signals, while it reads; r may have any length.
func (l *Learnings) LearnFrom(ctx context.Context, r io.Reader, in Input) (Learned, error) {
	in.Color = record.Learning
	w, idea, err := l.prepare(in)
	if err != nil {
		return Learned{}, err
	}
	out := Learned{Results: []Stored{}, Warnings: []Warning{}}
	warnings, err := signal.Scan(r, w.cfg.Limits.Section, func(s signal.Signal) error {
		if s.Source != signal.Unmarked && s.Source != signal.Assistant {
			text := fmt.Sprintf("a signal in words of %s is not stored: %s", s.Source, record.Brief(s.Content))
			out.Warnings = append(out.Warnings, Warning{NotSaid, s.Line, text})
			return nil
		}
		idea.Content, idea.Scope = s.Content, record.Local
		if s.Global {
			idea.Scope = record.Global
		}
		pins := w.pins
		if len(in.CodeRef) == 0 {
			pins, _ = anchor.PinAll(l.st.Dir(), anchor.Named(l.st.Dir(), s.Content))
		}
		got, err := w.learn(ctx, in, idea, pins)
		switch {
		case err == nil:
			out.Results = append(out.Results, got)
			for _, warn := range got.warnings {
				warn.Line = s.Line
				out.Warnings = append(out.Warnings, warn)
			}
		case fault.Is(err, fault.Invalid, fault.Broken, fault.Ambiguous, fault.Conflict):
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
		return out, err
	}
	if len(out.Results) == 0 && len(out.Warnings) == 0 {
		out.Warnings = append(out.Warnings, Warning{NoSignal, 0,
			"nothing is stored: the text has no signal such as <swarm>LEARNING_LOCAL:…</swarm>; " +
				"to store all of it, give it as content: sdd learn \"…\""})
	}
	slices.SortStableFunc(out.Warnings, func(a, b Warning) int { return a.Line - b.Line })
	return out, nil
}

// Text renders the results, one line per learning, for an agent or a person.
func (out Learned) Text() string {
	var b strings.Builder
	for _, r := range out.Results {
		fmt.Fprintf(&b, "%s %s (%s)", r.ID, cmp.Or(strings.Join(r.News, ", "), r.Action), r.File)
		if r.Status != active {
			fmt.Fprintf(&b, ", it is %s", r.Status)
		}
		b.WriteString("\n")
		for _, s := range r.Similar {
			fmt.Fprintf(&b, "  much like %s\n", record.Item(s.ID, s.Content)[len("- "):])
		}
		for _, s := range r.Superseded {
			fmt.Fprintf(&b, "  may contradict %s (%s)\n", record.Item(s.ID, s.Content)[len("- "):], record.OneLine(s.Rule))
		}
	}
	for _, w := range out.Warnings {
		if w.Line > 0 {
			fmt.Fprintf(&b, "warning, line %d: %s\n", w.Line, record.OneLine(w.Text))
		} else {
			fmt.Fprintf(&b, "warning: %s\n", record.OneLine(w.Text))
		}
	}
	return b.String()
}

// learn stores one learning and compares it with similar ones.
func (w *writer) learn(ctx context.Context, in Input, idea Idea, pins anchor.Pinned) (_ Stored, err error) {
	defer fault.Caught(&err)
	l := w.l
	idea.Content = fault.Must(record.Content("content", idea.Content, w.cfg.Limits.Section))
	fault.Check(l.ix.Refresh(ctx))
	near := fault.Must(l.near(ctx, idea.Content))
	idea.ID, idea.Created = idOf(idea.Content), record.Stamp(l.now())
	key := record.ContentKey(idea.Content)
	if n := slices.IndexFunc(near, func(n *Idea) bool { return record.ContentKey(n.Content) == key }); n >= 0 {
		idea.ID = near[n].ID // an idea that was edited into this content
	}
	out := fault.Must(w.put(ctx, idea, putting{op: "learn", tool: in.Tool, session: in.Session, pins: pins},
		func(have *Idea) ([]frontmatter.Set, []string) { return l.repeated(ctx, have, idea, in.Agent) }))
	if out.Action != Created {
		l.count("d")
	}
	out.relate(idea.Content, near)
	return out, nil
}

// repeated returns the keys that a learning gets when it is learned again, and its news.
func (l *Learnings) repeated(ctx context.Context, have *Idea, again Idea, agent string) (sets []frontmatter.Set, news []string) {
	if have.Status == deleted {
		return nil, nil
	}
	if have.Status == archived || have.Status == outdated || l.verdictOf(ctx, have) != nil {
		sets = append(back(have), frontmatter.Set{Key: "resurrected_at", Value: again.Created},
			frontmatter.Set{Key: "resurrected_by", Value: cmp.Or(agent, "learned again")})
		news = append(news, Reactivated)
	}
	if again.Scope == record.Global && have.Scope != record.Global {
		sets = append(sets, frontmatter.Set{Key: "scope", Value: record.Global})
		news = append(news, Promoted)
	}
	if agent != "" && !slices.Contains(have.Agents, agent) {
		sets = append(sets, frontmatter.Set{Key: "agents", Value: append(slices.Clone(have.Agents), agent)})
		news = append(news, Joined)
	}
	return sets, news
}

// back returns the keys that make a learning active again and remove the reason for its former status.
func back(i *Idea) []frontmatter.Set {
	sets := []frontmatter.Set{{Key: "status", Value: active}}
	for _, key := range []string{"superseded_by", "outdated_reason", "outdated_commit"} {
		if *i.texts()[key] != "" {
			sets = append(sets, frontmatter.Set{Key: key})
		}
	}
	return sets
}
