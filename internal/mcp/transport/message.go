package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// The envelope of JSON-RPC. mcp-go 1.2.1 takes "ID" for "id", a null id for a notification, and the last of two equal names,
// and its errors repeat a method's name in full. So this file checks a message and gives mcp-go a canonical one.

// message is a JSON-RPC message with a checked envelope.
type message struct {
	id     json.RawMessage // as the client wrote it; nil for a notification
	key    string          // equal for equal ids: 1 and 1.0 are one, 1 and "1" two
	method string          // "" for a response
	params map[string]json.RawMessage
	size   int

	result, err json.RawMessage // of a response
}

// invalid is a message that the server cannot process, and its answer.
type invalid struct {
	id  json.RawMessage // nil if the message has no valid id
	err *Error
}

func (e *invalid) Error() string { return e.err.Message }

// errBatch means that the text is an array of messages.
var errBatch = errors.New("a batch")

var utf8BOM = []byte("\xef\xbb\xbf")

// parseMessage parses one line; the message keeps slices of it. The error is errBatch or an
// *invalid.
func parseMessage(text []byte) (*message, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, utf8BOM))
	if err := Valid(text); err != nil {
		return nil, &invalid{err: Errorf(mcp.PARSE_ERROR, "parse error: %v", err)}
	}
	if kind := kindOf(text); kind == "array" {
		return nil, errBatch
	} else if kind != "object" {
		return nil, &invalid{err: Errorf(mcp.INVALID_REQUEST, "invalid request: a message is an object, not %s", withArticle(kind))}
	}
	return readMessage(text)
}

// maxParams bounds the bytes of a message that the dispatcher decodes: all parameters except the arguments of a tool, which stay
// in place. Decoded, small values can take fifty times the space.
const maxParams = 1 << 20

func readMessage(text []byte) (*message, error) {
	envelope := map[string]json.RawMessage{}
	Members(text, func(name string, value json.RawMessage) bool {
		switch name {
		case "jsonrpc", "id", "method", "params", "result", "error":
			envelope[name] = value
		}
		return true
	})
	m := &message{size: len(text), result: envelope["result"], err: envelope["error"]}
	fail := func(code int, format string, args ...any) (*message, error) {
		return nil, &invalid{m.id, Errorf(code, format, args...)}
	}
	rawID, hasID := envelope["id"]
	_, hasMethod := envelope["method"]
	if hasID {
		var err error
		if m.id, m.key, err = readID(rawID); err != nil && (hasMethod || m.result == nil && m.err == nil) {
			return fail(mcp.INVALID_REQUEST, "invalid request: %v", err)
		}
	}
	var version string
	if json.Unmarshal(envelope["jsonrpc"], &version) != nil || version != mcp.JSONRPC_VERSION {
		return fail(mcp.INVALID_REQUEST, `invalid request: jsonrpc must be "2.0"`)
	}
	if !hasMethod {
		if m.result == nil && m.err == nil {
			return fail(mcp.INVALID_REQUEST, "invalid request: method is missing")
		}
		return m, nil
	}
	if json.Unmarshal(envelope["method"], &m.method) != nil || m.method == "" {
		return fail(mcp.INVALID_REQUEST, "invalid request: method must be a string that is not empty")
	}
	params := envelope["params"]
	if len(params) == 0 || string(params) == "null" {
		return m, nil
	}
	if !hasID && params[0] != '{' {
		return m, nil // a notification has no answer
	}
	if params[0] != '{' {
		return fail(mcp.INVALID_PARAMS, "invalid params: params must be an object")
	}
	size := 0
	m.params = map[string]json.RawMessage{}
	Members(params, func(name string, value json.RawMessage) bool {
		if name != "arguments" || m.method != string(mcp.MethodToolsCall) {
			size += len(name) + len(value)
		}
		m.params[name] = value
		return size <= maxParams
	})
	if size > maxParams {
		return fail(mcp.INVALID_PARAMS, "invalid params: besides the arguments of a tool they have at most %d bytes", maxParams)
	}
	if meta := m.params["_meta"]; len(meta) > 0 && meta[0] != '{' {
		if string(meta) != "null" {
			return fail(mcp.INVALID_PARAMS, "invalid params: _meta must be an object")
		}
		delete(m.params, "_meta")
	}
	return m, nil
}

// kindOf returns the type of a value in the terms of encoding/json.
func kindOf(value []byte) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
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
		n, ok := new(big.Rat).SetString(short(v.String()))
		if !ok || !n.IsInt() {
			return nil, "", errors.New("the id must be a string or an integer")
		}
		return bytes.Clone(raw), "n" + n.Num().String(), nil
	}
	return nil, "", errors.New("the id must be a string or an integer")
}

// short refuses a number whose exponent would make it enormous.
func short(n string) string {
	if i := strings.IndexAny(n, "eE"); i >= 0 && len(n)-i > len("e+99") {
		return ""
	}
	return n
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

// take removes a parameter and returns it.
func (m *message) take(name string) json.RawMessage {
	v := m.params[name]
	delete(m.params, name)
	return v
}

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

// notification returns the bytes of a notification.
func notification(method string, params any) []byte {
	return must(envelope{Method: method, Params: params}.encode())
}

// reply is the answer to a request.
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
		if field == "" {
			field = "params"
		}
		want, known := map[reflect.Kind]string{
			reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "an array",
			reflect.Map: "an object", reflect.Struct: "an object",
		}[wrong.Type.Kind()]
		if !known {
			want = "a number"
		}
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
