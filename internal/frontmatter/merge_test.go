package frontmatter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// countSaves is the rule for revision: what both sides added.
func countSaves(base, ours, theirs string) (string, bool) {
	number := func(s string) (int, bool) {
		if s == "" {
			return 1, true
		}
		n, err := strconv.Atoi(s)
		return n, err == nil
	}
	b, ok1 := number(base)
	o, ok2 := number(ours)
	t, ok3 := number(theirs)
	return strconv.Itoa(o + t - b), ok1 && ok2 && ok3
}

var testRules = Rules{"revision": countSaves}

func file(yaml string) []byte {
	if yaml == "" {
		return nil
	}
	return []byte("---\n" + yaml + "---\n")
}

func TestMerge(t *testing.T) {
	const base = "# header\ntitle: x # the title\nproject: p\n# about agents\nagents:\n  - a\n  - b\nrevision: 3\nstatus: active\n"
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for _, tt := range []struct {
		name, base, ours, theirs, want string
	}{
		{"nobody", base, base, base, base},
		{"one side", base, edit("title: x", "title:   'y'", "status: active\n", ""), base, edit("title: x", "title:   'y'", "status: active\n", "")},
		{"the same on both", base, edit("title: x", "title: z"), edit("title: x", "title: z"), edit("title: x", "title: z")},
		{"different keys", base, edit("title: x", "title: z"), edit("status: active", "status: done # now"), edit("title: x", "title: z", "status: active", "status: done # now")},
		{"revision adds up", base, edit("revision: 3", "revision: 4"), edit("revision: 3", "revision: 5", "title: x", "title: z"), edit("revision: 3", "revision: 6", "title: x", "title: z")},
		{"revision the same on both", base, edit("revision: 3", "revision: 4", "title: x", "title: z"), edit("revision: 3", "revision: 4"), edit("revision: 3", "revision: 5", "title: x", "title: z")},
		{"revision with a comment", base, edit("revision: 3", "revision: 4 # saves"), edit("revision: 3", "revision: 4", "title: x", "title: z"), edit("revision: 3", "revision: 5 # saves", "title: x", "title: z")},
		{"revision quoted", "revision: \"3\"\na: 1\n", "revision: \"4\"\na: 1\n", "revision: \"5\"\na: 2\n", "revision: \"6\"\na: 2\n"},
		{"revision new on both", "a: 1\n", "a: 1\nrevision: 2\n", "a: 1\nrevision: 3\n", "a: 1\nrevision: 4\n"},
		{"list additions", base, edit("  - b\n", "  - b\n  - c # why\n"), edit("  - a\n", "  - a0\n  - a\n"), edit("  - a\n", "  - a0\n  - a\n", "  - b\n", "  - b\n  - c # why\n")},
		{"list additions in one place", base, edit("  - b\n", "  - b\n  - d\n"), edit("  - b\n", "  - b\n  - c\n"), edit("  - b\n", "  - b\n  - c\n  - d\n")},
		{"list removal and addition", base, edit("  - a\n", ""), edit("  - b\n", "  - b\n  - c\n"), edit("  - a\n", "", "  - b\n", "  - b\n  - c\n")},
		{"list, same addition", base, edit("  - b\n", "  - b\n  - c\n  - d\n"), edit("  - b\n", "  - b\n  - c\n"), edit("  - b\n", "  - b\n  - c\n  - d\n")},
		{"list emptied together", base, edit("  - a\n", ""), edit("  - b\n", ""), edit("agents:\n  - a\n  - b\n", "agents: []\n")},
		{"list, key line comments", base, edit("agents:", "agents: # who"), edit("  - b\n", ""), edit("agents:", "agents: # who", "  - b\n", "")},
		{"list, item comments", base, edit("  - a\n", "  - a # first\n"), edit("  - b\n", "  # last\n  - b\n  - c\n"), edit("  - a\n", "  - a # first\n", "  - b\n", "  # last\n  - b\n  - c\n")},
		{"list reindented", base, edit("  - a\n  - b\n", "- a\n- b\n"), edit("  - b\n", "  - b\n  - c # new\n"), edit("  - a\n  - b\n", "- a\n- b\n- c # new\n")},
		{"list made flow", base, edit("agents:\n  - a\n  - b\n", "agents: [a, b]\n"), edit("  - b\n", "  - b\n  - \"c d\"\n"), edit("agents:\n  - a\n  - b\n", "agents: [a, b, \"c d\"]\n")},
		{"list made flow, comments on the other side", base, edit("agents:\n  - a\n  - b\n", "agents: [a, b, z]\n"), edit("  - b\n", "  - b # why\n"), edit("  - b\n", "  - b # why\n  - z\n")},
		{"flow lists", "l: [ a, b ] # c\n", "l: [ a, b, 'x y' ] # c\n", "l: [ b ] # d\n", "l: [ b, 'x y' ] # d\n"},
		{"flow list and comma", "l:\n  - a\nm: 1\n", "l: [a, b]\nm: 1\n", "l:\n  - a\n  - x, y\nm: 2\n", "l: [a, b, \"x, y\"]\nm: 2\n"},
		{"numbers in lists", "l: [1]\n", "l: [1, 2]\n", "l: [1, \"2\"]\n", "l: [1, \"2\", 2]\n"},
		{"scalar becomes list", "l: a\n", "l:\n  - a\n  - b\n", "l: a\nm: 1\n", "l:\n  - a\n  - b\nm: 1\n"},
		{"scalar beside list", "l: a\n", "l:\n  - a\n  - b\n", "l: c\n", "l:\n  - b\n  - c\n"},
		{"nothing beside list", "l:\nm: 1\n", "l: [a]\nm: 1\n", "l: [b]\nm: 1\n", "l: [a, b]\nm: 1\n"},
		{"removed and unchanged", base, edit("project: p\n", ""), edit("title: x", "title: z"), edit("project: p\n", "", "title: x", "title: z")},
		{"removed and reformatted", base, edit("project: p\n", ""), edit("project: p", "project:  'p'"), edit("project: p\n", "")},
		{"removed on both", base, edit("project: p\n", "", "title: x", "title: z"), edit("project: p\n", ""), edit("project: p\n", "", "title: x", "title: z")},
		{"comment and value", base, edit("project: p", "project: p # ours"), edit("project: p", "project: q"), edit("project: p", "project: q # ours")},
		{"quotes and comment", base, edit("project: p", "project: \"p\""), edit("project: p", "project: p # c"), edit("project: p", "project: \"p\" # c")},
		{"same value, two looks", base, edit("project: p", "project: \"q\""), edit("project: p", "project: q # c"), edit("project: p", "project: q # c")},
		{"comments above", base, edit("# about agents", "# about agents, ours"), edit("# header", "# header, theirs"), edit("# about agents", "# about agents, ours", "# header", "# header, theirs")},
		{"the same comment reworded", base, edit("# about agents", "# one way"), edit("# about agents", "# another"), edit("# about agents", "# another\n# one way")},
		{"comment groups stay together", "a: 1\n", "# z\n# b\na: 1\n", "# m\n# a\na: 1\n", "# m\n# a\n# z\n# b\na: 1\n"},
		{"new keys, different places", base, edit("project: p\n", "project: p\nscope: s\n"), edit("# header\n", "# header\nid: 1\n"), edit("# header\n", "# header\nid: 1\n", "project: p\n", "project: p\nscope: s\n")},
		{"new keys in one place", base, edit("project: p\n", "project: p\nzz: 1\n"), edit("project: p\n", "project: p\nyy: 1\n"), edit("project: p\n", "project: p\nyy: 1\nzz: 1\n")},
		{"new keys below one comment", base, edit("# header\n", "# header\nb: 1\n"), edit("# header\n", "# header\na: 1\n"), edit("# header\n", "# header\na: 1\nb: 1\n")},
		{"the same new key", base, base + "zz: 1\n", edit("title: x", "title: z") + "zz: 1\n", edit("title: x", "title: z") + "zz: 1\n"},
		{"moved and changed", "a: 1\nb: 2\nc: 3\n", "c: 3\na: 1\nb: 2\n", "a: 1\nb: 5\nc: 3\n", "c: 3\na: 1\nb: 5\n"},
		{"moved and added", "a: 1\nb: 2\nc: 3\n", "c: 3\na: 1\nb: 2\n", "a: 1\nb: 2\nd: 4\nc: 3\n", "c: 3\na: 1\nb: 2\nd: 4\n"},
		{"comment at the end", "a: 1\n", "a: 1\n# end\n", "a: 2\n", "a: 2\n# end\n"},
		{"literal against another key", "a: |\n  x\nb: 1\n", "a: |\n  y\n  # z\nb: 1\n", "a: |\n  x\nb: 2\n", "a: |\n  y\n  # z\nb: 2\n"},
		{"map changed on one side", "m:\n  a: 1\nb: 1\n", "m:\n  a: 2\nb: 1\n", "m:\n  a: 1\nb: 2\n", "m:\n  a: 2\nb: 2\n"},
		{"anchors along", "a: &k 1\nb: *k\nc: 1\n", "a: &k 2\nb: *k\nc: 1\n", "a: &k 1\nb: *k\nc: 2\n", "a: &k 2\nb: *k\nc: 2\n"},
		{"blank lines", "a: 1\n\nb: 2\n", "a: 1\n\n\nb: 2\n", "a: 1\n\nb: 3\n", "a: 1\n\n\nb: 3\n"},
		{"null to value, and comment", "a:\nb: 1\n", "a: # c\nb: 1\n", "a: x\nb: 1\n", "a: x # c\nb: 1\n"},
		{"value to null, and comment", "a: x\nb: 1\n", "a: x # c\nb: 1\n", "a:\nb: 1\n", "a: # c\nb: 1\n"},
		{"both new, the same", "", "a: 1\nb: 2\n", "a: 1\nb: 2\nc: 3\n", "a: 1\nb: 2\nc: 3\n"},
		{"both new, lists", "", "l: [a]\nm: 1\n", "l: [b]\nm: 1\n", "l: [a, b]\nm: 1\n"},
		{"block removed on one side", "a: 1\n", "", "a: 1\n# c\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, ours, theirs := file(tt.base), file(tt.ours), file(tt.theirs)
			if tt.name == "block removed on one side" {
				tt.want = "# c\n" // the comment is theirs
			}
			for i, in := range [][2][]byte{{ours, theirs}, {theirs, ours}} {
				// different bodies: the records differ
				got, conflicts := Merge(base, append(in[0:1:1][0], "ours\n"...), append(in[1:2:2][0], "theirs\n"...), testRules, Labels{})
				if diff := cmp.Diff(string(file(tt.want)), string(got)); diff != "" || len(conflicts) > 0 {
					t.Fatalf("swapped %v: %v (-want +got)\n%s", i == 1, conflicts, diff)
				}
				again, conflicts := Merge(got, got, got, testRules, Labels{})
				if !bytes.Equal(again, got) || len(conflicts) > 0 {
					t.Errorf("not idempotent: %q", again)
				}
			}
		})
	}
}

func TestMergeConflicts(t *testing.T) {
	for _, tt := range []struct {
		name, base, ours, theirs, want string
		conflicts                      []Conflict
	}{
		{"scalar", "a: 1\ns: x # c\nb: 2\n", "a: 1\ns: y # c\nb: 2\n", "a: 2\ns: z # c\nb: 2\n",
			"a: 2\n<<<<<<< ours\ns: y # c\n=======\ns: z # c\n>>>>>>> theirs\nb: 2\n", []Conflict{{"s", "x", "y", "z", 3}}},
		{"removed and changed", "a: 1\ns: x\n", "a: 1\n", "a: 1\ns: z\n",
			"a: 1\n<<<<<<< ours\n=======\ns: z\n>>>>>>> theirs\n", []Conflict{{"s", "x", "", "z", 3}}},
		{"both new", "", "s: y\n", "s: z\n", "<<<<<<< ours\ns: y\n=======\ns: z\n>>>>>>> theirs\n", []Conflict{{"s", "", "y", "z", 2}}},
		{"number and text", "s: x\n", "s: 1\n", "s: \"1\"\n", "<<<<<<< ours\ns: 1\n=======\ns: \"1\"\n>>>>>>> theirs\n", []Conflict{{"s", "x", "1", "1", 2}}},
		{"written differently is different", "s: x\n", "s: 1.1\n", "s: 1.10\n", "<<<<<<< ours\ns: 1.1\n=======\ns: 1.10\n>>>>>>> theirs\n", []Conflict{{"s", "x", "1.1", "1.10", 2}}},
		{"two comments", "s: x\n", "s: x # a\n", "s: x # b\n", "<<<<<<< ours\ns: x # a\n=======\ns: x # b\n>>>>>>> theirs\n", []Conflict{{"s", "x", "x", "x", 2}}},
		{"maps", "m:\n  a: 1\n", "m:\n  a: 2\n", "m:\n  a: 3\n", "<<<<<<< ours\nm:\n  a: 2\n=======\nm:\n  a: 3\n>>>>>>> theirs\n", []Conflict{{"m", "a: 1", "a: 2", "a: 3", 2}}},
		{"list and map", "m: [a]\n", "m: [a, b]\n", "m: {a: b}\n", "<<<<<<< ours\nm: [a, b]\n=======\nm: {a: b}\n>>>>>>> theirs\n", []Conflict{{"m", "[a]", "[a, b]", "{a: b}", 2}}},
		{"two keys, comment outside", "# c\ns: x\nt: x\n", "# c\ns: y\nt: y\n", "# c\ns: z\nt: z\n",
			"# c\n<<<<<<< ours\ns: y\n=======\ns: z\n>>>>>>> theirs\n<<<<<<< ours\nt: y\n=======\nt: z\n>>>>>>> theirs\n",
			[]Conflict{{"s", "x", "y", "z", 3}, {"t", "x", "y", "z", 8}}},
		{"rule that cannot", "revision: 1\n", "revision: x\n", "revision: 3\n", "<<<<<<< ours\nrevision: x\n=======\nrevision: 3\n>>>>>>> theirs\n", []Conflict{{"revision", "1", "x", "3", 2}}},
		{"broken", "a: 1\n", "a: [\n", "a: 2\n", "<<<<<<< ours\na: [\n=======\na: 2\n>>>>>>> theirs\n", []Conflict{{"", "a: 1\n", "a: [\n", "a: 2\n", 2}}},
		{"braces", "{a: 1}\n", "{a: 2}\n", "{a: 1, b: 2}\n", "<<<<<<< ours\n{a: 2}\n=======\n{a: 1, b: 2}\n>>>>>>> theirs\n", []Conflict{{"", "{a: 1}\n", "{a: 2}\n", "{a: 1, b: 2}\n", 2}}},
		{"block removed and key changed", "a: 1\n", "", "a: 2\n", "<<<<<<< ours\n=======\na: 2\n>>>>>>> theirs\n", []Conflict{{"a", "1", "", "2", 2}}},
		{"anchor gone", "a: &k x\nb: 1\n", "a: x\nb: 1\n", "a: &k x\nb: *k\n", "<<<<<<< ours\na: x\nb: 1\n=======\na: &k x\nb: *k\n>>>>>>> theirs\n",
			[]Conflict{{"", "a: &k x\nb: 1\n", "a: x\nb: 1\n", "a: &k x\nb: *k\n", 2}}},
		{"one anchor, two meanings", "z: 1\n", "a: &k x\nb: *k\nz: 1\n", "z: 1\nc: &k w\nd: *k\n",
			"a: &k x\nb: *k\nz: 1\nc: &k w\nd: *k\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, conflicts := Merge(file(tt.base), file(tt.ours), file(tt.theirs), testRules, Labels{})
			if diff := cmp.Diff(string(file(tt.want)), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.conflicts, conflicts); diff != "" {
				t.Errorf("conflicts (-want +got)\n%s", diff)
			}
			for _, c := range conflicts {
				if lines := strings.Split(string(got), "\n"); !strings.HasPrefix(lines[c.Line-1], "<<<<<<< ") {
					t.Errorf("line %d is %q", c.Line, lines[c.Line-1])
				}
			}
		})
	}
	labels := Labels{Ours: "HEAD", Theirs: "topic", MarkerSize: 9}
	got, _ := Merge(file("s: x\n"), file("s: y\n"), file("s: z\n"), nil, labels)
	if want := "---\n<<<<<<<<< HEAD\ns: y\n=========\ns: z\n>>>>>>>>> topic\n---\n"; string(got) != want {
		t.Errorf("labels: %q", got)
	}
}

// TestMergeHeads has what file() cannot write: byte order marks and line ends.
func TestMergeHeads(t *testing.T) {
	lf, crlf := "---\na: 1\nb: 1\n---\n", "---\r\na: 1\r\nb: 1\r\n---\r\n"
	for _, tt := range []struct{ name, base, ours, theirs, want string }{
		{"CRLF", crlf, strings.Replace(crlf, "a: 1", "a: 2", 1), strings.Replace(crlf, "b: 1", "b: 2", 1), "---\r\na: 2\r\nb: 2\r\n---\r\n"},
		{"made CRLF on one side", lf, crlf, strings.Replace(lf, "b: 1", "b: 2", 1), "---\r\na: 1\r\nb: 2\r\n---\r\n"},
		{"made LF on one side", crlf, lf, strings.Replace(crlf, "b: 1", "b: 2", 1), "---\na: 1\nb: 2\n---\n"},
		{"made CRLF on both", lf, crlf, strings.Replace(crlf, "b: 1", "b: 2", 1), "---\r\na: 1\r\nb: 2\r\n---\r\n"},
		{"mark added", lf, "\ufeff" + lf, strings.Replace(lf, "b: 1", "b: 2", 1), "\ufeff---\na: 1\nb: 2\n---\n"},
		{"mark and block removed", "\ufeff" + lf, "\ufeff# T\n", "\ufeff---\na: 1\nb: 1\n---   \n", "\ufeff"},
		{"closing line", lf, "---\na: 1\nb: 1\n---  \nbody", strings.Replace(lf, "b: 1", "b: 2", 1), "---\na: 1\nb: 2\n---  \n"},
		{"no block anywhere", "x", "y", "z", ""},
		{"block on one side", "# T\n", "---\na: 1\n---\n\n# T\n", "# T2\n", "---\na: 1\n---\n"},
		{"block added on both", "# T\n", "---\na: 1\n---\n\n# T\n", "---\nb: 1\n---\n# T\n", "---\na: 1\nb: 1\n---\n"},
		{"base broken", "---\na: [\n---\n", "---\na: 1\n---\n", "---\na: 1\nb: 2\n---\n", "---\na: 1\nb: 2\n---\n"},
		{"broken on one side only", lf, "---\na: [\n---\n", lf, "---\na: [\n---\n"},
		{"conflict in CRLF", "---\r\na: 1\r\n---\r\n", "---\r\na: 2\r\n---\r\n", "---\r\na: 3\r\n---\r\n", "---\r\n<<<<<<< ours\r\na: 2\r\n=======\r\na: 3\r\n>>>>>>> theirs\r\n---\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, conflicts := Merge([]byte(tt.base), []byte(tt.ours), []byte(tt.theirs), nil, Labels{})
			if string(got) != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if swapped, _ := Merge([]byte(tt.base), []byte(tt.theirs), []byte(tt.ours), nil, Labels{}); len(conflicts) == 0 && !bytes.Equal(got, swapped) {
				t.Errorf("swapped %q", swapped)
			}
		})
	}
}

// randomBlock edits a block as people and the tool would.
func randomEdit(r *rand.Rand, block string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(block, "\n"), "\n")
	if len(lines) > 0 {
		lines[len(lines)-1] += "\n"
	}
	for range 1 + r.IntN(3) {
		i := r.IntN(len(lines))
		line := strings.TrimSuffix(lines[i], "\n")
		switch r.IntN(7) {
		case 0:
			lines[i] = fmt.Sprintf("# note %d\n%s\n", r.IntN(3), line)
		case 1:
			if key, _, ok := strings.Cut(line, ": "); ok && !strings.Contains(key, "#") {
				lines[i] = fmt.Sprintf("%s: v%d\n", key, r.IntN(3))
			}
		case 2:
			if strings.HasPrefix(line, "  - ") {
				lines[i] = fmt.Sprintf("%s\n  - n%d\n", line, r.IntN(4))
			} else if !strings.HasSuffix(line, ":") {
				lines[i] = fmt.Sprintf("%s\nnew%d: %d\n", line, r.IntN(4), r.IntN(2))
			}
		case 3:
			if !strings.HasSuffix(line, ":") {
				lines[i] = ""
			}
		case 4:
			if !strings.Contains(line, "#") && strings.Contains(line, " ") {
				lines[i] = line + fmt.Sprintf(" # c%d\n", r.IntN(2))
			}
		case 5:
			if j := i + 1; j < len(lines) && !strings.HasPrefix(lines[i], " ") && !strings.HasPrefix(lines[j], " ") && !strings.HasSuffix(lines[j], ":\n") {
				lines[i], lines[j] = lines[j], lines[i]
			}
		case 6:
			lines[i] = strings.Replace(lines[i], "revision: 3", fmt.Sprintf("revision: %d", 3+r.IntN(3)), 1)
		}
		block = strings.Join(lines, "")
		if block == "" {
			return "# nothing\n"
		}
		lines = strings.SplitAfter(strings.TrimSuffix(block, "\n"), "\n")
		lines[len(lines)-1] += "\n"
	}
	return block
}

// TestMergeLaws edits a block at random on both sides. A merge is symmetric when clean, one
// side's bytes when the other did nothing, and says for each key what one of the sides says.
func TestMergeLaws(t *testing.T) {
	const base = "# header\n\ntitle: x\nproject: 'p' # c\nagents:\n  - a\n  # about b\n  - b\n  - c\nrevision: 3\n\nstatus: active\ntags: [a, b, c]\nnote: |\n  text\nlast: 1\n"
	r := rand.New(rand.NewPCG(3, 4))
	clean, n := 0, 800
	for range n {
		ours, theirs := randomEdit(r, base), randomEdit(r, base)
		do, err1 := Parse(file(ours))
		dt, err2 := Parse(file(theirs))
		if err1 != nil || err2 != nil {
			continue
		}
		b, o, th := file(base), file(ours), file(theirs)
		got, conflicts := Merge(b, o, th, testRules, Labels{})
		swapped, other := Merge(b, th, o, testRules, Labels{})
		if len(conflicts) != len(other) {
			t.Fatalf("%v, swapped %v\nours\n%s\ntheirs\n%s", conflicts, other, ours, theirs)
		}
		if one, _ := Merge(b, o, b, testRules, Labels{}); !bytes.Equal(one, o) {
			t.Fatalf("one side: %q", one)
		}
		if one, _ := Merge(b, b, o, testRules, Labels{}); !bytes.Equal(one, o) {
			t.Fatalf("one side: %q", one)
		}
		if len(conflicts) > 0 {
			if conflicts[0].Key == "" {
				t.Fatalf("as a whole\nours\n%s\ntheirs\n%s\ngot\n%s", ours, theirs, got)
			}
			continue
		}
		clean++
		if !bytes.Equal(got, swapped) {
			t.Fatalf("ours\n%s\ntheirs\n%s\ngot\n%s\nswapped\n%s", ours, theirs, got, swapped)
		}
		d, err := Parse(got)
		if err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		db, _ := Parse(b)
		for _, k := range d.Keys {
			v := fmt.Sprint(d.Value(k.Name))
			if k.Name == "agents" || k.Name == "tags" || k.Name == "revision" {
				continue
			}
			if v != fmt.Sprint(do.Value(k.Name)) && v != fmt.Sprint(dt.Value(k.Name)) {
				t.Fatalf("%s is %s\nours\n%s\ntheirs\n%s\ngot\n%s", k.Name, v, ours, theirs, got)
			}
			if !do.Has(k.Name) && db.Has(k.Name) || !dt.Has(k.Name) && db.Has(k.Name) {
				t.Fatalf("%s came back", k.Name)
			}
		}
		for line := range strings.Lines(ours + theirs) { // a comment goes only with its key or item
			if line[0] == '#' && !strings.Contains(base, line) && !strings.Contains(string(got), line) && !removes(db, do) && !removes(db, dt) {
				t.Fatalf("lost %q\nours\n%s\ntheirs\n%s\ngot\n%s", line, ours, theirs, got)
			}
		}
	}
	if clean < n/3 {
		t.Errorf("only %d of %d merges are clean", clean, n)
	}
}

// removes reports whether a key or a list item of base is gone from d.
func removes(base, d *Doc) bool {
	for _, k := range base.Keys {
		now := d.Strings(k.Name)
		for _, s := range base.Strings(k.Name) {
			if !d.Has(k.Name) || k.Name == "agents" && !slices.Contains(now, s) {
				return true
			}
		}
	}
	return false
}
