// Package indextest makes stores of any size for tests and benchmarks: records that look like
// what people write, the same ones on every run.
package indextest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Corpus makes records. The zero Corpus is not usable; use New.
type Corpus struct {
	words []string
}

// New returns a corpus with a vocabulary of that many words; few of them make up most of a text, as in any language.
func New(vocabulary int) *Corpus {
	c := &Corpus{}
	r := rand.New(rand.NewPCG(1, 2))
	onset := strings.Fields("b c d f g h j k l m n p r s t v w st tr pr cl gr sh ch qu br pl")
	vowel := strings.Fields("a e i o u ea ai oo ie")
	coda := strings.Fields("n r s t l m nd st rt ck ss ng x")
	ending := append(strings.Fields("ing ed er tion ment able ly ness ive al ity"), "", "", "", "", "", "s", "s", "e", "e")
	seen := map[string]bool{}
	for len(c.words) < vocabulary {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(pick(r, onset))
			b.WriteString(pick(r, vowel))
			if r.IntN(2) == 0 {
				b.WriteString(pick(r, coda))
			}
		}
		b.WriteString(pick(r, ending))
		if w := b.String(); !seen[w] {
			seen[w] = true
			c.words = append(c.words, w)
		}
	}
	return c
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

var function = strings.Fields("the of and to in is for that it on with as are be by not we or which when has from at")

// CommonWord is in every hundredth record.
const CommonWord = "percentile"

// RareWord is in record i only.
func RareWord(i int) string { return fmt.Sprintf("rare%05dword", i) }

// Path is the file of record i, relative to .sdd.
func Path(i int) string { return fmt.Sprintf("explore/topic-%06d.md", i) }

// Text returns record i, about 2 KB of Markdown.
func (c *Corpus) Text(i int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(c.words)-1))
	word := func() string {
		switch n := r.IntN(100); {
		case n < 38:
			return pick(r, function)
		case n < 41:
			return identifier(r, c.words[zipf.Uint64()], c.words[zipf.Uint64()])
		}
		return c.words[zipf.Uint64()]
	}
	sentence := func(b *strings.Builder, n int) {
		for k := range n {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word())
		}
		b.WriteString(".")
	}
	var b strings.Builder
	title := fmt.Sprintf("Topic %06d %s %s", i, c.words[zipf.Uint64()], c.words[r.IntN(len(c.words))])
	fmt.Fprintf(&b, "---\ntitle: %s\nproject: %s\nscope: project\nrevision: %d\ncreated: 20%02d-%02d-%02dT%02d:%02d:00Z\nsession_id: "+
		"s-%d\n---\n\n# %s\n",
		title, []string{"demo", "billing", "search"}[i%3], 1+i%4, 20+i%6, 1+i%12, 1+i%28, i%24, i%60, i/10, title)
	for s, name := range strings.Fields("Goals Constraints Preferences Unknowns Decisions Context") {
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		for item := range 4 {
			b.WriteString("- ")
			sentence(&b, 7+r.IntN(5))
			if s == 2 && item == 1 {
				b.WriteString(" " + RareWord(i) + " again.")
			}
			if s == 4 && item == 2 && i%100 == 0 {
				b.WriteString(" At the " + CommonWord + " of all.")
			}
			b.WriteString("\n")
		}
	}
	return []byte(b.String())
}

func identifier(r *rand.Rand, a, b string) string {
	switch r.IntN(5) {
	case 0:
		return strings.ToUpper(a[:1]) + a[1:] + strings.ToUpper(b[:1]) + b[1:]
	case 1:
		return a + "_" + b
	case 2:
		return "internal/" + a + "/" + b + ".go"
	case 3:
		return fmt.Sprintf("ADR-%03d", r.IntN(500))
	}
	return "`" + a + "." + b + "()`"
}

// Write makes records from to to-1 below dir/.sdd.
func (c *Corpus) Write(dir string, from, to int) error {
	if err := os.MkdirAll(filepath.Join(dir, ".sdd", "explore"), 0o755); err != nil {
		return err
	}
	for i := from; i < to; i++ {
		if err := os.WriteFile(filepath.Join(dir, ".sdd", filepath.FromSlash(Path(i))), c.Text(i), 0o644); err != nil {
			return err
		}
	}
	return nil
}
