// Package fault knows the failures a caller can act on: what went wrong, which argument it concerns, what is allowed, and what to do next.
// Every face (command line, MCP, page) prints the same fault in its own form.
package fault

import (
	"errors"
	"fmt"
	"slices"
)

// Code classifies a fault. Faces decide on it; texts are for people.
type Code string

const (
	Invalid     Code = "invalid"     // an argument is missing, malformed or over its limit
	NotFound    Code = "not_found"   // nothing has that id, title or file
	Ambiguous   Code = "ambiguous"   // several records match
	Conflict    Code = "conflict"    // the same words changed on both sides
	Broken      Code = "broken"      // a file cannot be understood, so it is not written to
	Unwritable  Code = "unwritable"  // the store cannot be written (read-only, full disk, no permission)
	Unavailable Code = "unavailable" // something outside is missing or did not answer
	Outside     Code = "outside"     // a path leads out of the store
	Interrupted Code = "interrupted" // the caller ended the command before it was done
	Internal    Code = "internal"    // a defect of this program
)

// Error is a failure with what a caller needs to mend it. Message starts in lower case without a full stop; Hint names what to try next.
type Error struct {
	Code    Code
	Arg     string // the argument at fault, "" when none is
	Message string
	Hint    string
	File    string // relative to the store's root, "" when no file is concerned
	Line    int    // 1-based, 0 when unknown
	Cause   error
}

func (e *Error) Error() string {
	if e.File != "" && e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	}
	if e.File != "" {
		return e.File + ": " + e.Message
	}
	return e.Message
}

// OneLine is the message and the hint on one line.
func (e *Error) OneLine() string {
	if e.Hint == "" {
		return e.Error()
	}
	return e.Error() + "; " + e.Hint
}

func (e *Error) Unwrap() error { return e.Cause }

// New returns a fault of that code with a formatted message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With returns e with its hint set; it is meant for chaining on New.
func (e *Error) With(hint string) *Error { e.Hint = hint; return e }

// For returns e with the argument at fault set; it is meant for chaining on New.
func (e *Error) For(arg string) *Error { e.Arg = arg; return e }

// At returns e with file and line set; it is meant for chaining on New.
func (e *Error) At(file string, line int) *Error { e.File, e.Line = file, line; return e }

// From returns e with its cause set; it is meant for chaining on New.
func (e *Error) From(cause error) *Error { e.Cause = cause; return e }

// Of returns the fault in err's chain; any other error becomes an Internal one.
func Of(err error) *Error {
	var f *Error
	if errors.As(err, &f) {
		return f
	}
	return &Error{Code: Internal, Message: err.Error(), Cause: err}
}

// Is reports whether err carries a fault of one of the codes.
func Is(err error, codes ...Code) bool {
	var f *Error
	return errors.As(err, &f) && slices.Contains(codes, f.Code)
}

// Within sets *n to its default where it is 0, and returns a fault of arg when it is outside lo..hi.
func Within(arg string, n *int, def, lo, hi int) error {
	if *n == 0 {
		*n = def
	}
	if *n < lo || *n > hi {
		return OutOfRange(arg, *n, def, lo, hi)
	}
	return nil
}

// OutOfRange is the fault of a number outside lo..hi, whose default is def; one outside means that there is none.
func OutOfRange(arg string, n, def, lo, hi int) error {
	hint := "omit it for none"
	if def >= lo {
		hint = fmt.Sprintf("omit it to use the default, %d", def)
	}
	return New(Invalid, "%s is %d, allowed are %d to %d", arg, n, lo, hi).For(arg).With(hint)
}
