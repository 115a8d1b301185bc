package recent

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestCacheKeepsTheLast(t *testing.T) {
	var c Cache[int]
	if _, ok := c.Get(KeyOf(nil)); ok {
		t.Error("an empty cache has a value for the empty text")
	}
	text := func(i int) []byte { return []byte(fmt.Sprint("text ", i)) }
	for i := range 3 * size {
		c.Put(KeyOf(text(i)), i)
		for j := max(0, i-size+1); j <= i; j++ {
			if v, ok := c.Get(KeyOf(text(j))); !ok || v != j {
				t.Fatalf("after %d texts, text %d gives %d, %v", i+1, j, v, ok)
			}
		}
		if _, ok := c.Get(KeyOf(text(i - size))); ok {
			t.Fatalf("text %d is not forgotten after %d more", i-size, size)
		}
	}
}

func TestKeysTellTextsApart(t *testing.T) {
	seen := map[Key]string{}
	for n := range 300 {
		for _, s := range []string{strings.Repeat("a", n), strings.Repeat("a", n) + "b", strings.Repeat("\x00", n), "b" + strings.Repeat("a", n)} {
			if other, ok := seen[KeyOf([]byte(s))]; ok && other != s {
				t.Fatalf("%q and %q have one key", s, other)
			}
			seen[KeyOf([]byte(s))] = s
		}
	}
}

func TestCacheFromManySides(t *testing.T) {
	var c Cache[string]
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 1000 {
				text := fmt.Sprint(n, i%50)
				c.Put(KeyOf([]byte(text)), text)
				if v, ok := c.Get(KeyOf([]byte(text))); ok && v != text {
					t.Errorf("%q gives %q", text, v)
				}
			}
		})
	}
	all.Wait()
}
