package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"time"
)

// client sends requests in the form of OpenAI's embeddings: POST {model, input, dimensions}, answered by {data: [{index, embedding}]}.

const (
	maxAnswer  = 64 << 20 // bytes
	maxKept    = 300      // bytes of a server's message about a failure
	idleSeldom = 30 * time.Second
)

// failure is the reason for missing vectors, worded to follow "embeddings: ".
type failure struct {
	why    string
	status int // HTTP status, 0 without an answer
}

func (f *failure) Error() string { return f.why }

func failed(format string, args ...any) *failure { return &failure{why: fmt.Sprintf(format, args...)} }

var transport = &http.Transport{
	Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 2, IdleConnTimeout: idleSeldom, ForceAttemptHTTP2: true,
}

// A redirect may lead to an untrusted server.
var browser = &http.Client{
	Transport:     transport,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask returns a vector of length 1 for each text, all with the same number of dimensions: dims, unless that is 0.
func (s Settings) ask(ctx context.Context, texts []string, dims int) ([][]float32, error) {
	in := map[string]any{"model": s.Model, "input": texts, "encoding_format": "float"}
	if s.Dimensions > 0 {
		in["dimensions"] = s.Dimensions
		dims = s.Dimensions
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, failed("%v", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint(), bytes.NewReader(body))
	if err != nil {
		return nil, failed("%v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if s.KeyEnv != "" {
		key := strings.TrimSpace(os.Getenv(s.KeyEnv))
		if key == "" {
			return nil, failed("the variable %s, which api_key_env names, is empty", s.KeyEnv)
		}
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := browser.Do(req)
	if err != nil {
		return nil, unreached(ctx, err)
	}
	defer res.Body.Close()
	src, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case res.StatusCode != http.StatusOK:
		f := failed("the server answered %s%s", res.Status, messageOf(src))
		f.status = res.StatusCode
		return nil, f
	case err != nil:
		return nil, unreached(ctx, err)
	case len(src) > maxAnswer:
		return nil, failed("the answer has more than %d MiB", maxAnswer>>20)
	}
	return read(src, len(texts), dims)
}

// unreached is the failure of a request without an answer.
func unreached(ctx context.Context, err error) error {
	var timeout interface{ Timeout() bool } // context.DeadlineExceeded implements it too
	if ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout() {
		return failed("no answer in time")
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner // without the address, which is in config.yaml
	}
	return failed("the server cannot be reached: %v", err)
}

// messageOf is the message in the body of a failure, on one line.
func messageOf(src []byte) string {
	var body struct {
		Error   json.RawMessage
		Message string
	}
	text := ""
	if json.Unmarshal(src, &body) == nil {
		var inner struct{ Message string }
		switch {
		case body.Message != "":
			text = body.Message
		case json.Unmarshal(body.Error, &inner) == nil:
			text = inner.Message
		default:
			_ = json.Unmarshal(body.Error, &text) // a text, as Ollama has it; else nothing
		}
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if text == "" {
		return ""
	}
	if len(text) > maxKept {
		text = strings.ToValidUTF8(text[:maxKept], "") + "…"
	}
	return fmt.Sprintf(": %q", text)
}

func read(src []byte, n, dims int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int
			Embedding []float32
		}
	}
	if err := json.Unmarshal(src, &answer); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && bytes.Contains(src, []byte("NaN")) {
			return nil, failed("the answer holds NaN where numbers belong")
		}
		return nil, failed("the answer cannot be read: %v", err)
	}
	if len(answer.Data) != n {
		return nil, failed("%d vectors came, %d were asked for", len(answer.Data), n)
	}
	out := make([][]float32, n)
	for place, d := range answer.Data {
		at := place // for a server that leaves the index out
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out[at] != nil {
			return nil, failed("the vectors of the answer are not numbered from 0 to %d", n-1)
		}
		if dims == 0 {
			dims = len(d.Embedding)
		}
		switch {
		case len(d.Embedding) == 0:
			return nil, failed("the answer holds an empty vector")
		case len(d.Embedding) > maxDimensions:
			return nil, failed("a vector has %d dimensions, more than %d", len(d.Embedding), maxDimensions)
		case len(d.Embedding) != dims:
			return nil, failed("a vector has %d dimensions instead of %d", len(d.Embedding), dims)
		case !unit(d.Embedding):
			return nil, failed("the answer holds a vector without a direction")
		}
		out[at] = d.Embedding
	}
	return out, nil
}

// unit scales v to length 1. It returns false for a vector of length 0.
func unit(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	by := float32(1 / math.Sqrt(sum))
	if math.IsInf(float64(by), 0) {
		return false
	}
	for i := range v {
		v[i] *= by
	}
	return true
}
