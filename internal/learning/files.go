package learning

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/pattern"
)

var (
	// mentioned matches a code span, or a run of text without blanks, quotes and brackets.
	mentioned = pattern.Late("`([^`\n]+)`|[^\\s`\"'“”‘’„«»()\\[\\]{}<>,;|=]+")
	// filePosition matches a place in a file: :12, :12:5, #L3-L9.
	filePosition = pattern.Late(`(?::[0-9][0-9:-]*|#.*)$`)
)

const (
	shortestName = 4
	longestName  = 1024
)

// filesIn returns the names in a content that may be paths of files, or ends of paths, sorted, each once: those with a folder or
// an extension, and Makefile and the like. A name counts only when a commit changes a file of that path, so a name of
// something else does no harm.
func filesIn(content string) (names []string) {
	for _, m := range mentioned().FindAllStringSubmatch(content, -1) {
		words := []string{m[0]}
		if m[1] != "" { // one name, with blanks perhaps, or a command with names
			if words = strings.Fields(m[1]); len(words) > 1 && strings.Contains(words[0], "/") {
				words = append(words, m[1])
			}
		}
		for _, name := range words {
			name = strings.ReplaceAll(strings.TrimRight(strings.TrimLeft(name, "*"), ".:!?*…"), `\`, "/")
			name = path.Clean(filePosition().ReplaceAllString(name, ""))
			switch {
			case len(name) < shortestName, len(name) > longestName, name[0] == '/', strings.HasPrefix(name, ".."),
				strings.ContainsAny(name, "*?{}<>@$%~^&!:`"), !strings.ContainsFunc(name, unicode.IsLetter),
				!strings.Contains(name, "/") && path.Ext(name) == "" && !strings.HasSuffix(strings.ToLower(name), "file"):
			default:
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
