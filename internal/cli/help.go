package cli

import (
	"embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/check"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/setup"
	"sdd/schema"
)

// helpTexts has commands in help/COMMAND.txt, with - for the blanks in its name, and topics in help/topics.
//
//go:embed help
var helpTexts embed.FS

// helpParts are the parts of texts that the program lists itself, by their place {{NAME}}.
var helpParts = map[string]func(*session) string{
	"tools":        (*session).toolsText,
	"kinds":        func(*session) string { return kindsText() },
	"keys":         func(*session) string { return keysText() },
	"rules":        func(*session) string { return check.RulesText() },
	"formats":      func(*session) string { _, text := formats(); return text },
	"clients":      func(*session) string { return strings.Join(setup.ClientNames(), ", ") + ".\n" },
	"hook-clients": func(*session) string { return strings.Join(setup.HookClientNames(), ", ") + ".\n" },
}

// helpText returns a file of helpTexts with its parts, "" when there is none.
func (a *session) helpText(name string) string {
	src, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return ""
	}
	text := string(src)
	for part, list := range helpParts {
		if place := "{{" + part + "}}\n"; strings.Contains(text, place) {
			text = strings.ReplaceAll(text, place, list(a))
		}
	}
	return text
}

// describe gives the commands under root the descriptions and examples of their files.
func (a *session) describe(root *cobra.Command) {
	root.Long = strings.TrimRight(a.helpText("sdd"), "\n")
	walk(root, func(cmd *cobra.Command) {
		name := strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), root.Name()+" "), " ", "-")
		if text := a.helpText(name); text != "" {
			long, example, _ := strings.Cut(text, "Examples:\n")
			cmd.Long, cmd.Example = strings.TrimRight(long, "\n"), strings.TrimRight(example, "\n")
		}
	})
}

// topics are the help texts about sdd as a whole, in the order of the list.
var topics = []struct{ name, short string }{
	{"files", "The files of a store, their content, and what may be edited"},
	{"config", "The keys of config.yaml, budgets and limits among them"},
	{"tools", "What agents can call, with the arguments"},
	{"merge", "How records merge, and what is a conflict"},
	{"ranking", "What is found first, and what goes into a budget"},
	{"security", "Whom sdd guards against, what it runs and what it sends"},
}

// Topic returns the help text of a topic that no reference has: files, merge, ranking or security.
func Topic(name string) string { return (&session{}).helpText("topics/" + name) }

// newHelp replaces cobra's help command and adds topics. For a name that is both, it prints the command's help first.
func newHelp(a *session) *cobra.Command {
	var names []string
	for _, t := range topics {
		names = append(names, t.name)
	}
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command, or about " + strings.Join(names, ", "),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var out []string
			for _, t := range topics {
				if len(args) == 0 && strings.HasPrefix(t.name, typed) {
					out = append(out, t.name+"\t"+t.short)
				}
			}
			if at, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range at.Commands() {
					if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), typed) {
						out = append(out, c.Name()+"\t"+c.Short)
					}
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runHelp(cmd.Root(), args) },
	}
}

func (a *session) runHelp(root *cobra.Command, args []string) error {
	at, rest, err := root.Find(args)
	known := err == nil && len(rest) == 0
	about := ""
	for _, t := range topics {
		if len(args) == 1 && t.name == args[0] {
			about = a.helpText("topics/" + t.name)
		}
	}
	switch {
	case about != "" && (a.json || !known):
		out := map[string]string{"name": args[0], "text": about}
		return a.print(out, func() string { return a.folded(about) })
	case !known:
		return fault.New(fault.NotFound, "there is no help about %q", strings.Join(args, " ")).With("sdd help lists commands and topics")
	}
	at.InitDefaultHelpFlag()
	if err := at.Help(); err != nil || about == "" {
		return err
	}
	return a.print(nil, func() string { return "\n" + a.folded(about) })
}

func topicsUsage() string {
	var b strings.Builder
	b.WriteString("{{if not .HasParent}}\nTopics (sdd help TOPIC):\n")
	for _, t := range topics {
		fmt.Fprintf(&b, "  %-12s %s\n", t.name, t.short)
	}
	b.WriteString("{{end}}")
	return b.String()
}

const topicColumns = 98

// wrapped writes words in lines of that indentation, the first with lead before it.
func wrapped(lead, indent, text string) string {
	var b strings.Builder
	last := breakLine(&b, lead+strings.Join(strings.Fields(text), " "), len(indent), topicColumns, indent)
	return b.String() + strings.TrimRight(last, " ") + "\n"
}

func kindsText() string {
	var b strings.Builder
	indent := strings.Repeat(" ", 14)
	for _, k := range record.Kinds {
		b.WriteString(wrapped(fmt.Sprintf("  %-12s", k), indent, strings.Join(record.Keys(k), " ")))
		list := func(what string, values []string) {
			if len(values) > 0 {
				b.WriteString(wrapped(indent+what+": ", indent+"  ", strings.Join(values, ", ")))
			}
		}
		if k == record.Idea {
			list("color", record.Colors)
			list("status", record.StatusesOf(k, record.Colors[0]))
			list("status of green", record.StatusesOf(k, "green"))
			list("status of yellow", record.StatusesOf(k, record.Learning))
		} else {
			list("status", record.StatusesOf(k, ""))
		}
		if k == record.Fact {
			var levels []string
			for n, name := range record.Levels {
				levels = append(levels, fmt.Sprintf("%d %s", n, name))
			}
			list("level", levels)
		}
		if scopes := record.ScopesOf(k); len(scopes) > 1 {
			list("scope", scopes)
		}
		var sections []string
		for _, s := range record.Sections(k) {
			if sections = append(sections, s.Name); s.Under != "" {
				sections[len(sections)-1] += " (of level 3, in " + s.Under + ")"
			}
		}
		list("sections", sections)
		b.WriteString("\n")
	}
	return b.String()
}

func (a *session) toolsText() string {
	var b strings.Builder
	for _, tool := range a.faces.Tools() {
		about := "[" + tool.Toolset + "]"
		if tool.Writes {
			about += " writes"
		}
		if len(tool.Aliases) > 0 {
			about += ", also called " + strings.Join(tool.Aliases, ", ")
		}
		fmt.Fprintf(&b, "%s  %s\n", tool.Name, about)
		b.WriteString(wrapped("  ", "  ", tool.Description))
		for _, r := range schema.Rows(schema.Input(tool.Name)) {
			if strings.ContainsAny(r.Name, ".[") {
				continue // of an object in an argument
			}
			name := r.Name
			if r.Required {
				name += "*"
			}
			text := valuesText(r)
			if r.About != "" {
				text += "; " + r.About
			}
			b.WriteString(wrapped(fmt.Sprintf("    %-22s ", name), strings.Repeat(" ", 27), text))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func keysText() string {
	var b strings.Builder
	for i, r := range schema.Rows(schema.Load("config")) {
		if i > 0 && !strings.Contains(r.Name, ".") {
			b.WriteString("\n")
		}
		if r.Kind == schema.Object {
			b.WriteString("  " + r.Name + "\n")
		} else {
			b.WriteString(wrapped(fmt.Sprintf("  %-34s ", r.Name), strings.Repeat(" ", 37), valuesText(r)))
		}
		if r.About != "" {
			b.WriteString(wrapped("      ", "      ", r.About))
		}
	}
	b.WriteString("\n")
	return b.String()
}

func valuesText(r schema.Row) string {
	if r.Default == "" {
		return r.Kind
	}
	return r.Kind + " (default " + r.Default + ")"
}

// version and commit are set by the release build, with -ldflags -X. Without them Version uses Go's build information.
var version, commit string

// Version returns the program's version and commit: of a release build, else of Go's build information. An unknown version is "dev".
func Version() (v, from string) {
	if version != "" {
		return version, commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unversioned, ""
	}
	return stamped(info)
}

const unversioned = "dev"

// stamped returns version and commit from Go's build information.
func stamped(info *debug.BuildInfo) (v, from string) {
	const dirty = "+dirty"
	v = info.Main.Version
	if v == "" || v == "(devel)" {
		v = unversioned
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			from = s.Value
		case s.Key == "vcs.modified" && s.Value == "true" && !strings.HasSuffix(v, dirty):
			v += dirty
		}
	}
	return v, from
}

func newVersion(a *session) *cobra.Command {
	return command("version", "Print the version and the commit it was built from", noArgs,
		func(*cobra.Command, []string) error { return a.printVersion() })
}

func (a *session) printVersion() error {
	v, commit := Version()
	out := struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		Go      string `json:"go"`
		OS      string `json:"os"`
		Arch    string `json:"arch"`
	}{v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	return a.print(out, func() string {
		return fmt.Sprintf("sdd %s %s %s/%s\n", because(v, commit), out.Go, out.OS, out.Arch)
	})
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%s takes no argument, %q is given", cmd.CommandPath(), args[0]).With(cmd.UseLine())
}
