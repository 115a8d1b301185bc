package classify

import (
	"strconv"
	"strings"
	"sync"
)

// entry is what a word is to a statement. Words that are not in the lexicon are compared by their stems.
type entry struct {
	form     string // the word that stands for it and its synonyms
	id       uint64 // its hash
	family   uint8
	verb     bool
	be       bool
	past     bool // was
	prep     prep
	drop     bool // says nothing by itself
	article  bool // the, a, our: what follows is no name
	negates  bool // turns the clause into its opposite
	negative bool // the opposite of its form: disabled is not enabled
	changed  bool
	additive bool
	ends     bool // what follows is an exception
	uses     bool
	places   bool
	goes     bool // says where something is when "in" or "into" follows
	gone     bool
	count    bool // a number in letters
	order    bool // before, after
	leaves   bool // goes from one thing to another: migrated, moved
}

var (
	hedges     = set("maybe perhaps might possibly sometimes occasionally usually often rarely probably previously formerly earlier once consider vielleicht manchmal quizás peut-être возможно")
	conditions = set("if when whenever while unless without during for in on under after before with wenn falls bei ohne si cuando quand sans lors если когда при без")
	bes        = set("is are was were be been being am gets get got")
	cuts       = set("because since but while whereas so which although though therefore hence weil denn aber porque pero parce mais потому но")
	reasons    = set("because since so although though therefore hence which weil denn porque parce потому")
)

// unit is one of a dimension, so many of its smallest unit.
type unit struct {
	dimension string
	factor    int64
}

var units = sync.OnceValue(func() map[string]unit {
	m := map[string]unit{}
	for dimension, list := range map[string][]struct {
		words  string
		factor int64
	}{
		"time": {{"ms millisecond milliseconds", 1}, {"s sec secs second seconds", 1000}, {"min mins minute minutes", 60_000}, {"h hr hrs hour hours", 3600_000}, {"d day days", 86400_000}, {"week weeks", 7 * 86400_000}, {"month months", 30 * 86400_000}, {"year years", 365 * 86400_000}},
		"size": {{"b byte bytes", 1}, {"kb kib", 1 << 10}, {"mb mib", 1 << 20}, {"gb gib", 1 << 30}, {"tb tib", 1 << 40}},
	} {
		for _, u := range list {
			for _, w := range strings.Fields(u.words) {
				m[w] = unit{dimension, u.factor}
			}
		}
	}
	return m
})

// families are things of which a project takes one for one purpose. A word may stand in one only.
var families = []string{
	"npm pnpm yarn bun",
	"vitest jest mocha jasmine ava karma",
	"pytest unittest nose",
	"junit testng spock kotest",
	"playwright cypress selenium puppeteer webdriver",
	"webpack vite rollup esbuild parcel turbopack rspack",
	"postgres postgresql mysql mariadb sqlite oracle mssql cockroachdb",
	"redis memcached valkey",
	"mongodb dynamodb couchdb cassandra",
	"kafka rabbitmq nats sqs pulsar activemq",
	"prisma drizzle typeorm sequelize knex",
	"redux zustand mobx jotai recoil pinia vuex",
	"axios undici httpx aiohttp superagent",
	"moment dayjs luxon",
	"logrus slog zap zerolog glog winston pino bunyan log4j logback",
	"zod yup joi ajv valibot",
	"eslint biome tslint",
	"prettier dprint black yapf",
	"terraform pulumi cloudformation cdk opentofu",
	"jenkins travis circleci buildkite teamcity gitlab",
	"aws azure gcp",
	"docker podman",
	"tabs spaces tab",
	"camelcase pascalcase snake_case kebab snake camel pascal",
	"single double",
	"lf crlf",
	"uuid ulid nanoid",
	"rest graphql grpc soap",
	"json yaml toml xml protobuf avro thrift msgpack cbor",
	"sass scss tailwind",
	"react vue angular svelte",
	"fastify koa hapi nestjs",
	"django flask fastapi",
	"maven gradle bazel",
	"merge rebase squash",
	"pip poetry uv conda pipenv",
	"elasticsearch opensearch solr meilisearch",
	"swiftui uikit",
	"jwt cookies",
	"swagger openapi",
	"singular plural",
	"public private internal",
	"sync async synchronous asynchronous",
	"mutable immutable",
	"ascending descending",
	"first last",
	"upper lower uppercase lowercase",
	"relative absolute",
	"strict loose lenient",
	"eager lazy",
	"nginx envoy traefik haproxy caddy",
}

// otherPlaces are surroundings in which different things hold side by side.
var otherPlaces = sync.OnceValue(func() map[uint64]bool {
	m := map[uint64]bool{}
	for _, w := range strings.Fields(`linux windows macos mac darwin ios android web browser mobile desktop dev development local prod production staging stage test ci qa debug release preview
		arm x86 amd64 arm64 intel chrome firefox safari edge frontend backend client server go python java kotlin typescript javascript rust ruby php swift
		admin user free paid read write input output request response upload download unit integration`) {
		m[hash(stem(w))] = true
		if e, ok := lexicon()[w]; ok {
			m[e.id] = true
		}
	}
	return m
})

// lexicon is made of the lists below; a word of several lists has what each of them says, and the first form.
var lexicon = sync.OnceValue(func() map[string]entry {
	m := map[string]entry{}
	set := func(words string, change func(e *entry)) {
		for _, w := range strings.Fields(words) {
			for _, f := range forms(w) {
				e := m[f]
				change(&e)
				m[f] = e
			}
		}
	}
	// Synonyms: each line stands for its first word. ! before a word makes it the opposite.
	synonyms := func(line string, change func(e *entry)) {
		form := ""
		for _, w := range strings.Fields(line) {
			opposite := strings.HasPrefix(w, "!")
			w = strings.TrimPrefix(w, "!")
			if form == "" {
				form, _, _ = strings.Cut(w, "/")
			}
			set(w, func(e *entry) {
				if e.form == "" {
					e.form, e.negative = form, opposite
				}
				change(e)
			})
		}
	}
	for n, line := range families {
		for _, w := range strings.Fields(line) {
			e := m[w]
			e.form, e.family = w, uint8(n+1)
			m[w] = e
		}
	}
	for line := range strings.Lines(sameWords) {
		synonyms(line, func(*entry) {})
	}
	for line := range strings.Lines(verbs) {
		synonyms(line, func(e *entry) { e.verb = true })
	}
	for line := range strings.Lines(placeVerbs) {
		synonyms(line, func(e *entry) { e.verb, e.places = true, true })
	}
	set(useVerbs, func(e *entry) {
		if e.form == "" || e.form != "use" {
			e.form = "use"
		}
		e.verb, e.uses, e.negative = true, true, false
	})
	set("is are was were be been being am gets ist sind wird werden es son está están est sont", func(e *entry) { e.be, e.drop = true, true })
	set("the a an this that these those our your their its every all each der die das den dem ein eine el la los las un una le les", func(e *entry) { e.article = true })
	set("was were", func(e *entry) { e.past = true })
	set("in into inside within under at on off onto between across among behind below above beside near around beyond im unter en dans sous в на из", func(e *entry) { e.prep = inPrep })
	set("for to of when while during if as per about against like toward towards für zu zum zur wenn beim bei para por de del cuando pour quand si du des для при если", func(e *entry) { e.prep = forPrep })
	set("with by via through using from mit durch von con par avec с через", func(e *entry) { e.prep = withPrep })
	set("not never no none neither nor cannot nothing nobody without avoid/v stop/v refrain nicht kein keine keinen nie niemals ohne nunca sin jamais sans pas не нет никогда без нельзя", func(e *entry) { e.negates, e.drop = true, true })
	set("off", func(e *entry) { e.negates = true })
	set("longer anymore again", func(e *entry) { e.changed, e.drop = true, true })
	set("also additionally too both furthermore more another besides auch también aussi также", func(e *entry) { e.additive, e.drop = true, true })
	set("except unless outside besides apart until außer excepto sauf кроме", func(e *entry) { e.ends = true })
	set("gone removed dropped deleted replaced deprecated obsolete retired abandoned", func(e *entry) { e.gone = true })
	set("go goes belong/v", func(e *entry) { e.goes = true })
	set("switched migrated moved", func(e *entry) { e.gone, e.leaves = true, true })
	set(`a an the this that these those our your their its it we you i they he she my us them and or either here there then now currently already still just simply always all every each any some only very really
		must should shall will would can could may do does did has have had own same such project please new ever itself themselves hand manually yourself everywhere anywhere nowadays today
		way ways thing things make sure let instead rather than
		der die das den dem ein eine einen einer und oder wir man immer alle jede jeder muss müssen soll sollte hier jetzt
		el la los las un una unos y o se siempre todos todas debe le les l d une et on toujours tous toutes doit ne
		и или мы всегда все это нужно надо`, func(e *entry) {
		if e.form == "" {
			e.drop = true
		}
	})
	for n, w := range strings.Fields("zero one two three four five six seven eight nine ten") {
		m[w] = entry{form: "#" + strconv.Itoa(n), count: true}
	}
	set("before after", func(e *entry) { e.order = true })
	set("since", func(e *entry) { e.drop = true })
	for w, e := range m {
		if e.form == "" {
			e.form = w
		}
		if e.family == 0 && !e.count {
			e.form = stem(e.form)
		}
		e.id = hash(e.form)
		m[w] = e
	}
	return m
})

// useVerbs say what is taken for something.
const useVerbs = `use/v using prefer/v preferred adopt/v employ/v choose chooses chosen pick/v utilise/v utilize/v
	benutze benutzen benutzt verwende verwenden verwendet nutze nutzen usa usar usamos utiliza utilizar utilise utiliser utilisez используй использовать используем используется`

// sameWords are words that mean the same to a statement.
const sameWords = `repository/n repo/n
database/n db/n
configuration/n config/n
authentication auth authn
documentation docs doc
environment/n env/n
production prod
development dev
directory/n folder/n dir/n
parameter/n param/n
argument/n arg/n
package/n pkg/n
application/n app/n
function/n func/n
kubernetes k8s
postgres postgresql pg
mandatory compulsory
safe !unsafe
sensitive !insensitive
true !false
valid !invalid
secure !insecure
necessary !unnecessary
`

// verbs are the verbs of statements, with what stands for the same.
const verbs = `require/v need/v needed needs demand/v required requires mandatory necessary braucht brauchen benötigt benötigen requiere necesita nécessite требует !optional !optionally !unnecessary
allow/v permit/v allowed permitted accept/v accepted fine ok okay !forbid !forbids !forbidden !ban/v !banned !prohibited !disallow/v !disallowed !deny !denied !reject/v erlaubt !verboten permitido !prohibido
enable/v enabled activate/v activated active aktiviert activado activé !disable/v !disabled !deactivate/v !deactivated !inactive !deaktiviert !desactivado !désactivé
support/v supported !unsupported
include/v !exclude/v
call/v invoke/v
run/v ran execute/v
write/v written wrote
read/v
start/v launch/v boot/v
commit/v
push/v
delete/v remove/v
create/v
build/v
deploy/v
test/v
add/v
put/v
set/v
pass/v
return/v
throw/v
log/v
cache/v
mock/v
wrap/v
close/v
open/v
send/v sent
hold/v held
stay/v
work/v
expire/v
import/v
export/v
register/v
validate/v
format/v
install/v
handle/v
check/v
go/v goes
belong/v
strip/v
merge/v
edit/v
modify/v change/v
update/v
depend/v
expose/v
share/v
retry/v
block/v
skip/v
commit/v committed
`

// placeVerbs say where something is.
const placeVerbs = `live/v reside/v located lies defined declared stored kept keep/v placed found sit/v listed registered implemented maintained moved liegt liegen está están vivent trouve лежат лежит находится находятся
`
