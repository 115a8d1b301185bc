package symbol

import (
	"fmt"
	"strings"
	"testing"
)

// TestNasty lists the symbols of short texts that were read wrongly once, as "name first-last".
func TestNasty(t *testing.T) {
	for _, c := range []struct{ path, src, want string }{
		{"a.cs", "namespace S;\n#if X\n[R(\"a\")]\n#endif\nclass K { int d() { return 1; } }\n", "K 3-5, K.d 5-5"},
		{"a.cs", "class A {\n void S<U>(int a) where U : I, new() { return; }\n void T() {}\n}\n", "A 1-4, A.S 2-2, A.T 3-3"},
		{"a.c", " struct\nB {\n\tint k;\n\t};\n static B *\n f(int k)\n{\n}\nint g() {\n", "B 1-4, f 5-8"},
		{"a.ts", "const Tags: Record<string, string> = {\n a: 'x',\n}, b = 2\n", "Tags 1-3, b 3-3"},
		{"a.ts", "class A {\n \"~validate\"(data: unknown) {\n }\n}\n", "A 1-4, A.~validate 2-3"},
		{"a.cpp", "struct A {\n friend int f(A) { return 1; }\n using T = int;\n friend class B;\n};\n", "A 1-5, A.f 2-2, A.T 3-3"},
		{"a.kt", "open class B\n// c\ninternal constructor(data: Int) : C<X> {\n fun a() {}\n}\n", "B 1-5, B.a 4-4"},
		{"a.py", "clear = pop = _fail\n", "clear 1-1, pop 1-1"},
		{"a.php", "<?php\nclass A {\n function f() { $a = \":{$this->icon}:\"; $b = \"\\n{$this->x}[y]\\n{$this->x}\"; }\n}\n", "A 2-4, A.f 3-3"},
		{"a.java", "class $Gson$Types {\n int f() { return 1; }\n}\n", "$Gson$Types 1-3, $Gson$Types.f 2-2"},
		{"a.rs", "fn a<I>(i: I) -> X where I: It<Item = A>, {\n}\nfn b() {}\n", "a 1-2, b 3-3"},
		// what is open to the end of the file leaves out what it may contain
		{"a.go", "package a\nfunc f() {}\nfunc g() {\nfunc h() {}\n", "f 2-2"},
		{"a.java", "class A {\n void f() {\n  if (x) {\n }\n void g() {\n }\n}\n", ""},
		{"a.js", "function f() {\n}\nfunction g() {\n  if (x) {\n}\nfunction h() {\n}\n", "f 1-2, h 6-7"},
		{"a.py", "def f():\n  pass\ndef g():\n  x = (\ndef h():\n  pass\n", "f 1-2"},
		{"a.rb", "def f\n  if x\nend\ndef g\n  1\nend\n", "f 1-3, g 4-6"},
	} {
		var got []string
		for _, s := range Parse(c.path, []byte(c.src)).Symbols {
			got = append(got, fmt.Sprintf("%s %d-%d", s.Name, s.First, s.Last))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s %q:\ngot  %s\nwant %s", c.path, c.src, strings.Join(got, ", "), c.want)
		}
	}
}

// TestFormatters lists texts that a formatter makes equal, and texts that differ.
func TestFormatters(t *testing.T) {
	for _, c := range []struct {
		path, a, b string
		same       bool
	}{
		{"a.js", "const f = x => { return a + b; };", "const f = (x) => {\n  return a + b\n}\n", true},
		{"a.js", "f({'a': 'it\\'s', b: .50, c: 0XAB})", "f({\n  a: \"it's\",\n  b: 0.5,\n  c: 0xab,\n});\n", true},
		{"a.js", "function f() { return (a &&\n b) }", "function f() {\n  return a && b;\n}\n", true},
		{"a.jsx", "const A = () => (<p className='x'>a\n  b</p>)", "const A = () => <p className=\"x\">a b</p>;", true},
		{"a.js", "a = 1_000", "a = 1000", true},
		{"a.js", "a = (b + c) * d", "a = b + c * d", false},
		{"a.js", "x = (a === false) ? b : (c || d)", "x =\n  a === false ? b : c || d", true},
		{"a.js", "if ((a && b) || (c < d) && e) f()", "if ((a && b) || (c < d && e)) f();", true},
		{"a.js", "f(a => (a.b !== undefined) &&\n  c(d), (e % f) + 1)", "f((a) => a.b !== undefined && c(d), (e % f) + 1)", true},
		{"a.js", "return (a + b) + c", "return a + b + c", true},
		{"a.js", "x = a && (b || c)", "x = a && b || c", false},
		{"a.js", "x = (a || b) && c", "x = a || b && c", false},
		{"a.js", "x = a - (b - c)", "x = a - b - c", false},
		{"a.js", "x = (a, b)", "x = a, b", false},
		{"a.js", "x = (a ? b : c) ? d : e", "x = a ? b : c ? d : e", false},
		{"a.js", "x = (a => b) || c", "x = a => b || c", false},
		{"a.js", "x = (a ** b) ** c", "x = a ** b ** c", false},
		{"a.js", "x = -(a + b)", "x = -a + b", false},
		{"a.js", "x = (a + b).c", "x = a + b.c", false},
		{"a.js", "f((a, b) => c)", "f(a, b => c)", false},
		{"a.js", "x = (await a).b", "x = await a.b", false},
		{"a.js", "x = new (a())()", "x = new a()()", false},
		{"a.ts", "let x: (A | B)[] = y", "let x: A | B[] = y", false},
		{"a.jsx", "x = <a>(b)</a>", "x = <a>b</a>", false},
		{"a.jsx", "x = <a>(b + c) {(d)}</a>", "x = <a>b + c {(d)}</a>", false},
		{"a.rs", "fn f() { match a { A => { b }, B => {} } }", "fn f() { match a { A => { b } B => {} } }", true},
		{"a.rs", "fn f() { ({ a },) }", "fn f() { ({ a }) }", false},
		{"a.js", "a = `x`", "a = 'x'", false},
		{"a.rb", "def f\n  unless a[0] == ?/\n    raise E, \"start with /\"\n  end\n  a = a.chomp('/')\n  R.new(\"^#{q(a).gsub('/', '/+')}(.*)\", N)\nend\n", "def f\n  unless a[0] == ?/\n    raise E, \"start with /\"\n  end\n  a = a.chomp('/')\n  R.new(\"^#{q(a).gsub('/', '/+')}(.*)\", N).freeze\nend\n", false},
		{"A.java", "class A { void f() { g(); }; int x; }", "class A { void f() { g(); } int x; }", true},
		{"a.js", "for (;a;) b", "for (;;a) b", false},
		{"a.js", "const a = 'x'", "const a = x", false},
		{"a.py", "x = ['a', u'b',\n 0XFF]\n", "x = [\n    \"a\",\n    \"b\",\n    0xFF,\n]\n", true},
		{"a.py", "def f(a, b):\n  return a + \\\n    b\n", "def f(\n    a,\n    b,\n):\n    return (\n        a + b\n    )\n", true},
		{"a.py", "class A():\n  def f(self): pass\n", "class A:\n    def f(self):\n        \"\"\"doc\"\"\"\n        pass\n", true},
		{"a.py", "for (x, y) in z:\n  pass\n", "for x, y in z:\n  pass\n", true},
		{"a.py", "if a:\n  b\n  c\n", "if a:\n  b\nc\n", false},
		{"a.py", "x = (1,)\n", "x = (1)\n", false},
		{"a.py", "assert (a, b)\n", "assert a, b\n", false},
		{"a.py", "x = 'a b'\ny = 1\n", "x = (\n    \"a\"\n    \" b\"\n)\ny = 1\n", true},
		{"a.py", "x = f('a', 'b')\n", "x = f('ab')\n", false},
		{"a.py", "x = b'\\xDE'\n", "x = b\"\\xde\"\n", true},
		{"a.py", "x = 'a'\n", "x = b'a'\n", false},
		{"a.rs", "fn f() { g(a,b,) }", "fn f() {\n    g(a, b)\n}", true},
		{"a.rs", "fn f() -> (u8,) { (1,) }", "fn f() -> (u8) { (1) }", false},
		{"a.java", "class A { int[] a = {1,2,}; }", "class A {\n  int[] a = {1, 2};\n}", true},
		{"a.cpp", "A<B<C> > f() { return 1; }", "A<B<C>>\nf()\n{\n  return 1;\n}", true},
		{"a.yaml", "a:\n- b: 'x'\n  c: [1, 2,]\n", "a:\n    -   b: \"x\"\n        c: [1, 2]\n", true},
		{"a.yaml", "a:\n  b:\n    c: 1\n", "a:\n  b:\n  c: 1\n", false},
		{"a.sh", "f() {\n  a b; c\n}\n", "f() {\n    a   b\n    c\n}\n", true},
		{"a.sh", "a -b\n", "a - b\n", false},
		{"a.sql", "SELECT A FROM b", "select a\nfrom b", true},
		{"a.sql", "select 'A'", "select 'a'", false},
	} {
		a, b := Parse(c.path, []byte(c.a)), Parse(c.path, []byte(c.b))
		if (a.Print() == b.Print()) != c.same {
			t.Errorf("%s: %q and %q: want same = %v\n%v\n%v", c.path, c.a, c.b, c.same, a.toks, b.toks)
		}
	}
}
