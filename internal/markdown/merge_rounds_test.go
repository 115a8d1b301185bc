package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sdd/internal/longtest"
)

// A section of an outline that branches are made on is a node whose kids are its units.
type pages []*treeNode

func (p pages) bytes() []byte {
	var b strings.Builder
	for _, s := range p {
		fmt.Fprintf(&b, "## %s\n\n", s.text)
		s.write(&b, "")
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func (p pages) clone() pages { return pages(forest(p).clone()) }

// nodes are all nodes by their id, sections included.
func (p pages) nodes() map[int]*treeNode {
	all := map[int]*treeNode{}
	for _, s := range p {
		for _, n := range s.all() {
			all[n.id] = n
		}
	}
	return all
}

// A branch is what one side made of a base, and what it did to which node. A split node is deleted, and its
// halves are new.
type branch struct {
	pages
	added, deleted, reworded, moved map[int]bool
	half                            map[int]string // of which text a new one is a half
	was                             map[int]*treeNode
}

func (b *branch) touched(id int) bool { return b.reworded[id] || b.moved[id] || b.deleted[id] }

func (g *generator) pages() pages {
	var p pages
	sections := 2 + g.IntN(3)
	if g.flat {
		sections = 1
	}
	for i := range sections {
		p = append(p, g.page(sevenSections[i].Name))
	}
	return p
}

func (g *generator) page(name string) *treeNode {
	g.next++
	s := &treeNode{kind: sectionUnit, id: g.next, text: name}
	for range 1 + g.IntN(6) {
		n := g.node()
		s.kids = append(s.kids, n)
		for n.kind == itemUnit && g.IntN(3) == 0 {
			n.kids = append(n.kids, g.node())
		}
	}
	return s
}

// edit makes a branch with one to five changes.
func (g *generator) edit(base pages) *branch {
	b := &branch{base.clone(), map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]string{}, base.nodes()}
	for range 1 + g.IntN(g.most) {
		g.change(b)
	}
	return b
}

func (g *generator) change(b *branch) {
	if !g.flat && g.IntN(12) == 0 {
		g.changeSection(b)
		return
	}
	var holders []*treeNode
	for _, s := range b.pages {
		for _, n := range s.all() {
			if n.kind == sectionUnit || n.kind == itemUnit && !g.flat {
				holders = append(holders, n)
			}
		}
	}
	if len(holders) == 0 {
		return
	}
	full := slices.DeleteFunc(slices.Clone(holders), func(n *treeNode) bool { return len(n.kids) == 0 })
	p := holders[g.IntN(len(holders))]
	add := func(at int, n *treeNode) {
		p.kids = slices.Insert(p.kids, at, n)
		b.added[n.id] = true
	}
	op := g.IntN(12)
	if op < 3 || len(full) == 0 {
		add(g.IntN(len(p.kids)+1), g.node())
		return
	}
	p = full[g.IntN(len(full))]
	at := g.IntN(len(p.kids))
	n := p.kids[at]
	switch op {
	case 3, 4: // reword
		n.text = g.unique(func() string { return reword(g.Rand, n.text) })
		b.reworded[n.id] = true
	case 5, 6, 7: // delete
		p.kids = slices.Delete(p.kids, at, at+1)
		b.drop(n)
	case 8: // split
		words := strings.Fields(n.text)
		if n.kind != itemUnit || len(words) < 4 {
			return
		}
		left, right := strings.Join(words[:len(words)/2], " "), strings.Join(words[len(words)/2:], " ")
		if g.plain && (left == right || g.used[left] || g.used[right]) {
			return
		}
		of := cmp.Or(b.half[n.id], n.line())
		if was := b.was[n.id]; was != nil {
			of = was.line()
		}
		half := func(text string) *treeNode {
			g.next++
			b.added[g.next], b.half[g.next] = true, of
			return &treeNode{kind: itemUnit, id: g.next, text: g.unique(func() string { return text }), plain: g.plain}
		}
		first, second := half(left), half(right)
		first.kids = n.kids
		for _, k := range n.kids {
			b.moved[k.id] = true
		}
		n.kids = nil
		b.drop(n)
		p.kids = slices.Replace(p.kids, at, at+1, first, second)
	case 9: // nest under the item before it
		if at == 0 || p.kids[at-1].kind != itemUnit {
			return
		}
		p.kids = slices.Delete(p.kids, at, at+1)
		to := p.kids[at-1]
		to.kids = append(to.kids, n)
		b.moved[n.id] = true
	default: // move, perhaps elsewhere
		p.kids = slices.Delete(p.kids, at, at+1)
		to := p
		if op == 11 {
			inside := n.all()
			if to = holders[g.IntN(len(holders))]; slices.Contains(inside, to) {
				to = p
			}
		}
		to.kids = slices.Insert(to.kids, g.IntN(len(to.kids)+1), n)
		b.moved[n.id] = true
	}
}

func (g *generator) changeSection(b *branch) {
	at := g.IntN(len(b.pages))
	s := b.pages[at]
	g.next++
	fresh := fmt.Sprintf("Part %d of %s", g.next, vocabulary[g.IntN(len(vocabulary))])
	switch g.IntN(4) {
	case 0:
		s = g.page(fresh)
		for _, n := range s.all() {
			b.added[n.id] = true
		}
		b.pages = slices.Insert(b.pages, g.IntN(len(b.pages)+1), s)
	case 1:
		if len(b.pages) > 1 {
			b.pages = slices.Delete(b.pages, at, at+1)
			b.drop(s)
		}
	case 2:
		b.pages = slices.Delete(b.pages, at, at+1)
		b.pages = slices.Insert(b.pages, g.IntN(len(b.pages)+1), s)
		for _, s := range b.pages {
			b.moved[s.id] = true
		}
	default:
		s.text = fresh
		b.reworded[s.id] = true
	}
}

func (b *branch) drop(n *treeNode) {
	for _, n := range n.all() {
		b.deleted[n.id] = true
	}
}

// line is how a node stands in a text, apart from markers and indentation.
func (n *treeNode) line() string {
	if n.kind == sectionUnit {
		return "## " + n.text
	}
	return n.says()
}

// textsIn counts the texts of items, paragraphs, fences and headings.
func textsIn(text string) map[string]int {
	all := map[string]int{}
	var fence []string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
		switch {
		case line == "```":
			if fenced = !fenced; !fenced {
				all[strings.Join(fence, " ")]++
				fence = nil
			}
		case fenced:
			fence = append(fence, line)
		case line != "":
			all[line]++
		}
	}
	return all
}

// chosen is a merged text with one side of each conflict, for the base with none.
func chosen(text string, side version) string {
	var b strings.Builder
	in := inBase
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			in = inOurs
		case line == "=======\n":
			in = inTheirs
		case strings.HasPrefix(line, ">>>>>>> "):
			in = inBase
		case in == inBase || in == side:
			b.WriteString(line)
		}
	}
	return b.String()
}

// checkTexts tests a merge by how often each text is in it. Where one side left all that says it alone, it is there as often as
// on the other side: what that one deleted or reworded does not come back, what it added is not lost. Of few words it may be: two sides'
// changes of texts that are much alike can be taken for changes of one.
func checkTexts(base pages, ours, theirs *branch, m Merged, few bool) error {
	was := base.nodes()
	var lines [3]map[string]int
	var at [3]map[string]bool // the texts of what a side changed
	for i, s := range []*branch{{pages: base}, ours, theirs} {
		lines[i] = textsIn(string(s.bytes()))
		at[i] = map[string]bool{}
		now := s.nodes()
		for id, n := range was {
			if s.touched(id) {
				at[i][n.line()] = true
			}
		}
		for id, n := range now {
			if s.added[id] || s.touched(id) {
				at[i][n.line()] = true
			}
			if from := s.half[id]; from != "" {
				at[i][from] = true
			}
		}
	}
	var out [3]map[string]int
	for v := range out {
		out[v] = textsIn(chosen(string(m.Out), version(v)))
	}
	for i, s := range []*branch{ours, theirs} {
		mine, alone := lines[1+i], at[2-i]
		unsure := map[string]bool{} // what both sides changed may be merged to a text that neither has
		for id, n := range s.nodes() {
			from := s.half[id]
			if was[id] != nil {
				from = was[id].line()
			}
			unsure[n.line()] = unsure[n.line()] || alone[from]
		}
		for _, text := range slices.Sorted(maps.Keys(at[1+i])) {
			had, has := lines[0][text], mine[text]
			switch {
			case alone[text] || unsure[text]:
			case has < had && out[inBase][text] > has:
				return fmt.Errorf("%q came back", text)
			case has > had && max(out[inOurs][text], out[inTheirs][text]) < has && !few:
				return fmt.Errorf("%q is lost", text)
			case len(m.Conflicts) == 0 && out[inBase][text] != has && !few:
				return fmt.Errorf("%q is there %d times instead of %d", text, out[inBase][text], has)
			}
		}
	}
	if len(m.Conflicts) > 0 {
		return nil
	}
	for text, n := range lines[0] {
		if !at[1][text] && !at[2][text] && out[inBase][text] != n {
			return fmt.Errorf("%q, which both sides left alone, is there %d times instead of %d", text, out[inBase][text], n)
		}
	}
	return nil
}

// TestMergeRounds merges random branches that move, reword, split, nest, delete and add units and sections; with texts that are
// much alike, and some that stand several times. SDD_LONG=1 takes 100,000 rounds; MERGE_ROUNDS and MERGE_SEED set them by hand.
func TestMergeRounds(t *testing.T) {
	rounds, seed := longtest.Of(15_000, 100_000)/raceShare, uint64(9)
	for name, to := range map[string]any{"MERGE_ROUNDS": &rounds, "MERGE_SEED": &seed} {
		if s := os.Getenv(name); s != "" {
			fmt.Sscan(s, to)
		}
	}
	disputed, conflicts := 0, 0
	for i := range rounds {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(i))), plain: i%2 == 1, most: 5, flat: i%16 > 7, used: map[string]bool{}}
		g.repeats = g.plain && i%32 > 15
		if i%4 == 3 {
			g.few = 12
		}
		if i%8 > 3 {
			g.most = 12
		}
		base := g.pages()
		ours, theirs := g.edit(base), g.edit(base)
		m := Merge(base.bytes(), ours.bytes(), theirs.bytes(), sevenSections, MergeLabels{})
		if conflicts += len(m.Conflicts); len(m.Conflicts) > 0 {
			disputed++
		}
		if err := checkTexts(base, ours, theirs, m, g.few > 0); err != nil {
			t.Errorf("seed %d, round %d: %v\n--- base\n%s--- ours\n%s--- theirs\n%s--- out\n%s", seed, i, err, base.bytes(),
				lineDiff(base.bytes(), ours.bytes()), lineDiff(base.bytes(), theirs.bytes()), m.Out)
		}
		swapped := Merge(base.bytes(), theirs.bytes(), ours.bytes(), sevenSections, MergeLabels{})
		if !slices.Equal(withoutLines(m.Conflicts), mirrored(swapped.Conflicts)) || len(m.Conflicts) == 0 && !bytes.Equal(m.Out, swapped.Out) {
			t.Errorf("seed %d, round %d: not symmetric\n%s", seed, i, lineDiff(m.Out, swapped.Out))
		}
	}
	t.Logf("%d rounds: %d conflicts in %d", rounds, conflicts, disputed)
}
