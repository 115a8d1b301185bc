package transfer

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/record"
)

// The MCP memory server (@modelcontextprotocol/server-memory) keeps a graph of entities with observations, and of relations between
// them, with one JSON object on each line.
//
// Each observation becomes a fact of level 1 with the name of its entity before it and the entity's type as domain. A relation, which the
// server wants in active voice, is a sentence as well and becomes a fact; so does an entity without observations. The import makes no
// candidates, for the user who imports a graph wants its statements.

// entity and relation are lines of the file.
type entity struct {
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

type relation struct {
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

// graph is a graph that is being read. Several lines with one name are one entity.
type graph struct {
	reading
	entities  []*graphEntity
	byName    map[string]*graphEntity
	relations map[relation]bool
}

type graphEntity struct {
	from       string
	name, kind string
	seen       map[string]bool // its observations, by record.ContentKey
}

// readGraph reads the lines of the file, and leaves out those that it cannot use.
func readGraph(_ string, ask Ask) reading {
	src := fault.Must(readWhole(ask.Path, mostExport))
	out := graph{byName: map[string]*graphEntity{}, relations: map[relation]bool{}}
	objects := 0
	for n, line := range linesOf(src) {
		from := "line " + strconv.Itoa(n)
		if line == nil {
			out.leave(from, "it has more than %d bytes", MaxLine)
			continue
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(line, &object); err != nil || object == nil {
			out.leave(from, "it is no JSON object")
			continue
		}
		objects++
		var e entity
		var r relation
		kind, _ := readString(object["type"])
		switch {
		case kind == "entity" && json.Unmarshal(line, &e) == nil && strings.TrimSpace(e.Name) != "":
			out.unknown(from, object, "type", "name", "entityType", "observations")
			out.entity(from, e)
		case kind == "relation" && json.Unmarshal(line, &r) == nil && r.From != "" && r.To != "" && r.RelationType != "":
			out.unknown(from, object, "type", "from", "to", "relationType")
			if out.relations[r] {
				out.leave(from, "the relation is there already")
				continue
			}
			out.relations[r] = true
			out.fact(from, r.From+"/"+r.RelationType+"/"+r.To, "", r.From, r.From+" "+r.RelationType+" "+r.To, "")
		case kind == "entity" || kind == "relation":
			out.leave(from, "the %s has not what it needs: name, entityType and observations, or from, to and relationType, all of them text", kind)
		default:
			out.leave(from, "it is neither an entity nor a relation")
		}
	}
	if objects == 0 && len(out.left) > 0 {
		fault.Check(fault.New(fault.Invalid, "%q holds no JSON object in a line", ask.Path).For("FILE").
			With("the memory server's file has an entity or a relation on each line"))
	}
	for _, n := range out.entities {
		if len(n.seen) > 0 {
			continue
		}
		text := n.name
		if strings.TrimSpace(n.kind) != "" {
			text += " (" + n.kind + ")"
		}
		out.fact(n.from, n.name+"/", n.kind, n.name, text, "")
	}
	return out.reading
}

// unknown leaves out the keys that the server does not have.
func (r *reading) unknown(from string, object map[string]json.RawMessage, known ...string) {
	for _, key := range sortedKeys(object) {
		if !slices.Contains(known, key) {
			r.leave(from, "its key %q has no place here", key)
		}
	}
}

func (g *graph) entity(from string, e entity) {
	n := g.byName[e.Name]
	if n == nil {
		n = &graphEntity{from, e.Name, e.EntityType, map[string]bool{}}
		g.byName[e.Name], g.entities = n, append(g.entities, n)
	}
	if e.EntityType != n.kind {
		g.leave(from, "%q is of type %q already, and not of %q too", record.Brief(e.Name), record.Brief(n.kind), record.Brief(e.EntityType))
	}
	for at, text := range e.Observations {
		switch key := record.ContentKey(text); {
		case strings.TrimSpace(text) == "":
			g.leave(from, "observation %d of %q is empty", at+1, record.Brief(e.Name))
		case n.seen[key]:
			g.leave(from, "observation %d of %q is there already", at+1, record.Brief(e.Name))
		default:
			n.seen[key] = true
			g.fact(from, e.Name+"/"+record.Etag([]byte(text))[:12], n.kind, e.Name, about(e.Name, text), text)
		}
	}
}

// about is an observation with the name of its entity.
func about(name, text string) string {
	if rest, ok := strings.CutPrefix(text, name); ok {
		if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return text
		}
	}
	return name + ": " + text
}

func (r *reading) fact(from, key, domain, subject, content, other string) {
	sets := []frontmatter.Set{{Key: "level", Value: 1}, {Key: "status", Value: "active"}}
	if d := record.OneLine(domain); d != "" {
		sets = append(sets, frontmatter.Set{Key: "domain", Value: d})
	}
	sets = append(sets, frontmatter.Set{Key: "source", Value: "memory server, " + record.OneLine(subject)})
	r.items = append(r.items, item{from: from, origin: origin{Format: Memory, Key: key}, kind: record.Fact, sets: sets,
		content: content, other: other})
}
