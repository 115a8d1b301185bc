package symbol

import "testing"

// TestGoGroups: a declaration is the same alone and in a group, and another one with another keyword.
func TestGoGroups(t *testing.T) {
	print := func(src string) string { return Parse("a.go", []byte("package a\n\n"+src)).Symbols[0].Print }
	for keyword, rest := range map[string]string{"var": "x = 1", "const": "y = 2", "type": "z struct{ a int }"} {
		if print(keyword+" "+rest) != print(keyword+" (\n\t"+rest+"\n)") {
			t.Errorf("%s %s changes in a group", keyword, rest)
		}
	}
	if print("var (\n\tx = 1\n)") == print("const (\n\tx = 1\n)") {
		t.Error("var and const are the same")
	}
}
