package discovery

import (
	"cmp"
	"encoding/xml"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

type readme struct{ file, title, purpose string }

const (
	readmeHead   = 16 << 10 // bytes; the title and first paragraph are within them
	purposeLimit = 320      // characters
)

// readReadme reads the README at the top, the English one if there are several.
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
	if h := s.read(file, headLimit, true); h.ok {
		s.readme = readmeOf(file, h.text)
	}
}

// Purpose returns the first sentence of the README in a folder, "" without one. It reads one file.
func Purpose(dir string) string {
	for _, name := range []string{"README.md", "README.rst", "README.txt", "README"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		defer f.Close()
		text, _ := io.ReadAll(io.LimitReader(f, readmeHead)) // of what cannot be read nothing is known
		return sentence(readmeOf(name, text).purpose, 200)
	}
	return ""
}

func readmeOf(file string, text []byte) readme {
	text = text[:min(len(text), readmeHead)]
	r := readme{file: file}
	start := plainStart
	if ext := strings.ToLower(path.Ext(file)); ext == ".md" || ext == ".markdown" || ext == "" {
		start = markdownStart
	}
	r.title, r.purpose = start(string(text))
	if p := r.purpose; strings.HasSuffix(strings.TrimSpace(p), ":") { // the last sentence introduces a list: "It can:"
		r.purpose = p[:1+max(strings.LastIndex(p, ". "), strings.LastIndex(p, "! "), strings.LastIndex(p, "? "))]
	}
	r.title, r.purpose = brief(r.title, 80), brief(r.purpose, purposeLimit)
	return r
}

var picture = pattern.Late(`!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])`)

// markdownStart returns the title and the first paragraph that is prose: no badges, no picture, no quotation. Before the
// next heading, a paragraph that defines the title is better: "Title is a library …".
func markdownStart(text string) (title, purpose string) {
	text = picture().ReplaceAllString(text, "") // else the text of badges
	d := xml.NewDecoder(strings.NewReader(markdown.HTML(string(markdown.WithoutTags([]byte(plain(text)), true)), nil)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		t, err := d.Token()
		block, _ := t.(xml.StartElement)
		if err != nil || purpose != "" && strings.HasPrefix(block.Name.Local, "h") {
			return title, purpose
		}
		switch block.Name.Local {
		case "":
		case "h1":
			all, _ := blockText(d)
			title = cmp.Or(title, all)
		case "p":
			all, prose := blockText(d)
			if !isProse(prose) || !isProse(all) {
				continue
			}
			name := strings.ToLower(title)
			if rest, is := strings.CutPrefix(strings.ToLower(all), name+" is "); is && article().MatchString(rest) {
				return title, all
			}
			if purpose = cmp.Or(purpose, all); strings.Contains(strings.ToLower(purpose), name) {
				return title, purpose
			}
		default:
			_ = d.Skip()
		}
	}
}

// blockText reads to the end of an element. It returns all its text, and the text outside links.
func blockText(d *xml.Decoder) (all, prose string) {
	for depth, links := 1, 0; depth > 0; {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			if t.Name.Local == "a" {
				links++
			}
		case xml.EndElement:
			depth--
			if t.Name.Local == "a" {
				links--
			}
		case xml.CharData:
			all += string(t)
			if links == 0 {
				prose += string(t)
			}
		}
	}
	return OneLine(all), prose
}

// article begins what something is, not what state it is in.
var article = pattern.Late(`^(?:an?|the|our|your) `)

// isProse reports whether a text is more than a label: it has several words, or characters of a script without spaces.
func isProse(text string) bool {
	letters := 0
	for word := range strings.FieldsSeq(text) {
		for _, r := range word {
			switch {
			case strings.Contains(word, "://"): // an address describes nothing
			case unicode.IsLetter(r) && r > 0x2e80:
				letters += 3
			case unicode.IsLetter(r):
				letters++
			}
		}
	}
	text = strings.TrimSpace(text)
	if strings.Count(text, " | ") > 1 { // links
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	return (letters >= 25 || letters >= 12 && strings.ContainsRune(".!:。", last)) && !strings.HasPrefix(text, "<")
}

// plainStart is markdownStart for reStructuredText, AsciiDoc and plain text: paragraphs between blank lines.
func plainStart(text string) (title, purpose string) {
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		lines := strings.Split(strings.TrimSpace(paragraph), "\n")
		words := slices.DeleteFunc(slices.Clone(lines), isRule)
		if len(words) > 0 && (len(words) < len(lines) || strings.HasPrefix(words[0], "= ")) {
			title = cmp.Or(title, strings.TrimPrefix(words[0], "= "))
			words = words[1:]
		}
		paragraph = strings.TrimSpace(strings.Join(words, "\n"))
		if paragraph != "" && !strings.ContainsRune(".:|=[*#", rune(paragraph[0])) && !strings.HasPrefix(paragraph, "image:") &&
			(!strings.Contains(paragraph, "://") || len(paragraph) >= 120) && isProse(paragraph) {
			return title, strings.NewReplacer("``", "", "`_", "", "`", "", "**", "").Replace(paragraph)
		}
	}
	return title, ""
}

func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.ContainsAny(line[:1], "=-~^*#+")
}
