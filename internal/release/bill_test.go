package release

import (
	"debug/buildinfo"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestBill makes the bill of materials of this test, which is a program as well.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	b := &product{Platform: Host(), Archive: "a.tar.gz"}
	data, err := real(t).bill(b, program, map[string][]string{"github.com/yuin/goldmark": {"MIT"}})
	if err != nil {
		t.Fatal(err)
	}
	var m billOfMaterials
	decode(t, data, &m)
	if m.Format != "CycloneDX" || m.Spec != "1.6" || m.Version != 1 || !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(m.Serial) {
		t.Errorf("it begins with %s %s %d %s", m.Format, m.Spec, m.Version, m.Serial)
	}
	if len(m.Components) != len(info.Deps)+1 {
		t.Errorf("%d components, %d modules and the standard library are linked", len(m.Components), len(info.Deps))
	}
	refs := []string{m.Metadata.Component.Ref}
	for _, c := range m.Components {
		if c.Type != "library" || c.Name == "" || c.Version == "" || c.PURL == "" || slices.Contains(refs, c.Ref) {
			t.Errorf("component %+v", c)
		}
		refs = append(refs, c.Ref)
		if c.Name == "github.com/yuin/goldmark" && (len(c.Licences) != 1 || c.Licences[0].Licence.ID != "MIT") {
			t.Errorf("the licence of %s is %v", c.Name, c.Licences)
		}
	}
	if len(m.Dependencies) != 1 || !slices.Equal(m.Dependencies[0].On, refs[1:]) {
		t.Errorf("dependencies are %+v", m.Dependencies)
	}
	if _, err := real(t).bill(b, []byte("no program"), nil); err == nil {
		t.Error("a file that is no program has a bill of materials")
	}
}

func TestPackageURL(t *testing.T) {
	for want, c := range map[string][2]string{
		"pkg:golang/github.com/spf13/cobra@v1.10.2": {"github.com/spf13/cobra", "v1.10.2"},
		"pkg:golang/sdd@v1.2.3%2Bdirty":             {"sdd", "v1.2.3+dirty"},
		"pkg:golang/github.com/BurntSushi/toml@v1":  {"github.com/BurntSushi/toml", "v1"},
	} {
		if got := packageURL(c[0], c[1]); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
