package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"sdd/internal/discovery"
	"sdd/internal/record"
	"sdd/internal/store"
)

// compare checks identities, names and references across the files of a store, of which pages are some. Of the others it reads those that
// could be the same record or a reference's target.
func (c *checker) compare(ctx context.Context, pages []*page, paths []string, readFile func(path string) ([]byte, error)) {
	given := map[string]bool{}
	for _, p := range pages {
		given[p.path] = true
	}
	left := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return given[path] })
	var beside []*page
	read := func(wanted func(path string) bool) (others []*page) {
		left = slices.DeleteFunc(left, func(path string) bool {
			if !wanted(path) {
				return false
			}
			if src, err := readFile(path); err == nil {
				r := record.Parse(path, src, c.defaults)
				others = append(others, &page{path: path, id: r.ID, kind: r.Kind, names: namesOf(r), status: r.Status})
			}
			return true
		})
		beside = append(beside, others...)
		return others
	}
	stems := map[string]bool{}
	for _, p := range pages {
		for _, n := range p.names {
			stems[stem(n)] = true
		}
	}
	// A renamed file nearly always still begins with its record's id or contains its slug.
	all := append(slices.Clone(pages), read(func(p string) bool {
		s := stem(p)
		before, _, _ := strings.Cut(s, "@")
		const id = len("idea-") + 12 // or 16 digits
		return stems[s] || stems[before] || len(s) > id && (stems[s[:id]] || stems[s[:min(len(s), id+4)]])
	})...)
	duplicates(all)
	collisions(pages, paths)
	known := names{}
	known.add(all)
	has := func(name string) bool {
		if known.has(name) {
			return true
		}
		want := stem(name)
		known.add(read(func(p string) bool { s := stem(p); return s == want || strings.HasPrefix(s, want+"-") }))
		if !known.has(name) && ctx.Err() == nil {
			known.add(read(func(string) bool { return true }))
		}
		return known.has(name)
	}
	for _, p := range pages {
		c.resolve(p, has)
	}
	decisions(slices.Concat(pages, beside), pages)
}

// stem is the last part of a name or path, in lower case, without .md.
func stem(name string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".md")
}

// names are the names by which records may refer to the records of a store.
type names map[string]bool

func (n names) add(pages []*page) {
	for _, p := range pages {
		for _, name := range p.names {
			n[name] = true
		}
	}
}

// has reports whether a record has that name: an id, a topic key, a file, or the slug or title of a decision or exploration.
func (n names) has(name string) bool {
	low := strings.ToLower(name)
	slug := record.Slug(name)
	return n[low] || n[strings.TrimPrefix(low, "./")] || n["decision/"+low] ||
		n["decision/"+slug] || n["personal/decision/"+slug] || n["explore/"+slug]
}

// duplicates adds findings to files that contain the same record.
func duplicates(pages []*page) {
	same := map[record.Identity][]string{}
	for _, p := range pages {
		key := record.IdentityOf(p.id, p.kind, p.path)
		same[key] = append(same[key], p.path)
	}
	for _, p := range pages {
		key := record.IdentityOf(p.id, p.kind, p.path)
		if twins := otherFiles(same[key], p.path); twins != "" && p.id != "" {
			p.add(ruleDuplicate, place{}, key.ID, fmt.Sprintf("%s is also in %s", key.ID, twins),
				"merge them into one by hand and delete the other")
		}
	}
}

func otherFiles(paths []string, without string) string {
	var files []string
	for _, p := range slices.Sorted(slices.Values(paths)) {
		if p != without {
			files = append(files, store.Folder+"/"+p)
		}
	}
	return strings.Join(files, ", ")
}

// Links between decisions: a superseded decision must have the status superseded, and links must not form a circle.

const (
	supersedesKey = "supersedes"
	dependsOnKey  = "depends_on"

	accepted = "accepted"
	proposed = "proposed"
)

// decisions checks the links between the decisions among pages, and adds the findings to the pages of given only.
func decisions(pages, given []*page) {
	byName := map[string]*page{}
	for _, p := range pages {
		if p.kind == record.Decision {
			for _, n := range p.names {
				byName[n] = p
			}
		}
	}
	delete(byName, "")
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
	rivals(pages, given, find)
}

// rivals finds decisions in force that supersede the same one and do not name each other: two such branches merge without a conflict.
func rivals(pages, given []*page, find func(string) *page) {
	linked := func(from, to *page) bool {
		return slices.ContainsFunc(from.refs, func(r recordRef) bool { return find(r.value) == to })
	}
	successors := map[*page][]*page{}
	for _, p := range pages {
		if p.kind != record.Decision || p.status != accepted {
			continue
		}
		for _, r := range p.refs {
			old := find(r.value)
			if r.key != supersedesKey || old == nil || slices.Contains(successors[old], p) {
				continue
			}
			for _, q := range successors[old] {
				at, other := p, q
				if !slices.Contains(given, p) {
					at, other = q, p
				}
				if slices.Contains(given, at) && !linked(p, q) && !linked(q, p) {
					link := slices.IndexFunc(at.refs, func(r recordRef) bool { return r.key == supersedesKey && find(r.value) == old })
					at.add(ruleRivals, place{line: at.refs[link].line}, other.id,
						fmt.Sprintf("%s and %s both supersede %s, and neither names the other", at.id, other.id, old.id),
						"supersede one with the other, or link them with relates_to if both hold")
				}
			}
			successors[old] = append(successors[old], p)
		}
	}
}

// circles adds a finding for each circle of links under a key, to the first of its pages that is given.
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
	link := slices.IndexFunc(p.refs, func(r recordRef) bool { return r.key == key })
	p.add(ruleCircle, place{line: p.refs[link].line}, key+strings.Join(ids, " "),
		fmt.Sprintf("%s goes round in a circle: %s", key, strings.Join(append(ids, ids[0]), ", ")), "take one of the links out")
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
