package markdown

import (
	"slices"
	"strings"
)

// chunk is a range in each of three sequences. In these ranges either all three are the same, or at least one side changed the base.
type chunk struct {
	at   [3][2]int
	kind chunkKind
}

type chunkKind uint8

const (
	unchanged chunkKind = iota
	byOurs              // ours changed it
	byTheirs            // theirs changed it
	byBoth              // both changed it in the same way
	clashing            // both changed it in different ways
)

// of returns the chunk's part of one version of a sequence.
func of[T any](c chunk, seq [3][]T, v version) []T { return seq[v][c.at[v][0]:c.at[v][1]] }

// diff3 splits three sequences into chunks. Two changes with nothing unchanged between them are one chunk.
func diff3(base, ours, theirs []int32) []chunk {
	seq := [3][]int32{base, ours, theirs}
	toOurs, toTheirs := align(base, ours), align(base, theirs)
	var all []chunk
	var at [3]int
	changed := func(end [3]int) {
		if at == end {
			return
		}
		c := chunk{kind: clashing}
		for v := range seq {
			c.at[v] = [2]int{at[v], end[v]}
		}
		switch b, o, t := of(c, seq, inBase), of(c, seq, inOurs), of(c, seq, inTheirs); {
		case slices.Equal(o, t):
			c.kind = byBoth
		case slices.Equal(o, b):
			c.kind = byTheirs
		case slices.Equal(t, b):
			c.kind = byOurs
		}
		all = append(all, c)
	}
	for i := range base {
		here := [3]int{i, toOurs[i], toTheirs[i]}
		if here[inOurs] < 0 || here[inTheirs] < 0 {
			continue
		}
		changed(here)
		if n := len(all); n == 0 || all[n-1].kind != unchanged {
			all = append(all, chunk{at: [3][2]int{{here[0], here[0]}, {here[1], here[1]}, {here[2], here[2]}}})
		}
		for v := range seq {
			at[v] = here[v] + 1
			all[len(all)-1].at[v][1] = at[v]
		}
	}
	changed([3]int{len(base), len(ours), len(theirs)})
	return all
}

// part is a piece of merged text, or a conflict.
type part struct {
	text               string
	clash              bool
	base, ours, theirs string
}

// mergeLines merges texts line by line: changes that touch are a conflict.
func mergeLines(base, ours, theirs string) []part {
	lines, chunks := diff3Texts(base, ours, theirs, linesOf, "\r\n")
	var parts []part
	for _, c := range chunks {
		in := func(v version) string { return strings.Join(of(c, lines, v), "") }
		switch c.kind {
		case byOurs:
			parts = append(parts, part{text: in(inOurs)})
		case byTheirs:
			parts = append(parts, part{text: in(inTheirs)})
		case clashing:
			parts = append(parts, part{clash: true, base: in(inBase), ours: in(inOurs), theirs: in(inTheirs)})
		default: // the lines differ at most in their ends
			parts = append(parts, part{text: three(in(inBase), in(inOurs), in(inTheirs))})
		}
	}
	return parts
}

// diff3Texts cuts three texts and compares the pieces without the characters of space at their ends.
func diff3Texts(base, ours, theirs string, cut func(string) []string, space string) (pieces [3][]string, chunks []chunk) {
	ids := map[string]int32{}
	var seq [3][]int32
	for v, text := range []string{base, ours, theirs} {
		pieces[v] = cut(text)
		seq[v] = numbered(ids, pieces[v], func(s string) string { return strings.TrimRight(s, space) })
	}
	return pieces, diff3(seq[0], seq[1], seq[2])
}

func linesOf(text string) []string { return slices.Collect(strings.Lines(text)) }

// numbered returns for each string the number of its key.
func numbered(ids map[string]int32, all []string, key func(string) string) []int32 {
	seq := make([]int32, len(all))
	for i, s := range all {
		seq[i] = numberOf(ids, key(s))
	}
	return seq
}

// clean returns the text of parts; false if they contain a conflict.
func clean(parts []part) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		if p.clash {
			return "", false
		}
		b.WriteString(p.text)
	}
	return b.String(), true
}

// mergeWords merges texts by words if the sides changed different sentences: one changed by both could mean what neither intended.
func mergeWords(base, ours, theirs string) (string, bool) {
	words, chunks := diff3Texts(base, ours, theirs, withSpace, blank)
	s := sentencesOf(words)
	touched := [3]map[int]bool{inOurs: {}, inTheirs: {}}
	var b strings.Builder
	for _, c := range chunks {
		in := func(v version) string { return strings.Join(of(c, words, v), "") }
		switch c.kind {
		case clashing:
			return "", false
		case byOurs, byTheirs:
			side := inOurs + version(c.kind-byOurs)
			s.touch(touched[side], c, side)
			b.WriteString(in(side))
		case byBoth:
			b.WriteString(max(in(inOurs), in(inTheirs)))
		default:
			ours, theirs := of(c, words, inOurs), of(c, words, inTheirs)
			for i, w := range of(c, words, inBase) {
				b.WriteString(three(w, ours[i], theirs[i]))
			}
		}
	}
	for n := range touched[inOurs] {
		if touched[inTheirs][n] {
			return "", false
		}
	}
	return b.String(), true
}

// withSpace splits text into words, each with the white space after it.
func withSpace(text string) []string {
	var words []string
	for text != "" {
		end := strings.IndexAny(text, blank)
		if end < 0 {
			end = len(text)
		}
		end = len(text) - len(strings.TrimLeft(text[end:], blank))
		words = append(words, text[:end])
		text = text[end:]
	}
	return words
}

// sentences numbers the base's words by sentence.
type sentences struct {
	words  [3][]string
	number []int
}

func sentencesOf(words [3][]string) sentences {
	s := sentences{words: words}
	n := 0
	for _, w := range words[inBase] {
		s.number = append(s.number, n)
		if endsSentence(w) {
			n++
		}
	}
	return s
}

func endsSentence(word string) bool {
	word = strings.TrimRight(word, blank+"\"'”’»)]*_`")
	return word != "" && strings.ContainsAny(word[len(word)-1:], ".!?") || strings.HasSuffix(word, "…") || strings.HasSuffix(word, "。")
}

// touch records the sentences that a change alters. Whole new sentences between others alter none.
func (s sentences) touch(touched map[int]bool, c chunk, side version) {
	from, to := c.at[inBase][0], c.at[inBase][1]
	for i := from; i < to; i++ {
		touched[s.number[i]] = true
	}
	put := of(c, s.words, side)
	fresh := from == 0 || endsSentence(s.words[inBase][from-1]) // the new words begin a sentence
	ends := len(put) > 0 && endsSentence(put[len(put)-1]) || len(put) == 0 && fresh
	if !fresh && len(put) > 0 {
		touched[s.number[from-1]] = true
	}
	if to < len(s.number) && !ends {
		touched[s.number[to]] = true
	}
}
