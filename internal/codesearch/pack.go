package codesearch

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/fault"
	"sdd/internal/markdown"
	"sdd/internal/tokens"
)

const (
	looseMax    = 400 // tokens of a text without a place
	breadth     = 10  // files of which the answer has at least the best line
	perBreadth  = 300 // tokens of the budget for each of those files
	closeGap    = 2   // lines between two shown ones that are shown too
	mostLeast   = 25  // divides the room: a row that costs more is not shown for being the best or a name
	dearGap     = 10  // divides the room: a gap with a row that costs more is not shown
	tokenBytes  = 3.5 // of code, about
	rounds      = 6   // of filling
	enough      = 0.985
	blockTokens = 16 // that a file's block costs beside its lines, about
)

// form is one of the two in which an answer is sent.
type form struct {
	whole    func(Result) string
	perRange float64 // tokens that a range costs beside its lines, about
}

var (
	asText = form{Result.TextWithFlags, 8}
	asJSON = form{func(r Result) string { return tokens.JSON(r) }, 30}
)

// packed fills each form of the answer by itself: the JSON's escapes take no room from the text.
func (r Result) packed(snippets []candidate, loose []string, budget int) Result {
	all := sheetsOf(snippets)
	text := r.pack(all, snippets, loose, budget, asText)
	if budget < tokens.TextOnly {
		return text
	}
	if size := asJSON.size(text); size <= budget {
		text.TokensUsed = max(text.TokensUsed, size)
		return text
	}
	out := r.pack(all, snippets, loose, budget, asJSON)
	out.TokensUsed, out.text = max(out.TokensUsed, text.TokensUsed), &text
	return out
}

// pack fills the answer with the most valuable lines of the snippets up to the budget in that form, and with texts without a place.
func (r Result) pack(all sheets, snippets []candidate, loose []string, budget int, as form) Result {
	r.Steps, r.Snippets, r.Risks = slices.Clip(r.Steps), slices.Clip(r.Snippets), slices.Clip(r.Risks)
	r.TokensUsed = budget // a placeholder: the number has no more digits
	r.Omitted = len(loose)
	for _, s := range snippets {
		if s.score > 0 { // the others are lines between the matches of a file
			r.Omitted++
		}
	}
	r.Steps = append(r.Steps, Step{stepRead, "only these ranges of lines are read", len(snippets)})
	for len(r.Risks) > 1 && !as.fits(r, budget) {
		r.Risks = r.Risks[:len(r.Risks)-1]
	}
	r = r.lines(all, snippets, budget, as)
	for _, text := range loose {
		left := budget - as.size(r) - 20
		s := Snippet{Text: tokens.Prefix(text, min(looseMax, max(0, left))), Source: sourceRAG}
		with := r
		with.Snippets, with.Omitted = append(slices.Clip(r.Snippets), s), r.Omitted-1
		if s.Text != "" && as.fits(with, budget) {
			r = with
		}
	}
	read := &r.Steps[len(r.Steps)-1]
	read.Count = 0
	for _, s := range r.Snippets {
		if s.Path != "" {
			read.Count++
		}
	}
	if read.Count == 0 {
		r.Steps = r.Steps[:len(r.Steps)-1]
	}
	r.TokensUsed = as.size(r)
	return r
}

// lines adds the lines that fit. Their cost is estimated by bytes, so it corrects the estimate by the size of the answer.
func (r Result) lines(all sheets, snippets []candidate, budget int, as form) Result {
	if len(snippets) == 0 {
		return r
	}
	files := min(breadth, len(all), budget/perBreadth)
	best, low, high := r, as.size(r), 0
	room := float64(budget - low)
	for range rounds {
		whole := all.choose(allowance{room, as.perRange, files})
		next := r
		var matched int
		next.Snippets, matched = all.shown(snippets)
		next.Omitted = r.Omitted - matched
		size := as.size(next)
		if size <= budget && size > low {
			best, low = next, size
		}
		switch {
		case size <= budget && (whole || float64(size) >= enough*float64(budget)):
			return best
		case size > budget && files > 0 && high > 0 && size >= high:
			files-- // the least of so many files is too much
		}
		if size > budget {
			high = size
		}
		room *= 0.99 * float64(budget) / float64(max(size, 1))
	}
	return best
}

func (as form) size(r Result) int { return tokens.Count(as.whole(r)) }

func (as form) fits(r Result, budget int) bool { return tokens.Within(as.whole(r), budget) }

// Text renders the answer for an agent: the risks, each range as data with its place, and a line about the search.
func (r Result) Text() string { return r.render("raise max_tokens, or narrow with paths") }

// TextWithFlags is Text for the command line.
func (r Result) TextWithFlags() string { return r.render("raise --max-tokens, or narrow with --path") }

// render renders the answer; more says how to see what is left out.
func (r Result) render(more string) string {
	if r.text != nil {
		all := *r.text
		all.Risks = all.Risks[:min(len(all.Risks), len(r.Risks))]
		return all.render(more)
	}
	var b strings.Builder
	if r.Reindexing > 0 {
		fmt.Fprintf(&b, "the index is being renewed for %d files\n", r.Reindexing)
	}
	if r.Stale > 0 {
		fmt.Fprintf(&b, "%d stale places dropped\n", r.Stale)
	}
	for _, risk := range r.Risks {
		b.WriteString("risk: " + risk + "\n")
	}
	for from, to := 0, 0; from < len(r.Snippets); from = to {
		for to = from + 1; to < len(r.Snippets) && r.Snippets[to].Path != "" && r.Snippets[to].Path == r.Snippets[from].Path; to++ {
		}
		b.WriteString(block(r.Snippets[from:to]))
	}
	var said []string
	for _, s := range r.Steps {
		switch {
		case s.Name == sourceRAG:
			there := fault.Count(s.Count, "place is", "places are")
			said = append(said, fmt.Sprintf("Checked the places of a semantic tool (%s): %s in the files.", s.Reason, there))
		case s.Name == sourceGrep:
			why := ""
			if s.Reason != modeIsGrep {
				why = " (" + s.Reason + ")"
			}
			said = append(said, fmt.Sprintf("Searched the files%s: %s.", why, fault.Count(s.Count, "place found", "places found")))
		}
	}
	switch {
	case r.Omitted > 0:
		said = append(said, fmt.Sprintf("%d left out: %s.", r.Omitted, more))
	case len(r.Snippets) == 0 && len(said) > 0:
		said = append(said, "Nothing found: try other words, a symbol or a pattern.")
	}
	if len(said) > 0 {
		b.WriteString(strings.Join(said, " ") + "\n")
	}
	return b.String()
}

// Block is a snippet as data: in a fence that nothing in it can close, with its place and the records that concern it.
func (s Snippet) Block() string { return block([]Snippet{s}) }

// block is the ranges of one file inside one fence, with the next line's number where lines are left out.
func block(ranges []Snippet) string {
	first := ranges[0]
	place, lang := "semantic tool", "text"
	if first.Path != "" {
		place, lang = clean(first.Path)+":", strings.TrimPrefix(path.Ext(clean(first.Path)), ".")
	}
	if lang == "" || strings.ContainsAny(lang, " \"'") {
		lang = "text"
	}
	var text, notes strings.Builder
	for i, s := range ranges {
		lines := fmt.Sprintf("%d-%d", s.StartLine, s.EndLine)
		if i > 0 {
			place += ","
			fmt.Fprintf(&text, "⋮ %d\n", s.StartLine)
		}
		if s.Path != "" {
			place += lines
		}
		text.WriteString(s.Text + "\n")
		for _, c := range s.Copies {
			fmt.Fprintf(&notes, "line %d is also at %s\n", c.Line, clean(strings.Join(c.Places, ", ")))
		}
		if about := "this"; len(s.Records) > 0 {
			if len(ranges) > 1 {
				about = "lines " + lines
			}
			notes.WriteString(concern(s.Records, about))
		}
	}
	fence := strings.Repeat("`", max(3, markdown.LongestRun(text.String(), '`')+1))
	return fmt.Sprintf("%s%s source=%q by=%s\n%s%s\n%s", fence, lang, place, first.Source, &text, fence, &notes)
}

// concern is the line that names the records about a range.
func concern(records []string, about string) string {
	count := fault.Count(len(records), "record concerns", "records concern")
	if len(records) == MostRecords {
		count = fmt.Sprintf("%d or more records concern", MostRecords)
	}
	return fmt.Sprintf("%s %s: %s\n", count, about, strings.Join(records, ", "))
}

// clean removes from a path the characters that would end a fence's first line or the quotes around the path.
func clean(p string) string {
	return strings.Map(func(r rune) rune {
		if r == '`' || r == '"' || r < ' ' {
			return -1
		}
		return r
	}, p)
}

// sheet is a file's lines that an answer may show, in their order.
type sheet struct {
	path   string
	source string
	rows   []row
	units  []span // functions and sections, in the order of the candidates
}

type row struct {
	number int
	text   string  // with its end
	worth  float64 // below 0: shown only to close a gap
	cost   float64 // tokens, about
	shown  bool
}

// span is a candidate's rows, with the row that names the function, -1 if none does.
type span struct {
	candidate, from, to, sign int
}

// sheets are in the order of their best candidates.
type sheets []*sheet

func sheetsOf(list []candidate) sheets {
	var all sheets
	type key struct{ path, source string }
	at := map[key]*sheet{}
	for i, c := range list {
		s := at[key{c.Path, c.Source}]
		if s == nil {
			s = &sheet{path: c.Path, source: c.Source}
			at[key{c.Path, c.Source}] = s
			all = append(all, s)
		}
		number := c.StartLine
		for text := range strings.Lines(c.Text + "\n") {
			r := row{number: number, text: text, cost: 1 + float64(len(text))/tokenBytes}
			if line := number - c.StartLine; c.worth == nil {
				r.worth = r.cost * (1e6 - float64(1000*i+line)) // whole, in order
			} else if line < len(c.worth) && (c.worth[line] < 0 || strings.TrimSpace(text) != "") {
				r.worth = c.worth[line]
			}
			s.rows = append(s.rows, r)
			number++
		}
	}
	for _, s := range all {
		slices.SortStableFunc(s.rows, func(a, b row) int { return cmp.Or(a.number-b.number, cmp.Compare(b.worth, a.worth)) })
		s.rows = slices.CompactFunc(s.rows, func(a, b row) bool { return a.number == b.number })
	}
	for i, c := range list {
		s := at[key{c.Path, c.Source}]
		from, _ := s.find(c.StartLine)
		to, found := s.find(c.EndLine)
		if !found {
			to-- // blank lines at its end
		}
		sign, named := s.find(c.sign)
		if !named {
			sign = -1
		}
		s.units = append(s.units, span{i, from, to, sign})
	}
	return all
}

// wordy reports whether a line with the character says more than brackets do.
func wordy(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// find returns the row of a line, or where it would be.
func (s *sheet) find(line int) (at int, found bool) {
	return slices.BinarySearchFunc(s.rows, line, func(r row, line int) int { return r.number - line })
}

// allowance is what the rows of an answer may take, in tokens.
type allowance struct {
	room     float64
	perRange float64 // that a range costs beside its rows
	files    int     // that show at least their best row
}

// choose shows the rows above the lowest worth for each token whose rows fit the room, and reports whether all are shown.
func (all sheets) choose(a allowance) (whole bool) {
	if all.show(0, a) <= a.room {
		return true
	}
	low, high := 1e-12, 2e6
	for high > 1.0001*low {
		if limit := math.Sqrt(low * high); all.show(limit, a) <= a.room {
			high = limit
		} else {
			low = limit
		}
	}
	all.grow(a.room - all.show(high, a))
	return false
}

// grow fills the tokens that are left with rows of functions shown in part: all where they fit, else those after a shown one.
func (all sheets) grow(left float64) {
	for _, s := range all {
		for _, u := range s.units {
			rows := s.rows[u.from : u.to+1]
			cost, some := 0.0, false
			for _, r := range rows {
				if some = some || r.shown; !r.shown && r.worth >= 0 {
					cost += r.cost
				}
			}
			for i := range rows {
				if r := &rows[i]; some && !r.shown && r.worth >= 0 && r.cost <= left && (cost <= left || i > 0 && rows[i-1].shown) {
					r.shown = true
					left -= r.cost
					cost -= r.cost
				}
			}
		}
	}
}

// show shows the rows above the limit, with the lines that name their functions, and returns what they cost.
func (all sheets) show(limit float64, a allowance) (cost float64) {
	for i, s := range all {
		if some := s.show(limit, i < a.files, a); some > 0 {
			cost += some + blockTokens
		}
	}
	return cost
}

func (s *sheet) show(limit float64, least bool, a allowance) (cost float64) {
	best := -1
	for i := range s.rows {
		r := &s.rows[i]
		r.shown = r.worth >= limit*r.cost
		if r.cost <= a.room/mostLeast && (best < 0 || r.worth > s.rows[best].worth) {
			best = i
		}
	}
	s.close(a.room / dearGap)
	s.prune(limit, a.perRange)
	if best >= 0 && least {
		s.rows[best].shown = true
	}
	for _, u := range s.units {
		some := slices.ContainsFunc(s.rows[u.from:u.to+1], func(r row) bool { return r.shown })
		if some && u.sign >= 0 && s.rows[u.sign].cost <= a.room/mostLeast {
			s.rows[u.sign].shown = true
		}
	}
	s.close(a.room / dearGap)
	for from, to := range s.runs() {
		cost += a.perRange
		for _, r := range s.rows[from:to] {
			cost += r.cost
		}
	}
	return cost
}

// runs yields the ranges of shown rows: the first one, and the one after the last.
func (s *sheet) runs() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from, to := 0, 0; from < len(s.rows); from = to {
			if to = from + 1; !s.rows[from].shown {
				continue
			}
			for to < len(s.rows) && s.rows[to].shown && s.rows[to].number == s.rows[to-1].number+1 {
				to++
			}
			if !yield(from, to) {
				return
			}
		}
	}
}

// close shows the rows of small gaps, if none costs more than dear.
func (s *sheet) close(dear float64) {
	last := -1
	for i, r := range s.rows {
		if !r.shown {
			continue
		}
		if last >= 0 && i-last-1 <= closeGap && r.number-s.rows[last].number == i-last &&
			!slices.ContainsFunc(s.rows[last+1:i], func(r row) bool { return r.cost > dear }) {
			for k := last + 1; k < i; k++ {
				s.rows[k].shown = true
			}
		}
		last = i
	}
}

// prune hides the ranges that are not worth what they cost together, and those of brackets alone.
func (s *sheet) prune(limit, perRange float64) {
	for from, to := range s.runs() {
		cost, worth, words := perRange, 0.0, false
		for _, r := range s.rows[from:to] {
			cost, worth, words = cost+r.cost, worth+max(0, r.worth), words || strings.ContainsFunc(r.text, wordy)
		}
		for i := from; i < to && (!words || worth < limit*cost); i++ {
			s.rows[i].shown = false
		}
	}
}

// shown returns the ranges of the shown rows, in each file those of the best function first, and the number of matches with any.
func (all sheets) shown(list []candidate) (out []Snippet, matched int) {
	for _, s := range all {
		first, taken := len(out), make([]bool, len(s.rows))
		for _, u := range s.units {
			some := false
			for i := u.from; i <= u.to; i++ {
				r := s.rows[i]
				if some = some || r.shown; !r.shown || taken[i] {
					continue
				}
				taken[i] = true
				if n := len(out) - 1; n < first || out[n].EndLine+1 != r.number {
					out = append(out, Snippet{Path: s.path, StartLine: r.number, Source: s.source})
				}
				n := &out[len(out)-1]
				n.EndLine, n.Text = r.number, n.Text+r.text
			}
			if some && list[u.candidate].score > 0 {
				matched++
			}
		}
		for _, u := range s.units {
			for i := first; i < len(out); i++ {
				out[i].name(list[u.candidate].about)
			}
		}
	}
	for i := range out {
		out[i].Text = strings.TrimRight(out[i].Text, "\r\n")
	}
	return once(out), matched
}

// once removes the files of which one line is shown that a file before shows too. The range with the line names their places.
func once(list []Snippet) (out []Snippet) {
	type place struct{ snippet, line int }
	seen := map[string]place{}
	for i, s := range list {
		sole := s.Source == sourceGrep && len(s.Records) == 0 && (i == 0 || list[i-1].Path != s.Path) &&
			(i+1 == len(list) || list[i+1].Path != s.Path)
		if p, known := seen[strings.TrimSpace(s.Text)]; known && sole {
			out[p.snippet].copied(p.line, fmt.Sprintf("%s:%d", s.Path, s.StartLine))
			continue
		}
		line := s.StartLine
		for text := range strings.Lines(s.Text) {
			text = strings.TrimSpace(text)
			if _, known := seen[text]; !known && text != "" {
				seen[text] = place{len(out), line}
			}
			line++
		}
		out = append(out, s)
	}
	return out
}

func (s *Snippet) copied(line int, where string) {
	i := slices.IndexFunc(s.Copies, func(c Copy) bool { return c.Line == line })
	if i < 0 {
		i, s.Copies = len(s.Copies), append(s.Copies, Copy{Line: line})
	}
	s.Copies[i].Places = append(s.Copies[i].Places, where)
}

// name adds the records that are about lines of the snippet.
func (s *Snippet) name(list []About) {
	for _, a := range list {
		covers := a.First <= s.EndLine && a.Last >= s.StartLine
		if covers && len(s.Records) < MostRecords && !slices.Contains(s.Records, a.Record) {
			s.Records = append(s.Records, a.Record)
		}
	}
}
