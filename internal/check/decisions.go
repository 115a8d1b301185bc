package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/record"
)

// Links between decisions: a superseded decision must have the status superseded, and links must not form a circle.

// Keys whose links have a direction.
const (
	supersedesKey = "supersedes"
	dependsOnKey  = "depends_on"
)

// decisions checks the links between the decisions among pages, and adds the findings to the pages of given only.
func decisions(pages, given []*page) {
	byName := map[string]*page{}
	for _, p := range pages {
		if p.readable && p.kind == record.Decision {
			for _, n := range p.names {
				if n != "" {
					byName[n] = p
				}
			}
		}
	}
	find := func(value string) *page {
		low := strings.ToLower(value)
		for _, n := range []string{low, "decision/" + low, "decision/" + record.Slug(value)} {
			if p := byName[n]; p != nil {
				return p
			}
		}
		return nil
	}
	for _, p := range pages {
		for _, r := range p.refs {
			old := find(r.value)
			supersedes := p.kind == record.Decision && p.status == accepted && r.key == supersedesKey
			if !supersedes || old == nil || old == p || old.status != accepted && old.status != proposed {
				continue
			}
			message := fmt.Sprintf("%s is superseded by %s and says it is %s", old.id, p.id, old.status)
			if slices.Contains(given, old) {
				old.add(ruleHalf, place{line: old.statusLine}, p.id, message, "set its status to superseded, or take the link out of "+p.id)
			} else if slices.Contains(given, p) {
				p.add(ruleHalf, place{line: r.line}, old.id, message, "set the status of "+old.id+" to superseded, or take the link out")
			}
		}
	}
	for _, key := range []string{supersedesKey, dependsOnKey} {
		circles(pages, given, key, find)
	}
}

// Statuses of decisions in force or open.
const (
	accepted = "accepted"
	proposed = "proposed"
)

// circles adds a finding for each circle of links under a key.
func circles(pages, given []*page, key string, find func(string) *page) {
	visited := map[*page]bool{}
	var visit func(p *page, way []*page)
	visit = func(p *page, way []*page) {
		visited[p] = true
		way = append(way, p)
		for _, r := range p.refs {
			to := find(r.value)
			if r.key != key || to == nil {
				continue
			}
			if at := slices.Index(way, to); at >= 0 {
				circle(way[at:], given, key)
			} else if !visited[to] {
				visit(to, way)
			}
		}
	}
	for _, p := range pages {
		if p.kind == record.Decision && !visited[p] {
			visit(p, nil)
		}
	}
}

// circle adds the finding for a circle to the first of its pages that is given.
func circle(all, given []*page, key string) {
	first := slices.IndexFunc(all, func(p *page) bool { return slices.Contains(given, p) })
	if first < 0 {
		return
	}
	var ids []string
	for _, p := range slices.Concat(all[first:], all[:first]) {
		ids = append(ids, p.id)
	}
	p := all[first]
	p.add(ruleCircle, place{line: lineOfKey(p, key)}, key+strings.Join(ids, " "),
		fmt.Sprintf("%s goes round in a circle: %s", key, strings.Join(append(ids, ids[0]), ", ")), "take one of the links out")
}

func lineOfKey(p *page, key string) int {
	if i := slices.IndexFunc(p.refs, func(r recordRef) bool { return r.key == key }); i >= 0 {
		return p.refs[i].line
	}
	return 1
}

// findOutsideDecisions lists the names of the decision records in the project's own folders.
func (c *checker) findOutsideDecisions() map[string]bool {
	names := map[string]bool{}
	for _, a := range discovery.ADRs(c.root) {
		file := strings.TrimSuffix(path.Base(a.Path), path.Ext(a.Path))
		for _, n := range []string{record.Slug(a.Title), record.Slug(file), strings.ToLower(a.Path)} {
			names[n] = true
		}
	}
	return names
}

// isOutsideDecision reports whether a decision record outside of the store has that name.
func (c *checker) isOutsideDecision(name string) bool {
	low := strings.TrimPrefix(strings.ToLower(name), "decision/")
	return c.outsideDecisions()[low] || c.outsideDecisions()[record.Slug(low)]
}
