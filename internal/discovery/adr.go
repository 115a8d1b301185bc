package discovery

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

// ADR is an architecture decision record that the project keeps in a folder of its own. Discovery reads it and leaves
// the file unchanged.
type ADR struct {
	Path   string // in the repository
	Title  string
	Status string // proposed, accepted, rejected, deprecated, superseded; else its first word as written, in lower case; "" without one
	Date   string // YYYY-MM-DD, "" without one

	StatusText string // the status as written, which may name other records
}

var adrFolders = pattern.Words(`adr adrs decisions decision-records
	architecture-decisions architectural-decisions architecture-decision-records`)

const (
	maxADRs         = 500
	longestADRTitle = 120 // characters of a title that ADRs returns
)

// ADRs returns the decision records in the folder root, by path: the Markdown files of folders called adr, decisions and
// the like, and of the folder that .adr-dir names, in the forms of Nygard and MADR. It leaves out this program's own
// records. For a folder that it cannot read it returns none.
func ADRs(root string) []ADR {
	s, err := newSurvey(context.Background(), root)
	if err != nil {
		return nil
	}
	defer s.close()
	return s.findADRs()
}

func (s *survey) findADRs() (all []ADR) {
	named := ""
	if text := s.headOf(".adr-dir"); len(text) > 0 {
		named = path.Clean(strings.TrimSpace(string(text)))
	}
	for _, f := range s.sorted {
		if !adrFolders()[strings.ToLower(path.Base(f.path))] && f.path != named ||
			within(f.path+"/", "aside") || within(f.path+"/", "tests") {
			continue
		}
		for _, base := range f.files {
			ext := strings.ToLower(path.Ext(base))
			stem := strings.ToLower(base[:len(base)-len(ext)])
			aboutFolder := stem == "readme" || stem == "index" || strings.Contains(stem, "template")
			if ext != ".md" && ext != ".markdown" || aboutFolder || len(all) >= maxADRs {
				continue
			}
			file := path.Join(f.path, base)
			if a, ok := ParseADR(file, s.headOf(file)); ok {
				a.Title = brief(a.Title, longestADRTitle)
				all = append(all, a)
			}
		}
	}
	slices.SortFunc(all, func(a, b ADR) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// ParseADR parses a record in any folder, with a title of any length. ok is false for a file without a number in its
// name, a status and one of the usual headings.
func ParseADR(file string, text []byte) (a ADR, ok bool) {
	a.Path = file
	front, _ := frontmatter.Parse(text)
	a.Title, a.Status, a.Date = OneLine(front.String("title")), front.String("status"), front.String("date")
	d, err := markdown.Parse(text, front.Body)
	if err != nil {
		return a, false
	}
	a.Title = cmp.Or(a.Title, OneLine(d.Title()))
	usual := false
	for _, section := range d.Sections {
		switch name := strings.ToLower(section.Name); {
		case name == "status":
			a.Status = cmp.Or(a.Status, d.Text(section))
			usual = true
		case name == "date":
			a.Date = cmp.Or(a.Date, d.Text(section))
		case strings.HasPrefix(name, "context"), strings.HasPrefix(name, "decision"), strings.HasPrefix(name, "consequences"):
			usual = true
		}
	}
	top := d.Preamble()
	for line := range strings.Lines(string(text[top.Start:top.End])) {
		key, value, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "*-+ "), ":")
		value = strings.Trim(value, " *_")
		switch strings.ToLower(strings.Trim(key, " *_")) {
		case "status":
			a.Status = cmp.Or(a.Status, value)
		case "date":
			a.Date = cmp.Or(a.Date, value)
		}
	}
	if title := adrNumber().ReplaceAllString(a.Title, ""); title != "" {
		a.Title = title
	}
	base := path.Base(file)
	if a.Title == "" {
		a.Title = strings.TrimSpace(strings.ReplaceAll(strings.TrimLeft(strings.TrimSuffix(base, path.Ext(base)), "0123456789-_ "), "-", " "))
	}
	a.StatusText = a.Status
	a.Status, a.Date = adrStatus(a.Status), adrDate().FindString(a.Date)
	numbered := unicode.IsDigit(rune(base[0])) || strings.HasPrefix(strings.ToLower(base), "adr")
	return a, a.Title != "" && (numbered || a.Status != "" || usual)
}

var (
	adrNumber = pattern.Late(`^(?:(?i:adr)[-_ #]*)?[0-9]+[.:)–— -]+`) // before a title: "1. ", "ADR-0001: "
	adrDate   = pattern.Late(`[0-9]{4}-[0-9]{2}-[0-9]{2}`)
)

// InLower returns a text in lower case with one spelling: adr-tools writes superceded and supercedes.
func InLower(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "superced", "supersed")
}

var adrStatuses = map[string]string{
	"superseded": "superseded", "replaced": "superseded", "rejected": "rejected", "declined": "rejected",
	"deprecated": "deprecated", "obsolete": "deprecated", "proposed": "proposed", "draft": "proposed", "pending": "proposed",
	"accepted": "accepted", "approved": "accepted", "adopted": "accepted", "decided": "accepted",
	"supersedes": "accepted", // a record that supersedes another one is in force
}

// adrStatus returns the first status in a text; an accepted record that is also superseded is superseded.
func adrStatus(text string) string {
	words := strings.FieldsFunc(InLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range words {
		switch status := adrStatuses[w]; {
		case status == "accepted" && slices.Contains(words, "superseded"):
			return "superseded"
		case status != "":
			return status
		}
	}
	return append(words, "")[0]
}

const maxNamed = 12

// addADRs adds facts about the folders of decisions and the decisions in force.
func (s *survey) addADRs() {
	var dirs, names []string
	for _, a := range s.report.ADRs {
		if dir := path.Dir(a.Path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, a := range slices.Backward(s.report.ADRs) { // the latest number first
		if a.Status == "superseded" || a.Status == "rejected" || a.Status == "deprecated" {
			continue
		}
		text := quoted(a.Title)
		if about := strings.Trim(a.Status+", "+a.Date, ", "); about != "" {
			text += " (" + about + ")"
		}
		names = append(names, text)
	}
	if len(dirs) > 0 {
		text := "Architecture decisions are recorded in " + listing(dirs, 4)
		if len(names) > 0 {
			text += ": " + listing(names, maxNamed)
		}
		s.project("decisions", 1, dirs[0], "%s.", text)
	}
}
