package answer

import (
	"slices"
	"strings"
	"testing"

	"sdd/internal/index"
)

func TestAsksForCode(t *testing.T) {
	for question, want := range map[string]bool{
		"Where is the lexer?":                       true,
		"Which file parses the front matter?":       true,
		"Which function is called by Save?":         true,
		"Which files have the routes?":              true,
		"Which package installer do we use?":        false,
		"Where is the format described?":            false,
		"Which module system is the code built on":  false,
		"Which code installs the hook?":             true,
		"Where can I see the logs?":                 false,
		"Where did the password go?":                false,
		"where do I note my change":                 false,
		"What must a new rule implement?":           false,
		"How do we implement retries?":              true,
		"How do they end? Which files implement it": true,
		"Where do I store a new session?":           true,
		"which rules implement retries":             true,
	} {
		if got := asksForCode(question); got != want {
			t.Errorf("%q: %v, want %v", question, got, want)
		}
	}
}

func TestAsksWhy(t *testing.T) {
	for question, want := range map[string]bool{
		"Why was it dropped?": true, "so, почему так?": false, "Почему так?": true, "¿Por qué se quitó?": true, "why": true, "Whyever not": false, "How and why": false,
	} {
		if got := asksWhy().MatchString(question); got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

func TestMessages(t *testing.T) {
	for question, want := range map[string]int{
		"Error: the parcel is too heavy":                         3,
		"Why is it that \"the parcel is too heavy\" is printed?": 2,
		"Why is the parcel too heavy for me":                     0,
		"the parcel is too heavy?":                               0,
		"explain why the parcel is too heavy":                    0,
		"parcel limits":                                          0,
	} {
		if got := messages(question); len(got) != want {
			t.Errorf("%q: %q", question, got)
		}
	}
}

func TestPieceHas(t *testing.T) {
	p := &piece{text: "still HTTPGossip getPort ports_open Äcker 处理用户登录的函数"}
	for name, want := range map[string]bool{"stil": false, "still": true, "gossip": true, "port": true, "ort": false, "open": true, "äcker": true, "": false, "登录": true} {
		if got := p.has(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestIsName(t *testing.T) {
	for question, want := range map[string]bool{
		"Does it support Kafka?": true, "Kafka?": false, "Is it there? Kafka too": false, "does it support kafka": false, "is kafka (Kafka) there": true, "is the Kafkaesque one there": false,
	} {
		if got := isName(question, "kafka"); got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

func TestSoleNames(t *testing.T) {
	for question, want := range map[string]int{"CallNotPermitted": 1, "class CallNotPermitted": 1, "is CallNotPermitted thrown": 0, "call not permitted": 0} {
		words := slices.DeleteFunc(strings.Fields(strings.ToLower(question)), func(w string) bool { return w == "is" })
		if got := soleNames(question, words, nil); len(got) != want {
			t.Errorf("%q: %q", question, got)
		}
	}
	if got := soleNames("http_errors", []string{"http_errors"}, []index.RankedItem{{Heading: "http_errors"}}); got != nil {
		t.Errorf("a heading has it: %q", got)
	}
}

func TestNotWord(t *testing.T) {
	for w, want := range map[string]bool{"1041": true, "0xc0001b4000": true, "a4bcf3ce": true, "2fa": false, "e2e": false, "9.9.9": false, "face": false} {
		if got := notWord().MatchString(w); got != want {
			t.Errorf("%q: %v", w, got)
		}
	}
}
