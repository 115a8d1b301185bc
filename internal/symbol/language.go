package symbol

import (
	"path"
	"strings"
)

// language reads the files of one language.
type language struct {
	name string
	read func(f *File, src []byte) // fills Symbols and the tokens
}

// languageOf returns the language of a file by its name.
func languageOf(file string) language {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return language{"go", readGo}
	case ".md", ".markdown", ".mdx":
		return language{"markdown", readMarkdown}
	}
	return language{"", readText}
}

// readText has no symbols; the tokens are the words and marks of the text.
func readText(f *File, src []byte) {
	f.toks = words(src, 1)
	f.bare = f.toks
}

// words splits text at blanks.
func words(src []byte, line int) (toks []token) {
	for l := range strings.SplitSeq(string(src), "\n") {
		for w := range strings.FieldsSeq(l) {
			toks = append(toks, token{w, line})
		}
		line++
	}
	return toks
}
