package grep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
	_ "sdd/internal/longtest"
)

// endless are patterns that take longer than any test may on the files of slowTree.
var endless = []string{`(a*)*b`, `a*a*a*a*a*a*a*b`, `a{900}`, strings.Repeat("(", 30) + "a*" + strings.Repeat(")*", 30) + "b", `a.*z|a`}

// slowTree holds files of long lines that are not taken for generated ones.
func slowTree(t *testing.T) string {
	files := map[string]string{"first/hit.txt": "aaab\n"}
	text := strings.Repeat("a", 400_000) + "\n" + strings.Repeat("a\n", 3000)
	text += strings.Repeat(text, 8)
	for i := range 30 {
		files[fmt.Sprintf("src/f%02d.txt", i)] = text
	}
	return plant(t, files)
}

// working reports whether a goroutine is in the function.
func working(function string) bool {
	buf := make([]byte, 1<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), function)
}

func TestCancelInTheMiddle(t *testing.T) {
	dir := slowTree(t)
	for _, p := range endless {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := Search(ctx, dir, Query{Pattern: p})
			done <- err
		}()
		for !working("regexp.(*Regexp)") {
			select {
			case err := <-done:
				t.Fatalf("%.20s: it ended before it was cancelled: %v", p, err)
			default:
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%.20s: %v", p, err)
		}
		if working("regexp.(*Regexp)") {
			t.Errorf("%.20s: it is still being searched", p)
		}
	}
}

func TestDeadlineKeepsWhatIsFound(t *testing.T) {
	dir := slowTree(t)
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	f, err := Search(ctx, dir, Query{Pattern: `a.*z|a`})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Unread) == 0 {
		t.Error("it does not say what was not searched")
	}
	for _, p := range f.Unread {
		if !strings.HasPrefix(p, "src/") && p != "first/" && p != "first/hit.txt" {
			t.Errorf("%q was not searched", p)
		}
	}
	over, stop := context.WithTimeout(t.Context(), -1)
	defer stop()
	if f, err := Search(over, dir, Query{Query: "hit"}); err != nil || cmp.Diff([]string{"/"}, f.Unread) != "" || len(f.Hits) != 0 {
		t.Errorf("without time: %v, %v", f, err)
	}
}

func TestProgramIsBounded(t *testing.T) {
	dir := plant(t, map[string]string{"a.txt": "a"})
	for pattern, ok := range map[string]bool{`.{0,400}x`: true, `a{1000}`: false, `(?:a{1000}|b{1000}){1}`: false, strings.Repeat(`\pL{900}`, 500): false} {
		_, err := Search(t.Context(), dir, Query{Pattern: pattern})
		if ok != (err == nil) || !ok && (!fault.Is(err, fault.Invalid) || fault.Of(err).Arg != "pattern") {
			t.Errorf("%.20s: %v", pattern, err)
		}
	}
}

// TestLongLineLikeRegexp holds the search in parts against one of the whole line.
func TestLongLineLikeRegexp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		line := []byte(strings.Repeat("x ", 3*maxPart))
		line = line[:maxPart+rnd.IntN(len(line)-maxPart)]
		for range 8 { // no more than are counted in a part
			word := [...]string{"foo", "food", "barfoo", "fo" + strings.Repeat("o", rnd.IntN(LongestMatch/9))}[rnd.IntN(4)]
			copy(line[rnd.IntN(len(line)):], word)
		}
		for _, p := range []string{`foo+`, `\bfoo\b`, `^x`, `x$`, `o$`, `fo{2,400}`, `foo\b|bar`, `(?i)BARFOO`} {
			w := &wanted{}
			if err := w.addPattern(p); err != nil {
				t.Fatal(err)
			}
			s := newScanner(t.Context(), w)
			var got [][]int
			for from, to := range s.inLine(line) {
				got = append(got, []int{from, to})
			}
			want := regexp.MustCompile(p).FindAllIndex(line, -1)
			if diff := cmp.Diff(want, got); diff != "" || !s.windows {
				t.Fatalf("%s in %d bytes (-want +got):\n%s", p, len(line), diff)
			}
		}
	}
}
