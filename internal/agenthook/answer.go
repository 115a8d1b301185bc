package agenthook

import (
	"bytes"
	"encoding/json"
)

// Answer returns what a hook prints so that the client's model reads the text, with a line end; nothing when there is no text, or when
// the client passes no text on at that event. Clients reject an answer in another form, or at another event.
func Answer(client string, in Input, text string) []byte {
	c := Named(client)
	if c == nil || text == "" || in.Kind == "" || in.Kind == Compacting || in.Kind == End {
		return nil
	}
	if c.ID == "kiro" && in.Kind == File {
		return nil
	}
	switch c.answer {
	case specific:
		type output struct {
			HookEventName     string `json:"hookEventName"`
			AdditionalContext string `json:"additionalContext"`
		}
		return encode(map[string]output{"hookSpecificOutput": {in.Event, text}})
	case snakeContext:
		return encode(map[string]string{"additional_context": text})
	case camelContext:
		return encode(map[string]string{"additionalContext": text})
	case plainText:
		return []byte(text + "\n")
	}
	return nil
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts always encode
	}
	return b.Bytes()
}
