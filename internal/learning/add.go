package learning

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index/records"
	"sdd/internal/record"
	"sdd/internal/secrets"
)

const white = "white"

// Add stores an idea. Ideas with the same content and colour are one idea: then Add writes nothing and Action is
// duplicate. It stores a learning as Learn does.
func (l *Learnings) Add(ctx context.Context, in Input) (_ Stored, err error) {
	defer secrets.Blame(&err, in)
	defer fault.Caught(&err)
	if in.Color = strings.ToLower(strings.TrimSpace(in.Color)); in.Color == white {
		in.Color = "green"
		in.Status = cmp.Or(in.Status, done)
	}
	allowed := "allowed: " + strings.Join(record.Colors, ", ") + ", white (green that is done)"
	switch {
	case in.Color == "":
		return Stored{}, fault.New(fault.Invalid, "color is required").For("color").With(allowed)
	case !slices.Contains(record.Colors, in.Color):
		return Stored{}, fault.New(fault.Invalid, "color %q is unknown", record.Brief(in.Color)).For("color").With(allowed)
	}
	if in.Color == record.Learning {
		if s := strings.ToLower(strings.TrimSpace(in.Status)); s != "" && s != active {
			return Stored{}, fault.New(fault.Invalid, "a new learning is active, not %s", record.Brief(s)).For("status").
				With("store it, then review it")
		}
		got := fault.Must(l.Learn(ctx, in))
		return got.Results[0], nil
	}
	if in.Scope != "" {
		return Stored{}, fault.New(fault.Invalid, "scope is for learnings, not for ideas of colour %s", in.Color).For("scope").With("omit it")
	}
	w, i, err := l.prepare(in)
	fault.Check(err)
	i.Status = fault.Must(record.OneOf("status", cmp.Or(in.Status, "pending"), record.StatusesOf(record.Idea, in.Color)))
	i.Content = fault.Must(record.Content("content", in.Content, w.cfg.Limits.Section))
	i.ID, i.Created = idOf(i.Content), record.Stamp(l.now())
	if i.Status == done {
		i.DoneAt = i.Created
	}
	return w.put(ctx, i, putting{op: "idea", tool: in.Tool, session: in.Session, pins: w.pins}, nil)
}

// settable are the keys that Set takes.
var settable = strings.Fields("status color parent scope impact category validated content")

// Set sets keys of one idea; an empty parent, impact or category removes the key. It changes a status as Review does: a
// learning by the moves of its life, and a parent set to done archives its learnings. With ifMatch, the etag of the file
// that the caller read, a file that changed since is a Conflict, except that a new content is merged as in edit.
func (l *Learnings) Set(ctx context.Context, id string, keys map[string]string, ifMatch string) (out Reviewed, err error) {
	defer fault.Caught(&err)
	out = Reviewed{Items: []Moved{}, Graduates: []Idea{}}
	if len(keys) == 0 {
		return out, fault.New(fault.Invalid, "no key is given").For("keys").With("allowed: " + strings.Join(settable, ", "))
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(settable, k) {
			return out, fault.New(fault.Invalid, "key %q cannot be set", record.Brief(k)).For("keys").
				With("allowed: " + strings.Join(settable, ", "))
		}
	}
	fault.Check(l.cache.sync(ctx))
	i := fault.Must(l.one(id))
	ifMatch = strings.Trim(strings.TrimSpace(ifMatch), `"`)
	_, content := keys["content"]
	if !content { // an edit merges
		fault.Check(asRead(i, ifMatch))
	}
	sets, steps, err := l.plan(i, keys)
	fault.Check(err)
	if len(sets) > 0 {
		m := Moved{ID: i.ID, Kind: i.kind(), From: i.Effective(), To: i.Effective()}
		by := putting{op: "idea set", detail: map[string]string{"action": "set", "keys": strings.Join(slices.Sorted(maps.Keys(keys)), ",")}}
		now := fault.Must(l.change(ctx, i.ID, by, func(before *record.Doc, now *Idea) (*record.Doc, error) {
			if !content {
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
			return before.With(record.Idea, sets)
		}))
		m.File, m.Etag = now.File, now.Etag
		out.Items = append(out.Items, m)
	}
	for n, a := range steps {
		if len(sets) == 0 && (n == 0 || a.Action == "edit") {
			a.IfMatch = ifMatch // the file is now the result of our own save
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

// plan splits keys into front matter to set at once and steps of the idea's life.
func (l *Learnings) plan(i *Idea, keys map[string]string) (sets []frontmatter.Set, steps []Action, err error) {
	defer fault.Caught(&err)
	w := fault.Must(l.writer())
	set := func(key string, value any) { sets = append(sets, frontmatter.Set{Key: key, Value: value}) }
	if strings.EqualFold(strings.TrimSpace(keys["color"]), white) {
		keys = maps.Clone(keys)
		keys["color"], keys["status"] = "green", done
	}
	color, colored := i.Color, false
	for _, key := range strings.Fields("color parent impact category scope status validated content") {
		v, ok := keys[key]
		switch {
		case !ok:
			continue
		case !i.Learning() && (key == "scope" || key == "validated"):
			return nil, nil, fault.New(fault.Invalid, "%s is an idea of colour %s: %s is for learnings", i.ID, i.Color, key).For(key).With("omit it")
		}
		switch key {
		case "color":
			color = fault.Must(record.OneOf("color", v, record.Colors))
			if (color == record.Learning) != i.Learning() {
				return nil, nil, fault.New(fault.Invalid, "%s is of colour %s: a learning stays one, and no other idea becomes one", i.ID, i.Color).
					For("color").With("store it anew with the colour it should have")
			}
			if colored = color != i.Color || i.white; colored {
				set("color", color)
			}
		case "parent", "impact", "category":
			fault.Check(record.TrimLine(key, &v, w.cfg.Limits.Title))
			switch {
			case v == "":
				set(key, nil)
				continue
			case key == "impact":
				v, err = impactNamed(v)
			case key == "category":
				v, err = w.set.category(v)
			}
			set(key, v)
		case "scope":
			if v, err = scopeNamed(v); v == record.Global {
				steps = append(steps, Action{Action: "promote"})
			} else {
				set("scope", v)
			}
		case "status":
			if i.white && !colored {
				set("color", color) // white would stay done
			}
			v = fault.Must(record.OneOf("status", v, record.StatusesOf(record.Idea, color)))
			from := i.Effective()
			step := slices.IndexFunc(life, func(s records.Step) bool { return s.To == v && v != from && s.Allows(from) })
			switch {
			case !i.Learning() && v == done:
				steps = append(steps, Action{Action: done})
			case !i.Learning():
				set("status", v)
				if i.DoneAt != "" {
					set("done_at", nil)
				}
			case !slices.Contains(record.StatusesOf(record.Idea, color), i.Status):
				set("status", v) // corrects a misspelling
			case step >= 0:
				steps = append(steps, Action{Action: life[step].Action})
			case v != from:
				return nil, nil, fault.New(fault.Invalid, "%s is %s: it cannot become %s", i.ID, from, v).For("status").
					With("allowed now: " + strings.Join(Moves(from), ", "))
			}
		case "validated":
			if v, err = record.OneOf("validated", v, []string{"true", "false"}); v == "true" {
				steps = append(steps, Action{Action: "validate"})
			} else {
				set("validated", false)
				set("validated_at", nil)
			}
		case "content":
			v, err = record.Content("content", v, w.cfg.Limits.Section)
			steps = append(steps, Action{Action: "edit", Content: v})
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if _, ok := keys["status"]; !ok && color != i.Color && !slices.Contains(record.StatusesOf(record.Idea, color), i.Status) {
		return nil, nil, fault.New(fault.Invalid, "%s is %s, which ideas of colour %s cannot be", i.ID, i.Status, color).For("status").
			With("set a status with the colour: " + strings.Join(record.StatusesOf(record.Idea, color), ", "))
	}
	return sets, steps, nil
}
