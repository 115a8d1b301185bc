package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var fit = flag.Bool("fit", false, "make the tables of weights anew: go test ./internal/learning/classify -run TestWeights -fit")

// labelled is a text of the corpora.
type labelled struct {
	ID       string `json:"id"`
	Part     string `json:"part"` // tuned or held
	Content  string `json:"content"`
	Impact   string `json:"impact"`
	Category string `json:"category"`
	Why      string `json:"why"`
}

func (l labelled) label(name string) string {
	if name == "impact" {
		return l.Impact
	}
	return l.Category
}

// corpora are the files that weights are fitted to, as far as their texts are tuned.
var corpora = []string{"impact.jsonl", "category.jsonl", "impact_more.jsonl", "category_more.jsonl", "notes.jsonl"}

func readCorpus(t testing.TB, file string) []labelled {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for line := range strings.Lines(string(src)) {
		var l labelled
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, l)
	}
	return out
}

// example reports whether a text is one of the examples that a label is defined by: those count more.
func (l labelled) example() bool { return strings.HasPrefix(l.Why, "seed") }

// fitted returns the tuned texts that have a label of that name, each once.
func fitted(t testing.TB, name string) []labelled {
	t.Helper()
	var out []labelled
	seen := map[string]bool{}
	for _, file := range corpora {
		for _, l := range readCorpus(t, file) {
			if l.Part == "tuned" && l.label(name) != "" && !seen[l.Content] {
				seen[l.Content] = true
				out = append(out, l)
			}
		}
	}
	return out
}

// source is the hash of what the weights are made from: the texts, the rules and the vocabulary.
func source(t testing.TB, name string, m *model) string {
	t.Helper()
	h := sha256.New()
	for _, l := range fitted(t, name) {
		fmt.Fprintf(h, "%s\x00%s\x00", l.Content, l.label(name))
	}
	for _, r := range m.rules().rules {
		fmt.Fprintf(h, "%+v\x00", r)
	}
	for _, c := range sortedKeys(vocabulary) {
		fmt.Fprintf(h, "%s\x00%s\x00", c, vocabulary[c])
	}
	fmt.Fprint(h, settings)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// TestWeights checks that the tables were made from the texts, rules and classes that are there, and with -fit makes them.
func TestWeights(t *testing.T) {
	for name, m := range map[string]*model{"impact": impactModel, "category": categoryModel} {
		file, want := filepath.Join("weights", name+".txt"), source(t, name, m)
		if *fit {
			if err := os.WriteFile(file, []byte(want+"\n"+weightsOf(t, name, m, fitted(t, name))), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(string(src), "\n"); got != want {
			t.Errorf("%s was made from other texts, rules or classes: run this test with -fit", file)
		}
	}
}

// settings of the fit: multinomial logistic regression with an L2 penalty, by full steps of AdaGrad (Duchi, Hazan,
// Singer 2011). Rare labels count more, by the root
// of how rare they are. A sign that fewer texts show has no weight; nor has one whose weight is next to nothing.
var settings = struct {
	penalty, step, example, even float64
	rounds, least, faint         int
}{1.5, 0.3, 5, 0.5, 300, 4, 4}

// weightsOf fits the weights and returns them as the table has them.
func weightsOf(t testing.TB, name string, m *model, texts []labelled) string {
	t.Helper()
	shows := map[sign]int{}
	var all [][]found
	for _, l := range texts {
		signs := m.read(tokens(l.Content))
		for _, f := range signs {
			shows[f.sign]++
		}
		all = append(all, signs)
	}
	var signs []sign
	for s, n := range shows {
		if n >= settings.least {
			signs = append(signs, s)
		}
	}
	slices.SortFunc(signs, func(a, b sign) int { return strings.Compare(string(a.kind)+a.text, string(b.kind)+b.text) })
	number := map[sign]int{}
	for i, s := range signs {
		number[s] = i
	}
	type term struct {
		sign  int
		times float64
	}
	rows := make([][]term, len(all))
	k, have := len(m.values), map[string]int{}
	for _, l := range texts {
		have[l.label(name)]++
	}
	want, counts := make([]int, len(all)), make([]float64, len(all))
	for i, signs := range all {
		for _, f := range signs {
			if n, ok := number[f.sign]; ok {
				rows[i] = append(rows[i], term{n, float64(f.times)})
			}
		}
		counts[i] = math.Pow(float64(len(texts))/float64(k*have[texts[i].label(name)]), settings.even)
		if texts[i].example() {
			counts[i] *= settings.example
		}
		if want[i] = slices.Index(m.values, texts[i].label(name)); want[i] < 0 {
			t.Fatalf("%q: no such value: %q", texts[i].Content, texts[i].label(name))
		}
	}
	w, slope, squares := make([]float64, k*len(signs)), make([]float64, k*len(signs)), make([]float64, k*len(signs))
	z := make([]float64, k)
	for range settings.rounds {
		for i := range w {
			slope[i] = settings.penalty * w[i]
		}
		for i, row := range rows {
			most, sum := math.Inf(-1), 0.0
			for v := range z {
				z[v] = 0
				for _, x := range row {
					z[v] += w[x.sign*k+v] * x.times
				}
				most = math.Max(most, z[v])
			}
			for v := range z {
				z[v] = math.Exp(z[v] - most)
				sum += z[v]
			}
			for v := range z {
				p := z[v] / sum
				if v == want[i] {
					p--
				}
				p *= counts[i]
				for _, x := range row {
					slope[x.sign*k+v] += p * x.times
				}
			}
		}
		for i := range w {
			if squares[i] += slope[i] * slope[i]; squares[i] > 0 {
				w[i] -= settings.step * slope[i] / math.Sqrt(squares[i])
			}
		}
	}
	var b strings.Builder
	for i, s := range signs {
		heavy := false
		cells := make([]string, k)
		for v := range k {
			n := int(math.Round(w[i*k+v] * scale))
			heavy = heavy || n >= settings.faint || n <= -settings.faint
			cells[v] = fmt.Sprint(n)
		}
		if heavy {
			b.WriteString(string(s.kind) + s.text + "\t" + strings.Join(cells, "\t") + "\n")
		}
	}
	return b.String()
}

// TestVocabulary checks the tables by hand: every entry is one word, and every class is named.
func TestVocabulary(t *testing.T) {
	for class, words := range vocabulary {
		if titles[class] == "" {
			t.Errorf("the class %s has no title", class)
		}
		seen := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			for _, f := range forms(w)[:1] {
				if toks := tokens(f); len(toks) != 1 || toks[0].text != f {
					t.Errorf("%s: %q is not one word", class, f)
				}
			}
			if seen[w] {
				t.Errorf("%s: %q stands there twice", class, w)
			}
			seen[w] = true
		}
	}
}
