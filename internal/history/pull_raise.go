package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/tier"
)

// Raised is what a merge puts on the base: records of one author, which agents then read as agreed on.
type Raised struct {
	Author    string `json:"author"`
	Signature string `json:"signature"` // signed, unsigned, not checked, or bad: the worst of the author's commits
	Records   int    `json:"records"`
}

// Order is a text of the branch that reads as an instruction to an agent.
type Order struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Words string `json:"words"`
}

// signatures are git's letters in words, from the best on.
var signatures = []struct{ letters, words string }{{"G", "signed"}, {"UXYRE", "not checked"}, {"N", "unsigned"}, {"B", "bad"}}

// raised adds who wrote the records that a merge brings, and which of them read as instructions.
func (h *history) raised(p *PullRequest) {
	wanted := map[string]bool{}
	for _, c := range p.Records {
		if c.Status == Removed || c.new == nil {
			continue
		}
		wanted[c.File] = c.new.rec.Kind != record.Candidate || c.new.rec.Status == "approved" // the others wait in the inbox
		if words, line := tier.Instruction(string(c.new.src)); words != "" {
			p.Orders = append(p.Orders, Order{c.File, line, words})
		}
	}
	if len(wanted) == 0 {
		return
	}
	type by struct {
		files map[string]bool
		worst int
	}
	authors := map[string]*by{}
	author, signature := "", 0 // of the commit
	args := []string{"--name-only", "--no-renames", "--no-merges", p.From + ".." + p.Head, "--", h.prefix}
	fault.Check(h.repo.Log(h.ctx, []string{"%G?", "%an"}, args, func(w []string) {
		author, signature = w[1], len(signatures)-1
		for n, s := range signatures {
			if strings.Contains(s.letters, w[0]) {
				signature = n
			}
		}
	}, func(f []string) ([]string, bool) {
		if file := strings.TrimPrefix(f[0], h.base()); wanted[file] && author != "" {
			if authors[author] == nil {
				authors[author] = &by{files: map[string]bool{}}
			}
			a := authors[author]
			a.files[file], a.worst = true, max(a.worst, signature)
		}
		return f[1:], true
	}))
	for _, name := range slices.Sorted(maps.Keys(authors)) {
		a := authors[name]
		p.Raised = append(p.Raised, Raised{name, signatures[a.worst].words, len(a.files)})
	}
	slices.SortStableFunc(p.Raised, func(a, b Raised) int { return cmp.Compare(b.Records, a.Records) })
}

// raises is the line about what a merge puts on the base, "" for no record.
func (p PullRequest) raises() string {
	var parts []string
	for _, r := range p.Raised {
		parts = append(parts, fmt.Sprintf("%s by %s (signature: %s)", fault.Count(r.Records, "record", "records"), code(r.Author), r.Signature))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Agents treat what is merged as agreed: " + strings.Join(parts, ", ") + ".\n\n"
}

func (c *comment) addOrders(all []Order) {
	var entries []entry
	for _, o := range all {
		entries = append(entries, entry{o.File, fmt.Sprintf("- %s line %d: %s\n", code(o.File), o.Line, code(cut(o.Words, maxInline)))})
	}
	c.addAll("Reads as an instruction to an agent", entries)
}
