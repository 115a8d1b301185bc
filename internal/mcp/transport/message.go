package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// mcp-go 1.2.1 takes "ID" for "id", a null id for a notification, the last of two equal names: so it gets a checked, canonical message.

// message is a JSON-RPC message with a checked envelope.
type message struct {
	id     json.RawMessage // as the client wrote it; nil for a notification
	key    string          // equal for equal ids: 1 and 1.0 are one, 1 and "1" two
	method string          // "" for a response
	params map[string]json.RawMessage

	result, err json.RawMessage // of a response
}

// parseMessage reads one message; an invalid one may have no more than its id. Batches, which only 2025-03-26 had, are invalid.
func parseMessage(text []byte) (*message, *Error) {
	m := &message{}
	fail := func(code int, format string, args ...any) (*message, *Error) { return m, Errorf(code, format, args...) }
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if CountJSON(text, ',') > maxValues {
		return fail(mcp.INVALID_REQUEST, "invalid request: a message has at most %d values", maxValues)
	}
	var envelope map[string]json.RawMessage
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(text, &envelope); errors.As(err, &wrong) {
		return fail(mcp.INVALID_REQUEST, "invalid request: a message is an object, not %s", withArticle(wrong.Value))
	} else if err != nil {
		return fail(mcp.PARSE_ERROR, "parse error: %v", err)
	}
	if envelope == nil {
		return fail(mcp.INVALID_REQUEST, "invalid request: a message is an object, not null")
	}
	m.result, m.err = envelope["result"], envelope["error"]
	rawID, hasID := envelope["id"]
	_, hasMethod := envelope["method"]
	isResponse := !hasMethod && (m.result != nil || m.err != nil)
	if hasID {
		var err error
		if m.id, m.key, err = readID(rawID); err != nil && !isResponse {
			return fail(mcp.INVALID_REQUEST, "invalid request: %v", err)
		}
	}
	var version string
	switch {
	case json.Unmarshal(envelope["jsonrpc"], &version) != nil || version != mcp.JSONRPC_VERSION:
		return fail(mcp.INVALID_REQUEST, `invalid request: jsonrpc must be "2.0"`)
	case isResponse:
		return m, nil
	case !hasMethod:
		return fail(mcp.INVALID_REQUEST, "invalid request: method is missing")
	case json.Unmarshal(envelope["method"], &m.method) != nil || m.method == "":
		return fail(mcp.INVALID_REQUEST, "invalid request: method must be a string that is not empty")
	}
	if raw := envelope["params"]; raw != nil && json.Unmarshal(raw, &m.params) != nil && hasID { // a notification has no answer
		return fail(mcp.INVALID_PARAMS, "invalid params: params must be an object")
	}
	switch meta := m.params["_meta"]; {
	case string(meta) == "null":
		delete(m.params, "_meta")
	case len(meta) > 0 && meta[0] != '{':
		return fail(mcp.INVALID_PARAMS, "invalid params: _meta must be an object")
	}
	return m, nil
}

// readID returns an id for the answer, and a key that is the same for equal ids.
func readID(raw json.RawMessage) (id json.RawMessage, key string, err error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if len(raw) > maxID {
		return nil, "", errors.New("the id is too long")
	}
	if dec.Decode(&v) != nil {
		return nil, "", errors.New("the id cannot be read")
	}
	switch v := v.(type) {
	case string:
		if !utf8.Valid(raw) {
			raw, _ = Encode(v)
		}
		return bytes.Clone(raw), "s" + v, nil
	case json.Number:
		text := v.String()
		if f, err := v.Float64(); strings.ContainsAny(text, ".eE") {
			if err != nil || f != math.Trunc(f) {
				break
			}
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
		return bytes.Clone(raw), "n" + text, nil
	}
	return nil, "", errors.New("the id must be a string or an integer")
}

// meta are the fields that the transport reads in the _meta of a request.
type meta struct {
	Version       string          `json:"io.modelcontextprotocol/protocolVersion"` // "" before 2026-07-28
	ProgressToken json.RawMessage `json:"progressToken"`
}

func (m *message) meta() (meta meta) {
	_ = json.Unmarshal(m.params["_meta"], &meta)
	if string(meta.ProgressToken) == "null" {
		meta.ProgressToken = nil
	}
	return meta
}

// modern reports whether the request is of 2026-07-28 or later.
func (m *message) modern() bool { return mcp.IsModernProtocol(m.meta().Version) }

// envelope is the form in which the server writes a message.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

func (e envelope) encode() (json.RawMessage, error) {
	e.JSONRPC = mcp.JSONRPC_VERSION
	return Encode(e)
}

// canonical returns the message for mcp-go: each name once, in the right case.
func (m *message) canonical() (json.RawMessage, error) {
	e := envelope{ID: m.id, Method: m.method}
	if len(m.params) > 0 {
		e.Params = m.params
	}
	return e.encode()
}

func notification(method string, params any) []byte {
	return must(envelope{Method: method, Params: params}.encode())
}

type reply struct {
	result any
	err    *Error
}

func failed(code int, format string, args ...any) reply {
	return reply{err: Errorf(code, format, args...)}
}

// bytes returns the reply to the request with that id; nil means that the id is unknown.
func (r reply) bytes(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	if r.err == nil {
		b, err := envelope{ID: id, Result: r.result}.encode()
		if err == nil {
			return b
		}
		r.err = Errorf(mcp.INTERNAL_ERROR, "internal error: the result cannot be encoded")
	}
	return must(envelope{ID: id, Error: r.err}.encode())
}

func (r reply) send(id json.RawMessage, out sink) {
	code := 0
	if r.err != nil {
		code = r.err.Code
	}
	out.answer(r.bytes(id), code)
}

// must is for values that always encode.
func must(b json.RawMessage, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// Mismatch explains in plain words why params could not be decoded.
func Mismatch(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		field := wrong.Field
		if i := strings.LastIndex(field, "params."); i >= 0 {
			field = field[i+len("params."):]
		}
		field = cmp.Or(field, "params")
		want := cmp.Or(map[reflect.Kind]string{
			reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "an array",
			reflect.Map: "an object", reflect.Struct: "an object",
		}[wrong.Type.Kind()], "a number")
		got, _, _ := strings.Cut(wrong.Value, " ")
		if field == "arguments" && want == "a string" {
			return fmt.Sprintf("every argument must be a string, none a %s", got)
		}
		return fmt.Sprintf("%s must be %s, not %s", field, want, withArticle(got))
	case strings.Contains(err.Error(), "reference type"):
		return `ref.type must be "ref/prompt" or "ref/resource"`
	}
	return "they are not of the shape that the method takes"
}

// withArticle names a JSON type, in the terms of encoding/json, with its article.
func withArticle(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	case "bool":
		return "true or false"
	case "null":
		return "null"
	}
	return "a " + kind
}

// Encode returns v as JSON for the wire: without line breaks and HTML escapes, which would cost tokens.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// maxValues bounds the values of a message. Decoded, a small value takes up to fifty times its text.
const maxValues = 20_000

// CountJSON counts a sign, as ',' or ':', in a JSON text outside its strings.
func CountJSON(text []byte, sign byte) (n int) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == sign && !quoted:
			n++
		}
	}
	return n
}
