package cli

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/tty"
)

// foldHelp makes the help of all commands fit the terminal.
func (a *session) foldHelp(root *cobra.Command) {
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var b bytes.Buffer
		root.SetOut(&b)
		print(cmd, args)
		root.SetOut(a.out)
		_, _ = a.out.Write([]byte(a.folded(b.String())))
	})
}

// folded is a help text whose lines fit the terminal, or COLUMNS if that is set. Other outputs get the text as it is.
func (a *session) folded(text string) string {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		width = tty.Width(a.out)
	}
	if width <= 0 {
		return text
	}
	return fold(text, max(width, leastFold))
}

const leastFold = 30 // columns; narrower ones are unreadable

// fold breaks the lines of a text that are longer than width. The rest of a line of a list goes below its description; the rest of a
// line of a paragraph goes before the next line.
func fold(text string, width int) string {
	var out strings.Builder
	carry := ""
	lines := strings.Split(text, "\n")
	for n, l := range lines {
		prose := l != "" && l[0] != ' ' && l[0] != '\t'
		if carry != "" && prose {
			l = carry + " " + l
		} else if carry != "" {
			out.WriteString(carry + "\n")
		}
		carry = ""
		hang := hangOf(l)
		if hang > width*2/3 {
			hang = 6
		}
		indent := strings.Repeat(" ", hang)
		if prose {
			indent = ""
		}
		l = breakLine(&out, l, hang, width, indent)
		next := n+1 < len(lines) && lines[n+1] != "" && lines[n+1][0] != ' ' && lines[n+1][0] != '\t'
		if prose && next && len(lines[n]) > width {
			carry = l
			continue
		}
		out.WriteString(l)
		if n < len(lines)-1 {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// breakLine writes the lines of l but the last, which it returns. Only the first line may begin other than with the indentation.
func breakLine(out *strings.Builder, l string, hang, width int, indent string) (last string) {
	for len([]rune(l)) > width {
		at := strings.LastIndexByte(string([]rune(l)[:width+1]), ' ')
		if at <= hang {
			break // one long word
		}
		out.WriteString(strings.TrimRight(l[:at], " ") + "\n")
		l = indent + strings.TrimLeft(l[at:], " ")
	}
	return l
}

// hangOf is the column of the description in a line of a list, else that of the text.
func hangOf(l string) int {
	text := strings.TrimLeft(l, " ")
	indent := len(l) - len(text)
	if at := strings.Index(text, "  "); indent > 0 && at > 0 {
		return indent + at + len(text[at:]) - len(strings.TrimLeft(text[at:], " "))
	}
	return indent
}
