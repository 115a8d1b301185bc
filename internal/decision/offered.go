package decision

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/decision/capture"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Offer is an item of an exploration's Decisions that is no decision yet.
type Offer struct {
	Decision     string   `json:"decision"`
	Reasons      []string `json:"reasons,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Consequences []string `json:"consequences,omitempty"`
	Source       string   `json:"source"` // the exploration
	File         string   `json:"file"`
	Line         int      `json:"line"`
}

const (
	recordedAlike = 0.8  // likeness from which an item is recorded already,
	recordedHere  = 0.35 // and from which it is where the decision has the exploration as its source
)

// Offered returns the items in the Decisions sections of explorations that no decision has, by file and line.
func (d *Decisions) Offered(ctx context.Context) ([]Offer, error) {
	s, err := d.cache.sync(ctx)
	if err != nil {
		return nil, err
	}
	out := []Offer{}
	for _, e := range d.ix.Entries() {
		if e.Kind != record.Exploration || e.Scope == record.Personal {
			continue
		}
		f, err := d.st.Read(e.Path)
		if err != nil {
			continue // sdd check reports what is wrong with it
		}
		r := record.Parse(e.Path, f.Bytes, record.Defaults{Project: d.st.Project()})
		for _, sec := range r.Sections {
			if sec.Key != "decisions" || strings.TrimSpace(sec.Text) == "" {
				continue
			}
			for _, found := range find("## Decisions\n\n" + sec.Text + "\n") {
				if !s.recorded(found, e.ID) {
					out = append(out, Offer{
						Decision: found.Decision, Reasons: found.Reasons, Alternatives: found.Alternatives, Consequences: found.Consequences,
						Source: e.ID, File: store.Folder + "/" + e.Path, Line: sec.TextLine + found.Line - 3,
					})
				}
			}
		}
	}
	return out, nil
}

// recorded reports whether a decision has what was found in an exploration.
func (n *snapshot) recorded(found capture.Decision, exploration string) bool {
	if len(n.meanings()[meaning(found.Decision)]) > 0 {
		return true
	}
	r := n.ranking()
	words := content(found.Sentence)
	for _, i := range r.near(words, mostCompared) {
		o := &n.list[i]
		all := content(slices.Concat([]string{o.Title, o.Chosen}, o.Because, o.Consequences)...)
		alike := max(r.dice(words, content(o.Title)), r.share(words, all))
		if alike >= recordedAlike || o.Source == exploration && alike >= recordedHere {
			return true
		}
	}
	return false
}

// OffersText renders offers, a line each.
func OffersText(offers []Offer) string {
	var b strings.Builder
	for _, o := range offers {
		b.WriteString("[" + o.Source + "] " + record.Inline(o.Decision))
		if len(o.Reasons) > 0 {
			b.WriteString("; because: " + listed(o.Reasons))
		}
		b.WriteString("\n")
	}
	return b.String()
}
