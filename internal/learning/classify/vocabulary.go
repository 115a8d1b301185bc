package classify

// vocabulary is what words are about, by meaning. A word may stand in several classes. The classes are evidence
// beside the patterns of the rules: what they speak for is in the weights.
var vocabulary = map[string]string{
	"person": "customer/n client/n user/n colleague/n manager/n owner/n founder/n admin/n administrator/n operator/n employee/n accountant/n lawyer/n agent/n reviewer/n intern/n newcomer/n " +
		"teammate/n designer/n developer/n devs engineer/n writer/n editor/n partner/n vendor/n supplier/n officer/n recruiter/n tester/n translator/n stakeholder/n boss patient/n minor/n " +
		"visitor/n member/n buyer/n seller/n merchant/n reader/n author/n someone somebody anybody everybody nobody people folks we he she his her maria anna jonas lena peter ada tim " +
		"finance writers lead/n interns second",
	"office": "office meeting/n room/n kitchen corridor hallway desk/n printer/n whiteboard shelf coffee lunch cake roof door/n badge/n key building floor/n table lab parking lift poster/n " +
		"sticker/n party parties birthday/n calendar/n holiday/n vacation/n newsletter/n workshop/n training/n hackathon weekend/n phone/n mail book/n reception canteen wall photo/n plant/n " +
		"chair/n basement safe",
	"when": "monday/n tuesday/n wednesday/n thursday/n friday/n saturday/n sunday/n january february march april may june july august september october november december christmas summer winter " +
		"spring autumn morning evening noon midnight night nightly week/n weekly month/n monthly quarter/n quarterly year/n yearly day/n daily hour/n season today tomorrow yesterday cet " +
		"sprint/n deadline/n",
	"business": "contract/n invoice/n price/n pricing vat tax taxes budget/n cost/n costs estimate/n estimates roadmap/n release/n sales marketing legal finance support procurement payroll hr " +
		"audit/n compliance gdpr policy policies agreement/n licence license/n law sla approval/n approve/v approved story/n stories ticket/n backlog feature/n request/n product/n brand " +
		"logo/n imprint demo/n trial/n beta onboarding steering committee decision/n responsibility ownership rotation rota shift/n incident/n freeze figma confluence jira slack wiki " +
		"productboard whiteboard translation/n agency wording quarter currency eur usd chf germany austria switzerland japan europe refund/n customer data hotline report/n word term means " +
		"notes promise/v signature bank transfer portal board company cloud credit",
	"process": "deploy/v deployment/n release/v rollout/n merge/v review/n approve/v pull prs branch/n tag/n hotfix/n rollback/n pipeline/n ci cd build/n runner/n job/n stage/n staging production " +
		"artifact/n publish/v ship/v",
	"language": "struct/n class classes method/n function/n func variable/n constant/n enum/n interface/n type/n trait/n lambda/n closure/n parameter/n argument/n receiver/n return/v loop/n switch " +
		"if else ternary ternaries nested nesting null nil none undefined pointer/n reference/n generic/n template/n macro/n decorator/n annotation/n constructor/n getter/n setter/n " +
		"property properties prop/n field/n member/n namespace/n module/n import/n export/n async await promise/n callback/n exception/n iterator/n array/n list/n map/n set slice/n string/n " +
		"boolean/n integer/n float/n number/n object/n tuple/n record/n union/n literal/n operator/n expression/n statement/n block/n scope override overload static final private public " +
		"protected var let const any unknown void int long",
	"place": "live/v lives reside/v located sit/v sits kept stored defined declared implemented placed registered found lies stands stand goes belong/v belongs hold/v holds contain/v contains",
	"tree": "folder/n directory directories file/n root subfolder/n path/n tree repository repositories repo/n workspace/n monorepo package/n module/n entry index main src lib app apps cmd pkg " +
		"internal public assets static templates views models controllers handlers middleware components hooks stores services utils helpers config configs scripts infra migrations seeds " +
		"locales generated vendor",
	"layer": "layer/n layers domain/n core infrastructure application presentation adapter/n port/n repository repositories service/n microservice/n controller/n handler/n resolver/n gateway/n " +
		"facade/n boundary boundaries context/n aggregate/n module/n component/n frontend/n backend/n bff shell plugin/n kernel driver/n bus broker/n queue/n topic/n worker/n scheduler/n " +
		"orchestrator/n engine/n runtime primary replica/n region/n tenant/n cluster/n node/n shard/n partition/n leader follower/n edge upstream downstream pipeline/n projection/n event/n " +
		"command/n query queries saga/n outbox monolith process processes thread/n loader/n registry container/n store/n cache/n abstraction/n contract/n",
	"relation": "depend/v import/v know/v own/v call/v access/v talk/v communicate/v reach/v bypass/v share/v expose/v hide/v publish/v subscribe/v consume/v dispatch/v route/v emit/v delegate/v " +
		"wrap/v compose/v inject/v extend/v implement/v register/v orchestrate/v coordinate/v replicate/v derive/v rebuild/v split separate/v isolate/v isolated separated decoupled " +
		"decouple/v directly through via only behind between across inwards outwards",
	"universal": "all every each any everything everyone everywhere anywhere always only sole single one exactly never no none nobody nothing nowhere neither nor whole entire both across wherever " +
		"whoever",
	"http": "http https endpoint/n url/n uri/n webhook/n websocket/n graphql rest restful soap grpc rpc openapi swagger odata cors csrf etag multipart json xml csv ndjson msgpack protobuf mime " +
		"status pagination paginated cursor/n idempotency idempotent sse polling api/n apis jsonp querystring rfc7807 bff request/n response/n payload/n resolver/n mutation/n",
	"auth": "auth authentication authorization authorisation authenticated unauthorized oauth oidc saml sso jwt/n token/n bearer session/n login logout password/n credential/n key/n secret/n " +
		"scope/n role/n permission/n claim/n signature/n signed hmac pkce csrf cookie/n mfa otp identity principal tenant iam acl",
	"datum": "iso utc unix epoch timestamp/n date/n dates seconds milliseconds cents uuid/n ulid/n id/n ids base64 boolean/n string/n null empty array/n list/n object/n envelope wrapped omitted " +
		"nullable optional required integer/n decimal/n e.164 locale language country currency longitude latitude format/n encoding rfc pointer price amount/n number/n phone code/n utf8 " +
		"ascii enum/n kind key/n keyed value/n pair/n",
	"quota":  "rate limit/n limited quota/n throttle/v throttled maximum minimum max min most least per minute second hour page size bytes mb kb burst",
	"answer": "return/v answer/v respond/v reply/v accept/v expect/v send/v sent receive/v deliver/v delivered encode/v encoded decode/v serialize/v serialized parse/v negotiate/v",
	"manager": "npm npx pnpm yarn bun deno pip pipx pipenv poetry uv conda mamba cargo rustup go maven gradle sbt leiningen bundler gem/n composer nuget dotnet cocoapods carthage spm brew homebrew " +
		"apt yum dnf apk pacman choco scoop winget vcpkg conan hex mix opam cabal stack nix asdf mise nvm volta pyenv rbenv sdkman helm kustomize mint pub pubspec",
	"library": "library libraries lib/n dependency dependencies package/n framework/n sdk/n plugin/n crate/n gem/n jar/n wheel/n addon/n fork/n forked polyfill/n shim/n toolchain compiler/n " +
		"transpiler bundler orm peer transitive vendored registry image wrapper/n upstream unmaintained lockfile module_not_found",
	"version": "version/n versions upgrade/v update/v downgrade/v bump/v pin/v pinned semver major minor lts eol deprecated deprecation deprecate/v newer newest latest older outdated incompatible " +
		"compatible compatibility prerelease release/n beta alpha install/v installed installs reinstall migrate/v breaking",
	"brand": "react vue angular svelte solid preact next.js nextjs nuxt remix astro gatsby ember jquery redux zustand mobx jotai recoil pinia vuex rxjs ngrx tanstack usequery swr apollo urql " +
		"relay trpc axios undici ky got superagent express fastify koa hapi nestjs hono adonis prisma drizzle typeorm sequelize knex mongoose lodash underscore ramda moment dayjs luxon zod " +
		"yup joi ajv valibot webpack vite rollup parcel esbuild swc turbopack babel tsc typescript javascript node node.js nodejs electron tauri ionic capacitor cordova expo storybook " +
		"tailwind bootstrap bulma sass less postcss emotion mui chakra radix d3 chart.js three.js leaflet mapbox socket.io passport nextauth auth.js i18next formik nodemailer bull bullmq " +
		"ioredis sharp puppeteer cheerio chalk commander yargs dotenv nodemon pm2 eslint prettier django flask fastapi starlette pyramid tornado aiohttp requests httpx urllib3 celery rq " +
		"dramatiq gunicorn uvicorn uwsgi sqlalchemy alembic peewee tortoise pydantic marshmallow attrs numpy pandas polars scipy sklearn pytorch torch tensorflow keras jax xgboost lightgbm " +
		"transformers langchain spacy nltk opencv pillow matplotlib seaborn plotly bokeh dask ray airflow prefect dagster luigi dbt spark pyspark jupyter streamlit gradio boto3 botocore " +
		"click typer rich mypy pyright ruff setuptools distutils wheel twine spring springboot hibernate jpa eclipselink mybatis jooq flyway liquibase jackson gson moshi lombok mapstruct " +
		"guava log4j logback slf4j netty tomcat jetty undertow vert.x vertx micronaut quarkus ktor kotlin kotlinx java scala akka play groovy dagger hilt koin guice rxjava retrofit okhttp " +
		"glide coil picasso room realm exoplayer jetpack compose android androidx agp ndk jvm jdk jre graalvm swift swiftui uikit combine alamofire moya kingfisher snapkit realmswift " +
		"coredata xcode cocoapods flutter dart riverpod bloc getx rails sinatra hanami rack puma unicorn sidekiq resque devise activerecord activejob nokogiri rspec capistrano ruby laravel " +
		"symfony doctrine eloquent guzzle twig blade livewire wordpress drupal magento php composer asp.net entityframework efcore dapper automapper mediatr serilog nlog polly newtonsoft " +
		"blazor maui wpf winforms avalonia csharp c# .net gin echo fiber chi gorilla gorm sqlx pgx ent cobra viper zap logrus zerolog slog wire fx testify golang rust tokio actix axum " +
		"rocket warp serde diesel rayon clap anyhow thiserror tonic prost hyper reqwest bevy wasm elixir phoenix ecto erlang haskell ocaml clojure postgres postgresql mysql mariadb sqlite " +
		"oracle mssql sqlserver mongodb mongo cassandra scylladb dynamodb couchdb neo4j redis memcached valkey elasticsearch opensearch solr meilisearch typesense clickhouse duckdb " +
		"snowflake bigquery redshift timescaledb influxdb cockroachdb supabase firebase firestore hasura kafka rabbitmq nats pulsar sqs sns activemq zeromq mqtt mosquitto docker podman " +
		"containerd kubernetes k8s k3s minikube kind helm argocd flux istio linkerd envoy traefik nginx haproxy caddy apache consul vault nomad terraform opentofu pulumi cloudformation cdk " +
		"ansible chef puppet packer vagrant jenkins circleci buildkite gitlab github actions teamcity travis bazel buck cmake make ninja meson autotools aws azure gcp lambda s3 ec2 ecs eks " +
		"cloudfront cloudflare vercel netlify heroku fly.io datadog grafana prometheus loki tempo jaeger opentelemetry otel sentry newrelic splunk kibana logstash fluentd unity unreal godot " +
		"sdl opengl vulkan directx cuda cudnn opencl onnx triton ffmpeg gstreamer imagemagick openssl boringssl libcurl curl wget zlib protobuf protoc buf avro thrift flatbuffers capnproto " +
		"qt gtk boost abseil folly eigen catch2 spdlog fmt zephyr freertos arduino platformio stm32 yocto buildroot systemd glibc musl alpine debian ubuntu fedora centos rhel windows macos " +
		"linux ios renovate dependabot swagger codegen stripe paypal twilio sendgrid auth0 okta keycloak algolia contentful strapi rehype remark unified markdown pandoc latex bat jq fd " +
		"ripgrep fzf tldr httpie tmux vim neovim emacs vscode intellij",
	"speed": "slow slower slowly slowest fast faster fastest quick quicker quickly latency throughput performance performant optimise/v optimize/v optimisation optimization benchmark/n profile/v " +
		"profiler profiling flamegraph/n bottleneck/n hotspot/n gc garbage allocation/n allocate/v expensive cheap costly overhead p50 p90 p95 p99 fps jank stutter/v smooth smoother lcp " +
		"ttfb inp speedup quadratic backpressure slowdown speeds warmup cold",
	"reason": "because due caused cause/v comes came means meaning reason since happens occurs result results when unless otherwise after if culprit behind forgot forgotten missing lack/v lacks " +
		"turned accident wrongly",
	"remedy": "fix/v fixed workaround/n solve/v solved solution resolve/v resolved clear delete remove reinstall restart/v rerun retry/v set unset use add raise increase disable enable check wrap " +
		"catch escape strip kill wait convert initialise initialize reset rebuild regenerate ignore upgrade downgrade patch pull chmod",
	"message": "module_not_found econnrefused econnreset enoent eacces eperm enospc etimedout sigsegv sigkill sigpipe sigterm typeerror keyerror valueerror importerror indexerror attributeerror " +
		"nullpointerexception referenceerror syntaxerror rangeerror segmentation traceback errno exit stderr",
	"test": "test/n tests testing tested unittest/n spec/n specs suite/n e2e integration smoke acceptance regression snapshot/n golden fixture/n factory factories mock/v mocks mocked mocking " +
		"stub/v stubs stubbed spy spies fake/n fakes assert/v assertion/n asserts expectation/n matcher/n coverage flaky quarantine/v parametrize/v parameterized parametrized fuzz/v fuzzing " +
		"beforeeach aftereach beforeall afterall teardown testid testcontainers testdata conftest testable",
	"testware": "jest vitest mocha jasmine karma ava tap chai sinon enzyme rtl supertest nock msw cypress playwright selenium webdriver webdriverio puppeteer testcafe nightwatch detox appium " +
		"maestro pytest unittest nose tox nox hypothesis factory_boy freezegun responses vcr behave robot locust junit testng spock kotest mockito mockk wiremock assertj hamcrest " +
		"robolectric espresso xctest xcuitest quick nimble rspec minitest capybara factorybot webmock phpunit pest codeception dusk mockery nunit xunit mstest moq nsubstitute " +
		"fluentassertions testify gomock ginkgo gomega httptest goldie catch2 doctest googletest gtest gmock ctest cmocka unity bats quickcheck proptest insta criterion k6 gatling jmeter " +
		"artillery percy chromatic applitools stryker pitest jacoco istanbul codecov cucumber gherkin pact",
	"ruin": "lose/v lost loses loss delete/v deletes deleted wipe/v wiped erase/v erased destroy/v destroyed corrupt/v corrupted corrupts overwrite/v overwritten truncate/v drops dropped gone " +
		"unreadable unrecoverable irreversible brick/v bricks unbootable leak/v leaked steal/v stolen exposed attacker/n exploit/n injection vulnerability vulnerabilities vulnerable " +
		"malicious compromised hijack/v forge/v forged plaintext breach/n illegal fine charged charge/v refund/n payout/n payment/n money invoices balances patients dose injury fire",
	"halt": "outage/n down offline unavailable unreachable crash/v crashes stop/v stops hang/v hangs block/v blocks blocked locked lock/v locks refuse/v refuses reject/v rejects fail/v fails " +
		"impossible cannot nothing nobody start boot install deploy build login expire/v expires expired revoke/v revoked renew/v suspended banned full exhausted killed oom unusable stuck " +
		"dies die/v red everyone everybody until unless without",
	"grave": "production prod live database backup/n customer/n user/n payments orders data site shop cluster everything pipeline/n secret/n credential/n password/n token/n key/n certificate/n " +
		"server/n machine/n account/n access",
	"mild": "prefer/v preferred favour favor nicer nice neat neater tidy tidier prettier pretty cleaner readable taste habit preference matter optional optionally maybe perhaps might could " +
		"possibly slightly bit little somewhat consider try like likes handy convenient useful helpful fun funny interesting curious trivia historical history formerly used cosmetic " +
		"harmless ignore ignored okay ok fine noise either whichever whatever someday hurry worth joke nobody cares icon theme dark colours alias shortcut extension overview glance wiki " +
		"mascot nickname personally sometimes usually mostly often",
	"modal": "must should shall need needs has have required require/v requires mandatory forbidden allowed may can never not always do",
	"order": "use call set add pass run put wrap avoid keep write read return check close mock import export register move split batch cache await pin install update remove delete send store " +
		"start stop create make take give load name prefix escape test assert",
	"means": "cache/v cached caching caches memoize/v memoise/v memoized memoised memo usememo usecallback debounce/v throttle/v lazy lazily eager eagerly prefetch/v preload/v preconnect " +
		"prerender batch/v batched batches bulk chunk/v parallel parallelism concurrency concurrent stream/v streaming buffer/v buffered pool/v pooled pooling preallocate/v preallocated " +
		"reuse/v virtualize/v virtualise/v virtualized virtualised virtual index indexes indexed indexing covering partial materialized materialised denormalize/v denormalized precompute/v " +
		"precomputed precompile/v incremental incrementally vectorize/v vectorised vectorized simd inline/v compress/v compression compressed gzip brotli webp avif resize/v downsample/v " +
		"minify/v subset defer/v dataloader select_related vacuum partition/v sharding replica/n lookup/n keepalive offload/v hoist/v warm",
	"amount": "ms milliseconds millisecond second seconds minute minutes hour hours percent times half halves halved third double doubled kb mb gb bytes kib mib gib million billion thousand " +
		"thousands twice size sizes small smaller large larger big bigger huge tiny less more fewer reduce/v reduced save/v saves saved shave/v shrink/v shrank cut grow/v grew grows " +
		"growth drop/v dropped cost/v costs takes took memory ram cpu heap disk bandwidth battery io core/n thread/n payload bundle binary limit/n unbounded bounded",
	"failure": "error/n exception/n fail/v failed failure/n crash/v crashes panic/v bug/n bugs hang/v hung freeze/v froze frozen deadlock/n segfault/n traceback stacktrace/n overflow/n leak/v " +
		"leaks corrupt/v corrupted race undefined nan abort/v unhandled uncaught fault/n breaks broke broken misbehave/v glitch/n regression/n throws threw thrown",
	"symptom": "wrong incorrect incorrectly invalid unexpected unexpectedly twice duplicate/v duplicated duplicates stale blank empty flicker/v lost loses vanish/v disappear/v ignored swallow/v " +
		"swallowed silently silent refuse/v reject/v rejected denied unreachable unavailable timeout/n timeouts timed stuck blocked killed oom spinner infinite infinitely endless endlessly " +
		"mismatch conflict/n collision/n warning/n unreadable garbled behind missing misses off shifted unstable inconsistent dangling leftover orphan/n poison skips skipped jumps stalls " +
		"stops inaccessible",
	"httpish": "header/n body bodies route/n query parameter/n param/n path method/n verb/n field/n schema page pages per_page limit offset filter/v filtering sort/v sorting version/n versioned " +
		"client/n caller/n consumer/n subscription/n stream/n topic/n message/n frame/n callback/n redirect/v link/n resource/n batch item/n envelope partial id ids",
	"verb": "get post put patch delete head options",
	"naming": "name/v named naming names prefix/v suffix/v prefixed suffixed camelcase pascalcase kebab snake casing uppercase lowercase upper lower capital capitals capitalised capitalized " +
		"plural singular abbreviation/n abbreviate/v abbreviated spell/v spelled wording indent/v indented indentation tabs spaces quote/n quotes semicolon/n comma/n brace/n bracket/n " +
		"underscore/n hyphen/n whitespace trailing alphabetical alphabetically lint/v linter linted formatter/n formatted formatting style/n styled convention/n conventional consistent " +
		"consistently guideline/n docstring/n jsdoc javadoc idiomatic imperative verb/n noun/n acronym/n todo license licence header bem",
	"tidy": "comment/v comments line/n blank letter/n word/n length short title/n heading/n message/n english german british order ordered sorted sort/v grouped group/v align/v aligned first " +
		"last top bottom below above starts ends begin/v changelog description/n template/n ticket branch/n commit/n squash rebase subject review/n readable readability file/n files per one",
	"libish": "driver/n client extension/n module/n runtime engine loader/n preset/n base binding/n interpreter linker tool/n cli formula snippet/n distribution alternative/n replacement binary " +
		"binaries artifact/n images icons fonts",
	"behaves": "support/v supports supported require/v requires required need/v needs drop/v dropped remove/v removed rename/v renamed replace/v replaced replaces switch/v switched ship/v ships " +
		"bundle/v bundles add/v import/v imports include/v exclude/v register/v initialise/v initialised configured allowed banned licence license works built compiled based drawn uses used " +
		"instead over not default",
	"testish": "seed/v seeded faker setup harness runner headless marker/n skip/v deterministic random clock time double/n expect contract unit screenshot/n page object/n browser retry sandbox " +
		"simulate/v ci",
	"database": "database/n db table/n column/n row/n query queries index transaction/n constraint/n migration/n schema sql join/n foreign primary key/n null view/n trigger/n sequence/n record/n " +
		"partition/n connection/n cursor lock/n isolation backup/n dump restore replica audit",
	"ui": "button/n modal/n form/n input/n tooltip/n dropdown menu/n screen/n page/n tab/n list/n scroll/v scrolling dialog layout render/v rendering component/n prop/n state css style/n " +
		"theme icon/n image/n font/n animation/n click/v hover focus keyboard mobile browser/n window/n viewport map chart/n table spinner",
	"infra": "pod/n container/n cluster/n node/n image/n volume/n disk proxy dns firewall certificate/n network vpn server/n host/n machine/n cron job/n deploy/v deployment/n nginx docker " +
		"kubernetes cloud region/n zone/n load balancer port ssh permission/n user group env environment/n variable/n log/n logs monitoring alert/n",
}

// titles are what the classes are called where they are given as a reason.
var titles = map[string]string{
	"person":    "people",
	"office":    "the office",
	"when":      "days and seasons",
	"business":  "the business",
	"process":   "how work is delivered",
	"language":  "parts of the language",
	"place":     "where something is",
	"tree":      "the tree of files",
	"layer":     "parts of the system",
	"relation":  "how parts relate",
	"universal": "all or nothing",
	"http":      "an interface",
	"auth":      "who may do what",
	"datum":     "formats of data",
	"quota":     "limits of an interface",
	"answer":    "what is sent and returned",
	"manager":   "a package manager",
	"library":   "libraries",
	"version":   "versions",
	"brand":     "a named tool",
	"speed":     "speed",
	"reason":    "a cause",
	"remedy":    "a fix",
	"message":   "an error by name",
	"test":      "tests",
	"testware":  "a tool for tests",
	"ruin":      "loss or harm",
	"halt":      "work that stops",
	"grave":     "what much hangs on",
	"mild":      "taste and trivia",
	"modal":     "must or may",
	"order":     "an instruction",
	"means":     "ways to speed",
	"amount":    "time and memory",
	"failure":   "what goes wrong",
	"symptom":   "a symptom",
	"httpish":   "parts of an interface",
	"verb":      "a method of HTTP",
	"naming":    "names and format",
	"tidy":      "how code is laid out",
	"libish":    "kinds of tools",
	"behaves":   "what a tool does or needs",
	"testish":   "the ways of tests",
	"database":  "databases",
	"ui":        "a user interface",
	"infra":     "machines and networks",
}
