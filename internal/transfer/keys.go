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
		textKey("id", text, func(i *Idea) *string { return &i.ID }),
		{name: "color", read: readColor, code: Color, normal: func(i *Idea) json.RawMessage { return text(i.Color) }},
		{name: "status", read: readStatus, code: Status, normal: func(i *Idea) json.RawMessage { return text(i.Status) }},
		textKey("content", text, func(i *Idea) *string { return &i.Content }),
		textKey("parentId", orNull, func(i *Idea) *string { return &i.Parent }),
		{name: "childIds"}, // ideas have no such field, but the key has its place
		timeKey("createdAt", true, func(i *Idea) *string { return &i.Created }),
		{name: "updatedAt"},
		{name: "history"},
	}
	metadataKeys = []key{
		{name: "scope", read: readScope, normal: func(i *Idea) json.RawMessage { return text(i.Scope) }},
		{name: "category", read: readCategory, normal: func(i *Idea) json.RawMessage { return orAbsent(i.Category) }},
		{name: "sourceGreenId", read: checkText, normal: func(i *Idea) json.RawMessage { return orNull(i.Parent) }},
		{name: "sourceAgentId", read: readAgent, normal: func(i *Idea) json.RawMessage { return orNull(strings.Join(i.firstAgent(), "")) }},
		{name: "agents", read: readAgents, normal: func(i *Idea) json.RawMessage { return listFrom(2, i.Agents) }},
		{name: "impact", read: readImpact, normal: func(i *Idea) json.RawMessage { return orNull(i.Impact) }},
		{name: "validated", read: readValidated, normal: func(i *Idea) json.RawMessage { return strconv.AppendBool(nil, i.Validated) }},
		{name: "appliedTo", read: listInto(func(i *Idea) *[]string { return &i.AppliedTo }),
			normal: func(i *Idea) json.RawMessage { return list(i.AppliedTo) }},
		textKey("supersededBy", orNull, func(i *Idea) *string { return &i.SupersededBy }),
		timeKey("archivedAt", false, func(i *Idea) *string { return &i.ArchivedAt }),
		textKey("archivedReason", orAbsent, func(i *Idea) *string { return &i.ArchivedReason }),
		timeKey("resurrectedAt", false, func(i *Idea) *string { return &i.ResurrectedAt }),
		textKey("resurrectedBy", orAbsent, func(i *Idea) *string { return &i.ResurrectedBy }),
		textKey("outdatedReason", orAbsent, func(i *Idea) *string { return &i.OutdatedReason }),
		textKey("outdatedCommit", orAbsent, func(i *Idea) *string { return &i.OutdatedCommit }),
		timeKey("validatedAt", false, func(i *Idea) *string { return &i.ValidatedAt }),
	}
	// otherKeys are the known keys in the metadata of ideas of other colours than yellow.
	otherKeys = []key{
		{name: "agents", read: listInto(func(i *Idea) *[]string { return &i.Agents }),
			normal: func(i *Idea) json.RawMessage { return listFrom(1, i.Agents) }},
		{name: "impact", read: readImpact, normal: func(i *Idea) json.RawMessage { return orAbsent(i.Impact) }},
		{name: "category", read: readCategory, normal: func(i *Idea) json.RawMessage { return orAbsent(i.Category) }},
	}
)

// textKey is a key with a text, which write encodes.
func textKey(name string, write func(string) json.RawMessage, field func(*Idea) *string) key {
	read := func(i *Idea, raw json.RawMessage) (problem string) {
		*field(i), problem = readString(raw)
		return problem
	}
	return key{name: name, read: read, normal: func(i *Idea) json.RawMessage { return write(*field(i)) }}
}

func timeKey(name string, once bool, field func(*Idea) *string) key {
	read := func(i *Idea, raw json.RawMessage) string {
		t, ok := readTime(raw)
		if *field(i) = t; !ok {
			return "is no time; those are RFC 3339, a date, or milliseconds since 1970"
		}
		return ""
	}
	return key{name: name, read: read, code: Time, once: once, normal: func(i *Idea) json.RawMessage { return orAbsent(*field(i)) }}
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

func list(of []string) json.RawMessage { return encoded(append([]string{}, of...)) }

// listFrom leaves the key out for a list of fewer than least elements.
func listFrom(least int, of []string) json.RawMessage {
	if len(of) < least {
		return nil
	}
	return list(of)
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

func listInto(field func(*Idea) *[]string) func(*Idea, json.RawMessage) string {
	return func(i *Idea, raw json.RawMessage) (problem string) {
		*field(i), problem = readList(raw)
		return problem
	}
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

func readScope(i *Idea, raw json.RawMessage) string {
	scope, problem := readChoice(raw, "%q is neither local nor global; taken as local", record.Local, record.Global)
	i.Scope = cmp.Or(scope, record.Local)
	return problem
}

func readImpact(i *Idea, raw json.RawMessage) (problem string) {
	i.Impact, problem = readChoice(raw, "%q is none of "+strings.Join(learning.Impacts, ", "), learning.Impacts...)
	return problem
}

func readCategory(i *Idea, raw json.RawMessage) string {
	s, problem := readString(raw)
	i.Category = strings.TrimSpace(s)
	for _, c := range learning.Categories {
		if strings.EqualFold(c, i.Category) {
			i.Category = c
		}
	}
	return problem
}

func readValidated(i *Idea, raw json.RawMessage) string {
	i.Validated = false
	if !null(raw) && json.Unmarshal(raw, &i.Validated) != nil {
		return "is neither true nor false"
	}
	return ""
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
