package capture

import (
	"regexp"
	"strings"
	"sync"

	"sdd/internal/pattern"
)

// form is a phrase that announces a decision. The decision is the text after the match, or from its group "say" on. An imperative
// is a decision only at the start of a paragraph.
type form struct {
	name       string
	expr       string
	confidence float64
	start      bool   // at the start of a block only, and not in a list of work or of instructions
	list       bool   // "decided to:", "will:": items of the list that follows are the decisions
	needs      string // a sentence of this form contains one of these words, separated by |; checked first
}

// Words of the forms. Each is used in brackets.
const (
	enWe  = `we|(?:the|our) (?:team|group|board|committee|council|maintainers)|everyone|everybody`
	enAdv = `(?:(?:have|has|had|been|also|all|already|just|finally|eventually|ultimately|now|therefore|thus|then|hence|both` +
		`|unanimously|explicitly|deliberately|collectively|together|instead|simply|always|only|mutually|recently|consciously) )*`
	enSoon = `(?:(?:also|all|always|now|therefore|thus|then|only|instead|simply|both) )*`
	enDo   = `(?:use|adopt|replace|migrate|move|switch|remove|drop|deprecate|retire|decommission|introduce|keep|store|standardi[sz]e` +
		`|split|merge|host|self-host|rename|add support|require|ban|forbid|allow|disallow|enforce|stop|avoid|give|rewrite|pin|expose` +
		`|publish|sunset|stick|start using|stop using|do not use|don't use|never use|always use)`
	enNoop = `(?:be|have|need|see|look|check|get|find|know|try|learn|continue|discuss|consider|investigate|explore|evaluate|review` +
		`|revisit|think|wait|ask|show|describe|explain|cover|assume|assess|start|begin|want|carry|likely|probably|soon|hopefully|update` +
		`|take|come|talk|meet|report|monitor|benefit|lose|end up|run into|hit|ensure|make sure|never know)`
	ruWho = `(?:(?:^|[,;:—] |мы |команда |я |и |в итоге |поэтому |тогда )` +
		`(?:(?:мы|все|уже|также|окончательно|наконец|совместно|единогласно` +
		`|вместе|тогда|поэтому|сейчас|теперь|больше|просто|сразу|команда) )*)`
)

var forms = sync.OnceValue(func() (out []*compiled) {
	for _, f := range []form{
		// English: who decided, that it was decided, what will be.
		{"decided", `(?:` + enWe + `|i) ` + enAdv + `(?:decided|resolved|committed|agreed|voted) ` + enAdv +
			`(?:upon|on|that|to|for|in favou?r of|:)`, .93, false, true, `decided|resolved|committed|agreed|voted`},
		{"decided against", `(?:` + enWe + `|i) ` + enAdv + `(?P<say>(?:decided|agreed|voted) (?:not|against))`, .93, false, false,
			`decided|agreed|voted`},
		{"chose", `(?:` + enWe + `|i) ` + enAdv + `(?:chose|chosen|picked|selected|opted (?:for|to)` +
			`|(?:settled|landed|standardi[sz]ed|converged) on|(?:went|gone) (?:ahead )?with)`,
			.92, false, false, `chose|picked|selected|opted| on | with`},
		{"adopted", `(?:` + enWe + `) ` + enAdv + `(?P<say>adopted|rejected|ruled out|approved|dropped support|endorsed|abandoned|turned down)`,
			.88, false, false, `adopted|rejected|ruled|approved|dropped|endorsed|abandoned|turned`},
		{"it was decided", `(?:it|this|that) (?:has been|was|is|had been|is now) ` + enAdv + `(?:decided|agreed|resolved|settled) ` + enAdv +
			`(?:that|to|upon|on|:)`, .9, false, true, `decided|agreed|resolved|settled`},
		{"decision was made", `decision (?:(?:has been|was|is) )?(?:made |taken |reached |was |is )(?:to|that|:)`, .9, false, true, `decision`},
		{"our choice is", `(?:our|the final) (?:decision|choice|pick) (?:is|was)(?: that| to| to use)?`, .9, false, false,
			`decision|choice|pick`},
		{"we will", `(?:` + enWe + `) ` + enSoon + `(?:will|shall|are going to) ` + enSoon + `(?P<say>(?:not |no longer |never )?\pL|:)`, .87,
			false, true, `will|shall|going to`},
		{"we won't", `(?:` + enWe + `) (?P<say>won't)`, .8, false, false, `won't`},
		{"we are moving", `(?:` + enWe + `) are ` + enAdv +
			`(?P<say>going with|sticking with|staying with|standardi[sz]ing on|dropping|moving (?:to|from|off|away)|switching|migrating` +
			`|adopting|deprecating|retiring|replacing)`,
			.86, false, false, `ing`},
		{"let's go with", `let's (?:go with|settle on|pick|choose|(?P<say>stick with|stay with|adopt))`, .84, false, false, `let's`},
		{"going with", `^(?:ok|okay|so|then|and|but|,| )*(?:going|went) with`, .8, true, false, ` with`},
		{"from now on", `^(?:from now on|going forward|henceforth|as of (?:now|today|version))`, .86, false, false,
			`now|going forward|henceforth|as of`},
		{"was chosen", `^(?P<say>[^,;:]{2,70}? (?:was|were|has been|have been|got) ` + enAdv + `(?:chosen|selected|picked|preferred|adopted))`,
			.8, true, false, `chosen|selected|picked|preferred|adopted`},
		{"imperative", `^(?P<say>` + enDo + `) \S`, .72, true, false, ``},
		{"will be", `^(?P<say>[^,;:]{2,70}? will (?:not |no longer |always |never |now )?be)`, .62, true, false, ` will `},
		// Russian.
		{"решили", ruWho + `(?:решил[иа]?|договорил[иа]сь|постановили|условились` +
			`|приняли решение)(?: о том)?(?:,? что|:| (?P<say>(?:не |пока |больше )*\pL+(?:ть|ти|чь)` +
			`(?:ся|сь)?))`,
			.92, false, true, `решил|договорил|постановили|условились|приняли`},
		{"выбрали", ruWho + `(?:выбрал[иа]?|остановил[иа]?сь на|сошлись на)`, .9, false, false,
			`выбрал|останов|сошлись`},
		{"отказались", ruWho + `(?P<say>отказал[иа]?сь от|утвердил[иа]?|отвергли|отклонили)`,
			.88, false, false, `отказал|утвердил|отвергли|отклонили`},
		{"решено", `(?:было )?(?:решено|принято решение|постановлено|согласовано)` +
			`(?:,? что|:)?`,
			.9, false, true, `решено|решение|постановлено|согласовано`},
		{"будем", ruWho + `(?P<say>(?:не |больше не )?будем \pL|будем:)`, .86, false, true, `будем`},
		{"переходим", ruWho + `(?P<say>переходим на|переезжаем на|отказываемся от` +
			`|переносим)`,
			.86, false, false, `переходим|переезжаем|отказываемся|переносим`},
		{"отныне", `^(?:отныне|с этого момента|впредь)`, .86, false, false,
			`отныне|момента|впредь`},
		{"использовать", `^(?P<say>использовать|перейти на|отказаться от|заменить` +
			`|внедрить|хранить|оставить|удалить поддержку|не использовать)`,
			.72, true, false, `ть`},
	} {
		expr := `(?i)(?:^|[^\pL\pN'])(?P<all>` + f.expr + `)`
		if !strings.Contains(f.expr, `\pL|`) && !strings.HasSuffix(f.expr, `\S`) {
			expr += `(?:[^\pL\pN]|$)`
		}
		out = append(out, &compiled{form: f, re: pattern.Late(expr), words: strings.Split(f.needs, "|")})
	}
	return out
})

// compiled is a form with its expression, which is compiled when it is first used.
type compiled struct {
	form
	re    func() *regexp.Regexp
	words []string // a sentence of the form has one of them, in lower case
}

// Words around a form that show that nothing was decided.
var (
	asked = pattern.Late(`(?i)(?:^|[^\pL])(?:because|means|since|when|if|until|before|after|once|why|how|what|where|unless|whether` +
		`|as|who|which|had|should|did|когда|если|пока|почему|как|что|ли|прежде чем|зачем) ` +
		`(?:(?:мы|я) )?$`)
	doubted = pattern.Late(`(?i)(?:(?:n't|(?:^|[^\pL])(?:not|nobody|no one|never)) (?:\pL+ )?(?:think|thinks|believe|believes|remember` +
		`|recall|say|said|clear` +
		`|certain|know|sure|mean|claim|claimed)|(?:^|[^\pL])(?:i|we) doubt)(?: that)? ?$`)
	thatIsWhy = pattern.Late(`(?i)(?:(?:that|this|which)(?:'s| is| was) why|поэтому и?|вот почему) ?$`)
	unsure    = pattern.Late(`(?i)(?:^|[^\pL])(?:if|unless|whether|would|could|might|may|maybe|perhaps|suppose|imagine|originally` +
		`|initially|previously|formerly|at first|used to|back then|for example|e\.g\.|not sure|if only|assume|you|you'll|до того` +
		`|если|возможно|может быть|вероятно|изначально|раньше|сначала|например` +
		`|бы|допустим)(?:[^\pL]|$)`)
	takenBack = pattern.Late(`(?i)(?:^|[^\pL])(?:reverted|rolled (?:it |that |this )?back|changed our minds?|undid|backed out` +
		`|откатили|передумали|вернули обратно)(?:[^\pL]|$)`)
	// reported matches the start of a sentence that reports or judges a decision: "Ann claims that we", "I wish we".
	reported = pattern.Late(`(?i)(?:^|[^\pL])(?:(?:wrong|true|mistake|pity|shame|claims?|claimed|says?|said|thinks?|thought|believes?` +
		`|argues?|argued|regrets?) that` +
		`|according to [^,;]+,?|(?:says?|said|claims?|claimed|thinks?|thought|believes?|believed` +
		`|insists?|insisted|argues?|argued|hears?|heard|hopes?|hoped|wish|wishes|wished|regrets?|regretted),?) $`)
	// undone matches what takes back the decision before it.
	undone = pattern.Late(`(?i)(?:^|[^\pL])(?:(?:reverted|reversed|replaced|dropped|abandoned|overturned|withdrew|cancell?ed|scrapped) ` +
		`(?:it|this|that|the decision)(?:[.,;!]|$| (?:in|on|last|after|again|since|with|by|for|later))|(?:it|this|that|which|(?:this|that` +
		`|the) decision) (?:was|has been|turned out|proved)` +
		` (?:\pL+ ){0,3}(?:reverted|reversed|replaced|dropped|abandoned|overturned|withdrawn|cancell?ed|wrong|a mistake)` +
		`|which is (?:wrong|false|not true)|no longer \pL+ (?:it|this|that)|but (?:then|later|soon) (?:we |they |i )?(?:\pL+ed|went|chose` +
		`|took|left|fell|had)` +
		`|но (?:потом|позже|затем))(?:[^\pL]|$)`)
	undecided = pattern.Late(`(?i)(?:^|[^\pL])(?:tbd|undecided|pending|to be (?:decided|determined|discussed)` +
		`|(?:not|n't)(?: yet)? (?:been )?(?:decided|agreed|settled|chosen)|no decision|decision needed|unknown|n/a|none|не решили` +
		`|не решено|не выбрали|не договорились|не принято|пока не|ещё не|еще не)` +
		`(?:[^\pL]|$)`)
	someday  = pattern.Late(`(?i)(?:^|[^\pL])(?:eventually|soon|probably|hopefully|at some point|one day|likely)(?:[^\pL]|$)`)
	noNoun   = pattern.Late(`(?i)^[\pL' ]+? (?:of|is|are|was|were|has|version|passes|fails) `)
	future   = pattern.Late(`(?i)^(?:all|every|each|no|our|new) `)
	noDeed   = pattern.Late(`(?i)^(?:not |no longer |never |also |then |now |first )*` + enNoop + `(?:[^\pL]|$)`)
	ruNoDeed = pattern.Late(`(?i)^(?:не |больше не )?будем (?:рады|думать|смотреть|обсуждать` +
		`|надеяться|ждать|знать|считать|решать|проверять|тестировать` +
		`|пробовать)(?:[^\pL]|$)`)
)
