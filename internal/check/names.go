package check

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// collisions adds findings to pages whose path equals another one on a file system that ignores case or normalises accents. paths
// lists all records.
func collisions(pages []*page, paths []string) {
	same := map[string][]string{}
	for _, path := range paths {
		key := foldPath(path)
		same[key] = append(same[key], path)
	}
	for _, p := range pages {
		if twins := otherFiles(same[foldPath(p.path)], p.path); twins != "" {
			p.add(ruleCollision, place{}, p.path, fmt.Sprintf("on macOS and Windows this name and %s are one", twins), "rename one of the files")
		}
	}
}

// foldPath returns the same text for paths that such file systems take for one.
func foldPath(path string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(path))))
}

// portable adds a finding for a name that Windows refuses.
func (c *checker) portable(p *page) {
	for part := range strings.SplitSeq(p.path, "/") {
		if why := refusedName(part); why != "" {
			p.add(ruleName, place{}, part, fmt.Sprintf("Windows refuses the name %q: %s", part, why), "rename it")
			return
		}
	}
}

// refusedName returns why Windows refuses a name, "" when it does not.
func refusedName(name string) string {
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*\`, r) }); i >= 0 {
		return fmt.Sprintf("it holds %q", name[i])
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return "it ends with a full stop or a blank"
	}
	// Windows ignores what follows the first full stop, and blanks before it.
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
