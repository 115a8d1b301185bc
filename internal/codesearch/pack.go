package codesearch

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"sdd/internal/markdown"
	"sdd/internal/tokens"
)

const (
	leastCost = 100 // tokens for which a snippet after the first is worth cutting
	leastLine = 4   // lines to which a snippet that does not fit is cut, at least
	looseMax  = 400 // tokens of a text without a place

	wholeFirst = 3 // snippets that are shown whole before others are shown at all
)

// form is one of the two in which an answer is sent.
type form struct {
	whole   func(Result) string
	snippet func(Snippet) string
}

var (
	asText = form{Result.Text, Snippet.Block}
	asJSON = form{func(r Result) string { return tokens.JSON(r) }, func(s Snippet) string { return tokens.JSON(s) + "," }}
)

// packed fills each form of the answer by itself: the JSON's escapes take no room from the text.
func (r Result) packed(snippets []candidate, loose []string, budget int) Result {
	text := r.pack(snippets, loose, budget, asText)
	if budget < tokens.TextOnly {
		return text
	}
	if size := asJSON.size(text); size <= budget {
		text.TokensUsed = max(text.TokensUsed, size)
		return text
	}
	out := r.pack(snippets, loose, budget, asJSON)
	out.TokensUsed, out.text = max(out.TokensUsed, text.TokensUsed), &text
	return out
}

// pack fills the answer with as many of the snippets as fit the budget in that form, in order, and then with the texts
// without a place.
func (r Result) pack(snippets []candidate, loose []string, budget int, as form) Result {
	r.Steps, r.Snippets, r.Risks = slices.Clip(r.Steps), slices.Clip(r.Snippets), slices.Clip(r.Risks)
	r.TokensUsed = budget // a placeholder: the number has no more digits
	r.Omitted = len(snippets) + len(loose)
	r.Steps = append(r.Steps, Step{stepRead, "only these ranges of lines are read", len(snippets)})
	for len(r.Risks) > 1 && !as.fits(r, budget) {
		r.Risks = r.Risks[:len(r.Risks)-1]
	}
	// The cost of a snippet alone is close to its cost in the answer, and counting the whole answer takes most of the time.
	// So the whole is counted only close to the budget, and for every snippet only when the answer came out too long.
	packed := r.fill(snippets, loose, budget, budget/50+50, as)
	if !as.fits(packed, budget) {
		packed = r.fill(snippets, loose, budget, budget, as)
	}
	r = packed
	ranges := 0
	for _, s := range r.Snippets {
		if s.Path != "" {
			ranges++
		}
	}
	last := len(r.Steps) - 1
	if r.Steps[last].Count = ranges; ranges == 0 {
		r.Steps = r.Steps[:last]
	}
	r.TokensUsed = as.size(r)
	return r
}

// fill adds the snippets and texts that fit, in order. It counts the whole answer where fewer than close tokens are left.
func (r Result) fill(snippets []candidate, loose []string, budget, close int, as form) Result {
	left := budget - as.size(r)
	add := func(s Snippet, cost int) bool {
		r.Snippets = append(r.Snippets, s)
		r.Omitted--
		if left-cost >= close || as.fits(r, budget) {
			left -= cost
			return true
		}
		r.Snippets = r.Snippets[:len(r.Snippets)-1]
		r.Omitted++
		return false
	}
	for i, s := range breadth(snippets, left, budget, as) {
		if s.cost <= left && add(s.Snippet, s.cost) || i > 0 && left < leastCost {
			continue
		}
		if short, ok := s.cut(left, as); ok {
			add(short, as.cost(short))
		}
	}
	for _, text := range loose {
		s := Snippet{Text: tokens.Prefix(text, min(looseMax, max(0, left-20))), Source: sourceRAG}
		if s.Text != "" {
			add(s, as.cost(s))
		}
	}
	return r
}

// priced is a snippet with its approximate cost.
type priced struct {
	Snippet
	cost int
}

// breadth shortens the snippets after the first few to their core, so that more of them fit left tokens, and then shows as
// many of them whole as still fit, in order.
func breadth(list []candidate, left, budget int, as form) []priced {
	var out []priced
	for i, c := range list {
		s := c.Snippet
		if i >= wholeFirst {
			s = c.core()
		}
		out = append(out, priced{s, as.cost(s)})
		if left -= out[i].cost; left < -budget {
			break
		}
	}
	for i := wholeFirst; i < len(out) && left > 0; i++ {
		if cost := as.cost(list[i].Snippet); cost-out[i].cost <= left {
			left -= cost - out[i].cost
			out[i] = priced{list[i].Snippet, cost}
		}
	}
	return out
}

// core returns the most relevant lines of a candidate.
func (c candidate) core() Snippet {
	s := c.Snippet
	if c.coreStart == 0 {
		return s
	}
	lines := strings.SplitAfter(s.Text, "\n")
	part := lines[c.coreStart-s.StartLine : min(c.coreEnd-s.StartLine+1, len(lines))]
	s.StartLine, s.EndLine, s.Text = c.coreStart, c.coreEnd, strings.TrimRight(strings.Join(part, ""), "\r\n")
	return s
}

func (as form) size(r Result) int { return tokens.Count(as.whole(r)) }

func (as form) fits(r Result, budget int) bool { return tokens.Within(as.whole(r), budget) }

// cost is about how many tokens a snippet adds.
func (as form) cost(s Snippet) int { return tokens.Count(as.snippet(s)) }

// cut returns the first lines of a snippet that cost no more than left.
func (s Snippet) cut(left int, as form) (Snippet, bool) {
	lines := strings.SplitAfter(s.Text, "\n")
	fit := sort.Search(len(lines), func(n int) bool { return as.cost(s.first(lines, n+1)) > left })
	return s.first(lines, fit), fit >= min(leastLine, len(lines))
}

func (s Snippet) first(lines []string, n int) Snippet {
	s.Text = strings.TrimRight(strings.Join(lines[:n], ""), "\r\n")
	s.EndLine = s.StartLine + n - 1
	return s
}

// Text renders the answer for an agent: the steps, the risks, and each range as data with its place.
func (r Result) Text() string {
	if r.text != nil {
		all := *r.text
		all.Risks = all.Risks[:min(len(all.Risks), len(r.Risks))]
		return all.Text()
	}
	var b strings.Builder
	var ran []string
	for _, s := range r.Steps {
		ran = append(ran, fmt.Sprintf("%s %d (%s)", s.Name, s.Count, s.Reason))
	}
	if len(ran) > 0 {
		b.WriteString(strings.Join(ran, "; ") + "\n")
	}
	if r.Reindexing > 0 {
		fmt.Fprintf(&b, "the index is being renewed for %d files\n", r.Reindexing)
	}
	if r.Stale > 0 {
		fmt.Fprintf(&b, "%d stale places dropped\n", r.Stale)
	}
	for _, risk := range r.Risks {
		b.WriteString("risk: " + risk + "\n")
	}
	for _, s := range r.Snippets {
		b.WriteString(s.Block())
	}
	switch {
	case r.Omitted > 0:
		fmt.Fprintf(&b, "%d more left out: raise max_tokens, or narrow with paths\n", r.Omitted)
	case len(r.Snippets) == 0 && len(ran) > 0:
		b.WriteString("Nothing found: try other words, a symbol or a pattern.\n")
	}
	return b.String()
}

// Block is a snippet as data: inside a fence that nothing in it can close, with its place, and a line that names the
// records that concern it.
func (s Snippet) Block() string {
	place := fmt.Sprintf("%s:%d-%d", clean(s.Path), s.StartLine, s.EndLine)
	lang := strings.TrimPrefix(path.Ext(clean(s.Path)), ".")
	if s.Path == "" {
		place, lang = "semantic tool", "text"
	}
	if lang == "" || strings.ContainsAny(lang, " \"'") {
		lang = "text"
	}
	fence := strings.Repeat("`", max(3, markdown.LongestRun(s.Text, '`')+1))
	return fmt.Sprintf("%s%s source=%q by=%s\n%s\n%s\n%s", fence, lang, place, s.Source, s.Text, fence, s.concern())
}

// concern is the line of the records, "" without one.
func (s Snippet) concern() string {
	ids := strings.Join(s.Records, ", ")
	switch n := len(s.Records); n {
	case 0:
		return ""
	case 1:
		return "1 record concerns this: " + ids + "\n"
	case MostRecords:
		return fmt.Sprintf("%d or more records concern this: %s\n", n, ids)
	default:
		return fmt.Sprintf("%d records concern this: %s\n", n, ids)
	}
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
