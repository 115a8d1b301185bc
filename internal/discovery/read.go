package discovery

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/pattern"
)

const (
	manifestLimit = 1 << 20  // bytes of a manifest; a larger one is not parsed
	headLimit     = 32 << 10 // bytes of any other file: what matters is at its head
)

type head struct {
	text     []byte
	stamp    string // "" when it is not a regular file
	whole    bool   // text is all of it
	manifest bool   // facts come from it
	ok       bool   // it is text
}

// stampOf returns the size and time of a file, "" when it is not a regular file.
func stampOf(dir *os.Root, file string) string {
	info, err := dir.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}

// manifest returns a whole file with facts. It refuses a file that is too large, with a warning.
func (t *tree) manifest(file string) (text []byte, ok bool) {
	h := t.read(file, manifestLimit, true)
	if h.ok && !h.whole {
		t.warnings = append(t.warnings, fmt.Sprintf("%s: larger than %d bytes and not read", file, manifestLimit))
	}
	return h.text, h.ok && h.whole
}

func isReadme(base string) bool { return strings.HasPrefix(strings.ToLower(base)+".", "readme.") }

// read reads a file up to limit without a byte order mark, or returns the cached head. Links do not lead out of the root.
func (t *tree) read(file string, limit int, manifest bool) head {
	h, known := t.heads[file]
	if !known || len(h.text) < limit && !h.whole {
		h = t.readNew(file, limit)
	}
	h.manifest = h.stamp != "" && (h.manifest || manifest)
	t.heads[file] = h
	return h
}

func (t *tree) readNew(file string, limit int) (h head) {
	if h.stamp = stampOf(t.root, file); h.stamp == "" { // before opening, which would block on a pipe
		return h
	}
	var text []byte
	f, err := t.root.Open(file)
	if err == nil {
		defer f.Close()
		text, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	}
	if err != nil {
		t.warnings = append(t.warnings, file+": cannot be read")
		return h
	}
	h.whole = len(text) <= limit
	h.text = bytes.TrimPrefix(text[:min(len(text), limit)], []byte("\xef\xbb\xbf"))
	h.ok = !bytes.ContainsRune(h.text[:min(len(h.text), 8<<10)], 0)
	return h
}

// OneLine returns text as plain words on one line: without control characters, invalid bytes and runs of spaces.
func OneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// plain returns text without invalid bytes and control characters, its lines kept.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// brief returns text on one line with at most limit characters, cut after a sentence, else after a word.
func brief(text string, limit int) string {
	text = OneLine(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit]
	for i := len(runes) - 1; i > limit/3; i-- {
		if strings.ContainsRune("。！？", runes[i]) || runes[i] == ' ' && strings.ContainsRune(".!?", runes[i-1]) {
			return strings.TrimSpace(string(runes[:i+1]))
		}
	}
	for i := len(runes) - 1; i > limit/2; i-- {
		if runes[i] == ' ' {
			return string(runes[:i]) + " …"
		}
	}
	return string(runes) + "…"
}

// sentence returns the first sentence of a text, without its full stop.
func sentence(text string, limit int) string {
	text = OneLine(text)
	for i, r := range text {
		if r == '。' || strings.ContainsRune(".!?", r) && strings.HasPrefix(text[i+1:], " ") && !abbreviation(text[:i]) {
			text = text[:i]
			break
		}
	}
	return strings.TrimRight(brief(text, limit), ".。 ")
}

// abbreviation reports whether the full stop after text is part of an abbreviation.
func abbreviation(text string) bool {
	word := text[strings.LastIndexAny(text, " (")+1:]
	return len(word) == 1 || abbreviations()[strings.ToLower(word)]
}

var abbreviations = pattern.Words("e.g i.e etc vs cf no st mr dr")

// quoted returns a text in quotation marks, with its own replaced.
func quoted(text string) string {
	return "“" + strings.NewReplacer("“", "'", "”", "'", `"`, "'").Replace(text) + "”"
}

func code(text string) string { return "`" + strings.ReplaceAll(OneLine(text), "`", "'") + "`" }

// listing returns items as a list in a sentence, at most limit of them.
func listing(items []string, limit int) string {
	switch {
	case len(items) > limit:
		return strings.Join(items[:limit], ", ") + " and others"
	case len(items) < 2:
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// sayable reports whether a command is fit for a fact: short, on one line, and without paths of one machine.
func sayable(line string) bool {
	if line == "" || len(line) > 100 || strings.ContainsAny(line, "\n\r`") || strings.Contains(line, "://") || machineBound(line) {
		return false
	}
	return !slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		return word[0] == '/' || word[0] == '~' || strings.Contains(word, "@") && strings.Contains(word, ":")
	})
}
