package discovery

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// roles are the packages that shape a project, by the kind of module: what they are called and what they are for.
// A name that ends with * stands for all that begin so.
var roles = map[string]func() map[string]string{
	"go": pairs(`
github.com/gin-gonic/gin=Gin|web framework
github.com/labstack/echo*=Echo|web framework
github.com/gofiber/fiber*=Fiber|web framework
github.com/go-chi/chi*=chi|HTTP router
github.com/gorilla/mux=Gorilla mux|HTTP router
google.golang.org/grpc=gRPC|remote calls
connectrpc.com/connect=Connect|remote calls
github.com/spf13/cobra=Cobra|command line
github.com/urfave/cli*=urfave/cli|command line
github.com/alecthomas/kong=Kong|command line
github.com/spf13/viper=Viper|configuration
gorm.io/gorm=GORM|database access
github.com/jmoiron/sqlx=sqlx|database access
github.com/jackc/pgx*=pgx|PostgreSQL
github.com/lib/pq=pq|PostgreSQL
github.com/go-sql-driver/mysql=MySQL driver|MySQL
github.com/mattn/go-sqlite3=go-sqlite3|SQLite
modernc.org/sqlite=modernc SQLite|SQLite
entgo.io/ent=Ent|database access
go.mongodb.org/mongo-driver*=MongoDB driver|MongoDB
github.com/redis/go-redis*=go-redis|Redis
github.com/go-redis/redis*=go-redis|Redis
github.com/segmentio/kafka-go=kafka-go|Kafka
github.com/nats-io/nats.go=NATS|messaging
github.com/stretchr/testify=Testify|tests
github.com/onsi/ginkgo*=Ginkgo|tests
github.com/google/go-cmp=go-cmp|tests
go.uber.org/zap=zap|logging
github.com/sirupsen/logrus=Logrus|logging
go.opentelemetry.io/otel=OpenTelemetry|tracing
github.com/prometheus/client_golang=Prometheus client|metrics
sigs.k8s.io/controller-runtime=controller-runtime|Kubernetes controllers
k8s.io/client-go=client-go|Kubernetes
github.com/charmbracelet/bubbletea*=Bubble Tea|terminal interface
github.com/99designs/gqlgen=gqlgen|GraphQL
github.com/mark3labs/mcp-go=mcp-go|Model Context Protocol
github.com/modelcontextprotocol/go-sdk=MCP Go SDK|Model Context Protocol
github.com/golang-migrate/migrate*=golang-migrate|migrations
github.com/pressly/goose*=goose|migrations`),
	"node": pairs(`
react=React|user interface
react-native=React Native|mobile interface
next=Next.js|web framework
vue=Vue|user interface
nuxt=Nuxt|web framework
svelte=Svelte|user interface
@sveltejs/kit=SvelteKit|web framework
@angular/core=Angular|web framework
solid-js=Solid|user interface
astro=Astro|web framework
@remix-run/react=Remix|web framework
express=Express|web server
fastify=Fastify|web server
koa=Koa|web server
hono=Hono|web server
@nestjs/core=NestJS|web framework
@hapi/hapi=hapi|web server
socket.io=Socket.IO|websockets
graphql=GraphQL|API
@apollo/server=Apollo Server|GraphQL
@trpc/server=tRPC|API
@prisma/client=Prisma|database access
prisma=Prisma|database access
typeorm=TypeORM|database access
sequelize=Sequelize|database access
drizzle-orm=Drizzle|database access
mongoose=Mongoose|MongoDB
pg=node-postgres|PostgreSQL
mysql2=mysql2|MySQL
redis=node-redis|Redis
ioredis=ioredis|Redis
bullmq=BullMQ|job queue
electron=Electron|desktop app
expo=Expo|mobile app
vite=Vite|build
webpack=webpack|build
rollup=Rollup|build
esbuild=esbuild|build
tsup=tsup|build
turbo=Turborepo|monorepo builds
nx=Nx|monorepo builds
lerna=Lerna|monorepo releases
jest=Jest|tests
vitest=Vitest|tests
mocha=Mocha|tests
@playwright/test=Playwright|browser tests
cypress=Cypress|browser tests
typescript=TypeScript|language
tailwindcss=Tailwind CSS|styles
zod=Zod|validation
@reduxjs/toolkit=Redux Toolkit|state
zustand=Zustand|state
@tanstack/react-query=TanStack Query|data fetching
storybook=Storybook|component catalogue
commander=Commander|command line
yargs=yargs|command line
@modelcontextprotocol/sdk=MCP SDK|Model Context Protocol`),
	"python": pairs(`
django=Django|web framework
djangorestframework=Django REST framework|API
flask=Flask|web framework
fastapi=FastAPI|web framework
starlette=Starlette|web framework
tornado=Tornado|web server
aiohttp=aiohttp|HTTP
uvicorn=Uvicorn|web server
gunicorn=Gunicorn|web server
sqlalchemy=SQLAlchemy|database access
sqlmodel=SQLModel|database access
alembic=Alembic|migrations
psycopg*=Psycopg|PostgreSQL
asyncpg=asyncpg|PostgreSQL
pymongo=PyMongo|MongoDB
redis=redis-py|Redis
celery=Celery|task queue
pydantic=Pydantic|validation
numpy=NumPy|arrays
pandas=pandas|data frames
polars=Polars|data frames
scipy=SciPy|numerics
scikit-learn=scikit-learn|machine learning
torch=PyTorch|machine learning
tensorflow=TensorFlow|machine learning
transformers=Transformers|language models
langchain=LangChain|language models
openai=OpenAI client|language models
anthropic=Anthropic client|language models
streamlit=Streamlit|user interface
click=Click|command line
typer=Typer|command line
requests=Requests|HTTP client
httpx=HTTPX|HTTP client
scrapy=Scrapy|crawling
apache-airflow=Airflow|workflows
pytest=pytest|tests
hypothesis=Hypothesis|tests
mcp=MCP SDK|Model Context Protocol`),
	"rust": pairs(`
tokio=Tokio|async runtime
async-std=async-std|async runtime
axum=Axum|web framework
actix-web=Actix Web|web framework
rocket=Rocket|web framework
warp=warp|web framework
tonic=tonic|gRPC
hyper=hyper|HTTP
reqwest=reqwest|HTTP client
serde=Serde|serialization
sqlx=SQLx|database access
diesel=Diesel|database access
sea-orm=SeaORM|database access
clap=clap|command line
tracing=tracing|logging
anyhow=anyhow|errors
thiserror=thiserror|errors
bevy=Bevy|game engine
tauri=Tauri|desktop app
ratatui=Ratatui|terminal interface
wasm-bindgen=wasm-bindgen|WebAssembly
pyo3=PyO3|Python bindings
rayon=Rayon|parallelism
proptest=proptest|tests
criterion=Criterion|benchmarks`),
	"jvm": pairs(`
org.springframework.boot:spring-boot-starter-parent=Spring Boot|application framework
org.springframework.boot=Spring Boot|application framework
org.springframework.boot:spring-boot-starter-web=Spring Web|web framework
org.springframework.boot:spring-boot-starter-webflux=Spring WebFlux|web framework
org.springframework.boot:spring-boot-starter-data-jpa=Spring Data JPA|database access
org.springframework.boot:spring-boot-starter-security=Spring Security|security
org.springframework.boot:spring-boot-starter=Spring Boot|application framework
io.quarkus*=Quarkus|application framework
io.micronaut*=Micronaut|application framework
io.ktor*=Ktor|web framework
io.vertx*=Vert.x|reactive framework
org.hibernate*=Hibernate|database access
org.mybatis*=MyBatis|database access
org.jooq*=jOOQ|database access
org.postgresql:postgresql=PostgreSQL driver|PostgreSQL
com.mysql:mysql-connector-j=MySQL driver|MySQL
com.h2database:h2=H2|database
org.flywaydb*=Flyway|migrations
org.liquibase*=Liquibase|migrations
org.apache.kafka*=Kafka|messaging
org.junit.jupiter*=JUnit 5|tests
junit:junit=JUnit 4|tests
org.mockito*=Mockito|tests
io.kotest*=Kotest|tests
org.testcontainers*=Testcontainers|tests
org.projectlombok:lombok=Lombok|code generation
com.android.application=Android|mobile app
com.android.library=Android|mobile library
org.jetbrains.kotlin.jvm=Kotlin|language
org.jetbrains.kotlin.multiplatform=Kotlin Multiplatform|language
org.apache.spark*=Spark|data processing`),
	"dotnet": pairs(`
Microsoft.NET.Sdk.Web=ASP.NET Core|web framework
Microsoft.NET.Sdk.Worker=.NET worker|background service
Microsoft.EntityFrameworkCore*=Entity Framework Core|database access
Dapper=Dapper|database access
Npgsql*=Npgsql|PostgreSQL
MediatR=MediatR|messaging
Serilog*=Serilog|logging
AutoMapper*=AutoMapper|mapping
Swashbuckle.AspNetCore=Swashbuckle|API documentation
MassTransit*=MassTransit|messaging
Microsoft.Maui*=MAUI|user interface
Avalonia*=Avalonia|user interface
xunit=xUnit|tests
NUnit=NUnit|tests
MSTest.TestFramework=MSTest|tests
Moq=Moq|tests`),
	"native": pairs(`
Qt5=Qt 5|user interface
Qt6=Qt 6|user interface
Boost=Boost|libraries
OpenCV=OpenCV|images
OpenSSL=OpenSSL|cryptography
Protobuf=Protobuf|serialization
gRPC=gRPC|remote calls
CUDAToolkit=CUDA|GPU
SDL2=SDL 2|graphics
Eigen3=Eigen|linear algebra
GTest=GoogleTest|tests
gtest=GoogleTest|tests
Catch2=Catch2|tests
fmt=fmt|formatting
spdlog=spdlog|logging
Threads=threads|threads`),
	"ruby": pairs(`
rails=Rails|web framework
sinatra=Sinatra|web framework
hanami=Hanami|web framework
pg=pg|PostgreSQL
mysql2=mysql2|MySQL
sqlite3=sqlite3|SQLite
redis=redis|Redis
sidekiq=Sidekiq|job queue
devise=Devise|authentication
puma=Puma|web server
rspec=RSpec|tests
rspec-rails=RSpec|tests
minitest=Minitest|tests
jekyll=Jekyll|static site
graphql=graphql-ruby|GraphQL`),
	"php": pairs(`
laravel/framework=Laravel|web framework
symfony/framework-bundle=Symfony|web framework
symfony/symfony=Symfony|web framework
slim/slim=Slim|web framework
cakephp/cakephp=CakePHP|web framework
yiisoft/yii2=Yii|web framework
doctrine/orm=Doctrine|database access
guzzlehttp/guzzle=Guzzle|HTTP client
livewire/livewire=Livewire|user interface
phpunit/phpunit=PHPUnit|tests
pestphp/pest=Pest|tests
phpstan/phpstan=PHPStan|static analysis`),
}

// pairs reads lines `package=Name|role` when they are asked for.
func pairs(lines string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		out := map[string]string{}
		for line := range strings.Lines(strings.TrimSpace(lines)) {
			name, role, _ := strings.Cut(strings.TrimSpace(line), "=")
			out[name] = role
		}
		return out
	})
}

// role returns what a package of that kind of module is called and for.
func role(kind, pkg string) (name, what string, ok bool) {
	pairs, ok := roles[kind]
	if !ok {
		return "", "", false
	}
	known := pairs()
	entry, ok := known[pkg]
	for end := len(pkg); !ok && end > 0; end-- {
		entry, ok = known[pkg[:end]+"*"]
	}
	name, what, _ = strings.Cut(entry, "|")
	return name, what, ok
}

// used is a framework, where it was seen first.
type used struct{ name, version, what, source, dir string }

// frameworks returns the known packages that modules of a kind depend on, each once.
func frameworks(modules []*module) (all []used) {
	for _, m := range modules {
		for _, d := range m.deps {
			name, what, ok := role(m.kind, d.name)
			if ok && !slices.ContainsFunc(all, func(u used) bool { return u.name == name }) {
				all = append(all, used{name, d.version, what, m.manifest, m.dir})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b used) int { return cmp.Or(cmp.Compare(weight(a.what), weight(b.what))) })
	return all
}

// weight puts what shapes a project most first.
func weight(what string) int {
	switch {
	case strings.HasSuffix(what, "framework"), strings.HasSuffix(what, "interface"), strings.HasSuffix(what, "app"), what == "web server", what == "HTTP router":
		return 0
	case what == "tests", what == "language", what == "benchmarks", strings.HasSuffix(what, "tests"):
		return 2
	}
	return 1
}

// versioned is a package's name with its version.
func versioned(name, version string) string {
	if version == "" {
		return name
	}
	return name + " " + version
}

const (
	maxFrameworks = 10
	maxPackages   = 10
)

// sayFrameworks tells, for each kind of module, the packages that shape it and the other direct ones.
func (s *survey) sayFrameworks() {
	for _, kind := range s.kinds() {
		modules := s.ofKind(kind)
		label := kindLabel(modules)
		all := frameworks(modules)
		source := modules[0].manifest
		if len(all) > 0 {
			var parts []string
			for _, u := range all {
				part := versioned(u.name, u.version) + " (" + u.what
				if u.dir != modules[0].dir {
					part += ", in " + u.dir
				}
				parts = append(parts, part+")")
			}
			source = all[0].source
			s.project("frameworks:"+kind, 0.95, source, "The %s code uses %s.", label, listing(parts, maxFrameworks))
		}
		var rest []string
		for _, m := range modules {
			for _, d := range m.deps {
				_, _, known := role(kind, d.name)
				if text := versioned(d.name, d.version); !known && !d.dev && !slices.Contains(rest, text) && !s.own(kind, d.name) {
					rest = append(rest, text)
					source = m.manifest
				}
			}
		}
		if len(rest) > 0 {
			word := "Direct dependencies"
			if len(all) > 0 {
				word = "Other direct dependencies"
			}
			if len(modules) > 1 {
				source = modules[0].manifest
			}
			s.project("dependencies:"+kind, 1, source, "%s of the %s code: %s.", word, label, listing(rest, maxPackages))
		}
	}
}

// own reports whether a dependency is a module of this repository.
func (s *survey) own(kind, name string) bool {
	return slices.ContainsFunc(s.modules, func(m *module) bool { return m.kind == kind && m.name == name })
}

// kinds returns the kinds of modules, those nearest to the top first.
func (s *survey) kinds() (out []string) {
	for _, m := range s.modules {
		if !slices.Contains(out, m.kind) {
			out = append(out, m.kind)
		}
	}
	return out
}

func (s *survey) ofKind(kind string) (out []*module) {
	for _, m := range s.modules {
		if m.kind == kind {
			out = append(out, m)
		}
	}
	return out
}

// kindLabel names the languages of modules of one kind.
func kindLabel(modules []*module) string {
	var labels []string
	for _, m := range modules {
		if !slices.Contains(labels, m.label) {
			labels = append(labels, m.label)
		}
	}
	slices.Sort(labels)
	return listing(labels, 3)
}
