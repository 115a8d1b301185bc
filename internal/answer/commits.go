package answer

import (
	"context"
	"fmt"
	"strings"

	"sdd/internal/git"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

const (
	latestCommits = 10
	commitFiles   = 3 // that a commit's line names
)

// lately finds questions about the latest work, which git answers.
var lately = pattern.Late(`(?i)\b(?:last|latest|recent|newest) (?:few |\d+ )?commits?\b|\brecent(?:ly)? chang` +
	`|\bchang(?:e|es|ed)\b[^.?!]{0,20}\b(?:recently|lately|yesterday|today|this week|last week)\b`)

// commits has a line for each of the latest commits, if the question is about them.
func (g *gathering) commits(ctx context.Context, question string) (pieces []*piece) {
	if !lately().MatchString(question) {
		return nil
	}
	repo, err := git.OpenIn(ctx, g.b.Store.Home())
	if err != nil {
		return nil
	}
	list, _ := repo.Revisions(ctx, latestCommits, "HEAD") // without commits there is nothing to list
	for _, c := range list {
		subject, _, _ := strings.Cut(c.Message, "\n")
		var files []string
		for _, f := range c.Files[:min(len(c.Files), commitFiles)] {
			files = append(files, f.Path)
		}
		if more := len(c.Files) - len(files); more > 0 {
			files = append(files, fmt.Sprintf("%d more", more))
		}
		text := record.Inline(fmt.Sprintf("%.10s %s (%s)", c.Date, subject, strings.Join(files, ", ")))
		pieces = append(pieces, &piece{group: answers, head: "- [git log] The latest commits\n",
			text: "  - [commit " + c.ID[:12] + "] " + clipped(text, g.clip) + "\n"})
	}
	return pieces
}
