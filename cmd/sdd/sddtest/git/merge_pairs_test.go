package git

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sdd/internal/longtest"
)

// outline is an exploration of which a test knows what it says: the items of each section, by their number.
type outline struct {
	revision int
	sections []string
	items    map[string][]item
}

type item struct {
	id   int
	text string
}

func (o outline) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: Topic\nproject: shop\nscope: project\nrevision: %d\ncreated: 2026-11-21\n---\n", o.revision)
	for _, s := range o.sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s)
		for _, i := range o.items[s] {
			fmt.Fprintf(&b, "- %s\n", i.text)
		}
	}
	return b.String()
}

func (o outline) clone() outline {
	c := outline{o.revision, o.sections, map[string][]item{}}
	for s, items := range o.items {
		c.items[s] = slices.Clone(items)
	}
	return c
}

// find returns what an item says, "" when it is not there.
func (o outline) find(id int) string {
	for _, items := range o.items {
		for _, i := range items {
			if i.id == id {
				return i.text
			}
		}
	}
	return ""
}

// says reports whether the outline has just these items.
func (o outline) says(lines map[string]bool) bool {
	n := 0
	for _, items := range o.items {
		for _, i := range items {
			if n++; !lines["- "+i.text+"\n"] {
				return false
			}
		}
	}
	return n == len(lines)
}

type generator struct {
	*rand.Rand
	last int
}

var vocabulary = strings.Fields(`account address agent answer archive author backup branch budget button cache carrier
	channel client clock cloud column commit contract cookie country courier customer database deadline delivery device
	discount driver editor email engine event export factor failure feature field filter folder format gateway header
	history image import index invoice journal kernel label language ledger letter limit link list locale login mailbox
	market memory message meter mobile monitor network number office option order owner package page panel parcel partner
	password payment period phone picture plan policy portal price printer process product profile project protocol query
	queue quota rate reader receipt record refund region release report request result review role route sample schedule
	schema screen script search secret section sender server service session shelf signal source stock storage street
	supplier support system table tariff team template tenant ticket token topic tracker trade transfer unit update user
	vendor version voucher warehouse webhook window worker zone`)

func (g *generator) item() item {
	g.last++
	words := []string{}
	for range 6 + g.IntN(6) {
		words = append(words, vocabulary[g.IntN(len(vocabulary))])
	}
	return item{g.last, fmt.Sprintf("%s (%d)", strings.Join(words, " "), g.last)}
}

func (g *generator) base() outline {
	o := outline{3, strings.Fields("Goals Constraints Preferences Unknowns Decisions Context"), map[string][]item{}}
	for _, s := range o.sections {
		for range 4 + g.IntN(5) {
			o.items[s] = append(o.items[s], g.item())
		}
	}
	return o
}

// branch makes one to three saves that change one or two sections.
func (g *generator) branch(base outline) outline {
	o := base.clone()
	sections := []string{o.sections[g.IntN(len(o.sections))], o.sections[g.IntN(len(o.sections))]}[:1+g.IntN(2)]
	for range 1 + g.IntN(3) {
		s := sections[g.IntN(len(sections))]
		items := o.items[s]
		switch k := g.IntN(10); {
		case k < 4 || len(items) < 2:
			items = append(items, g.item())
		case k < 9:
			i := g.IntN(len(items))
			words := strings.Fields(items[i].text)
			words[g.IntN(len(words)-1)] = "quite"
			words = slices.Insert(words, g.IntN(len(words)-1), vocabulary[g.IntN(len(vocabulary))])
			items[i].text = strings.Join(words, " ")
		default:
			i := g.IntN(len(items))
			items = slices.Delete(items, i, i+1)
		}
		o.items[s] = items
		o.revision++
	}
	return o
}

var itemNumber = regexp.MustCompile(`\((\d+)\)\n`)

// TestMergePairs merges random pairs of branches with git, with the driver and without: the driver may give up only
// where both sides changed one item in different ways, and what it merges has all that both sides say.
func TestMergePairs(t *testing.T) {
	t.Parallel()
	pairs := longtest.Of(8, 100)
	g := &generator{Rand: rand.New(rand.NewPCG(7, longtest.Of[uint64](4, 11)))}
	c := newStore(t)
	count := map[string]int{}
	for n := range pairs {
		base := g.base()
		ours, theirs := g.branch(base), g.branch(base)
		commit := func(branch, from string, o outline) {
			c.Git("checkout", "-q", "-B", branch, from)
			c.Write(topic, o.String())
			c.Git("commit", "-q", "--allow-empty", "-am", branch)
		}
		commit("base", "main", base)
		commit("theirs", "base", theirs)
		commit("ours", "base", ours)
		head := strings.TrimSpace(c.Git("rev-parse", "HEAD"))
		overlap := false
		for id := 1; id <= g.last; id++ {
			b, o, t := base.find(id), ours.find(id), theirs.find(id)
			overlap = overlap || o != t && o != b && t != b
		}
		if overlap {
			count["overlap"]++
		}
		if _, code := c.Run("git", "-c", "merge.sdd.driver=git merge-file -q %A %O %B", "merge", "-q", "--no-edit", "theirs"); code != 0 {
			count["text"]++
		}
		c.Git("reset", "-q", "--hard", head)
		out, code := c.Run("git", "merge", "-q", "--no-edit", "theirs")
		got := c.Read(topic)
		if code != 0 {
			count["driver"]++
			if !overlap {
				t.Errorf("pair %d: a conflict where both sides changed different things\n%s\n%s", n, out, got)
			}
			c.Git("reset", "-q", "--hard", head)
			continue
		}
		if overlap {
			t.Errorf("pair %d: no conflict where both sides changed one thing\n%s", n, got)
			continue
		}
		want := map[string]bool{}
		for id := 1; id <= g.last; id++ {
			b, o, t := base.find(id), ours.find(id), theirs.find(id)
			if o == b {
				o = t
			}
			if o != "" {
				want["- "+o+"\n"] = true
			}
		}
		// Where one side has all that the other has, its revision counts the other's saves already.
		revision := ours.revision + theirs.revision - base.revision
		if ours.says(want) || theirs.says(want) {
			revision = max(ours.revision, theirs.revision)
		}
		if !strings.Contains(got, fmt.Sprintf("revision: %d\n", revision)) {
			t.Errorf("pair %d: no revision %d in\n%s", n, revision, got)
		}
		found := 0
		for line := range strings.Lines(got) {
			if itemNumber.MatchString(line) {
				if found++; !want[line] {
					t.Errorf("pair %d: %q should not be there\n%s", n, line, got)
				}
			}
		}
		if found != len(want) {
			t.Errorf("pair %d: %d items, want %d\n%s", n, found, len(want), got)
		}
	}
	t.Logf("%d pairs of branches: %d change one item on both sides; conflicts: %d with the driver, %d without",
		pairs, count["overlap"], count["driver"], count["text"])
}
