package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/lookup"
)

// pageOfHits is the default number of results.
const pageOfHits = 10

func newSearch(a *session) *cobra.Command {
	var q lookup.Query
	var hub bool
	cmd := command("search [QUERY]", "Find records by their words; without a query list the newest", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			q.Query = strings.Join(args, " ")
			q.Limit = cmp.Or(q.Limit, pageOfHits)
			found, err := a.search(ctx, w, hub, q)
			return a.answerWith(found, err, func() string {
				var b strings.Builder
				for _, h := range found.Results {
					fmt.Fprintf(&b, "%s  %s%s\n    %s:%d", h.ID, h.Mark(), h.Title, h.File, h.Line)
					if h.Section != "" {
						b.WriteString("  " + h.Section)
					}
					if h.Snippet != "" {
						b.WriteString(": " + h.Snippet)
					}
					b.WriteString("\n")
				}
				if !hub { // which says why it does not answer
					a.noteLine(found.Note)
				}
				for _, name := range found.Missing {
					fmt.Fprintf(a.err, "note: the records of %s are missing: sdd repos sync %s fetches them, or says why not\n", name, name)
				}
				a.noteMore(len(found.Results), found.Total, found.NextCursor, "nothing found")
				return b.String()
			})
		}))
	f := cmd.Flags()
	f.StringVar(&q.Type, "type", "", "explore, learning, idea, fact, decision or candidate")
	f.StringVar(&q.Project, "project", "", "only this project (default: all)")
	f.StringVar(&q.Scope, "scope", "", "only this scope: project, personal, private, local or global")
	f.StringVar(&q.Status, "status", "", "only this status")
	f.StringVar(&q.SessionID, "session-id", "", "only what this session saved")
	f.IntVar(&q.Limit, "limit", 0, "results a page, 1 to 100 (default 10)")
	f.StringVar(&q.Cursor, "cursor", "", "where the last page ended")
	f.IntVar(&q.MaxTokens, "max-tokens", 0,
		"budget of the answer in o200k tokens, 50 to 100000 (default: budgets.search of config.yaml, else 2000)")
	withRepos(cmd, &q.With)
	hubFlag(cmd, &hub)
	noZero(cmd, "limit", "max-tokens")
	return cmd
}
