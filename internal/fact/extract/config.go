package extract

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// telling are the words in the names of settings whose value a reader wants to know.
var telling = pattern.Words(`timeout timeouts port ttl retry retries attempts limit limits max min maximum minimum interval concurrency workers threads pool replicas enabled enable disabled disable
	feature features flag flags mode driver backend provider strategy engine adapter rate quota burst size batch backoff delay expiry expires expiration lifetime age cooldown threshold
	capacity window heartbeat keepalive keepalives deadline strict target level ratio sample sampling count period seconds minutes hours days ms allowed`)

// hidden are the words in names whose values are never shown.
var hidden = pattern.Words(`key keys token tokens secret secrets password passwd pass pwd credential credentials dsn private salt cert certificate auth signature username user login account webhook cookie`)

// nameWords cuts a name at its marks and humps, in lower case.
func nameWords(name string) (words []string) {
	start := 0
	runes := []rune(name)
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
	}
	lower := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
	upper := func(r rune) bool { return r >= 'A' && r <= 'Z' }
	for i, r := range runes {
		switch {
		case !lower(r) && !upper(r):
			flush(i)
			start = i + 1
		case upper(r) && i > start && (lower(runes[i-1]) || i+1 < len(runes) && lower(runes[i+1]) && upper(runes[i-1])):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return words
}

func hasWord(name string, set map[string]bool) bool {
	return slices.ContainsFunc(nameWords(name), func(w string) bool { return set[w] })
}

var plainValue = pattern.Late(`^(?:-?[0-9][0-9_.,]*\s?[A-Za-z%]{0,8}|(?i:true|false|on|off|yes|no)|[A-Za-z][A-Za-z0-9_+.-]{0,30})$`)

// plain returns the value of a setting as it can be shown, "" for one that is long, secret or a place.
func plain(name string, value any) string {
	var text string
	switch v := value.(type) {
	case string:
		text = strings.Trim(strings.TrimSpace(v), `"'`)
	case bool, int, int64, uint64, float64:
		text = fmt.Sprint(v)
		if f, ok := v.(float64); ok {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
	default:
		return ""
	}
	numeric := strings.Trim(text, "0123456789._") == "" || strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
	if secretive := hasWord(name, hidden()); secretive && !(numeric && hasWord(name, telling()) && len(text) < 9) || !plainValue().MatchString(text) || len(text) > 16 && strings.ContainsAny(text, "0123456789") {
		return ""
	}
	return text
}

var envNames = pattern.Words(`.env.example .env.sample .env.template .env.dist .env.defaults env.example env.sample example.env .envrc.example sample.env .env.development .env.test .env.production .env.local.example`)

func isEnvExample(file string) bool { return envNames()[base(file)] }

func readEnvExample(v *version) (out []item) {
	n := 0
	for l := range strings.Lines(string(v.text)) {
		n++
		l = strings.TrimPrefix(strings.TrimSpace(l), "export ")
		name, value, ok := strings.Cut(l, "=")
		if name = strings.TrimSpace(name); !ok || !envName().MatchString(name) {
			continue
		}
		if i := strings.Index(value, " #"); i >= 0 {
			value = value[:i]
		}
		out = append(out, envItem(name, value, n, "declared", 0.9))
	}
	return out
}

var envName = pattern.Late(`^[A-Z][A-Z0-9_]{2,}$`)

// ownEnv are the variables of systems and runners.
var ownEnv = pattern.Words(`PATH HOME USER PWD LANG TERM SHELL TMPDIR TEMP TMP CI HOSTNAME NODE_ENV EDITOR DISPLAY GOPATH GOROOT APPDATA LOCALAPPDATA USERPROFILE COLUMNS NO_COLOR WAYLAND_DISPLAY SSH_AUTH_SOCK
	GOMODCACHE GOCACHE GOFLAGS GOPROXY GOOS GOARCH JAVA_HOME CARGO_HOME VIRTUAL_ENV PYTHONPATH KUBECONFIG`)

func envItem(name, value string, line int, note string, sure float64) item {
	it := item{signal: signalConfig, key: "env:" + name, name: word(name), scope: "env", note: note, line: line, sure: sure}
	if hasWord(name, telling()) || hasWord(name, hidden()) {
		it.show = plain(name, value)
	}
	if note == "declared" && hasWord(name, telling()) {
		it.value = it.show
	}
	if ownEnv()[name] || strings.HasPrefix(name, "GITHUB_") || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "npm_") {
		it.name = ""
	}
	return it
}

var (
	envMarks = []string{"env", "Env", "ENV"}
	envReads = pattern.Late(`(?:process\.env\.|import\.meta\.env\.|process\.env\[\s*["'])([A-Z][A-Z0-9_]{2,})` +
		`|(?:\b(?:os\.(?:Getenv|LookupEnv|getenv)|os\.environ\.get|environ\.get|env::var(?:_os)?|System\.getenv|getenv|env|Environment\.GetEnvironmentVariable|System\.get_env|System\.fetch_env!?|ENV\.fetch|env\.(?:str|int|bool|get|list|url)|String\.fromEnvironment|Deno\.env\.get|mustEnv|getEnv|GetEnv)|\benviron|os\.environ|\bENV|\$_ENV)\s*[\(\[]\s*["']([A-Z][A-Z0-9_]{2,})["']` +
		"|`(?:[^`]*\\s)?(?:env|envconfig):\"([A-Z][A-Z0-9_]{2,})")
)

// readEnv finds the environment variables that code reads.
func readEnv(v *version) (out []item) {
	v.each(envMarks, func(n int, line string) {
		for _, m := range envReads().FindAllStringSubmatch(line, -1) {
			for _, name := range m[1:] {
				if name != "" {
					out = append(out, envItem(name, "", n, "read", 0.86))
				}
			}
		}
	})
	return out
}

var (
	flagMarks = []string{"nabled", "Flag", "flag(", "_flag", "ariation(", "eature"}
	flagReads = pattern.Late(`(?:\b(?:is_?[eE]nabled|IsEnabled|isFeatureEnabled|feature_enabled|featureEnabled|FeatureEnabled|is_feature_enabled|useFlag|useFeatureFlag|useFeature|feature_flag|featureFlag|flag_enabled|[bB]oolVariation|bool_variation|IsEnabledAsync|hasFeature|flag_is_active|Feature\.active|Feature::active)|\benabled\?)\s*\(?\s*(?:[\w.]+\s*,\s*)?[:"'` + "`" + `]([A-Za-z][\w.-]{2,60})`)
)

// readFlags finds the feature flags that code asks for.
func readFlags(v *version) (out []item) {
	v.each(flagMarks, func(n int, line string) {
		for _, m := range flagReads().FindAllStringSubmatch(line, -1) {
			out = append(out, item{signal: signalFlag, key: "flag:" + m[1], name: word(m[1]), line: n})
		}
	})
	return out
}

var (
	optionMarks = []string{"flag", "Flag", "fs.", "argument", "option", "Option", "arg(", "Use:", "Arg", "command("}
	optionReads = pattern.Late(`(?:add_argument|\.option|click\.option|@option|typer\.Option|Option|addOption)\(\s*(?:["']-\w["']\s*,\s*)?["'](?:-\w,?\s+)?(--[a-z][\w-]+)` +
		`|(?:\bflag\.|Flags\(\)\.|\bfs\.|\bflags\.|\bflagSet\.)(?:String|Bool|Int|Int64|Uint|Float64|Duration|StringSlice|StringArray)(?:Var)?P?\(\s*(?:&?[\w.]+\s*,\s*)?["']([a-z][\w-]+)["']`)
	clapArg = pattern.Late(`#\[(?:arg|clap)\([^)\]]*\blong\b(?:\s*=\s*"([\w-]+)")?[^\]]*\]\s*(?:pub\s+)?(\w+)\s*:`)
	command = pattern.Late(`\bUse:\s*"([a-z][\w-]*)`)
)

// readOptions finds the options and commands of command lines.
func readOptions(v *version) (out []item) {
	v.mask()
	add := func(name string, n int) {
		if strings.Trim(name, "-") != "" {
			out = append(out, item{signal: signalOption, key: "option:" + name, name: word(name), line: n})
		}
	}
	v.each(optionMarks, func(n int, line string) {
		for _, m := range optionReads().FindAllStringSubmatch(line, -1) {
			for _, name := range m[1:] {
				if name != "" {
					add("--"+strings.TrimPrefix(name, "--"), n)
				}
			}
		}
	})
	if v.lang == "Rust" && (strings.Contains(string(v.code), "#[arg") || strings.Contains(string(v.code), "#[clap")) {
		for _, m := range clapArg().FindAllSubmatchIndex(v.code, -1) {
			name := strings.ReplaceAll(string(v.code[m[4]:m[5]]), "_", "-")
			if m[2] >= 0 {
				name = string(v.code[m[2]:m[3]])
			}
			add("--"+name, v.line(m[0]))
		}
	}
	if v.lang == "Go" && strings.Contains(string(v.code), "cobra.Command") {
		v.each([]string{"Use:"}, func(n int, line string) {
			for _, m := range command().FindAllStringSubmatch(line, -1) {
				add(m[1], n)
			}
		})
	}
	return out
}

// constantLine is a name that is given a number or a duration where it is declared.
var constantLine = pattern.Late(`^[ \t]*(?:(?:pub(?:\(\w+\))?|public|private|protected|internal|export|static|final|const|readonly|val|var|let|int|long|double|float|Integer|Long|Duration|TimeSpan|private\[this\])\s+)*` +
	`\$?(\w+)(?:\s*:\s*[\w<>.]+)?(?:\s+[\w.]+)?\s*:?=\s*((?:-?[0-9][0-9_.]*(?:[a-z_0-9]*)?(?:\s*\*\s*[\w.]+)*)|[\w.:]*(?:[oO]f|from_?|From)(?:[sS]ec(?:ond)?s|[mM]inutes|[mM]illi(?:second)?s|[hH]ours|[dD]ays)\(\s*[0-9_.]+\s*\)|time\.\w+|[0-9_]+\.(?:seconds|minutes|hours|days)|timedelta\([a-z]+=[0-9_.]+\))\s*[;,]?[ \t]*$`)

// readConstants finds the numbers that are given names: limits, timeouts and the like. Only those are taken whose name
// says so, and which are declared for a whole file or type.
func readConstants(v *version) (out []item) {
	v.mask()
	at := depths(v.bare)
	dir := path.Dir(v.path)
	v.each([]string{"="}, func(n int, line string) {
		name, _, _ := strings.Cut(line, "=")
		if strings.ContainsAny(name, "(.\"'[") || !hasWord(name, telling()) {
			return
		}
		m := constantLine().FindStringSubmatch(line)
		if m == nil || !hasWord(m[1], telling()) || len(m[1]) < 4 {
			return
		}
		name, value := m[1], strings.Join(strings.Fields(m[2]), " ")
		depth := at[min(n-1, len(at)-1)]
		capital := name == strings.ToUpper(name)
		indented := line != strings.TrimLeft(line, " \t")
		switch {
		case v.lang == "Python" || v.lang == "Ruby" || v.lang == "Elixir":
			if !capital && (v.lang != "Python" || indented) {
				return
			}
		case depth > 1, depth == 1 && !constantWord().MatchString(line) && !capital, v.lang == "Go" && depth > 0:
			return
		}
		out = append(out, item{signal: signalConstant, key: "const:" + dir + "." + name, value: value, name: word(name), show: word(value), line: n})
	})
	return out
}

var constantWord = pattern.Late(`\b(?:const|final|readonly|static)\b`)

// argument is a number or a duration that is given to something by a name: a field, an option, a keyword.
var argument = pattern.Late(`(?:^|[\s({,.])["']?(\w*?)["']?\s*(?::|=|=>|:=)\s*((?:[0-9][0-9_.]*(?:\s*\*\s*[\w.]+)*|["'][0-9]+\s?(?:ms|s|m|h|d|sec|min|seconds?|minutes?|hours?|days?)["']|[\w.:]*(?:[oO]f|from_)(?:[sS]ec(?:ond)?s|[mM]inutes|[mM]illis|[hH]ours|[dD]ays)\([0-9_]+\)|time\.(?:Second|Minute|Hour)))\s*(?:[,;)}]|$)`)

var argumentMarks = []string{"imeout", "TIMEOUT", "ttl", "TTL", "Ttl", "etr", "ttempts", "imit", "oncurrency", "orkers", "hreads", "ool", "xpir", "ort", "nterval", "axAge", "ackoff"}

// strong are the words in the names of arguments whose change a reader wants to know.
var strong = pattern.Words(`timeout timeouts ttl retry retries attempts limit concurrency workers threads pool expires expiry expiration port interval maxage backoff`)

// readArguments finds the timeouts, limits and the like that stand in code where they are used. A name that stands more
// than once in a file tells nothing: which of them changed is not known.
func readArguments(v *version) (out []item) {
	seen := map[string]int{}
	v.each([]string{":", "="}, func(n int, line string) {
		for _, m := range argument().FindAllStringSubmatch(line, 20) {
			name := m[1]
			if len(name) < 3 || !hasWord(name, strong()) {
				continue
			}
			if seen[name]++; seen[name] == 1 {
				out = append(out, item{signal: signalConstant, key: "value:" + v.path + ":" + name, value: strings.Join(strings.Fields(m[2]), " "), name: word(name), show: word(strings.Trim(m[2], `"'`)), line: n, sure: 0.78})
			}
		}
	})
	declared := map[string]bool{}
	for _, it := range readConstants(v) {
		declared[it.name] = true
	}
	return slices.DeleteFunc(out, func(it item) bool { return seen[it.name] > 1 || declared[it.name] })
}

func isConfig(file string) bool {
	b, ext := strings.ToLower(base(file)), strings.ToLower(path.Ext(file))
	switch ext {
	case ".yml", ".yaml", ".toml", ".json", ".properties", ".ini", ".conf":
	default:
		return false
	}
	switch {
	case isDependencyFile(file), isToolchainFile(file), isWorkflow(file), isOtherCI(file), isCompose(file), strings.HasPrefix(file, ".github/"), isOpenAPI(file), b == "package.json":
		return false
	case toolOf(file) != "" && b != "tsconfig.json":
		return false
	case b == "tsconfig.json", strings.HasPrefix(b, "application"), strings.HasPrefix(b, "appsettings"), strings.HasPrefix(b, "settings."), strings.HasPrefix(b, "config."), strings.HasPrefix(b, "values"),
		strings.HasPrefix(b, "feature"), strings.HasPrefix(b, "flags"), strings.HasPrefix(b, "defaults."), ext == ".properties" && !strings.Contains(b, "messages"), ext == ".conf":
		return true
	}
	for _, dir := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
		switch dir {
		case "locales", "locale", "i18n", "translations", "lang":
			return false
		case "config", "conf", "configs", "settings", "etc", "deploy", "k8s", "helm", "flags", "features", "configuration":
			return true
		}
	}
	return false
}

// flagKeys are the parts of keys below which feature flags stand.
var flagKeys = pattern.Words(`features feature flags feature_flags featureflags feature-flags toggles feature_toggles featuremanagement experiments`)

// readConfig reads the settings of a file of keys and values.
func readConfig(v *version) (out []item) {
	b := base(v.path)
	stem := strings.TrimSuffix(strings.ToLower(b), path.Ext(b))
	at := v.settings()
	add := func(key string, value any) {
		if len(out) >= 2000 {
			return
		}
		key = word(key)
		show := plain(key, value)
		parts := strings.Split(strings.ToLower(key), ".")
		isFlag := flagKeys()[stem] || slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool { return flagKeys()[p] })
		last := strings.Join(strings.Split(key, ".")[max(0, len(parts)-2):], ".")
		it := item{signal: signalConfig, key: "config:" + b + ":" + key, value: show, name: key, show: show, line: at[key]}
		if it.line == 0 {
			it.line = at[key[strings.LastIndexByte(key, '.')+1:]]
		}
		switch {
		case isFlag:
			name := key
			for i, p := range parts {
				if flagKeys()[p] && i+1 < len(parts) {
					name = strings.Join(strings.Split(key, ".")[i+1:], ".")
				}
			}
			name = strings.TrimSuffix(strings.TrimSuffix(name, ".enabled"), ".default")
			if isProse(key) || show == "" {
				return
			}
			it.signal, it.name, it.key = signalFlag, name, "flag:"+name
		case !hasWord(last, telling()):
			return
		case parts[0] == "version" || parts[len(parts)-1] == "version":
			return
		}
		out = append(out, it)
	}
	switch ext := strings.ToLower(path.Ext(b)); ext {
	case ".properties", ".ini", ".conf":
		section := ""
		for l := range strings.Lines(string(v.text)) {
			l = strings.TrimSpace(l)
			if strings.HasPrefix(l, "[") && strings.HasSuffix(l, "]") {
				section = strings.Trim(l, "[]") + "."
				continue
			}
			if key, value, ok := strings.Cut(l, "="); ok && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, ";") && !strings.HasPrefix(l, "!") {
				add(section+strings.TrimSpace(key), strings.TrimSpace(value))
			}
		}
	default:
		t, err := discovery.ReadTree(b, withoutLineComments(v.text, ext))
		if err != nil {
			v.broken = true
			return nil
		}
		if t["$schema"] != nil && t["properties"] != nil { // no settings: a schema of some
			return nil
		}
		leaves("", t, 0, add)
	}
	return out
}

// isProse reports whether a key below a flag describes it.
func isProse(key string) bool {
	for _, end := range []string{".description", ".owner", ".name", ".title", ".since", ".type", ".expires", ".ticket"} {
		if strings.HasSuffix(strings.ToLower(key), end) {
			return true
		}
	}
	return false
}

var lastComma = pattern.Late(`,(\s*[}\]])`)

// withoutLineComments returns JSON without comment lines, as tsconfig.json has them.
func withoutLineComments(text []byte, ext string) []byte {
	if ext != ".json" {
		return text
	}
	code, _ := blank(text, "Java", "")
	return lastComma().ReplaceAll(code, []byte("$1"))
}

// settings returns the first line that begins with each key, as it is written there.
func (v *version) settings() map[string]int {
	at := map[string]int{}
	n := 0
	for l := range strings.Lines(string(v.text)) {
		n++
		l = strings.TrimLeft(l, " \t\"'-")
		if end := strings.IndexAny(l, ":=\"' \t\n"); end > 0 && at[l[:end]] == 0 {
			at[l[:end]] = n
		}
	}
	return at
}

// leaves calls add for each value below a tree, by key.
func leaves(prefix string, t map[string]any, depth int, add func(key string, value any)) {
	if depth > 8 {
		return
	}
	for _, k := range sortedKeys(t) {
		key := k
		if prefix != "" {
			key = prefix + "." + k
		}
		if sub, ok := t[k].(map[string]any); ok {
			leaves(key, sub, depth+1, add)
		} else {
			add(key, t[k])
		}
	}
}
