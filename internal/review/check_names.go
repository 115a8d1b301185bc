package review

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sdd/internal/store"
)

// collisions notes files of pages whose path is that of another one on a file system that takes
// capitals for small letters, or spells accents its own way. paths lists all records.
func collisions(pages []*page, paths []string) {
	same := map[string][]string{}
	for _, path := range paths {
		key := foldPath(path)
		same[key] = append(same[key], path)
	}
	for _, p := range pages {
		group := same[foldPath(p.path)]
		if len(group) < 2 {
			continue
		}
		var twins []string
		for _, path := range group {
			if path != p.path {
				twins = append(twins, store.Folder+"/"+path)
			}
		}
		slices.Sort(twins)
		if len(twins) > 0 {
			p.add(ruleCollision, place{}, p.path, fmt.Sprintf("on macOS and Windows this name and %s are one", strings.Join(twins, ", ")), "rename one of the files")
		}
	}
}

// foldPath returns a form that paths share which such file systems take for one.
func foldPath(path string) string {
	if isPlain(path) {
		return path
	}
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(path))))
}

// isPlain reports whether path is in that form already.
func isPlain(path string) bool {
	for i := range len(path) {
		if c := path[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// portable notes a name that Windows refuses.
func (c *checker) portable(p *page) {
	for part := range strings.SplitSeq(p.path, "/") {
		if why := refusedName(part); why != "" {
			p.add(ruleName, place{}, part, fmt.Sprintf("Windows refuses the name %q: %s", part, why), "rename it")
			return
		}
	}
}

// refusedName says why Windows refuses a name, "" when it does not.
func refusedName(name string) string {
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*\`, r) }); i >= 0 {
		return fmt.Sprintf("it holds %q", name[i])
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return "it ends with a full stop or a blank"
	}
	// Whatever follows a full stop, blanks before it included, does not count.
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch stem = strings.TrimRight(stem, " "); stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return "it is that of a device"
	}
	if strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt") {
		switch stem[3:] {
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
			return "it is that of a device"
		}
	}
	return ""
}
