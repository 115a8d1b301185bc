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

// ADR is an architecture decision record that the project keeps in a folder of its own. It is read in place: the
// file stays the project's.
type ADR struct {
	Path   string // in the repository
	Title  string
	Status string // proposed, accepted, rejected, deprecated, superseded; else its first word as written, in lower case; "" when it says none
	Date   string // YYYY-MM-DD, "" when it says none
}

// adrFolders are the names of folders of decisions.
var adrFolders = pattern.Words(`adr adrs decisions decision-records architecture-decisions architectural-decisions architecture-decision-records`)

const (
	maxADRs         = 500
	longestADRTitle = 120 // characters, of one that is read in place
)

// ADRs returns the decision records in the folder root, by path: the Markdown files of folders called adr, decisions
// and the like, and of the one that .adr-dir names, in the forms of Nygard and MADR. This program's own are not among
// them. A folder that cannot be read has none.
func ADRs(root string) []ADR {
	s, err := newSurvey(context.Background(), root, Options{})
	if err != nil {
		return nil
	}
	defer s.close()
	return s.findADRs()
}

func (s *survey) findADRs() (all []ADR) {
	named := ""
	if text, ok := s.head(".adr-dir"); ok && s.has(".adr-dir") {
		named = path.Clean(strings.TrimSpace(string(text)))
	}
	for _, f := range s.sorted {
		if !(adrFolders()[strings.ToLower(path.Base(f.path))] || f.path == named) || within(f.path+"/", aside()) {
			continue
		}
		for _, base := range f.files {
			ext := strings.ToLower(path.Ext(base))
			stem := strings.ToLower(strings.TrimSuffix(base, path.Ext(base)))
			if ext != ".md" && ext != ".markdown" || stem == "readme" || stem == "index" || strings.Contains(stem, "template") || len(all) >= maxADRs {
				continue
			}
			file := path.Join(f.path, base)
			text, ok := s.head(file)
			if !ok {
				continue
			}
			if a, ok := ParseADR(file, text); ok {
				a.Title = brief(a.Title, longestADRTitle)
				all = append(all, a)
			}
		}
	}
	slices.SortFunc(all, func(a, b ADR) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// ParseADR reads a record in any folder, its title as long as it is. A file without a number in its name, a status and a heading of the usual
// ones is none.
func ParseADR(file string, text []byte) (a ADR, ok bool) {
	a.Path = file
	front, _ := frontmatter.Parse(text)
	a.Title, a.Status, a.Date = oneLine(front.String("title")), front.String("status"), front.String("date")
	d, err := markdown.Parse(text, front.Body)
	if err != nil {
		return a, false
	}
	if a.Title == "" {
		a.Title = oneLine(d.Title())
	}
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
	a.Title = adrTitle(a.Title)
	if a.Title == "" {
		a.Title = strings.TrimSpace(strings.ReplaceAll(strings.TrimLeft(strings.TrimSuffix(path.Base(file), path.Ext(file)), "0123456789-_ "), "-", " "))
	}
	a.Status, a.Date = adrStatus(a.Status), adrDate(a.Date)
	numbered := unicode.IsDigit(rune(path.Base(file)[0])) || strings.HasPrefix(strings.ToLower(path.Base(file)), "adr")
	return a, a.Title != "" && (numbered || a.Status != "" || usual)
}

// adrTitle returns a title without its number: "1. Use X", "ADR-0001: Use X".
func adrTitle(title string) string {
	rest := title
	if len(rest) > 3 && strings.EqualFold(rest[:3], "adr") {
		rest = strings.TrimLeft(rest[3:], "-_ #")
	}
	digits := strings.TrimLeft(rest, "0123456789")
	if digits == rest {
		return title
	}
	if cut := strings.TrimLeft(digits, ".:)–— -"); cut != digits && cut != "" {
		return cut
	}
	return title
}

// InLower is what a record says of others, in lower case and with one spelling: adr-tools writes superceded and supercedes.
func InLower(told string) string {
	return strings.ReplaceAll(strings.ToLower(told), "superced", "supersed")
}

// adrStatus returns the status that a text says first.
func adrStatus(text string) string {
	words := strings.FieldsFunc(InLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range words {
		switch w {
		case "superseded", "replaced":
			return "superseded"
		case "accepted", "approved", "adopted", "decided", "supersedes": // what supersedes another one holds
			if slices.Contains(words, "superseded") {
				return "superseded"
			}
			return "accepted"
		case "proposed", "draft", "pending":
			return "proposed"
		case "rejected", "declined":
			return "rejected"
		case "deprecated", "obsolete":
			return "deprecated"
		}
	}
	if len(words) > 0 {
		return words[0]
	}
	return ""
}

// adrDate returns the first date of the form YYYY-MM-DD in a text.
func adrDate(text string) string {
	for i := 0; i+10 <= len(text); i++ {
		day := text[i : i+10]
		if day[4] == '-' && day[7] == '-' && strings.Trim(day[:4]+day[5:7]+day[8:], "0123456789") == "" {
			return day
		}
	}
	return ""
}

const maxTold = 12

// sayADRs tells the folders of decisions, and the decisions that stand.
func (s *survey) sayADRs() {
	var dirs, told []string
	for _, a := range s.report.ADRs {
		if dir := path.Dir(a.Path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, a := range slices.Backward(s.report.ADRs) { // the latest first, by their numbers
		if a.Status != "superseded" && a.Status != "rejected" && a.Status != "deprecated" {
			text := quoted(a.Title)
			switch {
			case a.Status != "" && a.Date != "":
				text += " (" + a.Status + ", " + a.Date + ")"
			case a.Status != "" || a.Date != "":
				text += " (" + a.Status + a.Date + ")"
			}
			told = append(told, text)
		}
	}
	if len(dirs) > 0 {
		text := "Architecture decisions are recorded in " + listing(dirs, 4)
		if len(told) > 0 {
			text += ": " + listing(told, maxTold)
		}
		s.project("decisions", 1, dirs[0], "%s.", text)
	}
}
