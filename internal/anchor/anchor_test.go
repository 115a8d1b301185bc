package anchor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sdd/internal/fault"
	_ "sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/symbol"
)

// repo is a work tree for a test.
type repo struct {
	*testing.T
	dir string
}

func newRepo(t *testing.T) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git("init", "-q")
	return r
}

func (r repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repo) write(path, text string) {
	r.Helper()
	name := filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r repo) commit(subject string) {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", subject)
}

func (r repo) tree() *Tree {
	t := New(r.dir)
	r.Cleanup(t.Close)
	return t
}

// pin returns the anchor of a place as it is now.
func (r repo) pin(place string) Anchor {
	r.Helper()
	ref, err := ParseRef(place)
	if err != nil {
		r.Fatal(err)
	}
	entry, ref, err := r.tree().Pin(ref)
	if err != nil {
		r.Fatal(err)
	}
	all := In(map[string]any{"code_ref": ref.String(), "seen": []any{entry}}, nil)
	if len(all) != 1 || len(all[0].Seen) != 1 {
		r.Fatalf("%s reads as %+v", entry, all)
	}
	return all[0]
}

const signer = `package auth

import "crypto/hmac"

// Sign signs.
func Sign(key []byte, text string) []byte {
	m := hmac.New(nil, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

func Verify(key []byte, text string, sum []byte) bool {
	return hmac.Equal(Sign(key, text), sum)
}
`

func TestJudge(t *testing.T) {
	edit := func(old, new string) func(r repo) {
		return func(r repo) { r.write("auth.go", strings.Replace(signer, old, new, 1)) }
	}
	shift := edit("// Sign signs.", "// Sign signs a text\n// with a key.\n\nvar x = 1\n\n// Sign signs.")
	shiftedAndChanged := strings.NewReplacer("// Sign signs.", "// Sign signs a text\n// with a key.\n\nvar x = 1\n\n// Sign signs.",
		"m.Sum(nil)", "m.Sum(key)").Replace(signer)
	copied := func(r repo) { // the copy is there before the function goes
		at, end := strings.Index(signer, "// Sign signs."), strings.Index(signer, "func Verify")
		r.write("copy.go", strings.Replace(signer, "package auth", "package copy", 1))
		r.commit("copy")
		r.write("auth.go", signer[:at]+signer[end:])
		r.commit("drop")
	}
	for _, c := range []struct {
		name, place string
		change      func(r repo)
		state       State
		now         string
	}{
		{"nothing", "auth.go#Sign", func(repo) {}, Fresh, "auth.go#Sign"},
		{"lines above", "auth.go#Sign", shift, Fresh, "auth.go#Sign"},
		{"another function", "auth.go#Sign", edit("hmac.Equal", "!hmac.Equal"), Fresh, "auth.go#Sign"},
		{"a comment", "auth.go#Sign", edit("m.Write", "// feed\n\tm.Write"), Fresh, "auth.go#Sign"},
		{"layout", "auth.go#Sign", edit("key []byte, text string", "\n\tkey []byte,\n\ttext string,\n"), Fresh, "auth.go#Sign"},
		{"CRLF", "auth.go#Sign", func(r repo) { r.write("auth.go", strings.ReplaceAll(signer, "\n", "\r\n")) }, Fresh, "auth.go#Sign"},
		{"the body", "auth.go#Sign", edit("m.Sum(nil)", "m.Sum(key)"), Drifted, "auth.go#Sign"},
		{"the parameters", "auth.go#Sign", edit("key []byte,", "ctx Context, key []byte,"), Drifted, "auth.go#Sign"},
		{"a new name", "auth.go#Sign", edit("func Sign(", "func Seal("), Moved, "auth.go#Seal"},
		{"a copy that was there", "auth.go#Sign", copied, Gone, "auth.go#Sign"},
		{"a copy that was there, renamed since", "auth.go#Sign", func(r repo) {
			copied(r)
			r.git("mv", "copy.go", "other.go")
			r.commit("rename")
		}, Gone, "auth.go#Sign"},
		{"a copy that was there, renamed and not committed", "auth.go#Sign", func(r repo) {
			copied(r)
			r.git("mv", "copy.go", "other.go")
		}, Gone, "auth.go#Sign"},
		{"a twin that was there", "auth.go#Sign", func(r repo) {
			at, end := strings.Index(signer, "func Sign("), strings.Index(signer, "func Verify")
			twin := strings.ReplaceAll(signer[at:end], "Sign", "Seal")
			r.write("auth.go", signer+twin)
			r.commit("twin")
			r.write("auth.go", signer[:at]+signer[end:]+twin)
		}, Gone, "auth.go#Sign"},
		{"a short one with a new name", "auth.go#Verify", edit("func Verify(", "func Check("), Moved, "auth.go#Check"},
		{"deleted", "auth.go#Verify", edit(signer[strings.Index(signer, "func Verify"):], ""), Gone, "auth.go#Verify"},
		{"renamed file", "auth.go#Sign", func(r repo) { r.git("mv", "auth.go", "sign.go"); r.commit("move") }, Moved, "sign.go#Sign"},
		{"renamed twice, changed", "auth.go#Sign", func(r repo) {
			r.git("mv", "auth.go", "a.go")
			r.commit("move")
			r.git("mv", "a.go", "b.go")
			r.commit("move again")
			r.write("b.go", strings.Replace(signer, "m.Sum(nil)", "m.Sum(key)", 1))
		}, Drifted, "b.go#Sign"},
		{"renamed, not committed", "auth.go#Sign", func(r repo) {
			r.write("deep/sign.go", signer)
			os.Remove(filepath.Join(r.dir, "auth.go"))
		}, Moved, "deep/sign.go#Sign"},
		{"moved to another file", "auth.go#Sign", func(r repo) {
			at := strings.Index(signer, "// Sign signs.")
			end := strings.Index(signer, "func Verify")
			r.write("auth.go", signer[:at]+signer[end:])
			r.write("sign.go", "package auth\n\n"+signer[at:end])
			r.commit("split")
		}, Moved, "sign.go#Sign"},
		{"deleted file", "auth.go#Sign", func(r repo) { r.git("rm", "-q", "auth.go"); r.commit("drop") }, Gone, "auth.go#Sign"},
		{"lines", "auth.go#L6-L10", func(repo) {}, Fresh, "auth.go#L6-L10"},
		{"lines shifted", "auth.go#L6-L10", shift, Moved, "auth.go#L11-L15"},
		{"lines changed", "auth.go#L6-L10", edit("m.Sum(nil)", "m.Sum(key)"), Drifted, "auth.go#L6-L10"},
		{"lines shifted and changed", "auth.go#L6-L10", func(r repo) { r.write("auth.go", shiftedAndChanged); r.commit("both") }, Drifted, "auth.go#L11-L15"},
		{"lines shifted and changed, not committed", "auth.go#L6-L10", func(r repo) { r.write("auth.go", shiftedAndChanged) }, Drifted, "auth.go#L11-L15"},
		{"lines changed twice", "auth.go#L6-L10", func(r repo) {
			r.write("auth.go", shiftedAndChanged)
			r.commit("both")
			r.write("auth.go", "// Package auth signs.\n"+strings.Replace(shiftedAndChanged, "m.Write", "m.Read", 1))
		}, Drifted, "auth.go#L12-L16"},
		{"lines shifted and changed in a renamed file", "auth.go#L6-L10", func(r repo) {
			r.git("mv", "auth.go", "sign.go")
			r.commit("move")
			r.write("sign.go", shiftedAndChanged)
			r.commit("both")
		}, Drifted, "sign.go#L11-L15"},
		{"lines deleted", "auth.go#L12-L14", edit(signer[strings.Index(signer, "func Verify"):], ""), Gone, "auth.go#L12-L14"},
		{"lines of a renamed file, staged", "auth.go#L6-L10", func(r repo) { r.git("mv", "auth.go", "sign.go") }, Moved, "sign.go#L6-L10"},
		{"lines of a renamed file, staged, changed since", "auth.go#L6-L10", func(r repo) {
			r.git("mv", "auth.go", "sign.go")
			r.write("sign.go", shiftedAndChanged)
		}, Drifted, "sign.go#L11-L15"},
		{"renamed, then renamed again and staged", "auth.go", func(r repo) {
			r.git("mv", "auth.go", "a.go")
			r.commit("move")
			r.git("mv", "a.go", "b.go")
		}, Moved, "b.go"},
		{"file", "auth.go", edit("import \"crypto/hmac\"", "import (\n\t\"crypto/hmac\"\n\t_ \"fmt\"\n)"), Fresh, "auth.go"},
		{"file changed", "auth.go", edit("m.Sum(nil)", "m.Sum(key)"), Drifted, "auth.go"},
		{"heading", "doc.md#How it works", func(r repo) { r.write("doc.md", "# Doc\n\nNew.\n\n## How it works\n\nIt  works.\n") }, Fresh, "doc.md#How it works"},
		{"heading changed", "doc.md#How it works", func(r repo) { r.write("doc.md", "# Doc\n\n## How it works\n\nIt fails.\n") }, Drifted, "doc.md#How it works"},
		{"no symbols, layout", "run.conf#listen", func(r repo) { r.write("run.conf", "a 1\n\n# how\nlisten   80\n  tls on\n") }, Fresh, "run.conf#listen"},
		{"no symbols, lines above", "run.conf#listen", func(r repo) { r.write("run.conf", "a 1\nb 2\n\nlisten   80\n  tls on\n") }, Fresh, "run.conf#listen"},
		{"no symbols, changed", "run.conf#listen", func(r repo) { r.write("run.conf", "a 1\n\nlisten 81\n  tls on\n") }, Drifted, "run.conf#listen"},
		{"no symbols, deleted", "run.conf#listen", func(r repo) { r.write("run.conf", "a 1\n") }, Gone, "run.conf#listen"},
		{"the second overload", "A.java#A.f", func(r repo) {
			r.write("A.java", "class A {\n  int f() { return 1; }\n\n  int f(int x) { return x + 2; }\n}\n")
		}, Drifted, "A.java#A.f"},
		{"overloads of a class with a new name", "A.java#A.f", func(r repo) {
			r.write("A.java", "class B {\n  int f() { return 1; }\n\n  int f(int x) { return x; }\n}\n")
		}, Moved, "A.java#B.f"},
		{"overloads, layout", "A.java#A.f", func(r repo) {
			r.write("A.java", "class A {\n  int f() {\n    return 1;\n  }\n  // one\n  int f(int x) { return x; }\n}\n")
		}, Fresh, "A.java#A.f"},
		{"too large", "auth.go#Sign", func(r repo) { r.write("auth.go", signer+strings.Repeat("// x\n", MaxFile/5+1)) }, Unknown, "auth.go#Sign"},
		{"a link out of the tree", "auth.go#Sign", func(r repo) {
			out := filepath.Join(r.TempDir(), "auth.go")
			if err := os.WriteFile(out, []byte(signer), 0o600); err != nil {
				r.Fatal(err)
			}
			os.Remove(filepath.Join(r.dir, "auth.go"))
			if err := os.Symlink(out, filepath.Join(r.dir, "auth.go")); err != nil {
				r.Skip(err)
			}
		}, Unknown, "auth.go#Sign"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			r.write("auth.go", signer)
			r.write("doc.md", "# Doc\n\n## How it works\n\nIt works.\n")
			r.write("A.java", "class A {\n  int f() { return 1; }\n\n  int f(int x) { return x; }\n}\n")
			r.write("run.conf", "a 1\n\nlisten 80\n  tls on\n")
			r.commit("first")
			a := r.pin(c.place)
			warm := r.tree()
			warm.Judge(context.Background(), []Anchor{a})
			c.change(r)
			for _, tree := range []*Tree{r.tree(), warm} {
				v := tree.Judge(context.Background(), []Anchor{a})[0]
				if v.State != c.state || v.Now.String() != c.now {
					t.Errorf("%s at %s (%s), want %s at %s", v.State, v.Now, v.Why, c.state, c.now)
				}
			}
		})
	}
}

// TestMethods: a type includes its methods in the file, whose order has no meaning. A record that an earlier version saved, without
// them, is not alarmed until it is affirmed.
func TestMethods(t *testing.T) {
	const (
		goType    = "package a\n\ntype A struct{ n int }\n\nfunc (a *A) One() int { return a.n }\n\nfunc F() int { return 1 }\n\nfunc (a A) Two() A { return a }\n"
		rustType  = "struct A<T> { n: T }\n\nimpl<T> A<T> {\n    fn one(&self) -> u8 { 1 }\n}\n\nimpl<T> Drop for A<T> {\n    fn drop(&mut self) { two() }\n}\n"
		swiftType = "struct A { let n: Int }\n\nextension A {\n  func one() -> Int { return 1 }\n}\n"
		cppType   = "class A {\n  int one();\n};\n\nint A::one() {\n  return 1;\n}\n"
		bare      = "package a\n\ntype A struct{ n int }\n"
	)
	for _, c := range []struct {
		name, file, src, old, new string
		state                     State
		now                       string
	}{
		{"a method", "a.go", goType, "return a.n", "return a.n + 1", Drifted, "A"},
		{"another function", "a.go", goType, "return 1", "return 2", Fresh, "A"},
		{"a comment in a method", "a.go", goType, "{ return a.n }", "{\n\t// n\n\treturn a.n\n}", Fresh, "A"},
		{"the order", "a.go", goType, goType[len(bare):], "\nfunc (a A) Two() A { return a }\n\nfunc (a *A) One() int { return a.n }\n", Fresh, "A"},
		{"the name of a method", "a.go", goType, "One", "Zero", Drifted, "A"},
		{"the name of the type", "a.go", strings.ReplaceAll(goType, "A", "Axis"), "Axis", "Unit", Moved, "Unit"},
		{"a method less", "a.go", goType, "func (a A) Two() A { return a }\n", "", Drifted, "A"},
		{"the first method", "a.go", bare, "}\n", "}\n\nfunc (A) One() {}\n", Drifted, "A"},
		{"a method in an impl", "a.rs", rustType, "{ 1 }", "{ 2 }", Drifted, "A"},
		{"a method of a trait", "a.rs", rustType, "two()", "three()", Drifted, "A"},
		{"a method in an extension", "a.swift", swiftType, "return 1", "return 2", Drifted, "A"},
		{"a method after the class", "a.cpp", cppType, "return 1", "return 2", Drifted, "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			r.write(c.file, c.src)
			r.commit("first")
			place := c.file + "#A"
			if c.now == "Unit" {
				place = c.file + "#Axis"
			}
			a := r.pin(place)
			alone := symbol.Parse(c.file, []byte(c.src)).Find(a.Symbol)[0]
			r.write(c.file, strings.ReplaceAll(c.src, c.old, c.new))
			if v := r.tree().Judge(t.Context(), []Anchor{a})[0]; v.State != c.state || v.Now.Symbol != c.now {
				t.Errorf("%s at %s (%s), want %s", v.State, v.Now, v.Why, c.state)
			}
			a.Seen = []Seen{{BySymbol, alone.Size, alone.Print}}
			if v := r.tree().Judge(t.Context(), []Anchor{a})[0]; v.Alarm() {
				t.Errorf("saved by an earlier version: %s (%s)", v.State, v.Why)
			}
		})
	}
	r := newRepo(t)
	r.write("a.go", goType)
	alone := symbol.Parse("a.go", []byte(goType)).Find("A")[0]
	d := record.Open([]byte("---\ncode_ref: a.go#A\nseen:\n  - " + Entry(Ref{Path: "a.go", Symbol: "A"}, Seen{BySymbol, alone.Size, alone.Print}) + "\n---\n\nText.\n"))
	after, done, err := r.tree().Affirm(record.Fact, d, r.tree().Judge(t.Context(), OfDoc(d)), false)
	if err != nil || len(done) != 1 || len(OfDoc(after)[0].Seen) != 1 || OfDoc(after)[0].Seen[0].Print != r.pin("a.go#A").Seen[0].Print {
		t.Errorf("affirmed %d, %v:\n%s", len(done), err, after.Src)
	}
	r.commit("first")
	r.write("a.go", strings.Replace(goType, "return a }", "return A{a.n} }", 1))
	r.commit("second")
	v := r.tree().Judge(t.Context(), OfDoc(after))[0]
	if s := r.tree().Since(t.Context(), v); s == nil || s.Subject != "second" || !strings.Contains(s.Is, "return A{a.n}") || s.First != 9 {
		t.Errorf("drifted since %+v", s)
	}
}

// TestCommentsAlone: lines without code cannot be compared, so they are not fresh for ever.
func TestCommentsAlone(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "# one\n# two\nx = 1\n")
	a := r.pin("a.py#L1-L2")
	r.write("a.py", "\n\nz = 4\n# one\n# two\nx = 1\n")
	if v := r.tree().Judge(t.Context(), []Anchor{a})[0]; v.State != Unpinned {
		t.Errorf("lines of comments: %+v", v)
	}
	r.write("a.py", "z\n")
	if v := r.tree().Judge(t.Context(), []Anchor{a})[0]; v.State != Gone {
		t.Errorf("lines that are not there: %+v", v)
	}
}

// TestLinesWithoutCodeMoveToo: comments and empty lines around code are of an anchor's lines where only these moved.
func TestLinesWithoutCodeMoveToo(t *testing.T) {
	text := "package a\n\nvar one = 1\n\n" + // L5 on
		"// Sum adds.\n//\n// It is slow.\n\nfunc Sum(a, b int) int {\n\treturn a + b\n}\n\n// Here it ends.\n// At last.\n" + // to L14
		"\nvar two = 2\n"
	const above, below = "// One.\n// Two.\n", "\nvar three = 3\n"
	changed := strings.Replace(text, "a + b", "b + a", 1)
	commit := func(r repo, text string) { r.write("a.go", text); r.commit("next") }
	for _, c := range []struct {
		name   string
		unkept bool // no commit has the file as it was
		change func(r repo)
		now    string
	}{
		{"not committed", false, func(r repo) { r.write("a.go", above+text+below) }, "a.go#L7-L16"},
		{"committed", false, func(r repo) { commit(r, above+text); commit(r, above+text+below) }, "a.go#L7-L16"},
		{"twice", false, func(r repo) { commit(r, above+text); commit(r, above+above+text) }, "a.go#L9-L18"},
		{"in a renamed file", false, func(r repo) {
			r.git("mv", "a.go", "b.go")
			r.write("b.go", above+text)
			r.commit("move")
		}, "b.go#L7-L16"},
		{"a comment deleted", false, func(r repo) { r.write("a.go", above+strings.Replace(text, "// At last.\n", "", 1)) }, "a.go#L7-L15"},
		{"and then changed", false, func(r repo) { commit(r, above+text); commit(r, above+changed) }, "a.go#L7-L16"},
		{"in no commit", true, func(r repo) { r.write("a.go", above+text) }, "a.go#L7-L16"},
		{"in no commit until they moved", true, func(r repo) { commit(r, above+text) }, "a.go#L7-L16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			r.write("a.go", text)
			if !c.unkept {
				r.commit("first")
			}
			a := r.pin("a.go#L5-L14")
			c.change(r)
			if v := r.tree().Judge(t.Context(), []Anchor{a})[0]; v.Now.String() != c.now || v.Lines != [2]int{v.Now.First, v.Now.Last} {
				t.Errorf("%s at %s %v (%s), want %s", v.State, v.Now, v.Lines, v.Why, c.now)
			}
		})
	}
}

// TestLinesAgain: one tree remembers where lines went until the file changes, for each record that names them.
func TestLinesAgain(t *testing.T) {
	r := newRepo(t)
	r.write("auth.go", signer)
	r.commit("first")
	a := r.pin("auth.go#L6-L10")
	b := a
	b.Mention = true
	changed := strings.Replace(signer, "m.Sum(nil)", "m.Sum(key)", 1)
	tree := r.tree()
	for i, c := range []struct{ text, now string }{
		{"\n" + changed, "auth.go#L7-L11"}, {"\n\n" + changed, "auth.go#L8-L12"}, {signer, "auth.go#L6-L10"},
		{strings.Repeat("// a\n", 9) + changed, "auth.go#L15-L19"}, {"package auth\n", "auth.go#L6-L10"},
	} {
		r.write("auth.go", c.text)
		old := time.Now().Add(time.Duration(i-9) * time.Minute) // a young file is read again
		if err := os.Chtimes(filepath.Join(r.dir, "auth.go"), old, old); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for i, v := range tree.Judge(t.Context(), []Anchor{a, b}) {
				if v.Now.String() != c.now || v.Mention != (i == 1) {
					t.Errorf("%s at %s (%s), want %s", v.State, v.Now, v.Why, c.now)
				}
			}
		}
	}
	if n := len(tree.placed.all); n != 1 {
		t.Errorf("%d results are kept", n)
	}
}

// TestContinued: the lines that continue lines of an older text.
func TestLikest(t *testing.T) {
	text := "a\nfunc two() {\n\treturn sum(key, other)\n}\nfunc one() {\n\treturn sum(key, text, 3)\n}\n"
	for was, want := range map[string][2]int{
		"func one() {\n\treturn sum(key, text, 2)\n": {5, 6}, "type x struct {\n\ty int\n": {}, "one line of many words\n": {}, "": {},
	} {
		if first, last := likest(was, text); first != want[0] || last != want[1] {
			t.Errorf("%q: %d to %d, want %v", was, first, last, want)
		}
	}
}

func TestContinued(t *testing.T) {
	for _, c := range []struct {
		name, was, is string // a letter is a line
		first, last   int
		a, b          int
	}{
		{"nothing", "abcde", "abcde", 2, 4, 2, 4},
		{"lines above, a line changed", "abcde", "xyzabCde", 2, 4, 5, 7},
		{"the first changed", "abcde", "xaBcde", 2, 4, 3, 5},
		{"the last changed", "abcde", "abcDe", 2, 4, 2, 4},
		{"one line changed", "abcde", "xabCde", 3, 3, 4, 4},
		{"one line becomes three", "abcde", "abCCCde", 3, 3, 3, 5},
		{"all lines changed", "abcde", "ABCDE", 2, 4, 2, 4},
		{"lines between them", "abcde", "abxycde", 2, 4, 2, 6},
		{"lines before the changed first one", "abcde", "axyBcde", 2, 4, 2, 6},
		{"deleted", "abcde", "ae", 2, 4, 2, 1},
		{"deleted with its neighbours", "abcde", "e", 2, 3, 1, 0},
		{"the first of them deleted", "abcde", "acde", 2, 4, 2, 3},
		{"rewritten with its neighbours", "abcdef", "aXYf", 3, 4, 2, 3},
		{"to the end", "abc", "xabCd", 2, 3, 3, 5},
		{"lines behind the end", "abc", "xabc", 7, 9, 4, 4},
		{"a last line that later versions lack", "abc", "xabc", 2, 9, 3, 4},
	} {
		lines := func(s string) string { return strings.Join(strings.Split(s, ""), "\n") + "\n" }
		if a, b := continued(lines(c.was), lines(c.is), c.first, c.last); a != c.a || b != c.b {
			t.Errorf("%s: %d to %d, want %d to %d", c.name, a, b, c.a, c.b)
		}
	}
}

func TestSince(t *testing.T) {
	r := newRepo(t)
	r.write("auth.go", signer)
	r.commit("first")
	a := r.pin("auth.go#Sign")
	r.write("other.go", "package auth\n")
	r.commit("other")
	r.git("mv", "auth.go", "sign.go")
	r.commit("move")
	r.write("sign.go", strings.Replace(signer, "m.Sum(nil)", "m.Sum(key)", 1))
	r.commit("auth: Sign mixes in the key")
	r.write("sign.go", "\n"+strings.Replace(signer, "m.Sum(nil)", "m.Sum(key)", 1))
	r.commit("a blank line")
	tree := r.tree()
	v := tree.Judge(context.Background(), []Anchor{a})[0]
	s := tree.Since(context.Background(), v)
	if s == nil || s.Subject != "auth: Sign mixes in the key" || s.Author != "Ann" ||
		s.Was != "\treturn m.Sum(nil)\n" || s.Is != "\treturn m.Sum(key)\n" || s.First != 10 {
		t.Errorf("%+v of %+v", s, v)
	}
	r.write("sign.go", signer)
	a = r.pin("sign.go#Sign")
	r.write("sign.go", strings.Replace(signer, "m.Write", "m.Read", 1))
	v = tree.Judge(context.Background(), []Anchor{a})[0]
	if s := tree.Since(context.Background(), v); v.State != Drifted || s == nil && v.State == Drifted {
		t.Errorf("%+v of %+v", s, v)
	}
}

func TestBadDays(t *testing.T) {
	changed := strings.Replace(signer, "m.Sum(nil)", "m.Sum(key)", 1)
	judge := func(dir string, a Anchor) (Verdict, *Since) {
		tree := New(dir)
		defer tree.Close()
		v := tree.Judge(context.Background(), []Anchor{a})[0]
		return v, tree.Since(context.Background(), v)
	}
	expect := func(t *testing.T, dir string, a Anchor, state State, since string) {
		t.Helper()
		v, s := judge(dir, a)
		subject := ""
		if s != nil {
			subject = s.Subject + "."
		}
		if v.State != state || subject != since {
			t.Errorf("%s is %s (%s), since %q; want %s since %q", a.Ref, v.State, v.Why, subject, state, since)
		}
	}
	start := func(t *testing.T) (repo, Anchor) {
		r := newRepo(t)
		r.write("auth.go", signer)
		r.commit("first")
		return r, r.pin("auth.go#Sign")
	}
	t.Run("a shallow clone", func(t *testing.T) {
		r, a := start(t)
		r.write("auth.go", changed)
		r.commit("change")
		clone := filepath.Join(t.TempDir(), "clone")
		r.git("clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(r.dir), clone)
		expect(t, clone, a, Drifted, "")
		if err := os.Remove(filepath.Join(clone, "auth.go")); err != nil {
			t.Fatal(err)
		}
		expect(t, clone, a, Unknown, "")
	})
	t.Run("no git", func(t *testing.T) {
		r, a := start(t)
		if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
			t.Fatal(err)
		}
		expect(t, r.dir, a, Fresh, "")
		r.write("auth.go", changed)
		expect(t, r.dir, a, Drifted, "")
		os.Remove(filepath.Join(r.dir, "auth.go"))
		expect(t, r.dir, a, Unknown, "")
	})
	t.Run("a history that was rewritten", func(t *testing.T) {
		r, a := start(t)
		r.write("auth.go", changed)
		r.commit("change")
		r.git("checkout", "-q", "--orphan", "new")
		r.commit("all at once")
		r.git("branch", "-q", "-D", r.git("for-each-ref", "--format=%(refname:short)", "--no-contains", "new", "refs/heads"))
		expect(t, r.dir, a, Drifted, "")
	})
	t.Run("a linked work tree and a store in a folder", func(t *testing.T) {
		r := newRepo(t)
		r.write("app/auth.go", signer)
		r.write("lib/auth.go", signer)
		r.commit("first")
		linked := filepath.Join(t.TempDir(), "linked")
		r.git("worktree", "add", "-q", linked)
		own := repo{t, filepath.Join(linked, "app")}
		a, b := own.pin("auth.go#Sign"), own.pin("lib/auth.go#Sign")
		expect(t, own.dir, a, Fresh, "")
		expect(t, own.dir, b, Fresh, "")
		own.write("auth.go", changed)
		own.write("../lib/auth.go", changed)
		own.commit("change")
		expect(t, own.dir, a, Drifted, "change.")
		expect(t, own.dir, b, Drifted, "change.")
		expect(t, filepath.Join(r.dir, "app"), a, Fresh, "")
	})
	t.Run("bytes that are no text", func(t *testing.T) {
		r, _ := start(t)
		for name, text := range map[string]string{"pic.png": "\x89PNG\x00\x01\xff\xfe", "latin.go": strings.Replace(signer, "auth", "auth // caf\xe9", 1), "empty.go": ""} {
			r.write(name, text)
			expect(t, r.dir, r.pin(name), Fresh, "")
		}
		a := r.pin("pic.png")
		r.write("pic.png", "\x89PNG\x00\x01\xff\xfd")
		expect(t, r.dir, a, Drifted, "")
		expect(t, r.dir, r.pin("latin.go#Sign"), Fresh, "")
	})
	t.Run("two symbols of one name", func(t *testing.T) {
		r, _ := start(t)
		r.write("auth.go", signer+"\ntype A struct{}\n\ntype B struct{}\n\nfunc (A) Close() {}\n\nfunc (B) Close() {}\n")
		ref, _ := ParseRef("auth.go#Close")
		if _, _, err := r.tree().Pin(ref); err == nil || !strings.Contains(fault.Of(err).Hint, "A.Close, B.Close") {
			t.Errorf("%v", err)
		}
	})
}
