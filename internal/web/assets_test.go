package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestAssets(t *testing.T) {
	s := newShelf(t)
	for name, want := range assetTypes {
		r := s.request("GET", "/assets/"+name, nil)
		r.Header.Del("Cookie")
		w := s.do(r)
		if w.StatusCode != 200 || w.Header.Get("Content-Type") != want {
			t.Errorf("%s: %d, %s", name, w.StatusCode, w.Header.Get("Content-Type"))
		}
		data := s.body(w, name, 200)
		for _, bad := range []string{"http:", "https:", "//cdn", "@import", "url(", "eval(", "innerHTML", "document.write", "new Function"} {
			if strings.Contains(strings.ReplaceAll(data, "http://www.w3.org/2000/svg", ""), bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
	}
	for name, a := range assets() {
		r := s.request("GET", a.address, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := s.do(r)
		z, err := gzip.NewReader(w.Body)
		if err != nil || !strings.Contains(w.Header.Get("Cache-Control"), "immutable") {
			t.Fatalf("%s: %v, %s", name, err, w.Header.Get("Cache-Control"))
		}
		if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, a.plain) {
			t.Errorf("%s is another text when compressed: %v", name, err)
		}
	}
	for _, bad := range []string{"/assets/", "/assets/../web.go", "/assets/%2e%2e/web.go", "/assets/page.html"} {
		if w := s.do(s.request("GET", bad, nil)); w.StatusCode == 200 {
			t.Errorf("%s is served", bad)
		}
	}
}

// TestContrast computes the contrast of text on its ground, as WCAG 2 defines it, for the light and the dark page.
func TestContrast(t *testing.T) {
	css, err := files.ReadFile("assets/page.css")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(css), "\n@media (prefers-reduced-motion: reduce) {\n") {
		t.Error("the page moves for users who ask for less motion")
	}
	light, dark := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`).FindAllStringSubmatch(string(css), -1) {
		light[m[1]], dark[m[1]] = m[2], m[3]
	}
	for name, set := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, p := range []struct {
			text, ground string
			least        float64
		}{
			{"ink", "ground", 7}, {"ink", "surface", 7}, {"ink", "sunken", 7}, {"muted", "ground", 4.5}, {"muted", "surface", 4.5}, {"muted", "sunken", 4.5},
			{"accent", "ground", 4.5}, {"accent", "surface", 4.5}, {"accent", "accent-soft", 4.5}, {"accent", "sunken", 4.5}, {"on-accent", "accent", 4.5}, {"ground", "ink", 4.5},
			{"warn", "warn-soft", 4.5}, {"good", "good-soft", 4.5}, {"danger", "bad-soft", 4.5}, {"danger", "surface", 4.5}, {"danger", "sunken", 4.5},
			// what is no text: edges of fields, drawings, the mark of what has the focus
			{"strong-line", "surface", 3}, {"strong-line", "ground", 3}, {"accent", "surface", 3}, {"critical", "surface", 3},
		} {
			a, b := set[p.text], set[p.ground]
			if a == "" || b == "" {
				t.Fatalf("%s: no colour %s or %s", name, p.text, p.ground)
			}
			if got := contrast(a, b); got < p.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, at least %.1f is wanted", name, p.text, p.ground, got, p.least)
			}
		}
	}
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(color string) float64 {
	part := func(at int) float64 {
		n, _ := strconv.ParseUint(color[at:at+2], 16, 8)
		c := float64(n) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(1) + 0.7152*part(3) + 0.0722*part(5)
}
