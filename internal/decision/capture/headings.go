package capture

import (
	"strings"
	"sync"
	"unicode"

	"sdd/internal/pattern"
)

// role is the meaning of a heading or label for the text under it.
type role uint8

const (
	noRole          role = iota
	decisionRole         // decisions, named as such
	outcomeRole          // an outcome, a summary: a decision if it sounds like one
	statusRole           // the state of the decision
	reasonRole           // reasons, drivers; from here to assumptionRole in the order of parts
	alternativeRole      // options that were considered
	consequenceRole      // effects of the decision
	constraintRole       // limits that it had to meet
	assumptionRole       // what was assumed
	openRole             // what is not decided
	instructionRole      // instructions to the reader of the text
	backgroundRole       // the situation before
	taskRole             // work to be done
)

// roleWords lists labels by role: a whole label, or its start when it ends with *. Case, numbers,
// punctuation and emphasis of the label do not count.
var roleWords = map[role]string{
	decisionRole: `decision|decisions|decision outcome|the decision|our decision|final decision|final decisions|decisions made|decision made|decision taken|decisions taken|key decisions|design decisions|design decision|architecture decision|architectural decisions|architecture decisions|technical decisions|main decisions|decided|what we decided|what was decided|we decided|chosen|chosen option|chosen approach|chosen solution|selected option|selected approach|our choice|final choice|resolution|resolutions|agreements|agreement|agreed actions|decision summary|what we chose|preferred option|selected solution|chosen design|decision and rationale|decision & rationale|decisions and rationale|consensus|
		решение|решения|принятое решение|принятые решения|итоговое решение|решили|что решили|решено|принято|утверждено|согласовано|наш выбор|выбор сделан|итоговый выбор|договорились|договорённости|договоренности|выбор|выбрано|выбранный вариант|постановили|наше решение|ключевые решения|архитектурное решение|
		entscheidung|entscheidungen|die entscheidung|unsere entscheidung|entschieden|beschluss|beschlüsse|beschlossen|gewählt|wahl|gewählte option|gewählte lösung|festgelegt|unsere wahl|meine wahl|abgemacht|getroffene entscheidung|getroffene entscheidungen|entwurfsentscheidungen|architekturentscheidung|vereinbart|vereinbarungen|vereinbarung|beschlossene punkte|
		decisión|decisiones|decisión final|decisión tomada|decisiones tomadas|la decisión|acuerdos|acuerdo|acordado|decidido|elección|nuestra elección|elegido|acordamos|queda acordado|opción elegida|solución elegida|resolución|lo decidido|decisiones de diseño|
		décision|décisions|la décision|notre décision|décision prise|décisions prises|décision finale|décidé|choix|notre choix|mon choix|adopté|acté|convenu|choix retenu|solution retenue|option retenue|retenu|arbitrage|relevé de décisions|décisions de conception|
		decisão|decisões|decisão final|decisão tomada|decisões tomadas|a decisão|nossa decisão|decidido|escolha|nossa escolha|combinado|definido|escolhido|opção escolhida|solução escolhida|acordado|acordos|resolução|decisões de projeto|
		决定|決定|决策|决议|選定|选择|最终决定|決定事項|採用案|決定内容|採用する案|最终方案|结论与决定`,
	outcomeRole: `our solution|our approach|my approach|our plan|outcome|outcomes|result|conclusion|conclusions|summary of decisions|tl;dr|tldr|bottom line|in short|recommendation|final recommendation|my recommendation|the pick|solution|approach|the approach|our approach|the plan|plan|going forward|way forward|what we will do|next approach|proposed solution|takeaway|takeaways|design|
		итог|итоги|итог обсуждения|вывод|выводы|заключение|результат|рекомендация|подход|план|в итоге|резюме|что делаем|что будем делать|
		ergebnis|ergebnisse|fazit|schluss|empfehlung|vorgehen|lösung|plan|zusammenfassung|ansatz|was wir tun|
		conclusión|conclusiones|resultado|recomendación|solución|enfoque|plan|resumen|resultado final|
		conclusion|conclusions|résultat|bilan|recommandation|solution|approche|plan|en résumé|synthèse|
		conclusão|conclusões|resultado|recomendação|solução|abordagem|plano|resumo|
		结论|結論|总结|まとめ|方案|方針|结果|結果`,
	statusRole: `status|статус|состояние|stand|estado|statut|état|situação|状态|ステータス|状態`,
	reasonRole: `reason|reasons|rationale|why|motivation|justification|decision drivers|drivers|because|reasoning|arguments|why this|
		причина|причины|обоснование|почему|мотивация|аргументы|драйверы решения|потому что|
		begründung|grund|gründe|warum|motivation|entscheidungstreiber|
		razón|razones|motivo|motivos|justificación|por qué|motivación|
		raison|raisons|motif|motifs|justification|pourquoi|motivation|
		razão|razões|motivo|motivos|justificativa|justificação|por quê|por que|motivação|
		原因|理由|依据|根拠|背景と理由`,
	alternativeRole: `alternative|alternatives|alternatives considered|considered alternatives|considered options|options considered|options|option|rejected|rejected options|rejected alternatives|other options|candidates|not chosen|discarded|pros and cons of the options|
		варианты|альтернативы|альтернатива|рассмотренные варианты|рассмотренные альтернативы|отклонённые варианты|кандидаты|опции|отвергнутые варианты|
		alternativen|alternative|optionen|betrachtete optionen|betrachtete alternativen|varianten|verworfen|verworfene alternativen|kandidaten|erwogene optionen|geprüfte alternativen|
		alternativas|alternativa|opciones|opciones consideradas|alternativas consideradas|descartado|descartadas|candidatos|
		alternative|alternatives|options|options envisagées|alternatives envisagées|solutions envisagées|pistes|rejeté|écarté|
		alternativas|alternativa|opções|opções consideradas|alternativas consideradas|descartado|descartadas|candidatos|
		备选方案|选项|替代方案|候选|代替案|検討した案|選択肢|候補`,
	consequenceRole: `consequence|consequences|implications|impact|implication|positive consequences|negative consequences|trade-offs|tradeoffs|follow-up|effects|good, because|bad, because|
		последствия|последствие|следствия|следствие|влияние|компромиссы|
		konsequenzen|konsequenz|folgen|folge|auswirkungen|auswirkung|
		consecuencias|consecuencia|implicaciones|impacto|efectos|
		conséquences|conséquence|implications|impact|effets|
		consequências|consequência|implicações|impacto|efeitos|
		后果|影响|結果と影響|影響`,
	constraintRole: `constraint|constraints|requirements|limits|limitations|ограничения|ограничение|требования|randbedingungen|einschränkungen|anforderungen|restricciones|requisitos|limitaciones|contraintes|contrainte|exigences|restrições|restrição|约束|限制|制約|制約条件`,
	assumptionRole: `assumption|assumptions|предположения|предположение|допущения|допущение|annahmen|annahme|supuestos|supuesto|suposiciones|hypothèses|hypothèse|suposições|premissas|premissa|假设|前提|仮定`,
	openRole: `open questions|open question|open|open points|open issues|undecided|to be decided|tbd|to decide|unresolved|pending|pending decisions|open decisions|decision needed|decisions needed|decisions to make|questions|question|still open|not decided|needs decision|deferred|parking lot|unknowns|ideas|proposal|proposals|
		открытые вопросы|открытый вопрос|вопросы|вопрос|не решено|нерешённое|нерешенные вопросы|открыто|на обсуждение|идеи|
		offen|offene fragen|offene punkte|ungeklärt|fragen|frage|noch offen|zu klären|ideen|
		pendiente|pendientes|preguntas|pregunta|preguntas abiertas|cuestiones abiertas|por decidir|abierto|sin decidir|ideas|
		ouvert|questions|question|questions ouvertes|points ouverts|à décider|en suspens|non décidé|reste à décider|idées|
		em aberto|pendente|pendentes|perguntas|pergunta|questões em aberto|a decidir|aberto|ideias|
		待定|未决|问题|未決定|未定|課題|質問|未決事項|检讨事项`,
	instructionRole: `install|installation|installing|usage|getting started|quick start|quickstart|how to|how-to|howto|set up|setup|example|examples|configuration|tutorial|prerequisites|faq|troubleshooting|steps to reproduce|how to use|instructions|contributing|running|development setup|tips|
		установка|использование|начало работы|быстрый старт|настройка|пример|примеры|как пользоваться|инструкция|
		installation|benutzung|verwendung|erste schritte|einrichtung|beispiel|beispiele|anleitung|voraussetzungen|
		instalación|uso|primeros pasos|configuración|ejemplo|ejemplos|cómo usar|instrucciones|
		installation|utilisation|démarrage|prise en main|exemple|exemples|configuration|mode d'emploi|
		instalação|uso|primeiros passos|configuração|exemplo|exemplos|como usar|instruções|
		安装|用法|使用方法|示例|インストール|使い方|例`,
	backgroundRole: `context|background|problem|problem statement|context and problem statement|history|current state|status quo|what happened|references|links|see also|related|motivation and context|timeline|
		контекст|предыстория|проблема|история|текущее состояние|ссылки|что произошло|
		kontext|hintergrund|problem|ausgangslage|problemstellung|verweise|geschichte|
		contexto|antecedentes|problema|historia|situación actual|referencias|
		contexte|problème|historique|situation actuelle|références|
		contexto|problema|histórico|situação atual|referências|
		背景|问题描述|上下文|参考|現状|経緯|問題`,
	taskRole: `todo|to do|to-do|tasks|action items|actions|next steps|next|steps|what's next|what i did|follow-ups|remaining work|
		задачи|следующие шаги|дальнейшие шаги|действия|дальше|
		aufgaben|nächste schritte|maßnahmen|
		tareas|próximos pasos|siguientes pasos|acciones|
		tâches|prochaines étapes|actions|
		tarefas|próximos passos|ações|
		待办|下一步|タスク|次のステップ`,
}

var roles = sync.OnceValue(func() map[string]role {
	m := map[string]role{}
	for _, r := range []role{outcomeRole, decisionRole, reasonRole, alternativeRole, consequenceRole, constraintRole, assumptionRole, openRole, instructionRole, backgroundRole, taskRole, statusRole} {
		for w := range strings.SplitSeq(roleWords[r], "|") {
			if w = strings.TrimSpace(w); w != "" && m[w] == noRole {
				m[w] = r
			}
		}
	}
	return m
})

const maxLabel = 60 // bytes: a longer one is a sentence

// roleOf returns the role of a heading or label, and its words in lower case.
func roleOf(label string) (role, string) {
	s := plainLabel(label)
	if s == "" || len(s) > maxLabel {
		return noRole, s
	}
	if r := roles()[s]; r != noRole {
		return r, s
	}
	// "Decision 3", "Decision (accepted)", "Decision on storage"
	first, rest, _ := strings.Cut(s, " ")
	if r := roles()[first]; r == decisionRole && (strings.HasPrefix(rest, "(") || strings.TrimLeft(rest, "0123456789.#") == "") {
		return r, s
	}
	// "Team decision", "Решение команды"
	if words := strings.Fields(s); len(words) <= 3 {
		for _, w := range words {
			if noDecisionLabel()[w] {
				return noRole, s
			}
		}
		if decisionNouns()[words[0]] || decisionNouns()[words[len(words)-1]] {
			return decisionRole, s
		}
	}
	return noRole, s
}

var decisionNouns = pattern.Words("decision decisions решение entscheidung beschluss decisión décision decisão")

// noDecisionLabel are words that give a label with "decision" another meaning.
var noDecisionLabel = pattern.Words("log record records drivers driver needed pending open no process tree table making maker makers date owner owners context status by not next journal treiber protokoll registro journal")

// plainLabel is a label without numbers, emphasis, emoji and punctuation around it.
func plainLabel(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	s = strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ')' })
	return s
}

// label splits "Decision: we use X" and "**Decision** - we use X" into the label and the rest. Only
// labels with a role count.
func label(s string) (r role, name, rest string, ok bool) {
	marks := strings.TrimLeft(s, "*_ ")
	cut := -1
	for i, c := range marks[:min(len(marks), maxLabel+20)] {
		if c == ':' || c == '：' || c == '—' || c == '–' || c == '-' && i > 0 && marks[i-1] == ' ' || (c == '*' || c == '_') && i > 0 {
			cut = i
			break
		}
	}
	if cut <= 0 {
		return noRole, "", "", false
	}
	name = marks[:cut]
	r, _ = roleOf(name)
	if r == noRole {
		return noRole, "", "", false
	}
	rest = strings.TrimLeft(marks[cut:], "*_ ")
	colon := strings.TrimLeft(rest, ":：—–-")
	emphasised := len(marks) < len(s) && (s[0] == '*' || s[0] == '_')
	if colon == rest && !emphasised {
		return noRole, "", "", false
	}
	return r, name, strings.TrimLeft(colon, "*_ "), true
}
