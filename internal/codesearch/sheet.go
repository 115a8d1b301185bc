package codesearch

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"
)

// sheet is a file's lines that an answer may show, in their order.
type sheet struct {
	path   string
	source string
	rows   []row
	units  []span // functions and sections, in the order of the candidates
}

type row struct {
	number int
	text   string // with its end
	worth  float64
	cost   float64 // tokens, about
	shown  bool
}

func (r row) isShown() bool { return r.shown }

// span is a candidate's rows, with the row that names the function, -1 if none does.
type span struct {
	candidate, from, to, sign int
}

// sheets are in the order of their best candidates.
type sheets []*sheet

func sheetsOf(list []candidate) sheets {
	var all sheets
	at := map[string]*sheet{}
	for _, c := range list {
		s := at[c.Path+"\x00"+c.Source]
		if s == nil {
			s = &sheet{path: c.Path, source: c.Source}
			at[c.Path+"\x00"+c.Source] = s
			all = append(all, s)
		}
	}
	for i, c := range list {
		s := at[c.Path+"\x00"+c.Source]
		number := c.StartLine
		for text := range strings.Lines(c.Text + "\n") {
			r := row{number: number, text: text, cost: 1 + float64(len(text))/tokenBytes}
			if line := number - c.StartLine; c.worth == nil {
				r.worth = r.cost * (1e6 - float64(1000*i+line)) // whole, in order
			} else if line < len(c.worth) && strings.TrimSpace(text) != "" {
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
		s := at[c.Path+"\x00"+c.Source]
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

// choose shows the rows whose worth for each token is above a limit, namely the lowest limit whose rows fit the room. It reports
// whether all rows are shown.
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

// grow shows more rows of the functions that are shown in part, for the tokens that are left: all rows where they fit, else those
// after a shown one.
func (all sheets) grow(left float64) {
	for _, s := range all {
		for _, u := range s.units {
			rows := s.rows[u.from : u.to+1]
			cost, some := 0.0, false
			for _, r := range rows {
				if some = some || r.shown; !r.shown {
					cost += r.cost
				}
			}
			for i := range rows {
				if r := &rows[i]; some && !r.shown && r.cost <= left && (cost <= left || i > 0 && rows[i-1].shown) {
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
		if cost += s.show(limit, i < a.files, a); s.any() {
			cost += blockTokens
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
	s.close()
	s.prune(limit, a.perRange)
	if best >= 0 && least {
		s.rows[best].shown = true
	}
	for _, u := range s.units {
		if u.sign >= 0 && s.rows[u.sign].cost <= a.room/mostLeast && slices.ContainsFunc(s.rows[u.from:u.to+1], row.isShown) {
			s.rows[u.sign].shown = true
		}
	}
	s.close()
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

// close shows the rows of small gaps.
func (s *sheet) close() {
	last := -1
	for i, r := range s.rows {
		if !r.shown {
			continue
		}
		if last >= 0 && i-last-1 <= closeGap && r.number-s.rows[last].number == i-last {
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
			cost, worth, words = cost+r.cost, worth+r.worth, words || strings.ContainsFunc(r.text, wordy)
		}
		for i := from; i < to && (!words || worth < limit*cost); i++ {
			s.rows[i].shown = false
		}
	}
}

func (s *sheet) any() bool { return slices.ContainsFunc(s.rows, row.isShown) }

// shown returns the ranges of the shown rows, and the number of candidates without any.
func (all sheets) shown(list []candidate) (out []Snippet, omitted int) {
	for _, s := range all {
		for from, to := range s.runs() {
			var text strings.Builder
			for _, r := range s.rows[from:to] {
				text.WriteString(r.text)
			}
			n := Snippet{Path: s.path, StartLine: s.rows[from].number, EndLine: s.rows[to-1].number, Source: s.source,
				Text: strings.TrimRight(text.String(), "\r\n")}
			for _, u := range s.units {
				for _, id := range list[u.candidate].Records {
					if u.from < to && from <= u.to && len(n.Records) < MostRecords && !slices.Contains(n.Records, id) {
						n.Records = append(n.Records, id)
					}
				}
			}
			out = append(out, n)
		}
		for _, u := range s.units {
			if !slices.ContainsFunc(s.rows[u.from:u.to+1], row.isShown) {
				omitted++
			}
		}
	}
	return out, omitted
}
