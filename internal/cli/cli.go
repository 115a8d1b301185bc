// Package cli is the command line, with one file for each command, or for a few that belong together. Commands parse, call a use
// case and print.
//
// stdout is data, stderr is prose. A failure is a message in lower case without a full stop, then a line with a hint. With --json a
// failure is JSON on stdout as well. Commands ask questions on a terminal only.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/lines"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Exit codes; the merge driver keeps git's own.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNotFound = 3
	exitConflict = 4
	exitFindings = 5

	exitInterrupted = 130 // a shell's code for SIGINT
)

// ExitCode is an exit code of the program.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes lists the exit codes of all commands except the merge driver.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{exitDone, "done"},
		{exitFailed, "failed"},
		{exitUsage, "wrong usage, or a name that means several things"},
		{exitNotFound, "what was asked for is not there"},
		{exitConflict, "a conflict; nothing was written"},
		{exitFindings, "done, and something was found that is to be mended"},
		{exitInterrupted, "interrupted by Ctrl-C or SIGTERM"},
	}
}

// errExit ends a command with an exit code, after it has printed everything.
type errExit int

func (e errExit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// errFindings ends a command that did its work and found problems.
const errFindings = errExit(exitFindings)

// exitIf ends a command with code when a condition holds; err, if any, comes first.
func exitIf(condition bool, code errExit, err error) error {
	if err == nil && condition {
		return code
	}
	return err
}

// session is what all commands share: streams, the common flags, and the store, opened on first use.
type session struct {
	in       io.Reader // the process's own
	stdin    io.Reader // the same, for data; a read ends with the command's context
	out, err io.Writer
	dir      string
	json     bool
	faces    app.Faces
	command  string // the one that runs
	args     []string
	shown    bool // a line of progress, which the next output wipes
	printed  bool // the result, before a failure

	store *store.Store
	index *index.Index
	work  *app.App

	codeRefs []*anchor.Places    // of the flags --code-ref
	extract  candidate.Extractor // nil for the program's own; tests set it
}

// Main runs the command that os.Args names and returns the process's exit code.
func Main(f app.Faces) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return run(ctx, f, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

func run(ctx context.Context, f app.Faces, args []string, in io.Reader, out, errw io.Writer) int {
	a := &session{faces: f, in: in, stdin: endingReader{ctx, in}, out: out, err: errw}
	root := newRoot(a)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		a.addCompletions(root)
	}
	root.SetArgs(args)
	err := root.ExecuteContext(store.WithAction(ctx))
	a.close()
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil && !errors.As(err, new(errExit)) {
		err = fault.New(fault.Interrupted, "interrupted")
	}
	return a.report(err)
}

// Commands returns the tree of commands to describe it in the manual. It must not be run.
func Commands() *cobra.Command {
	root := newRoot(&session{out: io.Discard, err: io.Discard})
	root.InitDefaultHelpCmd()
	return root
}

func newRoot(a *session) *cobra.Command {
	root := &cobra.Command{
		Use:           "sdd",
		Short:         "Keep what a project finds out as Markdown in git",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			f := fault.New(fault.Invalid, "there is no command %q", record.Brief(args[0]))
			if near := nearCommands(cmd, args[0]); len(near) > 0 {
				return f.With("did you mean: " + strings.Join(near, ", "))
			}
			return f.With("sdd help lists the commands")
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	a.setView(root)
	root.PersistentFlags().StringVar(&a.dir, "dir", "", "folder that holds the .sdd store (default: the nearest one at or above this folder)")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON, failures too")
	root.SetFlagErrorFunc(wrongFlag)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		a.command, a.args = cmd.Name(), args
		return refuseZeros(cmd, args)
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpCommand(newHelp(a))
	root.SetUsageTemplate(root.UsageTemplate() + topicsUsage())
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Ask", []*cobra.Command{newContext(a), newSearch(a), newShow(a), newWhy(a), newCode(a), newDocs(a)}},
		{"Save", []*cobra.Command{newExplore(a), newDecide(a), newLearn(a), newFact(a), newIdea(a), newEdit(a), newUndo(a)}},
		{"Review", []*cobra.Command{newReview(a), newExtract(a), newCheck(a), newAnchors(a), newAffirm(a), newTidy(a), newStatus(a), newUI(a)}},
		{"Git", []*cobra.Command{
			newDiff(a), newLog(a), newMerge(a), newResolve(a), newReviewPR(a), newHooks(a), newMergeDriver(a), newTextconv(a), newHook(a),
		}},
		{"Other repositories and tools", []*cobra.Command{newRepos(a), newHub(a), newImport(a), newExport(a), newHandoff(a)}},
		{"Set up", []*cobra.Command{
			newInit(a), newSetup(a), newTrust(a), newDoctor(a), newMCP(a), newLSP(a), newUninstall(a), newVersion(a),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("Set up")
	root.SetCompletionCommandGroupID("Set up")
	a.describe(root)
	a.foldHelp(root)
	catch(root)
	walk(root, func(cmd *cobra.Command) {
		catch(cmd)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "stringArray" { // help calls it a text
				f.Value, f.DefValue = texts{f.Value}, ""
			}
		})
	})
	addCompletionCommand(root)
	return root
}

// nearCommands returns the commands whose name is similar to name or begins with it.
func nearCommands(root *cobra.Command, name string) []string {
	var near []string
	for _, cmd := range root.Commands() {
		begins := name != "" && strings.HasPrefix(cmd.Name(), strings.ToLower(name))
		if cmd.IsAvailableCommand() && (begins || fault.Near(name, cmd.Name())) {
			near = append(near, cmd.Name())
		}
	}
	return near
}

func (a *session) open() (*store.Store, *index.Index) {
	if a.store == nil {
		a.store = fault.Must(store.Open(store.Options{Dir: a.dir, Tool: "sdd"}))
		a.index = index.Open(a.store)
	}
	return a.store, a.index
}

func (a *session) uses() *app.App {
	if a.work == nil {
		st, ix := a.open()
		a.work = app.New(st, ix, app.Options{Extract: a.extract})
		a.work.FetchWith(startFetch(st.Dir()))
		a.work.Tree.Patience = marksPatience
	}
	return a.work
}

// marksPatience is how long a command waits for what git knows of changed code: unlike a face, it has no later answer to complete.
const marksPatience = 2 * time.Second

// openUses opens another store with its index and uses; done closes them.
func openUses(o store.Options, x app.Options) (w *app.App, done func(), err error) {
	st, err := store.Open(o)
	if err != nil {
		return nil, nil, err
	}
	ix := index.Open(st)
	w = app.New(st, ix, x)
	return w, func() { w.Close(); ix.Close(); st.Close() }, nil
}

// with is the action of a command that needs the uses of the store.
func (a *session) with(do func(ctx context.Context, w *app.App, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		w := a.uses()
		for _, places := range a.codeRefs {
			var each []string
			for _, text := range *places {
				given := []string{text}
				if _, err := os.Lstat(text); err != nil { // one place or, as the tools take them, several
					given = strings.Split(text, ", ")
				}
				for _, place := range given {
					if place != "" || text == "" { // else after a comma at the end
						each = append(each, a.placeFromTop(strings.TrimSpace(place)))
					}
				}
			}
			*places = each
		}
		return do(cmd.Context(), w, args)
	}
}

// noticeLost has the index see the edits by hand, so that close names the saves that they overwrote. Without a private folder this
// machine saved nothing, and none is made.
func (a *session) noticeLost(ctx context.Context) {
	if dir, err := a.store.Private(".", false); err == nil {
		dir.Close()
		fault.Check(a.index.Refresh(ctx))
	}
}

// close prints the notices of the store and closes it.
func (a *session) close() {
	if a.store == nil {
		return
	}
	a.noteLost()
	if i := a.store.NewlyIgnored(context.Background()); i != nil {
		fmt.Fprintln(a.err, "note: "+a.safe(i.Text()))
		fmt.Fprintln(a.err, "hint: "+a.safe(i.Fix()))
	}
	if a.work != nil {
		a.work.Close()
	}
	a.index.Close()
	a.store.Close()
}

// noteLost names the saves that an older text undid: once, then only where they matter, unless the user restored the file.
func (a *session) noteLost() {
	const folder, file = "told", "commands"
	told, _ := a.store.ReadPrivate(folder, file)
	var ids []string
	news := false
	for _, n := range a.store.Undone(context.Background()) {
		known := n.ID != "" && slices.Contains(strings.Fields(string(told)), n.ID)
		if ids, news = append(ids, n.ID), news || !known; !known || a.concerns(n) && !a.store.AsIn(context.Background(), "", n.Path) {
			fmt.Fprintln(a.err, "note: "+a.safe(n.Text()))
		}
	}
	if news && !slices.Contains(unseen, a.command) { // where nothing can be written the next command names them again
		_ = a.store.WritePrivate(folder, file, []byte(strings.Join(ids, "\n")))
	}
}

// unseen are the commands that programs run, whose standard error no user may see.
var unseen = []string{"mcp", "lsp", "ui", "hook", "textconv", "merge-driver"}

// concerns reports whether the command is about all records, or about that of the notice.
func (a *session) concerns(n store.Notice) bool {
	return slices.Contains([]string{"sdd", "status", "check", "resolve"}, a.command) || slices.ContainsFunc(a.args, func(name string) bool {
		name, _, _ = strings.Cut(name, "#")
		return slices.ContainsFunc(a.index.Lookup(index.Ref{ID: name}), func(e index.Entry) bool { return e.ID == n.Record })
	})
}

// answer prints the result of a use case, unless it failed.
func (a *session) answer(v interface{ Text() string }, err error) error {
	fault.Check(err)
	return a.print(v, v.Text)
}

// print writes the result: as JSON with --json, else as text.
func (a *session) print(v any, text func() string) error {
	a.wipeProgress()
	if !a.json {
		_, err := io.WriteString(a.out, a.safe(text()))
		return err
	}
	return a.writeJSON(lines.JSON(v, "  "))
}

// showProgress replaces the line of progress on the terminal.
func (a *session) showProgress(format string, args ...any) {
	fmt.Fprintf(a.err, "\r"+format+"\x1b[K", args...)
	a.shown = true
}

// wipeProgress removes the line of progress.
func (a *session) wipeProgress() {
	if a.shown {
		fmt.Fprint(a.err, "\r\x1b[K")
		a.shown = false
	}
}

// note reports on standard error a failure beside the command's own work.
func (a *session) note(what string, err error) { a.printFault("note: "+what, fault.Of(err)) }

func (a *session) printFault(prefix string, f *fault.Error) {
	a.wipeProgress()
	text := f.Error()
	if strings.Contains(f.Arg, "_") { // the argument of a tool is a flag here
		text = strings.Replace(text, f.Arg, "--"+strings.ReplaceAll(f.Arg, "_", "-"), 1)
	}
	fmt.Fprintln(a.err, prefix+": "+a.safe(text))
	if f.Hint != "" {
		fmt.Fprintln(a.err, "hint: "+a.safe(asCommand(f.Hint)))
	}
}

// asCommand names the commands of this program instead of the tools of the same use cases.
func asCommand(text string) string { return toolNames.Replace(" " + text)[1:] }

// toolNames has each name after a space: in a path it stays.
var toolNames = strings.NewReplacer(" sdd_review action list kind candidate", " sdd review list --kind candidate",
	" sdd_review action ", " sdd review ", " sdd_get", " sdd show", " action list", " sdd review list", " sdd_", " sdd ")

func (a *session) report(err error) int {
	if code, ok := errors.AsType[errExit](err); ok {
		return int(code)
	}
	f := fault.Of(err)
	if a.json && !a.printed {
		_ = a.print(fault.Failure{Status: "error", Code: f.Code, Message: f.Error(), Hint: f.Hint}, nil)
	}
	a.printFault("sdd", f)
	return cmp.Or(exitOf[f.Code], exitFailed)
}

// exitOf are the faults that do not end with exitFailed.
var exitOf = map[fault.Code]int{
	fault.Invalid: exitUsage, fault.Ambiguous: exitUsage, fault.NotFound: exitNotFound, fault.Conflict: exitConflict,
	fault.Interrupted: exitInterrupted,
}

func oneArg(name string) cobra.PositionalArgs { return arguments(name, 1, 1) }

// oneText accepts the words of one text. Several arguments of which one has blanks are several texts.
func oneText(_ *cobra.Command, args []string) error {
	if len(args) > 1 && slices.ContainsFunc(args, func(s string) bool { return strings.ContainsAny(s, " \t\n") }) {
		several := fault.New(fault.Invalid, "one text is allowed, %d are given", len(args)).For("text")
		return several.With("put the whole text in one pair of quotes")
	}
	return nil
}

func mayHave(name string) cobra.PositionalArgs { return arguments(name, 0, 1) }

func someArgs(name string) cobra.PositionalArgs { return arguments(name, 1, math.MaxInt) }

// arguments accepts from least to most arguments; errors call one of them name.
func arguments(name string, least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fault.New(fault.Invalid, "%s is required", name).For(name).With(cmd.UseLine())
		case len(args) > most && joins(cmd):
			return oneText(cmd, args)
		case len(args) > most:
			return fault.New(fault.Invalid, "one %s is allowed, %d are given", name, len(args)).For(name).With("put words with blanks in quotes")
		}
		return nil
	}
}

// joins reports whether a command has one name of a record or one title as its only argument: several words are one name.
func joins(cmd *cobra.Command) bool {
	return slices.Contains([]string{"show", "edit", "log", "why", "handoff", "undo", "explore"}, cmd.Name()) && cmd.Parent() == cmd.Root()
}

// catch lets the steps of a command end it by fault.Check, and makes one argument of the words of a name without quotation marks.
func catch(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		defer fault.Caught(&err)
		if joins(cmd) && len(args) > 1 {
			args = []string{strings.Join(args, " ")}
		}
		return run(cmd, args)
	}
}

type texts struct{ pflag.Value }

func (texts) Type() string { return "text" }

func wrongFlag(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help lists the flags"
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		missing, ok := errors.AsType[*pflag.NotExistError](err)
		if ok && strings.ContainsAny(missing.GetSpecifiedShortnames()+missing.GetSpecifiedName(), " \n") {
			hint = `a text that begins with "-" comes last, after --: ` + cmd.CommandPath() + ` -- "- a text"`
		}
		return fault.New(fault.Invalid, "%s", record.Brief(strings.TrimSuffix(err.Error(), "."))).With(hint)
	}
	f := wrong.GetFlag()
	allowed, known := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false"}[f.Value.Type()]
	value := record.Brief(wrong.GetValue())
	problem := fmt.Sprintf("cannot be %q", value)
	switch {
	case errors.Is(err, strconv.ErrRange):
		problem = "is " + value + ", which is out of range"
	case known:
		problem = fmt.Sprintf("must be %s, given is %q", allowed, value)
	}
	return fault.New(fault.Invalid, "--%s %s", f.Name, problem).For(f.Name).With(hint)
}

// command returns a command. args checks its arguments, nil takes any.
func command(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: run}
}

func commandGroup(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short}
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
	}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			unknown := fault.New(fault.Invalid, "there is no command %q", cmd.Name()+" "+record.Brief(args[0]))
			return unknown.With("allowed: " + strings.Join(names, ", "))
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}

func usage(format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).With("sdd help describes each command")
}

// counted are the flags that refuse a given 0, since their 0 means the default; in sdd log it means all.
var counted = []string{"depth", "limit", "max-chars", "max-objects", "max-tokens", "ttl-days"}

func refuseZeros(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == "0" && slices.Contains(counted, f.Name) && cmd.Name() != "log" && err == nil {
			err = fault.New(fault.Invalid, "--%s is 0", f.Name).For(f.Name).With(f.Usage)
		}
	})
	return err
}

// noteMore notes on standard error that a list is empty or has a next page.
func (a *session) noteMore(shown, total int, next, empty string) {
	switch {
	case total == 0:
		fmt.Fprintln(a.err, empty)
	case next != "":
		fmt.Fprintf(a.err, "%d of %d; next page: --cursor %s\n", shown, total, next)
	}
}

// narrow adds the flags that choose among records of one name.
func narrow(cmd *cobra.Command, project, scope *string) {
	cmd.Flags().StringVar(project, "project", "", "project of the record, where several have its name")
	cmd.Flags().StringVar(scope, "scope", "", "scope of the record, where several have its name")
}
