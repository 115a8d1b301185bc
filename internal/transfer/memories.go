package transfer

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/discovery"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/learning/classify"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// The memory and rules files of agents' clients are Markdown: each item of a list is a rule, with the lines below it. A note of
// Claude Code's auto memory, which has a name in its front matter, is one rule. So is a paragraph that begins with an order. Other
// prose, code and tables are no rules.

// readMemories reads a file, or in a folder the files that clients read there; in a folder without those that is no project, all
// Markdown files.
func readMemories(_ string, ask Ask) (out reading) {
	for _, p := range append([]string{ask.Path}, ask.More...) {
		for _, file := range memoryFiles(p) {
			source := sourceOf(file, ask.Root)
			if src, err := readWhole(file, mostDocument); err != nil {
				out.leave(source, "%s", fault.Of(err).Message)
			} else {
				out.addRules(source, string(src))
			}
		}
	}
	return out
}

// memoryFiles returns the memory and rules files of a path, sorted within each folder.
func memoryFiles(p string) (files []string) {
	if st, err := os.Stat(p); err != nil {
		fault.Check(unreadable(p, err))
	} else if !st.IsDir() {
		return []string{p}
	}
	names, folders := discovery.RuleFiles()
	names = append(names, "CLAUDE.local.md", ".claude/CLAUDE.md")
	if filepath.Base(p) == ".claude" { // the folder of a user or project
		names, folders = []string{"CLAUDE.md"}, []string{"rules", "projects"}
	}
	for _, name := range names {
		file := filepath.Join(p, filepath.FromSlash(name))
		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	for _, folder := range folders {
		files = append(files, fault.Must(markdownBelow(filepath.Join(p, filepath.FromSlash(folder)), folder == "projects"))...)
	}
	if len(files) > 0 {
		return files
	}
	for _, project := range []string{".git", store.Folder} { // its other Markdown files are no rules
		if _, err := os.Stat(filepath.Join(p, project)); err == nil {
			fault.Check(fault.New(fault.NotFound, "the project has no file with rules or memories").For("FILE").
				With("give a file or a folder, such as ~/.claude"))
		}
	}
	return fault.Must(markdownBelow(p, false))
}

// markdownBelow returns the Markdown files below a folder; with notes only those in folders named memory.
func markdownBelow(folder string, notes bool) (files []string, err error) {
	err = filepath.WalkDir(folder, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // it is not there, or cannot be read
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case len(files) == mostFiles:
			return fault.New(fault.Invalid, "the folder holds more than %d Markdown files", mostFiles).For("FILE").With("give a smaller folder")
		}
		ext := strings.ToLower(filepath.Ext(p))
		if e.Type().IsRegular() && (ext == ".md" || ext == ".mdc") && (!notes || filepath.Base(filepath.Dir(p)) == "memory") {
			files = append(files, p)
		}
		return nil
	})
	return files, err
}

// sourceOf returns the name of a file without a user or machine: its path in the project, else its last two parts.
func sourceOf(file, root string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) &&
		!strings.Contains(filepath.ToSlash(rel), ".claude/projects/") { // whose folders name the user
		return filepath.ToSlash(rel)
	}
	if strings.HasPrefix(filepath.Base(file), "sdd-import-") {
		return "standard input"
	}
	return path.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
}

// named matches the front matter of a note of Claude Code's auto memory.
var named = pattern.Late(`(?m)^name: *\S`)

func (r *reading) addRules(source, src string) {
	r.rules = append(r.rules, source)
	scope, rules, others := rulesOf(source, src)
	for _, rule := range rules {
		if !isRule(rule) {
			others = append(others, rule)
			continue
		}
		key := source + " " + strings.TrimPrefix(record.HexID("rule", rule, nil), "rule-")
		r.items = append(r.items, item{
			from: source + ": " + record.Brief(secrets.Mask(rule)), kind: record.Idea, origin: origin{Format: ClaudeMemory, Key: key},
			idea: &learning.Idea{Color: record.Learning, Status: "active", Content: scope + rule, Scope: record.Global},
		})
	}
	why := "they are no rules (a link, a task, prose, or fewer than three words):"
	for _, text := range others[:min(len(others), mostQuoted)] {
		why += fmt.Sprintf(" %.60q", record.OneLine(secrets.Mask(text)))
	}
	r.leaveSome(source, len(others), why)
}

const mostQuoted = 3 // texts that an import leaves out of a file

// rulesOf returns the rules of a file and what goes before each: the files that they are for, "" for all. Others are its other items and
// paragraphs.
func rulesOf(name, src string) (scope string, rules, others []string) {
	front, body := cutFront(strings.NewReplacer("\ufeff", "", "\r\n", "\n", "\r", "\n").Replace(src))
	if named().MatchString(front) && strings.Contains(front, "description:") && !strings.HasSuffix(name, ".mdc") {
		return "", []string{strings.TrimSpace(body)}, nil
	}
	rules, others = ruleItems(body)
	return scopeOf(front), rules, others
}

// globs matches the files that a client applies rules to, in the front matter: of Cursor and Windsurf, Copilot, Claude Code, Kiro.
var (
	globs     = pattern.Late(`(?m)^(?:globs|applyTo|paths|fileMatchPattern):(.*(?:\n[ \t]*-[ \t].*)*)`)
	glob      = pattern.Late(`[^\s,"'\[\]{}]*(?:\{[^{}\n]*\}[^\s,"'\[\]{}]*)+|[^\s,"'\[\]{}]+`)
	forAll    = pattern.Late(`(?m)^(?:alwaysApply: *true|trigger: *always_on|inclusion: *always)`)
	everyFile = pattern.Words("- * ** **/*")
)

// scopeOf returns the files that a front matter restricts rules to, as the beginning of a rule.
func scopeOf(front string) string {
	if m := globs().FindStringSubmatch(front); m != nil && !forAll().MatchString(front) {
		files := slices.DeleteFunc(glob().FindAllString(m[1], -1), func(g string) bool { return everyFile()[g] })
		if len(files) > 0 {
			return "In `" + strings.Join(files, "`, `") + "`: "
		}
	}
	return ""
}

// notRule matches what items of lists are besides rules: links to other memory files, tasks and included files.
var notRule = pattern.Late(`^(\[[^\]]*\]\([^)]*\.mdc?\)|\[[ xX]\]|@\S+$)`)

func isRule(text string) bool {
	other := strings.ContainsFunc(text, func(r rune) bool { return r > 127 }) // maybe a script without spaces
	return (len(strings.Fields(text)) >= 3 || other && len(text) > 12) && !notRule().MatchString(text)
}

// cutFront splits the front matter off a text. Cursor's is no valid YAML ("globs: **/*.js"), so no parser reads it.
func cutFront(text string) (front, body string) {
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if front, body, ok := strings.Cut("\n"+rest, "\n---\n"); ok {
			return front, body
		}
	}
	return "", text
}

// ownBlock matches what sdd setup --instructions put in.
var ownBlock = pattern.Late(`(?ms)^<!-- sdd:.*?(?:^<!-- /sdd -->$|\z)`)

// order matches the beginning of a paragraph that tells an agent what to do, noOrder one whose first word is a noun.
var (
	order = pattern.Late(`(?i)^[*_]*(?:please |(?:when|before|after) [^,.]*, )?(?:always|never|do not|don['’]t|must|avoid|prefer|use|keep` +
		`|make sure|ensure|write|add|run|put|follow|treat|call|wrap|declare|stick|pin|verify|update|remove|replace|read|ask|answer|respond` +
		`|(?:all|every) [^.]* must|никогда|всегда|не \pL+(?:те|й|ть))[*_]*[ ,]`)
	noOrder = pattern.Late(`^(?:Use|Write|Run|Update|Call|Read|Answer|Keep|Ask|Pin|Add)(?: the)? \w+ (?:is|are|was|were|has|have|had|hosts` +
		`|will|can)\b`)
)

const mostOrdered = 3 // sentences of a paragraph that is a rule

// ruleItems returns the items of the lists of a Markdown text, and the paragraphs that give an order and introduce nothing: their lines
// without the indentation of the item. Others are the other paragraphs. A text that cannot be parsed has none.
func ruleItems(text string) (items, others []string) {
	blocks, _ := markdown.Blocks(ownBlock().ReplaceAllString(text, ""))
	for _, b := range blocks {
		text := strings.TrimSpace(b.Text)
		switch {
		case text == "":
		case b.Kind == markdown.Item,
			b.Kind == markdown.Paragraph && order().MatchString(text) && !noOrder().MatchString(text) && !strings.HasSuffix(text, ":") &&
				classify.Sentences(text) <= mostOrdered:
			items = append(items, text)
		case b.Kind == markdown.Paragraph:
			others = append(others, text)
		}
	}
	return items, others
}

// What an export adds to a file. The title is before the mark, so that a client which adds a memory at the end of its own section
// does not write between the marks.
const (
	exportTitle = "## What this project has learned\n\n"
	exportBegin = "<!-- sdd export: it writes the lines up to the next mark again -->\n"
	exportEnd   = "<!-- /sdd export %s -->\n" // with the hash of the lines between the marks; earlier versions wrote none
)

var exportEnds = pattern.Late(`<!-- /sdd export(?: ([0-9a-f]+))? -->\r?\n`)

// ruleClients are what a client reads together: files of a project, a folder of rules, and the first lines of a new file there that is
// always to apply.
var ruleClients = []struct{ files, folder, head string }{
	{"CLAUDE.md CLAUDE.local.md .claude/CLAUDE.md", ".claude/rules", ""},
	{"AGENTS.md .cursorrules", ".cursor/rules", "---\nalwaysApply: true\n---\n\n"},
	{"AGENTS.md .windsurfrules", ".windsurf/rules", "---\ntrigger: always_on\n---\n\n"},
	{"AGENTS.md", ".kiro/steering", "---\ninclusion: always\n---\n\n"},
	{"AGENTS.md .github/copilot-instructions.md", ".github/instructions", "---\napplyTo: \"**\"\n---\n\n"},
	{"AGENTS.md", ".clinerules", ""},
	{"AGENTS.md .roorules", ".roo/rules", ""},
	{"", "memory", ""}, // of Claude Code
}

// ExportedMemories is the result of ExportMemories.
type ExportedMemories struct {
	Format  string `json:"format"`
	Records int    `json:"records"`
	Text    []byte `json:"-"` // of the file
	LeftOut []Left `json:"left_out"`
}

// ExportMemories writes the active learnings by category into the text of target, a client's file, as lists that ruleItems reads back. It
// leaves out what the client reads there already, and keeps every byte of others. target "" is a new file without a client. The same
// learnings give the same bytes. Faults: Conflict when a person changed the lines between the marks.
func ExportMemories(ctx context.Context, l *learning.Learnings, target string) (out ExportedMemories, err error) {
	defer fault.Caught(&err)
	out = ExportedMemories{Format: ClaudeMemory, LeftOut: []Left{}}
	before, after, nl := aroundExport(target)
	head, beside := readBeside(target)
	known := map[string]bool{}
	for _, text := range append(beside, before+after) {
		scope, rules, _ := rulesOf(target, text)
		for _, rule := range rules {
			known[record.ContentKey(learning.Kept(scope+rule))] = true
		}
	}
	all, broken, err := l.All(ctx)
	fault.Check(err)
	byCategory := map[string][]string{}
	for _, i := range all {
		if !i.Learning() || i.Effective() != "active" || known[record.ContentKey(i.Content)] {
			continue
		}
		text := "- " + strings.ReplaceAll(strings.ReplaceAll(i.Content, "\n", "\n  "), "\n  \n", "\n\n") + "\n"
		if items, _ := ruleItems(text + "- end\n"); !slices.Equal(items, []string{i.Content, "end"}) {
			out.LeftOut = append(out.LeftOut, Left{From: i.File, Why: "its text is no item of a list"})
			continue
		}
		byCategory[i.Category] = append(byCategory[i.Category], text)
		out.Records++
	}
	for _, f := range broken {
		out.LeftOut = append(out.LeftOut, Left{From: f, Why: "it cannot be understood"})
	}
	var b strings.Builder
	if out.Records > 0 {
		switch {
		case before+after == "":
			b.WriteString(head)
		case !strings.HasSuffix(before, nl):
			b.WriteString("\n\n")
		case !strings.HasSuffix(before, nl+nl):
			b.WriteString("\n")
		}
		b.WriteString(exportTitle + exportBegin)
		start := b.Len()
		for _, c := range sortedKeys(byCategory) {
			fmt.Fprintf(&b, "\n### %s\n\n%s", record.OneLine(c), strings.Join(byCategory[c], ""))
		}
		b.WriteString("\n")
		fmt.Fprintf(&b, exportEnd, sumOf([]byte(b.String()[start:])))
	}
	out.Text = []byte(before + strings.ReplaceAll(b.String(), "\n", nl) + after)
	return out, nil
}

// aroundExport returns a file's text before and after what an export wrote, and its line end. A file that does not exist is empty.
func aroundExport(target string) (before, after, nl string) {
	if target == "" {
		return "", "", "\n"
	}
	src, err := readWhole(target, mostDocument)
	if !fault.Is(err, fault.NotFound) {
		fault.Check(err)
	}
	nl = "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		nl = "\r\n"
	}
	ours := func(s string) string { return strings.ReplaceAll(s, "\n", nl) }
	before, rest, ok := strings.Cut(string(src), ours(exportBegin))
	if !ok {
		return before, "", nl
	}
	end := exportEnds().FindStringSubmatchIndex(rest)
	switch {
	case end == nil:
		fault.Check(fault.New(fault.Conflict, "%q has the first mark of an export and not the last one", target).For("FILE").
			With("take out the line " + strings.TrimSpace(exportBegin)))
	case end[2] > 0 && sumOf([]byte(rest[:end[0]])) != rest[end[2]:end[3]]:
		fault.Check(fault.New(fault.Conflict, "%q was edited between the marks of the export", target).For("FILE").
			With("move what you typed out of the marks, or save it with sdd learn and delete the lines with both marks; then export again"))
	}
	return strings.TrimSuffix(before, ours(exportTitle)), rest[end[1]:], nl
}

// readBeside returns the first lines of a new file, and the texts of the files that its client reads as well.
func readBeside(target string) (head string, beside []string) {
	abs, err := filepath.Abs(target)
	if target == "" || err != nil {
		return "", nil
	}
	dir, name := filepath.Split(filepath.ToSlash(abs))
	for _, c := range ruleClients {
		root, inside := strings.CutSuffix(dir, c.folder+"/")
		if !inside && (name == "AGENTS.md" || !slices.Contains(strings.Fields(c.files), name)) { // many clients read AGENTS.md
			continue
		}
		files, _ := markdownBelow(filepath.Join(root, c.folder), false)
		for f := range strings.FieldsSeq(c.files) {
			files = append(files, filepath.Join(root, f))
		}
		for _, f := range files {
			if src, err := readWhole(f, mostDocument); err == nil && f != abs {
				beside = append(beside, string(src))
			}
		}
		return c.head, beside
	}
	return "", nil
}
