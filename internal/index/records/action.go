package records

import (
	"cmp"
	"slices"
	"strings"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/record"
)

// Action is a step in the life of records. Each kind has its own actions, and reads some of the arguments.
type Action struct {
	Action    string   `json:"action"`
	IDs       []string `json:"ids"`
	Content   string   `json:"content,omitempty"`  // of edit
	Reason    string   `json:"reason,omitempty"`   // of outdate, archive and reject
	Target    string   `json:"target,omitempty"`   // of apply: the work that used it
	IfMatch   string   `json:"if_match,omitempty"` // the etag of the file that the caller read; of edit, that it edited
	By        string   `json:"by,omitempty"`       // of resurrect, default user
	TTLDays   int      `json:"ttl_days,omitempty"` // of refresh, as the next two: these values of the ttl are set
	RefreshOn string   `json:"refresh_on,omitempty"`
	OnExpire  string   `json:"on_expire,omitempty"`
	Purge     bool     `json:"purge,omitempty"` // of delete: move the file to the trash
	Tool      string   `json:"-"`
	Session   string   `json:"-"`
}

// Check refuses an unknown action and arguments that no action takes, and cleans the others. lim are the limits of config.yaml.
func (k *Kind[T]) Check(a *Action, allowed []string) (lim config.Limits, err error) {
	cfg, err := k.Store.Config()
	if err != nil {
		return lim, err
	}
	lim = cfg.Limits
	if a.Action = strings.ToLower(strings.TrimSpace(a.Action)); !slices.Contains(allowed, a.Action) {
		return lim, fault.New(fault.Invalid, "action %q is none for %ss", record.Brief(a.Action), k.Noun).For("action").
			With("allowed: " + strings.Join(allowed, ", "))
	}
	if len(a.IDs) == 0 {
		return lim, fault.New(fault.Invalid, "%s needs the ids of what it is done to", a.Action).For("ids").With(k.Hint)
	}
	line := func(arg string, text *string) error { return record.TrimLine(arg, text, lim.Title) }
	if err := cmp.Or(line("reason", &a.Reason), line("target", &a.Target), line("by", &a.By), line("if_match", &a.IfMatch)); err != nil {
		return lim, err
	}
	a.IfMatch = strings.Trim(a.IfMatch, `"`)
	if a.Action != "edit" {
		return lim, nil
	}
	if len(a.IDs) > 1 {
		return lim, fault.New(fault.Invalid, "edit takes one id, not %d", len(a.IDs)).For("ids").With("edit them one by one")
	}
	a.Content, err = record.Content("content", a.Content, lim.Section)
	return lim, err
}

// Text lists what was done, a line each.
func Text(list []record.Moved) (text string) {
	for _, m := range list {
		text += m.Line()
	}
	return text
}

// Life is what may be done to the records of a kind, in the order in which actions are listed.
type Life []Step

// Step is an action: the statuses in which a record may be (nil for any), and the status that it gets ("" for the same).
type Step struct {
	Action string
	From   []string
	To     string
}

// Allows reports whether a record of that status may be in the step.
func (s Step) Allows(status string) bool { return s.From == nil || slices.Contains(s.From, status) }

// Step returns the step of an action, an empty one for none.
func (l Life) Step(action string) Step {
	if i := slices.IndexFunc(l, func(s Step) bool { return s.Action == action }); i >= 0 {
		return l[i]
	}
	return Step{}
}

// Actions lists the actions that a record of that status allows, all for "".
func (l Life) Actions(status string) (out []string) {
	for _, s := range l {
		if status == "" || s.Allows(status) {
			out = append(out, s.Action)
		}
	}
	return out
}
