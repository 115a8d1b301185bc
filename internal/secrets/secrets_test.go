package secrets

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
)

func TestScanPlaces(t *testing.T) {
	token := "ghp_" + made(1, 36, alnums)
	text := "é ü\r\nトークン " + token + "\n\nagain " + token + " and glpat-" + made(2, 20, alnums) + "."
	got := Scan([]byte(text))
	if len(got) != 3 {
		t.Fatalf("found %+v", got)
	}
	for i, want := range []struct {
		rule         string
		line, column int
	}{{"github-token", 2, 6}, {"github-token", 4, 7}, {"gitlab-token", 4, 52}} {
		if f := got[i]; f.Rule != want.rule || f.Line != want.line || f.Column != want.column {
			t.Errorf("finding %d is %+v, want %+v", i, f, want)
		}
	}
	if text[got[0].Start:got[0].End] != token {
		t.Errorf("the first finding is %q", text[got[0].Start:got[0].End])
	}
	if got[0].Fingerprint != got[1].Fingerprint || got[0].Fingerprint == got[2].Fingerprint {
		t.Error("fingerprints do not tell secrets apart")
	}
}

func TestFingerprints(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{12}$`)
	for i := range 3000 {
		f := fingerprint("rule", fmt.Sprint("value ", i))
		if !form.MatchString(f) || !strings.ContainsAny(f, "abcdf") {
			t.Fatalf("fingerprint %q may read as a number", f)
		}
		if f != fingerprint("rule", fmt.Sprint("value ", i)) || f == fingerprint("other", fmt.Sprint("value ", i)) {
			t.Fatal("fingerprints must depend on rule and value alone")
		}
	}
}

func TestGate(t *testing.T) {
	if err := gate([]string{"Token refresh", "- keep tokens in the vault"}, nil); err != nil {
		t.Fatalf("Gate refused %v", err)
	}
	token := "ghp_" + made(3, 36, alnums)
	url := "postgres://app:" + made(4, 12, alnums) + "@db.acme.dev/app"
	err := gate([]string{"x", "line\nkey " + token, url}, nil)
	f := fault.Of(err)
	if f.Code != fault.Invalid {
		t.Fatalf("Gate gave %v", err)
	}
	fp := Scan([]byte(token))[0].Fingerprint
	for _, want := range []string{"github-token", "line 2", fp, "password-in-url"} {
		if !strings.Contains(f.Message, want) {
			t.Errorf("%q does not name %q", f.Message, want)
		}
	}
	if !strings.Contains(f.Hint, "secrets.allow") || !strings.Contains(f.Hint, "config.yaml") {
		t.Errorf("hint %q", f.Hint)
	}
	if all := f.Message + f.Hint; strings.Contains(all, token) || strings.Contains(all, made(4, 12, alnums)) {
		t.Errorf("the error shows a secret: %s", all)
	}
	if err := gate([]string{"key " + token}, []string{fp}); err != nil {
		t.Errorf("an allowed secret is refused: %v", err)
	}
	if err := gate([]string{strings.Repeat(token+" "+"glpat-"+made(5, 20, alnums)+"\n", 4)}, nil); !strings.Contains(fmt.Sprint(err), "5 more") {
		t.Errorf("many findings: %v", err)
	}
}

func TestNew(t *testing.T) {
	a, b := "ghp_"+made(6, 36, alnums), "ghp_"+made(7, 36, alnums)
	for _, tc := range []struct {
		name          string
		before, after string
		refused       bool
	}{
		{"nothing", "x", "y", false},
		{"new file", "", "key " + a, true},
		{"stands there already", "key " + a, "other line\nkey " + a + "\nmore", false},
		{"moved", "key " + a + "\nb", "b\nkey " + a, false},
		{"removed", "key " + a, "none", false},
		{"another one", "key " + a, "key " + a + " and " + b, true},
		{"exchanged", "key " + a, "key " + b, true},
		{"a second copy", "key " + a, "key " + a + "\nkey " + a, true},
		{"completed by hand and tool", "key " + a[:20], "key " + a, true},
	} {
		err := New([]byte(tc.before), []byte(tc.after), nil)
		if (err != nil) != tc.refused {
			t.Errorf("%s: %v", tc.name, err)
		}
		if err != nil && New([]byte(tc.before), []byte(tc.after), []string{Scan([]byte(a))[0].Fingerprint, Scan([]byte(b))[0].Fingerprint}) != nil {
			t.Errorf("%s: refused in spite of the list of those allowed", tc.name)
		}
	}
}

func TestAllowed(t *testing.T) {
	got := Allowed(map[string]any{"allow": []any{"A1b2c3d4e5f6 ", 5, "000000abcdef"}})
	if !slices.Equal(got, []string{"a1b2c3d4e5f6", "000000abcdef"}) {
		t.Errorf("got %q", got)
	}
	for _, none := range []any{nil, "x", map[string]any{}, map[string]any{"allow": "x"}} {
		if got := Allowed(none); got != nil {
			t.Errorf("%v gave %q", none, got)
		}
	}
}

// TestEveryRuleCanFire looks for rules that cannot find anything: a prefix misspelt, a detector
// whose secrets hold no text, a table with more heads than it can count.
func TestEveryRuleCanFire(t *testing.T) {
	if n := len(triggers().buckets); n > 255 {
		t.Fatalf("%d different heads of triggers, the table counts to 255", n)
	}
	fired := map[string]bool{}
	for _, s := range positives() {
		for _, f := range Scan([]byte(s.text)) {
			fired[f.Rule] = true
		}
	}
	for _, s := range shapes {
		n := max(s.min, 20)
		alphabet := ""
		for c := range 256 {
			if s.set[c] && alnumBytes[c] {
				alphabet += string(rune(c))
			}
		}
		for prefix := range strings.FieldsSeq(s.prefixes) {
			for seed := range uint64(5) { // chance may write a word
				if found := Scan([]byte(prefix + made(seed, n, alphabet))); len(found) > 0 && found[0].Rule == s.id {
					fired[s.id+prefix] = true
				}
			}
			if !fired[s.id+prefix] {
				t.Errorf("%s%s… is not found", prefix, made(1, n, alphabet))
			}
		}
		fired[s.id] = true
	}
	for _, r := range rules() {
		for _, text := range r.triggers {
			if len(text) < 2 {
				t.Errorf("%s: trigger %q is too short", r.id, text)
			}
		}
		if !fired[r.id] {
			t.Errorf("no sample for %s", r.id)
		}
	}
}

// hostile are texts that make detectors work hard for nothing.
var hostile = map[string]string{
	"urls":      "a://b:c",
	"at":        "a://b:c@",
	"jwt":       "eyJ",
	"jwt2":      "eyJa.eyJb.c",
	"sk":        "sk-a-",
	"begin":     "-----BEGIN PRIVATE KEY-----\n",
	"begin2":    "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7Wq3zR8LkVYp2N5tHcXbDfGmJ0aQsEuTiO9yPl\n",
	"discord":   "discord MTAxMjM0NTY3ODkwMTIzNDU2.GabcdE.abcdefghijklmnopqrstuvwxyz1 ",
	"docker":    "dckr_pat_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9 username: x ",
	"aws":       "AKIAQ2R3S4T5U6V7W2X3 wJ4lrXUtnFEMI7K7MDENGxbPxRfiCY5zz6kq2aBc ",
	"awsname":   "aws_secret",
	"sig":       "sig=a",
	"tilde":     "abc8Q~",
	"gitlab":    "glpat-abcdefghij0123456789",
	"telegram":  "telegram 123456789:AAabcdefghijklmnopqrstuvwxyz0123456 ",
	"authtoken": "_authToken=",
	"azdo":      "AZDO",
	"putty":     "Private-Lines: 9\n",
	"sendgrid":  "SG.a",
}

func BenchmarkHostile(b *testing.B) {
	for name, s := range hostile {
		for _, size := range []int{64 << 10, 1 << 20} {
			text := []byte(strings.Repeat(s, size/len(s)))
			b.Run(fmt.Sprintf("%s/%dK", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Scan(text)
				}
			})
		}
	}
}

// record is an exploration of 2 KB as they are: with links, hashes and words about tokens.
var record = []byte(strings.Repeat(`---
title: Token refresh
project: shop
created: 2026-11-20
---

## Goals

- Refresh the access token before it expires, see [the flow](https://example.com/docs/auth#refresh).
- No password is stored; the key is in the vault at path kv/shop/api-key.

## Context

Fixed in 3f786850e387550fdab836ed7e6dc881de23001b. The handler is in src/auth/refresh.go.
`+"`export TOKEN=$(vault read -field=token kv/shop)`\n", 6)[:2048])

func BenchmarkScan(b *testing.B) {
	b.SetBytes(int64(len(record)))
	for b.Loop() {
		Scan(record)
	}
}

// BenchmarkScan10000 scans as much as 10,000 records.
func BenchmarkScan10000(b *testing.B) {
	for b.Loop() {
		for range 10000 {
			Scan(record)
		}
	}
}

// FuzzScan demands of any text: no crash, findings inside it, in order, apart, on the right line;
// an error that names none of them; and that what stands there already is never refused.
func FuzzScan(f *testing.F) {
	for _, s := range positives() {
		f.Add([]byte(s.text))
	}
	for _, s := range negatives() {
		f.Add([]byte(s))
	}
	for _, s := range hostile {
		f.Add([]byte(strings.Repeat(s, 20)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found := Scan(text)
		end := 0
		for _, s := range found {
			if s.Start < end || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("finding %+v in %d bytes, after %d", s, len(text), end)
			}
			end = s.End
			if want := 1 + strings.Count(string(text[:s.Start]), "\n"); s.Line != want || s.Column < 1 {
				t.Fatalf("finding %+v is on line %d", s, want)
			}
		}
		if !slices.Equal(found, Scan(slices.Clone(text))) {
			t.Fatal("twice is not once")
		}
		if err := New(text, text, nil); err != nil {
			t.Fatalf("nothing was added: %v", err)
		}
		err := gate([]string{string(text)}, nil)
		if (err != nil) != (len(found) > 0) {
			t.Fatalf("Scan found %d, Gate says %v", len(found), err)
		}
		for _, s := range found {
			if value := string(text[s.Start:s.End]); len(value) > 12 && strings.Contains(fault.Of(err).Message+fault.Of(err).Hint, value) {
				t.Fatalf("the error shows %q", value)
			}
		}
	})
}

// gate returns why texts must not be stored.
func gate(texts, allow []string) error {
	var found []Finding
	for _, t := range texts {
		found = append(found, Scan([]byte(t))...)
	}
	return refuse(found, allow)
}
