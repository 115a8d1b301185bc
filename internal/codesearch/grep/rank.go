package grep

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
)

// ranked is a file with its score.
type ranked struct {
	*stat
	idf   []float64 // of the terms, shared
	score float64
	kind  float64 // what kind of file it is: 1 for source
	avg   float64 // size of a file on average
}

// BM25 over weighted counts.
const (
	k1    = 1.4
	lb    = 0.45 // how much the length of a file lowers its score
	cover = 0.7  // weight of the share of the query that a file has

	namedFile   = 12.0 // points for a file whose path the query names
	patternFile = 4.0
)

// Factors of kinds of files that are seldom the answer.
const (
	asTest     = 0.4
	asExample  = 0.6
	asProse    = 0.6
	asSettings = 0.75
	asNotice   = 0.2 // licences and lists of changes
)

// rank scores the files, best first.
func rank(stats []stat, read total, want *wanted) []ranked {
	idf := rarity(stats, read.files, want)
	avg := 1.0
	if read.files > 0 {
		avg = max(1, float64(read.bytes)/float64(read.files))
	}
	mass := 0.0
	for _, v := range idf {
		mass += v
	}
	out := make([]ranked, 0, len(stats))
	for i := range stats {
		s := &stats[i]
		r := ranked{stat: s, idf: idf, kind: kindOf(s.path, want), avg: avg}
		norm := k1 * (1 - lb + lb*math.Min(float64(s.size)/avg, 20))
		have := 0.0
		for t, tf := range s.tf {
			if tf > 0 {
				r.score += idf[t] * float64(tf) * (k1 + 1) / (float64(tf) + norm)
				have += idf[t] * math.Min(1, float64(tf))
			}
		}
		if mass > 0 {
			r.score *= math.Pow(have/mass, cover)
		}
		if s.matches > 0 {
			r.score += patternFile * (1 + math.Log(s.matches)/4)
		}
		if s.named {
			r.score += namedFile
		} else {
			r.score *= r.kind
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path))
	})
	return out
}

// rarity returns the value of each term: its weight in the query times its rarity among the files.
func rarity(stats []stat, files int, want *wanted) []float64 {
	df := make([]float64, len(want.terms))
	for _, s := range stats {
		for t, tf := range s.tf {
			if tf > 0 {
				df[t] += math.Min(1, float64(tf)) // a word that only begins like the term counts less
			}
		}
	}
	idf := make([]float64, len(df))
	for t, n := range df {
		if n > 0 {
			idf[t] = want.terms[t].weight * math.Log(1+(float64(files)-n+0.5)/(n+0.5))
			idf[t] = math.Max(idf[t], 0.05)
		}
	}
	return idf
}

// kindOf is the factor of the kind of a file.
func kindOf(p string, want *wanted) float64 {
	low := strings.ToLower(p)
	name := path.Base(low)
	stem := strings.TrimSuffix(name, path.Ext(name))
	test := strings.HasSuffix(stem, "_test") || strings.HasPrefix(name, "test_") || strings.HasSuffix(stem, ".test") ||
		strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_spec") || strings.HasSuffix(path.Base(p), "Test.java") ||
		strings.HasSuffix(stem, "tests")
	example := false
	for _, dir := range parents(low) {
		switch path.Base(dir) {
		case "test", "tests", "_test", "testdata", "__tests__", "spec", "fixtures", "e2e", "testing", "mocks", "conformance":
			test = true
		case "example", "examples", "demo", "demos", "samples", "_examples", "_tools", "_benchmark", "benchmark", "benchmarks", "www", "website":
			example = true
		}
	}
	factor := 1.0
	if test && !want.tests {
		factor *= asTest
	}
	if example {
		factor *= asExample
	}
	switch l := languageOf(p); {
	case strings.HasPrefix(name, "license"), strings.HasPrefix(name, "licence"), strings.HasPrefix(name, "copying"),
		strings.HasPrefix(name, "changelog"), strings.HasPrefix(name, "changes."):
		factor *= asNotice
	case l.prose:
		factor *= asProse
	case slices.Contains([]string{".json", ".yml", ".yaml", ".toml"}, path.Ext(name)):
		factor *= asSettings
	}
	return factor
}
