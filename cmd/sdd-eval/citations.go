package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// adr is a decision record of a public repository.
type adr struct {
	Repo         string `json:"repo"`
	Path         string `json:"path"`
	Title        string `json:"title"`
	Context      string `json:"context"`
	Options      string `json:"options"`
	Decision     string `json:"decision"`
	Consequences string `json:"consequences"`
	Other        string `json:"other"`
}

func (a *adr) markdown() string {
	text := "# " + a.Title + "\n\n" + a.Other + "\n"
	for _, s := range []struct{ name, text string }{{"Context", a.Context}, {"Options", a.Options}, {"Decision", a.Decision}, {"Consequences", a.Consequences}} {
		if s.text != "" {
			text += "\n## " + s.name + "\n\n" + s.text + "\n"
		}
	}
	return text
}

// citation is a sentence that cites a decision record, without its name.
type citation struct {
	Repo     string `json:"repo"`
	Source   string `json:"src"` // where it stands; that record is not there when it is asked with
	Sentence string `json:"q"`
	Gold     string `json:"gold"`
}

// heldRepository is the repository of decision records that no rule was made on.
const heldRepository = "ministryofjustice/cloud-platform"

// measureCitations lays the decision records where their projects have them, and asks with the sentences that cite one.
func measureCitations(ctx context.Context, top string, parts []string) ([]row, error) {
	adrs, err := realLines[adr](top, "adrs.jsonl.gz")
	if err != nil {
		return nil, err
	}
	citations, err := realLines[citation](top, "adr-citations.jsonl.gz")
	if err != nil {
		return nil, err
	}
	var wide, first map[string]*found // within 2,000 tokens, and in the first 400 of them
	if len(citations) > 0 {
		wide, first = map[string]*found{tuned: {}, heldOut: {}}, map[string]*found{tuned: {}, heldOut: {}}
	}
	repos := map[string][]citation{}
	var order []string
	for _, c := range citations {
		if repos[c.Repo] == nil {
			order = append(order, c.Repo)
		}
		repos[c.Repo] = append(repos[c.Repo], c)
	}
	for _, repo := range order {
		dir, err := os.MkdirTemp("", "sdd-eval-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		for _, a := range adrs {
			file := filepath.Join(dir, filepath.FromSlash(a.Path))
			if a.Repo != repo {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(file, []byte(a.markdown()), 0o644); err != nil {
				return nil, err
			}
		}
		st, err := store.Open(store.Options{Dir: dir})
		if err != nil {
			return nil, err
		}
		ix := index.Open(st)
		w := app.New(st, ix, app.Options{})
		for _, c := range repos[repo] {
			part := tuned
			if c.Repo == heldRepository {
				part = heldOut
			}
			source := filepath.Join(dir, filepath.FromSlash(c.Source))
			if err := os.Rename(source, source+".away"); err != nil {
				return nil, err
			}
			answer, err := askContext(ctx, w, c.Sentence, 2000)
			if err != nil {
				return nil, err
			}
			if err := os.Rename(source+".away", source); err != nil {
				return nil, err
			}
			for _, x := range []struct {
				of   *found
				text string
			}{{wide[part], answer}, {first[part], tokens.Prefix(answer, 400)}} {
				x.of.Questions++
				if strings.Contains(x.text, c.Gold) {
					x.of.Recall++
				}
			}
		}
		w.Close()
		ix.Close()
		st.Close()
	}
	return []row{
		rowOf("decision record that a sentence cites, within 2000 tokens", 82, parts, wide, found.recall),
		rowOf("the same in the first 400 tokens", 0, parts, first, found.recall),
	}, nil
}

// measureNewcomers names the figures that people give by reading: a newcomer's questions in whole repositories.
func measureNewcomers(context.Context, string, []string) ([]row, error) {
	return []row{
		{Figure: "a newcomer's questions, 0 to 3 by hand, of 3", Must: 77, Real: true},
		{Figure: "the answer stands in the first 400 tokens", Must: 80, Real: true},
	}, nil
}
