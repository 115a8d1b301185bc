// Package cli is the command line: one file a command, all of them thin over the use cases.
//
// How it speaks: stdout is data, stderr is prose. A failure says what failed in lower case
// without a full stop, then on a line of its own what to do. With --json a failure is JSON on
// stdout too. Nothing asks a question unless it stands on a terminal.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sdd/internal/fault"
	"sdd/internal/inbox"
	"sdd/internal/index"
	"sdd/internal/mcpserver"
	"sdd/internal/store"
	"sdd/internal/workspace"
)

// Exit codes; the merge driver keeps git's own.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNotFound = 3
	exitConflict = 4
	exitFindings = 5

	exitInterrupted = 130 // what a shell makes of SIGINT
)

// ExitCode is a code that the program ends with.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes lists the exit codes of all commands but the merge driver.
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

// errFindings ends a command that did its work and found something to mend.
var errFindings = errors.New("findings")

// errExit ends a command with an exit code of its own, after it said what there is to say.
type errExit int

func (e errExit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// app is what every command shares: streams, the common flags, and the store, opened on first use.
type app struct {
	in       io.Reader // as the process has it
	stdin    io.Reader // the same, for what is read as data
	out, err io.Writer
	dir      string
	json     bool

	store   *store.Store
	index   *index.Index
	work    *workspace.Workspace
	extract inbox.Extractor // nil is the program's own
}

// Main runs the command that os.Args names and returns the process's exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	a := &app{in: in, stdin: endingReader{ctx, in}, out: out, err: errw}
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
	if ctx.Err() != nil && !errors.Is(err, errFindings) && !errors.As(err, new(errExit)) {
		err = fault.New(fault.Interrupted, "interrupted")
	}
	return a.report(err)
}

// Commands returns the tree of commands for those who describe it. It must not be run.
func Commands() *cobra.Command {
	root := newRoot(&app{out: io.Discard, err: io.Discard})
	root.InitDefaultHelpCmd()
	return root
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "sdd",
		Short:         "Keep what a project finds out as Markdown in git",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			f := fault.New(fault.Invalid, "there is no command %q", args[0])
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
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpCommand(newHelp(a))
	root.SetUsageTemplate(root.UsageTemplate() + topicsUsage())
	root.AddCommand(
		newInit(a), newContext(a), newExplore(a), newLearn(a), newIdea(a), newFact(a), newDecide(a), newExtract(a), newReview(a), newSearch(a),
		newShow(a), newEdit(a),
		newCode(a), newTrust(a), newDocs(a), newDiff(a), newLog(a), newWhy(a), newReviewPR(a),
		newMerge(a), newResolve(a), newMergeDriver(a), newTextconv(a),
		newUndo(a), newImport(a), newExport(a), newHandoff(a), newCheck(a), newHooks(a), newHook(a), newStatus(a), newSetup(a), newUninstall(a), newDoctor(a),
		newMCP(a), newUI(a), newVersion(a),
	)
	addCompletionCommand(root)
	return root
}

// nearCommands returns the commands that somebody who wrote name may have meant, or began to write.
func nearCommands(root *cobra.Command, name string) []string {
	var near []string
	for _, cmd := range root.Commands() {
		begins := name != "" && strings.HasPrefix(cmd.Name(), strings.ToLower(name))
		if cmd.IsAvailableCommand() && (begins || mcpserver.Near(name, cmd.Name())) {
			near = append(near, cmd.Name())
		}
	}
	return near
}

// open returns the store and its index, opened once.
func (a *app) open() (*store.Store, *index.Index, error) {
	if a.store == nil {
		st, err := store.Open(store.Options{Dir: a.dir, Tool: "sdd"})
		if err != nil {
			return nil, nil, err
		}
		a.store, a.index = st, index.Open(st)
	}
	return a.store, a.index, nil
}

// uses returns what can be done with the records of the store, opened once.
func (a *app) uses() (*workspace.Workspace, error) {
	if a.work == nil {
		st, ix, err := a.open()
		if err != nil {
			return nil, err
		}
		a.work = workspace.New(st, ix, workspace.Options{Extract: a.extract})
		a.work.Learnings.Hooked(startHook(st.Dir()))
	}
	return a.work, nil
}

// close says what changed by hand since, and lets go of the store.
func (a *app) close() {
	if a.store == nil {
		return
	}
	for _, n := range a.store.Pending() {
		fmt.Fprintln(a.err, "note: "+a.safe(n.Text()))
	}
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

// print writes the result: as JSON with --json, else as text.
func (a *app) print(v any, text func() string) error {
	if !a.json {
		_, err := io.WriteString(a.out, a.safe(text()))
		return err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return a.writeJSON(b.Bytes())
}

// note says on standard error what could not be done beside the command's own work, and why.
func (a *app) note(what string, err error) {
	f := fault.Of(err)
	fmt.Fprintln(a.err, "note: "+what+": "+a.safe(f.Error()))
	if f.Hint != "" {
		fmt.Fprintln(a.err, "hint: "+a.safe(f.Hint))
	}
}

// report prints err and returns the exit code that stands for it.
func (a *app) report(err error) int {
	if errors.Is(err, errFindings) {
		return exitFindings
	}
	if code := errExit(0); errors.As(err, &code) {
		return int(code)
	}
	f := fault.Of(err)
	if a.json {
		_ = a.print(mcpserver.Failure{Status: "error", Code: f.Code, Message: f.Error(), Hint: f.Hint}, nil)
	}
	fmt.Fprintln(a.err, "sdd: "+a.safe(f.Error()))
	if f.Hint != "" {
		fmt.Fprintln(a.err, "hint: "+a.safe(f.Hint))
	}
	switch f.Code {
	case fault.Invalid, fault.Ambiguous:
		return exitUsage
	case fault.NotFound:
		return exitNotFound
	case fault.Conflict:
		return exitConflict
	case fault.Interrupted:
		return exitInterrupted
	}
	return exitFailed
}

// oneArg accepts exactly one argument and names it when it is missing.
func oneArg(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		if len(args) == 0 {
			return fault.New(fault.Invalid, "%s is required", name).For(name).With(cmd.UseLine())
		}
		return fault.New(fault.Invalid, "one %s is allowed, %d are given", name, len(args)).For(name).With("put words with blanks in quotes")
	}
}

// mayHave accepts one argument or none.
func mayHave(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return oneArg(name)(cmd, args)
	}
}

// someArgs accepts one argument and more.
func someArgs(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return oneArg(name)(cmd, args)
	}
}

// wrongFlag says in the words of this program what is wrong with a flag.
func wrongFlag(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help lists the flags"
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return fault.New(fault.Invalid, "%s", strings.TrimSuffix(err.Error(), ".")).With(hint)
	}
	f := wrong.GetFlag()
	allowed, known := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false"}[f.Value.Type()]
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fault.New(fault.Invalid, "--%s is %s, which is out of range", f.Name, wrong.GetValue()).For(f.Name).With(hint)
	case !known:
		return fault.New(fault.Invalid, "--%s cannot be %q", f.Name, wrong.GetValue()).For(f.Name).With(hint)
	}
	return fault.New(fault.Invalid, "--%s must be %s, given is %q", f.Name, allowed, wrong.GetValue()).For(f.Name).With(hint)
}

// usage is a fault of the words of the command line.
func usage(format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).With("sdd help tells how each command is used")
}

// noZero refuses a given 0 for flags whose 0 would mean the default.
func noZero(cmd *cobra.Command, names ...string) error {
	for _, n := range names {
		if f := cmd.Flags().Lookup(n); f.Changed && f.Value.String() == "0" {
			return fault.New(fault.Invalid, "%s is 0", n).For(n).With(f.Usage)
		}
	}
	return nil
}

// narrow adds the flags that choose among records of one name.
func narrow(cmd *cobra.Command, project, scope *string) {
	cmd.Flags().StringVar(project, "project", "", "project of the record, where several have its name")
	cmd.Flags().StringVar(scope, "scope", "", "scope of the record, where several have its name")
}
