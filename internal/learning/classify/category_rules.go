package classify

import "sync"

// The rules of Category. A word that names the subject weighs 3, one that is usual for it 2, one that others use as well 1.
var categoryRules = sync.OnceValue(func() *rulebook {
	return newRulebook(map[string]string{
		"test": "`test/n testing tested tester unittest/n spec/n suite/n e2e snapshot/n golden fixture/n mock/v mocks stub/v stubs screenshot/n `__screenshots__ `__snapshots__ `__mocks__ factory factories regression/n testbed assertion/n assert/v asserts expectation/n matcher/n coverage flaky flake/n " +
			"testdata testcontainers teststand harness prüfstand testfall testfälle prueba pruebas essai essais тест тесты тестов тестах тестами",
		"testtool": "`vitest `jest `mocha `jasmine `pytest `unittest `junit `testng `cypress `playwright `selenium `rspec `minitest `phpunit `gtest `googletest `catch2 `doctest `nunit `xunit `testify `gomock `mockito `mockk `wiremock `sinon " +
			"`storybook `pact `hypothesis `quickcheck `proptest `hamcrest `assertj `assertthat `espresso `xctest `robolectric `karma `ava `supertest `msw `faker `locust `gatling `k6 `testcontainers `assertequals `describe `beforeeach `aftereach `conftest.py `nextest",

		"failure": "error/n exception uncaught fails failed failing failure/n crash/v panic/v bug/n stacktrace/n traceback/n segfault/n segfaults hang/v hung deadlock/v broken breaks broke abort/v dies died stuck refused denied mismatch/v corrupt undefined unresolved unexpected " +
			"warning/n overflow/v hardfault oom crashloopbackoff fehler fehlermeldung absturz fallo fallos error/n errores erreur/n échec échoue plante ошибка ошибки ошибку ошибкой падает",
		"cure":  "fix/v fixed workaround/n remedy remedied solve/v solution helps helped cured mend/v resolve/v resolved solved behebt lösung solución arregla corrige corrigé solution исправить решение помогает",
		"cause": "cause/v caused because means due culprit reason turned came missing wrong forgot forgotten typo stale leftover mistake",

		"api": "api/n endpoint/n webhook/n rest graphql grpc soap rpc openapi swagger odata websocket/n mqtt payload/n http https cors oauth oauth2 oidc saml jwt/n bearer hmac querystring header/n request/n response/n body bodies " +
			"pagination paginated cursor/n statuscode idempotency idempotent token/n authentication authorization authenticated unauthorized authenticate/v status json xml csv ndjson cbor protobuf schnittstelle schnittstellen endpunkt anfrage antwort " +
			"petición respuesta requête réponse запрос запросы ответ ответе эндпоинт конечная",
		"verb": "`get `post `put `patch `delete `head `options",

		"lib": "library libraries lib/n dependency dependencies package/n crate/n gem/n jar/n npm `npm `yarn `pnpm `pip `cargo `maven `gradle `bundler `composer `nuget `cocoapods `spm `poetry `uv `conda `bun `deno sdk/n framework/n toolchain plugin/n addon/n " +
			"transitive lockfile/n vendored vendor/v upstream downgrade/v upgrade/v upgraded bump/v pin/v pinned semver peer deprecated eol version/n release/n major minor fork/n forked polyfill/n shim/n runtime " +
			"bibliothek bibliotheken abhängigkeit abhängigkeiten versión dependencia dependencias biblioteca bibliotecas librería dépendance dépendances bibliothèque bibliothèques версия версии версию библиотека библиотеки библиотеку зависимость зависимости",
		"tool": "`react `vue `angular `svelte `next `nuxt `express `fastify `nestjs `django `flask `fastapi `rails `spring `springboot `hibernate `tokio `axum `actix `serde `gin `gorm `pgx `sqlx `sqlalchemy `prisma `drizzle `typeorm `knex `ecto `phoenix `laravel `symfony `lodash `moment " +
			"`dayjs `luxon `axios `undici `okhttp `retrofit `jackson `gson `guava `lombok `log4j `slf4j `logback `zap `zerolog `slog `winston `pino `zod `yup `ajv `joi `redux `zustand `mobx `jotai `webpack `vite `rollup `esbuild `parcel `babel `swc `tailwind `bootstrap `numpy `pandas `scipy " +
			"`pytorch `tensorflow `spark `arrow `kotlin `ktor `dagger `hilt `rxjava `alamofire `swiftui `flutter `electron `tauri `qt `boost `openssl `zlib `sqlite `ffmpeg `libcurl `curl `node `nodejs `deno `bun `jdk `typescript `golang `python `ruby `php `rust `java `scala `elixir `erlang `haskell " +
			"`zephyr `freertos `terraform `helm `docker `kubernetes `postgres `postgresql `mysql `redis `kafka `elasticsearch `mongodb `eslint `prettier `rehype `remark `unified `storybook `gradle `maven `cobra `viper `undertow `tomcat `netty",

		"speed": "slow slower slowest slowly fast faster fastest quick quicker speed latency throughput performance performant profile/v profiler profiling flamegraph benchmark/n hotspot hot bottleneck/n cpu gpu memory heap ram allocation/n allocate/v allocates gc cache/v caching memoise/v memoize/v preload/v lazy eager " +
			"prefetch/v batch/v bulk vectorised vectorized parallel concurrency pool pooling index/v indexes roundtrip scan/v costs expensive cheap cheaper halve/v halved saved saves reduce/v reduced dropped grew grows speedup ms rps qps p50 p95 p99 mb gb millisecond/n microsecond/n " +
			"langsam langsamer schnell schneller lento lenta lentos rápido rápida lent lente rapide медленно медленный быстрее быстро память памяти производительность leistung rendimiento mémoire memoria speicher",

		"place": "live/v reside/v located sit/v kept stored defined declared implemented placed registered found lies liegen liegt viven vive están está trouve trouvent лежат находятся лежит находится",
		"part": "architecture module/n layer/n component/n service/n microservice/n monolith monorepo backend frontend domain bounded context facade gateway bff plugin/n adapter/n port/n repository repositories controller/n handler/n store/n bus queue/n broker event/n worker/n scheduler process processes binary binaries crate/n package/n " +
			"workspace/n host/n editor folder/n directory directories subfolder/n structure layout entry state boundary boundaries injection singleton layered layering cqrs outbox projection/n saga/n aggregate/n hexagonal middleware interceptor/n submodule/n class/n interface/n pipeline relay router/n loader/n proxy server/n client/n " +
			"architektur schicht schichten modul module ordner verzeichnis arquitectura módulo módulos carpeta capa capas dossier répertoire couche couches архитектура модуль модули модуля каталоге папке слой слои",
		"relation": "own/v owned depend/v import/v exports export/v exported use/v call/v calls talk/v talks know/v see reach/v compose/v composed split extends wrap/v wrapped inject/v injected dispatch/v dispatched discover/v discovered built consist/v consists separate separated shared generated",

		"style": "name/n named naming prefix/v suffix/v camelcase pascalcase uppercase lowercase snake kebab casing capitalised capitalized case indentation indent/v indented tab/n spaces whitespace semicolon/n comma/n quote/n format/v formatted formatter/n formatting lint/v linter/n style/n convention/n " +
			"comment/n docstring/n docs doc abbreviate/v abbreviation/n singular plural spelling spell/v wording grammar alphabetical alphabetically sorted sort/v line/n length header/n blank empty present tense verb/n identifier/n identifiers constant/n constants enum/n acronym/n " +
			"commit message/n subject branch/n title imports import/n grouped group/v order early return/n hints readable readability idiomatic guideline/n " +
			"namen name benennung bezeichner kommentare kommentar einrückung nombres nombre comentarios comentario mayúsculas minúsculas noms nom commentaires indentation имена имя называются комментарии отступы стиль",
		"styletool": "`prettier `eslint `gofmt `gofumpt `black `ruff `isort `rustfmt `clippy `ktlint `detekt `checkstyle `rubocop `clang-format `stylelint `biome `golangci-lint `swiftlint `spotless `editorconfig `.editorconfig `commitlint `const `let `var",
		"prefer":    "prefer/v preferred over instead rather always never avoid/v no use write put keep bevorzugen prefiere préférer",

		"people": "team/n customer/n people person colleague/n meeting/n office legal sales marketing support vendor/n partner/n manager/n pm owner/n stakeholder/n ask contact/v monday tuesday wednesday thursday friday saturday sunday weekend/n holiday/n night nightly march april june july august september october november december january february morning " +
			"ticket/n tracker jira slack channel/n figma design/n designer/n demo/n onboarding training licence/n license/n budget money cost invoice/n contract/n warehouse printer/n machine/n desk accountant/n tax business staging access approval/n review/n process workshop roadmap sprint/n standup release/n releases shipped project street logo wiki " +
			"kunde kunden büro besprechung vertrieb cliente clientes equipo reunión oficina client clients équipe réunion bureau команда команды клиент клиенты встреча офис поддержки",
	}, []rule{
		{value: "Testing", name: "testing", weight: 3, patterns: `@test`},
		{value: "Testing", name: "framework of tests", weight: 4, patterns: `@testtool`},
		{value: "Testing", name: "file of tests", weight: 2, patterns: `$testfile`},
		{value: "Testing", name: "tests are run", weight: 2, patterns: `run .. tests|specs|suite; in|of|for|against|inside .. test|tests|spec|specs|suite; unit|integration|contract|snapshot|acceptance|smoke|load|fuzz|property .. test|tests|specs; failure message; seeded user|users|data; fake/n|spy|double/n`},

		{value: "Errors", name: "named error", weight: 5, patterns: `$failure; error code|$number; exit $number|code|status; error|errors|exception means|says`},
		{value: "Errors", name: "something goes wrong", weight: 2, patterns: `@failure`},
		{value: "Errors", name: "symptom and fix", weight: 3, patterns: `@failure ... @cure; @cure ... @failure; @failure ... @cause; @cause .. @failure; if you see|get; not found|serializable|permitted|allowed|supported .. in|if|when; too many|long|large .. open|files|requests; is locked; no such; cannot|can not|could not borrow|find|read|open|resolve|load|import|connect; blank|white screen; out of memory; permission denied; timed out; turned out; all it took; was behind|missing|wrong`},
		{value: "Errors", name: "begins with a message", weight: 3, patterns: `^ $said $said; ^ getting|got|on $said`},
		{value: "Errors", name: "symptom", weight: 2, patterns: `loop/v .. forever|endlessly|infinitely; infinite|endless; freeze/v|froze|frozen; blank|empty|white page|screen|response|result; says|say|reports $said; nothing happens|happened|shown; was|were|is .. stale|leftover|wrong|missing|old|off; was a; happens when; only in production|prod|safari|ie; does|did not work; keeps .. reloading|restarting|failing`},
		{value: "Errors", name: "fix", weight: 1, patterns: `@cure`},

		{value: "API", name: "interface", weight: 2, patterns: `@api`},
		{value: "API", name: "route of an interface", weight: 4, patterns: `$route; @verb $route; http|status|returns|answers|a|answer|code $status; ^ $status`},
		{value: "API", name: "format or authentication of an interface", weight: 3, patterns: `
		@api ... @api
		auth|access|refresh|bearer|api|csrf token|tokens|key|keys|header; query parameter/n|param/n; rate limit/n|limits; status code/n|endpoint; content type; public interface; wire format
		field/n|dates|ids|amounts|money|timestamps .. string/n|iso|utc|integer/n|null|rfc3339|base64|minor
		oauth|read|write scope/n; request|response|answer|answers ... header|body|field|fields|json; come back as; clients .. send|must|have|call; on the wire; callback|redirect url|uri|address; identity provider; is|are sent|returned|encoded|serialised|serialized as|in; if match; none match; client id|secret; basic auth
	`},

		{value: "Dependencies", name: "library or version", weight: 2, patterns: `@lib`},
		{value: "Dependencies", name: "named library", weight: 2, patterns: `@tool`},
		{value: "Dependencies", name: "version of a library", weight: 4, patterns: `
		@tool|@lib $number; $version ... @lib|@tool; version $number; needs|requires .. $version; at least $number
		@tool|@lib .. is|was|were .. banned|replaced|pinned|vendored|deprecated|removed|dropped; replaced by|with; pinned to|at|at; stay on; conflict/v with; brings in; exclude/v .. it; shade them; node_modules
		no longer .. reads|supports|works|ships|exports|includes; by default; not enabled; in cargo.toml|package.json|go.mod; we use $code
	`},
		{value: "Dependencies", name: "name like that of a package", weight: 1, patterns: `$package`},
		{value: "Dependencies", name: "taken or left", weight: 2, patterns: `install with|it|the|from; ships binaries|with|without; not .. added again; do not add|install|upgrade|update|bump; switched to|from; instead of $package; held below|at|back; renovate|dependabot; unmaintained|abandoned; breaking changes|change; tree shaking; clash/v on|with; newer|older ones|versions|version; licence|license of`},
		{value: "Dependencies", name: "file of dependencies", weight: 3, patterns: "`go.mod|`package.json|`cargo.toml|`requirements.txt|`pyproject.toml|`pom.xml|`build.gradle|`gemfile|`composer.json|`go.sum|`cargo.lock|`package-lock.json|`yarn.lock|`pnpm-lock.yaml|`podfile|`pubspec.yaml|`mix.exs"},

		{value: "Performance", name: "speed or memory", weight: 2, patterns: `@speed`},
		{value: "Performance", name: "measured", weight: 3, patterns: `
		from .. $number .. to; $number ms|s|seconds|minutes|percent|x|mb|gb|times ... @speed; @speed ... $number; times|x faster|slower; $number s|ms to|in|for
		n $number; n 1; take/v|took|needs|lasts $number minutes|minute|seconds|s|hours|min; $number fps; fps; off the main; main|ui thread; virtualise|virtualize|debounce|throttle|coalesce|stream|streaming; frozen|froze|freezes .. tab|ui|page|browser; works best; too many|much|large .. reads|queries|requests|calls|renders; without ccache|cache|caching; sequential|full|table scan; round trip/n; hot path|spot|loop; cold start/n; connection pool; sweet spot; cache hit/n|rate; hit rate; per keystroke|request|frame|call; row by row; one by one; free/v up; out of .. loop; in the loop; only once; index on
	`},

		{value: "Architecture", name: "place in the tree", weight: 3, patterns: `@place .. in|under|at|inside|on .. $path|$folder; in|under|at|inside $folder|$path; @place in|under|at|inside|unter|im|en|dans|sous|в; from|into|is $path; directory|folder|folders`},
		{value: "Architecture", name: "all in one place", weight: 3, patterns: `all|every|each|only ... @place ... in|under|at|inside`},
		{value: "Architecture", name: "part of the system", weight: 1, patterns: `@part`},
		{value: "Architecture", name: "parts and their relation", weight: 3, patterns: `
		@part ... @relation ... @part
		not allowed to depend|import; may|must|can not|only .. depend|import|use|talk|know|reach; never talks|calls|imports|touches; owns the|its; who holds; source of truth; dependency injection; single responsibility
		@part ... @part ... @part
		split into|the; rules|logic is|are|lives in; communicate/v over|through|via|with; stay/v thin; controllers|handlers|views stay|only; separate process|service|repository|binary|module; calls .. directly; entry point; talks only; nowhere else; module of its own; goes|go|passes|routed through; behind the|a; consists of; is a .. module|layer|service|component; start up; one|single .. per
	`},
		{value: "Architecture", name: "configuration of the whole", weight: 4, patterns: `require/v|need/v explicit config|configuration|registration|wiring`},

		{value: "Conventions", name: "naming or format", weight: 2, patterns: `@style`},
		{value: "Conventions", name: "tool of style", weight: 3, patterns: `@styletool`},
		{value: "Conventions", name: "pattern to follow", weight: 2, patterns: `@prefer .. over|to; when|where possible; composition over; named in|after|as|like; written in|as|with|like; start/v|starts|end/v|ends with; @prefer ... @style; no .. prefix|suffix|interpolation|abbreviations; on all|every .. public|exported; conventional commits; line length; code base; doc comment/n; type hint/n; lower|upper|camel|pascal|snake|kebab case; third party; everywhere else`},

		{value: "General", name: "people and process", weight: 1, patterns: `@people`},
		{value: "General", name: "people and process", weight: 3, patterns: `ask the|for|in|someone|our; party; retro|standup|sprint; fiscal|financial; ordered by|from; notice for; the .. people|folks|guys; book .. room|with; by hand; @people ... @people; switched off; team must|wants|is; before touching|handing; the business`},
	})
})
