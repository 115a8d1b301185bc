package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Failure is a failure as JSON: the structured content of a tool call that failed, and what `--json` prints.
type Failure struct {
	Status  string `json:"status"` // always "error"
	Code    Code   `json:"code"`
	Message string `json:"message"` // what is wrong, with the argument, file or line
	Hint    string `json:"hint"`    // what to do next, "" when there is nothing
}

// FailureOf returns what a client learns about err: of an error that is no fault neither text nor path leaves the program.
func FailureOf(err error) Failure {
	var f *Error
	switch {
	case errors.As(err, &f) && f.Code != Internal:
		msg := f.Error()
		if f.Arg != "" && !strings.Contains(msg, f.Arg) {
			msg = f.Arg + ": " + msg
		}
		return Failure{"error", f.Code, msg, f.Hint}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Failure{"error", Unavailable, "the call was ended before it was done", "call again"}
	}
	return Failure{"error", Internal, "the server failed on this call",
		"call again; if it fails again, its standard error says more"}
}

// Text is the message, then the hint on a line of its own.
func (f Failure) Text() string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "\n" + f.Hint
}

// Line is the text on one line.
func (f Failure) Line() string {
	return strings.Join(strings.Fields(strings.ReplaceAll(f.Text(), "\n", "; ")), " ")
}

// Count is a number with its noun: "1 file", "2 files".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Cut returns s with at most n characters, the last one an ellipsis when something is missing.
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n--; n == 0 {
			return s[:i] + "…"
		}
	}
	return s
}
