package markdown

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var sevenSections = []Known{{Name: "Goals"}, {Name: "Constraints"}, {Name: "Preferences"}, {Name: "Unknowns"}, {Name: "Decisions"}, {Name: "Context"}, {Name: "Notes"}}

// A modelItem is a bullet of the model that branches are made on. Identity is the pointer's id.
type modelItem struct {
	id   int
	text string
}

// A model is an exploration as a generator knows it: the bullets of each section.
type model [][]modelItem

func (m model) clone() model {
	c := make(model, len(m))
	for i, s := range m {
		c[i] = slices.Clone(s)
	}
	return c
}

func (m model) bytes() []byte {
	var b strings.Builder
	b.WriteString("# Search over records\n")
	for i, s := range m {
		fmt.Fprintf(&b, "\n## %s\n", sevenSections[i].Name)
		if len(s) > 0 {
			b.WriteString("\n")
		}
		for _, item := range s {
			b.WriteString("- " + item.text + "\n")
		}
	}
	return []byte(b.String())
}

var vocabulary = strings.Fields(`the a every one index file record agent session branch merge search query token budget answer section heading
	front matter key value writes reads keeps holds drops moves lists shows finds counts must should may cannot never always only
	within under over before after without SQLite Markdown YAML Git editor watcher journal lock cache schema server client tool
	100 ms 10,000 files 2 GB offline locally twice once fast slow small large stable sorted hidden public shared personal project`)

func sentence(r *rand.Rand) string {
	words := make([]string, 5+r.IntN(10))
	for i := range words {
		words[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}

// reword changes one or two words.
func reword(r *rand.Rand, text string) string {
	words := strings.Fields(text)
	for range 1 + r.IntN(2) {
		switch i := r.IntN(len(words)); r.IntN(3) {
		case 0:
			words[i] = vocabulary[r.IntN(len(vocabulary))]
		case 1:
			words = slices.Insert(words, i, vocabulary[r.IntN(len(vocabulary))])
		default:
			if len(words) > 5 {
				words = slices.Delete(words, i, i+1)
			} else {
				words = append(words, "now")
			}
		}
	}
	if s := strings.Join(words, " "); s != text {
		return s
	}
	return text + " today"
}

// changes is what a branch did, by item.
type changes struct {
	added, reworded, deleted, moved map[int]bool
}

func (c changes) touched(id int) bool { return c.reworded[id] || c.deleted[id] || c.moved[id] }

// A generator makes branches. New items get ids that no other branch uses.
type generator struct {
	*rand.Rand
	next     int
	sections []int         // that branches may change; all if nil
	keeps    bool          // branches delete nothing
	first    map[int]*unit // the first text of each item
	words    *matcher

	// Of trees:
	plain   bool // no node has a word of its own
	few     int  // how many words the texts are made of, all if 0
	flat    bool // one section, and changes of its items only
	most    int  // changes of a branch
	repeats bool // some texts stand several times
	used    map[string]bool
	texts   []string
}

func (g *generator) item() modelItem {
	if g.words == nil {
		g.first, g.words = map[int]*unit{}, &matcher{words: map[string]int32{}, bags: map[*unit][]int32{}}
	}
	g.next++
	return modelItem{g.next, g.telling(g.next, func() string { return sentence(g.Rand) })}
}

// telling makes texts until one tells its item: it is similar to the item's first text, and to no other's. No merge can know whether a text
// that is similar to a deleted item's is that item reworded or another one.
func (g *generator) telling(id int, make func() string) string {
	for {
		text := make()
		u := &unit{kind: proseUnit, own: text}
		ok := true
		for of, first := range g.first {
			score := g.words.similar(first, u)
			ok = ok && (of == id && score >= similarAway && text != first.own || of != id && score < similarHere)
		}
		if ok {
			if g.first[id] == nil {
				g.first[id] = u
			}
			return text
		}
	}
}

func (g *generator) base(bullets int) model {
	m := make(model, len(sevenSections))
	for i := range m {
		for range bullets {
			if g.sections == nil || slices.Contains(g.sections, i) {
				m[i] = append(m[i], g.item())
			}
		}
	}
	return m
}

// branch changes one or two sections in one to four places: 70 % of the changes are new items, 20 %
// rewordings, 10 % deletions; with moves, some are those.
func (g *generator) branch(base model, moves bool) (model, changes) {
	m := base.clone()
	c := changes{map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]bool{}}
	from := g.sections
	if from == nil {
		from = []int{0, 1, 2, 3, 4, 5, 6}
	}
	for range 1 + g.IntN(2) {
		s := from[g.IntN(len(from))]
		for range 1 + g.IntN(4) {
			i := 0
			if len(m[s]) > 0 {
				i = g.IntN(len(m[s]))
			}
			kind := g.IntN(100)
			if moves && g.IntN(8) == 0 {
				kind = 100
			}
			switch {
			case kind < 45 || len(m[s]) == 0 || kind >= 70 && c.added[m[s][i].id]:
				item := g.item()
				c.added[item.id] = true
				m[s] = append(m[s], item)
			case kind < 70:
				item := g.item()
				c.added[item.id] = true
				m[s] = slices.Insert(m[s], i, item)
			case kind < 90 || kind < 100 && g.keeps:
				item := &m[s][i]
				item.text = g.telling(item.id, func() string { return reword(g.Rand, item.text) })
				c.reworded[item.id] = true
			case kind < 100:
				c.deleted[m[s][i].id] = true
				m[s] = slices.Delete(m[s], i, i+1)
			default:
				item := m[s][i]
				m[s] = slices.Delete(m[s], i, i+1)
				to := s
				if g.IntN(3) == 0 {
					to = from[g.IntN(len(from))]
				}
				k := g.IntN(len(m[to]) + 1)
				if to == s && k > i-3 && k < i+3 { // it could as well be its neighbour that moved
					m[s] = slices.Insert(m[s], i, item)
					continue
				}
				m[to] = slices.Insert(m[to], k, item)
				c.moved[item.id] = true
			}
		}
	}
	return m, c
}

// withLikely counts as moved all items of m that can have been moved within their section: without one, the longest run in base's order
// is no shorter.
func (c changes) withLikely(base, m model) {
	for s := range m {
		var was, ids []int // by place in m: the place in the base, and the item
		for _, item := range m[s] {
			if at := slices.IndexFunc(base[s], func(b modelItem) bool { return b.id == item.id }); at >= 0 {
				was, ids = append(was, at), append(ids, item.id)
			}
		}
		for i, id := range ids {
			others := slices.Delete(slices.Clone(was), i, i+1)
			if slices.Max(append(longest(others), 0)) == slices.Max(longest(was)) {
				c.moved[id] = true
			}
		}
	}
}

// verify checks a clean merge against what the generator knows.
func verify(base, ours, theirs model, co, ct changes, out []byte) error {
	place := func(m model) map[int][2]int {
		at := map[int][2]int{}
		for s, items := range m {
			for i, item := range items {
				at[item.id] = [2]int{s, i}
			}
		}
		return at
	}
	atBase, atOurs, atTheirs := place(base), place(ours), place(theirs)
	want := make([]map[string]int, len(base)) // by section: text to id
	for i := range want {
		want[i] = map[string]int{}
	}
	expect := func(id int) {
		o, inO := atOurs[id]
		t, inT := atTheirs[id]
		text, at := "", [2]int{}
		switch {
		case inO && inT:
			text, at = ours[o[0]][o[1]].text, o
			if ct.reworded[id] {
				text = theirs[t[0]][t[1]].text
			}
			if ct.moved[id] {
				at = t
			}
		case inO && !ct.deleted[id]:
			text, at = ours[o[0]][o[1]].text, o
		case inT && !co.deleted[id]:
			text, at = theirs[t[0]][t[1]].text, t
		default:
			return
		}
		want[at[0]][text] = id
	}
	for id := range atBase {
		expect(id)
	}
	for id := range atOurs {
		expect(id)
	}
	for id := range atTheirs {
		expect(id)
	}
	d, err := Parse(out, 0)
	if err != nil {
		return err
	}
	if len(d.Sections) != len(base) {
		return fmt.Errorf("%d sections, want %d", len(d.Sections), len(base))
	}
	for s, section := range d.Sections {
		var got []int
		for line := range strings.Lines(d.Text(section)) {
			text := strings.TrimSuffix(strings.TrimPrefix(line, "- "), "\n")
			id, ok := want[s][text]
			if !ok {
				return fmt.Errorf("%s has %q, which should not be there", section.Name, text)
			}
			got = append(got, id)
			delete(want[s], text)
		}
		for text := range want[s] {
			return fmt.Errorf("%s has lost %q", section.Name, text)
		}
		// What stands in one order on both sides does in the result; without moves each side's whole order does.
		kept := func(m model) (order []int) {
			for _, item := range m[s] {
				if slices.Contains(got, item.id) {
					order = append(order, item.id)
				}
			}
			return order
		}
		o, t := kept(ours), kept(theirs)
		if len(co.moved)+len(ct.moved) == 0 {
			for _, order := range [][]int{o, t} {
				if !subsequence(order, got) {
					return fmt.Errorf("%s has %v, not in a side's order %v", section.Name, got, order)
				}
			}
		}
		for i, x := range got {
			for _, y := range got[:i] {
				if co.moved[x] && ct.moved[y] || co.moved[y] && ct.moved[x] {
					continue // each side moved one past the other
				}
				xo, yo, xt, yt := slices.Index(o, x), slices.Index(o, y), slices.Index(t, x), slices.Index(t, y)
				if xo >= 0 && yo >= 0 && xt >= 0 && yt >= 0 && xo < yo && xt < yt {
					return fmt.Errorf("%s has %d before %d, unlike both sides: %v, %v", section.Name, y, x, o, t)
				}
			}
		}
	}
	return nil
}

func subsequence(part, whole []int) bool {
	for _, x := range whole {
		if len(part) > 0 && part[0] == x {
			part = part[1:]
		}
	}
	return len(part) == 0
}

func mirrored(conflicts []MergeConflict) []MergeConflict {
	out := slices.Clone(conflicts)
	for i := range out {
		out[i].Ours, out[i].Theirs = out[i].Theirs, out[i].Ours
		out[i].Line = 0
	}
	return out
}

// checkLaws tests the laws that hold for any three texts. After both sides moved units, what is left of a list may not tell any more which
// of them moved: then merging again may order them in another way or be a conflict, but loses nothing.
func checkLaws(t *testing.T, base, ours, theirs []byte, bothMoved bool) Merged {
	t.Helper()
	m := Merge(base, ours, theirs, sevenSections, MergeLabels{})
	swapped := Merge(base, theirs, ours, sevenSections, MergeLabels{})
	show := func() string {
		return "--- ours\n" + lineDiff(base, ours) + "--- theirs\n" + lineDiff(base, theirs) +
			"--- out\n" + lineDiff(base, m.Out) + "--- swapped\n" + lineDiff(m.Out, swapped.Out)
	}
	if len(m.Conflicts) == 0 {
		if !bytes.Equal(m.Out, swapped.Out) || len(swapped.Conflicts) > 0 {
			t.Fatalf("not symmetric\n%s", show())
		}
		for _, side := range [][]byte{ours, theirs, base} {
			again := Merge(base, m.Out, side, sevenSections, MergeLabels{})
			if !bytes.Equal(again.Out, m.Out) && !(bothMoved && subset(linesOf(string(m.Out)), linesOf(string(again.Out)))) {
				t.Fatalf("merging again changes it\n%s--- again\n%s", show(), lineDiff(m.Out, again.Out))
			}
		}
	} else if slices.ContainsFunc(m.Conflicts, func(c MergeConflict) bool { return c.Ours == c.Theirs }) {
		t.Fatalf("a conflict without a difference\n%s", show())
	} else if !slices.Equal(withoutLines(m.Conflicts), mirrored(swapped.Conflicts)) {
		t.Fatalf("conflicts are not mirrored\n%s", show())
	}
	for _, x := range [][]byte{base, ours, theirs} {
		for _, y := range [][]byte{base, ours, theirs} {
			if got := Merge(x, x, y, nil, MergeLabels{}); !bytes.Equal(got.Out, y) || len(got.Conflicts) > 0 {
				t.Fatalf("theirs alone is not taken whole\n%s", show())
			}
			if got := Merge(x, y, x, nil, MergeLabels{}); !bytes.Equal(got.Out, y) || len(got.Conflicts) > 0 {
				t.Fatalf("ours alone is not taken whole\n%s", show())
			}
			if got := Merge(x, y, y, nil, MergeLabels{}); !bytes.Equal(got.Out, y) || len(got.Conflicts) > 0 {
				t.Fatalf("what is alike is not taken whole\n%s", show())
			}
		}
	}
	return m
}

func subset(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(whole, s) })
}

// lineDiff shows the lines that differ, with one line before each change.
func lineDiff(a, b []byte) string {
	ids := map[string]int32{}
	key := func(line string) string { return line }
	x, y := linesOf(string(a)), linesOf(string(b))
	var out strings.Builder
	at := 0
	for i, j := range align(numbered(ids, x, key), numbered(ids, y, key)) {
		if j < 0 {
			fmt.Fprintf(&out, "-%d %q\n", i+1, x[i])
			continue
		}
		for ; at < j; at++ {
			fmt.Fprintf(&out, "+%d %q\n", at+1, y[at])
		}
		at = j + 1
	}
	for ; at < len(y); at++ {
		fmt.Fprintf(&out, "+%d %q\n", at+1, y[at])
	}
	return out.String()
}

func withoutLines(conflicts []MergeConflict) []MergeConflict {
	out := slices.Clone(conflicts)
	for i := range out {
		out[i].Line = 0
	}
	return out
}

// TestMergeBranches merges random pairs of branches: always the same ones, and some new ones.
func TestMergeBranches(t *testing.T) {
	for _, test := range []struct {
		name           string
		pairs, bullets int
		moves, git     bool
	}{
		{"14 bullets", 1000, 14, false, true},
		{"moves", 500, 14, true, false},
		{"3 bullets", 300, 3, false, false}, // where every list is short, branches meet often
		{"3 bullets, moves", 300, 3, true, false},
	} {
		t.Run(test.name, func(t *testing.T) { mergeBranches(t, 1, test.pairs/raceShare, test.bullets, test.moves, test.git) })
	}
	t.Run("new", func(t *testing.T) {
		seed := uint64(time.Now().UnixNano())
		if s := os.Getenv("MERGE_SEED"); s != "" {
			fmt.Sscan(s, &seed)
		}
		mergeBranches(t, seed, 200/raceShare, 14, true, false)
	})
}

var gitPairs = 300 / raceShare // that git merges as well, for comparison

func mergeBranches(t *testing.T, seed uint64, pairs, bullets int, moves, git bool) {
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	dir := t.TempDir()
	var conflicts, overlaps, plain, withRevision int
	for i := range pairs {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		if moves { // in few lists, where the branches meet often
			g.sections = []int{0, 1}
		}
		base := g.base(bullets)
		ours, co := g.branch(base, moves)
		theirs, ct := g.branch(base, moves)
		co.withLikely(base, ours)
		ct.withLikely(base, theirs)
		overlap, hard := 0, 0
		for _, items := range base {
			for _, item := range items {
				id := item.id
				if co.touched(id) && ct.touched(id) {
					overlap++
				}
				if co.reworded[id] && ct.reworded[id] || co.moved[id] && ct.moved[id] ||
					co.deleted[id] && (ct.reworded[id] || ct.moved[id]) || ct.deleted[id] && (co.reworded[id] || co.moved[id]) {
					hard++
				}
			}
		}
		m := checkLaws(t, base.bytes(), ours.bytes(), theirs.bytes(), len(co.moved) > 0 && len(ct.moved) > 0)
		if overlap > 0 {
			overlaps++
		}
		if len(m.Conflicts) > 0 {
			conflicts++
		}
		show := func() string {
			return fmt.Sprintf("pair %d\n--- ours\n%s--- theirs\n%s--- out\n%s", i,
				lineDiff(base.bytes(), ours.bytes()), lineDiff(base.bytes(), theirs.bytes()), lineDiff(base.bytes(), m.Out))
		}
		if len(m.Conflicts) > 2*overlap || hard > 0 && !moves && len(m.Conflicts) == 0 {
			t.Fatalf("%d conflicts, but both sides changed %d items, %d of them in different ways; %s", len(m.Conflicts), overlap, hard, show())
		}
		if len(m.Conflicts) == 0 && hard == 0 {
			if err := verify(base, ours, theirs, co, ct, m.Out); err != nil {
				t.Fatalf("%v; %s", err, show())
			}
		}
		if git && i < gitPairs {
			if gitConflicts(t, dir, base.bytes(), ours.bytes(), theirs.bytes()) {
				plain++
			}
			front := func(revision int, body []byte) []byte {
				return append(fmt.Appendf(nil, "---\nrevision: %d\n---\n", revision), body...)
			}
			if gitConflicts(t, dir, front(3, base.bytes()), front(4, ours.bytes()), front(5, theirs.bytes())) {
				withRevision++
			}
		}
	}
	t.Logf("%d pairs: same item changed by both in %d, conflicts in %d", pairs, overlaps, conflicts)
	if git {
		t.Logf("git merge-file: conflicts in %d of the first %d, with a revision line that both sides changed in %d", plain, gitPairs, withRevision)
	}
}

// TestMergeAssociative merges three branches in each order: those that change other sections, with moves and
// deletions, and those that only add and reword, in the same lists.
func TestMergeAssociative(t *testing.T) {
	for _, apart := range []bool{true, false} {
		checked := 0
		for i := range 250 / raceShare {
			g := &generator{Rand: rand.New(rand.NewPCG(11, uint64(i)))}
			base := g.base(14)
			var branches [3][]byte
			reworded := map[int]int{}
			for k := range branches {
				if apart {
					g.sections = []int{2 * k, 2*k + 1}
				}
				g.keeps = !apart // what is put beside something deleted has no place any more
				m, c := g.branch(base, apart)
				branches[k] = m.bytes()
				for id := range c.reworded {
					reworded[id]++
				}
			}
			overlap := false
			for _, n := range reworded {
				overlap = overlap || n > 1
			}
			if overlap && !apart {
				continue
			}
			checked++
			merge := func(a, b []byte) []byte {
				m := Merge(base.bytes(), a, b, sevenSections, MergeLabels{})
				if len(m.Conflicts) > 0 {
					t.Fatalf("%d: conflicts where nothing overlaps\n%s", i, m.Out)
				}
				return m.Out
			}
			a, b, c := branches[0], branches[1], branches[2]
			want := merge(merge(a, b), c)
			for _, got := range [][]byte{merge(a, merge(b, c)), merge(merge(a, c), b), merge(merge(c, b), a)} {
				if !bytes.Equal(got, want) {
					t.Fatalf("%d: the order of merging counts\n%s", i, lineDiff(want, got))
				}
			}
		}
		if checked < 200/raceShare {
			t.Errorf("only %d triples were checked", checked)
		}
	}
}

func gitConflicts(t *testing.T, dir string, base, ours, theirs []byte) bool {
	t.Helper()
	var files []string
	for name, text := range map[string][]byte{"1ours": ours, "2base": base, "3theirs": theirs} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	slices.Sort(files)
	err := exec.Command("git", append([]string{"merge-file", "-p", "-q"}, files...)...).Run()
	exit, ok := err.(*exec.ExitError)
	if err != nil && !ok {
		t.Skip("git is not here")
	}
	return ok && exit.ExitCode() > 0
}
