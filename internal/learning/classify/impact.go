package classify

// Impact returns how much a learning matters, as doc.go defines it: low, medium, high or critical. It is medium when
// nothing speaks for another one. The first line of the table that matches decides; critical has its explicit rules only. Case, blanks
// around the text and a full stop at its end do not change the value.
func Impact(content string) Verdict {
	text, asks := plain(tokens(head(content, maxClaim)))
	if asks {
		return Verdict{Value: "low", Rule: "asks a question"}
	}
	for _, l := range impactTable {
		if l.words().MatchString(text) && (l.value != "critical" || !harmless().MatchString(text)) {
			return Verdict{Value: l.value, Rule: l.reason(text)}
		}
	}
	return Verdict{Value: "medium", Rule: nothing + "level"}
}

// nothing is the rule where there is no reason to name.
const nothing = "nothing speaks for another "

// harmless are words that take a harm back: "without data loss", "does not expire", "prevents crashes".
var harmless = row("", "", 0, `(?:without|no|not|never|prevents?|avoids?|cannot) (?:\pL+ )?(?:data loss|los(?:e|ing|s)|leaks?|corrupts?|expires?|crash(?:es)?|exposes?)|never expires?`).words

var impactTable = []label{
	// Critical: harm that cannot be undone, legal duties, security holes, all work blocked.
	row("critical", "data loss", 0, `(?:data|message|event)s? loss|los(?:e|es|ing) (?:all |the |user |customer )*(?:data|messages|events|writes|orders|payments)|(?:wipes?|corrupts?|destroys?|overwrites?) (?:all |the |user |customer |production )*(?:data|database|db|files?|records?|index)|drops? (?:the |all )*(?:table|tables|database)|irreversibl[ey]|теря(?:ет|ются|ем) данн\pL+|потер\pL+ данн\pL+`),
	row("critical", "security", 0, `vulnerab\pL+|exploit\pL*|(?:sql|command|code|shell|script) injection|xss|csrf|rce|(?:commit|log|leak|print|expose|share|push|store)(?:s|ted|ged|ed|d|ging|ing)? (?:\pL+ ){0,3}(?:secrets?|passwords?|credentials?|tokens?|api keys?|private keys?|pii)|(?:secrets?|passwords?|credentials?|private keys?) (?:\pL+ ){0,3}(?:leak\pL*|exposed|plain ?text)|уязвимост\pL+`),
	row("critical", "law", 0, `gdpr|hipaa|pci dss|legal(?:ly)?|lawsuit|copyleft|a?gpl|compliance|regulat\pL+`),
	row("critical", "never", 0, `(?:(?:^|\.) ?)?never (?:ever )?(?:add or modify|modify|commit|push|force push|delete|remove|touch|edit|change|disable|deploy|drop|rewrite|reset|merge|bypass|run) (?:\S+ ){0,6}\S*|никогда не (?:удал\pL+|коммит\pL+|меня\pL+|трога\pL+|отключа\pL+)`),
	row("critical", "expires", 0, `(?:tokens?|certificates?|cert|licen[sc]es?|passwords?|keys?) (?:will )?expires?|(?:токен|сертификат|лицензия|ключ|пароль)\pL* истека\pL+`),
	row("critical", "stops work", 0, `(?:does|do|will|would) not (?:compile|build|start|boot)|(?:build|builds|ci|release|deploy|deployment|login|startup|start up) (?:always |then |now |is |are )*(?:fails?|breaks?|blocked|stops?|crash(?:es)?)|blocks? (?:all|every|the) (?:\S+ )?(?:work|release|releases|deploys?|merges?|builds?|users?)|outage|takes? (?:the )?(?:site|production|cluster|service) down|in production (?:crash|fail)\pL*|requires? its own (?:\S+ ){0,3}(?:login|oauth|credentials?|licen[sc]e)|не (?:собирается|компилируется|запускается)|сборка падает`),
	// Low: style and taste, where the text is about spelling or a name only.
	row("low", "preference", 0, `(?:when|where|if) possible|(?:^|\. )(?:consider|prefer) \S+ (?:\S+ )?(?:over|to|instead)|nice to have|trivia|for convenience|feel free`),
	row("low", "style", 0, `tabs|spaces|indent\pL*|semicolons?|quotes?|trailing commas?|line length|whitespace|blank lines?|casing|camelcase|snake_case|kebab-case|pascalcase|prefix(?:ed|es)?|suffix(?:ed|es)?|colou?rs?|wording|typos?|emojis?|comments?|sorted|alphabetical\pL*|inline|unused variables?|shorthand|abbreviat\pL+|titles?|one liners?|named`),
	row("low", "no harm", 0, `optional(?:ly)?|harmless|idempotent|no op|no effect|does nothing|cosmetic`),
	row("low", "documents and logs", 0, `docs|documentation|changelog|readme|examples|debug (?:log\pL*|output)|log messages?|log level`),
	// High: rules for all code, ownership, and what is forbidden.
	row("high", "boundary", 0, `(?:may|must|can|should) (?:not )?(?:only )?(?:import|depend on|call|access|know|reach)(?:s)? |no imports? from|must have no|not vice versa|single (?:source of truth|place|entry|owner)|the single|(?:is|are) (?:the )?(?:only|owned|responsible)|boundar(?:y|ies)|layers?|contracts?|source of truth|ownership`),
	row("high", "everything goes one way", 0, `(?:all|every|each|any) (?:\S+ ){1,5}(?:go|goes|pass|passes|flow|flows|run|runs|happen|happens|must|should|shall|has to|have to|need to|live|lives|belong|belongs|is|are) (?:\S+ ){0,3}(?:through|via|in|to|from|by|happen|be)|should go through|must go through|direct(?:ly)? (?:\S+ ){0,4}(?:are|is) (?:forbidden|not allowed|banned)|все (?:\S+ ){1,4}(?:через|идут|проходят)`),
	row("high", "forbidden", 0, `forbidden|prohibited|banned|backwards?[ -]compatib\pL+|breaking changes?|запрещен\pL*`),
	row("high", "whole system", 0, `architectur\pL+|migrations?|multi tenan\pL+|deployments? (?:are|is)|triggered by|public api|cross compil\pL+|cannot be|can not be`),
	// The rest of low: a soft rule.
	row("low", "soft rule", 0, `(?:^|\. )(?:consider|prefer|try to|avoid) .*|may want|could be|might`),
}
