package answer

import (
	"bytes"
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"sdd/internal/discovery"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// The project's own documents answer questions too: those at its top (README, CONTRIBUTING, AGENTS.md …), the READMEs of its
// folders, and its folders of documents and decision records. Each call reads their present text; the program stores nothing of
// them.

const (
	mostPages     = 400
	mostPageBytes = 3 << 20   // of all
	mostOnePage   = 256 << 10 // of one
	pageDepth     = 3         // levels below the top to search for READMEs and folders of documents
	docsDepth     = 4         // levels below such a folder
	mostFolders   = 2000
)

// isDocs reports whether a folder's name is usual for documents or decision records, such as docs, adr and architecture-decision-record.
func isDocs(name string) bool {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' }) {
		if slices.Contains(docsWords, strings.TrimSuffix(part, "s")) {
			return true
		}
	}
	return false
}

var docsWords = strings.Fields("doc documentation adr decision rfc design architecture proposal guide handbook manual wiki")

// sample matches the folders of tests and samples, whose pages may be about anything.
var sample = pattern.Late(`(?i)(?:^|/)[^/]*(?:test|spec|sample|example|template|fixture|theme|demo)[^/]*(?:/|$)`)

// hasIndex reports whether a folder has a page that is the index of others, as documentation has by the tools that render it.
func hasIndex(entries []os.DirEntry) bool {
	index, others := false, 0
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		switch end := path.Ext(name); strings.TrimSuffix(name, end) {
		case "index", "summary":
			index = index || slices.Contains(pageEnds, end)
		case "readme":
		default:
			if slices.Contains(pageEnds, end) && end != ".txt" {
				others++
			}
		}
	}
	return index && others > 0
}

// idleFolders contain third-party or generated files, or forms.
var idleFolders = strings.Fields(`issue_template node_modules vendor third_party dist build target out testdata fixtures __pycache__
	venv site-packages
	coverage`)

// pageEnds are the file extensions of documents.
var pageEnds = strings.Fields(".md .markdown .mdx .rst .adoc .asciidoc .txt .org")

// topPages are the documents at the top of a project that describe it, without their extensions.
var topPages = strings.Fields(`readme contributing agents claude gemini architecture development developing hacking design security support
	governance faq install installing usage testing building roadmap copilot-instructions maintainers conventions style styleguide`)

// pages caches unchanged documents.
type pages struct {
	mu   sync.Mutex
	seen map[string]pageText // by path
}

type pageText struct {
	size, time int64
	index.Document
}

// found is a document to read.
type foundPage struct {
	path    string // from the top, with slashes
	rank    int    // the lowest first
	licence bool
	copied  bool // a translation of another page
	changes bool // a list of changes
	conduct bool // a code of conduct
	tasks   bool // of a task runner
	info    os.FileInfo
}

// locale is the part of a path that names a translation, such as docs/zh/ or README.pt-BR.md.
var locale = pattern.Late(`(?i)([/._-])(?:ar|bg|bn|cn|da|de|el|es|fa|fi|fr|he|hi|hu|it|jp?a|ko|kr|nl|pl|pt|ro|ru|sv|th|tr|tw|uk|vi|zh` +
	`|[^\x00-\x7f/._-]+)` +
	`(?:[-_](?:hans|hant|[a-z]{2}))?([/.])`)

// changed finds questions about versions and changes.
var changed = pattern.Late(`(?i)\b(chang(e|es|ed|elog)|added|removed|deprecated|history|releases?|(un)?released|since|` +
	`news|new in|what(.s| is| was|s) new|versions?|latest|upgrad(e|es|ed|ing)|migrat(e|es|ed|ing|ion)|what replace[ds]` +
	`|no longer|when (did|was|were))\b`)

// toRelease finds the question how to make a release, which no list of changes answers.
var toRelease = pattern.Late(`(?i)\bhow (?:do|can|should|to|is|are)\b(?: i| we| you| one)?(?: make| cut| do| create| publish| prepare|` +
	` build| ship)?` +
	`(?: a| an| the| new| next)* (?:release|version)s?\b|\bsteps (?:to|of|for) .*?\b(?:release|version)\b`)

// ofDecisions matches the names of folders of decision records.
var ofDecisions = pattern.Late(`(?i)adr|decision`)

// listOfChanges matches the names of lists of changes at the top, without their extensions.
var listOfChanges = pattern.Late(`^(change|history$|news$|releases?[-_]?(notes.*)?$|whats[-_]?new|` +
	`upgrad(e|ing)([-_].*)?$|migrat(ing|ion)([-_].*)?$)`)

// licensed finds questions about the terms of use.
var licensed = pattern.Late(`(?i)licen|lizenz|licença|лиценз|许可|ライセンス|copyright|copyleft|commercial|proprietary` +
	`|\b(legal|gpl|bsd|apache|terms)\b|\b(?-i:MIT)\b`)

// read returns those of the listed documents that may answer, within the limits: translations, changes and licences only if asked for.
func (p *pages) read(dir string, list []foundPage, question string, all bool) []index.Document {
	translated := strings.ContainsFunc(question, func(c rune) bool { return c > unicode.MaxASCII && unicode.IsLetter(c) })
	changes := all || changed().MatchString(toRelease().ReplaceAllString(question, "")) ||
		len(index.Releases(question)) > 0
	licences := licensed().MatchString(question)
	conduct := strings.Contains(strings.ToLower(question), "conduct")
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := make(map[string]pageText, len(list))
	var docs []index.Document
	size := int64(0)
	for _, f := range list {
		if size += f.info.Size(); len(docs) == mostPages || size > mostPageBytes {
			break
		}
		text, ok := p.seen[f.path]
		if f.copied && !translated || f.changes && !changes || f.licence && !licences || f.conduct && !conduct {
			if ok {
				seen[f.path] = text
			}
			continue
		}
		if !ok || text.size != f.info.Size() || text.time != f.info.ModTime().UnixNano() {
			src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.path)))
			if err != nil || bytes.IndexByte(src, 0) >= 0 {
				continue
			}
			title := ""
			switch {
			case f.tasks:
				title, src = discovery.TasksPage(f.path, src)
			case f.licence: // include its name, not its terms
				src = firstLines(src, 4)
			case path.Ext(f.path) == ".rst":
				src = markdownOf(src)
			case strings.HasPrefix(path.Ext(f.path), ".a"):
				src = fromAsciiDoc(src)
			default:
				src = markdown.WithoutTags(src, false)
			}
			if title == "" && f.rank > 0 && index.SeveralTitles(src) { // those of rank 0, such as the README, begin with the project's name
				title = path.Base(f.path)
			}
			title = cmp.Or(title, pageTitle(f.path, src))
			text = pageText{f.info.Size(), f.info.ModTime().UnixNano(), index.Document{Path: f.path, Title: title, Source: src, Changes: f.changes}}
			if outdated().Match(src[:min(len(src), pageStart)]) {
				text.Status = index.OutdatedPage
			}
		}
		seen[f.path] = text
		docs = append(docs, text.Document)
	}
	p.seen = seen
	return docs
}

// outdated finds a page that calls itself so at its start.
var outdated = pattern.Late(`(?i)(?:^|[.!*>\n])\s*this (?:document|page|guide|file|tutorial|documentation|manual|chapter) (?:is|was|has` +
	` been) (?:now )?` +
	`(?:deprecated|obsolete|outdated|superseded|archived|no longer (?:maintained|updated|valid))\b`)

const (
	pageStart    = 1000 // bytes
	leastChanges = 500  // of a list of changes: a shorter one says where the list is
)

func firstLines(src []byte, n int) []byte {
	var out []byte
	for line := range bytes.Lines(src) {
		if text := bytes.TrimSpace(line); len(text) > 0 {
			out = append(append(out, text...), '\n')
			if n--; n == 0 {
				break
			}
		}
	}
	return out
}

// linked matches a link in Markdown.
var linked = pattern.Late(`\[([^][]+)\]\([^()\s]*\)`)

// pageTitle is the title in a document's front matter or its first heading, without badges, else its name.
func pageTitle(file string, src []byte) string {
	fence, front := false, false
	n := 0
	for line := range bytes.Lines(src[:min(len(src), 4<<10)]) {
		text := strings.TrimSpace(string(line))
		n++
		switch {
		case text == "---" && (n == 1 || front):
			front = !front
		case front:
			if name, ok := strings.CutPrefix(text, "title:"); ok && len(strings.Trim(name, " \"'")) > 0 {
				return strings.Trim(name, " \"'")
			}
		case strings.HasPrefix(text, "```"):
			fence = !fence
		case !fence && bytes.HasPrefix(line, []byte("# ")):
			name, _, _ := strings.Cut(text, "[![")
			if name = strings.Trim(name, "# "); name != "" {
				return linked().ReplaceAllString(name, "$1")
			}
		}
	}
	return strings.TrimSuffix(path.Base(file), path.Ext(file))
}

func isLicence(name string) bool {
	return strings.HasPrefix(name, "license") || strings.HasPrefix(name, "licence") || strings.HasPrefix(name, "copying")
}

// pagesIn lists the documents below dir, in the order in which they are read.
func pagesIn(dir string) []foundPage {
	var list []foundPage
	folders := 0
	var walk func(at string, depth, inDocs int)
	walk = func(at string, depth, inDocs int) {
		if folders++; folders > mostFolders {
			return
		}
		entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(at)))
		if err != nil {
			return
		}
		if inDocs == 0 && depth > 0 && !sample().MatchString(at) && hasIndex(entries) {
			inDocs = 1
		}
		for _, e := range entries {
			name := strings.ToLower(e.Name())
			file := path.Join(at, e.Name())
			switch {
			case e.IsDir():
				docs := isDocs(name) || name == ".github"
				switch {
				case slices.Contains(idleFolders, name) || strings.HasPrefix(name, ".") && !docs:
				case inDocs > 0 || docs:
					if inDocs < docsDepth {
						walk(file, depth+1, inDocs+1)
					}
				case depth < pageDepth:
					walk(file, depth+1, 0)
				}
			case e.Type().IsRegular():
				end := path.Ext(name)
				stem := strings.TrimSuffix(name, end)
				licence := isLicence(name)
				rank, changes := 2, listOfChanges().MatchString(stem)
				if depth > 0 { // pages of a documentation about releases are pages
					changes = strings.HasPrefix(stem, "change") || stem == "history"
				}
				tasks := depth == 0 && discovery.HasTasks(file)
				switch {
				case tasks:
				case end != "" && !slices.Contains(pageEnds, end), (changes && inDocs == 0 || licence) && depth > 0,
					ofDecisions().MatchString(path.Base(at)) && (stem == "template" || strings.HasSuffix(stem, "-template")):
					continue
				case licence:
				case changes:
					rank = mostPages
				case depth == 0 && slices.Contains(topPages, stem):
					rank = 0
				case stem == "readme":
					rank = 1 + depth
				case end == "" || end == ".txt" && inDocs == 0:
					continue
				case inDocs > 0:
					rank = 1 + depth
				case depth == 0:
				default:
					continue
				}
				if info, err := e.Info(); err == nil && info.Size() <= mostOnePage {
					list = append(list, foundPage{path: file, rank: rank, licence: licence, changes: changes, tasks: tasks,
						conduct: strings.HasPrefix(strings.ReplaceAll(stem, "-", "_"), "code_of_conduct"), info: info})
				}
			}
		}
	}
	walk(".", 0, 0)
	ofAll := func(f foundPage) bool {
		return f.changes && !strings.Contains(f.path, "/") && f.info.Size() > leastChanges
	}
	if slices.ContainsFunc(list, ofAll) { // those in folders are of parts
		list = slices.DeleteFunc(list, func(f foundPage) bool { return f.changes && !ofAll(f) })
	}
	there := make(map[string]bool, len(list))
	for _, f := range list {
		there[f.path] = true
	}
	for n := range list {
		f := &list[n]
		original := func(as string) bool { return there[strings.TrimPrefix(locale().ReplaceAllString("/"+f.path, as), "/")] }
		if f.copied = locale().MatchString("/"+f.path) && (original("$2") || original("${1}en$2")); f.copied {
			f.rank += mostPages // what is left of the limits is theirs
		}
	}
	slices.SortFunc(list, func(a, b foundPage) int { return cmp.Or(a.rank-b.rank, strings.Compare(a.path, b.path)) })
	return list
}
