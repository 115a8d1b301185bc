package index

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"sdd/internal/analysis"
	"sdd/internal/record"
)

func TestThesaurusIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(thesaurusText) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "|")
		if len(columns) != len(thesaurusColumns) {
			t.Errorf("%q has %d columns, not %d", line, len(columns), len(thesaurusColumns))
			continue
		}
		if seen[line] {
			t.Errorf("%q is there twice", line)
		}
		seen[line] = true
		for i, column := range columns {
			words := strings.Fields(column)
			if len(words) == 0 {
				t.Errorf("%q has no word in column %d", line, i+1)
			}
			for k, w := range words {
				if analysis.Lower(w) != w || slices.Contains(words[:k], w) {
					t.Errorf("%q: %s is not in lower case or there twice", line, w)
				}
				if (i == 1) != analysis.Cyrillic(w) && !analysis.IsASCII(w) && i < len(columns)-1 {
					t.Errorf("%q: %s stands in the wrong column", line, w)
				}
			}
		}
	}
}

func TestMeanings(t *testing.T) {
	same := func(a string, la analysis.Language, b string, lb analysis.Language) bool {
		th := theThesaurus()
		return slices.ContainsFunc(th.of(a, la, true), func(n int) bool { return slices.Contains(th.of(b, lb, true), n) })
	}
	for _, c := range []struct {
		a    string
		la   analysis.Language
		b    string
		lb   analysis.Language
		want bool
	}{
		{"authentication", analysis.English, "аутентификации", analysis.Other, true},
		{"authentication", analysis.English, "autenticación", analysis.Spanish, true},
		{"wechselkurse", analysis.German, "rates", analysis.English, true},           // another form of the word than there is
		{"kreditkartenzahlung", analysis.German, "payments", analysis.English, true}, // a compound
		{"паролей", analysis.Other, "passwords", analysis.English, true},
		{"认证", analysis.English, "login", analysis.English, true},
		{"retry", analysis.English, "encryption", analysis.English, false},
		{"xylophone", analysis.English, "database", analysis.English, false},
	} {
		if got := same(c.a, c.la, c.b, c.lb); got != c.want {
			t.Errorf("%s and %s mean the same: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	// No other word for something is a function word of another language.
	th := theThesaurus()
	for n := range th.meanings {
		for _, v := range th.synonyms([]int{n}, "").variants {
			if v.in == everyLanguage && analysis.IsASCII(v.term) && idleness(v.term, analysis.English, true) == stopword {
				t.Errorf("%q stands for meaning %d in every language", v.term, n)
			}
		}
	}
}

func TestIdleness(t *testing.T) {
	for _, c := range []struct {
		text string
		l    analysis.Language
		tell string // what is left of it
	}{
		{"How does the authentication work?", analysis.English, "authentication"},
		{"Wie funktioniert die Anmeldung?", analysis.German, "anmeldung"},
		{"Pourquoi avons-nous choisi Kafka ?", analysis.French, "kafka"},
		{"¿Por qué usamos Redis?", analysis.Spanish, "redis"},
		{"Por que não usamos Redis?", analysis.Portuguese, "redis"},
		{"почему мы выбрали Redis", analysis.English, "redis"},
		{"为什么使用 Redis", analysis.English, "使用 redis"},
		{"なぜ Redis を使うのですか", analysis.English, "redis"},
		{"what is it", analysis.English, ""},
	} {
		ix := newShelf(t, nil).open()
		s := newSearch(t.Context(), ix.contents)
		in := s.inquire(c.text)
		var left []string
		for i := range in.words {
			if a := &in.words[i]; !a.idle && !strings.Contains(a.text, "-") {
				left = append(left, a.text)
			}
		}
		if got := strings.Join(left, " "); got != c.tell {
			t.Errorf("%q tells %q, want %q", c.text, got, c.tell)
		}
		if in.language != c.l {
			t.Errorf("%q is in language %d, want %d", c.text, in.language, c.l)
		}
	}
}

func TestDatesIn(t *testing.T) {
	for text, want := range map[string]string{
		"what happened in March 2024":     "2024-03",
		"on 2024-03-15 and 2025-01":       "2024-03-15 2025-01",
		"in 2024":                         "2024",
		"в марте 2024 года":               "2024-03",
		"im Mai 2023":                     "2023-05",
		"em março 2022, en août 2021":     "2022-03 2021-08",
		"2024年3月の決定":                      "2024-03",
		"2024年":                           "2024",
		"port 8080, 12345, 2024-13-45":    "",
		"March without a year, 1889, may": "",
	} {
		if got, _ := datesIn([]byte(text)); strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestSpelling(t *testing.T) {
	s := newShelf(t, map[string]string{"explore/a.md": note("A", "2025-01-01",
		"authentication postgres kubernetes recovery synchronization reserve file system Versuch Anlage token tokens tonen")})
	ix := s.open()
	ix.mu.RLock() // the cache may be written meanwhile
	defer ix.mu.RUnlock()
	find := newSearch(t.Context(), ix.contents)
	for w, want := range map[string]string{
		"authentification": "authentication", "postgress": "postgres", "kuberentes": "kubernetes", "recovrey": "recovery",
		"sincronization": "synchronization", "resreve": "reserve", "tokem": "token",
		"parental": "", "xenon": "", "log": "", "authority": "",
	} {
		got := find.spelling(w).variants
		if want == "" && len(got) > 0 || want != "" && !slices.ContainsFunc(got, func(v variant) bool { return v.term == want }) {
			t.Errorf("%s is taken for %+v, want %q", w, got, want)
		}
	}
}

func TestTiesAreKept(t *testing.T) {
	for _, ties := range []Ties{
		{},
		{Domain: "auth"},
		{Domain: "auth", Module: "login", Code: "a/b.go", Date: "2024-01-02"},
		{Links: []Link{{"parent", "fact-1"}, {"supersedes", "decision/a"}, {"relates_to", "decision/é"}}},
	} {
		e := Entry{Kind: record.Fact, ID: "fact-1", Path: "facts/a.md", Title: "T", Ties: ties}
		b := &builder{}
		b.add(&document{Entry: e})
		got, _ := b.finish().entry(0)
		if !reflect.DeepEqual(got.Ties, ties) {
			t.Errorf("%+v came back as %+v", ties, got.Ties)
		}
	}
}

func TestTiesOf(t *testing.T) {
	got := tiesOf(map[string]any{
		"domain": " auth ", "module": 7, "code_ref": "./internal/a.go#L1-L9", "date": "2024-01-02",
		"depends_on": []any{"decision/a", 3, "decision/b"}, "supersedes": "decision/c", "parent": strings.Repeat("x", 300),
	})
	want := Ties{Domain: "auth", Code: "internal/a.go", Date: "2024-01-02",
		Links: []Link{{"supersedes", "decision/c"}, {"depends_on", "decision/a"}, {"depends_on", "decision/b"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("ties are %+v, want %+v", got, want)
	}
}

func TestWithVerbs(t *testing.T) {
	for question, want := range map[string]string{
		"How do I turn off a rule?":            "How do I disable a rule?",
		"Turn one more rule off, please":       "disable one more rule, please",
		"Are failed requests tried again?":     "Are failed requests retry?",
		"Can I go back to an older version?":   "Can I rollback version?",
		"Turn the check off-line":              "Turn the check off-line",
		"What do we log in production?":        "What do we log in production?",
		"Turn the key. Then the light is off.": "Turn the key. Then the light is off.",
		"Does the switch depend on the node?":  "Does the switch depend on the node?",
	} {
		if got := withVerbs(question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}
