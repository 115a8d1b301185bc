package answer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/decision/capture"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// A passage in an answer is one line, but for its code: where that has several lines, they stand as they are in a fence below the line,
// indented to the list item that the passage is. So nothing in it can end the item.

const underItem = "\n    " // begins a line below a passage's first

// passageLine is a line of a passage: of code as it is, without the fences around it.
type passageLine struct {
	text  string
	code  bool
	block int    // counts the blocks of code
	lang  string // of the block
}

var comment = pattern.Late(`(?s)<!--.*?-->`)

// linesOf takes a passage apart. Code is fenced, or indented below an empty line outside of a list or note.
func linesOf(passage string) (all []passageLine) {
	fence, lang, block, text := "", "", 0, false // of the fenced block; text is true for a note in one
	listed, noted, indented, blank, quoted := false, false, false, true, false
	lines := strings.Split(strings.ReplaceAll(passage, "\r\n", "\n"), "\n")
	for n, line := range lines {
		if rest, is := strings.CutPrefix(strings.TrimSpace(line), ">"); is && (fence == "" || quoted) {
			line, quoted = strings.TrimPrefix(rest, " "), true
		} else if fence == "" {
			quoted = false
		}
		said := strings.TrimSpace(line)
		begun, run := opened(said)
		switch {
		case fence != "":
			if strings.HasPrefix(said, fence) && strings.Trim(said, fence[:1]) == "" {
				fence = ""
				continue
			}
			one := passageLine{line, true, block, lang}
			if text {
				one = passageLine{text: line}
			}
			all = append(all, one)
		case run > 0:
			fence, block, indented = begun[:run], block+1, false
			name, rest, _ := strings.Cut(strings.TrimSpace(begun[run:]), " ")
			if text = notes()[strings.Trim(name, "{}")] && name[0] == '{'; text && rest != "" { // MyST: {note}
				all = append(all, passageLine{text: rest})
			}
			if lang = strings.Trim(name, "{}."); strings.HasPrefix(name, "{code") {
				lang = rest
			}
		case said == "":
			blank = true
			continue
		case indented && deep(line), blank && !listed && !noted && deep(line) && !sentences(lines[n:min(n+mostSentences, len(lines))]):
			if !indented {
				block++
			} else if blank {
				all = append(all, passageLine{"", true, block, ""})
			}
			indented = true
			all = append(all, passageLine{line, true, block, ""})
		default:
			indented = false
			opens := strings.HasPrefix(said, "!!!") || strings.HasPrefix(said, "???") || strings.HasPrefix(said, "=== \"")
			if noted = opens || noted && deep(line); opens { // of MkDocs: its text is indented
				line = strings.TrimLeft(said, "!?=+ ")
			}
			listed = listed || index.ListMark([]byte(said)) > 0
			all = append(all, passageLine{text: line})
		}
		blank = false
	}
	return all
}

// opened returns a line from the fence on that it opens, also behind the mark of an item, and the length of the fence; 0 for none.
func opened(line string) (begun string, run int) {
	begun = strings.TrimSpace(line[index.ListMark([]byte(line)):])
	return begun, markdown.FenceMark([]byte(begun))
}

// indentOf returns the length of the white space before a line.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// notes are the directives of MyST whose content is text.
var notes = pattern.Words(`note tip warning important hint caution danger attention seealso admonition versionadded versionchanged
	deprecated topic dropdown`)

func deep(line string) bool { return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") }

const mostSentences = 40 // lines

// sentences reports whether the indented lines at the start are text, as below a term of a definition list.
func sentences(lines []string) bool {
	n := 0
	for n < len(lines) && deep(lines[n]) {
		n++
	}
	text := strings.TrimSpace(strings.Join(lines[:n], "\n"))
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first) && strings.HasSuffix(text, ".") && !strings.ContainsAny(text, ";={}")
}

// plain is a passage as it stands in an answer, without comments, separator rows of tables and the marks of items.
func plain(text string) string { return rendered(linesOf(text)) }

func rendered(all []passageLine) string {
	var b strings.Builder
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].code == all[0].code && all[n].block == all[0].block {
			n++
		}
		switch part := all[:n]; {
		case part[0].code && !slices.ContainsFunc(part, func(l passageLine) bool { return markdown.LongestRun(l.text, '`') > longestRun }):
			codeTo(&b, part)
		default:
			proseTo(&b, part)
		}
		all = all[n:]
	}
	return strings.TrimRight(b.String(), " \n")
}

// proseTo writes lines of text as one.
func proseTo(b *strings.Builder, part []passageLine) {
	var text strings.Builder
	for _, l := range part {
		text.WriteString(l.text + "\n")
	}
	var one strings.Builder
	for line := range strings.Lines(comment().ReplaceAllString(text.String(), "")) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "|-:+ ") == "" {
			continue // a separator row
		}
		item := len(line) > 2 && strings.Contains("-*+", line[:1]) && line[1] == ' '
		if item {
			line = line[2:]
		} else if row := strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|"); row {
			item, line = true, strings.TrimSpace(line[1:len(line)-1])
		}
		before := cmp.Or(one.String(), b.String())
		if item && before != "" && strings.IndexByte(":;,", before[len(before)-1]) < 0 {
			one.WriteString("; ")
		} else {
			one.WriteString(" ")
		}
		one.WriteString(line)
	}
	if line := record.Inline(one.String()); strings.HasSuffix(b.String(), "\n") {
		goOn(b, strings.TrimPrefix(line, "; "))
	} else {
		goOn(b, line)
	}
}

// goOn writes text after what is there: on the same line, or on a new one after a block of code.
func goOn(b *strings.Builder, text string) {
	switch before := b.String(); {
	case text == "" || before == "" || text[0] == ';':
	case strings.HasSuffix(before, "\n"):
		b.WriteString(underItem[1:])
	default:
		b.WriteString(" ")
	}
	b.WriteString(text)
}

// codeTo writes a block of code: a single line as a code span.
func codeTo(b *strings.Builder, part []passageLine) {
	said := func(l passageLine) bool { return strings.TrimSpace(l.text) != "" }
	for len(part) > 0 && !said(part[0]) {
		part = part[1:]
	}
	for len(part) > 0 && !said(part[len(part)-1]) {
		part = part[:len(part)-1]
	}
	if len(part) == 0 {
		return
	}
	indent, ticks := 1<<10, 0
	for _, l := range part {
		if said(l) && l.text != "…" {
			indent = min(indent, indentOf(l.text))
		}
		ticks = max(ticks, markdown.LongestRun(l.text, '`'))
	}
	if len(part) == 1 && ticks == 0 {
		goOn(b, "`"+record.Inline(part[0].text)+"`")
		return
	}
	fence := strings.Repeat("`", max(3, ticks+1))
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteString("\n")
	}
	b.WriteString(underItem[1:] + fence + record.Inline(part[0].lang))
	for _, l := range part {
		b.WriteString(strings.TrimRight(underItem+record.CodeLine(l.text[min(indent, indentOf(l.text)):]), " \t"))
	}
	b.WriteString(underItem + fence + "\n")
}

const (
	endOfFence = 10 // tokens of the dots and the fence that close a block
	longestRun = 9  // backticks in code; code with more is one line
)

// clipped is a text shortened to a number of tokens. A fence that it cuts is closed.
func clipped(text string, most int) string {
	if tokens.Within(text, most) {
		return text
	}
	room := 2
	if strings.Contains(text, "\n") {
		room = endOfFence
	}
	return closed(strings.TrimRight(tokens.Prefix(text, most-room), " \n"))
}

// closed ends the start of a text: with dots and, in a block of code, with its fence.
func closed(text string) string {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if begun, run := opened(line); fence == "" && run > 0 {
			fence = begun[:run]
		} else if fence != "" && line == fence {
			fence = ""
		}
	}
	at := strings.LastIndexByte(text, '\n')
	last, run := opened(strings.TrimSpace(text[at+1:]))
	switch {
	case fence == "" && run > 0: // the end of a block
		return text + underItem + "…"
	case fence == "":
		return text + " …"
	case run > 0 && strings.HasPrefix(last, fence): // no line of the code has room
		return strings.TrimRight(text[:max(at, 0)], " \n") + " …"
	}
	return text[:at] + underItem + "…" + underItem + fence
}

// excerpt is a passage of at most that many tokens; short is the passage as plain has it. Of a longer one it has the lines of a table or
// of code, or the sentences, with the question's words, those that few others have first. Other sentences fill the room.
func (g *gathering) excerpt(passage, short string, most int) string {
	if tokens.Within(short, most) {
		return short
	}
	lines := linesOf(strings.TrimSpace(passage))
	table, around, prose := strings.HasPrefix(lines[0].text, "|"), codeAround, false
	if !table && !slices.ContainsFunc(lines, func(l passageLine) bool { return l.code }) {
		prose, around, lines = true, 0, nil
		for _, s := range capture.Sentences(short) {
			lines = append(lines, passageLine{text: s.Text})
		}
	}
	words, having := make([]uint64, len(lines)), [64]int{}
	for n, line := range lines {
		words[n] = g.marker.Words(line.text)
		for w := range having {
			having[w] += int(words[n] >> w & 1)
		}
	}
	weights, order := make([]float64, len(lines)), make([]int, len(lines))
	for n := range lines {
		order[n] = n
		for w, of := range having {
			weights[n] += float64(words[n]>>w&1) / float64(max(of, 1))
		}
		for _, name := range g.names {
			if strings.Contains(lines[n].text, name) {
				weights[n] += float64(len(having))
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	if prose && len(order) > 0 && order[0] > 0 {
		short = "… " + lines[order[0]].text
	}
	best, chosen := "", make([]bool, len(lines))
	if table {
		around, chosen[0], chosen[min(1, len(lines)-1)] = 0, true, true // its head
	}
	for _, n := range order {
		if !prose && (weights[n] == 0 || weights[n] < weights[order[0]]/excerptPart) {
			break
		}
		for k := n; k >= max(n-around, 0) && strings.TrimSpace(lines[k].text) != ""; k-- {
			chosen[k] = true
		}
		for k := n; k <= min(n+around, len(lines)-1) && strings.TrimSpace(lines[k].text) != ""; k++ {
			chosen[k] = true
		}
		var some []passageLine
		shown := map[int]bool{} // blocks of which a line is chosen
		for k, line := range lines {
			shown[line.block] = shown[line.block] || chosen[k]
		}
		for k, line := range lines {
			switch {
			case chosen[k]:
				some = append(some, line)
			case k > 0 && chosen[k-1] || k == 0:
				line.text, line.code = "…", line.code && shown[line.block]
				some = append(some, line)
			}
		}
		text := rendered(some)
		if !tokens.Within(text, most) {
			break
		}
		best = text
	}
	return cmp.Or(best, clipped(short, most))
}
