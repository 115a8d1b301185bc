package index

import (
	"strings"
	"sync"
)

// Natural questions are mostly words that say nothing of what is asked about: function words and
// question words, which are left out, and words that any question may have ("handle", "use",
// "project"), which count little and do not make a record an answer.

// idle says how little a word of a question means.
type idle uint8

const (
	telling idle = iota
	filler
	stopword
)

// idleWords are written without accents, so that they are found however carefully somebody writes.
type idleWords struct {
	latin map[string][latins]idle
	cyril map[string]idle
}

var idleWordList = sync.OnceValue(func() *idleWords {
	w := &idleWords{latin: map[string][latins]idle{}, cyril: map[string]idle{}}
	for _, kind := range []struct {
		as   idle
		list [latins + 1]string // the last is Russian
	}{{filler, fillers}, {stopword, stopwords}} {
		for l, words := range kind.list {
			for _, word := range strings.Fields(words) {
				word = bare(word)
				if l == latins {
					w.cyril[word] = kind.as
					continue
				}
				set := w.latin[word]
				set[l] = kind.as
				w.latin[word] = set
			}
		}
	}
	return w
})

// idleness returns how little a lower-case word of a question in that language means. Where the
// question shows no language, it is taken for the one in which the word means least.
func idleness(word string, l language, sure bool) idle {
	w := idleWordList()
	word = bare(word)
	if cyrillic(word) {
		return w.cyril[word]
	}
	set := w.latin[word]
	if sure && int(l) < latins {
		return set[l]
	}
	most := set[langEnglish]
	for _, x := range set {
		most = max(most, x)
	}
	return most
}

// languageTokens is how much of a question is looked at for its language.
const languageTokens = 500

// questionLanguage guesses the language of a question from its function words, question words
// included. It is not sure of one that has none.
func questionLanguage(src []byte) (l language, sure bool) {
	var g guess
	w := idleWordList()
	n := 0
	tokens(src, func(t token) bool {
		if n++; t.kind != word {
			return n < languageTokens
		}
		tok := src[t.start:t.end]
		h := hintOf(tok)
		g.add(h)
		if h == (hint{}) && len(tok) <= 24 {
			set := w.latin[bare(lower(string(tok)))]
			for l, is := range set {
				if is == stopword {
					g[l]++
				}
			}
		}
		return n < languageTokens
	})
	l = g.language()
	return l, g[l] > 0
}

// unspacedIdle are function words of Chinese and Japanese; they part the words around them. The
// longer stand first.
var unspacedIdle = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, w := range strings.Fields(`为什么 為什麼 怎么样 怎麼樣 是什么 是什麼 什么时候 是不是 有没有 能不能 什么 什麼 怎么 怎麼 如何 哪些 哪个 哪個 哪里 哪裡 多少 是否 我们 我們
		你们 请问 請問 可以 应该 應該 需要 这个 這個 那个 一下 关于 關於 因为 因為 所以 以及 或者 如果 时候 的 了 吗 嗎 呢 是 和 与 與 把 被 谁 誰 几
		なぜ どうして どのように どうやって どうなって どこ どれ どんな いつ 何故 何ですか 教えてください 教えて ください について ですか ますか していますか しています されています
		されて している する した ため です ます`) {
		pairs = append(pairs, w, " ")
	}
	return strings.NewReplacer(pairs...)
})

// hiragana is the share of a pair that is hiragana, which is mostly grammar: 0, 1 or 2.
func hiragana(pair string) (n int) {
	for _, r := range pair {
		if 0x3041 <= r && r <= 0x309F {
			n++
		}
	}
	return n
}

var stopwords = [latins + 1]string{
	langEnglish: `a an the this that these those it its it's i me my mine we us our ours you your yours he him his she her they them their theirs
		and or but nor so if then than as at by for from in into of off on onto out over to up with without within about after before between
		during through under above below again against because until while is am are was were be been being do does did doing done has have had
		having can could may might must shall should will would won't don't doesn't didn't isn't aren't can't what which who whom whose when where
		why how there here all any both each few more most other some such no not only own same too very just also ever every once else instead
		get gets got let lets s t re ve ll d m vs via per upon whether though although yet still already now thing things please tell me explain describe show
		know want need say says said give gives us anyone someone something anything everything happens happen happened come comes going`,
	langSpanish: `el la los las lo un una unos unas de del al a ante bajo con contra desde durante en entre hacia hasta para por según sin sobre tras y e o u ni
		pero sino aunque porque que si como cuando donde quien quienes cual cuales cuanto cuantos qué cómo cuándo dónde quién cuál cuáles cuánto cuántos cuántas
		yo tú él ella nosotros ellos ellas me te se nos le les mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas esto ese esa esos eso
		aquel aquella es son era eran fue fueron ser sido siendo está están estaba estar estamos hay había haber ha han he hemos hace hacen hacer tiene tienen
		tenemos tener puede pueden podemos debe deben debemos no sí ya más menos muy mucho muchos también tan solo sólo cada todo toda todos todas otro otra otros otras
		algo alguien nada nadie pasa ocurre sucede explica dime muestra`,
	langGerman: `der die das den dem des ein eine einen einem einer eines und oder aber denn sondern doch weil dass ob wenn als wie wo wann warum wieso weshalb wer wen wem
		wessen was welche welcher welches welchen welchem womit wofür wodurch worin woher wohin ich du er sie es wir ihr mich mir dich dir uns euch sich ihm ihn ihnen mein
		meine dein sein seine ihre ihren unser unsere unseren unserer unserem dieser diese dieses diesen diesem jener jede jeder jedes alle alles an am auf aus bei beim bis durch für gegen hinter in im
		ins mit nach neben ohne seit über um unter von vom vor zu zum zur zwischen ist sind war waren sei wäre bin bist sein gewesen hat haben habe hatte hatten wird werden wurde wurden
		worden kann können konnte muss müssen soll sollen sollte darf dürfen will wollen nicht kein keine keinen keiner nur auch noch schon sehr mehr so da dort hier dann nun man etwas
		nichts bitte erkläre zeige gibt es macht machen mal eigentlich denn passiert geschieht`,
	langFrench: `le la les l un une des du de d au aux à et ou mais donc or ni car que qui quoi dont où quand comment pourquoi combien quel quelle quels quelles lequel laquelle
		je tu il elle on nous vous ils elles me te se lui leur leurs y en mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces cela ça ceci c s n j m t qu
		est sont était étaient être été suis es sommes êtes sera seront a ont avait avaient avoir avons ai fait font faire peut peuvent pouvons doit doivent devons faut ne pas plus
		moins très trop aussi bien encore déjà si comme sans avec sous sur dans par pour vers chez entre avant après depuis pendant contre tout toute tous toutes chaque autre autres
		même quelque rien personne est-ce qu'est-ce explique montre dis passe arrive`,
	langPortuguese: `o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela pelos pelas para pra com sem sob sobre entre até desde durante e ou
		mas nem porque porquê que quê se como quando onde quem qual quais quanto quantos quantas eu tu ele ela nós vós eles elas você vocês me te se lhe lhes meu minha meus seu sua seus
		suas nosso nossa nossos nossas este esta estes estas isto esse essa esses essas isso aquele aquela é são era eram foi foram ser sido sendo está estão estava estar estamos há havia ter
		tem têm temos tinha pode podem podemos deve devem devemos faz fazem fazer não sim já mais menos muito muita muitos também só cada todo toda todos todas outro outra outros outras
		algo alguém nada ninguém acontece explique mostre diga`,
	latins: `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от меня еще ещё нет о об из ему теперь когда даже ну ли если уже
		или ни быть был него до вас нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет
		ж тогда кто этот того потому этого какой какая какие какое каким каких какую каком совсем ним здесь этом один почти мой тем чтобы нее сейчас были куда зачем всех никогда можно при два об другой
		хоть после над больше тот через эти нас про всего них много разве эту моя свою этой перед чуть том такой им более всегда конечно всю между почему откуда сколько кому
		наш наша наше наши нашей нашем нашего нашу это эта является являются нужно должен должна должны расскажи объясни покажи скажи происходит случится будут делать делаем делает`,
}

var fillers = [latins + 1]string{
	langEnglish: `use uses used using usage work works working worked handle handles handled handling make makes made making way ways kind sort type project codebase code repo
		repository system application app service team people do set run runs look looks find happen support supports current currently right thing chosen choose chose pick picked decide decided decision decisions
		reason reasons know known rule rules problem problems issue issues question deal deals keep kept put mean means go goes good best better new old many much long big first last time times often one two went wrong trying try implement implements implemented implementation defined located include includes fell shown real actually exactly roughly`,
	langSpanish: `usa usan usamos usar uso utiliza utilizamos utilizar funciona funcionan funcionar maneja manejan manejamos manejar gestiona proyecto código sistema aplicación servicio equipo
		forma manera tipo elegimos elegido eligió elegir decidió decidimos decisión decisiones razón motivo problema problemas bien mejor nuevo primera vez veces tiempo llega llegan viene vienen lleva cuánta`,
	langGerman: `benutzt benutzen nutzt nutzen verwendet verwenden verwendung funktioniert funktionieren läuft laufen behandelt behandeln projekt code system anwendung dienst team art weise gewählt wählen
		entschieden entscheidung entscheidungen grund gründe problem probleme gut besser neu eingesetzt einsetzen geht gehen kommt kommen tun tut führt führen zeit mal oft`,
	langFrench: `utilise utilisent utilisons utiliser utilisé fonctionne fonctionnent fonctionner gère gèrent gérer gérons projet code système application service équipe façon manière type choisi choisir
		choisie avons décidé décision décisions raison raisons problème problèmes bon meilleur nouveau marche temps fois vient viennent souvent`,
	langPortuguese: `usa usam usamos usar uso utiliza utilizamos utilizar funciona funcionam funcionar lida lidamos lidar trata tratamos projeto código sistema aplicação aplicativo serviço equipe
		forma maneira tipo escolhemos escolhido escolheu escolher decidimos decidiu decisão decisões razão motivo problema problemas bom melhor novo tempo vez vezes vem vêm quanta`,
	latins: `используем используется используют использовать использование работает работают работать устроен устроена устроено устроены обрабатывается обрабатываем обрабатывает проект проекта проекте код кода
		коде система системы системе приложение сервис сервиса команда способ образом тип выбрали выбран выбрана выбор решили решение решения причина причины проблема проблемы хорошо лучше новый сделано сделали сделан раз часто время`,
}
