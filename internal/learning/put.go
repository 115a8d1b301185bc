package learning

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
	"sdd/internal/store"
)

// writer stores the ideas of one call: those of Learn, Add and Import.
type writer struct {
	l    *Learnings
	cfg  config.Config
	set  settings
	pins anchor.Pinned // of the input's code_ref
}

func (l *Learnings) writer() (w *writer, err error) {
	w = &writer{l: l}
	if w.cfg, err = l.st.Config(); err != nil {
		return nil, err
	}
	w.set, err = l.settings()
	return w, err
}

// prepare checks an input but for its content, and returns the idea that it makes.
func (l *Learnings) prepare(in Input) (_ *writer, i Idea, err error) {
	defer fault.Caught(&err)
	w := fault.Must(l.writer())
	i = Idea{Color: in.Color, Status: active, Scope: in.Scope, Parent: in.Parent, Impact: in.Impact}
	fault.Check(w.check(&i))
	if in.Category != "" {
		i.Category = fault.Must(w.set.category(in.Category))
	}
	w.pins = fault.Must(anchor.PinAll(l.st.Dir(), in.CodeRef))
	if err = record.TrimLine("agent", &in.Agent, w.cfg.Limits.Title); in.Agent != "" {
		i.Agents = []string{in.Agent}
	}
	return w, i, err
}

// check checks the values of an idea but for its colour, status and content, and cleans them.
func (w *writer) check(i *Idea) (err error) {
	defer fault.Caught(&err)
	if i.Learning() {
		i.Scope = fault.Must(scopeNamed(cmp.Or(i.Scope, record.Local)))
	}
	if i.Impact != "" {
		i.Impact = fault.Must(impactNamed(i.Impact))
	}
	texts, lists := i.texts(), i.lists()
	for _, arg := range strings.Fields("parent category superseded_by archived_reason resurrected_by outdated_reason outdated_commit") {
		fault.Check(record.TrimLine(arg, texts[arg], w.cfg.Limits.Title))
	}
	for _, arg := range strings.Fields("agents applied_to aliases") {
		var clean []string
		for _, s := range *lists[arg] {
			fault.Check(record.TrimLine(arg, &s, w.cfg.Limits.Title))
			if s != "" && !slices.Contains(clean, s) {
				clean = append(clean, s)
			}
		}
		*lists[arg] = clean
	}
	return nil
}

// putting is the call that stores an idea, for the journal and the event.
type putting struct {
	op, tool, session string
	detail            map[string]string
	pins              anchor.Pinned
}

// put creates the file of an idea with its ID, or sets the keys that gains returns for the idea that is there, with what is new about it;
// nil for none. The event has what is new as its action, unless by names one.
func (w *writer) put(ctx context.Context, in Idea, by putting, gains func(have *Idea) ([]frontmatter.Set, []string)) (Stored, error) {
	l, path := w.l, ""
	out := Stored{Impact: in.Impact, Category: in.Category, Similar: []Similar{}, Superseded: []Superseded{}}
	if in.Learning() && in.Impact == "" {
		v := classify.Impact(in.Content)
		out.Impact, out.ImpactRule = v.Value, v.Rule
	}
	if in.Learning() && in.Category == "" {
		v := classify.Category(in.Content, w.set.categories)
		out.Category, out.CategoryRule = v.Value, v.Rule
	}
	in.Impact, in.Category = out.Impact, out.Category
	var news []string
	change := func(before *record.Doc, exists bool) (*record.Doc, error) {
		news, out.warnings = nil, nil
		if !exists {
			after, warned, err := record.Compose(record.Idea, append(in.keys(), by.pins.Sets(nil)...), in.Content)
			if err != nil {
				return nil, err
			}
			for _, warn := range warned {
				out.warnings = append(out.warnings, Warning{Code: warn.Code, Text: warn.Text})
			}
			news = []string{Created}
			return record.Open(after), nil
		}
		if gains == nil {
			return before, nil
		}
		var sets []frontmatter.Set
		have := read(path, before)
		sets, news = gains(have)
		front, _ := before.Front()
		if pins := by.pins.Sets(front); len(pins) > 0 && have.Status != deleted {
			sets, news = append(sets, pins...), append(news, Updated)
		}
		return before.With(record.Idea, sets)
	}
	saved, err := l.cache.Put(ctx, store.Edit{
		Record: in.ID, Op: by.op, Tool: by.tool, Session: by.session, Change: change,
		Resolve: func() (_ string, err error) {
			in.ID, path, err = l.place(ctx, in.ID, in.Color, in.Content)
			return path, err
		},
		Done: func(s store.Saved) {
			detail := map[string]string{"action": strings.Join(news, ",")}
			maps.Copy(detail, by.detail)
			if in.Learning() && by.detail == nil {
				i := parse(s.Path, s.After)
				maps.Copy(detail, map[string]string{"scope": i.Scope, "agent": strings.Join(in.Agents, ""), "parent": i.Parent})
				maps.DeleteFunc(detail, func(_, v string) bool { return v == "" })
			}
			l.saved(s, detail)
		},
	})
	if err != nil {
		return Stored{}, err
	}
	for _, text := range by.pins.Warnings {
		out.warnings = append(out.warnings, Warning{Code: anchor.RefKey, Text: text})
	}
	i := read(saved.Path, saved.Doc)
	out.ID, out.File, out.Etag, out.Color = i.ID, i.File, i.Etag, i.Color
	out.Scope, out.Status, out.content = i.Scope, i.Status, i.Content
	if i.Impact != out.Impact {
		out.Impact, out.ImpactRule = i.Impact, ""
	}
	if i.Category != out.Category {
		out.Category, out.CategoryRule = i.Category, ""
	}
	if saved.Unchanged {
		news = nil
	}
	out.News, out.Action = append([]string{}, news...), append(news, Duplicate)[0]
	if out.Action == Created || out.Action == Reactivated {
		l.remember(i)
	}
	return out, nil
}

// place returns the id and file that an idea of that colour and content has, or gets: id, unless that belongs to
// something else.
func (l *Learnings) place(ctx context.Context, id, color, content string) (_ string, _ string, err error) {
	defer fault.Caught(&err)
	for {
		held := fault.Must(l.ix.Holders(ctx, id))
		switch len(held) {
		case 0:
			return id, l.ix.FreePath(fileOf(id, content), id), nil
		case 1:
			f := fault.Must(l.st.Read(held[0].Path))
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

// same reports whether an idea that has the id of a content is that idea: of the same colour, and with the same content or with one that
// was edited since the id was given. An id that still fits another content is a collision.
func same(i *Idea, color, content string) bool {
	if i.Color != color {
		return false
	}
	return record.ContentKey(i.Content) == record.ContentKey(content) || idOf(i.Content) != idOf(content)
}

// idOf is the id that a content gets when no other content has it.
func idOf(content string) string { return record.HexID(record.IDPrefix(record.Idea), content, nil) }

// fileOf is the file in which an idea is created. It depends on nothing but what the id depends on.
func fileOf(id, content string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	return record.HexFile(record.Idea, id, first, "")
}

// change makes one change of the idea with that id, as f returns it, and returns the idea afterwards; f is pure and may be called again.
func (l *Learnings) change(ctx context.Context, id string, by putting,
	f func(before *record.Doc, i *Idea) (*record.Doc, error)) (*Idea, error) {
	return l.cache.Change(ctx, store.Edit{
		Record: id, Op: by.op, Tool: by.tool, Session: by.session, Done: func(s store.Saved) { l.saved(s, by.detail) },
	}, "", f)
}

// set sets the keys that f returns, if it returns any.
func (l *Learnings) set(ctx context.Context, id string, by putting, f func(i *Idea) []frontmatter.Set) (*Idea, error) {
	return l.change(ctx, id, by, func(before *record.Doc, i *Idea) (*record.Doc, error) {
		return before.With(record.Idea, f(i))
	})
}
