package check

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
)

// recordRef is a front-matter value that names another record, or code.
type recordRef struct {
	key, value string
	line       int
	code       bool
}

// linkKeys are the keys that name other records, by kind; true for records only, the others may also hold an issue's id.
var linkKeys = map[record.Kind]map[string]bool{
	record.Decision: {"supersedes": true, "depends_on": true, "relates_to": true},
	record.Idea:     {"parent": false, "superseded_by": false},
	record.Fact:     {"parent": false, "superseded_by": true},
}

// references lists the records and code that the front matter of a record names.
func references(r record.Record, fm *frontmatter.Doc) (refs []recordRef) {
	kind := cmp.Or(r.Of, r.Kind) // of a candidate the kind that it will have
	for _, k := range fm.Keys {
		if only, ok := linkKeys[kind][k.Name]; ok {
			for _, v := range fm.Strings(k.Name) {
				if v = strings.TrimSpace(v); v != "" && (only && !strings.Contains(v, "://") || namesRecord(v)) {
					refs = append(refs, recordRef{key: k.Name, value: v, line: k.Line})
				}
			}
		}
		if k.Name == anchor.RefKey {
			for _, v := range fm.Strings(k.Name) {
				refs = append(refs, recordRef{key: k.Name, value: strings.TrimSpace(v), line: k.Line, code: true})
			}
		}
	}
	return refs
}

// namesRecord reports whether s looks like the name of a record of this store.
func namesRecord(s string) bool {
	if record.IsHexID(s) || strings.HasPrefix(s, recordScheme) {
		return true
	}
	head, _, ok := strings.Cut(strings.TrimPrefix(strings.ToLower(s), "personal/"), "/")
	return ok && slices.Contains([]string{store.Folder, "explore", "idea", "ideas", "fact", "facts", "decision", "decisions", "inbox"}, head)
}

const recordScheme = "sdd://"

// resolve adds findings for the references and links of a file that lead nowhere.
func (c *checker) resolve(p *page, known func(name string) bool) {
	for _, r := range p.refs {
		switch {
		case r.code:
			c.codeRef(p, r)
		case strings.HasPrefix(r.value, recordScheme):
			c.address(p, place{line: r.line}, r.value, known)
		case !known(r.value) && !(p.kind == record.Decision && c.isOutsideDecision(r.value)):
			p.add(ruleReference, place{line: r.line}, r.key+r.value, fmt.Sprintf("%s names %q, there is no such record", r.key, r.value),
				"correct the id, or remove it")
		}
	}
	for _, l := range p.links {
		c.follow(p, l, known)
	}
}

// fixedPages are the sdd:// addresses that are not records.
var fixedPages = []string{"learnings", "overview", "status"}

// address checks that an sdd:// address leads to a record.
func (c *checker) address(p *page, at place, uri string, known func(name string) bool) {
	name, _, _ := strings.Cut(strings.TrimPrefix(uri, recordScheme), "#")
	name = strings.TrimSuffix(name, "/")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	if name == "" || strings.ContainsAny(name, "{}…") || slices.Contains(fixedPages, name) || known(name) {
		return
	}
	p.add(ruleLink, at, uri, fmt.Sprintf("%s is the address of no record", uri), "correct the address, or remove it")
}

var (
	hasScheme = pattern.Late(`^[A-Za-z][A-Za-z0-9+.-]+:`)
	hasDrive  = pattern.Late(`^[A-Za-z]:[\\/]`)
	lineRange = pattern.Late(`^L([0-9]{1,9})(?:C[0-9]+)?(?:-L?([0-9]{1,9})(?:C[0-9]+)?)?$`)
)

// follow checks the target of a link in the text.
func (c *checker) follow(p *page, l markdown.Link, known func(name string) bool) {
	to := l.Plain()
	switch {
	case strings.HasPrefix(to, recordScheme):
		c.address(p, place{l.Line, l.Column}, to, known)
		return
	case to == "" || to[0] == '#' || to[0] == '?' || strings.HasPrefix(to, "//"), hasScheme().MatchString(to),
		strings.ContainsAny(to, "{}<>$…"):
		return
	case hasDrive().MatchString(to) || strings.HasPrefix(to, "~/"):
		p.add(ruleAbsolute, place{l.Line, l.Column}, to, fmt.Sprintf("%q is a path of one machine", to), "write it relative to this file")
		return
	}
	file, fragment, _ := strings.Cut(to, "#")
	file, _, _ = strings.Cut(file, "?")
	if plain, err := url.PathUnescape(file); err == nil {
		file = plain
	}
	rel := path.Join(store.Folder, path.Dir(p.path), file) // from the store's root
	if strings.HasPrefix(file, "/") {
		if c.insideTop(file) != "" {
			return // absolute has a finding
		}
		up, _ := filepath.Rel(c.root, c.top)
		rel = path.Join(filepath.ToSlash(up), file) // forges resolve it from the top of the repository
	}
	if problem := c.target(p, rel, fragment); problem != "" {
		hint := "correct the link, or remove it"
		if c.target(p, path.Clean(file), fragment) == "" { // written like a code_ref
			up := strings.Repeat("../", strings.Count(store.Folder+"/"+p.path, "/"))
			hint = "a link counts from its own file: " + up + strings.TrimPrefix(to, "./")
		}
		p.add(ruleLink, place{l.Line, l.Column}, to, fmt.Sprintf("%s: %s", to, problem), hint)
	}
}

// privateFolders are the folders of .sdd that git ignores.
var privateFolders = []string{"personal", ".local", "views"}

// target returns the problem with a path, which counts from the store's root, and with the lines in fragment; "" for none.
func (c *checker) target(p *page, rel, fragment string) string {
	abs := filepath.Join(c.root, filepath.FromSlash(rel))
	if inside, err := filepath.Rel(c.top, abs); err != nil || !filepath.IsLocal(inside) {
		return "it leads out of the repository"
	}
	if inStore, ok := strings.CutPrefix(rel, store.Folder+"/"); ok {
		if folder, _, _ := strings.Cut(inStore, "/"); slices.Contains(privateFolders, folder) && !strings.HasPrefix(p.path, folder+"/") {
			return "git ignores " + store.Folder + "/" + folder + ", others do not have it"
		}
		if fi, err := os.Stat(abs); c.tracked != nil && (err != nil || !fi.IsDir()) {
			if c.tracked[inStore] == "" {
				return "the commit has no such file; if there is one, stage it with git add"
			}
			if src, changed := c.files[inStore]; changed {
				return outOfRange(fragment, countLines(src))
			}
			return ""
		}
	}
	fi, err := os.Stat(abs)
	switch {
	case err != nil:
		return "there is no such file"
	case fi.IsDir() || !lineRange().MatchString(fragment):
		return ""
	}
	return outOfRange(fragment, c.linesOf(abs))
}

// outOfRange returns the problem with a fragment such as L10-L50 of a file, "" for none; a negative number of lines is unknown.
func outOfRange(fragment string, lines int) string {
	m := lineRange().FindStringSubmatch(fragment)
	if m == nil || lines < 0 {
		return ""
	}
	first, _ := strconv.Atoi(m[1])
	last := first
	if m[2] != "" {
		last, _ = strconv.Atoi(m[2])
	}
	switch {
	case first > last:
		return fmt.Sprintf("line %d comes after line %d", first, last)
	case first < 1:
		return "lines begin with 1"
	case last > lines:
		return fmt.Sprintf("the file has %d lines", lines)
	}
	return ""
}

// codeRef checks a code_ref that is no place; judge checks the others.
func (c *checker) codeRef(p *page, r recordRef) {
	_, err := anchor.ParseRef(r.value)
	switch file, _, _ := strings.Cut(r.value, "#"); {
	case err == nil || !anchor.NamesFile(r.value) || c.insideTop(file) != "":
		return // absolute has a finding for a path into the repository
	case hasDrive().MatchString(file):
		p.add(ruleAbsolute, place{line: r.line}, r.value, fmt.Sprintf("code_ref %q is a path of one machine", r.value),
			"write it relative to the top of the repository")
	default:
		p.add(ruleGone, place{line: r.line}, r.value, fault.Of(err).Message, fault.Of(err).Hint).Severity = Warning
	}
}
