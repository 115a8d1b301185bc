package extract

import (
	"slices"
	"strings"

	"sdd/internal/git"
	"sdd/internal/pattern"
)

// unit is one piece of work on the main line: a commit, or the merge of a pull request with its commits.
type unit = git.Revision

// pullRequest matches the subject of a merge that has the title of a pull request in its body.
var pullRequest = pattern.Late(`^(?:Merge pull request [#!]?\d+|Merged in .+ \(pull request #\d+\)|Auto merge of #\d+` +
	`|Merge branch '.+' into '?.+)`)

// titled returns the title and body of a pull request from the message of its merge. ok is false for any other merge.
func titled(message string) (title, body string, ok bool) {
	subject, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if !pullRequest().MatchString(subject) || strings.HasPrefix(subject, "Merge branch") && !strings.Contains(rest, "See merge request") {
		return "", "", false
	}
	title, body, _ = strings.Cut(strings.TrimSpace(rest), "\n")
	title = strings.TrimSpace(title)
	return title, body, title != "" && !strings.HasPrefix(title, "See merge request")
}

// Units returns the units of a history, the newest first. The merge of a pull request replaces its commits; any other
// merge is left out, and its commits count.
func Units(all []git.Revision) (list []unit) {
	at := make(map[string]int, len(all))
	for i, c := range all {
		at[c.ID] = i
	}
	seen, counts := make([]bool, len(all)), make([]bool, len(all))
	// follow walks a main line from its end, then the lines merged into it, from the first merge on. The commits of a
	// pull request are visited, and do not count.
	var follow func(id string, brought bool)
	follow = func(id string, brought bool) {
		var line []int
		for i, ok := at[id]; ok && !seen[i]; i, ok = at[all[i].Parents[0]] {
			seen[i] = true
			line = append(line, i)
			if len(all[i].Parents) == 0 {
				break
			}
		}
		for _, i := range slices.Backward(line) {
			c := &all[i]
			_, _, pr := titled(c.Message)
			counts[i] = !brought && (pr || len(c.Parents) < 2)
			for _, p := range c.Parents[min(1, len(c.Parents)):] {
				follow(p, brought || pr)
			}
		}
	}
	for i := range all {
		follow(all[i].ID, false)
	}
	for i := range all {
		if counts[i] {
			list = append(list, all[i])
		}
	}
	return list
}
