package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A treeNode is an item, paragraph or fence of the trees that branches are made on. Its first word is
// its own, so it can be found again whatever else becomes of its text.
type treeNode struct {
	kind  unitKind
	id    int
	text  string
	plain bool // without the word of its own: only its text tells
	kids  []*treeNode
}

func (n *treeNode) says() string {
	if n.plain {
		return n.text
	}
	return fmt.Sprintf("n%d %s", n.id, n.text)
}

func (n *treeNode) clone() *treeNode {
	c := *n
	c.kids = nil
	for _, k := range n.kids {
		c.kids = append(c.kids, k.clone())
	}
	return &c
}

func (n *treeNode) all() []*treeNode {
	nodes := []*treeNode{n}
	for _, k := range n.kids {
		nodes = append(nodes, k.all()...)
	}
	return nodes
}

func (n *treeNode) write(b *strings.Builder, indent string) {
	for i, k := range n.kids {
		text := k.says()
		switch k.kind {
		case itemUnit:
			b.WriteString(indent + "- " + text + "\n")
			k.write(b, indent+"  ")
		case proseUnit:
			if i > 0 || indent != "" {
				b.WriteString("\n")
			}
			b.WriteString(indent + text + "\n\n")
		default:
			b.WriteString("\n" + indent + "```\n" + indent + strings.ReplaceAll(text, " ", "\n"+indent) + "\n" + indent + "```\n\n")
		}
	}
}

type forest []*treeNode

func (f forest) bytes() []byte {
	var b strings.Builder
	for i, root := range f {
		fmt.Fprintf(&b, "## %s\n\n", sevenSections[i].Name)
		root.write(&b, "")
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func (f forest) clone() forest {
	var c forest
	for _, root := range f {
		c = append(c, root.clone())
	}
	return c
}

func (f forest) texts() map[int]string {
	texts := map[int]string{}
	for _, root := range f {
		for _, n := range root.all()[1:] {
			texts[n.id] = n.text
		}
	}
	return texts
}

func (g *generator) node() *treeNode {
	g.next++
	n := &treeNode{kind: itemUnit, id: g.next, text: g.unique(g.sentence), plain: g.plain}
	if g.repeats && len(g.texts) > 0 && g.IntN(3) == 0 {
		n.text = g.texts[g.IntN(len(g.texts))]
	}
	g.texts = append(g.texts, n.text)
	if g.flat {
		return n
	}
	switch g.IntN(12) {
	case 0:
		n.kind = proseUnit
	case 1:
		n.kind = fenceUnit
	}
	return n
}

// sentence is one of the usual ones, or, for texts that are much alike, one of few words out of few.
func (g *generator) sentence() string {
	if g.few == 0 {
		return sentence(g.Rand)
	}
	words := make([]string, 1+g.IntN(6))
	if g.repeats { // one word that stands several times could be any of them
		words = append(words, "")
	}
	for i := range words {
		words[i] = vocabulary[g.IntN(g.few)]
	}
	return strings.Join(words, " ")
}

// unique makes texts until one is new; nodes with a word of their own may say the same.
func (g *generator) unique(text func() string) string {
	for {
		s := text()
		if !g.plain {
			return s
		}
		if !g.used[s] {
			g.used[s] = true
			return s
		}
	}
}

func (g *generator) forest() forest {
	var f forest
	for range 2 {
		root := &treeNode{}
		for range 1 + g.IntN(4) {
			n := g.node()
			root.kids = append(root.kids, n)
			for range g.IntN(3) {
				if n.kind == itemUnit {
					n.kids = append(n.kids, g.node())
				}
			}
		}
		f = append(f, root)
	}
	return f
}

// regrow makes one to three changes in a copy of a forest.
func (g *generator) regrow(f forest) forest {
	f = f.clone()
	holder := func() *treeNode {
		root := f[g.IntN(len(f))]
		nodes := root.all()
		if n := nodes[g.IntN(len(nodes))]; n.kind == itemUnit {
			return n
		}
		return root
	}
	for range 1 + g.IntN(3) {
		p := holder()
		at := 0
		if len(p.kids) > 0 {
			at = g.IntN(len(p.kids))
		}
		switch op := g.IntN(10); {
		case op < 4 || len(p.kids) == 0:
			p.kids = slices.Insert(p.kids, g.IntN(len(p.kids)+1), g.node())
		case op < 6:
			p.kids[at].text = reword(g.Rand, p.kids[at].text)
		case op < 8:
			p.kids = slices.Delete(p.kids, at, at+1)
		default:
			n := p.kids[at]
			p.kids = slices.Delete(p.kids, at, at+1)
			to := holder()
			to.kids = slices.Insert(to.kids, g.IntN(len(to.kids)+1), n)
		}
	}
	return f
}

// TestMergeTrees merges branches of nested items, paragraphs and fences: the laws hold, and nothing is lost
// that one side added or changed, nor left that one side deleted and the other did not touch.
func TestMergeTrees(t *testing.T) {
	conflicts := 0
	for i := range 2000 / raceShare {
		g := &generator{Rand: rand.New(rand.NewPCG(8, uint64(i)))}
		base := g.forest()
		ours, theirs := g.regrow(base), g.regrow(base)
		m := checkLaws(t, base.bytes(), ours.bytes(), theirs.bytes(), false)
		if len(m.Conflicts) > 0 {
			conflicts++
			continue
		}
		b, o, u := base.texts(), ours.texts(), theirs.texts()
		for id := 1; id <= g.next; id++ {
			was, inB := b[id]
			mine, inO := o[id]
			yours, inT := u[id]
			want := 0
			text := mine
			switch {
			case inO && inT:
				want = 1
				if mine == was {
					text = yours
				} else if yours != was && mine != yours {
					text = "" // of a fence, the lines of both
				}
			case inO && (!inB || mine != was):
				want = 1
			case inT && (!inB || yours != was):
				want, text = 1, yours
			}
			got := count(string(m.Out), id, text)
			if got != want {
				t.Fatalf("%d: %d times %q, want %d\n--- base\n%s--- ours\n%s--- theirs\n%s--- out\n%s", i, got, text, want,
					base.bytes(), lineDiff(base.bytes(), ours.bytes()), lineDiff(base.bytes(), theirs.bytes()), m.Out)
			}
		}
	}
	t.Logf("conflicts in %d of %d", conflicts, 2000/raceShare)
}

// count is how often a node stands in a text, as words in a line or one a line.
func count(out string, id int, text string) int {
	words := strings.Join(strings.Fields(out), " ") + " "
	if text == "" {
		return strings.Count(words, fmt.Sprintf(" n%d ", id))
	}
	return strings.Count(words, fmt.Sprintf("n%d %s ", id, text))
}
