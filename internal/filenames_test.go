package internal

import (
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestFilesCanBeInstalled: go install of a version takes no module with a file whose name Windows refuses, and a clone there fails.
// The rules are those of CheckFilePath in golang.org/x/mod/module.
func TestFilesCanBeInstalled(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not in a git work tree")
	}
	reserved := regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	folded := map[string]string{}
	for file := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		for part := range strings.SplitSeq(file, "/") {
			odd := strings.IndexFunc(part, func(r rune) bool {
				return !unicode.IsLetter(r) && !(r < 128 && (unicode.IsDigit(r) || strings.ContainsRune("!#$%&()+,-.=@[]^_{}~ ", r)))
			})
			if odd >= 0 || reserved.MatchString(part) || strings.HasSuffix(part, ".") {
				t.Errorf("%s: %q is a name that Windows or the module proxy refuses", file, part)
			}
		}
		if other := folded[strings.ToLower(file)]; other != "" {
			t.Errorf("%s and %s are one file on macOS and Windows", file, other)
		}
		folded[strings.ToLower(file)] = path.Clean(file)
	}
}
