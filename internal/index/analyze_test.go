package index

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sdd/internal/analysis"
)

// termsIn returns the terms of a text, token by token.
func termsIn(text string, lang analysis.Language) string {
	var out []string
	src := []byte(text)
	analysis.Tokens(src, func(t analysis.Token) bool {
		var terms []string
		termsOf(src[t.Start:t.End], t.Kind, lang, func(s string) {
			if !slices.Contains(terms, s) {
				terms = append(terms, s)
			}
		})
		out = append(out, strings.Join(terms, ","))
		return true
	})
	return strings.Join(out, " ")
}

func TestTerms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"words", "The quick fox", "the quick fox"},
		{"stems", "Invalidating caches", "invalidating,invalid caches,cach"},
		{"case and punctuation", "Auth, (auth). \"AUTH\"", "auth auth auth"},
		{"camel", "UserAuthToken", "userauthtoken,user,auth,token"},
		{"acronyms", "HTTPServer parseJSON APIs", "httpserver,http,server parsejson,parse,pars,json apis,api"},
		{"snake", "user_auth_token", "user_auth_token,user,auth,token"},
		{"kebab", "read-only", "read-only,read,only,onli"},
		{"decision", "ADR-016", "adr-016,adr,016"},
		{"path", "internal/index/find.go", "internal/index/find.go,internal,intern,index,find.go,find,go"},
		{"digits", "sha256 utf8 v2", "sha256,sha,256 utf8,utf v2"},
		{"a hash stays whole", "3f2a9c81b0de", "3f2a9c81b0de"},
		{"symbols of languages", "C++ C# F#, C++17 a+b foo#bar", "c++ c# f# c++ 17 a b foo bar"},
		{"e-mail", "a.b@c.de", "a.b@c.de,a,b,c,de"},
		{"end of a sentence", "done. Next", "done next"},
		{"apostrophes", "don't l’été", "don t l été,ete"},
		{"accents", "café naïve Straße", "café,cafe naïve,naive,naiv straße,strasse"},
		{"decomposed", "cafe\u0301", "café,cafe"},
		{"full width", "ＡＢＣ１２", "abc12,abc,12"},
		{"ligature", "ﬁle", "file"},
		{"soft hyphen", "inter\u00adnal", "internal,intern"},
		{"Turkish capital", "İstanbul", "istanbul"},
		{"sigma", "ΟΔΟΣ οδός", "οδοσ οδόσ,οδοσ"},
		{"Russian", "ошибки ещё", "ошибки,ошибк ещё,еще,ещ"},
		{"Chinese", "数据库", "数 数据 据 据库 库"},
		{"one character", "库", "库"},
		{"Japanese", "データ設計", "デ デー ー ータ タ タ設 設 設計 計"},
		{"half-width", "ﾃﾞｰﾀ", "デ デー ー ータ タ"},
		{"Korean", "인증을", "인 인증 증 증을 을"},
		{"mixed scripts", "Go言語", "go 言 言語 語"},
		{"Thai", "ที่", "ที่"},
		{"emoji", "a 🚀 b", "a 🚀 b"},
		{"Hindi keeps its vowels", "हिन्दी", "हिन्दी"},
		{"nothing", " \t*+-—…\x00\xff", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := termsIn(c.text, analysis.English); got != c.want {
				t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func TestStems(t *testing.T) {
	for _, c := range []struct {
		lang analysis.Language
		same string // words with one stem
	}{
		{analysis.English, "connect connects connected connecting connection connections"},
		{analysis.German, "fehler fehlern fehlers"},
		{analysis.German, "haus häuser häusern"},
		{analysis.Spanish, "decisión decisiones"},
		{analysis.French, "erreur erreurs"},
		{analysis.Portuguese, "decisão decisões"},
		{analysis.Other, "ошибка ошибки ошибку ошибок"},
		{analysis.English, "решение решения решений"},
	} {
		words := strings.Fields(c.same)
		for _, w := range words[1:] {
			if analysis.Stem(w, c.lang) != analysis.Stem(words[0], c.lang) {
				t.Errorf("%s and %s have the stems %s and %s", words[0], w, analysis.Stem(words[0], c.lang), analysis.Stem(w, c.lang))
			}
		}
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct {
		text string
		want analysis.Language
	}{
		{"User authentication", analysis.English},
		{"We store the tokens in a table and refresh them when they expire.", analysis.English},
		{"Wir speichern die Tokens in einer Tabelle und erneuern sie, wenn sie ablaufen.", analysis.German},
		{"Guardamos los tokens en una tabla y los renovamos cuando caducan.", analysis.Spanish},
		{"Nous gardons les jetons dans une table et les renouvelons quand ils expirent.", analysis.French},
		{"Guardamos os tokens em uma tabela e não os renovamos quando expiram.", analysis.Portuguese},
		{"Przechowujemy tokeny w tabeli i nie odnawiamy ich, że są ważne.", analysis.Other},
		{"Мы храним токены в таблице.", analysis.English},
	} {
		var g guess
		src := []byte(c.text)
		analysis.Tokens(src, func(t analysis.Token) bool {
			g.add(hintOf(src[t.Start:t.End]))
			return true
		})
		if got := g.language(); got != c.want {
			t.Errorf("%q is of language %d, want %d", c.text, got, c.want)
		}
	}
}

// Whatever the bytes: tokens stand in order inside the text, are valid and not too long, and
// what is a term of a text is one of the query that quotes it.
// TestPossible: the short cut of a matcher drops no token that has a word of the query.
func TestPossible(t *testing.T) {
	texts := strings.Fields(`die dying Dying lying HTTPServer2 http user_id getUserByID id v1.2.3 x C++ C# größe GRÖSSE groesse grosse
		straße Strasse ﬁle file ＡＢＣ abc ㎏ kg K ſharp Ⅳ naïve naive é étude đlan dlan œuvre oeuvre
		запрос Запросы ещё еще кэш_ttl ttl Ѐ їжак データ ﾃﾞｰﾀ が か 데이터 한국 用户 用 ① 1 2fa ½ 😀`)
	texts = append(texts, "e\u0301tude", "I\u0307stanbul", "\u304b\u3099", "zero\u200bwidth", "zerowidth")
	for _, asked := range texts {
		q := parseQuery(asked, func(string) int { return 1 })
		m := newMatcher(&q)
		for _, text := range texts {
			analysis.Tokens([]byte(text), func(tok analysis.Token) bool {
				b := []byte(text)[tok.Start:tok.End]
				for lang := range analysis.Language(analysis.Latins + 1) {
					termsOf(b, tok.Kind, lang, func(term string) {
						found := m.terms[term] != nil || slices.ContainsFunc(m.prefixes, func(p string) bool { return p != "" && strings.HasPrefix(term, p) })
						if found && !m.possible(b) {
							t.Errorf("query %q, token %q: the term %q is lost", asked, b, term)
						}
					})
				}
				return true
			})
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "UserAuthToken", "a/b/c.go", "日本語テキスト", "ที่นี่", "x\xff\x00y", strings.Repeat("ab/", 500), strings.Repeat("é", 300), "C++#", "🚀🚀", "\u0301\u200d"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		last := 0
		analysis.Tokens(text, func(tok analysis.Token) bool {
			if tok.Start < last || tok.End <= tok.Start || tok.End > len(text) {
				t.Fatalf("token %v after %d in %d bytes", tok, last, len(text))
			}
			last = tok.Start
			b := text[tok.Start:tok.End]
			if len(b) > 128 || !utf8.Valid(b) {
				t.Fatalf("token %q", b)
			}
			n := 0
			termsOf(b, tok.Kind, analysis.German, func(s string) {
				if n++; s == "" || !utf8.ValidString(s) || s < firstText {
					t.Fatalf("term %q of %q", s, b)
				}
			})
			if n > 3*24 {
				t.Fatalf("%d terms of %q", n, b)
			}
			return true
		})
		q := parseQuery(string(text), func(string) int { return 1 })
		if len(q.concepts) > maxConcepts {
			t.Fatalf("%d concepts", len(q.concepts))
		}
		m := newMatcher(&q)
		m.look(text, nil, analysis.English)
		eachLine(text, nil, func(n int, line []byte, z zone) bool {
			if bytes.IndexByte(line, '\n') >= 0 {
				t.Fatalf("line %q", line)
			}
			return true
		})
		snip := snippet(text, analysis.Token{Start: len(text) / 2, End: len(text)})
		if n := utf8.RuneCountInString(snip); n > snippetRunes || strings.ContainsAny(snip, "\n\r\t\x00") {
			t.Fatalf("snippet %q of %d runes", snip, n)
		}
	})
}
