package decision

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/config"
	"sdd/internal/decision/capture"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/journal"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Input is a decision with its causes, or Text, in which decisions are looked for.
type Input struct {
	Decision      string        `json:"decision,omitempty"`
	Text          string        `json:"text,omitempty"`
	record.Causes               // a "because" before a reason is dropped
	Supersedes    string        `json:"supersedes,omitempty"` // decision/<slug>; a slug, title or file will do
	DependsOn     []string      `json:"depends_on,omitempty"`
	RelatesTo     []string      `json:"relates_to,omitempty"`
	Status        string        `json:"status,omitempty"` // accepted unless given
	Source        string        `json:"source,omitempty"`
	Scope         string        `json:"scope,omitempty"`    // project (default) or personal
	CodeRef       anchor.Places `json:"code_ref,omitempty"` // the code it is about; of Text, what each decision's words name
	Evidence      string        `json:"-"`                  // where a candidate was found
	Day           string        `json:"-"`                  // when it was taken, YYYY-MM-DD; today unless given
	Tool          string        `json:"-"`
	Session       string        `json:"-"`
}

// Actions on a decision.
const (
	Created = "created"
	Merged  = "merged" // it existed; what is new was added
	Waiting = "candidate"
)

// Recorded is the result for each decision, in the order given.
type Recorded struct {
	Results     []Result     `json:"results"`
	Suggestions []Suggestion `json:"suggestions"`
	Warnings    []Warning    `json:"warnings"`
}

// Result is the result for one decision.
type Result struct {
	ID         string   `json:"id"`
	Action     string   `json:"action"`
	Decision   string   `json:"decision"`
	File       string   `json:"file"` // relative to the store's root, "" of a candidate that is not stored
	Etag       string   `json:"etag,omitempty"`
	Status     string   `json:"status"`
	Confidence float64  `json:"confidence"`           // 1 of a given decision, else of the capture
	Superseded []string `json:"superseded,omitempty"` // whose status the call has set

	unchanged bool // merged, and nothing was new
}

// Warning is something that was stored otherwise than given, or not at all.
type Warning struct {
	Code string `json:"code"`
	Line int    `json:"line,omitempty"` // in the text, from 1
	Text string `json:"text"`
}

// Codes of warnings besides those of Markdown.
const (
	noDecision = "none"       // the text contains no decision
	refused    = "refused"    // a decision could not be stored
	itemForm   = "line_form"  // an entry is stored otherwise
	notInForce = "not_active" // the same decision exists and is not in force
	halfDone   = "half_done"  // a decision could not be set to superseded
	inPlaceToo = "in_place"   // a file of the project's own has the same decision
	retitled   = "retitled"   // an existing decision had these words
)

// Record stores a decision, or those in a text. One decision is one file, also when several processes record it at once: recorded
// again, with other phrases around its words too, it gets what is new. A decision that supersedes another sets its status; after a crash
// between the two the first file decides, and recording it again sets the second.
//
// Faults: Invalid (arguments, limits, secrets, circles), NotFound (a link that leads nowhere, with the nearest), Broken (a file
// that cannot be understood, config.yaml), Ambiguous, Unwritable. Of Text, what cannot be stored is a warning.
func (d *Decisions) Record(ctx context.Context, in Input) (_ Recorded, err error) {
	defer secrets.Blame(&err, in)
	defer fault.Caught(&err)
	switch {
	case strings.TrimSpace(in.Decision) != "" && in.Text != "":
		return Recorded{}, fault.New(fault.Invalid, "decision and text are both given").For("decision").
			With("decision is one; text is an answer or transcript to find decisions in")
	case in.Text != "":
		return d.capture(ctx, in)
	}
	r, warnings, err := d.record(ctx, in)
	fault.Check(err)
	r.Confidence = 1
	suggestions := fault.Must(d.suggest(ctx, r.ID))
	return Recorded{[]Result{r}, suggestions, warnings}.filled(), nil
}

// filled is out with empty lists for missing ones, which JSON would show as null.
func (out Recorded) filled() Recorded {
	return Recorded{append([]Result{}, out.Results...), append([]Suggestion{}, out.Suggestions...), append([]Warning{}, out.Warnings...)}
}

// Text renders the results, a line each, for an agent or a person.
func (out Recorded) Text() string {
	var b strings.Builder
	for _, r := range out.Results {
		where := cmp.Or(r.File, fmt.Sprintf("confidence %.2f, not kept", r.Confidence))
		did := r.Action
		if r.unchanged {
			did = "unchanged"
		}
		fmt.Fprintf(&b, "%s %s (%s)", r.ID, did, where)
		if r.Action != Waiting && r.Status != accepted {
			fmt.Fprintf(&b, ", it is %s", record.Inline(r.Status))
		}
		b.WriteString(": " + record.Inline(r.Decision) + "\n")
		for _, id := range r.Superseded {
			fmt.Fprintf(&b, "  %s is superseded now\n", id)
		}
	}
	for _, s := range out.Suggestions {
		fmt.Fprintf(&b, "perhaps %s %s %s (%s): if so, record it again with %[2]s\n", s.For, s.Relation, s.ID, s.Text)
	}
	for _, w := range out.Warnings {
		line := ""
		if w.Line > 0 {
			line = fmt.Sprintf(", line %d", w.Line)
		}
		fmt.Fprintf(&b, "warning%s: %s\n", line, record.Inline(w.Text))
	}
	return b.String()
}

// prepare checks the arguments that all decisions of a call share.
func (d *Decisions) prepare(in *Input) (cfg config.Config, err error) {
	defer fault.Caught(&err)
	cfg = fault.Must(d.st.Config())
	in.Scope = fault.Must(record.OneOf("scope", cmp.Or(in.Scope, record.Project), record.ScopesOf(record.Decision)))
	return cfg, record.TrimLine("source", &in.Source, cfg.Limits.Title)
}

// recording is one decision on its way into its file.
type recording struct {
	d     *Decisions
	ctx   context.Context
	cfg   config.Config
	in    Input
	pins  anchor.Pinned
	links map[string][]string // ids, by key
	id    string
	path  string
	today frontmatter.Date
	past  []journal.Entry // of a decision that has no file

	warnings []Warning // of the arguments, later of all
	applied  []Warning // of the last change
}

func (d *Decisions) record(ctx context.Context, in Input) (out Result, warnings []Warning, err error) {
	r := &recording{d: d, ctx: ctx, today: frontmatter.Date(cmp.Or(in.Day, d.now().UTC().Format(time.DateOnly)))}
	defer func() { warnings = r.warnings }()
	defer fault.Caught(&err)
	r.cfg = fault.Must(d.prepare(&in))
	r.in = in
	fault.Check(r.check())
	r.pins = fault.Must(anchor.PinAll(d.st.Dir(), in.CodeRef))
	for _, text := range r.pins.Warnings {
		r.warnings = append(r.warnings, Warning{Code: anchor.RefKey, Text: text})
	}
	s := fault.Must(d.cache.sync(ctx))
	fault.Check(r.identify(s))
	fault.Check(r.link(s))
	saved := fault.Must(d.cache.Put(ctx, store.Edit{
		Record: r.id, Resolve: r.resolve, Change: r.change, Op: "decide", Tool: in.Tool, Session: in.Session,
	}))
	if d.recorded != nil {
		fault.Check(d.recorded())
	}
	r.warnings = append(r.warnings, r.applied...)
	now := readDoc(saved.Path, saved.Doc)
	out = Result{ID: now.ID, Action: Merged, Decision: now.Title, File: now.File, Etag: now.Etag, Status: now.Status,
		unchanged: saved.Unchanged}
	if saved.Created {
		out.Action = Created
		if was, ok := records.Retitled(d.st, d.ix, record.Decision, r.past, func(e index.Entry) bool {
			return e.ID != r.id && e.Scope == in.Scope
		}); ok {
			text := fmt.Sprintf("its earlier text has other words by hand: %q is %s in %s; decide in those words if it is the same, "+
				"and sdd undo takes this one back", was.Title, was.ID, was.File)
			r.warnings = append(r.warnings, Warning{Code: retitled, Text: text})
		}
	}
	out.Superseded, err = r.complete(now)
	return out, nil, err
}

// check checks the arguments and brings them into the form of the file.
func (r *recording) check() error {
	limits := r.cfg.Limits
	title := strings.Join(strings.Fields(r.in.Decision), " ")
	if t := strings.TrimSuffix(title, "."); !strings.HasSuffix(t, ".") {
		title = t
	}
	r.in.Decision = title
	if title == "" {
		return fault.New(fault.Invalid, "decision is required").For("decision").
			With("say in a short sentence what was decided, such as: Use JWT for sessions; or give text to find decisions in")
	}
	if err := record.CheckLine("decision", title, limits.Title); err != nil {
		f := *fault.Of(err)
		f.Hint = "say what was decided in one short sentence, and put why and what follows into reasons and consequences"
		return &f
	}
	for _, l := range r.in.Lists() {
		texts, warned, err := prepared(l.Name, *l.Texts, limits.Section)
		if err != nil {
			return err
		}
		*l.Texts = texts
		for _, t := range warned {
			r.warnings = append(r.warnings, Warning{Code: itemForm, Text: t})
		}
	}
	r.in.Alternatives = slices.DeleteFunc(r.in.Alternatives, func(a string) bool { return itemKey(a) == itemKey(title) })
	return records.OneOf("status", &r.in.Status, record.StatusesOf(record.Decision, ""))
}

// identify sets the id: that of an existing decision with the same meaning, else a new one. A question is no decision and no other
// text of one. "Use Ruby's empty?" is a decision.
func (r *recording) identify(s *snapshot) error {
	text := r.in.Decision
	r.id = record.DecisionID(record.Slug(text), r.in.Scope)
	if _, known := s.own(r.id); !known {
		r.meant(s)
	}
	i, known := s.own(r.id)
	if capture.IsQuestion(text) && (known && s.list[i].Title != text || !known && asks().MatchString(text)) {
		return fault.New(fault.Invalid, "decision is a question: %q", record.Brief(text)).For("decision").
			With("state what was decided, or save the question as an unknown of an exploration")
	}
	return nil
}

// own returns the place of the decision with that id that is in the store.
func (n *snapshot) own(id string) (int, bool) {
	i, ok := n.byID[id]
	return i, ok && !n.list[i].InPlace
}

// asks matches the beginning of a question.
var asks = pattern.Late(`(?i)^\W*(?:should|shall|do|does|did|is|are|can|could|would|what|which|who|how|when|where|why` +
	`|soll|sollen|sollten|wie|was|warum|стоит ли|нужно ли|надо ли|можно ли|как|что|какой|какую` +
	`|почему)[ ,]|^¿`)

// meant sets the id to that of an existing decision with the same meaning.
func (r *recording) meant(s *snapshot) {
	var same []string
	for _, i := range s.meanings()[meaning(r.in.Decision)] {
		switch o := &s.list[i]; {
		case o.InPlace:
			text := fmt.Sprintf("%s has this decision too, it is %s; edit that file, or delete the new one", o.File, o.Standing())
			r.warnings = append(r.warnings, Warning{Code: inPlaceToo, Text: text})
		case o.Scope == r.in.Scope:
			same = append(same, o.ID)
		}
	}
	if slices.Sort(same); len(same) > 0 {
		r.id = same[0]
	}
}

func (r *recording) link(s *snapshot) (err error) {
	defer fault.Caught(&err)
	r.links = map[string][]string{}
	me, known := s.own(r.id)
	for _, l := range []struct {
		kind string
		refs []string
	}{{supersedesLink, []string{r.in.Supersedes}}, {dependsOnLink, r.in.DependsOn}, {relatesToLink, r.in.RelatesTo}} {
		for _, ref := range l.refs {
			if strings.TrimSpace(ref) == "" {
				continue
			}
			to := fault.Must(r.d.one(s, l.kind, ref))
			o := &s.list[to]
			switch {
			case known && to == me, o.ID == r.id:
				return fault.New(fault.Invalid, "%s names the decision itself, %s", l.kind, r.id).For(l.kind).With("name another decision, or omit it")
			case r.in.Scope == record.Project && o.Scope == record.Personal:
				return fault.New(fault.Invalid, "%s is personal: the file of a project's decision cannot name it", o.ID).For(l.kind).
					With("record this one with scope personal, or that one in the project")
			}
			if known && l.kind != relatesToLink {
				if way := s.way(to, me, l.kind); way != nil {
					return fault.New(fault.Invalid, "that would make a circle: %s",
						strings.Join(append(way, o.ID), " "+strings.ReplaceAll(l.kind, "_", " ")+" ")).For(l.kind).
						With("omit the link, or take out one of these by hand")
				}
			}
			if l.kind == supersedesLink && !o.InPlace { // its status will be set
				f, err := r.d.st.Read(o.path)
				if err == nil {
					err = record.Writable(f.Bytes)
				}
				fault.Check(store.InFile(err, o.path))
			}
			r.links[l.kind] = record.Union(r.links[l.kind], o.ID)
		}
	}
	return nil
}

// way returns the ids of the decisions from one to another along links of a kind, nil when there is no way.
func (n *snapshot) way(from, to int, kind string) (way []string) {
	before := map[int]int{from: -1}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			for i := to; i >= 0; i = before[i] {
				way = append(way, n.list[i].ID)
			}
			slices.Reverse(way)
			return way
		}
		for _, e := range n.out[queue[0]] {
			if _, seen := before[e.to]; !seen && e.kind == kind {
				before[e.to] = queue[0]
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

// resolve returns, under the lock, the file of the decision, or the one to create.
func (r *recording) resolve() (_ string, err error) {
	if r.path, err = r.d.cache.PathOf(r.ctx, "decision", r.id, ""); err == nil && r.path != "" {
		err = record.CheckFolder(r.path, r.in.Scope)
	} else if err == nil {
		r.path = record.Folder(record.Decision) + "/" + r.id[strings.LastIndexByte(r.id, '/')+1:] + ".md"
		if r.in.Scope == record.Personal {
			r.path = "personal/" + r.path
		}
		r.path, r.past = r.d.ix.FreePath(r.path, r.id), r.d.st.Entries(r.id)
	}
	return r.path, err
}

// change makes the file, or adds what is new to the existing one.
func (r *recording) change(before *record.Doc, exists bool) (after *record.Doc, err error) {
	r.applied = nil
	var warned []markdown.Warning
	if exists {
		after, warned, err = extend(r.path, before, r.keysFor(before), r.in.Causes)
	} else {
		after, warned, err = compose(r.in.Decision, r.keys(), r.in.Causes, r.in.Evidence)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range warned {
		r.applied = append(r.applied, Warning{Code: w.Code, Text: w.Text})
	}
	if most := r.cfg.Limits.File; len(after.Src) > most {
		return nil, fault.New(fault.Invalid, "the decision would have %d bytes, at most %d are allowed", len(after.Src), most).For("decision").
			With("say it shorter, or split it")
	}
	return after, nil
}

// linkKeys are the keys of links, in the order of the file and in which chains follow them.
var linkKeys = []string{supersedesLink, dependsOnLink, relatesToLink}

func (r *recording) keys() []frontmatter.Set {
	sets := []frontmatter.Set{
		{Key: "title", Value: r.in.Decision}, {Key: "status", Value: cmp.Or(r.in.Status, accepted)}, {Key: "date", Value: r.today},
	}
	for _, key := range linkKeys {
		sets = append(sets, frontmatter.Set{Key: key, Value: r.links[key]})
	}
	scope := ""
	if r.in.Scope == record.Personal {
		scope = record.Personal
	}
	return records.Present(slices.Concat(sets, []frontmatter.Set{{Key: "source", Value: r.in.Source}}, r.pins.Sets(nil),
		[]frontmatter.Set{{Key: "created", Value: r.today}, {Key: "scope", Value: scope}}))
}

// keysFor are the keys that change in an existing decision.
func (r *recording) keysFor(before *record.Doc) (sets []frontmatter.Set) {
	was := readDoc(r.path, before)
	front, _ := before.Front()
	status := cmp.Or(r.in.Status, accepted)
	if r.in.Status == "" && record.Gone(was.Status) {
		status = was.Status
		text := fmt.Sprintf("%s is %s and stays so; give status accepted to take it up again", was.ID, was.Status)
		r.applied = append(r.applied, Warning{Code: notInForce, Text: text})
	}
	if status != was.Status {
		sets = append(sets, frontmatter.Set{Key: "status", Value: status}, frontmatter.Set{Key: "date", Value: r.today})
	}
	for n, have := range [][]string{was.Supersedes, was.DependsOn, was.RelatesTo} {
		all := slices.Clone(have)
		for _, id := range r.links[linkKeys[n]] {
			same := func(have string) bool { // however a person wrote it
				return strings.EqualFold(have, id) || record.DecisionID(record.Slug(have), record.Project) == id
			}
			if !slices.ContainsFunc(all, same) {
				all = append(all, id)
			}
		}
		if len(all) > len(have) {
			sets = append(sets, frontmatter.Set{Key: linkKeys[n], Value: all})
		}
	}
	if r.in.Source != "" && was.Source == "" {
		sets = append(sets, frontmatter.Set{Key: "source", Value: r.in.Source})
	}
	return append(sets, r.pins.Sets(front)...)
}

// complete sets the decisions that an accepted one supersedes to superseded, also for an earlier call that ended before it. It returns
// what it has set.
func (r *recording) complete(now *Decision) (done []string, err error) {
	if now.Status != accepted || len(now.Supersedes) == 0 {
		return nil, nil
	}
	s, err := r.d.cache.sync(r.ctx)
	if err != nil {
		return nil, err
	}
	for _, ref := range now.Supersedes {
		named := s.named(ref)
		if len(named) != 1 {
			continue
		}
		old := s.list[named[0]]
		if old.InPlace || old.ID == now.ID || old.Status == superseded {
			continue
		}
		by, changed := store.Edit{Record: old.ID, Op: "decide", Tool: r.in.Tool, Session: r.in.Session}, false
		_, err := r.d.cache.Change(r.ctx, by, old.path, func(before *record.Doc, now *Decision) (*record.Doc, error) {
			if changed = now.Status != superseded; !changed {
				return before, nil
			}
			return before.With(record.Decision, []frontmatter.Set{{Key: "status", Value: superseded}})
		})
		switch {
		case fault.Is(err, fault.NotFound, fault.Broken):
			text := fmt.Sprintf("%s counts as superseded, but its file could not be set so: %s", old.ID, fault.Of(err).Message)
			r.warnings = append(r.warnings, Warning{Code: halfDone, Text: text})
		case err != nil:
			return done, err
		case changed:
			done = append(done, old.ID)
		}
	}
	return done, nil
}
