package extract

import (
	"fmt"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// A schema is told by what it holds. A description of the whole (a schema.sql, a .proto file) holds tables and messages
// with their fields. A migration is a step: it holds what it does, and nothing is told when it goes.

// fields are the parts of a schema's type, by name, with what each is.
type field struct{ name, what string }

// typeItem is a table, message or type with its fields.
func typeItem(kind, name string, fields []field, line int) item {
	names := make([]string, len(fields))
	parts := make([]string, len(fields))
	for i, f := range fields {
		names[i] = word(f.name)
		parts[i] = f.name + "\x1f" + strings.Join(strings.Fields(f.what), " ")
	}
	slices.Sort(parts)
	return item{signal: signalSchema, key: "schema:" + kind + ":" + strings.ToLower(name), value: strings.Join(parts, "\x1e"), name: word(name), note: kind, scope: "type", show: listing(names, 10), line: line}
}

// step is what a migration does.
func step(key, content string, line int) item {
	return item{signal: signalSchema, key: "schema:" + key, value: content, name: word(key), note: content, scope: "step", line: line}
}

func (c *change) saySchema() saying {
	it := c.now()
	if it.scope == "step" {
		if c.after == nil || c.before != nil && c.before.scope == "step" && c.before.value == c.after.value {
			return saying{}
		}
		return saying{content: fmt.Sprintf("%s (%s).", it.note, c.file()), sure: 0.9}
	}
	switch {
	case c.before == nil:
		return saying{content: fmt.Sprintf("The %s %s%s was added (%s).", it.note, it.name, shown(" with %s", it.show), c.file()), sure: 0.9}
	case c.after == nil:
		if it.line < 0 {
			return saying{}
		}
		return saying{content: fmt.Sprintf("The %s %s was removed (%s).", it.note, it.name, c.file()), sure: 0.88}
	case c.before.scope == "step":
		return saying{}
	}
	was, is := split(c.before.value), split(it.value)
	var added, removed, changed []string
	for _, f := range is {
		old, ok := find(was, f.name)
		switch {
		case !ok:
			added = append(added, word(f.name))
		case old != f.what:
			changed = append(changed, word(fmt.Sprintf("%s (%s to %s)", f.name, old, f.what)))
		}
	}
	for _, f := range was {
		if _, ok := find(is, f.name); !ok {
			removed = append(removed, word(f.name))
		}
	}
	var parts []string
	for _, p := range []struct {
		what  string
		names []string
	}{{"gained", added}, {"lost", removed}, {"changed", changed}} {
		if len(p.names) > 0 {
			parts = append(parts, p.what+" "+listing(p.names, 8))
		}
	}
	if len(parts) == 0 {
		return saying{}
	}
	return saying{content: fmt.Sprintf("The %s %s %s (%s).", it.note, it.name, listing(parts, 3), c.file()), sure: 0.9}
}

func split(value string) (out []field) {
	if value == "" {
		return nil
	}
	for _, p := range strings.Split(value, "\x1e") {
		name, what, _ := strings.Cut(p, "\x1f")
		out = append(out, field{name, what})
	}
	return out
}

func find(all []field, name string) (string, bool) {
	for _, f := range all {
		if f.name == name {
			return f.what, true
		}
	}
	return "", false
}

func isProto(file string) bool { return strings.HasSuffix(file, ".proto") }

var (
	protoBlock = pattern.Late(`\b(message|service|enum)\s+(\w+)\s*\{`)
	protoField = pattern.Late(`(?m)^\s*((?:repeated\s+|optional\s+|required\s+)?(?:map\s*<[^>]+>|[\w.]+))\s+(\w+)\s*=\s*(\d+)`)
	protoRPC   = pattern.Late(`\brpc\s+(\w+)\s*\(\s*(stream\s+)?([\w.]+)\s*\)\s*returns\s*\(\s*(stream\s+)?([\w.]+)`)
	protoEnum  = pattern.Late(`(?m)^\s*([A-Z][A-Z0-9_]*)\s*=\s*(\d+)`)
)

// body returns the text between the brace that ends at start and its counterpart.
func (v *version) body(start int) (from, to int) {
	depth := 1
	for i := start; i < len(v.bare); i++ {
		if i%64 == 0 && v.spent(64) {
			return start, start
		}
		switch v.bare[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return start, i
			}
		}
	}
	return start, len(v.bare)
}

func readProto(v *version) (out []item) {
	v.mask()
	var plainReplies []string
	for _, m := range protoBlock().FindAllSubmatchIndex(v.bare, -1) {
		from, to := v.body(m[1])
		kind, name, text := string(v.bare[m[2]:m[3]]), string(v.bare[m[4]:m[5]]), string(v.bare[from:to])
		var fields []field
		switch kind {
		case "message":
			if i := protoBlock().FindStringIndex(text); i != nil { // nested ones are told by themselves
				text = withoutBlocks(text)
			}
			for _, f := range protoField().FindAllStringSubmatch(text, -1) {
				if f[1] == "reserved" || f[1] == "option" || f[1] == "return" {
					continue
				}
				fields = append(fields, field{f[2], f[1] + " = " + f[3]})
			}
			if strings.HasSuffix(name, "Request") || strings.HasSuffix(name, "Response") {
				plainReplies = append(plainReplies, name)
			}
		case "enum":
			for _, f := range protoEnum().FindAllStringSubmatch(text, -1) {
				fields = append(fields, field{f[1], f[2]})
			}
		case "service":
			for _, r := range protoRPC().FindAllStringSubmatch(text, -1) {
				fields = append(fields, field{r[1], r[2] + r[3] + " -> " + r[4] + r[5]})
			}
			kind = "gRPC service"
		}
		if kind == "message" || kind == "enum" {
			kind = "protobuf " + kind
		}
		it := typeItem(kind, name, fields, v.line(m[0]))
		if kind == "protobuf message" && slices.Contains(plainReplies, name) {
			it.sure = 0.7
			it.scope = "reply"
		}
		out = append(out, it)
	}
	return out
}

// withoutBlocks blanks what stands in braces.
func withoutBlocks(text string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '{':
			depth++
		case '}':
			depth = max(0, depth-1)
		default:
			if depth > 0 && r != '\n' {
				return ' '
			}
		}
		return r
	}, text)
}

func isGraphQL(file string) bool {
	return strings.HasSuffix(file, ".graphql") || strings.HasSuffix(file, ".gql") || strings.HasSuffix(file, ".graphqls")
}

var (
	graphBlock = pattern.Late(`(?m)^\s*(?:extend\s+)?(type|input|interface|enum|union)\s+(\w+)[^{\n]*\{`)
	graphField = pattern.Late(`(?m)^\s*(\w+)\s*(?:\([^)]*\))?\s*:\s*([\w\[\]!]+)`)
	graphValue = pattern.Late(`(?m)^\s*([A-Z][A-Z0-9_]*)\s*(?:@[^\n]*)?$`)
)

func readGraphQL(v *version) (out []item) {
	v.mask()
	for _, m := range graphBlock().FindAllSubmatchIndex(v.bare, -1) {
		from, to := v.body(m[1])
		kind, name, text := string(v.bare[m[2]:m[3]]), string(v.bare[m[4]:m[5]]), string(v.bare[from:to])
		var fields []field
		if kind == "enum" {
			for _, f := range graphValue().FindAllStringSubmatch(text, -1) {
				fields = append(fields, field{f[1], ""})
			}
		} else {
			for _, f := range graphField().FindAllStringSubmatch(text, -1) {
				fields = append(fields, field{f[1], f[2]})
			}
		}
		out = append(out, typeItem("GraphQL "+kind, name, fields, v.line(m[0])))
	}
	return out
}

var (
	prismaBlock = pattern.Late(`(?m)^\s*(model|enum|type|view|datasource)\s+(\w+)\s*\{`)
	prismaField = pattern.Late(`(?m)^[ \t]*(\w+)(?:[ \t]+([\w\[\]?]+))?`)
	prismaDB    = pattern.Late(`provider\s*=\s*"(\w+)"`)
)

func readPrisma(v *version) (out []item) {
	v.mask()
	for _, m := range prismaBlock().FindAllSubmatchIndex(v.bare, -1) {
		from, to := v.body(m[1])
		kind, name := string(v.bare[m[2]:m[3]]), string(v.bare[m[4]:m[5]])
		if kind == "datasource" {
			if p := prismaDB().FindSubmatch(v.code[from:to]); p != nil {
				show := word(string(p[1]))
				out = append(out, item{signal: signalInfra, key: "prisma:provider", value: show, name: "The database of Prisma", show: show, note: "provider", line: v.line(m[0])})
			}
			continue
		}
		var fields []field
		for _, f := range prismaField().FindAllStringSubmatch(string(v.bare[from:to]), -1) {
			fields = append(fields, field{f[1], f[2]})
		}
		out = append(out, typeItem("Prisma "+kind, name, fields, v.line(m[0])))
	}
	return out
}
