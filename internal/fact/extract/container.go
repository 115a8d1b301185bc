package extract

import (
	"fmt"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

func isDockerfile(file string) bool {
	b := base(file)
	return b == "Dockerfile" || b == "Containerfile" || strings.HasPrefix(b, "Dockerfile.") || strings.HasSuffix(b, ".Dockerfile") || strings.HasSuffix(b, ".dockerfile")
}

// image cuts the reference of an image into its name and tag.
func image(ref string) (name, tag string) {
	ref, _, _ = strings.Cut(ref, "@")
	if strings.ContainsAny(ref, "${}") || ref == "" {
		return "", ""
	}
	name, tag = ref, ""
	if i := strings.LastIndexByte(ref, ':'); i > strings.LastIndexByte(ref, '/') {
		name, tag = ref[:i], ref[i+1:]
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, "docker.io/"), "library/"), tag
}

var tagVersion = pattern.Late(`^v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)*`)

// single are the images whose first number alone tells a version of meaning.
var single = pattern.Words(`node postgres mysql mariadb redis mongo alpine debian ubuntu openjdk eclipse-temurin amazoncorretto nginx rabbitmq elasticsearch gradle maven`)

var tagNumbers = pattern.Late(`[0-9][0-9.]*`)

// imageValue is what counts of an image: its name, its version without the patch level, and the variant of its tag.
func imageValue(name, tag string) string {
	m := tagVersion().FindStringSubmatch(tag)
	if m == nil {
		return name + ":" + tag
	}
	rest := tagNumbers().ReplaceAllString(tag[len(m[0]):], "")
	v := m[1] + m[2]
	if single()[name[strings.LastIndexByte(name, '/')+1:]] {
		v = m[1]
	}
	return name + ":" + v + rest
}

func readDockerfile(v *version) (out []item) {
	stages := map[string]bool{"scratch": true}
	args := map[string]string{}
	last, n, from := "", 0, 0
	var ports []string
	user := item{}
	for l := range strings.Lines(string(v.text)) {
		n++
		words := strings.Fields(l)
		if len(words) < 2 {
			continue
		}
		switch strings.ToUpper(words[0]) {
		case "ARG":
			if name, value, ok := strings.Cut(words[1], "="); ok && from == 0 {
				args[name] = strings.Trim(value, `"'`)
			}
		case "FROM":
			from++
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "--") {
				words = words[1:]
			}
			if len(words) == 0 {
				continue
			}
			ref := words[0]
			for name, value := range args {
				ref = strings.ReplaceAll(strings.ReplaceAll(ref, "${"+name+"}", value), "$"+name, value)
			}
			stage := fmt.Sprint(from)
			if len(words) > 2 && strings.EqualFold(words[1], "as") {
				stage = words[2]
			}
			if name, tag := image(ref); name != "" && !stages[ref] {
				last = name + colon(tag)
				out = append(out, item{signal: signalContainer, key: "image:" + v.path + ":" + stage, value: imageValue(name, tag), name: "image", show: word(last), scope: "image", line: n})
			}
			stages[stage] = true
			user = item{}
		case "EXPOSE":
			for _, p := range words[1:] {
				if strings.Trim(p, "0123456789/tcpud") == "" {
					ports = append(ports, strings.TrimSuffix(p, "/tcp"))
				}
			}
			if len(ports) > 0 {
				show := strings.Join(ports, ", ")
				out = append(out, item{signal: signalContainer, key: "expose:" + v.path, value: show, name: word(v.path), show: show, scope: "port", note: "expose", line: n})
			}
		case "USER":
			user = item{signal: signalContainer, key: "user:" + v.path, value: words[1], name: "user", show: word(words[1]), scope: "user", line: n}
		}
	}
	if user.key != "" {
		out = append(out, user)
	}
	return append(out, item{signal: signalContainer, key: "dockerfile:" + v.path, name: word(v.path), show: word(last), scope: "file", line: 1})
}

func colon(tag string) string {
	if tag == "" {
		return ""
	}
	return ":" + tag
}

func isCompose(file string) bool {
	b := base(file)
	return (strings.HasPrefix(b, "docker-compose") || strings.HasPrefix(b, "compose.") || strings.HasPrefix(b, "compose-")) && (strings.HasSuffix(b, ".yml") || strings.HasSuffix(b, ".yaml"))
}

func readCompose(v *version) (out []item) {
	t, err := discovery.ReadTree("compose.yaml", v.text)
	if err != nil {
		v.broken = true
		return nil
	}
	services, _ := t["services"].(map[string]any)
	for _, name := range sortedKeys(services) {
		s, _ := services[name].(map[string]any)
		ref, _ := s["image"].(string)
		img, tag := image(ref)
		it := item{signal: signalContainer, key: "service:" + name, name: word(name), scope: "service", line: v.find(name + ":")}
		if img != "" {
			it.value, it.show = imageValue(img, tag), word(img+colon(tag))
		}
		out = append(out, it)
		ports, _ := s["ports"].([]any)
		var list []string
		for _, p := range ports {
			text := fmt.Sprint(p)
			if m, ok := p.(map[string]any); ok {
				text = fmt.Sprint(m["published"])
			}
			if strings.Trim(text, "0123456789.:/tcpud-") == "" {
				list = append(list, text)
			}
		}
		if len(list) > 0 {
			show := word(strings.Join(list, ", "))
			out = append(out, item{signal: signalContainer, key: "port:" + name, value: show, name: word(name), show: show, scope: "port", line: v.find(list[0])})
		}
		env, _ := s["environment"].(map[string]any)
		if listed, ok := s["environment"].([]any); ok {
			env = map[string]any{}
			for _, e := range listed {
				key, value, _ := strings.Cut(fmt.Sprint(e), "=")
				env[key] = value
			}
		}
		for _, key := range sortedKeys(env) {
			if envName().MatchString(key) {
				value := ""
				if env[key] != nil {
					value = fmt.Sprint(env[key])
				}
				e := envItem(key, value, v.find(key), "declared", 0.8)
				if img != "" { // of another project's image
					e.sure = 0.6
					e.name = ""
				}
				out = append(out, e)
			}
		}
	}
	return out
}

func isTerraform(file string) bool { return strings.HasSuffix(file, ".tf") }

var terraformBlock = pattern.Late(`(?m)^(resource|module|provider|data)\s+"([^"\n]+)"(?:\s+"([^"\n]+)")?`)
var terraformNeed = pattern.Late(`required_version\s*=\s*"([^"]+)"`)

// smallResources are parts of other resources.
var smallResources = pattern.Late(`_(policy|policy_document|attachment|association|rule|role|tag|tags|acl|record|public_access_block|versioning|permission|alarm|version|member|binding)$`)

func readTerraform(v *version) (out []item) {
	v.mask()
	for _, m := range terraformBlock().FindAllSubmatchIndex(v.code, -1) {
		kind, typ := string(v.code[m[2]:m[3]]), string(v.code[m[4]:m[5]])
		name := ""
		if m[6] >= 0 {
			name = string(v.code[m[6]:m[7]])
		}
		if kind == "data" || kind == "resource" && smallResources().MatchString(typ) {
			continue
		}
		what := "Terraform " + kind
		full := typ
		if name != "" {
			full += "." + name
		}
		out = append(out, item{signal: signalInfra, key: "terraform:" + dirKey(v.path) + kind + "." + full, name: word(full), note: what, line: v.line(m[0])})
	}
	if m := terraformNeed().FindStringSubmatch(string(v.code)); m != nil {
		out = append(out, toolchain("Terraform", m[1], v, 0.9))
	}
	return out
}
