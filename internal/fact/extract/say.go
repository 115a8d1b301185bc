package extract

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
)

// Signals.
const (
	signalDependency = "dependency"
	signalToolchain  = "toolchain"
	signalLicence    = "licence"
	signalConfig     = "config"
	signalConstant   = "constant"
	signalFlag       = "flag"
	signalOption     = "option"
	signalRoute      = "route"
	signalSchema     = "schema"
	signalSymbol     = "symbol"
	signalModule     = "module"
	signalCI         = "ci"
	signalTask       = "task"
	signalContainer  = "container"
	signalTool       = "tool"
	signalInfra      = "infrastructure"
	signalADR        = "adr"
	signalMessage    = "message"
)

// saying is a sentence about one change, or about several of a group.
type saying struct {
	content string
	sure    float64

	group string                      // "" for none: sayings with the same one are told together
	least int                         // from how many on
	name  string                      // in the list of the group
	many  func(names []string) string // the sentence of the group

	truths []*truth
}

// say returns what a change is told as. ok is false where nobody would keep it.
func (c *change) say() (s saying, ok bool) {
	it := c.now()
	if it.name == "" || c.gone && dropsWithFile[it.signal] {
		return s, false
	}
	switch it.signal {
	case signalDependency:
		s = c.sayDependency()
	case signalToolchain:
		s = c.sayToolchain()
	case signalLicence:
		s = c.sayLicence()
	case signalConfig:
		s = c.sayConfig()
	case signalConstant:
		s = c.sayConstant()
	case signalFlag:
		s = c.sayFlag()
	case signalOption:
		s = c.sayOption()
	case signalRoute:
		s = c.sayRoute()
	case signalSchema:
		s = c.saySchema()
	case signalSymbol:
		s = c.saySymbol()
	case signalModule:
		s = c.sayModule()
	case signalCI:
		s = c.sayCI()
	case signalTask:
		s = c.sayTask()
	case signalContainer:
		s = c.sayContainer()
	case signalTool:
		s = c.sayTool()
	case signalInfra:
		s = c.sayInfra()
	case signalADR:
		s = c.sayADR()
	}
	if it.sure > 0 && s.sure > 0 {
		s.sure = min(s.sure, it.sure)
	}
	return s, s.content != ""
}

// dropsWithFile are the signals of which nothing is told when the file goes that said it: what went is the module.
var dropsWithFile = map[string]bool{signalDependency: true, signalToolchain: true, signalConfig: true, signalConstant: true, signalTask: true, signalOption: true, signalFlag: true}

func (c *change) file() string { return word(plainPath(c.now().path)) }

// grouped merges the sayings of each group that is large enough.
func grouped(all []*saying) (out []*saying) {
	count := map[string]int{}
	for _, s := range all {
		if s.group != "" {
			count[s.group]++
		}
	}
	of := map[string]*saying{}
	names := map[string][]string{}
	for _, s := range all {
		if s.group == "" || count[s.group] < s.least {
			out = append(out, s)
			continue
		}
		g := of[s.group]
		if g == nil {
			g = s
			of[s.group] = g
			out = append(out, g)
		} else {
			g.truths = append(g.truths, s.truths...)
			g.sure = min(g.sure, s.sure)
		}
		if !slices.Contains(names[s.group], s.name) {
			names[s.group] = append(names[s.group], s.name)
		}
	}
	for key, g := range of {
		g.content = g.many(names[key])
	}
	return out
}

const maxListed = 12

func inFile(file string) func(format string, args ...any) string {
	return func(format string, args ...any) string {
		return fmt.Sprintf(format, args...) + " in " + file + "."
	}
}

func (c *change) sayDependency() saying {
	it := c.now()
	what, sure := "Dependency", 0.9
	if it.scope == "dev" {
		what, sure = "Development dependency", 0.75
	}
	called := it.name
	if it.note != "" {
		called += " (" + it.note + ")"
	}
	in := inFile(c.file())
	switch {
	case c.before == nil:
		s := saying{content: in("%s %s was added", what, versioned(called, it.show)), sure: sure, name: versioned(it.name, it.show)}
		s.group, s.least = "dep+"+it.path+it.scope, 4
		s.many = func(names []string) string {
			return strings.TrimSuffix(in("%s were added", plural(what)), ".") + ": " + listing(names, maxListed) + "."
		}
		if c.fresh {
			s.group, s.least = "dep++"+it.path, 1
			s.many = func(names []string) string {
				return c.file() + " is new and asks for " + listing(names, maxListed) + "."
			}
		}
		return s
	case c.after == nil:
		s := saying{content: fmt.Sprintf("%s %s was removed from %s.", what, called, c.file()), sure: sure, name: it.name}
		s.group, s.least = "dep-"+it.path+it.scope, 4
		s.many = func(names []string) string {
			return fmt.Sprintf("%s were removed from %s: %s.", plural(what), c.file(), listing(names, maxListed))
		}
		return s
	}
	if c.before.show == "" || c.after.show == "" {
		return saying{}
	}
	if strings.HasPrefix(c.before.value, "0.") && strings.HasPrefix(c.after.value, "0.") {
		if it.scope == "dev" || strings.HasPrefix(it.name, "golang.org/x/") {
			return saying{}
		}
		sure = 0.8 // before 1.0 some break with every such step, others never
	}
	verb := "upgraded"
	if newer(c.before.value, c.after.value) {
		verb = "downgraded"
	}
	s := saying{content: in("%s %s was %s from %s to %s", what, called, verb, c.before.show, c.after.show), sure: sure, name: it.name + " to " + it.show}
	s.group, s.least = "dep^"+it.path+it.scope, 5
	s.many = func(names []string) string {
		return strings.TrimSuffix(in("%s changed their major version", plural(what)), ".") + ": " + listing(names, maxListed) + "."
	}
	return s
}

func plural(what string) string { return strings.TrimSuffix(what, "y") + "ies" }

func versioned(name, version string) string {
	if version == "" {
		return name
	}
	if at := strings.Index(name, " ("); at >= 0 {
		return name[:at] + " " + version + name[at:]
	}
	return name + " " + version
}

func (c *change) sayToolchain() saying {
	it := c.now()
	switch {
	case c.after == nil || c.before == nil && c.fresh && isDependencyFile(it.path): // its module is told
		return saying{}
	case c.before == nil:
		return saying{content: fmt.Sprintf("%s %s is required (%s).", it.name, it.show, c.file()), sure: 0.85}
	case c.before.show == "" || it.show == "":
		return saying{}
	}
	return saying{content: fmt.Sprintf("The required %s version changed from %s to %s (%s).", it.name, c.before.show, it.show, c.file()), sure: 0.9}
}

func (c *change) sayLicence() saying {
	switch {
	case c.after == nil && c.gone:
		return saying{}
	case c.after == nil:
		return saying{content: fmt.Sprintf("The licence %s is no longer named in %s.", c.before.show, c.file()), sure: 0.7}
	case c.before == nil && c.fresh && c.after.note != "file":
		return saying{}
	case c.before == nil:
		return saying{content: fmt.Sprintf("The licence is %s (%s).", c.after.show, c.file()), sure: 0.9}
	}
	return saying{content: fmt.Sprintf("The licence changed from %s to %s (%s).", c.before.show, c.after.show, c.file()), sure: 0.95}
}

func (c *change) sayConfig() saying {
	it := c.now()
	in := inFile(c.file())
	if it.scope == "env" {
		switch {
		case c.before == nil:
			s := saying{content: in("The environment variable %s%s is read", it.name, shown(" (%s)", it.show)), sure: 0.9, name: it.name}
			if it.note == "declared" {
				s.content = in("The environment variable %s is configured%s", it.name, shown(", with the value %s", it.show))
			}
			s.group, s.least = "env+"+it.path, 2
			s.many = func(names []string) string {
				return fmt.Sprintf("The environment variables %s are read or configured in %s.", listing(names, maxListed), c.file())
			}
			return s
		case c.after == nil:
			if it.note != "declared" {
				return saying{}
			}
			s := saying{content: fmt.Sprintf("The environment variable %s was removed from %s.", it.name, c.file()), sure: 0.85, name: it.name}
			s.group, s.least = "env-"+it.path, 2
			s.many = func(names []string) string {
				return fmt.Sprintf("The environment variables %s were removed from %s.", listing(names, maxListed), c.file())
			}
			return s
		}
		if c.before.show == "" || it.show == "" {
			return saying{}
		}
		return saying{content: in("The environment variable %s changed from %s to %s", it.name, c.before.show, it.show), sure: 0.85}
	}
	switch {
	case c.after == nil, it.show == "", c.fresh && c.before == nil:
		return saying{}
	case c.before == nil:
		s := saying{content: in("The setting %s = %s was added", it.name, it.show), sure: 0.8, name: it.name + " = " + it.show}
		s.group, s.least = "config+"+it.path, 3
		s.many = func(names []string) string {
			return strings.TrimSuffix(in("Settings were added"), ".") + ": " + listing(names, maxListed) + "."
		}
		return s
	case c.before.show == "":
		return saying{}
	}
	return saying{content: in("The setting %s changed from %s to %s", it.name, c.before.show, it.show), sure: 0.88}
}

func shown(format, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(format, value)
}

func (c *change) sayConstant() saying {
	if c.before == nil || c.after == nil {
		return saying{}
	}
	return saying{content: fmt.Sprintf("%s changed from %s to %s (%s).", c.after.name, c.before.show, c.after.show, c.file()), sure: 0.86}
}

func (c *change) sayFlag() saying {
	it := c.now()
	switch {
	case c.before == nil:
		return saying{content: fmt.Sprintf("The feature flag %s%s was added (%s).", it.name, shown(" (%s)", it.show), c.file()), sure: 0.88}
	case c.after == nil:
		return saying{content: fmt.Sprintf("The feature flag %s was removed (%s).", it.name, c.file()), sure: 0.86}
	case c.before.show == "" || it.show == "":
		return saying{}
	}
	return saying{content: fmt.Sprintf("The feature flag %s changed from %s to %s (%s).", it.name, c.before.show, it.show, c.file()), sure: 0.88}
}

func (c *change) sayOption() saying {
	it := c.now()
	in := inFile(c.file())
	what := map[bool]string{true: "command-line option", false: "command"}[strings.HasPrefix(it.name, "-")]
	verb := "was added"
	if c.after == nil {
		verb = "was removed"
	} else if c.before != nil {
		return saying{}
	}
	s := saying{content: in("The %s %s %s", what, it.name, verb), sure: 0.85, name: it.name}
	s.group, s.least = "option"+verb+what+it.path, 3
	s.many = func(names []string) string {
		return in("The %ss %s %s", what, listing(names, maxListed), strings.Replace(verb, "was", "were", 1))
	}
	return s
}

func (c *change) sayRoute() saying {
	it := c.now()
	in := inFile(c.file())
	verb := "was added"
	switch {
	case c.after == nil:
		verb = "was removed"
	case c.before != nil:
		return saying{}
	}
	s := saying{content: in("The route %s %s", it.name, verb), sure: 0.88, name: it.name}
	s.group, s.least = "route"+verb+it.path, 2
	s.many = func(names []string) string {
		if len(names) == 1 {
			return s.content
		}
		return in("The routes %s %s", listing(names, maxListed), strings.Replace(verb, "was", "were", 1))
	}
	return s
}

func (c *change) saySymbol() saying {
	it := c.now()
	where := it.scope
	if where == "." {
		where = "the top folder"
	}
	name := it.note + " " + it.name
	if c.after == nil {
		return saying{content: fmt.Sprintf("The public %s was removed from %s.", name, where), sure: 0.65, name: name, group: "sym-" + it.scope, least: 1,
			many: func(names []string) string {
				if len(names) == 1 {
					return fmt.Sprintf("The public %s was removed from %s.", names[0], where)
				}
				return fmt.Sprintf("The public %s were removed from %s.", listing(names, maxListed), where)
			}}
	}
	if c.before != nil {
		return saying{}
	}
	sure := 0.6
	if isType(it.note) {
		sure = 0.75
	}
	return saying{content: "-", sure: sure, name: name, group: "sym+" + it.scope, least: 1,
		many: func(names []string) string {
			return fmt.Sprintf("%s has the new public %s.", where, listing(names, 6))
		}}
}

func (c *change) sayModule() saying {
	it := c.now()
	if c.after == nil {
		return saying{content: fmt.Sprintf("The %s %s was removed.", it.show, it.name), sure: 0.85}
	}
	if c.before != nil {
		return saying{}
	}
	text := fmt.Sprintf("%s is a new %s", it.name, it.show)
	if it.note != "" {
		text += ": " + it.note
	}
	return saying{content: strings.TrimRight(text, ".") + ".", sure: 0.86}
}

func (c *change) sayCI() saying {
	it := c.now()
	file := path.Base(c.file())
	switch it.scope {
	case "file":
		if c.after == nil {
			return saying{content: fmt.Sprintf("The CI configuration %s was removed.", c.file()), sure: 0.85}
		}
		if c.before == nil {
			return saying{content: fmt.Sprintf("CI has the new %s%s.", it.name, shown(": %s", it.note)), sure: 0.88}
		}
	case "on":
		if c.before != nil && c.after != nil {
			return saying{content: fmt.Sprintf("The CI workflow %s now runs on %s (before: on %s).", file, it.show, c.before.show), sure: 0.8}
		}
	case "job":
		if c.before == nil && !c.fresh {
			return saying{content: fmt.Sprintf("CI has the new job %s in %s%s.", it.name, file, shown(": %s", it.note)), sure: 0.87}
		}
		if c.after == nil && !c.gone {
			return saying{content: fmt.Sprintf("The CI job %s was removed from %s.", it.name, file), sure: 0.85}
		}
	case "run":
		if c.before == nil && !c.fresh {
			return saying{content: fmt.Sprintf("CI now runs %s in %s.", code(it.name), file), sure: 0.86}
		}
		if c.after == nil && !c.gone {
			return saying{content: fmt.Sprintf("CI no longer runs %s in %s.", code(it.name), file), sure: 0.8}
		}
	case "uses":
		if c.before == nil && !c.fresh {
			return saying{content: fmt.Sprintf("The CI workflow %s uses the action %s now.", file, it.name), sure: 0.75}
		}
	}
	return saying{}
}

func (c *change) sayTask() saying {
	it := c.now()
	main := it.note == "main"
	switch {
	case c.after == nil:
		if !main {
			return saying{}
		}
		return saying{content: fmt.Sprintf("The command %s was removed from %s.", code(it.name), c.file()), sure: 0.7}
	case c.fresh && c.before == nil:
		s := saying{content: "-", sure: 0.8, name: code(it.name), group: "task++" + it.path, least: 1}
		s.many = func(names []string) string {
			return c.file() + " is new, with the commands " + listing(names, maxListed) + "."
		}
		if strings.HasPrefix(path.Base(it.path), "package.json") {
			return saying{} // its module is told
		}
		return s
	case it.show == "":
		return saying{}
	case c.before == nil:
		sure := 0.7
		if main {
			sure = 0.85
		}
		s := saying{content: fmt.Sprintf("The command %s (%s) was added in %s.", code(it.name), code(it.show), c.file()), sure: sure, name: code(it.name)}
		s.group, s.least = "task+"+it.path, 3
		s.many = func(names []string) string {
			return fmt.Sprintf("The commands %s were added in %s.", listing(names, maxListed), c.file())
		}
		return s
	case main && c.before.show != "":
		return saying{content: fmt.Sprintf("%s now runs %s instead of %s (%s).", code(it.name), code(it.show), code(c.before.show), c.file()), sure: 0.86}
	}
	return saying{}
}

func (c *change) sayContainer() saying {
	it := c.now()
	switch it.scope {
	case "image":
		if c.before == nil || c.after == nil {
			return saying{}
		}
		s := saying{content: fmt.Sprintf("The base image in %s changed from %s to %s.", c.file(), c.before.show, it.show), sure: 0.9, name: it.show}
		s.group, s.least = "image"+it.path+c.before.show+it.show, 2
		s.many = func([]string) string { return s.content }
		return s
	case "file":
		if c.after == nil {
			return saying{content: fmt.Sprintf("%s was removed: that container image is no longer built.", c.file()), sure: 0.85}
		}
		if c.before == nil {
			return saying{content: fmt.Sprintf("A container image is built from %s%s.", c.file(), shown(", on %s", it.show)), sure: 0.88}
		}
	case "service":
		switch {
		case c.before == nil:
			s := saying{content: fmt.Sprintf("The service %s%s was added to %s.", it.name, shown(" (%s)", it.show), c.file()), sure: 0.9, name: it.name + shown(" (%s)", it.show)}
			s.group, s.least = "service+"+it.path, 3
			s.many = func(names []string) string {
				return fmt.Sprintf("%s starts the services %s.", c.file(), listing(names, maxListed))
			}
			return s
		case c.after == nil:
			return saying{content: fmt.Sprintf("The service %s was removed from %s.", it.name, c.file()), sure: 0.88}
		case c.before.show != "" && it.show != "":
			return saying{content: fmt.Sprintf("The service %s changed from %s to %s in %s.", it.name, c.before.show, it.show, c.file()), sure: 0.9}
		}
	case "port":
		if it.show == "" || c.fresh || c.after == nil {
			return saying{}
		}
		if c.before != nil {
			return saying{content: fmt.Sprintf("The port of %s changed from %s to %s (%s).", it.name, c.before.show, it.show, c.file()), sure: 0.88}
		}
		if it.note == "expose" {
			return saying{content: fmt.Sprintf("The container of %s listens on port %s.", c.file(), it.show), sure: 0.85}
		}
	case "user":
		if c.after != nil && !c.fresh {
			return saying{content: fmt.Sprintf("The container of %s runs as the user %s.", c.file(), it.show), sure: 0.85}
		}
	}
	return saying{}
}

func (c *change) sayTool() saying {
	it := c.now()
	switch {
	case c.before == nil:
		return saying{content: fmt.Sprintf("%s is configured in %s.", it.name, c.file()), sure: 0.85}
	case c.after == nil:
		return saying{content: fmt.Sprintf("%s is no longer configured: %s was removed.", it.name, c.file()), sure: 0.8}
	}
	return saying{}
}

func (c *change) sayInfra() saying {
	it := c.now()
	verb := "was added"
	switch {
	case (c.before == nil || c.after == nil) && it.show != "": // a value, which is news only when it changes
		return saying{}
	case c.after == nil:
		verb = "was removed"
	case c.before != nil:
		return saying{content: fmt.Sprintf("%s changed from %s to %s (%s).", it.name, c.before.show, it.show, c.file()), sure: 0.85}
	}
	s := saying{content: fmt.Sprintf("The %s %s %s (%s).", it.note, it.name, verb, c.file()), sure: 0.86, name: it.note + " " + it.name}
	s.group, s.least = "infra"+verb+it.path, 4
	s.many = func(names []string) string {
		return fmt.Sprintf("In %s were %s: %s.", c.file(), strings.TrimPrefix(verb, "was "), listing(names, maxListed))
	}
	return s
}

// role says what a package is for.
func role(kind, name string) string {
	called, use := discovery.Role(kind, name)
	switch {
	case called == "" || strings.EqualFold(called, name):
		return use
	case strings.Contains(strings.ToLower(name), strings.ToLower(called)):
		return use
	case use == "" || strings.Contains(called, use):
		return called
	}
	return called + ", " + use
}
