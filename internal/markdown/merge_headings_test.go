package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sdd/internal/longtest"
)

// groupedItems are the items below each deeper heading of one section, "" for those before the first.
type groupedItems map[string][]string

func (g groupedItems) bytes(order []string) []byte {
	var b strings.Builder
	b.WriteString("## Options\n")
	for _, name := range append([]string{""}, order...) {
		if name != "" {
			b.WriteString("\n### " + name + "\n")
		}
		for i, item := range g[name] {
			if i == 0 {
				b.WriteString("\n")
			}
			b.WriteString("- " + item + "\n")
		}
	}
	return []byte(b.String())
}

func readGroups(t *testing.T, text []byte) groupedItems {
	t.Helper()
	blocks, err := Blocks(string(text))
	if err != nil {
		t.Fatal(err)
	}
	g, name := groupedItems{}, ""
	for _, b := range blocks {
		switch b.Kind {
		case Title:
			if name = b.Text; b.Level == 2 {
				name = ""
			}
		case Item:
			g[name] = append(g[name], b.Text)
		}
	}
	return g
}

// TestMergeKeepsHeadings holds that an item which a side added is below the heading below which that side has it, also where the
// sides add the same words below two headings, and that what both sides kept is where it was.
func TestMergeKeepsHeadings(t *testing.T) {
	words := strings.Fields("amber basalt cedar delta ember fjord garnet harbor indigo jasper kelp lagoon marble nectar onyx prairie quartz river")
	clean := uint64(0)
	merges := longtest.Of[uint64](400, 2000)
	for seed := range merges {
		r := rand.New(rand.NewPCG(seed, 7))
		text := func() string {
			return fmt.Sprintf("%s %s %s %d", words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(1000))
		}
		names := []string{"Postgres", "Files", "Memory"}[:1+r.IntN(3)]
		base := groupedItems{}
		for _, name := range append([]string{""}, names...) {
			for range r.IntN(3) {
				base[name] = append(base[name], text())
			}
		}
		var sides [2][]byte
		var added [2]groupedItems
		for s := range sides {
			side, order := maps.Clone(base), slices.Clone(names)
			added[s] = groupedItems{}
			add := func(name, item string) {
				side[name] = append(slices.Clone(side[name]), item)
				added[s][name] = append(added[s][name], item)
			}
			for range 1 + r.IntN(3) {
				switch name := append([]string{""}, order...)[r.IntN(len(order)+1)]; r.IntN(5) {
				case 0:
					fresh := "New " + words[r.IntN(3)]
					if !slices.Contains(order, fresh) {
						order = append(order, fresh)
					}
					add(fresh, text())
				case 1:
					r.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
				case 2:
					add(name, "the same words on both sides")
				default:
					add(name, text())
				}
			}
			sides[s] = side.bytes(order)
		}
		baseText := base.bytes(names)
		m := checkLaws(t, baseText, sides[0], sides[1], true)
		if len(m.Conflicts) > 0 {
			continue
		}
		clean++
		got := readGroups(t, m.Out)
		for _, want := range append(added[:], base) {
			for name, items := range want {
				for _, item := range items {
					if !slices.Contains(got[name], item) {
						t.Fatalf("seed %d: no %q below %q\nbase:\n%s\nours:\n%s\ntheirs:\n%s\nmerged:\n%s", seed, item, name, baseText, sides[0], sides[1], m.Out)
					}
				}
			}
		}
	}
	if clean < merges/2 {
		t.Errorf("%d of %d merges are without a conflict", clean, merges)
	}
}
