package candidate

import (
	"sdd/internal/record"
	"strings"

	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// The parts of a decision and the evidence are lists in the file, an item a line.

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

var marker = pattern.Late(`^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+`)

// items returns the items of the lists in text, each on one line.
func items(text string) (out []string) {
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		switch m := marker().FindString(l); {
		case m != "":
			out = append(out, record.OneLine(l[len(m):]))
		case strings.TrimSpace(l) != "" && len(out) > 0 && strings.HasPrefix(l, " "):
			out[len(out)-1] += " " + record.OneLine(l)
		}
	}
	return out
}

// under returns the items that follow a line with that label, up to the next label.
func under(text, label string) []string {
	var part strings.Builder
	in := false
	for l := range strings.Lines(text) {
		if name, ok := strings.CutSuffix(strings.Trim(strings.TrimSpace(l), "*_"), ":"); ok && marker().FindString(l) == "" {
			in = strings.EqualFold(strings.Trim(name, "*_ "), label)
			continue
		}
		if in {
			part.WriteString(l)
		}
	}
	return items(part.String())
}

// span returns s as a code span, which may contain any line.
func span(s string) string {
	marks := strings.Repeat("`", markdown.LongestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return marks + s + marks
}

// cutSpan takes a code span off the start of s.
func cutSpan(s string) (inside, rest string, ok bool) {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	if n == 0 {
		return "", s, false
	}
	marks := s[:n]
	for at := n; ; {
		k := strings.Index(s[at:], marks)
		if k < 0 {
			return "", s, false
		}
		end := at + k
		run := len(s[end:]) - len(strings.TrimLeft(s[end:], "`"))
		if run == n {
			inside = s[n:end]
			if len(inside) > 2 && inside[0] == ' ' && inside[len(inside)-1] == ' ' && (inside[1] == '`' || inside[len(inside)-2] == '`') {
				inside = inside[1 : len(inside)-1]
			}
			return inside, s[end+n:], true
		}
		at = end + run
	}
}

// evidenceText is the section with the evidence: - commit `id` in `path#L1-L2`: text
func evidenceText(all []Evidence) string {
	var b strings.Builder
	for _, e := range all {
		var parts []string
		if c := record.OneLine(e.Commit); c != "" {
			parts = append(parts, "commit "+span(c))
		}
		if p := record.OneLine(e.Path); p != "" {
			if l := record.OneLine(e.Lines); l != "" {
				p += "#" + l
			}
			parts = append(parts, "in "+span(p))
		}
		head := strings.Join(parts, " ")
		if t := record.OneLine(e.Text); t != "" {
			if head != "" {
				head += ": "
			}
			head += span(t)
		}
		if head != "" {
			b.WriteString("- " + head + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// parseEvidence reads what evidenceText wrote; any other form is text.
func parseEvidence(section string) []Evidence {
	var out []Evidence
	for _, item := range items(section) {
		var e Evidence
		rest := item
		if after, ok := strings.CutPrefix(rest, "commit "); ok {
			if inside, more, ok := cutSpan(after); ok {
				e.Commit, rest = inside, strings.TrimLeft(more, " ")
			}
		}
		if after, ok := strings.CutPrefix(rest, "in "); ok {
			if inside, more, ok := cutSpan(after); ok {
				e.Path, rest = inside, more
				if n := strings.LastIndex(inside, "#L"); n > 0 {
					e.Path, e.Lines = inside[:n], inside[n+1:]
				}
			}
		}
		if e != (Evidence{}) {
			rest = strings.TrimPrefix(rest, ":")
		}
		rest = strings.TrimSpace(rest)
		if inside, more, ok := cutSpan(rest); ok && more == "" {
			rest = inside
		}
		e.Text = rest
		out = append(out, e)
	}
	return out
}
