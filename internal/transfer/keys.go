package transfer

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sdd/internal/record"
)

// key is a key of the format that has a field in Idea.
type key struct {
	name string
	// read puts a value into the field, nil and null as the field's default. It says what is wrong with it.
	read func(i *Idea, raw json.RawMessage) (code, problem string)
	// normal is the field as a JSON value; nil when the key is left out.
	normal func(i *Idea) json.RawMessage
	// once says that the value never changes: where the file did not have it, an importer's guess is not written.
	once bool
}

// Keys in the order of the seed. Those of the metadata are a learning's.
var (
	topKeys = []key{
		{name: "id", read: stringInto(func(i *Idea) *string { return &i.ID }), normal: stringOf(func(i *Idea) string { return i.ID })},
		{name: "color", read: readColor, normal: stringOf(func(i *Idea) string { return i.Color })},
		{name: "status", read: readStatus, normal: stringOf(func(i *Idea) string { return i.Status })},
		{name: "content", read: stringInto(func(i *Idea) *string { return &i.Content }), normal: stringOf(func(i *Idea) string { return i.Content })},
		{name: "parentId", read: stringInto(func(i *Idea) *string { return &i.Parent }), normal: nullable(func(i *Idea) string { return i.Parent })},
		{name: "childIds"}, // unknown to an idea, but it has its place
		{name: "createdAt", read: timeInto(func(i *Idea) *string { return &i.Created }), normal: optional(func(i *Idea) string { return i.Created }), once: true},
		{name: "updatedAt"},
		{name: "history"},
	}
	metadataKeys = []key{
		{name: "scope", read: readScope, normal: stringOf(func(i *Idea) string { return i.Scope })},
		{name: "category", read: readCategory, normal: optional(func(i *Idea) string { return i.Category })},
		{name: "sourceGreenId", read: readSource, normal: nullable(func(i *Idea) string {
			if i.Source != "" {
				return i.Source
			}
			return i.Parent
		})},
		{name: "sourceAgentId", read: readAgent, normal: nullable(func(i *Idea) string {
			if len(i.Agents) == 0 {
				return ""
			}
			return i.Agents[0]
		})},
		{name: "agents", read: readAgents, normal: func(i *Idea) json.RawMessage {
			if len(i.Agents) < 2 {
				return nil
			}
			return list(i.Agents)
		}},
		{name: "impact", read: readImpact, normal: nullable(func(i *Idea) string { return i.Impact })},
		{name: "validated", read: readValidated, normal: func(i *Idea) json.RawMessage { return strconv.AppendBool(nil, i.Validated) }},
		{name: "appliedTo", read: listInto(func(i *Idea) *[]string { return &i.AppliedTo }), normal: func(i *Idea) json.RawMessage { return list(i.AppliedTo) }},
		{name: "supersededBy", read: stringInto(func(i *Idea) *string { return &i.SupersededBy }), normal: nullable(func(i *Idea) string { return i.SupersededBy })},
		{name: "archivedAt", read: timeInto(func(i *Idea) *string { return &i.ArchivedAt }), normal: optional(func(i *Idea) string { return i.ArchivedAt })},
		{name: "archivedReason", read: stringInto(func(i *Idea) *string { return &i.ArchivedReason }), normal: optional(func(i *Idea) string { return i.ArchivedReason })},
		{name: "resurrectedAt", read: timeInto(func(i *Idea) *string { return &i.ResurrectedAt }), normal: optional(func(i *Idea) string { return i.ResurrectedAt })},
		{name: "resurrectedBy", read: stringInto(func(i *Idea) *string { return &i.ResurrectedBy }), normal: optional(func(i *Idea) string { return i.ResurrectedBy })},
		{name: "outdatedReason", read: stringInto(func(i *Idea) *string { return &i.OutdatedReason }), normal: optional(func(i *Idea) string { return i.OutdatedReason })},
		{name: "outdatedCommit", read: stringInto(func(i *Idea) *string { return &i.OutdatedCommit }), normal: optional(func(i *Idea) string { return i.OutdatedCommit })},
		{name: "validatedAt", read: timeInto(func(i *Idea) *string { return &i.ValidatedAt }), normal: optional(func(i *Idea) string { return i.ValidatedAt })},
	}
)

func stringOf(get func(*Idea) string) func(*Idea) json.RawMessage {
	return func(i *Idea) json.RawMessage { return text(get(i)) }
}

// nullable writes null for "", optional leaves the key out.
func nullable(get func(*Idea) string) func(*Idea) json.RawMessage {
	return func(i *Idea) json.RawMessage {
		if s := get(i); s != "" {
			return text(s)
		}
		return json.RawMessage("null")
	}
}

func optional(get func(*Idea) string) func(*Idea) json.RawMessage {
	return func(i *Idea) json.RawMessage {
		if s := get(i); s != "" {
			return text(s)
		}
		return nil
	}
}

func list(of []string) json.RawMessage {
	out := []byte("[")
	for n, s := range of {
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, text(s)...)
	}
	return append(out, ']')
}

func null(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

func stringInto(field func(*Idea) *string) func(*Idea, json.RawMessage) (string, string) {
	return func(i *Idea, raw json.RawMessage) (string, string) {
		s, problem := readString(raw)
		*field(i) = s
		return badValue(problem)
	}
}

func listInto(field func(*Idea) *[]string) func(*Idea, json.RawMessage) (string, string) {
	return func(i *Idea, raw json.RawMessage) (string, string) {
		var of []string
		if !null(raw) && json.Unmarshal(raw, &of) != nil {
			*field(i) = nil
			return badValue("is no list of texts")
		}
		if of = slices.DeleteFunc(of, func(s string) bool { return s == "" }); len(of) == 0 {
			of = nil
		}
		*field(i) = of
		return "", ""
	}
}

func timeInto(field func(*Idea) *string) func(*Idea, json.RawMessage) (string, string) {
	return func(i *Idea, raw json.RawMessage) (string, string) {
		t, ok := readTime(raw)
		if *field(i) = t; !ok {
			return Time, "is no time; those are RFC 3339, a date, or milliseconds since 1970"
		}
		return "", ""
	}
}

func badValue(problem string) (string, string) {
	if problem == "" {
		return "", ""
	}
	return Value, problem
}

func readString(raw json.RawMessage) (s, problem string) {
	if null(raw) {
		return "", ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s, ""
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil { // ids and times are numbers in some systems
		return n.String(), ""
	}
	return "", "is no text"
}

// readColor takes other spellings for what they are; what is no colour becomes gray, a draft.
func readColor(i *Idea, raw json.RawMessage) (string, string) {
	s, problem := readString(raw)
	c := strings.ToLower(strings.TrimSpace(s))
	switch c {
	case "grey":
		c = "gray"
	case "white":
		c = "green" // and done
	}
	if !slices.Contains(record.Colors, c) {
		i.Color = "gray"
		if problem == "" {
			problem = fmt.Sprintf("%q is none of %s; taken as gray", s, strings.Join(record.Colors, ", "))
		}
		return Color, problem
	}
	i.Color = c
	return "", ""
}

// statuses are spellings of other systems for a status of ours.
var statuses = map[string]string{
	"todo": "pending", "open": "pending", "new": "pending", "ready": "pending", "draft": "pending", "backlog": "pending", "deferred": "pending", "queued": "pending",
	"in_progress": "active", "running": "active", "claimed": "active", "working": "active", "started": "active", "executing": "active",
	"waiting": "blocked", "needs_human": "blocked", "on_hold": "blocked",
	"complete": "done", "completed": "done", "closed": "done", "finished": "done", "resolved": "done", "merged": "done", "white": "done", "satisfied": "done",
	"error": "failed", "failure": "failed", "crashed": "failed",
	"timed_out": "timeout", "timedout": "timeout",
	"in_review": "review", "reviewing": "review", "awaiting_review": "review",
	"stale": "outdated", "superseded": "outdated", "obsolete": "outdated",
	"removed": "deleted", "soft_deleted": "deleted",
}

// without says what a status becomes in a colour that does not have it.
var without = map[string]string{
	"failed": "blocked", "timeout": "blocked", "review": "active", // not green
	"outdated": "done", "archived": "done", "deleted": "done", // no learning
	"pending": "active", "blocked": "active", "done": "archived", // a learning
}

// readStatus needs the colour to be read.
func readStatus(i *Idea, raw json.RawMessage) (string, string) {
	s, problem := readString(raw)
	allowed := record.StatusesOf(record.Idea, i.Color)
	if i.Status = allowed[0]; null(raw) {
		if white(i) {
			i.Status = "done"
		}
		return "", ""
	}
	name := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	if to, ok := statuses[name]; ok {
		name = to
	}
	for _, n := range []string{name, without[name], without[without[name]]} {
		if slices.Contains(allowed, n) {
			i.Status = n
			return "", ""
		}
	}
	if problem == "" {
		problem = fmt.Sprintf("%q is none of %s; taken as %s", s, strings.Join(allowed, ", "), i.Status)
	}
	return Status, problem
}

// white reports whether the idea's colour was spelled as white.
func white(i *Idea) bool {
	s, _ := readString(i.Extra.Keys["color"])
	return strings.EqualFold(strings.TrimSpace(s), "white")
}

func readScope(i *Idea, raw json.RawMessage) (string, string) {
	s, problem := readString(raw)
	i.Scope = record.Local
	switch name := strings.ToLower(strings.TrimSpace(s)); {
	case name == record.Global || name == record.Local:
		i.Scope = name
	case problem == "" && name != "":
		problem = fmt.Sprintf("%q is neither local nor global; taken as local", s)
	}
	return badValue(problem)
}

func readImpact(i *Idea, raw json.RawMessage) (string, string) {
	s, problem := readString(raw)
	i.Impact = ""
	switch name := strings.ToLower(strings.TrimSpace(s)); {
	case slices.Contains([]string{"low", "medium", "high", "critical"}, name):
		i.Impact = name
	case problem == "" && name != "":
		problem = fmt.Sprintf("%q is none of low, medium, high, critical", s)
	}
	return badValue(problem)
}

// categories are those that every project has, in the spelling of views.
var categories = []string{"Architecture", "Conventions", "Testing", "Errors", "API", "Dependencies", "Performance", "General"}

func readCategory(i *Idea, raw json.RawMessage) (string, string) {
	s, problem := readString(raw)
	i.Category = strings.TrimSpace(s)
	for _, c := range categories {
		if strings.EqualFold(c, i.Category) {
			i.Category = c
		}
	}
	return badValue(problem)
}

func readValidated(i *Idea, raw json.RawMessage) (string, string) {
	i.Validated = false
	if !null(raw) && json.Unmarshal(raw, &i.Validated) != nil {
		return badValue("is neither true nor false")
	}
	return "", ""
}

// readSource needs the parent to be read.
func readSource(i *Idea, raw json.RawMessage) (string, string) {
	s, problem := readString(raw)
	if i.Source = s; s == i.Parent {
		i.Source = ""
	}
	return badValue(problem)
}

func readAgent(i *Idea, raw json.RawMessage) (string, string) {
	s, problem := readString(raw)
	others := i.Agents[min(1, len(i.Agents)):]
	if i.Agents = nil; s != "" {
		i.Agents = append([]string{s}, others...)
	}
	return badValue(problem)
}

// readAgents reads all agents, when there are several; the first one is read before and stands in its own key.
func readAgents(i *Idea, raw json.RawMessage) (string, string) {
	first := i.Agents[:min(1, len(i.Agents))]
	var of []string
	if !null(raw) && json.Unmarshal(raw, &of) != nil {
		i.Agents = first
		return badValue("is no list of texts")
	}
	if i.Agents = slices.Clone(first); len(first) == 0 {
		return "", ""
	}
	for _, a := range of {
		if a != "" && !slices.Contains(i.Agents, a) {
			i.Agents = append(i.Agents, a)
		}
	}
	return "", ""
}

var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateTime, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02T15:04", time.DateOnly}

// Milliseconds since 1970 from 1973 to the year 9999; smaller numbers are seconds.
const (
	minMillis  = 1e11
	maxMillis  = 253402300800e3
	maxSeconds = minMillis
)

// readTime reads a time as RFC 3339 in UTC with whole seconds; "" for none, false for what is no time.
func readTime(raw json.RawMessage) (string, bool) {
	if null(raw) {
		return "", true
	}
	s, problem := readString(raw)
	if s = strings.TrimSpace(s); s == "" {
		return "", problem == ""
	}
	var t time.Time
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case math.IsNaN(n) || n < 0 || n >= maxMillis:
			return "", false
		case n < maxSeconds:
			t = time.Unix(int64(n), 0)
		default:
			t = time.UnixMilli(int64(n))
		}
		return t.UTC().Format(time.RFC3339), true
	}
	if clock, _, ok := strings.Cut(s, " m="); ok { // a Go time as printed
		s = clock
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
				return "", false
			}
			return t.Format(time.RFC3339), true
		}
	}
	return "", false
}
