package candidate

import (
	"strings"

	"sdd/internal/markdown"
	"sdd/internal/record"
)

// The parts of a decision and the evidence are lists in the file, one item per line.

func bullets(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		if p = record.OneLine(p); p != "" {
			b.WriteString("- " + p + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func labelled(name string, parts []string) string {
	if list := bullets(parts); list != "" {
		return name + ":\n\n" + list + "\n\n"
	}
	return ""
}

// items returns the items of the lists in a text, each on one line: those below a label, of all lists where label is "".
func items(text, label string) (out []string) {
	blocks, err := markdown.Blocks(text)
	if err != nil {
		return nil // the record reports the problem
	}
	below := ""
	for _, b := range blocks {
		if name, ok := strings.CutSuffix(strings.Trim(b.Text, "*_"), ":"); ok && b.Kind == markdown.Paragraph {
			below = strings.Trim(name, "*_ ")
		}
		if b.Kind == markdown.Item && (label == "" || strings.EqualFold(below, label)) {
			out = append(out, record.OneLine(b.Text))
		}
	}
	return out
}

// cutSpan splits a code span off the start of s.
func cutSpan(s string) (inside, rest string, ok bool) {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	for end := n; n > 0 && end < len(s); end++ {
		run := len(s[end:]) - len(strings.TrimLeft(s[end:], "`"))
		if run != n {
			end += run
			continue
		}
		inside = s[n:end]
		trimmed := strings.TrimSuffix(strings.TrimPrefix(inside, " "), " ")
		if strings.HasPrefix(trimmed, "`") || strings.HasSuffix(trimmed, "`") {
			inside = trimmed
		}
		return inside, s[end+n:], true
	}
	return "", s, false
}

// EvidenceText is the text of the evidence section: - commit `id` in `path#L1-L2`: text
func (c Candidate) EvidenceText() string {
	var b strings.Builder
	for _, e := range c.Evidence {
		head := ""
		if c := record.OneLine(e.Commit); c != "" {
			head = "commit " + markdown.CodeSpan(c)
		}
		if p := record.OneLine(e.Path); p != "" {
			if l := record.OneLine(e.Lines); l != "" {
				p += "#" + l
			}
			head = strings.TrimLeft(head+" in "+markdown.CodeSpan(p), " ")
		}
		if t := record.OneLine(e.Text); t != "" {
			if head != "" {
				head += ": "
			}
			head += markdown.CodeSpan(t)
		}
		if head != "" {
			b.WriteString("- " + head + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// parseEvidence parses the output of EvidenceText; it takes any other form as text.
func parseEvidence(section string) (out []Evidence) {
	for _, rest := range items(section, "") {
		var e Evidence
		if inside, more, ok := cutSpan(strings.TrimPrefix(rest, "commit ")); ok && strings.HasPrefix(rest, "commit ") {
			e.Commit, rest = inside, strings.TrimLeft(more, " ")
		}
		if inside, more, ok := cutSpan(strings.TrimPrefix(rest, "in ")); ok && strings.HasPrefix(rest, "in ") {
			e.Path, rest = inside, more
			if n := strings.LastIndex(inside, "#L"); n > 0 {
				e.Path, e.Lines = inside[:n], inside[n+1:]
			}
		}
		if e != (Evidence{}) {
			rest = strings.TrimPrefix(rest, ":")
		}
		e.Text = strings.TrimSpace(rest)
		if inside, more, ok := cutSpan(e.Text); ok && more == "" {
			e.Text = inside
		}
		out = append(out, e)
	}
	return out
}
