package extract

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// Routes are told by how frameworks declare them: a call on a router with a path and a handler, an annotation, a line of
// a file of routes. A client's call looks much the same and is told apart by what it is called on.

var routeMarks = []string{"get", "Get", "GET", "post", "Post", "POST", "put", "Put", "PUT", "delete", "Delete", "DELETE", "patch", "Patch", "PATCH", "oute", "OUTE", "andle", "Mapping", "@Path", "path(", "resource", "url(", "scope", "namespace", "ontroller", "refix", "Use("}

func isRoutable(file string) bool {
	return isCode(file) && discovery.Language(file) != "Shell"
}

// routed are the marks without which a file of a language declares no routes.
var routed = map[string][]string{
	"Go": {`("/`, "Handle"}, "JavaScript": {"'/", `"/`, "`/", "@Controller"}, "TypeScript": {"'/", `"/`, "`/", "@Controller"},
	"Python": {".route(", ".get(", ".post(", ".put(", ".patch(", ".delete(", "path(", "url(", ".register(", ".websocket(", ".api_route("},
	"Rust":   {".route(", "#[get", "#[post", "#[put", "#[patch", "#[delete"}, "C#": {".Map", "[Http"}, "PHP": {"Route", "->"},
	"Java": {"Mapping", "@Path", "@GET", "@POST", `"/`}, "Kotlin": {"Mapping", "@Path", "get(", "post(", "put(", "patch(", "delete(", "webSocket("},
}

const verbWords = `get|post|put|patch|delete|del|head|options|all`

// frameworks are the ways to declare routes.
type framework struct {
	langs string
	file  func() *regexp.Regexp // the file's name has to fit
	needs func() *regexp.Regexp // the file has to hold it
	route func() *regexp.Regexp // groups: method, path; see swap
	swap  bool                  // path comes first
}

var frameworks = []framework{
	// Express, Koa, Fastify, Hono: router.get('/x', handler)
	{langs: "JavaScript TypeScript", route: pattern.Late(`(?:\b(?:app|router|server|fastify|routes?|\w*Router|\w*Routes|\w*App)|\)\s*)\.(` + verbWords + `)\(\s*["'` + "`" + `](/[^"'` + "`" + `\n]*|\*)["'` + "`" + `]\s*,`),
		needs: pattern.Late(`express|fastify|[kK]oa|[hH]ono|[rR]outer|restify|polka|elysia`)},
	{langs: "JavaScript TypeScript", route: pattern.Late(`\.route\(\s*\{\s*method:\s*["'](\w+)["']\s*,\s*(?:url|path):\s*["']([^"'\n]+)["']`)},
	// Go: http.HandleFunc("GET /x", h), r.Get("/x", h), e.GET("/x", h)
	{langs: "Go", route: pattern.Late(`\.(Handle|HandleFunc)\(\s*"([^"\n]*/[^"\n]*)"\s*,`)},
	{langs: "Go", route: pattern.Late(`\.(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|Get|Post|Put|Patch|Delete|Head|Options)\(\s*"(/[^"\n]*)"\s*,`),
		needs: pattern.Late(`go-chi/chi|gin-gonic/gin|labstack/echo|gofiber/fiber|gorilla/mux|julienschmidt/httprouter|http\.Handler|Router|\bgin\.|\becho\.|\bchi\.|\bfiber\.`)},
	// Flask, FastAPI, Sanic: @app.get("/x"), @bp.route("/x", methods=["POST"])
	{langs: "Python", route: pattern.Late(`@\w+(?:\.\w+)*\.(route|api_route|get|post|put|patch|delete|head|options|websocket)\(\s*["']([^"'\n]*)["']([^)]*)`)},
	// Django: path("x/", view)
	{langs: "Python", file: pattern.Late(`(^|/)urls\.py$|/urls/`), route: pattern.Late(`\b(path|re_path|url)\(\s*r?["']([^"'\n]*)["']\s*,`)},
	{langs: "Python", file: pattern.Late(`(^|/)(urls|routers?|api)\.py$`), route: pattern.Late(`\.(register)\(\s*r?["']([\w/-]+)["']\s*,`)},
	// Actix, Rocket: #[get("/x")]; axum: .route("/x", get(h))
	{langs: "Rust", route: pattern.Late(`#\[(get|post|put|patch|delete|head|options)\(\s*"([^"\n]+)"`)},
	{langs: "Rust", swap: true, route: pattern.Late(`\.route\(\s*"([^"\n]+)"\s*,\s*(?:\w+::)*((?:get|post|put|patch|delete|head|any)(?:_service)?)\b([^;\n]*)`)},
	// ASP.NET: app.MapGet("/x", …)
	{langs: "C#", route: pattern.Late(`\.Map(Get|Post|Put|Patch|Delete|Hub|GrpcService)(?:<\w+>)?\(\s*"([^"\n]*)"`)},
	// Laravel: Route::get('/x', …)
	{langs: "PHP", route: pattern.Late(`Route::(` + verbWords + `|any|resource|apiResource|match)\(\s*["']([^"'\n]*)["']`)},
	{langs: "PHP", route: pattern.Late(`(?:\$(?:app|router|group|r)|Router)->(` + verbWords + `)\(\s*["'](/?[^"'\n]*)["']\s*,`)},
	{langs: "PHP", swap: true, route: pattern.Late(`#\[Route\(\s*(?:path:\s*)?["']([^"'\n]+)["'](?:[^\]]*methods:\s*\[?\s*["'](\w+)["'])?`)},
	// Rails, Hanami, Sinatra, Phoenix
	{langs: "Ruby", file: pattern.Late(`routes`), route: pattern.Late(`(?m)^\s*(get|post|put|patch|delete|match|resources?|mount)\s*\(?\s*(?:\w+\s*=>\s*)?[:"']([\w/:.()*-]+)`)},
	{langs: "Ruby", needs: pattern.Late(`[sS]inatra|Grape::API|Roda`), route: pattern.Late(`(?m)^\s*(get|post|put|patch|delete)\s*\(?\s*["']([^"'\n]+)["']`)},
	{langs: "Elixir", file: pattern.Late(`router`), route: pattern.Late(`(?m)^\s*(get|post|put|patch|delete|resources|live)\s*\(?\s*"([^"\n]+)"\s*,`)},
	// Ktor, Javalin, Spark: get("/x") {
	{langs: "Kotlin", needs: pattern.Late(`routing|Route\b|Routing|Javalin|router`), route: pattern.Late(`(?m)(?:^|[\s.])(get|post|put|patch|delete|webSocket)\(\s*"([^"\n]*)"\s*\)?\s*[{,]`)},
	{langs: "Java", needs: pattern.Late(`Javalin|spark\.Spark|io\.vertx|RouterFunction`), route: pattern.Late(`\b(get|post|put|patch|delete|GET|POST|PUT|DELETE)\(\s*"(/[^"\n]*)"\s*,`)},
	// Vapor, Shelf
	{langs: "Dart", route: pattern.Late(`(?:router|app)(?:\.\.|\.)(get|post|put|patch|delete)\(\s*'(/[^'\n]*)'\s*,`)},
}

var (
	flaskMethods  = pattern.Late(`methods\s*=\s*[\[(]([^\])]*)`)
	quotedWord    = pattern.Late(`["'](\w+)["']`)
	axumMethods   = pattern.Late(`\.(get|post|put|patch|delete)\(`)
	filePrefix    = pattern.Late(`(?:APIRouter|Blueprint)\([^)]*?(?:url_)?prefix\s*=\s*["']([^"']*)["']`)
	newRouter     = pattern.Late(`(?:const|let|var)\s+(\w+)(?:\s*:\s*\w+)?\s*=\s*(?:await\s+)?(?:new\s+)?(?:express(?:\.Router)?|Router|fastify|Fastify|Hono|Koa|KoaRouter|OpenAPIHono|Elysia|polka)\b`)
	usualRouter   = pattern.Late(`^(?:app|router|server|fastify|routes?|\w*Router|\w*Routes|\w*App)$`)
	nestVerb      = pattern.Late(`@(Get|Post|Put|Patch|Delete|All|Sse)\(\s*(?:["'` + "`" + `]([^"'` + "`" + `]*)["'` + "`" + `])?\s*[,)]`)
	nestBase      = pattern.Late(`@Controller\(\s*(?:\{[^}]*path:\s*)?(?:["'` + "`" + `]([^"'` + "`" + `]*)["'` + "`" + `])?`)
	springVerb    = pattern.Late(`@(Get|Post|Put|Patch|Delete|Request)Mapping\b\s*(\([^)]*\))?`)
	springType    = pattern.Late(`(?m)^\s*(?:public\s+|open\s+|abstract\s+|final\s+|internal\s+)*(?:class|interface)\s+\w+`)
	quotedPath    = pattern.Late(`"([^"\n]*)"`)
	requestVerb   = pattern.Late(`RequestMethod\.(\w+)`)
	jaxPath       = pattern.Late(`@Path\(\s*"([^"\n]*)"\s*\)`)
	jaxVerb       = pattern.Late(`@(GET|POST|PUT|PATCH|DELETE)\b`)
	aspVerb       = pattern.Late(`\[Http(Get|Post|Put|Patch|Delete)(?:\(\s*"([^"\n]*)")?`)
	aspBase       = pattern.Late(`\[Route\(\s*"([^"\n]*)"`)
	aspClass      = pattern.Late(`\bclass\s+(\w+?)Controller\b`)
	clientCalling = pattern.Late(`\b(?:axios|http|client|request|agent|supertest|fetch|session|requests|httpx)\b[^;\n]*$`)
)

// readRoutes finds the routes that code declares.
func readRoutes(v *version) (out []item) {
	v.mask()
	text := string(v.code)
	if marks := routed[v.lang]; marks != nil && !slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(text, m) }) {
		return nil
	}
	add := func(method, p string, at int) {
		if it, ok := routeItem(method, p, v.line(at)); ok {
			out = append(out, it)
		}
	}
	prefix := ""
	if m := filePrefix().FindAllStringSubmatch(text, -1); len(m) == 1 {
		prefix = m[0][1]
	}
	for i := range frameworks {
		f := &frameworks[i]
		if !slices.Contains(strings.Fields(f.langs), v.lang) || f.file != nil && !f.file().MatchString(v.path) {
			continue
		}
		found := f.route().FindAllStringSubmatchIndex(text, -1)
		if len(found) > 0 && f.needs != nil && !f.needs().MatchString(text) {
			continue
		}
		for _, m := range found {
			method, p := text[m[2]:m[3]], ""
			if f.swap {
				p = method
				method = ""
				if m[4] >= 0 {
					method = text[m[4]:m[5]]
				}
			} else if m[4] >= 0 {
				p = text[m[4]:m[5]]
			}
			rest := ""
			if len(m) > 6 && m[6] >= 0 {
				rest = text[m[6]:m[7]]
			}
			if v.lang == "JavaScript" || v.lang == "TypeScript" {
				start := strings.LastIndexByte(text[:m[0]], '\n') + 1
				if clientCalling().MatchString(text[start:m[0]]) {
					continue
				}
			}
			switch {
			case v.lang == "Python" && (method == "route" || method == "api_route"):
				methods := flaskMethods().FindStringSubmatch(rest)
				if methods == nil {
					add("GET", prefix+p, m[0])
					continue
				}
				for _, w := range quotedWord().FindAllStringSubmatch(methods[1], -1) {
					add(w[1], prefix+p, m[0])
				}
			case v.lang == "Python" && (method == "path" || method == "re_path" || method == "url" || method == "register"):
				add("", "/"+strings.TrimPrefix(p, "/"), m[0])
			case v.lang == "Go" && (method == "Handle" || method == "HandleFunc"):
				verb, at, ok := strings.Cut(p, " ")
				if !ok {
					verb, at = "", p
					if mm := gorillaMethods().FindStringSubmatch(text[m[1]:min(len(text), m[1]+200)]); mm != nil {
						verb = mm[1]
					}
				}
				add(verb, strings.TrimSpace(at), m[0])
			case f.swap && v.lang == "Rust":
				add(method, p, m[0])
				for _, w := range axumMethods().FindAllStringSubmatch(rest, -1) {
					add(w[1], p, m[0])
				}
			default:
				add(method, prefix+p, m[0])
			}
		}
	}
	switch v.lang {
	case "JavaScript", "TypeScript":
		for _, m := range newRouter().FindAllStringSubmatch(text, 20) {
			if usualRouter().MatchString(m[1]) {
				continue // found above
			}
			own := regexp.MustCompile(`\b` + regexp.QuoteMeta(m[1]) + `\.(` + verbWords + `)\(\s*["'` + "`" + `](/[^"'` + "`" + `\n]*)["'` + "`" + `]\s*,`)
			for _, w := range own.FindAllStringSubmatchIndex(text, -1) {
				add(text[w[2]:w[3]], text[w[4]:w[5]], w[0])
			}
		}
		if base := nestBase().FindStringSubmatchIndex(text); base != nil {
			for _, w := range nestVerb().FindAllStringSubmatchIndex(text, -1) {
				add(text[w[2]:w[3]], join(group(text, base, 1), group(text, w, 2)), w[0])
			}
		}
	case "Java", "Kotlin":
		out = append(out, springRoutes(v, text)...)
	case "C#":
		if class := aspClass().FindStringSubmatchIndex(text); class != nil {
			base := ""
			for _, w := range aspBase().FindAllStringSubmatchIndex(text, -1) {
				if w[0] < class[0] {
					base = group(text, w, 1)
				}
			}
			base = strings.ReplaceAll(base, "[controller]", strings.ToLower(group(text, class, 1)))
			for _, w := range aspVerb().FindAllStringSubmatchIndex(text, -1) {
				add(text[w[2]:w[3]], join(base, group(text, w, 2)), w[0])
			}
		}
	}
	return out
}

var gorillaMethods = pattern.Late(`^[^\n;]*\.Methods\(\s*(?:"|http\.Method)(\w+)`)

func group(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

// join puts a path below another one.
func join(base, p string) string {
	if strings.HasPrefix(p, "~/") {
		return p[1:]
	}
	out := "/" + strings.Trim(base, "/")
	if p = strings.Trim(p, "/"); p != "" {
		out = strings.TrimSuffix(out, "/") + "/" + p
	}
	return out
}

// springRoutes reads the annotations of Spring and JAX-RS: those before the type give what stands before every path.
func springRoutes(v *version, text string) (out []item) {
	types := springType().FindAllStringIndex(text, -1)
	if types == nil {
		return nil
	}
	add := func(method, p string, at int) {
		if it, ok := routeItem(method, p, v.line(at)); ok {
			out = append(out, it)
		}
	}
	base := ""
	if strings.Contains(text, "Client(") && strings.Contains(text, "@FeignClient") {
		return nil
	}
	for _, m := range springVerb().FindAllStringSubmatchIndex(text, -1) {
		arguments := group(text, m, 2)
		p := ""
		if q := quotedPath().FindStringSubmatch(arguments); q != nil {
			p = q[1]
		}
		if m[0] < types[0][0] {
			base = p
			continue
		}
		method := group(text, m, 1)
		if method == "Request" {
			method = ""
			if r := requestVerb().FindStringSubmatch(arguments); r != nil {
				method = r[1]
			}
		}
		add(method, join(base, p), m[0])
	}
	jax := jaxPath().FindAllStringSubmatchIndex(text, -1)
	base = ""
	for _, m := range jax {
		if m[0] < types[0][0] {
			base = group(text, m, 1)
		}
	}
	if !strings.Contains(text, "jakarta.ws.rs") && !strings.Contains(text, "javax.ws.rs") {
		return out
	}
	for _, m := range jaxVerb().FindAllStringSubmatchIndex(text, -1) {
		p := ""
		for _, q := range jax { // right below or above the verb
			if q[0] > types[0][0] && abs(v.line(q[0])-v.line(m[0])) <= 2 {
				p = group(text, q, 1)
			}
		}
		add(group(text, m, 1), join(base, p), m[0])
	}
	return out
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// routeItem is a route. ok is false for what is no path.
func routeItem(method, p string, line int) (it item, ok bool) {
	method = strings.ToUpper(method)
	switch method {
	case "DEL":
		method = "DELETE"
	case "ALL", "ANY", "MATCH", "HANDLE", "HANDLEFUNC", "REQUEST", "PATH", "RE_PATH", "URL", "REGISTER":
		method = ""
	case "GET_SERVICE":
		method = "GET"
	case "RESOURCES", "RESOURCE", "APIRESOURCE":
		method = "resource"
	}
	if p = word(p); p == "" {
		p = "/"
	}
	if len(p) > 150 || strings.ContainsAny(p, " <>") && !strings.Contains(p, "<") {
		return it, false
	}
	if !strings.HasPrefix(p, "/") && p != "*" {
		p = "/" + p
	}
	name := strings.TrimSpace(method + " " + p)
	return item{signal: signalRoute, key: "route:" + name, name: name, line: line}, true
}

var (
	routeGroup  = pattern.Late(`\([^)]*\)/`) // a folder that is not in the path
	nextRoute   = pattern.Late(`(?:^|/)app/(.*?)/?route\.(?:ts|js|tsx)$`)
	nextPages   = pattern.Late(`(?:^|/)pages/(api/.*)\.(?:ts|js)$`)
	svelteRoute = pattern.Late(`(?:^|/)src/routes/(.*?)/?\+server\.(?:ts|js)$`)
	verbExport  = pattern.Late(`(?m)^export\s+(?:const|async\s+function|function)\s+(GET|POST|PUT|PATCH|DELETE)\b`)
)

func isFileRoute(file string) bool {
	return nextRoute().MatchString(file) || nextPages().MatchString(file) || svelteRoute().MatchString(file)
}

// readFileRoute reads the routes of frameworks where the path of a file is the path of the route.
func readFileRoute(v *version) (out []item) {
	p := ""
	for _, re := range []*regexp.Regexp{nextRoute(), svelteRoute(), nextPages()} {
		if m := re.FindStringSubmatch(v.path); m != nil {
			p = strings.TrimSuffix(m[1], "/index")
			break
		}
	}
	p = routeGroup().ReplaceAllString(p, "")
	v.mask()
	all := verbExport().FindAllSubmatchIndex(v.code, -1)
	for _, m := range all {
		if it, ok := routeItem(string(v.code[m[2]:m[3]]), "/"+p, v.line(m[0])); ok {
			out = append(out, it)
		}
	}
	if len(all) == 0 {
		if it, ok := routeItem("", "/"+p, 1); ok {
			out = append(out, it)
		}
	}
	return out
}

func isOpenAPI(file string) bool {
	b := strings.ToLower(base(file))
	ext := path.Ext(b)
	return (ext == ".yaml" || ext == ".yml" || ext == ".json") && (strings.Contains(b, "openapi") || strings.Contains(b, "swagger")) && b != "openapitools.json"
}

func readOpenAPI(v *version) (out []item) {
	t, err := discovery.ReadTree(base(v.path), v.text)
	if err != nil {
		v.broken = true
		return nil
	}
	paths, _ := t["paths"].(map[string]any)
	for _, p := range sortedKeys(paths) {
		verbs, _ := paths[p].(map[string]any)
		for _, verb := range sortedKeys(verbs) {
			if slices.Contains(strings.Split(verbWords, "|"), verb) {
				if it, ok := routeItem(verb, p, v.find(p)); ok {
					out = append(out, it)
				}
			}
		}
	}
	return out
}
