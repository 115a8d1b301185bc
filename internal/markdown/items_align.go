package markdown

import (
	"slices"
	"strings"
)

// SameLines returns for each line of a, from 1, the one of b that continues it, -1 for none; 0 and the line after the last are mates.
func SameLines(a, b string) []int {
	ids := map[string]int32{}
	seq := func(text string) []int32 {
		return slices.Concat([]int32{-1}, numbered(ids, linesOf(text), strings.TrimSpace), []int32{-2})
	}
	return align(seq(a), seq(b))
}

// align matches equal elements in order and gives the index in b, or -1: first those that occur once on either side, then those between.
func align(a, b []int32) []int {
	al := aligner{a: a, b: b, to: slices.Repeat([]int{-1}, len(a))}
	al.run(0, len(a), 0, len(b), 0)
	return al.to
}

const (
	maxAlignDepth = 64      // hostile texts could make the search between anchors deep
	maxAlignTable = 1 << 18 // cells of the table for ranges without an anchor
)

type aligner struct {
	a, b []int32
	to   []int
}

func (al *aligner) run(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && al.a[a0] == al.b[b0] {
		al.to[a0] = b0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && al.a[a1-1] == al.b[b1-1] {
		a1, b1 = a1-1, b1-1
		al.to[a1] = b1
	}
	if a0 == a1 || b0 == b1 || depth > maxAlignDepth {
		return
	}
	from, into := al.anchors(a0, a1, b0, b1)
	if len(from) == 0 {
		al.table(a0, a1, b0, b1)
		return
	}
	for i, at := range from {
		al.run(a0, at, b0, into[i], depth+1)
		al.to[at] = into[i]
		a0, b0 = at+1, into[i]+1
	}
	al.run(a0, a1, b0, b1, depth+1)
}

// anchors returns the longest common subsequence of the elements that occur once in each range.
func (al *aligner) anchors(a0, a1, b0, b1 int) (from, into []int) {
	type seen struct{ inA, inB, a, b int }
	count := make(map[int32]*seen, a1-a0)
	for i := a0; i < a1; i++ {
		s := count[al.a[i]]
		if s == nil {
			s = &seen{}
			count[al.a[i]] = s
		}
		s.inA++
		s.a = i
	}
	for j := b0; j < b1; j++ {
		if s := count[al.b[j]]; s != nil {
			s.inB++
			s.b = j
		}
	}
	for i := a0; i < a1; i++ {
		if s := count[al.a[i]]; s.inA == 1 && s.inB == 1 {
			from = append(from, i)
			into = append(into, s.b)
		}
	}
	n := 0
	for i, ok := range ascending(into).keep {
		if ok {
			from[n], into[n] = from[i], into[i]
			n++
		}
	}
	return from[:n], into[:n]
}

// table finds the longest common subsequence of small ranges by dynamic programming.
func (al *aligner) table(a0, a1, b0, b1 int) {
	n, m := a1-a0, b1-b0
	if n*m > maxAlignTable {
		return
	}
	best := make([]int32, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if al.a[a0+i] == al.b[b0+j] {
				best[i*(m+1)+j] = best[(i+1)*(m+1)+j+1] + 1
			} else {
				best[i*(m+1)+j] = max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case al.a[a0+i] == al.b[b0+j]:
			al.to[a0+i] = b0 + j
			i, j = i+1, j+1
		case best[(i+1)*(m+1)+j] >= best[i*(m+1)+j+1]:
			i++
		default:
			j++
		}
	}
}

// run is the result of ascending, by element.
type run struct {
	keep []bool // the element is in the chosen longest ascending subsequence
	out  []bool // the element is in no longest ascending subsequence
}

// ascending finds the longest ascending subsequences of s, which has no equal elements.
func ascending(s []int) run {
	n := len(s)
	r := run{make([]bool, n), make([]bool, n)}
	ending := longest(s)
	length := 0
	if n > 0 {
		length = slices.Max(ending)
	}
	// An element is in a longest subsequence if the lengths of the longest that end and start at it add up to that length.
	back := make([]int, n)
	for i, v := range s {
		back[n-1-i] = -v
	}
	starting := longest(back)
	want, below := length, 0
	for i := n - 1; i >= 0; i-- {
		r.out[i] = ending[i]+starting[n-1-i]-1 < length
		if ending[i] == want && (want == length || s[i] < below) {
			r.keep[i] = true
			want, below = want-1, s[i]
		}
	}
	return r
}

// longest returns for each element the length of the longest ascending subsequence that ends with it.
func longest(s []int) []int {
	lengths := make([]int, len(s))
	tails := make([]int, 0, len(s))
	for i, v := range s {
		at, _ := slices.BinarySearch(tails, v)
		if at == len(tails) {
			tails = append(tails, v)
		} else {
			tails[at] = v
		}
		lengths[i] = at + 1
	}
	return lengths
}
