// Package symbol reads source files: the functions, types and headings that they declare, where each one is, and a
// fingerprint of its content that formatting and comments do not change. It does no I/O.
package symbol

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Symbol is a named part of a file.
type Symbol struct {
	Name  string // "Sign", "Signer.Sign"; of Markdown the heading, of YAML the keys: "jobs.build"
	Kind  Kind
	First int    // the first line, from 1, without comments above it
	Last  int    // the last line
	Print string // the fingerprint; see digest
	Alone string // of a type that Together returned: the fingerprint without its methods, as earlier versions stored it
	Size  int    // tokens
}

// Kind is what a symbol is.
type Kind string

const (
	Func    Kind = "func"    // a function or method
	Type    Kind = "type"    // a class, struct, interface, enum, trait, table
	Value   Kind = "value"   // a constant, variable or key
	Module  Kind = "module"  // a namespace or module
	Heading Kind = "heading" // a section of a document
)

// Simple returns the last part of a name: Sign of Signer.Sign.
func (s Symbol) Simple() string {
	if s.Kind == Heading {
		return s.Name
	}
	return s.Name[strings.LastIndexByte(s.Name, '.')+1:]
}

// File is a source file, read once. It is immutable and safe for concurrent use.
type File struct {
	Symbols []Symbol // by their first line, an outer one before those inside it
	Lines   int      // of the file
	Lang    string   // "go", "python", …; "" for a file whose language is unknown

	toks  []token
	bare  []token  // toks without imports
	aside [][2]int // spans of the text: comments and documentation strings
	whole func() string
	parts func() map[string][]Symbol // the symbols inside of each, such as A.B of A, by its name
	steps int                        // that reading took
}

// token is a word, number, text or mark of a file, outside comments.
type token struct {
	text string
	line int32 // from 1
	kind tokenKind
}

type tokenKind uint8

const (
	word tokenKind = iota // an identifier or keyword, and any token of Go, Markdown and plain text
	number
	text      // a string, or words of running text
	mark      // a bracket or operator
	directive // a token of a preprocessor line
	layout    // an indent, dedent or line end that has meaning
	gone      // what formatters add and remove
)

// Parse reads a file and never fails: what it cannot read has no symbols, and in an unknown language the tokens are words.
func Parse(path string, src []byte) (f *File) {
	defer func() {
		if recover() != nil { // a defect of a reader costs the symbols of one file, and not the program
			f = parse(language{}, src)
		}
	}()
	return parse(languageOf(path), src)
}

func parse(l language, src []byte) *File {
	f := &File{Lang: l.name}
	text := plainText(src)
	f.Lines = strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if l.read == nil {
		l.read = readText
	}
	imports := l.read(f, text)
	slices.SortStableFunc(f.Symbols, func(a, b Symbol) int { return cmp.Or(a.First-b.First, b.Last-a.Last) })
	f.takeTokens(imports)
	f.whole = sync.OnceValue(func() string { return digest(f.bare, nil) })
	f.parts = sync.OnceValue(f.byOuter)
	return f
}

func (f *File) byOuter() map[string][]Symbol {
	parts := map[string][]Symbol{}
	for _, s := range f.Symbols {
		for i := range len(s.Name) {
			if s.Name[i] == '.' {
				parts[s.Name[:i]] = append(parts[s.Name[:i]], s)
			}
		}
	}
	return parts
}

// plainText returns a text without a byte order mark, its lines ended by "\n".
func plainText(src []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n")
}

// Code returns the text of a file with blanks for comments and for the strings of Python that are documentation.
func Code(path string, src []byte) string {
	text := []byte(plainText(src))
	for _, span := range Parse(path, src).aside {
		for i, c := range text[span[0]:span[1]] {
			if c != '\n' {
				text[span[0]+i] = ' '
			}
		}
	}
	return string(text)
}

// Print returns the fingerprint of the whole file without its imports.
func (f *File) Print() string { return f.whole() }

// Size returns the number of tokens of the file without its imports.
func (f *File) Size() int { return len(f.bare) }

// Find returns the symbols of that name, or whose last parts it is, with . or :: between them; with overloads several.
func (f *File) Find(name string) []Symbol {
	var found, partly []Symbol
	dotted := strings.ReplaceAll(name, "::", ".")
	for _, s := range f.Symbols {
		switch {
		case s.Name == dotted || s.Kind == Heading && (strings.EqualFold(s.Name, name) || Anchor(s.Name) == name):
			found = append(found, s)
		case s.Kind != Heading && strings.HasSuffix(s.Name, "."+dotted):
			partly = append(partly, s)
		}
	}
	if found != nil {
		return found
	}
	return partly
}

// outside are the languages that declare the methods of a type outside of its braces.
var outside = set("go rust swift cpp")

// Together joins overloads into one symbol with a fingerprint of all. A type includes its methods in the file, in any order.
func (f *File) Together(overloads []Symbol) Symbol {
	all := overloads[0]
	all.Size = 0
	var prints []token
	join := func(s Symbol, print string) {
		prints = append(prints, token{text: print})
		all.Size += s.Size
		all.First, all.Last = min(all.First, s.First), max(all.Last, s.Last)
	}
	for _, s := range overloads {
		join(s, s.Print)
	}
	if len(overloads) > 1 {
		all.Print = digest(prints, nil)
	}
	if all.Kind != Type || !outside[f.Lang] {
		return all
	}
	all.Alone, prints = all.Print, nil
	begun, end := 0, 0 // the overloads up to a line, and where the last of them ends
	for _, s := range f.parts()[all.Name] {
		for ; begun < len(overloads) && overloads[begun].First <= s.First; begun++ {
			end = max(end, overloads[begun].Last)
		}
		if s.Last > end {
			join(s, s.Name[len(all.Name)+1:]+" "+s.Print)
		}
	}
	slices.SortFunc(prints, func(a, b token) int { return strings.Compare(a.text, b.text) })
	all.Print = digest(append(prints, token{text: all.Alone}), nil)
	return all
}

// Named returns each name of the file once, with its overloads together.
func (f *File) Named() (all []Symbol) {
	overloads := map[string][]Symbol{}
	for _, s := range f.Symbols {
		overloads[s.Name] = append(overloads[s.Name], s)
	}
	for _, s := range f.Symbols {
		if some := overloads[s.Name]; some != nil {
			all = append(all, f.Together(some))
			delete(overloads, s.Name)
		}
	}
	return all
}

// At returns the innermost symbol that contains the line.
func (f *File) At(line int) (Symbol, bool) {
	var best Symbol
	for _, s := range f.Symbols {
		if s.First <= line && line <= s.Last && (best.Name == "" || s.Last-s.First <= best.Last-best.First) {
			best = s
		}
	}
	return best, best.Name != ""
}

// Range returns the fingerprint of the tokens in some lines, and their number.
func (f *File) Range(first, last int) (print string, size int) {
	toks := f.between(first, last)
	return digest(toks, nil), len(toks)
}

func (f *File) between(first, last int) []token {
	from, _ := slices.BinarySearchFunc(f.toks, first, func(t token, l int) int { return int(t.line) - l })
	to, _ := slices.BinarySearchFunc(f.toks, last+1, func(t token, l int) int { return int(t.line) - l })
	return f.toks[from:max(from, to)]
}

// FindRange returns the lines whose tokens have that fingerprint and number, the ones closest to near; ok is false without such lines.
func (f *File) FindRange(print string, size, near int) (first, last int, ok bool) {
	for i, end := 0, size; end <= len(f.toks) && size > 0; i, end = i+1, end+1 {
		if i > 0 && f.toks[i-1].line == f.toks[i].line || end < len(f.toks) && f.toks[end].line == f.toks[end-1].line ||
			digest(f.toks[i:end], nil) != print {
			continue
		}
		if a := int(f.toks[i].line); !ok || distance(a, near) < distance(first, near) {
			first, last, ok = a, int(f.toks[end-1].line), true
		}
	}
	return first, last, ok
}

// Paragraph returns the lines without a gap from the first with the word, for a symbol of unknown extent; 0 without one.
func (f *File) Paragraph(word string) (first, last int) {
	word = word[strings.LastIndexByte(word, '.')+1:]
	for _, t := range f.toks {
		line := int(t.line)
		switch {
		case first == 0 && hasWord(t.text, word):
			first, last = line, line
		case first > 0 && line > last+1 || last-first >= longestParagraph:
			return first, last
		case first > 0:
			last = line
		}
	}
	return first, last
}

const longestParagraph = 40 // lines

// hasWord reports whether a token is or holds a word.
func hasWord(token, word string) bool {
	return token == word || slices.Contains(strings.FieldsFunc(token, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), word)
}

func distance(a, b int) int { return max(a-b, b-a) }

// digest is the first 12 hex digits of the SHA-256 of tokens. The words in own count as one each, so a rename keeps it.
func digest(toks []token, own []string) string {
	size := 0
	for _, t := range toks {
		size += len(t.text) + 2
	}
	buf := make([]byte, 0, size)
	for _, t := range toks {
		switch i := slices.Index(own, t.text); {
		case t.kind == gone:
			continue
		case t.kind == text:
			buf = append(buf, 2)
		case i >= 0:
			buf = append(buf, 1, byte('0'+min(i, 9)), 0)
			continue
		}
		buf = append(append(buf, t.text...), 0)
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:6])
}

func (f *File) add(name string, kind Kind, first, last int, toks []token) {
	own := strings.Split(name, ".")
	if kind == Heading {
		own = []string{name}
	}
	slices.Reverse(own)
	size := 0
	for _, t := range toks {
		if t.kind != gone {
			size++
		}
	}
	f.Symbols = append(f.Symbols, Symbol{Name: name, Kind: kind, First: first, Last: last, Print: digest(toks, own), Size: size})
}

// Anchor returns the fragment that forges make of a heading: lower case, words joined by hyphens.
func Anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(heading)) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// takeTokens removes the tokens that are gone, and makes bare of those outside the imports, which are in order.
func (f *File) takeTokens(imports [][2]int) {
	isGone := func(t token) bool { return t.kind == gone }
	f.bare = make([]token, 0, len(f.toks))
	at := 0
	for _, i := range imports {
		f.bare = append(f.bare, f.toks[at:max(at, i[0])]...)
		at = max(at, i[1])
	}
	f.bare = slices.DeleteFunc(append(f.bare, f.toks[at:]...), isGone)
	f.toks = slices.DeleteFunc(f.toks, isGone)
}

// language is zero for an unknown one.
type language struct {
	name string
	read func(f *File, src string) (imports [][2]int) // fills Symbols and the tokens; imports are spans of these
}

var byExtension = byWord(map[string]language{
	".go":                 {"go", readGo},
	".py .pyi .pyw":       {"python", readPython},
	".rb .rake .gemspec":  {"ruby", readRuby},
	".sh .bash .zsh .ksh": {"shell", readShell},
	".sql":                {"sql", readSQL},
	".yaml .yml":          {"yaml", readYAML},
	".md .markdown .mdx":  {"markdown", readMarkdown},
	".js .mjs .cjs .jsx":  jsSyntax.language(),
	".ts .mts .cts":       tsSyntax.language(),
	".tsx":                tsxSyntax.language(),
	".java":               javaSyntax.language(),
	".kt .kts":            kotlinSyntax.language(),
	".swift":              swiftSyntax.language(),
	".cs":                 csSyntax.language(),
	".rs":                 rustSyntax.language(),
	".c":                  cSyntax.language(),
	".php .phtml":         phpSyntax.language(),
	".h .cc .cpp .cxx .hh .hpp .hxx .inl .ipp": cppSyntax.language(),
})

// byWord makes a table of lists of words: each word has the value of its list.
func byWord[V any](lists map[string]V) map[string]V {
	all := map[string]V{}
	for words, v := range lists {
		for w := range strings.FieldsSeq(words) {
			all[w] = v
		}
	}
	return all
}

func set(words string) map[string]bool { return byWord(map[string]bool{words: true}) }

func languageOf(file string) language { return byExtension[strings.ToLower(path.Ext(file))] }

// readText has no symbols; the tokens are the words and marks of the text.
func readText(f *File, src string) (imports [][2]int) {
	for n, line := range strings.Split(src, "\n") {
		for w := range strings.FieldsSeq(line) {
			f.toks = append(f.toks, token{w, int32(n + 1), word})
		}
	}
	return nil
}
