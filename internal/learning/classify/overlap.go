package classify

import (
	"slices"
	"strings"
	"unicode"

	"sdd/internal/pattern"
)

// Overlap is two texts of a list: By says all that Of says. Same is set when Of also says all that By says.
type Overlap struct {
	Of, By int
	Same   bool
}

// leastWords is the number of words from which a text is compared with its equals, and one more with longer ones: "keep it
// up" in a longer text is no statement of its own.
const leastWords = 3

// referring are words at the start of a text whose meaning its context has.
var referring = pattern.Words("it this that these those they he she")

// ofOneRule are words without which a rule is the same.
var ofOneRule = pattern.Words("a an the is are be must should shall will always please also do does")

// Overlaps returns the texts of a list, oldest first, that another one makes superfluous. Each text is Of at most once, and
// no By is an Of. Two texts say the same when each sentence has the same words in the same order, apart from endings,
// articles and words such as must; a longer one says all of a shorter one when it has each of its sentences, maybe with a
// reason ("because …"). Measured on rules of real projects, texts that only share most of their words mostly differ in the
// one that matters (main and master, before and after), however similar they are.
func Overlaps(texts []string) []Overlap {
	all := make([][]string, len(texts))
	holders := map[string][]int{} // by sentence, also by one without its reason
	whole := map[string]int{}     // the first text with exactly these sentences
	by, long := make([]int, len(texts)), make([]bool, len(texts))
	var out []Overlap
	for n, t := range texts {
		by[n] = n
		sentences, shorter, words := statements(t)
		all[n], long[n] = sentences, words > leastWords
		if len(sentences) == 0 {
			continue
		}
		key := strings.Join(sentences, "\n")
		if first, ok := whole[key]; ok {
			by[n] = first
			out = append(out, Overlap{n, first, true})
			continue
		}
		whole[key] = n
		for _, s := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(sentences, shorter)))) {
			holders[s] = append(holders[s], n)
		}
	}
	for n, sentences := range all {
		if len(sentences) == 0 || by[n] != n || !long[n] {
			continue
		}
		rarest := slices.MinFunc(sentences, func(a, b string) int { return len(holders[a]) - len(holders[b]) })
		for _, k := range holders[rarest] {
			if k != n && len(strings.Join(all[k], "")) > len(strings.Join(sentences, "")) &&
				!slices.ContainsFunc(sentences, func(s string) bool { _, in := slices.BinarySearch(holders[s], k); return !in }) {
				by[n] = k
				break
			}
		}
		if by[n] != n {
			out = append(out, Overlap{Of: n, By: by[n]})
		}
	}
	for i := range out {
		for by[out[i].By] != out[i].By {
			out[i].By, out[i].Same = by[out[i].By], false
		}
	}
	return out
}

// statements returns the sentences of a text, sorted, as words without endings, and those that have a reason without it.
// It returns none for a text that cannot be compared: a short or long one, or one that begins with "it".
func statements(text string) (all, shorter []string, words int) {
	if len(text) > maxClaim {
		return nil, nil, 0
	}
	refers := false
	sentences(tokens(text), func(toks []token, question bool) {
		var s []string
		for _, t := range toks {
			w := t.text
			switch {
			case t.kind == pause || ofOneRule()[w]:
				continue
			case w == "never":
				w = "not"
			case w == "because" && len(s) >= leastWords:
				shorter = append(shorter, strings.Join(s, " "))
			case t.kind == word:
				w = t.subject()
			}
			s = append(s, w)
		}
		if question {
			s = append(s, "?")
		} else {
			words += len(s)
		}
		if refers = refers || len(all) == 0 && referring()[toks[0].text]; len(s) == 0 {
			return
		}
		all = append(all, strings.Join(s, " "))
	})
	if words < leastWords || refers {
		return nil, nil, 0
	}
	slices.Sort(all)
	signs := strings.Map(func(r rune) rune { // ✅ and ❌
		if unicode.Is(unicode.So, r) {
			return r
		}
		return -1
	}, text)
	if signs != "" {
		all = append(all, signs)
	}
	return slices.Compact(all), shorter, words
}

// Sentences returns the number of sentences of a text.
func Sentences(text string) (n int) {
	sentences(tokens(text), func([]token, bool) { n++ })
	return n
}
