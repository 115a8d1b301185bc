package symbol

import (
	"path"
	"strings"
)

// language reads the files of one language.
type language struct {
	name string
	read func(f *File, src string) // fills Symbols and the tokens
}

var byExtension = map[string]language{}

func init() {
	for ext, l := range map[string]language{
		".go":                 {"go", readGo},
		".py .pyi .pyw":       {"python", readPython},
		".rb .rake .gemspec":  {"ruby", readRuby},
		".sh .bash .zsh .ksh": {"shell", readShell},
		".sql":                {"sql", readSQL},
		".yaml .yml":          {"yaml", readYAML},
		".md .markdown .mdx":  {"markdown", readMarkdown},
	} {
		for e := range strings.FieldsSeq(ext) {
			byExtension[e] = l
		}
	}
	for ext, syn := range map[string]*syntax{
		".js .mjs .cjs .jsx": jsSyntax, ".ts .mts .cts": tsSyntax, ".tsx": tsxSyntax, ".java": javaSyntax, ".kt .kts": kotlinSyntax,
		".swift": swiftSyntax, ".cs": csSyntax, ".rs": rustSyntax, ".c": cSyntax, ".h .cc .cpp .cxx .hh .hpp .hxx .inl .ipp": cppSyntax,
		".php .phtml": phpSyntax,
	} {
		for e := range strings.FieldsSeq(ext) {
			byExtension[e] = language{syn.lang, readBraces(syn)}
		}
	}
}

// languageOf returns the language of a file by its name.
func languageOf(file string) language {
	if l, ok := byExtension[strings.ToLower(path.Ext(file))]; ok {
		return l
	}
	return language{"", readText}
}

// readText has no symbols; the tokens are the words and marks of the text.
func readText(f *File, src string) {
	f.toks = words(src, 1)
	f.bare = f.toks
}

// words splits text at blanks.
func words(src string, line int32) (toks []token) {
	for l := range strings.SplitSeq(src, "\n") {
		for w := range strings.FieldsSeq(l) {
			toks = append(toks, token{w, line, word})
		}
		line++
	}
	return toks
}
