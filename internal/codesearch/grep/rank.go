package grep

import (
	"cmp"
	"math"
	"math/bits"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// ranked is a file with its score.
type ranked struct {
	*stat
	idf   []float64 // of the terms, shared
	score float64
	kind  float64 // what kind of file it is: 1 for source
}

// Weights of a file's score.
const (
	k1    = 6.4
	lb    = 0.31 // how much the length of a file lowers its score
	cover = 0.31 // weight of the share of the query that a file has

	byPiece    = 1.0  // the best function or section of the file
	byTitle    = 0.3  // the title's words, against all words of the query
	byName     = 1.8  // the file's name
	byAnyName  = 0.8  // the same with all words of the query
	byDefined  = 1.1  // the names that the file defines
	topDefined = 1.3  // factor of a name defined at the top of a file
	nameCover  = 0.47 // power of the share of a file's name that the query has
	defCover   = 1.0  // the same of a defined name
	byFrame    = 1.6  // the innermost frame of a stack trace with a file in the tree
	frameDecay = 0.8  // of each further frame
	byMention  = 2.4  // a path in the text
	byBareName = 1.2  // a file name in it
	titleBoost = 1.6  // of the words of the title
	undefined  = 0.5  // of a symbol that no file defines
	once       = 1.2  // of a symbol that one file defines
)

const patternFile = 4.0

// Factors of kinds of files that are seldom the answer.
const (
	asTest     = 0.1
	asExample  = 0.6
	asProse    = 0.3
	asSettings = 0.38
	asOther    = 0.5 // files in no language of programs
	asNotice   = 0.2 // licences and lists of changes
	asBuilt    = 0.2 // what a build writes, where it is committed
)

// rank scores the files, best first, by the query's words, its title's, the file's name and the names that it defines.
func rank(stats []stat, read total, want *wanted) []ranked {
	idf := rarity(stats, read.files, want)
	avg := 1.0
	if read.files > 0 {
		avg = max(1, float64(read.bytes)/float64(read.files))
	}
	mass, titleMass := 0.0, 0.0
	inTitle := uint64(0)
	for t, v := range idf {
		mass += v
		if want.terms[t].title {
			inTitle |= 1 << t
			titleMass += v
		}
	}
	out := make([]ranked, 0, len(stats))
	text, title := make([]float64, len(stats)), make([]float64, len(stats))
	for i := range stats {
		s := &stats[i]
		text[i] = s.bm25(idf, ^uint64(0), mass, avg)
		title[i] = s.bm25(idf, inTitle, titleMass, avg)
	}
	points := mentionScores(stats, want)
	mostText, mostTitle := max(1e-9, slices.Max(append(text, 0))), max(1e-9, slices.Max(append(title, 0)))
	for i := range stats {
		s := &stats[i]
		r := ranked{stat: s, idf: idf, kind: kindOf(s.path, want)}
		if slices.ContainsFunc(s.mentions, func(m mentioned) bool { return want.mentions[m.mention].title }) {
			r.kind = 1
		}
		r.score = text[i]/mostText + byTitle*title[i]/mostTitle
		if titleMass > 0 {
			r.score += byName * want.worth(s.name, idf, inTitle, nameCover) / titleMass
			r.score += byAnyName * want.worth(s.name, idf, ^uint64(0), nameCover) / mass
			best := 0.0
			for _, d := range s.defines {
				v := want.worth(d, idf, ^uint64(0), defCover)
				if d.top {
					v *= topDefined
				}
				best = max(best, v)
			}
			r.score += byDefined * best / titleMass
		}
		if s.matches > 0 {
			r.score += patternFile * (1 + math.Log(s.matches)/4)
		}
		r.score = (r.score + points[i]) * r.kind
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path))
	})
	return out
}

// bm25 scores the text of a file for some of the terms, by their weighted counts.
func (s *stat) bm25(idf []float64, terms uint64, mass, avg float64) float64 {
	norm := k1 * (1 - lb + lb*math.Min(float64(s.size)/avg, 20))
	score, have := 0.0, 0.0
	for t, tf := range s.tf {
		if tf > 0 && terms&(1<<t) != 0 {
			score += idf[t] * float64(tf) * (k1 + 1) / (float64(tf) + norm)
			have += idf[t] * math.Min(1, float64(tf))
		}
	}
	if mass > 0 {
		score *= math.Pow(have/mass, cover)
	}
	return score
}

// worth is the worth of some of the terms in a name, less if the name has other words.
func (w *wanted) worth(n named, idf []float64, terms uint64, cover float64) float64 {
	sum, has := 0.0, 0
	for left := n.terms & terms; left != 0; left &= left - 1 {
		t := bits.TrailingZeros64(left)
		sum += idf[t]
		if has++; w.terms[t].symbol {
			has = n.words
		}
	}
	if sum == 0 {
		return 0
	}
	return sum * math.Pow(min(1, float64(has)/float64(max(1, n.words))), cover)
}

// mentionScores returns each file's points for its mentions: those with most parts count, and the more files have them the less.
func mentionScores(stats []stat, want *wanted) []float64 {
	points := make([]float64, len(stats))
	if len(want.mentions) == 0 {
		return points
	}
	most, files := make([]int, len(want.mentions)), make([]float64, len(want.mentions))
	for _, s := range stats {
		for _, m := range s.mentions {
			if m.parts > most[m.mention] {
				most[m.mention], files[m.mention] = m.parts, 0
			}
			if m.parts == most[m.mention] {
				files[m.mention]++
			}
		}
	}
	inTree := []int{} // the frames with a file
	for i, m := range want.mentions {
		if m.frame > 0 && files[i] > 0 {
			inTree = append(inTree, m.frame)
		}
	}
	slices.Sort(inTree)
	for i := range stats {
		for _, m := range stats[i].mentions {
			if m.parts != most[m.mention] {
				continue
			}
			of := want.mentions[m.mention]
			worth := byMention
			switch {
			case of.frame > 0:
				worth = byFrame * math.Pow(frameDecay, float64(slices.Index(inTree, of.frame)))
			case len(of.parts) == 1 && !of.title:
				worth = byBareName
			}
			points[i] = max(points[i], worth/math.Sqrt(files[m.mention]))
		}
	}
	return points
}

// rarity returns the value of each term: its weight in the query times its rarity among the files.
func rarity(stats []stat, files int, want *wanted) []float64 {
	df, defined := make([]float64, len(want.terms)), make([]int, len(want.terms))
	for _, s := range stats {
		for t, tf := range s.tf {
			if tf > 0 {
				df[t] += math.Min(1, float64(tf)) // a word that only begins like the term counts less
			}
		}
		all := uint64(0)
		for _, d := range s.defines {
			all |= d.terms
		}
		for ; all != 0; all &= all - 1 {
			defined[bits.TrailingZeros64(all)]++
		}
	}
	idf := make([]float64, len(df))
	for t, n := range df {
		if n > 0 {
			idf[t] = want.terms[t].weight * math.Log(1+(float64(files)-n+0.5)/(n+0.5))
			idf[t] = math.Max(idf[t], 0.05)
		}
		if want.terms[t].symbol {
			switch defined[t] {
			case 0:
				idf[t] *= undefined
			case 1:
				idf[t] *= once
			}
		}
		if want.terms[t].title {
			idf[t] *= titleBoost
		}
	}
	return idf
}

var (
	testName   = pattern.Late(`(?:[_.]test|[_.]spec|tests)$|^test_`)
	testFolder = pattern.Late(`/(?:tests?|_test|testdata|__tests__|spec|fixtures|e2e|testing|mocks|conformance|fuzz)/` +
		`|\.tests?/`) // Polly.Core.Tests
	exampleFolder = pattern.Late(`/(?:_?examples|example|demos?|samples|_tools|_?benchmark|benchmarks|www|website)/`)
	builtFolder   = pattern.Late(`/(?:dist|build|out|prebuilt|bundled|generated)/`)
	notice        = pattern.Late(`^(?:licen[sc]e|copying|changelog|changes\.)`)
	settings      = pattern.Words(".json .yml .yaml .toml .cfg .conf .ini .properties")
)

// kindOf returns the factor of a file by what kind its path has.
func kindOf(p string, want *wanted) float64 {
	low := strings.ToLower(p)
	dir, name := path.Split("/" + low)
	ext := path.Ext(name)
	factor := 1.0
	if !want.tests && (testFolder().MatchString(dir) || testName().MatchString(strings.TrimSuffix(name, ext)) ||
		strings.HasSuffix(p, "Test.java")) {
		factor *= asTest
	}
	if exampleFolder().MatchString(dir) {
		factor *= asExample
	}
	if builtFolder().MatchString(dir) {
		factor *= asBuilt
	}
	switch l := languageOf(p); {
	case notice().MatchString(name):
		factor *= asNotice
	case l.prose:
		factor *= asProse
	case settings()[ext]:
		factor *= asSettings
	case l.other:
		factor *= asOther
	}
	return factor
}
