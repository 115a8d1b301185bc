package secrets

import (
	"slices"
	"strings"
	"sync"
)

// rule finds one kind of secret.
type rule struct {
	id, what string
	// triggers are texts of at least two bytes, one of them in or near every secret of the kind. They match without case when folded.
	triggers []string
	folded   bool
	weak     bool // a finding of another rule at the same place wins
	// find returns the secrets in text, in order, from near the hits of the triggers, in time proportional to their number.
	find func(text []byte, hits []hit) []span
}

// hit is the place of a trigger in the text.
type hit struct{ start, end int }

// rules lists every rule. Of two rules that find the same secret, the first one wins.
var rules = sync.OnceValue(func() []rule {
	address := rule{id: "password-in-url", what: "a password in an address", triggers: []string{"://"}, find: passwords}
	// address comes behind the formats, so that another rule's finding in the place of the password wins.
	return slices.Concat(patternRules(), shapeRules(), cloudRules(), privateRules(), []rule{address}, assignedRules())
})

// trigger is a text near which a rule searches.
type trigger struct {
	text   string
	folded bool
	rule   int
}

// triggerTable has the number of the bucket for the first two bytes of every trigger in lower case.
type triggerTable struct {
	heads   [1 << 16]uint8
	buckets [][]trigger
}

var triggers = sync.OnceValue(func() *triggerTable {
	t := &triggerTable{buckets: make([][]trigger, 1)}
	for i, r := range rules() {
		for _, text := range r.triggers {
			head := int(lower[text[0]])<<8 | int(lower[text[1]])
			if t.heads[head] == 0 {
				t.buckets = append(t.buckets, nil)
				t.heads[head] = uint8(len(t.buckets) - 1)
			}
			n := t.heads[head]
			t.buckets[n] = append(t.buckets[n], trigger{text, r.folded, i})
		}
	}
	return t
})

// lower maps ASCII letters to lower case.
var lower = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			table[i] += 'a' - 'A'
		}
	}
	return table
}()

// triggered returns for every rule the places of its triggers; nil if text has none of any rule.
func triggered(text []byte) (hits [][]hit) {
	t := triggers()
	head := 0
	for i, c := range text {
		head = head<<8&0xffff | int(lower[c])
		n := t.heads[head]
		if n == 0 || i == 0 {
			continue
		}
		for _, tr := range t.buckets[n] {
			at := i - 1
			end := at + len(tr.text)
			if end > len(text) || string(text[at:end]) != tr.text && !(tr.folded && strings.EqualFold(string(text[at:end]), tr.text)) {
				continue
			}
			if hits == nil {
				hits = make([][]hit, len(rules()))
			}
			hits[tr.rule] = append(hits[tr.rule], hit{at, end})
		}
	}
	return hits
}
