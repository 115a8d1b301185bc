package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"sdd/internal/lines"
)

// JSON-RPC 2.0 with a header for the length; a library for it would bring a dozen modules.

const (
	maxMessage = 32 << 20 // bytes; a longer message is skipped and answered with an error
	maxHeader  = 4 << 10  // bytes of all header lines
)

// Codes of errors.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeFailed         = -32803
	codeCancelled      = -32800
)

// message is a request, a notification (without an id) or a response (without a method).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

func failed(code int, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...)}
}

// errFraming ends a connection: behind a broken header the start of the next message is unknown.
var errFraming = errors.New("the header of a message is broken")

// readMessage reads the next message. A *failure answers a message that cannot be used; io.EOF is the end between two messages.
func readMessage(r *bufio.Reader) (m message, err error) {
	size, err := readHeader(r)
	if err != nil {
		return m, err
	}
	if size > maxMessage {
		if _, err := io.CopyN(io.Discard, r, size); err != nil {
			return m, io.ErrUnexpectedEOF
		}
		return m, failed(codeInvalidRequest, "the message has %d bytes, at most %d are allowed", size, maxMessage)
	}
	var body bytes.Buffer // grows with what arrives, not with what the header promises
	if _, err := io.CopyN(&body, r, size); err != nil {
		return m, io.ErrUnexpectedEOF
	}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(body.Bytes(), &m); {
	case errors.As(err, &syntax):
		return m, failed(codeParse, "the message is not JSON: %v", err)
	case err != nil || m.Version != "2.0" || len(m.ID) > 0 && strings.IndexByte(`"-0123456789n`, m.ID[0]) < 0:
		return m, failed(codeInvalidRequest, "the message is not JSON-RPC 2.0")
	}
	if string(m.ID) == "null" {
		m.ID = nil
	}
	return m, nil
}

// readHeader reads the lines before a message and returns its length.
func readHeader(r *bufio.Reader) (size int64, err error) {
	size = -1
	for read := 0; ; {
		line, err := r.ReadSlice('\n')
		switch {
		case err == io.EOF && read == 0 && len(line) == 0:
			return 0, io.EOF
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		case err != nil && err != bufio.ErrBufferFull:
			return 0, err
		}
		if read += len(line); err != nil || read > maxHeader {
			return 0, errFraming
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if size < 0 {
				return 0, errFraming
			}
			return size, nil
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, errFraming
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if size, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil || size < 0 {
				return 0, errFraming
			}
		}
	}
}

// writer writes messages; it is safe for concurrent use.
type writer struct {
	mu  sync.Mutex
	out io.Writer
}

// write sends a message. A client that no longer reads is found by the end of its input.
func (w *writer) write(v any) {
	text := bytes.TrimRight(lines.JSON(v, ""), "\n")
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = fmt.Fprintf(w.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
}

type request struct {
	Version string `json:"jsonrpc"`
	ID      any    `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

func (w *writer) notify(method string, params any) { w.write(request{"2.0", nil, method, params}) }

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  *any            `json:"result,omitempty"` // nil with an error; else it may point to nil
	Error   *failure        `json:"error,omitempty"`
}

// answer sends the response to a request; id is nil when the request's could not be read.
func (w *writer) answer(id json.RawMessage, result any, err error) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	r := response{"2.0", id, &result, nil}
	if err != nil && !errors.As(err, &r.Error) {
		r.Error = failed(codeFailed, "%v", err)
	}
	if err != nil {
		r.Result = nil
	}
	w.write(r)
}
