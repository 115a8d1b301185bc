// Package secrets keeps keys and tokens out of records: it finds them in a text, refuses a save that would add one, and never shows their
// value. It finds formats by a prefix or the text around them, and checks whether the value could be random (random.go): a word like
// "password" is not enough (url.go), as false alarms would make users disable the check.
//
// It scans a text once for triggers, the few bytes in or near every secret of a rule (trigger.go), and checks the text with the rule only
// there, so the work is linear in the text's length.
package secrets

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/fault"
)

// Finding is the place of a secret in a text, without the secret.
type Finding struct {
	Rule        string // its kind, such as github-token
	What        string // its kind in words, such as "a GitHub token"
	Start, End  int    // byte offsets in the text
	Line        int    // 1-based
	Column      int    // 1-based, in characters
	Fingerprint string // names this secret in `secrets.allow`
}

// Scan lists the secrets in text by their place, without overlaps. It does not keep or change text, and is safe for concurrent use.
func Scan(text []byte) []Finding {
	found := search(text)
	if len(found) == 0 {
		return nil
	}
	out := make([]Finding, len(found))
	line, column, at := 1, 1, 0
	for i, s := range found {
		between := text[at:s.start]
		if n := bytes.LastIndexByte(between, '\n'); n >= 0 {
			line += bytes.Count(between, []byte("\n"))
			between, column = between[n+1:], 1
		}
		column += utf8.RuneCount(between)
		at = s.start
		out[i] = Finding{
			Rule: s.rule.id, What: s.rule.what, Start: s.start, End: s.end, Line: line, Column: column,
			Fingerprint: fingerprint(s.rule.id, s.value),
		}
	}
	return out
}

// New returns why a file must not change from before to after, nil when it may: an Invalid fault that names each secret's kind, line
// and fingerprint. Fingerprints in allow pass. It refuses only secrets that after adds, so that an old secret does not prevent every
// later save. A second copy of an old secret counts as added.
func New(before, after []byte, allow []string) error {
	found := Scan(after)
	if len(found) == 0 {
		return nil
	}
	old := map[string]int{}
	for _, f := range Scan(before) {
		old[f.Fingerprint]++
	}
	return refuse(slices.DeleteFunc(found, func(f Finding) bool {
		old[f.Fingerprint]--
		return old[f.Fingerprint] >= 0
	}), allow)
}

func refuse(found []Finding, allow []string) error {
	found = slices.DeleteFunc(found, func(f Finding) bool { return slices.Contains(allow, f.Fingerprint) })
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "the text holds what looks like %s; nothing was written", inWords(found)).From(refusal(found)).
		With("leave the value out and say where it is kept; if it is no secret, list its fingerprint under secrets.allow in .sdd/config.yaml")
}

const mostNamed = 3 // findings that one error spells out

// refusal is the cause of a fault of this package: the findings.
type refusal []Finding

func (r refusal) Error() string { return inWords(r) }

func inWords(found []Finding) string {
	var named []string
	for _, f := range found[:min(len(found), mostNamed)] {
		named = append(named, fmt.Sprintf("%s (%s, line %d, fingerprint %s)", f.What, f.Rule, f.Line, f.Fingerprint))
	}
	if n := len(found) - mostNamed; n > 0 {
		named = append(named, fmt.Sprintf("%d more", n))
	}
	return strings.Join(named, ", ")
}

// Blame changes a fault of this package so that it names the argument with the secret and the line in it, because the file in the
// fault was never written. in is a struct with the arguments of the failed call as fields. It is meant to be deferred.
func Blame(err *error, in any) {
	var found refusal
	if !errors.As(*err, &found) {
		return
	}
	v := reflect.ValueOf(in)
	for _, field := range reflect.VisibleFields(v.Type()) {
		if !field.IsExported() {
			continue
		}
		var texts []string
		switch x := v.FieldByIndex(field.Index); {
		case x.Kind() == reflect.String:
			texts = []string{x.String()}
		case x.Kind() == reflect.Slice && x.Type().Elem().Kind() == reflect.String:
			for i := range x.Len() {
				texts = append(texts, x.Index(i).String())
			}
		}
		var there []Finding
		for _, text := range texts {
			for _, f := range Scan([]byte(text)) {
				if slices.ContainsFunc(found, func(o Finding) bool { return o.Fingerprint == f.Fingerprint }) {
					there = append(there, f)
				}
			}
		}
		if len(there) == 0 {
			continue
		}
		arg, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if arg == "" || arg == "-" {
			arg = strings.ToLower(field.Name)
		}
		f := *fault.Of(*err)
		f.Arg, f.File, f.Line = arg, "", 0
		f.Message = fmt.Sprintf("%s holds what looks like %s; nothing was written", arg, inWords(there))
		*err = &f
		return
	}
}

// Allowed reads the fingerprints under `secrets.allow` from the value of the key `secrets` in config.yaml.
func Allowed(section any) []string {
	m, _ := section.(map[string]any)
	list, _ := m["allow"].([]any)
	var allow []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			allow = append(allow, strings.ToLower(strings.TrimSpace(s)))
		}
	}
	return allow
}

// fingerprint identifies a secret without revealing it. YAML reads it as text, because it contains a letter other than e.
func fingerprint(rule, value string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + value))
	for {
		if s := hex.EncodeToString(sum[:6]); strings.ContainsAny(s, "abcdf") {
			return s
		}
		sum = sha256.Sum256(sum[:])
	}
}

// span is a secret that a rule found.
type span struct {
	start, end int
	value      string // the text that its fingerprint hashes
	rule       *rule
	order      int // of the rule, for two rules that find the same secret
}

// search returns the spans of all rules. Of two that overlap it keeps the one that begins first, else the longer, else the earlier rule's.
func search(text []byte) []span {
	var all []span
	for i, hits := range triggered(text) {
		if len(hits) == 0 {
			continue
		}
		r := &rules()[i]
		for _, s := range r.find(text, hits) {
			if r.weak && slices.ContainsFunc(all, func(o span) bool { return s.start < o.end && o.start < s.end }) {
				continue
			}
			s.rule, s.order = r, i
			all = append(all, s)
		}
	}
	if len(all) < 2 {
		return all
	}
	slices.SortFunc(all, func(a, b span) int {
		return cmp.Or(a.start-b.start, b.end-a.end, a.order-b.order)
	})
	kept := all[:1]
	for _, s := range all[1:] {
		if s.start >= kept[len(kept)-1].end {
			kept = append(kept, s)
		}
	}
	return kept
}

// Mask returns text with each secret replaced by its kind in brackets, such as "[a GitHub token]".
func Mask(text string) string { return mask(text, Scan([]byte(text))) }

func mask(text string, found []Finding) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start] + "[" + f.What + "]")
		at = f.End
	}
	return b.String() + text[at:]
}

// Masker masks the secrets in the texts of one session. A value that the words around it showed to be a secret is masked in every
// later text too. The zero value is ready.
type Masker struct{ known []masked }

// masked is a secret and its kind in brackets.
type masked struct{ value, what string }

const (
	mostKnown = 200 // values that a Masker remembers
	longWord  = 16  // bytes: a shorter value without a digit may be a word
)

// Mask is the function Mask for the next text.
func (m *Masker) Mask(text string) string {
	found := Scan([]byte(text))
	for _, f := range found {
		k := masked{text[f.Start:f.End], "[" + f.What + "]"}
		sure := len(k.value) >= longWord || len(k.value) >= longWord/2 && strings.ContainsAny(k.value, digits)
		if sure && len(m.known) < mostKnown && !slices.Contains(m.known, k) {
			m.known = append(m.known, k)
		}
	}
	text = mask(text, found)
	for _, k := range m.known {
		text = strings.ReplaceAll(text, k.value, k.what)
	}
	return text
}
