package classify

import "sync"

// The rules of Impact. Several kinds of evidence speak for a level: the verbs of a consequence and what they hit
// (critical), words of scope, boundary and ownership (high), of taste, comfort and trivia (low), of a local rule or fix
// (medium). What each is worth is in the weights.
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

		// What does harm anywhere, what does so where much hangs on it, and where much hangs on it.
		"harm": "unusable unreachable unavailable inaccessible unresponsive suspend/v suspended ban/v banned stuck dead broken broke lost lose/v losing gone destroy/v wipe/v wiped " +
			"crash/v outage/n downtime hang/v hung stall/v starve/v exhausted corrupt/v corrupted unreadable leak/v leaked stolen killed die/v dies revoked locked brick/v bricked " +
			"overload/v overloaded evict/v evicted flood/v overwhelm/v unrecoverable irreversible freeze/v froze impossible erase/v kaputt gesperrt verloren weg bloqueado perdu bloqué недоступен недоступна",
		"trouble": "disappear/v vanish/v block/v blocked blank break/v fail/v failure/n down kill/v refuse/v refused reject/v rejected revoke/v throttle/v throttled lock/v duplicated twice rollback halt/v stop/v delete/v deleted stale wrong replace/v overwrite/v overwritten lose/v dark offline",
		"scope": "production prod live site website deploy/n deployment/n deployments release/n releases pipeline/n pipelines ci customer/n customers user/n users account/n device/n board/n cluster database history whole entire all everything everybody everyone nobody nothing " +
			"payment/n payments checkout login logins signup runner/n registry backup/n backups server/n network store/n volume/n pod/n machine/n traffic credential/n data app daemon stack radio website domain produktion kunden daten producción clientes",
		"widely": "production prod live site website deploys deployment/n deployments release/n releases pipelines customers users whole entire everything everybody everyone nobody nothing payments checkout login logins signup backups history domain mail delivery shop store orders all produktion kunden producción clientes",

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
			"stateless decoupled decouple/v adr idempotent eventual sharded sharding federation federated supervised supervision isolated isolation pluggable " +
			"architektur architecture arquitectura архитектура schichten monolito monolithe микросервисы",
		"design": "design layout structure boundary boundaries contract/n protocol/n invariant/n topology topologies responsibility ownership separation abstraction/n facade façade mediator orchestrator/n orchestrate/v coordinator pipeline/n projection/n aggregate/n " +
			"saga/n outbox broker/n bus queue/n topic/n shard/n replica/n partition/n cell/n slot/n tier/n stack/n split sandbox/v sandboxed separated separate separates central centrally centralised centralized global shared thin",
		"decide": "decided decide/v chose chosen moved adopted replaced migrated agreed picked settled dropped entschieden beschlossen décidé decidimos решили",

		"thing": "variable/n function/n method/n class/n classes type/n file/n component/n hook/n test/n tests table/n column/n branch/n package/n module/n modules prop/n enum/n folder/n resource/n resources event/n topic/n key/n field/n endpoint/n struct/n trait/n parameter/n flag/n flags import/n error/n exception/n constant/n constants model/n job/n label/n metric/n migration/n register/n object/n objects service/n header/n interface/n spec/n specs fixture/n snapshot/n script/n alias",
		"fix":   "use take pass set check extend wrap add chunk fetch skip exclude import return close await call override specify clone cast convert catch rescue reload retry connect raise kill compare annotate convert copy send reset patch lock make keep prefer move hop iterate put read give register unset",
		"do":    "call/v pass/v set/v add/v wrap/v return/v take/v expect/v parse/v read use compare guard check close convert decode encode divide register escape give filter expects takes returns treat mark sort put",

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
		not|never|longer compile/v|boot/v|start/v|deploy/v
		nothing|nobody|none|no|nowhere .. can .. @step|released|merged|deployed|pushed|built|started|installed|log|pay|order
		until .. is|are|gets|was granted|renewed|removed|updated|rotated|added|reinstalled|restarted|raised|repaired
		does not .. go out; no .. gets in|through|out; stops .. accepting|answering|serving|responding|working|syncing
		cannot|not .. be .. loaded|opened|decrypted|read .. any|anymore|again; no way back
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
		{value: "critical", name: "stops the work", weight: 3, anyhow: true, patterns: `
		stop/v|cease/v .. working|accepting|responding|serving|answering|processing|starting|booting|building; refuse/v|fail/v|unable|decline/v|failing to .. start|boot|build|compile|install|deploy|launch|connect|come|run|mount|load|unlock; does|do|did|will not .. start|boot|build|compile|launch|deploy|install .. until|unless|without|if|on|with|when|any
		fail/v|fails|break/v|broken|red|blocked|stuck|down|offline for all|everyone|everybody|us|users|customers|the|hours|days; cannot|can not|unable .. log|sign in|on; login|logins|checkout|payments|signup .. fail/v|refused|impossible|stop/v|broken|down; is|are|be|becomes unusable|unreachable|bricked|blocked|stuck|locked
		required|needed|necessary|mandatory .. to|before .. start|build|compile|deploy|install|merge|run|boot|release; required for merging; build/n|builds|compilation|archive stops|stop|fails|breaks|aborts|dies; before .. or .. @fail; must ... otherwise|else; must ... or anyone|anybody|everyone|everybody|nobody|nothing|the|it|all|every; has|have to ... otherwise|else; only way .. recover|restore|back
		every|all .. page|pages|request|requests|screen .. blank|fail/v|fails|404|500|401|403|rejected|refused; page/v .. on call; takes|took|brings .. site|app|cluster|node|server|service|host|daemon|everything .. down|offline|out
	`},
		{value: "critical", name: "everything is refused", weight: 3, patterns: `
		every|each|all|everything|any|later|whole ... fails|rejected|refused|denied|blocked|dies|429|401|403|500|502|503; then|after|afterwards|until .. everything|every|all|each .. returns|gets|fails|answers; goes|gets|go|get .. out|through|in until|unless|without|before; gives up after; nobody else can; until then; fails until; stuck in|at|until; reject/v|refuse/v .. binary|push|upload|submission|release|build|image|commit|deploy|package|app|archive|tag|login|logins|payments|connections|traffic; without notice|warning .. every|all|nightly|daily
	`},
		{value: "critical", name: "no way back", weight: 3, anyhow: true, patterns: `
		cannot|not|never .. be undone|reverted|rolled|restored|recovered|reissued|merged|decrypted|repaired|regenerated; one way door|migration|street; point of no return; no way to undo|recover|revert|restore|back; is|are gone; irreversible|irreversibly|irreparable|irreparably; no undo|rollback
	`},
		{value: "critical", name: "against the law or the machine", weight: 3, patterns: `
		data breach; gdpr|hipaa|pci|dsgvo .. violation|fine|breach; licence|license violation; violates|violate|breaks the law|gdpr|licence|license|contract; overheat/v; catch/v fire; burn/v .. out|board|motor|chip|driver; damage/v .. hardware|board|device|motor|battery|flash; injure/v|injury|hazard|hazardous
		blacklisted|blocklisted|blackholed; account/n|ip|address|domain|key .. suspended|banned|blocked|flagged|disabled|terminated
		must not|never contain|include|expose|leave|reach .. customer|customers|personal|private|passwords|secrets|credentials|names|data
	`},
		{value: "critical", name: "stuck for good", weight: 3, patterns: `
		never finishes|completes|returns|starts|terminates|recovers|comes|boots|reaches|ends .. and|so|because|until|again|unless; crash loop/n|looping; restart/v .. loop|forever|endlessly|constantly; retry/v|retries forever|endlessly; boot loop; split brain; no .. new device|user|customer|order|connection|request|account|pod|job|row|release .. can|is|are|gets|starts; nothing .. works|runs|starts|builds|boots|connects|compiles|deploys|responds; runs|run|ran|running out of .. disk|memory|ids|space|connections|handles|inodes|file|sockets|ports|stack|heap; time/v out for all|every|everyone|customers|users; whole|entire|complete .. suite|pipeline|team|site|cluster|fleet|build .. blocked|fails|stops|down|stuck|red|offline
		logged out|off everywhere|again|at; sign/v|log/v|kick/v .. out; out of service; lock/v .. out
	`},
		{value: "critical", name: "damage all over", weight: 3, patterns: `
		hang/v|crash/v|kill/v|stop/v|stall/v|block/v|break/v|destroy/v|corrupt/v|wipe/v|delete/v|empty/v|hold .. every|all|each|whole|entire|everything|everybody|home|root
		every|all|whole|entire .. hang/v|crash/v|die/v|stop/v|stall/v|blank|destroyed|corrupted|wiped|deleted|lost
		anyone|anybody|everyone|attacker/n .. can|could|may .. mark|pay|read|see|change|delete|access|forge|log|use|call|fake|download
		parallel|concurrent|simultaneous|two|second .. run/n|apply|applies|deploy/n|writer/n|worker/n|instance/n|replicas .. destroy/v|corrupt/v|overwrite/v|lose/v|clobber/v|charge/v|duplicate/v; has no lock|locking; no leader election; must not run .. same|at|in; pay/v out; real charges|money|emails|payments; beyond repair; unable to boot|start|log; orders|payments|messages|data|writes|records were|are|is|get lost|dropped|gone; stays|remains|goes offline|closed|down|dark
	`},
		{value: "critical", name: "costs customers", weight: 3, patterns: `
		charge/v|bill/v|pay/v|book/v|ship/v|refund/v|charged|paid .. twice|double|wrong|again
		all .. numbers|results|figures|amounts|invoices .. wrong|off
		customer/n|user/n ... twice|double|wrong|lose/v
		wrong account/n|customer/n|recipient/n|amount/n|user
	`},
		{value: "critical", name: "destroys", weight: 3, patterns: `
		@lose|remove/v|reset/v .. production|prod|live|main|all|everything|everybody|whole
		@lose|remove/v|overwrite/v .. without .. asking|warning|confirmation|notice|backup
		manual .. @lose
		@lose ... every night|nightly
	`},
		{value: "critical", name: "crashes", weight: 3, patterns: `@crash; corrupt/v; hang/v .. forever|until|whole|all|every|everything; freeze/v|froze|hang/v|hung|block/v .. for good|ever|forever; segfault/v .. on|at|when; overflow/v .. buffer|stack|heap; grow/v .. until|without; watchdog; use after free; double free; deadlock/v; livelock/v; outage/n; downtime; out of memory; stack overflow; overflow/v .. stack; infinite loop/n|recursion; race condition; brings .. down; run/v out of; ran out of`},
		{value: "critical", name: "fails otherwise", weight: 3, patterns: `
		@or ... @fail
		without|ohne|sin|sans|без ... @fail
		@fail ... unless|until|without
	`},
		{value: "critical", name: "does harm", weight: 3, patterns: `@harm ... @scope; @scope ... @harm; @trouble ... @widely; @widely ... @trouble; empties .. @scope; account/n flagged; unusable; unreachable; go/v|goes|went|took|take/v|taken|knock/v .. offline`},
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
		lost update/n; overwrite/v .. one|each another|other; half|partially written|applied|migrated; truncate/v it|them|all
		table|tables without asking; results leak; data .. inconsistent
		no recovery|backup|snapshot|undo|rollback
		cannot|not be undone|recovered|restored|reverted
	`},
		{value: "critical", name: "security", weight: 3, patterns: `
		@hole
		code execution; timing attack/n; exposed|reachable|open|visible|public .. internet|outside|everyone|anyone|world
		no|without|lacks|missing authentication|authorization|authorisation|auth|encryption
		open to .. attack/n|attacks; zero day; known vulnerability; permission/n check
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
		{value: "high", name: "what flows between parts", weight: 2, patterns: `
		@part|@agent|@store|apps|mobile|web|frontends|backends .. share/v|exchange/v|consume/v|communicate/v|integrate/v|subscribe/v|publish/v|emit/v|coordinate/v|exchange
		computed|served|derived|projected|rebuilt|replicated|synchronised|synchronized|fetched|fed from|by; attached to; composed at|by|of; wrapped in|by; inside the token|envelope|message|event; trust/v .. their|its|arguments|input|each|callers; at the edge; must accept unknown; direct|cross .. links|imports|calls|access|queries|joins; same|shared .. library|schema|code|types|contract|transformation; handles ... handles|loops|they; platform independent; through|behind|via an|its|the interface/n; hide/v everything|the|their; facade/n; each .. own/v|deploys; indexing|processing|writes .. asynchronous|asynchronously; eventually consistent; catch/v up; either service; no .. gets|is|are introduced|added|allowed; we settled|standardised|standardized|agreed on; never cross/v; cross/v .. surface|border|boundary; do not implement them|their|its
	`},
		{value: "high", name: "words of architects", weight: 3, patterns: `
		control|data plane; strangler; hexagonal; ports and adapters; api|schema|contract|design|event first; twelve factor; exactly|least once delivery|semantics; leader election; write|read path|side|model; plugin|extension system|architecture|model; event driven|sourced; backward|backwards|forward compatible; shared nothing; authoritative; canonical; master data; golden path; double entry; one way data; unidirectional; trust|trusted boundary|zone; blast radius; bulkhead/n; back pressure; backpressure; fan out; service mesh; multi region|tenant|cluster|platform; single tenant; local first; core domain; shared kernel; published language; context map; composition root; request path; threading model; ownership model; module graph; dependency rule
		only .. process|service|component|module|thread|place|one .. that|which|touching|allowed|writing|may|can|with; sole process|writer|reader|owner|source|service|component|place; every product|team|service|app|squad .. follows|uses|owns|has; must not|never bring|introduce|build|write|keep .. own; on their|its own; neither .. nor; for every|all .. api|service|app|team|company|product|module; other contexts|modules|services|teams|components|layers; speaks .. internally; in a single place; exists|exist .. only; rely/v|relies on it; never stored
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
		{value: "high", name: "for the whole system", weight: 3, patterns: `
		for|in|across|by|of all|every|each .. services|modules|teams|packages|apps|applications|crates|projects|repositories|clients|platforms|tenants
		every|all|each service/n|module/n|crate/n|team/n|package/n|app/n|repository|repositories|project/n|tenant/n|environment/n
		whole platform|system|company|organisation|organization|product|stack|app|codebase; platform wide; system wide; company wide; across web|mobile|clients|platforms|teams|languages|repositories|regions
		all .. user facing; lower|upper|inner|outer|higher layer/n; one direction; other way round; depends on ... nothing|never|not
		memory|error|threading|concurrency|security|consistency|caching|tenancy|data|permission|trust|deployment|execution model|strategy|architecture
		may|must|can|is|are only .. through|via|by|from; only through|via|from; nobody .. by hand; happen/v only .. through|via; only .. may|can write|read|talk|access|change|update|call|own; through|via|from|by ... alone; only source
		must|may|can|will not|never .. bypass|spawn|push|share; at the .. only|boundary; stays|stay|remain stateless; rebuilt|derived from; is immutable
		terminate/v; every|all|each .. other; on both|the two sides; shared by all|every; build/v on .. all|every|the
		owned by .. platform|team|coordinators|service; belong/v in|to .. tier|layer|service|module|team|store; not allowed
	`},
		{value: "high", name: "parts of the system", weight: 1, patterns: `@part|@agent|@store`},
		{value: "high", name: "parts of the system together", weight: 1, patterns: `@part|@agent|@store ... @part|@agent|@store`},
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
		{value: "low", name: "softly said", weight: 1, patterns: `you; mostly; often; mainly; can be; could be; some; somebody; someone; anyway; though; apparently; i; seems|seem; kind|sort of; more or less; now and then; at some point; one day; in case; used to; known as; as well; once upon; a lot; plenty; reads|looks|feels|sounds; enjoy/v; smaller|shorter|longer than|and`},
		{value: "low", name: "help at the command line", weight: 2, patterns: `
		output .. shorter|easier|prettier|nicer|coloured|colored|readable|clearer|compact; shorter|easier|prettier|nicer|coloured|colored|readable|clearer|compact .. output|log|logs|diff|listing; keep/v .. colors|colours; a|an|the|k|as alias; served|opened|viewed|browsed|previewed locally; print/v|list/v .. list|tip|help|targets|commands|options|tasks|aliases; browse/v; piped|pipe/v through|to|into|it; bash|zsh|fish completion/n|alias|function; shell completion/n|alias|function|history; save/v .. few|some|a|you restarts|seconds|minutes|time|typing|clicks|keystrokes|steps; split|side by side; in a browser|tab|split|popup; opens .. in|browser|editor; fuzzy search|finder; quick open; go to definition; multi cursor; jump to; zoom/v; dark|light mode|theme; font/n; tooltip text
		docs|page|readme|slides|video|diagram|wiki|presentation|guide .. still|old|outdated|mention/v|mentions; older|old docs|slides|wiki|readme|pages; for reference; same thing|meaning|concept; synonym/n; mean|means the same; could mention|also
	`},
		{value: "low", name: "pleasant to have", weight: 2, anyhow: true, patterns: `
		pleasant|comfortable|comfy|cosy|delightful|charming|cute|funny|amusing; more comfortable|convenient|pleasant; not needed|necessary|vital|essential; some devs|developers|colleagues|people|folks use|like|prefer; shave/v .. bytes|ms|off; by accident|coincidence|chance; for fun|laughs|nostalgia; old|former .. names|name|nickname|title; celebrates|celebration; whiteboard; meeting room; is not built|used|compiled|shipped|maintained .. anymore|anyway; experiment/n from; known and; not bother; community fork; good|nice|great for|when|to debugging|demos|exploring|browsing; easter egg/n; at a glance; eye candy; aesthetically; slips through; see how; all the time; on the side; favicon; by eye; if you care|fancy|feel|wish; your call|choice; cosmetic; as you like|wish
	`},
		{value: "low", name: "trivia", weight: 2, patterns: `corridor; kitchen; birthday; cat/n; dog/n; hobby; sentimental; lunch; cake; desk; harmless; noise|expected .. noise; discouraged but; quick way; pretty; legible|legibly; tidies|tidy/v; codename; bored; good to remember|know; stands for; one off; leave it`},
		{value: "low", name: "comfort of tools", weight: 2, patterns: `
		^ .. ctrl|cmd|alt; press/v; key/n binding/n; keybinding/n; keyboard shortcut/n; vs code|vscode; in vim|emacs|xcode|intellij|goland|pycharm|tmux|neovim; browser|editor|shell|vscode|ide extension/n|plugin/n|theme/n; tab completion/n; auto completion; autocomplete/v; pretty print/v; syntax highlighting; dotfiles; devtools; watch mode; cheatsheet/n; one liner/n
		jump/v|jumps to; show/v|shows|prints|gives .. list|overview|tree|graph|diagram|summary|colours|colors; bookmark/v
	`},
		{value: "low", name: "worth a look", weight: 2, patterns: `
		worth .. look|read|reading|knowing|watching|trying|bookmarking|a; good|nice|useful|decent|great|short|helpful .. read|introduction|explanation|overview|summary|talk|article|post|example|reference|trick|feature|diagram|addition|way; blog post/n; article; podcast; video; glossary; see also; described|explained|documented nicely|well|in|at; fun to; interesting; trivia; for the curious; in case you|anyone; did not know; til; for what it; background|further reading; rule of thumb
	`},
		{value: "low", name: "does not matter", weight: 2, anyhow: true, patterns: `
		interchangeable|equivalent|equally; not required|mandatory|necessary|strict|critical|important|urgent; no strong|real|particular|practical; does|do not matter|hurt|change; whichever|whatever .. you|like|prefer|feels; free to; no consequence/n|harm; purely|mostly|only|just|largely cosmetic|aesthetic|visual|historical|style|habit|taste|convenience; minor; small .. annoyance|thing|detail|nit|wart|improvement|convenience; personal|personally; some .. us|people|devs|developers; i|we|people like|prefer|tend|find|enjoy|love; not .. anyone; unused; dead code; leftover|remnant|relic; odd|funny|weird|silly|strange name|naming|spelling; pun; not .. anyone|anybody .. notice; a little|bit|tad|touch; slightly; saves typing|keystrokes|scrolling|clicks|some|a|few; less typing|noise|clutter|verbose; cosmetic; at your|own discretion|leisure|taste
	`},
		{value: "low", name: "no hurry", weight: 2, anyhow: true, patterns: `no reason|rush|hurry|pressure|need to; can|may be ignored; harmless; can|may safely; safe to ignore; not a problem|bug|issue; totally|completely|purely|entirely optional|cosmetic|up; pinch of; take .. with .. salt; out of date; could be shorter|nicer|better|clearer|renamed; is|are|was okay|ok|fine|fun; either way; if .. curious|interested|bored; might be useful|helpful|worth|interesting; helpful|interesting for|if|when|to; first look; want to .. click|play|look|see; nice|good idea|read|trick|feature`},
		{value: "low", name: "trivia", weight: 2, patterns: `marketing; intranet; wiki; release|office|summer|christmas party; kitchen; lunch; coffee; intern; mascot; office; accountant; curious; on call; drawn by; anniversary; poster; sticker/n; wi fi; slack channel; training is; channel; also known as; same product|thing|person; goes back to; internal joke; old slides`},
		{value: "low", name: "names and history", weight: 2, patterns: `@name .. come/v|from|after|for .. @past|the|a|an|joke; named after; for historical reasons; still show/v|say/v|mention/v; kept for .. reference; predate/v`},

		// medium: names the rule only
		{value: "medium", name: "requires", weight: 2, patterns: `require/v|need/v|must; has|have to; should only`},
		{value: "medium", name: "detail of the code", weight: 1, patterns: `^ @do; @do $code; $code .. @do`},
		{value: "medium", name: "has a fix", weight: 1, patterns: `fix/v; workaround; instead; cleanup; clean up; otherwise; else; so`},
		{value: "medium", name: "rule for names or files", weight: 2, patterns: `
		@thing .. is|are|be called|named|prefixed|suffixed|written|declared|spelled|tagged; @thing .. name/n .. is|are|follow|have|match|use; @thing .. start/v|end/v|begin/v|starts|ends|begins|match/v with; have the form
		upper|lower|camel|pascal|snake|kebab|screaming case; camelcase|pascalcase|snake_case|upper_snake_case|uppercase|lowercase; without a .. prefix|suffix; in alphabetical|this order; another|other|wrong name/n; old one; renamed
		never .. by hand; order matters; only as|for|in|with; except for|in
	`},
		{value: "medium", name: "failure with its fix", weight: 3, patterns: `
		$failure ... @fix; ^ $said ... @fix; ^ .. out of memory ... @fix; means that; comes from; came from
	`},
		{value: "medium", name: "an instruction", weight: 1, patterns: `
		^ use|call|pass|set|add|wrap|mock|stub|bump|avoid|put|prefix|write|read|run|hoist|upgrade|import|export|register|annotate|reset|close|check|return|take|give|convert|cast|escape|quote|sort|declare|define|name|mark|enable|disable|install|pin|update|upgrading|moving|calling|create|build|store|load|fetch|send|validate|test|compare|group|split|log|catch|handle|rename|replace|remove|delete|clear|copy|clone|extend|implement|include|configure|specify|provide|increase|limit|batch|cache|chunk|await|render|mount|bind|subscribe|debounce
	`},
		{value: "medium", name: "use of a library", weight: 1, patterns: `
		^ react|vue|angular|svelte|next|nuxt|express|django|flask|fastapi|rails|spring|hibernate|jpa|tokio|axum|serde|gorm|pgx|sqlalchemy|prisma|laravel|symfony|lodash|axios|jackson|lombok|vite|webpack|rollup|eslint|prettier|tailwind|pandas|numpy|pytest|jest|vitest|cypress|playwright|junit|mockito|rspec|phpunit|kotlin|swift|flutter|dart|compose|swiftui|room|retrofit|cuda|pytorch|tensorflow|spark|airflow|dbt|redis|postgres|mysql|sqlite|mongo|mongodb|kafka|rabbitmq|elasticsearch|nginx|docker|helm|gradle|maven|npm|pnpm|yarn|cargo|poetry|pip|composer|bundler|go|rust|python|java|typescript|php|ruby|zod|pydantic|storybook|graphql|grpc|jackson|insta|sidekiq|celery|boto3|opencv|qt|boost|cmake
	`},
		{value: "medium", name: "behaves so", weight: 1, patterns: `default/v; by default; ignore/v; return/v; throw/v; wrap/v; pass`},
	})
})
