package check

import (
	"fmt"
	"sdd/internal/record"
	"strings"
	"unicode"
)

// Text renders the corrections and the findings, one line each.
func (r Report) Text() string {
	var b strings.Builder
	for _, f := range r.Fixed {
		fmt.Fprintf(&b, "%s:%d: fixed: %s [%s]\n", printable(f.File), f.Line, f.Message, f.Rule)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", printable(f.File), f.Line, f.Column, f.Severity, record.OneLine(f.Message), f.Rule)
		if f.Fix != "" {
			fmt.Fprintf(&b, "    %s\n", record.OneLine(f.Fix))
		}
	}
	return b.String()
}

// printable replaces the control characters in a file's name, so that it stays on one line.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// Summary counts what Text lists.
func (r Report) Summary() string {
	errors := r.Errors()
	files := count(r.Checked, "file")
	if len(r.Findings) == 0 {
		return files + " checked, nothing found"
	}
	return fmt.Sprintf("%s and %s in %s", count(errors, "error"), count(len(r.Findings)-errors, "warning"), files)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Annotations renders the findings as workflow commands of GitHub Actions, which shows each at its line of the change.
func (r Report) Annotations() string {
	var b strings.Builder
	for _, f := range r.Findings {
		message := f.Message
		if f.Fix != "" {
			message += "\n" + f.Fix
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", f.Severity, workflowProperty.Replace(r.fromTop(f.File)), f.Line, f.Column,
			workflowProperty.Replace(f.Rule), workflowData.Replace(message))
	}
	return b.String()
}

// The characters that workflow commands need escaped.
var (
	workflowData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	workflowProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// fromTop returns a path relative to the top of the work tree.
func (r Report) fromTop(file string) string {
	if r.base == "" {
		return file
	}
	return r.base + "/" + file
}

// SARIF renders the report for code scanning.
func (r Report) SARIF() []byte { return SARIF(rules, r.Findings, r.base) }
