package learning

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// IdeaInput is a new idea of any colour.
type IdeaInput struct {
	Color    string   `json:"color"` // one of record.Colors; white is green that is done
	Content  string   `json:"content"`
	Status   string   `json:"status,omitempty"` // default pending; of a learning active
	Parent   string   `json:"parent,omitempty"`
	Scope    string   `json:"scope,omitempty"` // of a learning
	Agent    string   `json:"agent,omitempty"`
	Impact   string   `json:"impact,omitempty"`
	Category string   `json:"category,omitempty"`
	Aliases  []string `json:"aliases,omitempty"` // ids it had elsewhere
	Tool     string   `json:"-"`
	Session  string   `json:"-"`
}

const white = "white"

// Add stores an idea. The same content in the same colour is the same idea: then nothing is written and Action
// is duplicate. A learning is stored as Learn does.
func (l *Learnings) Add(ctx context.Context, in IdeaInput) (_ Stored, err error) {
	defer secrets.Blame(&err, in)
	if in.Color = strings.ToLower(strings.TrimSpace(in.Color)); in.Color == white {
		in.Color = "green"
		if in.Status == "" {
			in.Status = done
		}
	}
	if !slices.Contains(record.Colors, in.Color) {
		return Stored{}, fault.New(fault.Invalid, "color %q is unknown", record.Brief(in.Color)).For("color").
			With("allowed: " + strings.Join(record.Colors, ", ") + ", white (green that is done)")
	}
	w, err := l.prepare(&Input{Scope: in.Scope, Parent: in.Parent, Agent: in.Agent, Impact: in.Impact, Category: in.Category})
	if err != nil {
		return Stored{}, err
	}
	if in.Color == record.Learning {
		if s := strings.ToLower(strings.TrimSpace(in.Status)); s != "" && s != active {
			return Stored{}, fault.New(fault.Invalid, "a new learning is active, not %s", record.Brief(s)).For("status").With("store it, then review it")
		}
		got, err := l.Learn(ctx, Input{Content: in.Content, Scope: in.Scope, Parent: in.Parent, Agent: in.Agent, Impact: in.Impact,
			Category: in.Category, Tool: in.Tool, Session: in.Session})
		if err != nil {
			return Stored{}, err
		}
		return got.Results[0], nil
	}
	if in.Scope != "" {
		return Stored{}, fault.New(fault.Invalid, "scope is for learnings, not for ideas of colour %s", in.Color).For("scope").With("omit it")
	}
	if in.Status == "" {
		in.Status = "pending"
	}
	if in.Status, err = record.OneOf("status", in.Status, record.StatusesOf(record.Idea, in.Color)); err != nil {
		return Stored{}, err
	}
	if in.Content, err = record.Content("content", in.Content, w.cfg.Limits.Section); err != nil {
		return Stored{}, err
	}
	if in.Parent, err = oneLine("parent", in.Parent, w.cfg.Limits); err != nil {
		return Stored{}, err
	}
	if in.Agent, err = oneLine("agent", in.Agent, w.cfg.Limits); err != nil {
		return Stored{}, err
	}
	if in.Impact != "" {
		if in.Impact, err = impactNamed(in.Impact); err != nil {
			return Stored{}, err
		}
	}
	if in.Category != "" {
		if in.Category, err = w.set.category(in.Category); err != nil {
			return Stored{}, err
		}
	}
	if err := l.finish(ctx); err != nil {
		return Stored{}, err
	}
	return l.add(ctx, in)
}

func (l *Learnings) add(ctx context.Context, in IdeaInput) (Stored, error) {
	now, id, path := l.now(), idOf(in.Content), ""
	var warnings []Warning
	apply := func(before []byte, exists bool) ([]byte, error) {
		if exists {
			return before, nil
		}
		out, warned, err := record.Compose(record.Idea, in.keys(id, now), in.Content)
		if err != nil {
			return nil, err
		}
		warnings = warningsOf(warned)
		return out, l.guard(nil, out)
	}
	if !l.st.Exists() { // what cannot be stored makes no store either
		if _, err := apply(nil, false); err != nil {
			return Stored{}, err
		}
	}
	saved, err := l.save(ctx, store.Edit{
		Record: id, Op: "idea", Tool: in.Tool, Session: in.Session, Apply: apply,
		Done: func(s store.Saved) { l.events.saved(s, map[string]string{"action": Created}) },
		Resolve: func() (string, error) {
			var err error
			id, path, err = l.place(ctx, id, in.Color, in.Content)
			return path, err
		},
	})
	if err != nil {
		return Stored{}, store.InFile(err, path)
	}
	i := parse(saved.Path, saved.After)
	out := Stored{ID: i.ID, Action: Duplicate, News: []string{}, File: i.File, Etag: i.Etag, Color: i.Color, Status: i.Status,
		Impact: i.Impact, Category: i.Category, Similar: []Similar{}, Superseded: []Superseded{}, content: i.Content}
	if saved.Created {
		out.Action, out.News, out.warnings = Created, []string{Created}, warnings
	}
	return out, nil
}

func (in IdeaInput) keys(id string, now time.Time) []frontmatter.Set {
	sets := []frontmatter.Set{{Key: "id", Value: id}, {Key: "color", Value: in.Color}, {Key: "status", Value: in.Status}}
	set := func(key, value string) {
		if value != "" {
			sets = append(sets, frontmatter.Set{Key: key, Value: value})
		}
	}
	set("parent", in.Parent)
	if in.Agent != "" {
		sets = append(sets, frontmatter.Set{Key: "agents", Value: []string{in.Agent}})
	}
	set("impact", in.Impact)
	set("category", in.Category)
	set("created", record.Stamp(now))
	if in.Status == done {
		set("done_at", record.Stamp(now))
	}
	if len(in.Aliases) > 0 {
		sets = append(sets, frontmatter.Set{Key: "aliases", Value: in.Aliases})
	}
	return sets
}

// settable are the keys that Set takes.
var settable = strings.Fields("status color parent scope impact category validated content")

// Set sets keys of one idea; an empty parent, impact or category is removed. A status is reached as Review
// reaches it: a learning by the moves of its life, a parent that is done takes its learnings along. With ifMatch, the
// etag of the file that was read, nothing is set in one that changed since (Conflict), but for a
// content, which is merged as by edit.
func (l *Learnings) Set(ctx context.Context, id string, keys map[string]string, ifMatch string) (Reviewed, error) {
	out := Reviewed{Items: []Moved{}, Graduates: []Idea{}}
	if len(keys) == 0 {
		return out, fault.New(fault.Invalid, "no key is given").For("keys").With("allowed: " + strings.Join(settable, ", "))
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(settable, k) {
			return out, fault.New(fault.Invalid, "key %q cannot be set", record.Brief(k)).For("keys").With("allowed: " + strings.Join(settable, ", "))
		}
	}
	if err := l.finish(ctx); err != nil {
		return out, err
	}
	if err := l.cache.sync(ctx); err != nil {
		return out, err
	}
	i, err := l.one(id)
	if err != nil {
		return out, err
	}
	ifMatch = strings.Trim(strings.TrimSpace(ifMatch), `"`)
	if _, content := keys["content"]; !content {
		if err := asRead(i, ifMatch); err != nil {
			return out, err
		}
	}
	sets, steps, err := l.plan(i, keys)
	if err != nil {
		return out, err
	}
	if len(sets) > 0 {
		m := Moved{ID: i.ID, Kind: i.kind(), From: i.Effective(), To: i.Effective()}
		_, now, err := l.change(ctx, i.ID, "idea set", "", "", func(before []byte, now *Idea) ([]byte, error) {
			if _, content := keys["content"]; !content {
				if err := asRead(now, ifMatch); err != nil {
					return nil, err
				}
			}
			if now.Color != i.Color {
				return nil, fault.New(fault.Conflict, "%s has another colour now: %s", i.ID, now.Color).For("keys").With("read it again")
			}
			for _, s := range sets {
				if s.Key == "status" {
					m.From, m.To = now.Status, s.Value.(string)
				}
			}
			return frontmatter.Apply(before, record.Keys(record.Idea), sets)
		}, map[string]string{"action": "set", "keys": strings.Join(slices.Sorted(maps.Keys(keys)), ",")})
		if err != nil {
			return out, err
		}
		m.File, m.Etag = now.File, now.Etag
		out.Items = append(out.Items, m)
	}
	for n, a := range steps {
		if len(sets) == 0 && (n == 0 || a.Action == "edit") {
			a.IfMatch = ifMatch // later the file is ours
		}
		a.IDs = []string{i.ID}
		got, err := l.Review(ctx, a)
		out.Items, out.Graduates = append(out.Items, got.Items...), append(out.Graduates, got.Graduates...)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// plan turns keys into what is set at once and what are steps of its life.
func (l *Learnings) plan(i *Idea, keys map[string]string) (sets []frontmatter.Set, steps []Action, err error) {
	cfg, err := l.st.Config()
	if err != nil {
		return nil, nil, err
	}
	set, err := l.settings()
	if err != nil {
		return nil, nil, err
	}
	onlyLearnings := func(key string) error {
		return fault.New(fault.Invalid, "%s is an idea of colour %s: %s is for learnings", i.ID, i.Color, key).For(key).With("omit it")
	}
	color := i.Color
	if v, ok := keys["color"]; ok {
		v = strings.ToLower(strings.TrimSpace(v))
		if v == white {
			v = "green"
			keys = maps.Clone(keys)
			keys["status"] = done
		}
		if v, err = record.OneOf("color", v, record.Colors); err != nil {
			return nil, nil, err
		}
		if (v == record.Learning) != i.Learning() {
			return nil, nil, fault.New(fault.Invalid, "%s is of colour %s: a learning stays one, and no other idea becomes one", i.ID, i.Color).For("color").
				With("store it anew with the colour it should have")
		}
		if v != i.Color || i.white {
			sets, color = append(sets, frontmatter.Set{Key: "color", Value: v}), v
		}
	}
	if _, ok := keys["status"]; ok && i.white && len(sets) == 0 {
		sets = append(sets, frontmatter.Set{Key: "color", Value: color}) // white would stay done
	}
	for _, key := range []string{"parent", "impact", "category"} {
		v, ok := keys[key]
		if !ok {
			continue
		}
		if v, err = oneLine(key, v, cfg.Limits); err != nil {
			return nil, nil, err
		}
		var value any
		if v != "" {
			switch key {
			case "impact":
				v, err = impactNamed(v)
			case "category":
				v, err = set.category(v)
			}
			if err != nil {
				return nil, nil, err
			}
			value = v
		}
		sets = append(sets, frontmatter.Set{Key: key, Value: value})
	}
	if v, ok := keys["scope"]; ok {
		if !i.Learning() {
			return nil, nil, onlyLearnings("scope")
		}
		if v, err = scopeNamed(v); err != nil {
			return nil, nil, err
		}
		if v == record.Global {
			steps = append(steps, Action{Action: "promote"})
		} else {
			sets = append(sets, frontmatter.Set{Key: "scope", Value: v})
		}
	}
	if v, ok := keys["status"]; ok {
		if v, err = record.OneOf("status", v, record.StatusesOf(record.Idea, color)); err != nil {
			return nil, nil, err
		}
		switch {
		case i.Learning():
			known := slices.Contains(record.StatusesOf(record.Idea, color), i.Status)
			if a := stepTo(i.Effective(), v); !known {
				sets = append(sets, frontmatter.Set{Key: "status", Value: v}) // a misspelling is mended
			} else if a != "" {
				steps = append(steps, Action{Action: a})
			} else if v != i.Effective() {
				return nil, nil, fault.New(fault.Invalid, "%s is %s: it cannot become %s", i.ID, i.Effective(), v).For("status").
					With("allowed now: " + strings.Join(Moves(i.Effective()), ", "))
			}
		case v == done:
			steps = append(steps, Action{Action: done})
		default:
			sets = append(sets, frontmatter.Set{Key: "status", Value: v})
			if i.DoneAt != "" {
				sets = append(sets, frontmatter.Set{Key: "done_at"})
			}
		}
	} else if color != i.Color && !slices.Contains(record.StatusesOf(record.Idea, color), i.Status) {
		return nil, nil, fault.New(fault.Invalid, "%s is %s, which ideas of colour %s cannot be", i.ID, i.Status, color).For("status").
			With("set a status with the colour: " + strings.Join(record.StatusesOf(record.Idea, color), ", "))
	}
	if v, ok := keys["validated"]; ok {
		if !i.Learning() {
			return nil, nil, onlyLearnings("validated")
		}
		if v, err = record.OneOf("validated", v, []string{"true", "false"}); err != nil {
			return nil, nil, err
		}
		if v == "true" {
			steps = append(steps, Action{Action: "validate"})
		} else {
			sets = append(sets, frontmatter.Set{Key: "validated", Value: false}, frontmatter.Set{Key: "validated_at"})
		}
	}
	if v, ok := keys["content"]; ok {
		if v, err = record.Content("content", v, cfg.Limits.Section); err != nil {
			return nil, nil, err
		}
		steps = append(steps, Action{Action: "edit", Content: v})
	}
	return sets, steps, nil
}

// stepTo returns the action that leads from one status of a learning to another, "" when none does.
func stepTo(from, to string) string {
	if from == to {
		return ""
	}
	for _, a := range Actions {
		if m, ok := moves[a]; ok && m.to == to && slices.Contains(m.from, from) {
			return a
		}
	}
	return ""
}
