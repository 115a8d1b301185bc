package eval

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// sections are the sections of an exploration, by heading and argument.
var sections = []struct{ heading, arg string }{
	{"Goals", "goals"}, {"Constraints", "constraints"}, {"Preferences", "preferences"},
	{"Unknowns", "unknowns"}, {"Decisions", "decisions"}, {"Context", "context"},
}

// bullets is the number of lines in the sections of a record; together about 2 KB.
var bullets = []int{3, 3, 2, 2, 2, 2}

const (
	project     = "bench"
	commonWords = 10  // marker words, each in 1 % of the records
	everyNth    = 100 // record has one common word at the same offset
)

// corpus is a store of realistic explorations, made without sdd, and a folder with the same files for the floors.
type corpus struct {
	root  string // of the store
	twin  string // folder with the same files, for raw writes
	size  int
	words words
}

func newCorpus(dir string, size int) (*corpus, error) {
	dir = filepath.Join(dir, fmt.Sprint(size))
	c := &corpus{root: filepath.Join(dir, project), twin: filepath.Join(dir, "twin"), size: size, words: newWords()}
	err := cmp.Or(os.MkdirAll(c.explore(), 0o755), os.MkdirAll(c.twin, 0o755))
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	workers := runtime.NumCPU()
	for w := range workers {
		group.Go(func() error {
			for i := w; i < size; i += workers {
				r := c.record(i)
				path := filepath.Join(c.explore(), r.file())
				if err := os.WriteFile(path, r.markdown(), 0o644); err != nil {
					return err
				}
				if err := os.Link(path, filepath.Join(c.twin, r.file())); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = group.Wait()
	syncDisks()
	return c, err
}

// syncDisks waits for pending writes to disk, which would slow the next measurement.
func syncDisks() { _ = exec.Command("sync").Run() }

func (c *corpus) explore() string { return filepath.Join(c.root, ".sdd", "explore") }

// record makes record i, always the same. Those from size on are not in the initial store.
func (c *corpus) record(i int) record {
	rng := rand.New(rand.NewPCG(uint64(i), 42))
	r := record{title: c.words.title(rng, i), text: map[string]string{}}
	for s, section := range sections {
		var b strings.Builder
		for n := range bullets[s] {
			b.WriteString("- " + c.words.sentence(rng, 14+rng.IntN(10)))
			if s == 5 && n == 0 { // the context has the rare word, and perhaps a common one
				b.WriteString(" " + rareWord(i))
				if at := i % everyNth; at < commonWords {
					b.WriteString(" " + commonWord(at))
				}
			}
			b.WriteString("\n")
		}
		r.text[section.arg] = strings.TrimSuffix(b.String(), "\n")
	}
	return r
}

func (c *corpus) records(from, n int) []record {
	all := make([]record, n)
	for i := range all {
		all[i] = c.record(from + i)
	}
	return all
}

func withCommon(n, k int) int { return (n + everyNth - 1 - k) / everyNth }

// rareWord is a word in record i only.
func rareWord(i int) string { return "zq" + spell(i) }

// commonWord is a word in one of a hundred records.
func commonWord(k int) string { return "vx" + spell(k) }

// spell writes a number in syllables, so that no word is a prefix of another.
func spell(n int) string {
	const consonants, vowels = "bdfgklmnprtv", "aiou"
	var b strings.Builder
	for range 4 {
		d := n % (len(consonants) * len(vowels))
		n /= len(consonants) * len(vowels)
		b.WriteByte(consonants[d/len(vowels)])
		b.WriteByte(vowels[d%len(vowels)])
	}
	return b.String() + "x"
}

type record struct {
	title string
	text  map[string]string // by argument
}

// slug is the slug of the title, which consists of plain words.
func (r record) slug() string { return strings.ReplaceAll(strings.ToLower(r.title), " ", "-") }

func (r record) file() string { return r.slug() + ".md" }

func (r record) markdown() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %s\nproject: %s\nscope: project\nrevision: 1\ncreated: 2026-01-02\n---\n", r.title, project)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.heading, r.text[s.arg])
	}
	return []byte(b.String())
}

func (r record) arguments() map[string]any {
	args := map[string]any{"title": r.title}
	for arg, text := range r.text {
		args[arg] = text
	}
	return args
}

// words is a vocabulary in which a few words are frequent and most are rare, as in real text.
type words []string

// real begins the vocabulary: words of several languages and scripts, and identifiers.
const real = `the of and to in is that for it as with on be are this not by we must from should an
user session token request server client error config deploy cache queue schema database index retry timeout
payment order invoice customer email login password account search report export import backup migration
größe prüfung anforderung schnittstelle benutzer fehler запрос ответ сервер ошибка данные
пользователь проверка requête réponse données utilisateur sécurité configuración sesión búsqueda ` +
	`información decisão usuário
認証 設定 検索 保存 接続 用户 数据 请求 错误 缓存 사용자 요청 오류 데이터
parseHTTPRequest user_id max_retries ErrNotFound getUserByID kube-proxy OAuth2 JSON-RPC ADR-016 v1.2.3 /etc/hosts
internal/store/save.go http.StatusOK SELECT COUNT(*) --dry-run GOMAXPROCS=2 utf8.RuneError €1,200 99.9%`

func newWords() words {
	w := words(strings.Fields(real))
	rng := rand.New(rand.NewPCG(7, 11))
	syllables := strings.Fields(`an be con der en fal gre hor in ja ket lo men nor op pre qui re sta ten ul ver wi yon zel tion ing ment able
		ous`)
	for len(w) < 20_000 {
		var b strings.Builder
		for range 2 + rng.IntN(3) {
			b.WriteString(syllables[rng.IntN(len(syllables))])
		}
		w = append(w, b.String())
	}
	return w
}

func (w words) sentence(rng *rand.Rand, n int) string {
	zipf := rand.NewZipf(rng, 1.1, 2, uint64(len(w)-1))
	all := make([]string, n)
	for i := range all {
		all[i] = w[zipf.Uint64()]
	}
	return strings.Join(all, " ")
}

func (w words) title(rng *rand.Rand, i int) string {
	rare := func() string { return w[200+rng.IntN(len(w)-200)] } // after the real words: letters only
	first := rare()
	return strings.ToUpper(first[:1]) + first[1:] + " " + rare() + " " + rare() + " " + spell(i)
}

var domains = strings.Fields("auth billing search gateway storage deploy mobile reports import audit")

// writeFacts writes a store of as many facts, a tenth of them decisions and a tenth explorations.
func (c *corpus) writeFacts(root string) {
	for i := range c.size {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		var name, file string
		text := func(n int) string { return c.words.sentence(rng, n) }
		domain := domains[rng.IntN(len(domains))]
		switch i % 10 {
		case 8:
			title := c.words.title(rng, i)
			name = "decisions/" + record{title: title}.file()
			file = fmt.Sprintf("---\ntitle: %s\nstatus: accepted\ndate: 2026-01-02\n---\n\n# %s\n\n## Context and Problem Statement\n\n%s\n\n"+
				"## Decision Outcome\n\nChosen option: %q, because %s.\n", title, title, text(20), title, text(12))
		case 9:
			title := c.words.title(rng, i)
			name = "explore/" + record{title: title}.file()
			file = fmt.Sprintf("---\ntitle: %s\n---\n\n## Goals\n\n- %s\n\n## Decisions\n\n- %s\n", title, text(20), text(20))
		default:
			id := fmt.Sprintf("fact-%012x", i)
			name = "facts/" + id + ".md"
			level := 1 + i%3
			if i%50 == 0 {
				level = 0
			}
			file = fmt.Sprintf("---\nid: %s\nlevel: %d\ndomain: %s\nmodule: m%d\nttl: {days: 90000}\ncreated: 2026-01-02\n---\nThe %s %s %s\n",
				id, level, domain, rng.IntN(c.size/20+1), domain, text(16), rareWord(i))
		}
		writeFile(filepath.Join(root, ".sdd", name), file)
	}
	syncDisks()
}

// question is a different one each time, about the subject of the records.
func (c *corpus) question(i int) string {
	rng := rand.New(rand.NewPCG(uint64(i), 99))
	text := c.words.sentence(rng, 4)
	return fmt.Sprintf("How does %s handle %s %s?", domains[i%len(domains)], text, rareWord(rng.IntN(c.size)))
}
