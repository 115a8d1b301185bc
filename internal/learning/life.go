package learning

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index/records"
	"sdd/internal/record"
	"sdd/internal/secrets"
)

// Action is a step in the life of ideas.
type Action = records.Action

// Reviewed is the result of an action.
type Reviewed struct {
	Items     []Moved `json:"items"`
	Graduates []Idea  `json:"graduates"` // of done: learnings that may be worth storing as facts
}

// Moved is one idea after an action.
type Moved = record.Moved

var inUse = []string{active, outdated, archived}

// life is that of learnings; a parent that is done archives them too. A misspelled status can only be deleted or corrected.
var life = records.Life{
	{Action: "validate", From: []string{active, outdated}, To: active},
	{Action: "outdate", From: []string{active}, To: outdated},
	{Action: "archive", From: []string{active, outdated}, To: archived},
	{Action: "resurrect", From: []string{archived}, To: active},
	{Action: "delete", To: deleted},
	{Action: "restore", From: []string{deleted}, To: archived},
	{Action: "edit", From: inUse},
	{Action: "promote", From: inUse},
	{Action: "apply", From: inUse},
}

// Actions lists the actions of Review.
var Actions = append(life.Actions(""), done)

// Moves lists the actions that a learning of that status allows, in the order of Actions.
func Moves(status string) []string {
	return slices.DeleteFunc(life.Actions(status), func(a string) bool { return a == "delete" && status == deleted })
}

// asRead refuses an action when the file is not the version that the caller read.
func asRead(now *Idea, ifMatch string) error {
	if ifMatch == "" || ifMatch == now.Etag {
		return nil
	}
	return fault.New(fault.Conflict, "%s has changed since it was read", now.ID).For("if_match").At(now.File, 0).
		With("read it again, and decide with the etag it has now")
}

// Review applies an action to each of the ids, in order, and stops at the first failure: Items holds the finished ones.
// With if_match, which takes one id, a file that changed since is a Conflict; edit merges instead. Faults: Invalid
// (unknown action, missing argument, a move that the status does not allow), NotFound, Ambiguous, Conflict (if_match),
// Broken, Unwritable.
func (l *Learnings) Review(ctx context.Context, a Action) (out Reviewed, err error) {
	defer secrets.Blame(&err, a)
	defer fault.Caught(&err)
	out = Reviewed{Items: []Moved{}, Graduates: []Idea{}}
	fault.Must(l.cache.Check(&a, Actions))
	switch {
	case a.IfMatch != "" && len(a.IDs) > 1:
		return out, fault.New(fault.Invalid, "if_match goes with one id, not %d", len(a.IDs)).For("if_match").With("do them one by one")
	case a.Action == "apply" && a.Target == "":
		return out, fault.New(fault.Invalid, "apply needs the work that used it").For("target").With("give the id of the idea or issue")
	}
	fault.Check(l.cache.sync(ctx))
	for _, id := range a.IDs {
		if a.Action == done {
			fault.Check(l.finished(ctx, id, a, &out))
			continue
		}
		i := fault.Must(l.one(id))
		out.Items = append(out.Items, fault.Must(l.act(ctx, i, a)))
	}
	return out, nil
}

func (l *Learnings) act(ctx context.Context, i *Idea, a Action) (_ Moved, err error) {
	defer fault.Caught(&err)
	if !i.Learning() && a.Action != "edit" {
		return Moved{}, fault.New(fault.Invalid, "%s is an idea of colour %s: %s is for learnings", i.ID, i.Color, a.Action).For("action").
			With("allowed: edit, done; its status is one of " + strings.Join(record.StatusesOf(record.Idea, i.Color), ", "))
	}
	out := Moved{ID: i.ID, Kind: i.kind()}
	by := putting{op: "review " + a.Action, tool: a.Tool, session: a.Session,
		detail: map[string]string{"action": a.Action, "reason": a.Reason, "target": a.Target}}
	maps.DeleteFunc(by.detail, func(_, v string) bool { return v == "" })
	now := fault.Must(l.change(ctx, i.ID, by, func(before *record.Doc, now *Idea) (_ *record.Doc, err error) {
		defer fault.Caught(&err)
		if now.Status == active && i.Verdict != nil && now.Etag == i.Etag {
			now.Verdict = i.Verdict
		}
		if a.Action != "edit" {
			fault.Check(asRead(now, a.IfMatch))
		}
		fault.Check(allowed(now, a.Action))
		out.From, out.To = now.Effective(), now.Effective()
		if a.Action == "edit" {
			return l.edit(before, a)
		}
		after, err := before.With(record.Idea, l.steps(now, a, &out))
		if err == nil && a.Action == "validate" {
			after, out.Why, err = anchor.AffirmAll(ctx, l.st.Dir(), record.Idea, after)
		}
		return after, err
	}))
	if a.Action == "validate" || a.Action == "resurrect" {
		l.remember(now)
	}
	out.File, out.Etag, out.Changed = now.File, now.Etag, now.Etag != i.Etag
	return out, nil
}

// allowed refuses a move that neither the status in the file nor the effective one allows.
func allowed(i *Idea, action string) error {
	step, e := life.Step(action), i.Effective()
	if !i.Learning() || step.Allows(i.Status) || step.Allows(e) {
		return nil
	}
	can := "allowed now: " + strings.Join(Moves(e), ", ")
	if known := record.StatusesOf(record.Idea, record.Learning); !slices.Contains(known, e) {
		return fault.New(fault.Invalid, "%s has the status %q, which is none of %s", i.ID, record.Brief(e), strings.Join(known, ", ")).
			For("action").At(i.File, 0).With("correct the status in the file; " + can)
	}
	if action == "resurrect" {
		return fault.New(fault.Invalid, "can only resurrect archived learnings: %s is %s", i.ID, e).For("action").With(can)
	}
	return fault.New(fault.Invalid, "%s is %s: %s is for learnings that are %s", i.ID, e, action, strings.Join(step.From, " or ")).
		For("action").With(can)
}

// steps returns the keys that an action sets, and records the new status in out.
func (l *Learnings) steps(i *Idea, a Action, out *Moved) []frontmatter.Set {
	now := record.Stamp(l.now())
	set := func(key string, value any) frontmatter.Set { return frontmatter.Set{Key: key, Value: value} }
	out.To = cmp.Or(life.Step(a.Action).To, out.To)
	switch a.Action {
	case "validate":
		return append(back(i), set("validated", true), set("validated_at", now))
	case "outdate":
		reason, commit := cmp.Or(a.Reason, "marked by review"), ""
		if v := i.Verdict; v != nil && a.Reason == "" && (v.Status == outdated || v.Status == check) {
			reason, commit = v.Reason, v.Commit
		}
		return records.Present([]frontmatter.Set{set("status", outdated), set("outdated_reason", reason), set("outdated_commit", commit)})
	case "archive":
		return archive(now, cmp.Or(a.Reason, "review"))
	case "resurrect":
		return append(back(i), set("resurrected_at", now), set("resurrected_by", cmp.Or(a.By, "user")))
	case "delete":
		return []frontmatter.Set{set("status", deleted)}
	case "restore":
		return archive(now, "restored")
	case "promote":
		out.From, out.To = i.Scope, record.Global
		return []frontmatter.Set{set("scope", record.Global)}
	case "apply":
		out.From, out.To = "", a.Target
		if slices.Contains(i.AppliedTo, a.Target) {
			out.From = a.Target
			return nil
		}
		return []frontmatter.Set{set("applied_to", append(slices.Clone(i.AppliedTo), a.Target))}
	}
	return nil
}

// edit replaces the content. With if_match the caller edited that version, and later changes of the file are kept. A
// content is one statement: when both sides changed it, the fault shows both, and edit does not merge by words.
func (l *Learnings) edit(before *record.Doc, a Action) (*record.Doc, error) {
	base := before.Src
	again := "read it again, merge the two texts, and save with the new etag"
	now := read("ideas/x.md", before).Content
	if a.IfMatch != "" && a.IfMatch != before.Etag {
		var known bool
		if base, known = l.st.Version(a.IfMatch); !known {
			return nil, fault.New(fault.Conflict, "if_match %q is no version of this idea that is still known\n\nstored:\n%s\n\nyours:\n%s",
				a.IfMatch, now, a.Content).For("if_match").With(again)
		}
		if was := parse("ideas/x.md", base).Content; was != now && now != a.Content {
			return nil, fault.New(fault.Conflict, "the content was changed on both sides, nothing was written\n\nstored:\n%s\n\nyours:\n%s",
				now, a.Content).For("if_match").With(again)
		}
	}
	after, _, err := record.WithContent(record.Idea, base, a.Content)
	if err == nil && !bytes.Equal(base, before.Src) {
		after, err = record.MergeSaves(record.Idea, base, before.Src, after, "if_match",
			"read the idea again, merge the two texts, and save with the new etag")
	}
	if err == nil && bytes.Equal(after, before.Src) {
		return before, nil
	}
	return record.Open(after), err
}

// Text renders the result, one line per item, and names the learnings that may be worth storing as facts.
func (r Reviewed) Text() string {
	text := records.Text(r.Items)
	if len(r.Graduates) > 0 {
		text += "\nWorth keeping as facts? (graduate)\n\n"
		for _, g := range r.Graduates {
			text += record.Item(g.ID, g.Content) + "\n"
		}
	}
	return text
}

// A parent that is done takes its learnings along. Its own file is set to done first, which every clone sees: from then on
// every reader takes the learnings for archived, also where a crash left their files active, or a person set the parent to done.
// Check writes that into their files. An outside parent has no file: done again archives those that a crash left.
// What was learned or resurrected after a parent was done (done_at) is not archived with it.

// finished sets a parent to done, an idea or an outside id.
func (l *Learnings) finished(ctx context.Context, id string, a Action, out *Reviewed) (err error) {
	defer fault.Caught(&err)
	w := fault.Must(l.writer())
	fault.Check(record.TrimLine("ids", &id, w.cfg.Limits.Title))
	at := record.Stamp(l.now())
	parent, err := l.one(id)
	switch {
	case err == nil && parent.Learning():
		return fault.New(fault.Invalid, "%s is a learning: done is for the work it came from", parent.ID).For("action").
			With("allowed now: " + strings.Join(Moves(parent.Effective()), ", "))
	case err == nil && asRead(parent, a.IfMatch) != nil:
		return asRead(parent, a.IfMatch)
	case err == nil:
		id = parent.ID
	case !fault.Is(err, fault.NotFound):
		return err
	case id == "" || record.IsHexID(id):
		return err // an id of this store that nothing has is a slip
	case a.IfMatch != "":
		return fault.New(fault.Invalid, "%q is no idea of this store: it has no etag", record.Brief(id)).For("if_match").With("omit it")
	}
	child := l.childOf(id)
	children := l.cache.learnings(func(a, b *Idea) int { return cmp.Compare(a.ID, b.ID) })
	children = slices.DeleteFunc(children, func(i *Idea) bool { return i.Status != active || !child(i) })
	if parent != nil {
		m := Moved{ID: parent.ID, Kind: string(record.Idea), To: done}
		by := putting{op: "review done", tool: a.Tool, session: a.Session, detail: map[string]string{"action": done}}
		now := fault.Must(l.set(ctx, parent.ID, by, func(i *Idea) []frontmatter.Set {
			if m.From = i.Status; i.Status == done {
				return nil
			}
			return []frontmatter.Set{{Key: "status", Value: done}, {Key: "done_at", Value: at}}
		}))
		m.File, m.Etag = now.File, now.Etag
		out.Items = append(out.Items, m)
	}
	if parent == nil && len(children) == 0 {
		out.Items = append(out.Items, Moved{ID: id, Kind: "parent", From: "unchanged", To: "unchanged",
			Why: "nothing changed: no active learning came from it, and it is no idea of this store"})
	}
	for _, i := range children {
		if i.Scope == record.Global || i.Validated || i.Impact == "high" || i.Impact == "critical" {
			out.Graduates = append(out.Graduates, l.show(i))
		}
		if !w.set.followsParent(i) {
			continue
		}
		if l.step != nil {
			fault.Check(l.step("child"))
		}
		m := Moved{ID: i.ID, Kind: "learning"}
		by := putting{op: "review done", tool: a.Tool, session: a.Session,
			detail: map[string]string{"action": done, "reason": parentDone, "parent": id}}
		now, err := l.set(ctx, i.ID, by, func(i *Idea) []frontmatter.Set {
			m.From, m.To = i.Status, i.Status
			if i.Status != active || after(i, at) {
				return nil
			}
			m.To = archived
			return archive(at, parentDone)
		})
		switch {
		case fault.Is(err, fault.NotFound):
			continue // deleted meanwhile
		case err != nil:
			return err
		}
		m.File, m.Etag = now.File, now.Etag
		out.Items = append(out.Items, m)
	}
	return nil
}

func archive(at, reason string) []frontmatter.Set {
	return []frontmatter.Set{{Key: "status", Value: archived}, {Key: "archived_at", Value: at}, {Key: "archived_reason", Value: reason}}
}

// after reports whether a learning is newer than a moment, or was resurrected since.
func after(i *Idea, at string) bool {
	t := record.Moment(at)
	return t > 0 && (i.created > t || i.ResurrectedAt != "" && record.Moment(i.ResurrectedAt) >= t)
}
