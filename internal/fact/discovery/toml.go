package discovery

import (
	"errors"
	"strings"

	"github.com/BurntSushi/toml"
)

// The library takes time and memory by the square of how deep tables are nested and of how many parts a dotted key
// has: some kilobytes without end would use up the machine. No manifest comes near the limits.
const (
	maxNesting  = 16
	maxKeyParts = 16
)

var errTooDeep = errors.New("nested deeper than manifests are")

func decodeTOML(text string) (map[string]any, error) {
	if !shallow(text) {
		return nil, errTooDeep
	}
	var t map[string]any
	_, err := toml.Decode(text, &t)
	return t, err
}

// shallow reports whether TOML keeps the limits. It sees strings and comments as a parser does up to the first fault
// in the text, behind which no parser goes.
func shallow(text string) bool {
	depth, parts := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return true
			}
			i += end - 1
		case '"', '\'':
			i = stringEnd(text, i)
		case '[', '{':
			depth, parts = depth+1, 0
		case ']', '}':
			depth, parts = depth-1, 0
		case '.':
			parts++
		case '=', ',', '\n':
			parts = 0
		}
		if depth > maxNesting || parts > maxKeyParts {
			return false
		}
	}
	return true
}

// stringEnd returns the offset of the last byte of the string that begins at i; one left open ends with its line.
func stringEnd(text string, i int) int {
	quote := text[i : i+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(text[i:], long) {
		for j := i + 3; j < len(text); j++ {
			if text[j] == '\\' && quote == `"` {
				j++
			} else if strings.HasPrefix(text[j:], long) {
				end := j + 2
				for end < j+4 && end+1 < len(text) && text[end+1:end+2] == quote { // two more belong to the text
					end++
				}
				return end
			}
		}
		return len(text)
	}
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == '\n':
			return j - 1
		case text[j] == '\\' && quote == `"`:
			j++
		case text[j:j+1] == quote:
			return j
		}
	}
	return len(text)
}
