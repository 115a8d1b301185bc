package extract

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/git"
	"sdd/internal/pattern"
)

// unit is one piece of work as a reader of the main line sees it: a commit, or the merge of a pull request with what it brought.
type unit = git.Revision

// pullRequest is the subject of a merge whose message has the title of a pull request in its body.
var pullRequest = pattern.Late(`^(?:Merge pull request [#!]?\d+|Merged in .+ \(pull request #\d+\)|Auto merge of #\d+|Merge branch '.+' into '?.+)`)

// titled returns the title of a pull request and what follows it in the message of its merge. ok is false of any other merge.
func titled(message string) (title, body string, ok bool) {
	subject, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if !pullRequest().MatchString(subject) || strings.HasPrefix(subject, "Merge branch") && !strings.Contains(rest, "See merge request") {
		return "", "", false
	}
	title, body, _ = strings.Cut(strings.TrimSpace(rest), "\n")
	title = strings.TrimSpace(title)
	return title, body, title != "" && !strings.HasPrefix(title, "See merge request")
}

// Units returns those of the commits, the newest first, that are units of work: the merge of a pull request is one for the
// commits that it brought.
func Units(ctx context.Context, repo *git.Repo, commits []string) ([]string, error) {
	all, _, err := repo.Revisions(ctx, len(commits), append([]string{"--no-walk=unsorted"}, commits...)...)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, u := range units(all) {
		ids = append(ids, u.ID)
	}
	return ids, nil
}

// units returns the units of a history, in its order, the newest first. The merge of a pull request counts for the commits that it
// brought; of any other merge those commits count, and the merge does not.
func units(all []git.Revision) (list []unit) {
	at := make(map[string]int, len(all))
	for i, c := range all {
		at[c.ID] = i
	}
	seen, counts := make([]bool, len(all)), make([]bool, len(all))
	// follow walks a main line from its end, and the lines that were merged into it from the first merge on. What a pull request
	// brought is seen, and does not count.
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
