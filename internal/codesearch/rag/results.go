package rag

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/pattern"
)

const (
	maxSnippets = 200  // places taken from one answer
	maxDepth    = 12   // of JSON
	maxLoose    = 4000 // bytes of a text without a place that are kept
	maxScanned  = 1 << 20
)

func textOf(res *mcp.CallToolResult) string { return strings.Join(blocks(res), "\n") }

func blocks(res *mcp.CallToolResult) []string {
	var out []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case mcp.TextContent:
			out = append(out, c.Text)
		case mcp.EmbeddedResource:
			if t, ok := c.Resource.(mcp.TextResourceContents); ok {
				out = append(out, t.Text)
			}
		}
	}
	return out
}

// parseResult reads the answer of a search tool. An empty answer is no error.
func parseResult(res *mcp.CallToolResult) (Answer, error) {
	if text := textOf(res); res.IsError && none().MatchString(text) && failure(text) == nil {
		return Answer{}, nil
	} else if res.IsError {
		return Answer{}, serverError(text)
	}
	var a Answer
	var v any
	_ = json.Unmarshal(res.RawStructuredContent, &v) // v stays nil without structured content
	if err := refusal(v); err != nil {
		return Answer{}, err
	}
	a.fromJSON(v, "", 0)
	if len(a.Snippets) == 0 {
		for _, text := range blocks(res) {
			if err := a.fromText(text); err != nil {
				return Answer{}, err
			}
		}
	}
	return a, nil
}

// Parse reads the text of a semantic tool's answer, for callers that asked it themselves.
func Parse(text string) (Answer, error) {
	var a Answer
	err := a.fromText(text)
	return a, err
}

// Sentences of successful answers that report an empty result or an error.
var (
	none = pattern.Late(`(?i)\b(no|0|zero)\s+(\w+\s+){0,2}(results?|match(es)?|chunks?|snippets?|code|documents?|entries|hits)\b` +
		`(\s+\w+){0,2}\s*(found|for|match)|\bfound (0|no)\b|\bnothing found\b|\bno (results?|matches)\b`)
	bad = pattern.Late(`(?i)\b(is|are|was|has|have|been|codebase|workspace|repository|project)?\s*not (yet |been )*(yet )?indexed\b|` +
		`\bnot (yet )?been indexed\b|\bindex(ing)? (is |has )?(still )?(not ready|in progress|missing|not found|does not exist)|` +
		`\bno index\b|\bmust be indexed first\b|\bplease index\b`)
	oops = pattern.Late(`(?i)^\W*(error|exception|failed|failure|traceback|unauthorized|internal error)\b`)
)

// failure is the fault for a text that reports an error as if it were an answer; nil for any other.
func failure(text string) error {
	head := text[:min(len(text), 2000)]
	if bad().MatchString(head) || oops().MatchString(head) {
		return serverError(text)
	}
	return nil
}

// refusal is the fault for JSON that reports an error.
func refusal(v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	message := ""
	switch e := m["error"].(type) {
	case string:
		message = e
	case map[string]any:
		message, _ = e["message"].(string)
	}
	if done, ok := m["success"].(bool); ok && !done && message == "" {
		message, _ = m["message"].(string)
		message = cmp.Or(message, "no success")
	}
	if message == "" {
		return nil
	}
	return serverError(message)
}

// fromText reads one block of text.
func (a *Answer) fromText(text string) error {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed == "null" {
		return nil
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		var v any
		if json.Unmarshal([]byte(trimmed), &v) == nil {
			if err := refusal(v); err != nil {
				return err
			}
			a.fromJSON(v, "", 0)
			return nil
		}
	}
	if strings.Contains(trimmed, "<entry>") {
		a.fromEntries(trimmed)
		return nil
	}
	before := len(a.Snippets)
	if a.fromLines(trimmed); len(a.Snippets) > before {
		return nil
	}
	if err := failure(trimmed); err != nil || none().MatchString(trimmed[:min(len(trimmed), 500)]) || introduction().MatchString(trimmed) {
		return err
	}
	if len(trimmed) > maxLoose {
		trimmed = strings.ToValidUTF8(trimmed[:maxLoose], "") + "…"
	}
	a.Loose = append(a.Loose, trimmed)
	return nil
}

// introduction is a line that only announces results.
var introduction = pattern.Late(`(?i)^(results?|found \d+|showing|search results)\b[^\n]*$`)

func (a *Answer) add(s Snippet) {
	if len(a.Snippets) < maxSnippets && !slices.Contains(a.Snippets, s) {
		a.Snippets = append(a.Snippets, s)
	}
}

// parts are objects inside an object that describe the same thing.
var parts = []string{"location", "metadata", "payload"}

var (
	pathKeys = []string{"file_path", "filePath", "filepath", "path", "file", "relative_path", "relativePath", "rel_path", "filename",
		"file_name", "uri", "location", "source"}
	startKeys = []string{"start_line", "startLine", "line_start", "lineStart", "begin_line", "from_line", "start", "line",
		"line_number", "lineNumber", "lineno"}
	endKeys    = []string{"end_line", "endLine", "line_end", "lineEnd", "to_line", "end"}
	textKeys   = []string{"content", "code", "snippet", "source_code", "text", "body", "chunk", "preview", "body_code", "document"}
	symbolKeys = []string{"symbol", "symbol_name", "name_path", "name", "function", "qualified_name"}
)

// fromJSON finds the objects that name a file, at any depth. Those inside one are about its file, outer.
func (a *Answer) fromJSON(v any, outer string, depth int) {
	if depth > maxDepth || len(a.Snippets) >= maxSnippets {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			a.fromJSON(one, outer, depth+1)
		}
	case string:
		before := len(a.Snippets)
		a.fromLines(v)
		if len(a.Snippets) == before && depth <= 2 && len(v) > 80 {
			a.Loose = append(a.Loose, v[:min(len(v), maxLoose)])
		}
	case map[string]any:
		a.fromObject(v, outer, depth)
	}
}

func (a *Answer) fromObject(m map[string]any, outer string, depth int) {
	all := map[string]any{}
	for _, part := range parts {
		inner, _ := m[part].(map[string]any)
		maps.Copy(all, inner)
	}
	for k, v := range m {
		if _, inner := v.(map[string]any); !inner || k == "range" {
			all[k] = v
		}
	}
	s := Snippet{Path: firstText(all, pathKeys), Symbol: firstText(all, symbolKeys), Text: firstText(all, textKeys)}
	if s.Path != "" && !looksLikePath(s.Path) {
		if place, ok := placeOf(s.Path); ok {
			s.Path, s.Start, s.End = place.Path, place.Start, place.End
		} else {
			s.Path = ""
		}
	}
	own := s.Path != ""
	s.Path = cmp.Or(s.Path, outer)
	if n, ok := firstNumber(all, startKeys); ok {
		s.Start = n
		s.End, _ = firstNumber(all, endKeys)
	}
	if r, ok := all["range"].(map[string]any); ok && s.Start == 0 {
		s.Start, s.End = rangeOf(r)
	}
	s.End = cmp.Or(s.End, s.Start)
	before := len(a.Snippets)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch m[k].(type) {
		case []any, map[string]any:
			if k != "range" && !slices.Contains(parts, k) {
				a.fromJSON(m[k], s.Path, depth+1)
			}
		}
	}
	deeper := len(a.Snippets) > before
	if s.Path != "" && (s.Start > 0 || own && !deeper && (s.Text != "" || s.Symbol != "" || depth > 0)) {
		a.add(s)
		return
	}
	if !deeper && !own && s.Start == 0 {
		for _, k := range []string{"result", "results", "text", "content", "output", "id"} {
			if t, ok := m[k].(string); ok {
				a.fromJSON(t, outer, depth+1)
			}
		}
	}
}

func firstText(m map[string]any, keys []string) string {
	for _, k := range keys {
		if s, ok := m[k].(string); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

func firstNumber(m map[string]any, keys []string) (int, bool) {
	for _, k := range keys {
		switch n := m[k].(type) {
		case float64:
			if n >= 0 && n < 1e9 {
				return int(n), true
			}
		case string:
			if i, err := strconv.Atoi(n); err == nil && i >= 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// rangeOf reads the range of the language server protocol, whose lines count from 0, or one of plain numbers.
func rangeOf(r map[string]any) (start, end int) {
	if s, ok := r["start"].(map[string]any); ok {
		e, _ := r["end"].(map[string]any)
		from, _ := firstNumber(s, []string{"line"})
		to, _ := firstNumber(e, []string{"line"})
		return from + 1, to + 1
	}
	start, _ = firstNumber(r, startKeys)
	end, _ = firstNumber(r, endKeys)
	return start, end
}

// looksLikePath reports whether s is a path and nothing else.
func looksLikePath(s string) bool {
	return len(s) < 1000 && !strings.ContainsAny(s, "\n\t<>|\"") && onlyPath().MatchString(s)
}

var onlyPath = pattern.Late(`^(file://)?([A-Za-z]:)?[^:*?]+\.[A-Za-z0-9_]{1,12}$|` +
	`^(file://)?([A-Za-z]:)?[^:*?\s]*[/\\][^:*?\s]+$|^(Makefile|Dockerfile|README|LICENSE)$`)

var (
	entry    = pattern.Late(`(?s)<entry>(.*?)</entry>`)
	content  = pattern.Late(`(?s)<content>(.*?)</content>`)
	metadata = pattern.Late(`(?s)<metadata>(.*?)</metadata>`)
)

// fromEntries reads <entry><content>…</content><metadata>{…}</metadata></entry> blocks.
func (a *Answer) fromEntries(text string) {
	for _, e := range entry().FindAllStringSubmatch(text, maxSnippets) {
		m := map[string]any{}
		if c := content().FindStringSubmatch(e[1]); c != nil {
			m["content"] = c[1]
		}
		if d := metadata().FindStringSubmatch(e[1]); d != nil {
			var meta map[string]any
			if json.Unmarshal([]byte(d[1]), &meta) == nil {
				m["metadata"] = meta
			}
		}
		before := len(a.Snippets)
		a.fromObject(m, "", 1)
		if c, ok := m["content"].(string); ok && len(a.Snippets) == before {
			a.Loose = append(a.Loose, c[:min(len(c), maxLoose)])
		}
	}
}

const onePath = `((?:[A-Za-z]:)?(?:[\\/]|\.{1,2}[\\/])?(?:[\w@.+~-]+[\\/])*[\w@.+~-]*[\w+-]\.[A-Za-z]\w{0,9}|` +
	`(?:[\w@.+~-]+[\\/])+(?:Makefile|Dockerfile)|Makefile|Dockerfile)`

var (
	withLines = pattern.Late(onePath + `(?::L?(\d+)(?:\s*(?:-|–|:\d+-)\s*L?(\d+))?|#L(\d+)(?:-L?(\d+))?|` +
		"[`" + `*"']*,?\s*\(?\s*[Ll]ines?:?\s+(\d+)(?:\s*(?:-|–|to)\s*(\d+))?\)?)`)
	withSymbol = pattern.Late(onePath + `::([\w$.:~<>*()]+)`)
	fileOnly   = pattern.Late("^[^\\pL\\pN/.~\\\\]*(?:\\d+[.)]\\s*)?[`*\"']*(?:[Ff]ile(?:name)?:?\\s*|[Pp]ath:?\\s*)?[`*\"']*" +
		onePath + "[`*\"':]*\\s*(?:\\([^)]*\\))?$")
	ownLines = pattern.Late(`^[\s*\-|>]*(?:[Ll]ines?:?\s*|L)?(\d+)(?:\s*(?:-|–|to)\s*L?(\d+))?\s*(?:[:|)]|$)`)
	fence    = pattern.Late("^\\s*(`{3,}|~{3,})")
)

func placeOf(s string) (Snippet, bool) {
	if m := withLines().FindStringSubmatch(s); m != nil {
		return lines(m), true
	}
	if m := withSymbol().FindStringSubmatch(s); m != nil {
		return Snippet{Path: m[1], Symbol: symbolOf(m[2])}, true
	}
	return Snippet{}, false
}

func lines(m []string) Snippet {
	s := Snippet{Path: m[1]}
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] != "" {
			s.Start, _ = strconv.Atoi(m[i])
			s.End, _ = strconv.Atoi(m[i+1])
		}
	}
	s.End = cmp.Or(s.End, s.Start)
	return s
}

// symbolOf returns the last name of Type::method or pkg.Func.
func symbolOf(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(":.<>*()", r) })
	if len(parts) == 0 {
		return s
	}
	return parts[len(parts)-1]
}

// fromLines scans text for people: places, headings that name a file with line numbers below, and code of the place named last.
func (a *Answer) fromLines(text string) {
	file := ""
	var open *Snippet // its code may follow
	flush := func() {
		if open != nil {
			a.add(*open)
			open = nil
		}
	}
	all := strings.Split(text[:min(len(text), maxScanned)], "\n")
	for i := 0; i < len(all) && len(a.Snippets) < maxSnippets; i++ {
		l := strings.TrimRight(all[i], "\r")
		if m := fence().FindStringSubmatch(l); m != nil {
			var code []string
			for i++; i < len(all) && !strings.HasPrefix(strings.TrimSpace(all[i]), m[1]); i++ {
				code = append(code, strings.TrimRight(all[i], "\r"))
			}
			if open == nil && file != "" {
				open = &Snippet{Path: file}
			}
			if open != nil && open.Text == "" {
				open.Text = strings.Join(code, "\n")
			}
			flush()
			continue
		}
		if len(l) > 2000 {
			continue
		}
		if s, ok := placeOf(l); ok {
			flush()
			if s.Symbol != "" {
				a.add(s)
			} else {
				open, file = &s, ""
			}
			continue
		}
		if m := fileOnly().FindStringSubmatch(l); m != nil {
			flush()
			file = m[1]
			continue
		}
		if m := ownLines().FindStringSubmatch(l); m != nil && file != "" {
			flush()
			s := lines([]string{"", file, m[1], m[2]})
			open = &s
		}
	}
	flush()
}
