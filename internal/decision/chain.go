package decision

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
)

// Node is a decision in a graph, or in a chain also one of its causes.
type Node struct {
	ID     string `json:"id"`   // of a cause that of its decision, its type and its number
	Type   string `json:"type"` // decision, reason, consequence, constraint, assumption or alternative
	Title  string `json:"title"`
	Status string `json:"status,omitempty"` // the one that counts
	Date   string `json:"date,omitempty"`
	File   string `json:"file,omitempty"`
}

// Edge leads from one node to another: supersedes, depends_on, relates_to between decisions; because from a decision to a
// reason, and leads_to, within, assumes and instead_of to the other causes.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
}

// Graph is decisions and their links.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// Chain is a decision with its causes and the decisions that its links lead to.
type Chain struct {
	Root  Decision `json:"root"`
	Score float64  `json:"score"` // 0 to 1: how well it matches the question
	Graph

	steps []step
}

// step is a decision of a chain that a link leads to.
type step struct {
	of     Decision
	by     string // its relation to the one before it, such as "superseded by"
	before string // the id of that one
}

const (
	defaultDepth = 5
	mostDepth    = 100
	mostChains   = 5
	mostSteps    = 200 // decisions in a chain
)

// Chains returns the decisions that answer a question in any language, the best first, each with the decisions that at most
// depth links (1 to 100, 0 is 5) lead to from there, both ways. A decision that is in a chain begins no other.
func (d *Decisions) Chains(ctx context.Context, query string, depth int) (_ []Chain, err error) {
	defer fault.Caught(&err)
	fault.Check(fault.Within("depth", &depth, defaultDepth, 1, mostDepth))
	s := fault.Must(d.cache.sync(ctx))
	hits := fault.Must(d.about(ctx, s, query))
	chains := []Chain{}
	seen := map[string]bool{}
	for _, h := range hits {
		if len(chains) == mostChains {
			break
		}
		if seen[s.list[h.at].ID] {
			continue
		}
		c := s.chain(h.at, depth)
		c.Score = h.score
		seen[c.Root.ID] = true
		for _, st := range c.steps {
			seen[st.of.ID] = true
		}
		chains = append(chains, c)
	}
	return chains, nil
}

// about returns the decisions that a question is about: one that it names, else those with its words, else those that
// the index finds, misspellings and all.
func (d *Decisions) about(ctx context.Context, s *snapshot, query string) ([]hit, error) {
	if i, ok := s.byID[strings.ToLower(strings.TrimSpace(query))]; ok {
		return []hit{{at: i, score: 1}}, nil
	}
	words := content(query)
	if hits := s.ranking().best(words, mostCompared); len(hits) > 0 || len(words) == 0 {
		return hits, nil
	}
	page, err := d.ix.Query(ctx, index.Query{Text: strings.Join(words, " "), Types: []record.Type{{Kind: record.Decision}}, Limit: mostChains})
	if err != nil {
		return nil, err
	}
	var hits []hit
	for n, h := range page.Hits {
		if i, ok := s.byID[h.ID]; ok {
			hits = append(hits, hit{at: i, score: leastShare / float64(n+1)})
		}
	}
	return hits, nil
}

// Chain returns the chain of one decision, by id, slug, title or file.
func (d *Decisions) Chain(ctx context.Context, ref string, depth int) (_ Chain, err error) {
	defer fault.Caught(&err)
	fault.Check(fault.Within("depth", &depth, defaultDepth, 1, mostDepth))
	s := fault.Must(d.cache.sync(ctx))
	i := fault.Must(d.one(s, "id", ref))
	c := s.chain(i, depth)
	c.Score = 1
	return c, nil
}

// chain follows the links from a decision, the nearest first.
func (n *snapshot) chain(root, depth int) Chain {
	c := Chain{Root: n.list[root]}
	seen := map[int]bool{root: true}
	type stop struct{ at, depth int }
	in := []int{root}
	for queue := []stop{{root, 0}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at.depth == depth {
			continue
		}
		for _, e := range slices.Concat(n.out[at.at], n.in[at.at]) {
			to, by := e.to, backwards[e.kind]
			if e.from != at.at {
				to, by = e.from, strings.ReplaceAll(e.kind, "_", " ")
			}
			if seen[to] || len(in) > mostSteps {
				continue
			}
			seen[to] = true
			in = append(in, to)
			c.steps = append(c.steps, step{n.list[to], by, n.list[at.at].ID})
			queue = append(queue, stop{to, at.depth + 1})
		}
	}
	causes, g := Graph{Edges: []Edge{}}, n.graph(in)
	for _, l := range c.Root.causes() {
		for i, text := range l.texts {
			id := c.Root.ID + "#" + l.kind + "-" + strconv.Itoa(i+1)
			causes.Nodes = append(causes.Nodes, Node{ID: id, Type: l.kind, Title: text})
			causes.Edges = append(causes.Edges, Edge{c.Root.ID, id, l.edge})
		}
	}
	c.Graph = Graph{slices.Concat(g.Nodes[:1], causes.Nodes, g.Nodes[1:]), append(causes.Edges, g.Edges...)}
	return c
}

// backwards is the relation of a decision to one that links to it.
var backwards = map[string]string{supersedesLink: "superseded by", dependsOnLink: "needed by", relatesToLink: "related to"}

// graph has some decisions and the links among them.
func (n *snapshot) graph(places []int) Graph {
	g := Graph{Nodes: []Node{}, Edges: []Edge{}}
	in := map[int]bool{}
	for _, i := range places {
		in[i] = true
		d := &n.list[i]
		g.Nodes = append(g.Nodes, Node{ID: d.ID, Type: "decision", Title: d.Title, Status: d.Effective(), Date: d.When(), File: d.File})
	}
	for _, i := range places {
		for _, e := range n.out[i] {
			if in[e.to] {
				g.Edges = append(g.Edges, Edge{n.list[e.from].ID, n.list[e.to].ID, e.kind})
			}
		}
	}
	return g
}

// cause is a list of a decision.
type cause struct {
	kind, edge, many string
	texts            []string
}

func (d *Decision) causes() []cause {
	return []cause{
		{"reason", "because", "because", d.Because}, {"constraint", "within", "constraints", d.Constraints},
		{"assumption", "assumes", "assumptions", d.Assumptions}, {"alternative", "instead_of", "instead of", d.Alternatives},
		{"consequence", "leads_to", "consequences", d.Consequences},
	}
}

// Text renders the chain for an agent: one line an item, its id first. Stored text is the rest of its line.
func (c Chain) Text() string {
	var b strings.Builder
	b.WriteString("- " + c.Root.line("") + "\n")
	for _, l := range c.Root.causes()[1:] {
		if len(l.texts) > 0 {
			b.WriteString("  - " + l.many + ": " + listed(l.texts) + "\n")
		}
	}
	for _, s := range c.steps {
		fmt.Fprintf(&b, "  - %s\n", s.of.line(s.by+" "+s.before))
	}
	return b.String()
}

// Line is a decision as the rest of a line: its id, day, status and title, and why.
func (d Decision) Line() string { return d.line("") }

// line is Line with the relation to another decision.
func (d *Decision) line(how string) string {
	out := "[" + d.ID + "]"
	if day := d.When(); day != "" {
		out += " " + record.Inline(day)
	}
	out += " " + d.Standing()
	if how != "" && !strings.HasSuffix(out, " "+how) {
		out += ", " + how
	}
	out += ": " + record.Inline(d.Title)
	if d.Chosen != "" {
		out += "; chosen: " + record.Inline(d.Chosen)
	}
	if len(d.Because) > 0 {
		out += "; because: " + listed(d.Because)
	}
	return out
}

// listed puts texts on one line.
func listed(texts []string) string {
	var out []string
	for _, t := range texts {
		out = append(out, strings.TrimRight(record.Inline(t), "."))
	}
	return strings.Join(out, "; ")
}

// Graph returns every decision and link, those of status alone when one is given.
func (d *Decisions) Graph(ctx context.Context, status string) (_ Graph, err error) {
	defer fault.Caught(&err)
	if status != "" {
		status = fault.Must(record.OneOf("status", status, record.StatusesOf(record.Decision, "")))
	}
	s := fault.Must(d.cache.sync(ctx))
	var in []int
	for i := range s.list {
		if status == "" || s.list[i].Effective() == status {
			in = append(in, i)
		}
	}
	return s.graph(in), nil
}

// join merges the graphs of chains, each edge and each id of a node once: two files may have the same id.
func join(chains []Chain) Graph {
	out := Graph{Nodes: []Node{}, Edges: []Edge{}}
	for _, c := range chains {
		for _, n := range c.Nodes {
			if !slices.ContainsFunc(out.Nodes, func(o Node) bool { return o.ID == n.ID }) {
				out.Nodes = append(out.Nodes, n)
			}
		}
		out.Edges = record.Union(out.Edges, c.Edges...)
	}
	return out
}

// Found are the chains that answer a question.
type Found struct {
	Chains []Chain `json:"chains"`
	Graph
}

// Ask is Chains with the graph of them all. A ref that names a decision has its chain alone.
func (d *Decisions) Ask(ctx context.Context, query string, depth int) (Found, error) {
	chains, err := d.Chains(ctx, query, depth)
	if err != nil {
		return Found{}, err
	}
	if len(chains) == 0 {
		if c, err := d.Chain(ctx, query, depth); err == nil {
			chains = []Chain{c}
		}
	}
	return Found{chains, join(chains)}, nil
}

// Text renders every chain.
func (f Found) Text() string {
	var b strings.Builder
	for _, c := range f.Chains {
		b.WriteString(c.Text())
	}
	return b.String()
}

// Text renders a graph, a line a decision with its links below.
func (g Graph) Text() string {
	links := map[string][]Edge{}
	for _, e := range g.Edges {
		links[e.From] = append(links[e.From], e)
	}
	var b strings.Builder
	for _, n := range g.Nodes {
		if n.Type != "decision" {
			continue
		}
		b.WriteString("- [" + n.ID + "]")
		if n.Date != "" {
			b.WriteString(" " + record.Inline(n.Date))
		}
		b.WriteString(" " + n.Status + ": " + record.Inline(n.Title) + "\n")
		for _, e := range links[n.ID] {
			if !strings.Contains(e.To, "#") {
				b.WriteString("  - " + strings.ReplaceAll(e.Type, "_", " ") + " [" + e.To + "]\n")
			}
		}
	}
	return b.String()
}
