package classify

import (
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/russian"
)

// envs are stemmer states, reused for the next word.
var envs = sync.Pool{New: func() any { return snowballstem.NewEnv("") }}

// maxStem is the length of the longest word that is stemmed, in bytes: no natural word is longer.
const maxStem = 32

// stem returns the stem of a lower-case word. English and Russian words lose their endings; others keep them.
func stem(w string) string {
	if len(w) < 3 || len(w) > maxStem {
		return w
	}
	for i := 0; i < len(w); i++ {
		if c := w[i]; c < utf8.RuneSelf && (c < 'a' || c > 'z') {
			return w
		}
	}
	env := envs.Get().(*snowballstem.Env)
	defer envs.Put(env)
	env.SetCurrent(w)
	if r, _ := utf8.DecodeRuneInString(w); 0x400 <= r && r <= 0x52F {
		russian.Stem(env)
	} else {
		english.Stem(env)
	}
	if s := env.Current(); s != "" {
		return s
	}
	return w
}
