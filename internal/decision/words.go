package decision

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/russian"
	"golang.org/x/text/unicode/norm"

	"sdd/internal/pattern"
)

// The words of decisions answer two questions: are two texts the same decision, and how well does one match a question. The first is
// strict: all words in their order but for phrases such as "we decided to"; negations, directions and numbers count. The second
// leaves out all joining words, in eight languages.

const mostWords = 4096 // of one text that are looked at

// tokens are the words of a text in lower case: runs of letters, digits and marks; of scripts without spaces, pairs of
// neighbours.
func tokens(text string) []string {
	var out []string
	var word []rune
	var dense []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, string(word))
			word = word[:0]
		}
		switch n := len(dense); {
		case n == 1:
			out = append(out, string(dense))
		default:
			for i := 0; i+1 < n; i++ {
				out = append(out, string(dense[i:i+2]))
			}
		}
		dense = dense[:0]
	}
	for _, r := range strings.ToLower(norm.NFC.String(text)) {
		if len(out) > mostWords {
			break
		}
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
			if len(word) > 0 {
				flush()
			}
			dense = append(dense, r)
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			if len(dense) > 0 {
				flush()
			}
			word = append(word, r)
		case (r == '+' || r == '#') && len(word) > 0: // C++ and C# are not C
			word = append(word, r)
		default:
			flush()
		}
	}
	flush()
	return out
}

// stem is a word without its ending, as far as one of two stemmers knows it: words of other languages lose at most a plural.
func stem(w string) string {
	var first rune
	for _, r := range w {
		first = r
		break
	}
	env := snowballstem.NewEnv(w)
	switch {
	case first >= 0x400 && first <= 0x52F:
		env = snowballstem.NewEnv(strings.ReplaceAll(w, "ё", "е"))
		russian.Stem(env)
	case first < 0x250 && len(w) > 3:
		english.Stem(env)
	default:
		return w
	}
	if s := env.Current(); s != "" {
		return s
	}
	return w
}

// phrasing are the words around a decision that do not change what was decided.
var phrasing = pattern.Words(`
	a an the we i us our ours my let lets s ll ve d re will shall should have has had be is are been was were to of for in on at it its this that with
	decide decided decides decision going go went gone now so
	мы я нами наш наша наше наши решили решил решила решено будем было быть это эту для в на во что
	hemos he se nos nosotros el la los las un una de para en vamos decidido decidimos que
	wir ich uns unser unsere der die das den dem ein eine einen für in im haben habe hat werden entschieden beschlossen uns dass zu
	nous on notre le la les un une des de du pour dans avons a décidé est que
	nós a o os as um uma para em na decidimos vamos que do da
	我们 决定 我們 決定 しま した ます
`)

// taking are the words for choosing an option; all have one meaning.
var taking = pattern.Words(`
	use uses used using adopt adopts adopted adopting choose chose chosen choosing pick picked picking select selected selecting take took opt opted
	использовать используем использует выбрали выбрал выбрать выбрана взяли берем берём взять
	usar usamos usaremos elegimos elegir elegido escogimos
	verwenden verwendet nutzen nutzt benutzen gewählt wählen nehmen genommen setzen
	utiliser utilisons utilisé choisi choisir adoptons adopté
	usamos usar escolhemos escolher adotamos adotar
	使用 采用 選択 使う
`)

// meaning is equal for two phrasings of one decision: the stems of their words in order.
func meaning(text string) string {
	var b strings.Builder
	for _, w := range tokens(text) {
		switch {
		case taking()[w]:
			w = "use"
		case phrasing()[w]:
			continue
		default:
			w = stem(w)
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	if b.Len() == 0 {
		return strings.Join(tokens(text), " ")
	}
	return strings.TrimPrefix(b.String(), "use ")
}

// itemKey is equal for list items that differ only in case, blanks and punctuation.
func itemKey(text string) string {
	if k := strings.Join(tokens(text), " "); k != "" {
		return k
	}
	return strings.TrimSpace(text)
}

// joining are the words of questions and those that only join others.
var joining = pattern.Words(`
	a an the and or but if then than as of to in on at by for from with into about over under between our we us i you your they them he she it its this that these those
	why how what which who whom whose when where does do did done is are was were be been being have has had can could should would will shall may might must not no
	work works working worked use uses used using make makes made need needs needed get gets got there here so just also instead versus vs rather tell me explain describe show know reason
	reasons decide decided decision decisions choose chose chosen pick picked because
	почему зачем как что какой какая какое какие каков кто кого чей когда где куда откуда ли и или но а если то чем по на в во к ко с со от до из за о об при для у мы нас наш наша наше наши вы я
	он она оно они это этот эта эти тот та те так же бы быть был была было были есть нет не ни вместо против работает работают работать устроен устроена устроено устроены используем использует
	используется используют использовать сделали сделано выбрали выбрал выбран решили решение решения нужен нужна нужно нужны потому расскажи объясни покажи
	por qué porque cómo como qué que cuál cuáles quién quiénes cuándo cuando dónde donde el la los las un una unos unas de del al a en con sin para y o u e pero si no ni nos nosotros se lo le les su sus
	es son era fue ser está están hay funciona funcionan usar usamos usa usan elegimos elegido lugar decidimos decisión explica
	warum wieso weshalb weswegen wie was welche welcher welches welchen wer wen wem wann wo wohin woher der die das den dem des ein eine einen einem einer eines und oder aber wenn als zu zum zur von vom
	mit ohne für auf an am in im aus bei nach über unter statt anstatt gegen wir uns unser unsere ich du ihr sie er es man ist sind war waren wird werden wurde haben hat habe hatte kann können soll
	sollen nicht kein keine funktioniert funktionieren benutzen nutzen verwenden verwendet genutzt entschieden gewählt entscheidung denn weil eigentlich
	pourquoi comment quoi que qu quel quelle quels quelles qui quand où le la les l un une des de du d au aux en dans sur avec sans pour et ou mais si ne pas ni nous on vous je il elle ils elles
	ce cet cette ces se s est sont était être a ont avons avait fonctionne fonctionnent utiliser utilise utilisons utilisé choisi choisir plutôt lieu décision décidé parce explique
	quê qual quais quem onde o os as um uma uns umas do da dos das no na nos nas ao aos com sem e ou mas se não nem nós você eu ele ela eles elas é são era foi ser está estão há funciona
	funcionam usar usamos usa escolhemos escolhido vez decidimos decisão
	为什 什么 么为 怎么 怎样 如何 哪个 哪些 为何 何时 是什 我们 们为 选择 使用 为什么 的 了 吗 呢 是 在 和 用
	なぜ どう どの どうし うして して なに 何 いつ どこ です ます した か は が を に で と も の る
`)

// content are the stems of the words that a text is about, in order, each once.
func content(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range tokens(text) {
		if s, ok := contentWord(w); ok && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// contentWord is the stem of a word, false for one that only joins others, such as hiragana in Japanese.
func contentWord(w string) (string, bool) {
	if joining()[w] || len(w) > 64 || strings.TrimFunc(w, isHiragana) == "" {
		return "", false
	}
	w = stem(w)
	return w, !joining()[w]
}

func isHiragana(r rune) bool { return r >= 'ぁ' && r <= 'ゟ' }
