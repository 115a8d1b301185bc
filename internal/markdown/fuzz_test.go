package markdown

import (
	"strings"
	"testing"
)

// FuzzSplice changes one section of any file to any text, and holds the result to the laws: no
// byte outside changes, no other section changes, and saving what is there is the identity.
func FuzzSplice(f *testing.F) {
	for i, file := range corpus(f) {
		f.Add(file.src, hostile[i%len(hostile)], uint8(i))
		f.Add(file.src, harmless[i%len(harmless)], uint8(i+1))
	}
	f.Fuzz(func(t *testing.T, src []byte, text string, choice uint8) {
		from := bodyStart(src)
		if _, err := Parse(src, from); err != nil || len(src) > 1<<16 || tooDeep(text) {
			return
		}
		c := Change{Section: order[int(choice)%len(order)], Text: text, Op: Op(int(choice) / len(order) % 3)}
		exact(t, order, src, from, c)
	})
}

// FuzzContain saves any text into the files that are easily disturbed.
func FuzzContain(f *testing.F) {
	for i, text := range hostile {
		f.Add(text, uint8(i))
	}
	for i, text := range harmless {
		f.Add(text, uint8(i))
	}
	files := stages(f)
	f.Fuzz(func(t *testing.T, text string, choice uint8) {
		if len(text) > 1<<16 || tooDeep(text) {
			return
		}
		file := files[int(choice)%len(files)]
		contained(t, file.name, file.src, file.from, order[int(choice)/len(files)%len(order)], text)
	})
}

// tooDeep reports whether text is refused whatever is done to it, by the limits of Parse.
func tooDeep(text string) bool {
	for _, newline := range []string{"\n", "\r\n"} {
		if _, err := Parse([]byte(strings.ReplaceAll(plain(text), "\n", newline)), 0); err != nil {
			return true
		}
	}
	return false
}
