// Package contexteval measures how much of what somebody should be told about a question is in the answer: labelled
// questions about made-up but realistic projects, with records of every kind in several languages.
package contexteval

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/record"
)

// The projects, each with its records and questions. The form of the files is described at parse.
//
//go:embed testdata/*.txt
var files embed.FS

// project is a made-up project.
type project struct {
	name      string
	held      bool // nobody looks at it while the ranking is made
	records   []entry
	questions []question
}

// entry is one record.
type entry struct {
	key  string // by which questions name it
	kind string // fact, decision, learning, idea, explore
	of   string // state in the inbox, "" for records outside
	keys map[string]string
	body []string
	path string // relative to .sdd
	id   string
}

// question is one case. Without wanted records it is about nothing that the project knows.
type question struct {
	lang string
	text string
	want []string
}

// projects reads all projects, by name.
func projects() ([]project, error) {
	names, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []project
	for _, n := range names {
		src, err := files.ReadFile(path.Join("testdata", n.Name()))
		if err != nil {
			return nil, err
		}
		p, err := parse(string(src))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name(), err)
		}
		all = append(all, p)
	}
	return all, nil
}

// parse reads a project: lines `key: value`, then records that begin with
//
//	== KEY KIND [STATUS] NAME=VALUE…
//
// and questions that begin with
//
//	?? LANGUAGE TEXT
//
// and whose other lines name the records that answer them. In the body of a record a line `X: …` begins the section
// that X stands for.
func parse(src string) (project, error) {
	var p project
	var body *[]string
	var asked *question
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "== "):
			words := strings.Fields(line)[1:]
			if len(words) < 2 {
				return p, fmt.Errorf("%q is no record", line)
			}
			e := entry{key: words[0], kind: words[1], keys: map[string]string{}}
			for _, w := range words[2:] {
				name, value, ok := strings.Cut(w, "=")
				if !ok {
					name, value = "status", w
				}
				e.keys[name] = value
			}
			e.of = e.keys["inbox"]
			delete(e.keys, "inbox")
			p.records = append(p.records, e)
			body, asked = &p.records[len(p.records)-1].body, nil
		case strings.HasPrefix(line, "?? "):
			lang, text, _ := strings.Cut(strings.TrimPrefix(line, "?? "), " ")
			p.questions = append(p.questions, question{lang: lang, text: text})
			asked, body = &p.questions[len(p.questions)-1], nil
		case asked != nil:
			asked.want = append(asked.want, strings.Fields(line)...)
		case body != nil:
			*body = append(*body, line)
		default:
			switch key, value, _ := strings.Cut(line, ": "); key {
			case "project":
				p.name = value
			case "held":
				p.held = value == "true"
			default:
				return p, fmt.Errorf("%q is neither a record nor a question", line)
			}
		}
	}
	return p, p.complete()
}

// complete fills the paths and ids of the records and checks the questions.
func (p *project) complete() error {
	keys := map[string]string{}
	for i := range p.records {
		e := &p.records[i]
		if keys[e.key] != "" {
			return fmt.Errorf("%s is there twice", e.key)
		}
		if len(e.body) == 0 {
			return fmt.Errorf("%s has no text", e.key)
		}
		title := strings.TrimPrefix(e.body[0], "# ")
		slug := record.Slug(title)
		switch e.kind {
		case "explore":
			e.id, e.path = "explore/"+slug, "explore/"+slug+".md"
		case "decision":
			e.id, e.path = "decision/"+slug, "decisions/"+slug+".md"
		case "fact":
			e.id = record.HexID("fact", strings.Join(e.body, "\n"), nil)
			e.path = "facts/" + e.id + ".md"
		case "idea", "learning":
			e.id = record.HexID("idea", strings.Join(e.body, "\n"), nil)
			e.path = "ideas/" + e.id + ".md"
		default:
			return fmt.Errorf("%s is a %q", e.key, e.kind)
		}
		if e.of != "" {
			e.path = "inbox/" + e.id + ".md"
		}
		keys[e.key] = e.id
	}
	for _, q := range p.questions {
		for _, w := range q.want {
			if keys[w] == "" {
				return fmt.Errorf("question %q wants %s, which is no record", q.text, w)
			}
		}
	}
	for i := range p.records {
		for _, name := range []string{"supersedes", "depends_on", "relates_to", "parent"} {
			to := p.records[i].keys[name]
			if to == "" {
				continue
			}
			if keys[to] == "" {
				return fmt.Errorf("%s names %s, which is no record", p.records[i].key, to)
			}
			p.records[i].keys[name] = keys[to]
		}
	}
	return nil
}

// sections are what the lines `X: …` of a record begin.
var sections = map[string]map[string]string{
	"decision": {"C": "## Context and Problem Statement", "O": "## Considered Options", "D": "## Decision Outcome", "+": "### Consequences"},
	"explore":  {"G": "## Goals", "K": "## Constraints", "P": "## Preferences", "U": "## Unknowns", "D": "## Decisions", "X": "## Context"},
}

// frontKeys are the keys of the front matter in their order, and what the files here call them.
var frontKeys = []struct{ key, name string }{
	{"level", "level"}, {"domain", "domain"}, {"module", "module"}, {"status", "status"}, {"confidence", "confidence"}, {"date", "date"},
	{"code_ref", "code"}, {"parent", "parent"}, {"supersedes", "supersedes"}, {"depends_on", "depends_on"}, {"relates_to", "relates_to"},
	{"category", "category"}, {"impact", "impact"}, {"created", "created"}, {"session_id", "session"},
}

// markdown returns the file of a record.
func (e *entry) markdown() string {
	var b strings.Builder
	b.WriteString("---\n")
	if e.of != "" {
		fmt.Fprintf(&b, "kind: %s\nstatus: %s\n", e.kind, e.of)
	}
	switch e.kind {
	case "fact", "idea", "learning":
		fmt.Fprintf(&b, "id: %s\n", e.id)
	}
	if e.kind == "learning" {
		b.WriteString("color: yellow\nstatus: active\n")
	} else if e.kind == "idea" {
		b.WriteString("color: gray\nstatus: pending\n")
	} else if e.kind == "fact" && e.of == "" {
		b.WriteString("status: active\n")
	} else if e.kind != "fact" {
		fmt.Fprintf(&b, "title: %q\n", strings.TrimPrefix(e.body[0], "# "))
	}
	for _, k := range frontKeys {
		switch v := e.keys[k.name]; {
		case v == "":
		case k.key == "depends_on" || k.key == "relates_to":
			fmt.Fprintf(&b, "%s: [%s]\n", k.key, v)
		default:
			fmt.Fprintf(&b, "%s: %s\n", k.key, v)
		}
	}
	b.WriteString("---\n\n")
	for _, line := range e.body {
		if heading := sections[e.kind][line[:1]]; heading != "" && strings.HasPrefix(line[1:], ": ") {
			fmt.Fprintf(&b, "\n%s\n\n%s\n", heading, line[len("X: "):])
			continue
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// write makes a store of the projects in dir.
func write(dir string, all ...project) error {
	for _, p := range all {
		for i := range p.records {
			file := filepath.Join(dir, ".sdd", filepath.FromSlash(p.records[i].path))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(p.records[i].markdown()), 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, ".sdd", "config.yaml"), []byte("project: "+all[0].name+"\n"), 0o644)
}

// paths returns the keys of the records by path.
func (p *project) paths() map[string]string {
	m := map[string]string{}
	for _, e := range p.records {
		m[e.path] = e.key
	}
	return m
}

// languages returns the languages of the questions.
func languages(all []project) (list []string) {
	for _, p := range all {
		for _, q := range p.questions {
			if !slices.Contains(list, q.lang) {
				list = append(list, q.lang)
			}
		}
	}
	slices.Sort(list)
	return list
}
