package grep

import (
	"bytes"
	"path"
	"strings"
	"sync"

	"sdd/internal/pattern"
)

type role uint8

const (
	body role = iota
	comment
	definition // it defines the name between from and to
	field      // it looks like a field or method of the type around it
	title      // a heading of a document
)

// line is the role of a source line and the name that it defines.
type line struct {
	role     role
	from, to int // offsets of the defined name in the line
	indent   int // bytes before a definition's first word
}

// language has the traits of a language that affect the search.
type language struct {
	marks []string // the starts of comments
	prose bool     // text for people, in which headings are the definitions
	c     bool     // functions are defined as `type name(...) {`
	goes  bool     // Go
	other bool     // no language of programs
}

var (
	slashes = language{marks: []string{"//", "/*", "*"}, c: true}
	hashes  = language{marks: []string{"#", `"""`, "'''"}}
	dashes  = language{marks: []string{"--", "/*", "*"}}
	colons  = language{marks: []string{";", "//", "#"}}
	markup  = language{marks: []string{"<!--", "//", "/*"}}
	pages   = language{marks: markup.marks, other: true}
	prose   = language{prose: true}
	unknown = language{marks: []string{"//", "/*", "*"}, c: true, other: true}
	golang  = language{marks: []string{"//", "/*", "*"}, goes: true}
)

// languages has the language of each file extension.
var languages = sync.OnceValue(func() map[string]language {
	m := map[string]language{".go": golang, ".vue": markup, ".svelte": markup, ".html": pages, ".xml": pages}
	for l, ends := range map[*language]string{
		&hashes: `.py .pyi .rb .sh .bash .zsh .fish .yaml .yml .toml .pl .pm .r .jl .ex .exs .tf .nix .nim .ps1 .cmake .mk .gd .cr
			.conf .cfg .properties .bzl`,
		&dashes: ".sql .lua .hs .elm .ada .vhd .idr .purs",
		&colons: ".lisp .clj .cljs .el .scm .rkt .asm .s .ini",
		&slashes: `.js .mjs .cjs .jsx .ts .mts .cts .tsx .c .h .cc .hh .cpp .hpp .cxx .hxx .inl .ipp .cu .m .mm .java .kt .kts .swift .cs .rs
			.php .phtml .scala .sc .groovy .gradle .dart .zig .v .sv .proto .thrift .y .l .sol .fs .fsx .ml .mli .erl .hrl .jq .d .pas .scss
			.less .glsl .wgsl .graphql .coffee .astro`,
		&prose: ".md .markdown .mdx .rst .txt .adoc .org",
	} {
		for e := range strings.FieldsSeq(ends) {
			m[e] = *l
		}
	}
	return m
})

func languageOf(file string) language {
	name := path.Base(file)
	if l, ok := languages()[strings.ToLower(path.Ext(name))]; ok {
		return l
	}
	switch {
	case strings.HasPrefix(name, "Makefile"), strings.HasPrefix(name, "Dockerfile"),
		name == "Rakefile", name == "Gemfile", name == "Jenkinsfile":
		return hashes
	case name == "README", name == "CHANGELOG", name == "LICENSE":
		return prose
	}
	return unknown
}

// modifiers may precede the word that begins a definition.
var modifiers = pattern.Words(`public private protected internal static final abstract async export default pub unsafe extern
	override virtual inline sealed partial open data suspend readonly declare constexpr mut local native synchronized transient
	volatile strictfp fileprivate operator infix tailrec lateinit companion inner crate explicit friend template typename weak
	lazy required convenience indirect`)

// definers begin a definition; the name follows.
var definers = pattern.Words(`func def class type struct interface fn function trait impl enum module mod namespace package
	object protocol extension record union typedef macro defmodule defp defmacro defn deftype defprotocol sub proc procedure
	method mixin actor contract library message service rpc subroutine macro_rules resource variable`)

// values define a name too, but inside functions they are too frequent to count as definitions.
var values = pattern.Words(`const let var val static define final`)

// statements begin lines that look like a function's definition but are not.
var statements = pattern.Words(`if for while switch return else catch with do try match when case unless until elif elsif throw
	new await yield assert go defer select fallthrough goto break continue range using lock foreach synchronized in not and or
	print`)

// readLine reads a line, with or without its end.
func (l language) readLine(text []byte) line {
	text = bytes.TrimRight(text, "\r\n\t ")
	indent := 0
	for indent < len(text) && (text[indent] == ' ' || text[indent] == '\t') {
		indent++
	}
	if indent == len(text) {
		return line{}
	}
	rest := text[indent:]
	if l.prose {
		if rest[0] == '#' || rest[0] == '=' {
			return line{role: title, from: indent, to: len(text)}
		}
		return line{}
	}
	for _, m := range l.marks {
		if bytes.HasPrefix(rest, []byte(m)) {
			if m == "*" && len(rest) > 1 && rest[1] != ' ' && rest[1] != '/' && rest[1] != '*' {
				continue // *p = 1
			}
			return line{role: comment}
		}
	}
	return l.defines(text, indent)
}

func (l language) defines(text []byte, indent int) line {
	at := indent
	for words := 0; words < 6; words++ {
		end := at
		for end < len(text) && isIdent(text[end]) {
			end++
		}
		w := string(text[at:end])
		switch {
		case w == "", statements()[w], w == "mod" && text[len(text)-1] == ';': // the module is in another file
			return line{}
		case definers()[w]:
			return l.name(text, indent, end)
		case values()[w] && w != "static" && w != "final":
			if indent == 0 {
				return l.name(text, indent, end)
			}
			return line{}
		case !modifiers()[w]:
			return l.plain(text, indent, at, end, words > 0)
		}
		at = end
		if at < len(text) && text[at] == '(' { // pub(crate)
			if i := bytes.IndexByte(text[at:], ')'); i > 0 {
				at += i + 1
			}
		}
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
	}
	return line{}
}

// name reads the name after a definer. It skips receivers, pointers and type parameters.
func (l language) name(text []byte, indent, at int) line {
	for at < len(text) && bytes.IndexByte([]byte(" \t*&"), text[at]) >= 0 {
		at++
	}
	if at < len(text) && (text[at] == '(' || text[at] == '<') {
		end := byte(')')
		if text[at] == '<' {
			end = '>'
		}
		i := bytes.IndexByte(text[at:], end)
		if i < 0 || i == len(text)-at-1 {
			return line{}
		}
		at += i + 1
		for at < len(text) && text[at] == ' ' {
			at++
		}
	}
	end := at
	for end < len(text) && (isIdent(text[end]) || text[end] == '-' && end+1 < len(text) && isIdent(text[end+1])) {
		end++
	}
	if end == at || statements()[string(text[at:end])] {
		return line{}
	}
	return line{definition, at, end, indent}
}

// plain reads a line whose first word is no keyword: a function of the C family, one assigned to a name, or a field.
func (l language) plain(text []byte, indent, at, end int, modified bool) line {
	if l.goes {
		if indent == 1 && end < len(text) && (text[end] == ' ' || text[end] == '(') && kinds[text[at]] == capital {
			rest := bytes.TrimLeft(text[end:], " ")
			typed := len(rest) > 0 && (isIdent(rest[0]) || strings.IndexByte("*[=(", rest[0]) >= 0)
			if text[end] == ' ' && typed || text[end] == '(' && !bytes.HasSuffix(text, []byte(")")) {
				return line{field, at, end, indent}
			}
		}
		return line{}
	}
	if !l.c {
		return line{}
	}
	open := bytes.IndexByte(text, '(')
	if open <= at || bytes.HasSuffix(text, []byte("=> {")) || // Kind(x) => {
		bytes.IndexByte(text[:open], '=') >= 0 || bytes.IndexByte(text[:open], '.') >= 0 && indent > 0 {
		return line{}
	}
	to := open
	for to > at && text[to-1] == ' ' {
		to--
	}
	from := to
	for from > at && isIdent(text[from-1]) {
		from--
	}
	if from == to || statements()[string(text[from:to])] {
		return line{}
	}
	switch last := text[len(text)-1]; last {
	case '{':
	case ')', ',', '(':
		if (indent > 0 || last == '(') && !modified && (from == at || importers()[string(text[at:end])] || !typed().Match(text[at:from])) {
			return line{}
		}
	default:
		return line{}
	}
	return line{definition, from, to, indent}
}

// typed matches a type before the name of a method.
var typed = pattern.Late(`^\w+(?:<[\w<>\[\],?*& ]*>)?[\[\]?*&]* +[*&]*$`)
