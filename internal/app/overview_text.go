package app

import (
	"fmt"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/record"
	"sdd/internal/store"
)

// changedCode reports whether an item is a record whose code has changed or is gone.
func (i Item) changedCode() bool {
	return i.State == string(anchor.Drifted) || i.State == string(anchor.Gone)
}

// Text lists the overview for a person, with the next command for each item.
func (o Overview) Text() string {
	var b strings.Builder
	if !o.Exists {
		return newcomer
	}
	fmt.Fprintf(&b, "project %s: %s\n", record.OneLine(o.Project), o.Figures())
	section := func(name string, items []Item) {
		fmt.Fprintf(&b, "\n%s\n", name)
		if len(items) == 0 {
			b.WriteString("  none\n")
		}
		code := 0
		for _, i := range items {
			if i.changedCode() {
				code++
			} else {
				i.write(&b)
			}
		}
		if code > 0 {
			fmt.Fprintf(&b, "  %s\n", needALook(code))
		}
	}
	section("Conflicts", o.Conflicts)
	section("Waits for review", o.Review)
	section("New", o.New)
	if o.Older != "" {
		fmt.Fprintf(&b, "  older: %s\n", o.Older)
	}
	if o.Discovered > 0 {
		fmt.Fprintf(&b, "\ndiscovery tells %d facts of the repository: sdd fact discover\n", o.Discovered)
	}
	return b.String()
}

// write lists an item: state and name, its details, and the command.
func (i Item) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s  %s (%s)", strings.ReplaceAll(i.State, "_", " "), i.Title, i.ID)
	if i.Line > 0 {
		fmt.Fprintf(b, " %s:%d", i.File, i.Line)
	}
	b.WriteString("\n")
	var details []string
	when := i.Time
	if t, err := time.Parse(time.RFC3339, when); err == nil {
		when = t.Format("2006-01-02 15:04")
	}
	for _, part := range []string{when, i.By, i.Note} {
		if part != "" {
			details = append(details, part)
		}
	}
	if len(details) > 0 {
		fmt.Fprintf(b, "      %s\n", strings.Join(details, ", "))
	}
	if i.Accept != "" || i.Line > 0 || i.ID == store.Folder {
		fmt.Fprintf(b, "      %s\n", i.Next)
	}
}

// Figures counts the records by kind, in a line.
func (o Overview) Figures() string {
	var parts []string
	for _, k := range record.Kinds {
		if n := o.Records[string(k)]; n > 0 {
			name := string(k)
			if k == record.Exploration {
				name = "exploration"
			}
			if n > 1 {
				name += "s"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(parts) == 0 {
		return "no records yet: sdd explore TITLE --goals TEXT saves the first"
	}
	return strings.Join(parts, ", ")
}

// newcomer is the overview without a store.
const newcomer = `sdd keeps what people and agents find out about a project (explorations, decisions, facts, learnings) as Markdown
files under .sdd, in the same commits as the code, and hands them to agents over MCP.

There is no store here yet. The first save makes one:

  sdd init                                       make .sdd, with the merge driver for this clone
  sdd explore "User login" --goals "One click"   write down what is known of a topic
  sdd setup                                      connect Claude Code, Cursor, VS Code and other clients
  sdd help                                       list all commands

In a project that has a .sdd, sdd alone shows what conflicts, what waits for review and what is new.
`
