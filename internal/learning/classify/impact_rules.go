package classify

import "sync"

// The rules of Impact. A weight of 3 is enough for critical, one of 2 for high and low; smaller ones add up.
var impactRules = sync.OnceValue(func() *rulebook {
	return newRulebook(map[string]string{
		// What breaks, and what stops with it.
		"fail": "fail/v failure/n break/v broke broken crash/v die/v dies dying abort/v abend/v refuse/v reject/v stall/v hang/v hung freeze/v froze frozen choke/v halt/v " +
			"scheitert scheitern schlägt fehlschlägt bricht stürzt échoue échouent plante bloque falla fallan fallará rompe bloquea падает падают ломается ломает зависает",
		"crash": "crash/v panic/v panick/v segfault/n segfaults segfaulted oom oomkilled coredump abend/v stürzt absturz plante plantage падает",
		"delivery": "build/n deploy/n deployment/n release/n rollout/n pipeline/n ci compilation install installation startup merge/n publish suite/n production prod bundle " +
			"déploiement compilación despliegue сборка сборку деплой деплоя pipelines",
		"everything": "everything everyone everybody nothing nobody all every each any whole entire alle alles tout tous toute toutes todo todos todas весь все всё",
		"install":    "`npm `yarn `pnpm `pip `cargo `go `mvn `gradle `make `bundle `composer `docker `helm `terraform `brew `apt `dotnet `swift `mix `bazel `cmake `poetry `uv",
		"step":       "start/v boot/v launch/v build/v compile/v deploy/v merge/v release/v publish/v install/v push/v ship/v run ran mount/v connect/v reach/v log authenticate/v bind/v pull link/v upload/v create/v proceed continue pass download/v schedule/v open",
		"or":         "or otherwise else unless until sonst ansonsten sinon иначе",

		// Data and secrets.
		"lose":    "lose/v lost losing loss drop/v dropped discard/v wipe/v erase/v destroy/v delete/v deletion truncate/v overwrite/v overwritten vanish/v clobber/v corrupt/v corruption garble/v orphan/v gone unrecoverable unreadable purge/v löscht verloren perd perdu perdues supprime efface borra pierde pierden perdidos теряет теряются удаляет стирает",
		"data":    "data record/n row/n message/n event/n file/n upload/n order/n payment/n write/n update/n transaction/n backup/n volume/n disk database/n db table/n history commit/n document/n photo/n work account/n balance/n customer/n entry queue daten datos données данные",
		"forever": "permanently forever irreversible irreversibly irrecoverable irrecoverably unrecoverable irretrievably silently endgültig définitivement безвозвратно",
		"secret":  "secret/n credential/n password/n passphrase/n token/n key/n cookie/n certificate/n cert/n session/n pin/n passwort passwörter schlüssel zertifikat contraseña contraseñas clave secreto secretos jeton certificat пароль пароли токен токены ключ секреты",
		"private": "pii personal sensitive confidential private customer/n patient/n medical card/n cvv iban gdpr dsgvo rgpd hipaa pci",
		"expose":  "leak/v expose/v disclose/v reveal/v log/v print/v commit/v committed hardcode/v publish/v share/v store/v plaintext send/v paste/v echo steal/v stolen",
		"hole": "injection vulnerable vulnerability vulnerabilities exploit/v exploitable xss csrf ssrf rce xxe cve spoof/v forge/v forged tamper/v tampered impersonate/v " +
			"hijack/v malicious attacker/n traversal unauthenticated unauthorized unauthorised escalation backdoor clickjacking sicherheitslücke vulnerabilidad faille уязвимость",
		"expire":   "expire/v expiry expiration expired revoke/v revocation renew/v rotate/v rotated lapse/v invalidate/v läuft abgelaufen expiré expirée caduca vence истекает истёк истек",
		"prohibit": "never not cannot nobody no nie nicht niemals nunca jamais никогда нельзя",
		"tamper":   "commit/v committed push/v log/v print/v hardcode/v expose/v share/v deploy/v edit/v modify/v change/v delete/v drop/v disable/v skip/v bypass/v rename/v rewrite/v touch/v reuse/v squash/v reorder/v run rebase/v force reset/v point/v test/v seed/v restart/v",
		"precious": "production prod main master live secret/n credential/n password/n token/n migration/n backup/n keystore database/n schema pii key/n cluster release/n lockfile",
		"limit":    "quota/n limit/n limited cap/n capped",
		"exhaust":  "exhaust/v exceed/v full out overflow/v saturate/v deplete/v starve/v",
		"credit":   "token/n session/n certificate/n cert/n credential/n password/n key/n cookie/n license/n licence/n secret/n link/n signature/n jwt login/n domain/n lease/n grant/n zertifikat certificat certificado сертификат токен",

		"harm": "disappear/v vanish/v unusable unreachable unavailable inaccessible unresponsive suspend/v suspended ban/v banned block/v blocked stuck dead blank broken break/v broke lost lose/v gone destroy/v wipe/v " +
			"fail/v failure/n crash/v down outage/n downtime hang/v stall/v starve/v exhausted corrupt/v corrupted unreadable leak/v leaked stolen killed kill/v die/v dies refuse/v reject/v revoke/v throttle/v lock/v locked " +
			"duplicated twice overload/v overloaded evict/v flood/v overwhelm/v rollback unrecoverable irreversible halt/v freeze/v impossible stop/v delete/v deleted erase/v kaputt gesperrt verloren weg bloqueado perdu bloqué недоступен недоступна",
		"scope": "production prod live site website deploy/n deployment/n release/n build/n ci pipeline/n customer/n user/n account/n device/n board/n cluster database data history whole entire every all everything everybody everyone nobody nothing " +
			"payment/n payments checkout login logins signup runner/n registry backup/n server/n network app store/n volume/n pod/n node/n machine/n job/n traffic request/n session/n credential/n produktion kunden daten producción clientes",

		// Structure.
		"every": "all every each any everything everyone entire only single one sole alle jeder jede jedes nur todas todos todo cada toutes tous tout seul seule все всё каждый каждая только",
		"part":  "service/n module/n package/n layer/n component/n core domain/n backend frontend client/n server/n plugin/n app/n application/n worker/n subgraph/n microservice/n subsystem/n context/n crate/n process/n system/n resolver/n renderer kernel firmware gateway/n handler/n controller/n repository/n repositories adapter/n interceptor/n middleware library/n engine team/n tenant/n region/n shell host ui api/n apis sdk store/n task/n view/n viewmodel/n model/n boundary boundaries infrastructure integration/n interface/n modul module dienst dienste capa capas servicio servicios couche couches модуль модули сервис сервисы слой",
		"store": "database/n db warehouse cache/n queue/n bus broker/n topic/n table/n store/n vault/n bucket/n ledger index log stream/n replica/n primary registry datenbank base",
		"agent": "scheduler/n worker/n consumer/n producer/n dispatcher/n orchestrator/n proxy proxies sidecar/n ingress bff gateway/n bridge/n adapter/n port/n decorator/n interceptor/n reducer/n action/n workflow/n projection/n aggregate/n " +
			"saga/n policy policies middleware daemon supervisor/n controller/n repository repositories facade/n loader/n resolver/n router/n operator/n lambda/n binary binaries thread/n bootloader driver/n entity entities dto/n viewmodel/n presenter/n",
		"reach":  "import/v depend/v call/v access/v talk/v know/v reach/v query/v read/v write/v reference/v touch/v use/v bypass/v share/v see/v connect/v contact/v include/v instantiate/v communicate/v change/v modify/v mutate/v",
		"travel": "go/v goes going pass/v flow/v route/v run/v travel/v made sent happen/v funnel/v proxied dispatched laufen läuft pasan pasa passent passe идут проходят ходят",
		"live":   "live/v reside/v belong/v sit/v stay/v stored kept located defined declared implemented placed registered held owned liegen liegt gehören gehört viven vive están está vivent se trouve trouvent лежат живут находятся хранится хранятся",
		"own":    "own/v owning owner/n owned",
		"style": "architecture architectural hexagonal layered layering microservice/n microfrontend/n monolith monolithic monorepo serverless cqrs sourcing sourced tenancy " +
			"stateless decoupled decouple/v adr idempotent eventual sharded sharding federation federated supervised supervision sandbox/v sandboxed isolated isolation modular pluggable " +
			"architektur architecture arquitectura архитектура schichten monolito monolithe микросервисы",
		"design": "design layout structure boundary boundaries contract/n protocol/n invariant/n topology topologies responsibility ownership separation abstraction/n facade façade mediator orchestrator/n orchestrate/v coordinator pipeline/n projection/n aggregate/n " +
			"saga/n outbox broker/n bus queue/n topic/n shard/n replica/n partition/n cell/n slot/n tier/n stack/n split separated separate separates central centrally centralised centralized global shared thin",
		"decide": "decided decide/v chose chosen moved adopted replaced migrated agreed picked settled dropped entschieden beschlossen décidé decidimos решили",

		"do": "call/v pass/v set/v add/v wrap/v return/v take/v expect/v parse/v read use compare guard check close convert decode encode divide register escape give filter expects takes returns treat mark sort put",

		// Taste and comfort.
		"taste":  "prefer/v preference/n preferably taste prettier nicer neater cleaner tidier friendlier readable readability cosmetic cosmetics stylistic aesthetic aesthetics pleasant nit/n nitpick/n trivia trivial harmless bevorzugt bevorzugen lieber schöner prefiere preferible preferimos préférer préférable предпочтительно лучше желательно",
		"slight": "bit little slightly somewhat marginally tiny kleiner etwas немного",
		"maybe":  "might maybe perhaps possibly ideally could vielleicht eventuell könnte quizás podría pourrait возможно можно",
		"handy":  "handy useful convenient convenience comfort shortcut/n tip/n fyi shorthand spare/v nice fun praktisch nützlich útil práctico atajo pratique utile raccourci astuce удобно полезно кстати tipp",
		"easier": "easier quicker faster shorter simpler quickest easiest nicest",
		"show":   "highlight/v colour/n color/n prompt shell terminal editor/n ide vim emacs screen mouse keyboard",
		"past":   "history historical historically origin original originally former formerly old older early anecdote joke story predate/v 2010 2012 2014 2015 2016 2017 2018 2019 2020 2021",
		"name":   "name/n named naming word/n wording spelling spelled spelt typo/n logo mascot codename/n nickname emoji/n mascot footer icon/n diagram/n slide/n screenshot/n badge/n theme tippfehler rechtschreibung",
		"nobody": "nobody noone niemand nadie personne никто",
		"format": "indentation alphabetical alphabetically quotes tabs blank capitalised capitalized",
	}, []rule{
		// critical
		{value: "critical", name: "breaks the delivery", weight: 3, patterns: `
		@delivery ... @fail
		@fail .. the|a|every|each|any|all|le|la|den|die .. @delivery
		@install .. fail/v|break/v|crash/v|refuse/v|hang/v
		@everything .. @fail
		red .. @delivery
		@delivery ... red|stuck|blocked|impossible
	`},
		{value: "critical", name: "blocks progress", weight: 3, anyhow: true, patterns: `
		@everything .. locked|blocked|stuck|logged|unusable|unreachable|impossible
		nothing|nobody|none|no .. start/v|build/v|compile/v|deploy/v|work/v|merge/v|release/n|ship/v|boot/v|connect/v|goes
		cannot|not|impossible|unable .. @step .. @or
		@or .. cannot|not|impossible|unable .. @step
		cannot|not be created|pushed|deployed|merged|released|built|started|installed|restored|recovered|undone|reverted|published|rolled
		not|never|longer compile/v|boot/v|start/v|build/v|deploy/v|link|install
		does|do|will|can not compile|boot|start|deploy|install|launch|pass
		takes|take|brings|bring|took|brought .. down
		gets|get|is|be killed|stuck|wedged|bricked|banned|revoked|suspended|locked
		locked|logged|locks|logs .. out
		blocker|showstopper|critical|blocking|danger|dangerous|catastrophic|fatal
		brick/v
		nobody|everybody|users|people|everyone|customers can .. @step
		cannot|nobody|not|impossible .. @step|restored|recovered|brought .. back|in|without|until|anymore
		is|are|becomes impossible
		cannot|unable|impossible .. boot/v|start/v|build/v|compile/v|deploy/v|install/v|merge/v|release/v|work/v|connect|mount|log|publish|push
		not able to .. @step
		kill/v|evict/v|block/v|stop/v|halt/v|brick/v .. worker/n|pod/n|all|every|everything|server|process|cluster|checkout|writes|users|whole|site|deploy/n|release/n|release|merge|production
		bring/v|brought .. halt|standstill|knees
		lock/v .. table|database|account/n
		do not upgrade|downgrade|deploy|merge|release|rebase|force
		come/v|comes out empty|broken|corrupt|corrupted
		kein|keine|ningún|ninguna|aucun|aucune .. geht|läuft|funktioniert|passe|funciona|marche|démarre|startet
	`},
		{value: "critical", name: "costs customers", weight: 3, patterns: `
		charge/v|bill/v|pay/v|book/v|ship/v|refund/v .. twice|double|wrong
		customer/n|user/n ... twice|double|wrong|lose/v
		wrong account/n|customer/n|recipient/n|amount/n|user
	`},
		{value: "critical", name: "destroys", weight: 3, patterns: `
		@lose|remove/v|reset/v .. production|prod|live|main|all|everything|everybody|whole
		@lose|remove/v|overwrite/v .. without .. asking|warning|confirmation|notice|backup
		manual .. @lose
		@lose ... every night|nightly
	`},
		{value: "critical", name: "crashes", weight: 3, patterns: `@crash; deadlock/v; livelock/v; outage/n; downtime; out of memory; stack overflow; overflow/v .. stack; infinite loop/n|recursion; race condition; brings .. down; run/v out of; ran out of`},
		{value: "critical", name: "fails otherwise", weight: 3, patterns: `
		@or ... @fail
		without|ohne|sin|sans|без ... @fail
		@fail ... unless|until|without
	`},
		{value: "critical", name: "does harm", weight: 3, patterns: `@harm ... @scope; @scope ... @harm; empties|empty|empties .. @scope; account/n flagged; unusable; unreachable; go/v|goes|went|took|take/v|taken|knock/v .. offline`},
		{value: "critical", name: "waits", weight: 2, patterns: `wait/v .. until; time/v out; timed out; take/v|took .. hours|days|weeks; for|after an|one|several hour|hours|day|days; until .. support|someone|somebody|it|admin`},
		{value: "critical", name: "fails", weight: 2, patterns: `@fail`},
		{value: "critical", name: "loses data", weight: 3, patterns: `
		@lose .. @data
		@data ... lost|gone|corrupted|overwritten|wiped|erased|destroyed|unreadable|unrecoverable|vanish/v|clobbered|discarded|truncated|verloren|perdus|perdues|perdidos|потеряны|теряются
		data|datenverlust loss; datenverlust
		@forever .. @lose
		@lose ... @forever
		@lose .. for good
		overwrite/v|clobber/v .. whatever|someone|each|other|others|everything|changes|edits
		lost update/n
		no recovery|backup|snapshot|undo|rollback
		cannot|not be undone|recovered|restored|reverted
	`},
		{value: "critical", name: "security", weight: 3, patterns: `
		@hole
		@expose .. @secret
		@expose ... @private
		@secret ... leak/v|exposed|plaintext|stolen|leaked|rotated|committed
		@secret .. in|as .. plain|clear|cleartext
		@private ... leak/v|exposed|unencrypted
		other|another .. customer/n|user/n|tenant/n|account/n
		privilege|privileges escalation
		unescaped|unsanitised|unsanitized|untrusted .. input|html|sql; input|html|sql ... unescaped|unsanitised|unsanitized|concatenated
		sanitise/v|sanitize/v|escape .. user|input|html|before
		@expose|show/v|contain/v|dump/v ... credential/n|password/n|secret/n
		@prohibit .. @expose ... @secret
		@prohibit .. @expose ... @private
		skip/v|bypass/v|missing|without|no|lack/v .. authentication|authorization|authorisation|verification|permission/n|ownership|signature|csrf .. check|token|missing|check/n
		check|validation|verification is missing|skipped|bypassed
		any|anyone|anybody|every .. user|anyone|anybody|caller|client .. can .. read|see|change|delete|access|forge
		lets|allows anyone|anybody|everyone|attacker/n|users
		hash .. password/n; password/n .. hash|hashed|bcrypt|argon2
	`},
		{value: "critical", name: "expires", weight: 3, patterns: `
		@credit ... @expire
		@expire .. @credit
		@credit .. runs|run out
	`},
		{value: "critical", name: "must never", weight: 3, anyhow: true, patterns: `
		must|may|should|shall never; never ever; under no circumstances|circumstance; auf keinen fall; bajo ningún concepto; en aucun cas; ни в коем случае
		@prohibit .. @tamper ... @precious
	`},
		{value: "critical", name: "runs into a limit", weight: 3, patterns: `
		@limit ... after|then|exceeded|reached|until|cannot|429|blocked
		@exhaust ... disk|memory|space|connections|quota|pool|handles|descriptors|inodes
		disk|memory|space|connections|quota|pool|handles|descriptors .. @exhaust
	`},
		{value: "critical", name: "migrations", weight: 3, patterns: `
		migration/n ... must|before|first|lock/v|irreversible|never|backup|order
		before|must ... migration/n|migrate/v
		migrate/v ... before|first .. deploy/v|start/v|release/v
	`},

		// high
		{value: "high", name: "everything goes one way", weight: 3, patterns: `
		@every ... @travel .. through|via|over|durch|über|por|par|через
		@travel .. through|via .. gateway|layer|bus|facade|proxy|queue|broker|adapter|mediator|service|dispatcher|router|the
		only|solely|exclusively .. through|via
		through|via ... only|exclusively
		@every .. must|should|has|have|to .. use|through|via
		across all|every|services|modules|teams|packages
		@every .. @part .. use/v|carry/v|carries|share/v|extend/v|implement/v|register/v|export/v|get/v|has|have|own/v
		@every .. write/v|read/v|call/v|request/n|access|query|queries|traffic|communication .. go/v|goes|served|made|pass/v|handled|evaluated
		@part|apps .. share/v .. one|same|the|a
	`},
		{value: "high", name: "everything has one place", weight: 3, patterns: `
		@every ... @live .. in|into|under|inside|at|to|on|with|by|unter|im|en|dans|sous|в|под
		@live .. in|into|under|inside .. one|single|central|core|only
		in|one one|single place|service|module|component|store
		one|single place|service|owner|store|writer|source
		everything|alles .. in|under|im
	`},
		{value: "high", name: "source of truth", weight: 3, patterns: `source of truth; single source; system of record; derived data; canonical source`},
		{value: "high", name: "boundary between parts", weight: 3, anyhow: true, patterns: `
		never|not|no|none|nobody|neither|cannot|only|nothing .. @part ... @reach
		@part ... never|not|cannot|only|no|none .. @reach
		@part ... only|solely .. through|via|see|talk|talks
		never|not|only|no .. @reach .. @part
		not allowed to depend|import|call|use
		no .. of its|their own
		do|does not build|implement|keep|hold .. own
		^ only the|a|an|one
		the|is only|single|sole way|path|place|component|part|one|writer|reader|owner|entry
		never|not .. directly
		not in handlers|controllers|components|services|views|packages|modules
		no .. its|their own
		not leak .. out; do|does not leak; no logic; on their own .. break
	`},
		{value: "high", name: "ownership", weight: 2, patterns: `
		@own .. own|its|their|schema|database|data|tables|state|subgraph|loader
		@part .. @own
		its|their own database|schema|store|state|repository|process|service|tables|db|folder|copy
		each|every|per .. tenant|workspace|customer|team|device|region|environment|service|module|feature|plugin|domain|context
	`},
		{value: "high", name: "style of architecture", weight: 3, patterns: `@style; bounded context/n; dependency injection|inversion|rule; event bus; message queue|bus|broker; breaking change/n; backward|backwards compatible|compatibility; public interface|contract; offline first; event driven; multi tenant; cross cutting; anti corruption; peer to peer; remote state; clean architecture; design depends; dependency direction; circular|cyclic dependency|dependencies|import|imports; extension point/n; module federation; read model/n|side; write model; composition root`},
		{value: "high", name: "design", weight: 2, patterns: `by design; business logic|rules|rule; public api; append only; write|read through; point/v inwards|inward; at the edge; is|are owned by; layer/n; define/v .. contract; generated from|by; on its|their own; lives in|on; composed of|from`},
		{value: "high", name: "design", weight: 1, patterns: `@design`},
		{value: "high", name: "parts of the system", weight: 1, patterns: `@part|@agent|@store`},
		{value: "high", name: "parts of the system together", weight: 2, patterns: `@part|@agent|@store ... @part|@agent|@store`},
		{value: "high", name: "only here", weight: 2, anyhow: true, patterns: `
		only|never|none|neither|nothing|no|one|single|sole|everything|every|all|each|nur|nie|alle|solo|nunca|seul|jamais|только|никогда ... @part|@agent|@store
		not in|from|by the|a
		hidden behind; lifted into; handed to; wrapped by|in|behind; enforced in|by|at; one|a single direction; forbidden; everywhere; derive/v from; same image|binary|process|repository|module|bundle; never .. @reach|push/v|pass/v|poll/v; is the base|foundation|backbone|heart|core of
	`},
		{value: "high", name: "decision of the team", weight: 2, patterns: `we|was|were|been .. @decide; instead of .. central|shared; adr; @decide .. to .. from|drop|split`},
		{value: "high", name: "split into parts", weight: 2, patterns: `split|divided|separated|decoupled|composed|layered|grouped|partitioned .. into|by|from|as; handled at|in|by; between .. frontend|backend|services|modules|cells; generated from`},
		{value: "high", name: "explicit configuration", weight: 3, patterns: `require/v|need/v explicit config|configuration|registration|wiring`},

		// low
		{value: "low", name: "preference", weight: 2, patterns: `
		@taste; matter of; when|where|if|wherever|whenever possible; wenn möglich; cuando sea posible; si possible; по возможности
		if you like|want|prefer; feel free; up to you; out of habit; look/v nicer|better|cleaner|neater; read/v nicer|better|more; consider/v; try to; in favour|favor of; as .. alternative; nice touch|to
	`},
		{value: "low", name: "nobody minds", weight: 2, anyhow: true, patterns: `
		@nobody .. mind/v|minds|care/v|cares|enforce/v|enforces|runs|uses|read/v|reads|notice/v|notices
		all the same; nobody .. bothered|bothers; both work|works|forms|are .. fine; either way|works|is; not care|matter|matters; no need; no meaning|effect|difference|impact; identical; work/v the same; same thing; not enforced; no big; left to; leftover; everyone liking|taste; does the trick; might like; helps when; just .. fyi; only .. cosmetic; not important|urgent; makes no difference; not .. worth; does not hurt
	`},
		{value: "low", name: "nice to know", weight: 2, patterns: `used to be .. called|named; called .. for|after; would be nice|good|nicer; question of; someday; some day; interest for; feel like; i|we find|like|liked|tend; is|are fine; cheat sheet; wiki; personally; is|are .. a habit; habit of; both|all styles|forms|variants|spellings; quick|short overview|look|glance; there is|are .. tool|script|extension|plugin|workflow|page|picture|list .. for; one|people can|may drop|omit|skip|leave; screenshot/n; typo/n; credits; nickname|nicknamed`},
		{value: "low", name: "hedge", weight: 1, patterns: `@maybe; @slight; just; likes; sometimes; usually; optionally; rather`},
		{value: "low", name: "optional", weight: 2, patterns: `^ optional; is|are|purely|entirely optional; ^ fyi; fun fact/n; by the way; alias for|in; shell|a .. alias; for reference|fun|convenience|completeness; tip; nice to have; un peu; peut être; good to know; save/v .. few; übrigens; por cierto; au fait; кстати; you can|may; can .. use .. too|also|instead`},
		{value: "low", name: "comfort", weight: 2, patterns: `@handy; @easier to; easier|quicker|shorter|nicer|friendlier|faster .. output|overview|than|read|scan|review; makes|gives .. shorter|nicer|smaller|easier|prettier|neater`},
		{value: "low", name: "shows something", weight: 1, patterns: `@show; @easier`},
		{value: "low", name: "names and history", weight: 1, patterns: `@past; @name; @format`},
		{value: "low", name: "names and history", weight: 2, patterns: `@name .. come/v|from|after|for .. @past|the|a|an|joke; named after; for historical reasons; still show/v|say/v|mention/v; kept for .. reference; predate/v`},

		// medium: names the rule only
		{value: "medium", name: "requires", weight: 2, patterns: `require/v|need/v|must; has|have to; should only`},
		{value: "medium", name: "detail of the code", weight: 1, patterns: `^ @do; @do $code; $code .. @do`},
		{value: "medium", name: "has a fix", weight: 1, patterns: `fix/v; workaround; instead; cleanup; clean up; otherwise; else; so`},
		{value: "medium", name: "behaves so", weight: 1, patterns: `default/v; by default; ignore/v; return/v; throw/v; wrap/v; pass`},
	})
})
