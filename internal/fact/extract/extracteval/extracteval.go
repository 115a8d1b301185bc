package extracteval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sdd/internal/fact/extract"
)

// The bars, in per cent, of each part.
const (
	MustUseful = 65 // of what is told
	MustRecall = 80 // of what is to be kept
)

// Part is what was measured on one part of the commits.
type Part struct {
	Commits   int `json:"commits"`
	Noise     int `json:"noise"`      // commits that are to give nothing
	NoiseTold int `json:"noise_told"` // of these, commits that gave something
	Told      int `json:"told"`       // candidates
	Useful    int `json:"useful"`     // of these, to be kept
	Wanted    int `json:"wanted"`
	Found     int `json:"found"` // of these, told
	SureTold  int `json:"sure_told"`
	SureGood  int `json:"sure_useful"` // of these, to be kept
	Languages int `json:"languages"`
}

// Report is what was measured. Wrong lists the faults of the tuned part.
type Report struct {
	Tuned Part    `json:"tuned"`
	Held  Part    `json:"held"`
	Wrong []Wrong `json:"wrong"`
}

// Wrong is something to be kept that was not told (Got is empty), or something told that is not to be kept.
type Wrong struct {
	Commit string `json:"commit"`
	Want   string `json:"want,omitempty"`
	Got    string `json:"got,omitempty"`
	Signal string `json:"signal,omitempty"`
}

// Evaluate measures the labelled commits in a folder: this package's testdata.
func Evaluate(dir string) (r Report, err error) {
	all, err := read(dir)
	if err != nil {
		return r, err
	}
	langs := [2]map[string]bool{{}, {}}
	for _, l := range all {
		p, part := &r.Tuned, 0
		if l.held {
			p, part = &r.Held, 1
		}
		langs[part][l.lang] = true
		wrong := p.add(l)
		if !l.held {
			r.Wrong = append(r.Wrong, wrong...)
		}
	}
	r.Tuned.Languages, r.Held.Languages = len(langs[0]), len(langs[1])
	return r, nil
}

func (p *Part) add(l labelled) (wrong []Wrong) {
	told := extract.Analyse([]extract.Commit{l.commit}, nil).Candidates
	p.Commits++
	if len(l.wants) == 0 {
		p.Noise++
		if len(told) > 0 {
			p.NoiseTold++
		}
	}
	p.Wanted += len(l.wants)
	useful := map[int]bool{}
	for _, w := range l.wants {
		i := slices.IndexFunc(told, w.fits)
		if i < 0 {
			wrong = append(wrong, Wrong{Commit: l.name, Want: strings.Join(w.words, " ")})
			continue
		}
		p.Found++
		for i, c := range told {
			if w.fits(c) {
				useful[i] = true
			}
		}
	}
	for i, c := range told {
		p.Told++
		if c.Confidence >= extract.Sure {
			p.SureTold++
		}
		switch {
		case useful[i]:
			p.Useful++
			if c.Confidence >= extract.Sure {
				p.SureGood++
			}
		default:
			wrong = append(wrong, Wrong{Commit: l.name, Got: c.Content, Signal: c.Signal})
		}
	}
	return wrong
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

// Missed returns the bars that a part does not reach.
func (r Report) Missed() (missed []string) {
	for _, name := range slices.Sorted(maps.Keys(r.parts())) {
		p := r.parts()[name]
		for _, f := range []struct {
			what        string
			n, of, must int
		}{{"useful", p.Useful, p.Told, MustUseful}, {"recall", p.Found, p.Wanted, MustRecall}} {
			if f.of == 0 || 100*f.n < f.must*f.of {
				missed = append(missed, fmt.Sprintf("%s, %s part: %.1f %%, must reach %d %%", f.what, name, percent(f.n, f.of), f.must))
			}
		}
	}
	return missed
}

func (r Report) parts() map[string]Part { return map[string]Part{"tuned": r.Tuned, "held": r.Held} }

// Table writes the report as a Markdown table.
func (r Report) Table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "| facts from commits | tuned part | held part |\n|---|--:|--:|\n")
	row := func(what string, of func(p Part) string) {
		_, e := fmt.Fprintf(w, "| %s | %s | %s |\n", what, of(r.Tuned), of(r.Held))
		if err == nil {
			err = e
		}
	}
	share := func(n, of int) string { return fmt.Sprintf("%.1f %% (%d of %d)", percent(n, of), n, of) }
	row("commits, languages", func(p Part) string { return fmt.Sprintf("%d, %d", p.Commits, p.Languages) })
	row("useful of what is told", func(p Part) string { return share(p.Useful, p.Told) })
	row("useful of what needs no second look", func(p Part) string { return share(p.SureGood, p.SureTold) })
	row("told of what is to be kept", func(p Part) string { return share(p.Found, p.Wanted) })
	row("commits of noise that told something", func(p Part) string { return share(p.NoiseTold, p.Noise) })
	return err
}
