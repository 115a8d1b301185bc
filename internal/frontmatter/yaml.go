package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// decode reads the block into d.root and d.Keys.
func (d *Doc) decode() error {
	if d.readQuick() {
		return nil
	}
	return d.decodeSlow()
}

// decodeSlow reads the block with YAML proper.
func (d *Doc) decodeSlow() error {
	text := d.Src[d.YAML.Start:d.YAML.End]
	if i := invalidUTF8(text); i >= 0 {
		return fault.New(fault.Broken, "the front matter is not valid UTF-8").With("save the file as UTF-8").At("", d.line(d.YAML.Start+i))
	}
	doc, err := parseYAML(text)
	if err != nil {
		return d.broken(text, err)
	}
	root := node{kind: kindTable, style: styleBlock}
	if doc == nil {
		d.root = root
		return nil
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		if top.Kind == yaml.ScalarNode && top.Value == "" && top.Tag == "!!null" {
			d.root = root
			return nil
		}
		return fault.New(fault.Broken, "the front matter is not a list of `key: value` lines").
			With("write each entry as `key: value`, or put an empty line before a --- that is not front matter").
			At("", d.line(d.YAML.Start+lineOffset(text, top.Line)))
	}
	c := newConverter(d)
	if err := c.convert(&root, top, 0); err != nil {
		return err
	}
	if err := validate(&root); err != nil {
		return err
	}
	d.root = root
	c.layout(top)
	return nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, -1 if there is none.
func invalidUTF8(b []byte) int {
	for i, r := range string(b) {
		if r == utf8.RuneError && !bytes.HasPrefix(b[i:], []byte(string(utf8.RuneError))) {
			return i
		}
	}
	return -1
}

// errSecond is the error for text after the first YAML document.
var errSecond = errors.New("a second YAML document begins")

// parseYAML returns the only document in text, nil if there is none.
func parseYAML(text []byte) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on some malformed comments
			doc, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	doc = new(yaml.Node)
	if err := dec.Decode(doc); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, errSecond
	} else if err != io.EOF {
		return nil, err
	}
	return doc, nil
}

// broken turns a YAML error into a fault with the line in the file.
func (d *Doc) broken(text []byte, err error) error {
	message, line := splitLine(err)
	if n := firstBadLine(text); n > 0 {
		line = n
	}
	offset := d.YAML.Start + lineOffset(text, max(line, 1))
	hint := "mend the YAML by hand; until then nothing is written to this file"
	switch rest := d.Src[offset:]; {
	case bytes.HasPrefix(rest, []byte("<<<<<<<")), bytes.HasPrefix(rest, []byte("=======")), bytes.HasPrefix(rest, []byte(">>>>>>>")):
		message, hint = "the front matter holds merge conflict markers", "keep one of the two sides and remove the markers"
	case err == errSecond || strings.Contains(message, "<document start>"):
		message = "the front matter goes on after the end of its YAML"
	case strings.Contains(message, "mapping values are not allowed"):
		hint = "put a value that holds `: ` between quotes; " + hint
	case strings.Contains(message, "tab character"), strings.Contains(message, "cannot start any token"):
		hint = "indent with spaces and put a value that begins with a special character between quotes; " + hint
	}
	return &fault.Error{Code: fault.Broken, Message: message, Hint: hint, Line: d.line(offset), Cause: err}
}

var yamlLine = pattern.Late(`^(?:yaml: )?(?:line (\d+): )?`)

func splitLine(err error) (message string, line int) {
	message = err.Error()
	m := yamlLine().FindStringSubmatch(message)
	line, _ = strconv.Atoi(m[1])
	return "the YAML does not parse: " + message[len(m[0]):], line
}

// firstBadLine returns the first line that no longer parses with those above it, 0 for a long text: the library's lines are often off.
func firstBadLine(text []byte) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(text) > 16<<10 || len(lines) > 100 {
		return 0
	}
	end := len(text)
	for n := len(lines); n > 0; n-- {
		end -= len(lines[n-1])
		if _, err := parseYAML(text[:end]); err == nil {
			return n
		}
	}
	return 1
}

// lineOffset returns where the 1-based line of text begins, as YAML counts lines.
func lineOffset(text []byte, line int) int {
	at := 0
	for ; line > 1 && at < len(text); line-- {
		at = lineAfter(text, at)
	}
	return at
}
