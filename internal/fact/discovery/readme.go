package discovery

import (
	"encoding/xml"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/markdown"
)

// readme is what a README says first.
type readme struct{ file, title, purpose string }

const (
	readmeHead   = 16 << 10 // bytes: title and first paragraph stand there or nowhere
	purposeLimit = 320      // characters
)

// readReadme reads the one at the top, the English one if there are several.
func (s *survey) readReadme() {
	file := s.topFile("README.md", "README.markdown", "README.rst", "README.adoc", "README.txt", "README", "README.org")
	for _, dir := range []string{".", ".github", "docs"} {
		if f := s.folders[dir]; f != nil && file == "" {
			if i := slices.IndexFunc(f.files, func(base string) bool { return strings.HasPrefix(strings.ToLower(base), "readme.") }); i >= 0 {
				file = path.Join(dir, f.files[i])
			}
		}
	}
	if file == "" {
		return
	}
	s.readme.file = file
	if text, ok := s.noted(file); ok {
		s.readme = readmeOf(file, text)
	}
}

func readmeOf(file string, text []byte) readme {
	text = text[:min(len(text), readmeHead)]
	r := readme{file: file}
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown", "":
		r.title, r.purpose = markdownStart(string(text))
	default:
		r.title, r.purpose = plainStart(string(text))
	}
	r.title, r.purpose = brief(r.title, 80), brief(r.purpose, purposeLimit)
	return r
}

// markdownStart returns the title and the first paragraph that is prose: no badges, no picture, no quotation.
func markdownStart(text string) (title, purpose string) {
	d := xml.NewDecoder(strings.NewReader(markdown.HTML(string(markdown.WithoutTags([]byte(plain(text)), true)), nil)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all, prose strings.Builder
	block, links := "", 0
	for {
		t, err := d.Token()
		if err != nil {
			return title, purpose
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch name := t.Name.Local; {
			case name == "a":
				links++
			case block == "" && name != "br" && name != "hr" && name != "input":
				block = name
				all.Reset()
				prose.Reset()
			}
		case xml.EndElement:
			switch name := t.Name.Local; {
			case name == "a":
				links--
			case name == block:
				block = ""
				switch said := oneLine(all.String()); {
				case name == "h1" && title == "":
					title = said
				case name == "p" && isProse(prose.String()) && isProse(said):
					return title, said
				}
			}
		case xml.CharData:
			all.Write(t)
			if links == 0 {
				prose.Write(t)
			}
		}
	}
}

// isProse reports whether a text is more than a label: it has some words, or characters that need no spaces.
func isProse(text string) bool {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if r > 0x2e80 {
				letters += 2
			}
		}
	}
	text = strings.TrimSpace(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return (letters >= 25 || letters >= 12 && strings.ContainsRune(".!:。", last)) && !strings.HasPrefix(text, "<")
}

// plainStart does the same for reStructuredText, AsciiDoc and plain text: paragraphs between blank lines.
func plainStart(text string) (title, purpose string) {
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		paragraph = strings.TrimSpace(paragraph)
		for {
			first, rest, more := strings.Cut(paragraph, "\n")
			second, _, _ := strings.Cut(rest, "\n")
			switch {
			case more && isRule(first): // a line above a title
				paragraph = strings.TrimSpace(rest)
				continue
			case more && isRule(second) || strings.HasPrefix(first, "= "):
				if title == "" {
					title = strings.TrimPrefix(first, "= ")
				}
				_, paragraph, _ = strings.Cut(rest, "\n")
				if strings.HasPrefix(first, "= ") {
					paragraph = rest
				}
				paragraph = strings.TrimSpace(paragraph)
				continue
			}
			break
		}
		if paragraph == "" || strings.ContainsRune(".:|=[*#", rune(paragraph[0])) || strings.HasPrefix(paragraph, "image:") || strings.Contains(paragraph, "://") && len(paragraph) < 120 || !isProse(paragraph) {
			continue
		}
		return title, strings.NewReplacer("``", "", "`_", "", "`", "", "**", "").Replace(paragraph)
	}
	return title, ""
}

// isRule reports whether a line underlines a title.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.ContainsAny(line[:1], "=-~^*#+")
}
