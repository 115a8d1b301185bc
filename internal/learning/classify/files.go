package classify

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPath is the longest path that Files finds, in bytes.
const maxPath = 1024

// Files returns the files and folders that a learning names, as paths from the top of the repository with
// slashes, sorted, each once; a folder without the slash at its end. Names are
//   - anything with a folder and a known extension: docs/api.md, .github/workflows/ci.yml
//   - folders below a usual top folder (src/routes), or that end with a slash, or in backticks
//   - files of a known extension (main.go), and well-known ones without (Makefile, .gitignore)
//
// Files cuts off a place in the file (:12, :12:5, #L3-L9) and ./, and reads \ as /. It leaves out addresses, globs,
// routes (/users), absolute paths and those above the repository, packages (@scope/name), versions, media types and
// words with a slash between them (and/or, TCP/IP).
func Files(content string) []string {
	var out []string
	content = head(content, maxText)
	quoted := false
	for i := 0; i < len(content); {
		switch c := content[i]; {
		case c == '`':
			quoted = !quoted
			i++
			if name, n := spacedPath(content[i:]); quoted && n > 0 {
				out = append(out, name)
				i += n
			}
		case between(rune(c)):
			quoted = quoted && c != '\n'
			i++
		default:
			rest := content[i:]
			if end := strings.IndexFunc(rest, func(r rune) bool { return between(r) || r == '`' }); end >= 0 {
				rest = rest[:end]
			}
			i += len(rest)
			call := i < len(content) && content[i] == '('
			if name, ok := repositoryPath(rest, quoted); ok && !call {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// between reports whether a character separates names. Braces, stars and angle brackets do not: a name with one is a
// pattern or a placeholder, not a file.
func between(r rune) bool { return r <= ' ' || strings.ContainsRune("\"',;()|=", r) }

// spacedPath returns the path with spaces that fills the code span at the start of src, and its length, 0 for none. Only
// the first word may have a slash and only the last a known extension: otherwise the span may be a command.
func spacedPath(src string) (name string, n int) {
	end := strings.IndexAny(src, "`\n")
	if end < 0 || src[end] != '`' {
		return "", 0
	}
	words := strings.Split(src[:end], " ")
	if len(words) < 2 || !strings.ContainsRune(words[0], '/') || strings.HasSuffix(words[0], "/") {
		return "", 0
	}
	for i, w := range words {
		last := i == len(words)-1
		if !plainName(w) || i > 0 && strings.ContainsRune(w, '/') || w[0] == '-' || knownExtension(path.Ext(w)) != last {
			return "", 0
		}
	}
	if name, ok := repositoryPath(strings.Join(words, "_"), true); !ok || strings.Count(name, "_") < len(words)-1 {
		return "", 0
	}
	return path.Clean(src[:end]), end
}

// repositoryPath returns the path that a run of text names, if it names one.
func repositoryPath(s string, quoted bool) (string, bool) {
	if len(s) > maxPath || !strings.ContainsAny(s, "./\\") && !named()[s] || !utf8.ValidString(s) {
		return "", false
	}
	s = strings.Trim(strings.TrimLeft(strings.TrimRight(s, ".:!?]"), "["), "“”„«»‘’…—")
	if strings.Contains(s, "]") { // the end of a link: [text](path) is cut before the path
		return "", false
	}
	s, _, _ = strings.Cut(s, "#")
	s = strings.ReplaceAll(withoutPosition(s), "\\", "/")
	if s == "" || s[0] == '/' || strings.ContainsAny(s, "*?{}<>[]:@$%~^&!") || strings.Contains(s, "...") || strings.Contains(s, "//") {
		return "", false
	}
	folder, dotted := strings.HasSuffix(s, "/"), strings.HasPrefix(s, "./")
	s = path.Clean(s)
	if s == "." || s == ".." || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "-") {
		return "", false
	}
	first, rest, below := strings.Cut(s, "/")
	base := path.Base(s)
	switch {
	case !below && folder:
		return s, plainName(s) && (quoted || dotted || topFolders()[s])
	case !below:
		return s, knownFile(s) || dotted && plainName(s)
	case domain(first), !plainName(strings.ReplaceAll(s, "/", "")), product(first):
		return "", false
	case knownExtension(path.Ext(base)) && base != path.Ext(base) && !product(base), wellKnown()[base], folder, dotted, topFolders()[first]:
		return s, true
	}
	return s, quoted && !otherPaths()[first] && wordy(first) && wordy(rest)
}

// withoutPosition cuts :12, :12:5 and :12-20 off.
func withoutPosition(s string) string {
	for {
		n := strings.LastIndexByte(s, ':')
		if n <= 0 || n+1 == len(s) || strings.Trim(s[n+1:], "0123456789-L") != "" {
			return s
		}
		s = s[:n]
	}
}

// knownFile reports whether a name without a folder is a file name.
func knownFile(name string) bool {
	if wellKnown()[name] || named()[name] {
		return true
	}
	ext := path.Ext(name)
	if !knownExtension(ext) || members()[strings.ToLower(ext[1:])] || !plainName(name) || product(name) || name == ext {
		return false
	}
	// .test.ts is an ending, .eslintrc.js a file
	return name[0] != '.' || strings.Contains(name, "rc.") || strings.HasPrefix(name, ".env")
}

func knownExtension(ext string) bool { return len(ext) > 1 && extensions()[strings.ToLower(ext[1:])] }

// product reports whether a name is a product, not a file: Node.js, ASP.NET.
func product(name string) bool {
	stem, ok := strings.CutSuffix(name, ".js")
	return ok && stem != "" && (stem[0] >= 'A' && stem[0] <= 'Z' && !strings.ContainsAny(stem, "-_./") || products()[stem])
}

// domain reports whether the first part of a path is a host name.
func domain(first string) bool {
	n := strings.LastIndexByte(first, '.')
	return n > 0 && (hosts()[strings.ToLower(first[n+1:])] || strings.Trim(first, "0123456789.v") == "" || strings.Count(first, ".") > 2 ||
		knownExtension(first[n:]))
}

// wordy reports whether a part of a path may be a folder name: it has a letter, and is not an acronym.
func wordy(s string) bool {
	return len(s) > 1 && strings.ContainsFunc(s, func(r rune) bool { return 'a' <= r && r <= 'z' || r >= utf8.RuneSelf })
}

// plainName reports whether a name has only the characters that file names usually have.
func plainName(s string) bool {
	letter := false
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r >= utf8.RuneSelf:
			letter = true
		case '0' <= r && r <= '9', r == '.', r == '_', r == '-', r == '+', r == '/':
		default:
			return false
		}
	}
	return letter && s[len(s)-1] != '.'
}
