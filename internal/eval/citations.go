package eval

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/eval/must"
	"sdd/internal/tokens"
)

// adr is a decision record of a public repository.
type adr struct {
	Repo, Path, Title, Context, Options, Decision, Consequences, Other string
}

func (a *adr) markdown() string {
	text := "# " + a.Title + "\n\n" + a.Other + "\n"
	for _, s := range [][2]string{{"Context", a.Context}, {"Options", a.Options}, {"Decision", a.Decision}, {"Consequences", a.Consequences}} {
		if s[1] != "" {
			text += "\n## " + s[0] + "\n\n" + s[1] + "\n"
		}
	}
	return text
}

// citation is a sentence that cites a decision record, without its name.
type citation struct {
	Repo     string
	Source   string `json:"src"` // the record with the sentence; the store lacks it during the question
	Sentence string `json:"q"`
	Gold     string
}

// heldRepository is the repository of decision records that was not used to tune rules.
const heldRepository = "ministryofjustice/cloud-platform"

// measureCitations puts the decision records where their projects have them, and uses the sentences that cite one as
// questions.
func measureCitations(ctx context.Context, top string) []row {
	adrs := readCorpus[adr](top, "adrs.jsonl.gz")
	citations := readCorpus[citation](top, "adr-citations.jsonl.gz")
	whole := row{Figure: "decision record that a sentence cites, within 2000 tokens", AtLeast: 82}
	first := row{Figure: "the same in the first 400 tokens"}
	repos := map[string][]citation{}
	for _, c := range citations {
		repos[c.Repo] = append(repos[c.Repo], c)
	}
	for repo, asked := range repos {
		withApp(func(w *testApp) {
			for _, a := range adrs {
				if a.Repo != repo {
					continue
				}
				file := filepath.Join(w.dir, filepath.FromSlash(a.Path))
				must.Check(os.MkdirAll(filepath.Dir(file), 0o755))
				must.Check(os.WriteFile(file, []byte(a.markdown()), 0o644))
			}
			for _, c := range asked {
				source := filepath.Join(w.dir, filepath.FromSlash(c.Source))
				must.Check(os.Rename(source, source+".away"))
				text := askContext(ctx, w, c.Sentence, 2000)
				must.Check(os.Rename(source+".away", source))
				for r, text := range map[*row]string{&whole: text, &first: tokens.Prefix(text, 400)} {
					got := ratio{Of: 1}
					if strings.Contains(text, c.Gold) {
						got.Right = 1
					}
					r.add(repo == heldRepository, got)
				}
			}
		})
	}
	return []row{whole, first}
}
