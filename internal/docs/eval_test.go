package docs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"sdd/internal/docs/inventory"
)

// tree of documentation as Debian installs it.
type installed struct {
	name, dir, apt string
}

var installedTrees = []installed{
	{"Python", "/usr/share/doc/python3.11/html", "python3-doc"},
	{"Django", "/usr/share/doc/python-django-doc/html", "python-django-doc"},
	{"Flask", "/usr/share/doc/python-flask-doc/html", "python-flask-doc"},
	{"pandas", "/usr/share/doc/python-pandas-doc/html", "python-pandas-doc"},
	{"cryptography", "/usr/share/doc/python-cryptography-doc/html", "python-cryptography-doc"},
	{"SQLAlchemy", "/usr/share/doc/python-sqlalchemy-doc/html", "python-sqlalchemy-doc"},
	{"Jinja", "/usr/share/doc/python-jinja2-doc/html", "python-jinja2-doc"},
	{"attrs", "/usr/share/doc/python-attr-doc/html", "python-attr-doc"},
	{"Requests", "/usr/share/doc/python-requests-doc/html", "python-requests-doc"},
	{"CMake", "/usr/share/doc/cmake-data/html", "cmake-doc"},
	{"SciPy", "/usr/share/doc/python-scipy-doc/html", "python-scipy-doc"},
	{"Sphinx", "/usr/share/doc/sphinx-doc/html", "sphinx-doc"},
	{"Werkzeug", "/usr/share/doc/python-werkzeug-doc/html", "python-werkzeug-doc"},
	{"Click", "/usr/share/doc/python-click-doc/html", "python-click-doc"},
	{"aiohttp", "/usr/share/doc/python-aiohttp-doc/html", "python-aiohttp-doc"},
	{"Celery", "/usr/share/doc/python-celery-doc/html", "python-celery-doc"},
	{"Astropy", "/usr/share/doc/python-astropy-doc/html", "python-astropy-doc"},
	{"watchdog", "/usr/share/doc/python3-watchdog/html", "python3-watchdog"},
	{"cloud theme", "/usr/share/doc/cloud-sptheme-common/html", "cloud-sptheme-common"},
	{"MkDocs", "/usr/share/doc/mkdocs/html", "mkdocs-doc"},
	{"Twisted (pydoctor)", "/usr/share/doc/twisted-doc/html/api", "twisted-doc"},
	{"Twisted (narrative)", "/usr/share/doc/twisted-doc/html", "twisted-doc"},
}

// TestInstalledTrees judges extraction on the documentation that is installed here, SDD_DOCS_EVAL objects of a tree
// (default 30, "all" for all).
func TestInstalledTrees(t *testing.T) {
	most := 30
	if raceDetector {
		most = 4
	}
	if v := os.Getenv("SDD_DOCS_EVAL"); v == "all" {
		most = 1 << 30
	} else if v != "" {
		fmt.Sscan(v, &most)
	}
	var sum score
	for _, tree := range installedTrees {
		t.Run(tree.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(tree.dir, inventoryName)); err != nil {
				t.Skipf("not installed: apt-get install %s", tree.apt)
			}
			s := judge(t, tree.dir, most)
			sum.add(s)
			t.Logf("%s", s)
			if s.judged > 0 && s.share() < 0.95 {
				t.Errorf("descriptions right: %.1f %%", 100*s.share())
			}
		})
	}
	if sum.judged == 0 {
		t.Skip("no documentation is installed: apt-get install python3-doc python-django-doc cmake-doc mkdocs-doc twisted-doc")
	}
	t.Logf("all: %s", sum)
	if sum.share() < 0.99 {
		t.Errorf("descriptions right: %.2f %%, at least 99 %% are demanded", 100*sum.share())
	}
	if sum.signatureShare() < 0.995 {
		t.Errorf("signatures right: %.2f %%, at least 99.5 %% are demanded", 100*sum.signatureShare())
	}
}

type score struct{ judged, right, signatures, signaturesRight, unknown, failed, first, firstOf int }

func (s *score) add(o score) {
	s.judged += o.judged
	s.right += o.right
	s.signatures += o.signatures
	s.signaturesRight += o.signaturesRight
	s.unknown += o.unknown
	s.failed += o.failed
	s.first += o.first
	s.firstOf += o.firstOf
}

func (s score) share() float64 { return float64(s.right) / float64(max(1, s.judged)) }
func (s score) signatureShare() float64 {
	return float64(s.signaturesRight) / float64(max(1, s.signatures))
}

func (s score) String() string {
	return fmt.Sprintf("descriptions %d of %d (%.2f %%), signatures %d of %d (%.2f %%), %d told as failed, %d not judged, exact name first %d of %d",
		s.right, s.judged, 100*s.share(), s.signaturesRight, s.signatures, 100*s.signatureShare(), s.failed, s.unknown, s.first, s.firstOf)
}

func judge(t *testing.T, dir string, most int) (s score) {
	ctx := context.Background()
	r := New(Settings{AnyPath: true})
	opened, err := r.open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	inv := opened.inv
	step := max(1, len(inv.Objects)/most)
	var picked []inventory.Object
	for i := step / 2; i < len(inv.Objects); i += step {
		picked = append(picked, inv.Objects[i])
	}
	sort.SliceStable(picked, func(i, j int) bool { return picked[i].URI < picked[j].URI }) // a page at a time
	var oracleOf *oracle
	page := ""
	wrong := 0
	for i, o := range picked {
		file, fragment, _ := strings.Cut(o.URI, "#")
		if strings.HasSuffix(file, "/") || file == "" {
			file += "index.html"
		}
		if file != page {
			oracleOf, page = nil, file
			if oracleOf, err = newOracle(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
				oracleOf = nil
			}
		}
		e, fail := opened.entry(o)
		want := expected{}
		if oracleOf != nil {
			want = oracleOf.expect(fragment, o.Role, o.Display)
		}
		if fail != nil {
			s.failed++
			if oracleOf != nil && oracleOf.ids[fragment] != nil {
				t.Errorf("%s: %s, but the anchor is there", o.URI, fail.message)
			}
			continue
		}
		letters, raw := plainLetters(e.Description)
		if raw {
			t.Errorf("%s: HTML in %q", o.URI, e.Description)
		}
		if i%7 == 0 {
			s.firstOf++
			res, err := r.Explore(ctx, dir, o.Name, Options{MaxObjects: 1, IncludeDocumentation: new(bool)})
			if err == nil && len(res.Documents) == 1 && res.Documents[0].Name == o.Name {
				s.first++
			} else {
				t.Errorf("%q is not the first for its own name: %+v %v", o.Name, res.Documents, err)
			}
		}
		if want.kind == "" {
			s.unknown++
			continue
		}
		s.signatures++
		got := onlyLetters(e.Signature)
		if got == want.signature {
			s.signaturesRight++
		} else if wrong++; wrong < 8 {
			t.Logf("%s: signature\n got %.200q\nwant %.200q", o.URI, got, want.signature)
		}
		if want.kind == "label" {
			continue
		}
		s.judged++
		if letters == want.description {
			s.right++
		} else if wrong++; wrong < 8 {
			at := 0
			for at < len(letters) && at < len(want.description) && letters[at] == want.description[at] {
				at++
			}
			t.Logf("%s (%s): description differs at %d of %d/%d\n got …%.120q\nwant …%.120q", o.URI, want.kind, at, len(letters), len(want.description), letters[max(0, at-20):], want.description[max(0, at-20):])
		}
	}
	return s
}
