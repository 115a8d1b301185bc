package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkMerge merges two branches of a record of seven sections with 14 bullets each.
func BenchmarkMerge(b *testing.B) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 1))}
	base := g.base(14)
	var pairs [16][2][]byte
	for i := range pairs {
		ours, _ := g.branch(base, true)
		theirs, _ := g.branch(base, true)
		pairs[i] = [2][]byte{ours.bytes(), theirs.bytes()}
	}
	src := base.bytes()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p := pairs[i%len(pairs)]
		Merge(src, p[0], p[1], sevenSections, MergeLabels{})
	}
}

// BenchmarkMergeLong merges two branches of one section with 20,000 items, of which each side changed a tenth.
func BenchmarkMergeLong(b *testing.B) {
	for _, size := range []int{1000, 20000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			base, ours, theirs := longSection(size)
			b.SetBytes(int64(len(base)))
			for b.Loop() {
				Merge(base, ours, theirs, nil, MergeLabels{})
			}
		})
	}
}

func longSection(size int) (base, ours, theirs []byte) {
	g := &generator{Rand: rand.New(rand.NewPCG(2, 2))}
	text := func(change int) []byte {
		out := []byte("## Notes\n\n")
		for i := range size {
			s := fmt.Sprintf("Item %d of the list: %s", i, sentence(rand.New(rand.NewPCG(3, uint64(i)))))
			if change > 0 && i%10 == change {
				s = reword(g.Rand, s)
			}
			out = fmt.Appendf(out, "- %s\n", s)
		}
		return out
	}
	return text(0), text(3), text(6)
}

// BenchmarkMergeHostile merges shapes that a careless search for moved and reworded items would take minutes for.
func BenchmarkMergeHostile(b *testing.B) {
	const size = 20000
	r := rand.New(rand.NewPCG(5, 5))
	sentences := make([]string, size)
	numbers := make([]string, size)
	for i := range sentences {
		sentences[i] = sentence(r)
		numbers[i] = fmt.Sprintf("item number %d", i)
	}
	list := func(items []string) []byte {
		out := []byte("## Notes\n\n")
		for _, item := range items {
			out = fmt.Appendf(out, "- %s\n", item)
		}
		return out
	}
	shuffled := func(items []string) []string {
		items = slices.Clone(items)
		r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		return items
	}
	reworded := func(items []string) []string {
		items = slices.Clone(items)
		for i, item := range items {
			items[i] = reword(r, item)
		}
		return items
	}
	sections := func(name string) []byte {
		var out []byte
		for i := range size / 4 {
			out = fmt.Appendf(out, "## %s %d\n\n- the item of section %d\n\n", name, i, i)
		}
		return out
	}
	for _, test := range []struct {
		name               string
		base, ours, theirs []byte
	}{
		{"all reworded by both", list(sentences), list(reworded(sentences)), list(reworded(sentences))},
		{"all reworded and shuffled", list(sentences), list(shuffled(reworded(sentences))), list(reworded(sentences))},
		{"shuffled by both", list(sentences), list(shuffled(sentences)), list(shuffled(sentences))},
		{"alike but for a number", list(numbers), list(reworded(numbers)), list(reworded(numbers))},
		{"without a base", nil, list(sentences), list(shuffled(numbers))},
		{"sections renamed", sections("A"), sections("B"), sections("C")},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(test.ours) + len(test.theirs)))
			for b.Loop() {
				Merge(test.base, test.ours, test.theirs, nil, MergeLabels{})
			}
		})
	}
}

// BenchmarkDiff tells what a branch changed in a record of seven sections with 14 bullets each.
func BenchmarkDiff(b *testing.B) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 1))}
	base := g.base(14)
	branch, _ := g.branch(base, true)
	b.SetBytes(int64(len(base.bytes())))
	b.ReportAllocs()
	for b.Loop() {
		Diff(base.bytes(), branch.bytes())
	}
}
