package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sdd/internal/learning"
	"sdd/internal/record"
)

// key is a key of the format that has a field in Idea.
type key struct {
	name string
	// read sets the field; nil and null set its default. It returns the problem with the value.
	read func(i *Idea, raw json.RawMessage) (problem string)
	// normal is the field as a JSON value; nil when the key is left out.
	normal func(i *Idea) json.RawMessage
	code   string // of the warning about a bad value; "" is Value
	// once marks a value that never changes: when the file lacks it, an export does not write the import's guess.
	once bool
}

// Keys in the order of the format. Those of the metadata are for learnings.
var (
	topKeys = []key{
		field("id", func(i *Idea) *string { return &i.ID }, readString, text),
		{name: "color", read: readColor, code: Color, normal: func(i *Idea) json.RawMessage { return text(i.Color) }},
		{name: "status", read: readStatus, code: Status, normal: func(i *Idea) json.RawMessage { return text(i.Status) }},
		field("content", func(i *Idea) *string { return &i.Content }, readString, text),
		field("parentId", func(i *Idea) *string { return &i.Parent }, readString, orNull),
		{name: "childIds"}, // ideas have no such field, but the key has its place
		timeKey("createdAt", true, func(i *Idea) *string { return &i.Created }),
		{name: "updatedAt"},
		{name: "history"},
	}
	metadataKeys = []key{
		field("scope", func(i *Idea) *string { return &i.Scope }, readScope, text),
		field("category", func(i *Idea) *string { return &i.Category }, readCategory, orAbsent),
		{name: "sourceGreenId", read: checkText, normal: func(i *Idea) json.RawMessage { return orNull(i.Parent) }},
		{name: "sourceAgentId", read: readAgent, normal: func(i *Idea) json.RawMessage { return orNull(strings.Join(i.firstAgent(), "")) }},
		{name: "agents", read: readAgents, normal: func(i *Idea) json.RawMessage { return listFrom(2)(i.Agents) }},
		field("impact", func(i *Idea) *string { return &i.Impact }, readImpact, orNull),
		field("validated", func(i *Idea) *bool { return &i.Validated }, readBool, func(b bool) json.RawMessage { return encoded(b) }),
		field("appliedTo", func(i *Idea) *[]string { return &i.AppliedTo }, readList, listFrom(0)),
		field("supersededBy", func(i *Idea) *string { return &i.SupersededBy }, readString, orNull),
		timeKey("archivedAt", false, func(i *Idea) *string { return &i.ArchivedAt }),
		field("archivedReason", func(i *Idea) *string { return &i.ArchivedReason }, readString, orAbsent),
		timeKey("resurrectedAt", false, func(i *Idea) *string { return &i.ResurrectedAt }),
		field("resurrectedBy", func(i *Idea) *string { return &i.ResurrectedBy }, readString, orAbsent),
		field("outdatedReason", func(i *Idea) *string { return &i.OutdatedReason }, readString, orAbsent),
		field("outdatedCommit", func(i *Idea) *string { return &i.OutdatedCommit }, readString, orAbsent),
		timeKey("validatedAt", false, func(i *Idea) *string { return &i.ValidatedAt }),
	}
	// otherKeys are the known keys in the metadata of ideas of other colours than yellow.
	otherKeys = []key{
		field("agents", func(i *Idea) *[]string { return &i.Agents }, readList, listFrom(1)),
		field("impact", func(i *Idea) *string { return &i.Impact }, readImpact, orAbsent),
		field("category", func(i *Idea) *string { return &i.Category }, readCategory, orAbsent),
	}
)

// field is a key whose value parse reads into a field, and write encodes.
func field[T any](name string, of func(*Idea) *T, parse func(json.RawMessage) (T, string), write func(T) json.RawMessage) key {
	read := func(i *Idea, raw json.RawMessage) (problem string) {
		*of(i), problem = parse(raw)
		return problem
	}
	return key{name: name, read: read, normal: func(i *Idea) json.RawMessage { return write(*of(i)) }}
}

func timeKey(name string, once bool, of func(*Idea) *string) key {
	k := field(name, of, func(raw json.RawMessage) (t, problem string) {
		t, ok := readTime(raw)
		if !ok {
			problem = "is no time; those are RFC 3339, a date, or milliseconds since 1970"
		}
		return t, problem
	}, orAbsent)
	k.code, k.once = Time, once
	return k
}

func orNull(s string) json.RawMessage {
	if s == "" {
		return json.RawMessage("null")
	}
	return text(s)
}

// orAbsent leaves the key out for "".
func orAbsent(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return text(s)
}

// listFrom leaves the key out for a list of fewer than least elements.
func listFrom(least int) func([]string) json.RawMessage {
	return func(of []string) json.RawMessage {
		if len(of) < least {
			return nil
		}
		return encoded(append([]string{}, of...))
	}
}

func null(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

func readList(raw json.RawMessage) (of []string, problem string) {
	if !null(raw) && json.Unmarshal(raw, &of) != nil {
		return nil, "is no list of texts"
	}
	if of = slices.DeleteFunc(of, func(s string) bool { return s == "" }); len(of) == 0 {
		return nil, ""
	}
	return of, ""
}

func readString(raw json.RawMessage) (s, problem string) {
	if null(raw) {
		return "", ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s, ""
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil { // some systems have numbers as ids and times
		return n.String(), ""
	}
	return "", "is no text"
}

// readChoice reads one of the allowed names in any case, "" for none; format is the problem with another name.
func readChoice(raw json.RawMessage, format string, allowed ...string) (choice, problem string) {
	s, problem := readString(raw)
	name := strings.ToLower(strings.TrimSpace(s))
	switch {
	case slices.Contains(allowed, name):
		return name, ""
	case problem == "" && name != "":
		problem = fmt.Sprintf(format, s)
	}
	return "", problem
}

// readColor accepts other spellings; an unknown colour becomes gray, a draft.
func readColor(i *Idea, raw json.RawMessage) string {
	s, problem := readString(raw)
	i.Color = strings.ToLower(strings.TrimSpace(s))
	switch i.Color {
	case "grey":
		i.Color = "gray"
	case "white":
		i.Color = "green" // and done
	}
	if slices.Contains(record.Colors, i.Color) {
		return ""
	}
	i.Color = "gray"
	return cmp.Or(problem, fmt.Sprintf("%q is none of %s; taken as gray", s, strings.Join(record.Colors, ", ")))
}

// statuses are the names of other systems for our statuses.
var statuses = map[string]string{
	"todo": "pending", "open": "pending", "new": "pending", "ready": "pending",
	"draft": "pending", "backlog": "pending", "deferred": "pending", "queued": "pending",
	"in_progress": "active", "running": "active", "claimed": "active", "working": "active", "started": "active", "executing": "active",
	"waiting": "blocked", "needs_human": "blocked", "on_hold": "blocked",
	"complete": "done", "completed": "done", "closed": "done", "finished": "done", "resolved": "done",
	"merged": "done", "white": "done", "satisfied": "done",
	"error": "failed", "failure": "failed", "crashed": "failed",
	"timed_out": "timeout", "timedout": "timeout",
	"in_review": "review", "reviewing": "review", "awaiting_review": "review",
	"stale": "outdated", "superseded": "outdated", "obsolete": "outdated",
	"removed": "deleted", "soft_deleted": "deleted",
}

// replacements are the statuses for a colour that does not have the status.
var replacements = map[string]string{
	"failed": "blocked", "timeout": "blocked", "review": "active", // not green
	"outdated": "done", "archived": "done", "deleted": "done", // colours other than yellow
	"pending": "active", "blocked": "active", "done": "archived", // a learning
}

// readStatus needs the colour, which is read before.
func readStatus(i *Idea, raw json.RawMessage) string {
	s, problem := readString(raw)
	allowed := record.StatusesOf(record.Idea, i.Color)
	if i.Status = allowed[0]; null(raw) {
		if color, _ := readString(i.Extra.Keys["color"]); strings.EqualFold(strings.TrimSpace(color), "white") {
			i.Status = "done"
		}
		return ""
	}
	name := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	name = cmp.Or(statuses[name], name)
	for _, n := range []string{name, replacements[name], replacements[replacements[name]]} {
		if slices.Contains(allowed, n) {
			i.Status = n
			return ""
		}
	}
	return cmp.Or(problem, fmt.Sprintf("%q is none of %s; taken as %s", s, strings.Join(allowed, ", "), i.Status))
}

func readScope(raw json.RawMessage) (scope, problem string) {
	scope, problem = readChoice(raw, "%q is neither local nor global; taken as local", record.Local, record.Global)
	return cmp.Or(scope, record.Local), problem
}

func readImpact(raw json.RawMessage) (impact, problem string) {
	return readChoice(raw, "%q is none of "+strings.Join(learning.Impacts, ", "), learning.Impacts...)
}

func readCategory(raw json.RawMessage) (category, problem string) {
	category, problem = readString(raw)
	category = strings.TrimSpace(category)
	for _, c := range learning.Categories {
		if strings.EqualFold(c, category) {
			category = c
		}
	}
	return category, problem
}

func readBool(raw json.RawMessage) (b bool, problem string) {
	if !null(raw) && json.Unmarshal(raw, &b) != nil {
		return false, "is neither true nor false"
	}
	return b, ""
}

// checkText is for a text that no field has: the parent, unless a line says otherwise.
func checkText(_ *Idea, raw json.RawMessage) string {
	_, problem := readString(raw)
	return problem
}

// firstAgent is a list without the agents after the first.
func (i *Idea) firstAgent() []string { return i.Agents[:min(1, len(i.Agents))] }

func readAgent(i *Idea, raw json.RawMessage) string {
	s, problem := readString(raw)
	others := i.Agents[len(i.firstAgent()):]
	if i.Agents = nil; s != "" {
		i.Agents = append([]string{s}, others...)
	}
	return problem
}

// readAgents reads all agents, when there are several; readAgent has read the first from its own key.
func readAgents(i *Idea, raw json.RawMessage) string {
	of, problem := readList(raw)
	if i.Agents = slices.Clone(i.firstAgent()); len(i.Agents) > 0 {
		i.Agents = record.Union(i.Agents, of...)
	}
	return problem
}

var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateTime,
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02T15:04", time.DateOnly,
}

// Milliseconds since 1970 from 1973 to the year 9999; smaller numbers are seconds.
const (
	minMillis = 1e11
	maxMillis = 253402300800e3
)

// readTime reads a time as RFC 3339 in UTC with whole seconds; "" for none, false for a value that is not a time.
func readTime(raw json.RawMessage) (string, bool) {
	if null(raw) {
		return "", true
	}
	s, problem := readString(raw)
	if s = strings.TrimSpace(s); s == "" {
		return "", problem == ""
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		if math.IsNaN(n) || n < 0 || n >= maxMillis {
			return "", false
		}
		t := time.UnixMilli(int64(n))
		if n < minMillis {
			t = time.Unix(int64(n), 0)
		}
		return t.UTC().Format(time.RFC3339), true
	}
	s, _, _ = strings.Cut(s, " m=") // of a Go time as printed
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil && t.UTC().Year() >= 0 && t.UTC().Year() <= 9999 {
			return t.UTC().Format(time.RFC3339), true
		}
	}
	return "", false
}
