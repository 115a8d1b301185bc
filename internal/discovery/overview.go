package discovery

import (
	"bytes"
	"context"
	"math"
	"path"
	"slices"
)

// Overview is a project in a few words and numbers.
type Overview struct {
	Kind     string   // of its packages: go, node, python, rust, jvm, dotnet, native, ruby, php, …; without a manifest "unknown"
	Language string   // of most source files, "" without any
	Files    int      // that git tracks or does not ignore; outside git, all
	Lines    int      // of source files; an estimate for more than sampled files
	Warnings []string // files that could not be read
}

const (
	sampled     = 2000    // source files of which the lines are counted
	sampledSize = 1 << 20 // bytes of one of them that are read
)

// Look returns an overview without the facts of Discover. The same files give the same overview.
func Look(ctx context.Context, root string) (Overview, error) {
	s, err := newSurvey(ctx, root)
	if err != nil {
		return Overview{}, err
	}
	defer s.close()
	s.readManifests()
	o := Overview{Kind: "unknown", Language: s.folders["."].code.main(), Files: len(s.files)}
	if len(s.modules) > 0 {
		o.Kind = s.modules[0].kind
	}
	o.Lines, err = s.lines(ctx)
	o.Warnings = slices.Compact(slices.Sorted(slices.Values(s.warnings)))
	return o, err
}

// lines counts the lines of source files. Of many files it counts an even sample, and scales.
func (s *survey) lines(ctx context.Context) (int, error) {
	plus := s.folders["."].code["C++"] > 0
	var sources []string
	for _, file := range s.files {
		if languageOf(path.Base(file), plus) != "" && !within(file, data()) {
			sources = append(sources, file)
		}
	}
	n := min(len(sources), sampled)
	sum := 0
	for i := range n {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		sum += bytes.Count(s.readNew(sources[i*len(sources)/n], sampledSize).text, []byte("\n"))
	}
	if n == 0 {
		return 0, nil
	}
	return int(math.Round(float64(sum) * float64(len(sources)) / float64(n))), nil
}
