package hub

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sdd/internal/answer/embed"
	"sdd/internal/fault"
)

// openVectors returns a new hub that can have vectors, as its owner.
func openVectors(t *testing.T) (h *Hub, database string) {
	t.Helper()
	h, database = open(t)
	b := h.batch(t.Context())
	if there := b.has("sdd.vector"); b.err != nil {
		t.Fatal(b.err)
	} else if !there {
		t.Skip("there is no pgvector")
	}
	return h, database
}

const dims = 24

// randomVector returns a vector of length 1.
func randomVector(rng *rand.Rand) []float32 {
	v, sum := make([]float32, dims), 0.0
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// withVectors is pushOf with a vector for each record.
func withVectors(rng *rand.Rand, repository, commit, model string, texts map[string]string) Push {
	p := pushOf(repository, commit, texts)
	p.Model = model
	for _, f := range p.Files {
		p.Units = append(p.Units, embed.Unit{Path: f.Path, Vector: randomVector(rng)})
	}
	return p
}

func pushVectors(t *testing.T, h *Hub, p Push) Pushed {
	t.Helper()
	out, err := h.Push(t.Context(), p)
	if err != nil {
		t.Fatalf("%v: %v", err, fault.Of(err).Cause)
	}
	return out
}

// stored returns the paths of the records with vectors, and demands that the counts and the total fit them.
func stored(t *testing.T, h *Hub) (paths []string) {
	t.Helper()
	err := h.do(t.Context(), "select r.path from sdd.vector v left join sdd.record r using (repository, doc) order by r.path", func(v [][]byte) {
		paths = append(paths, string(v[0]))
	})
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	err = h.do(t.Context(), `select p.name from sdd.repository p left join lateral (select count(*) n, sum(vector) total from sdd.vector v where repository = p.id) t on true
		where t.n <> p.units or t.total is distinct from p.total or (p.model = '') <> (t.n = 0)`, func([][]byte) { wrong++ })
	if wrong > 0 || err != nil {
		t.Errorf("the counts of %d repositories do not fit their vectors, %v", wrong, err)
	}
	return paths
}

// A record that changes or goes loses its vector in the same push; vectors of two models never stand beside each other.
func TestVectorsFollowRecords(t *testing.T) {
	h, _ := openVectors(t)
	rng := rand.New(rand.NewPCG(31, 32))
	now := texts(rng, 12)
	first := withVectors(rng, "shop", "c1", "a", now)
	if out := pushVectors(t, h, first); out.Vectors != 12 || out.Replaced != "" || len(stored(t, h)) != 12 {
		t.Errorf("the first push: %+v", out)
	}
	gone, changed := first.Files[3].Path, first.Files[5].Path
	delete(now, gone)
	now[changed] += "more\n"
	for path, text := range texts(rng, 1) {
		now[path] = text // in the place of the one that goes
	}
	pushVectors(t, h, pushOf("shop", "c2", now))
	if paths := stored(t, h); len(paths) != 10 || slices.Contains(paths, gone) || slices.Contains(paths, changed) {
		t.Errorf("after a change there are %q", paths)
	}
	later := withVectors(rng, "shop", "c2", "a", now)
	if out := pushVectors(t, h, later); out.Vectors != 12 || out.Replaced != "" || len(stored(t, h)) != 12 {
		t.Errorf("vectors for a commit that is there: %+v", out)
	}
	other := withVectors(rng, "shop", "c2", "b", now)
	other.Units = other.Units[:4]
	if out := pushVectors(t, h, other); out.Vectors != 4 || out.Replaced != "a" || len(stored(t, h)) != 4 {
		t.Errorf("another model: %+v", out)
	}
	pushVectors(t, h, pushOf("shop", "c3", nil))
	if paths := stored(t, h); len(paths) != 0 {
		t.Errorf("without records there are %q", paths)
	}
}

// A question meets the nearest units of its own model, through the index as by comparing each; a reader meets what there would be
// without the repositories of another.
func TestNearest(t *testing.T) {
	h, name := openVectors(t)
	_, alone := openVectors(t)
	admin(t, name, `do $$ begin
		if not exists (select from pg_roles where rolname = 'ann') then create role ann login; create role bob login; end if; end $$`)
	rng := rand.New(rand.NewPCG(33, 34))
	var secret []float32
	for _, repository := range []string{"ann0", "ann1", "bob0", "other"} {
		model := "m"
		if repository == "other" {
			model = "another"
		}
		p := withVectors(rng, repository, "c", model, texts(rng, 200))
		secret = p.Units[7].Vector
		pushVectors(t, h, p)
		if err := h.Grant(t.Context(), repository[:3], repository); repository != "other" && err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(repository, "ann") {
			sole := connect(t, "postgres", alone)
			pushVectors(t, sole, p)
			if err := sole.Grant(t.Context(), "ann", repository); err != nil {
				t.Fatal(err)
			}
			sole.Close()
		}
	}
	ann, sole := connect(t, "ann", name), connect(t, "ann", alone)
	defer ann.Close()
	defer sole.Close()
	ask := func(h *Hub, v []float32, few int) *Found {
		t.Helper()
		defer func(n int) { fewUnits = n }(fewUnits)
		fewUnits = few
		f, err := h.Ask(t.Context(), Question{Text: "retry the payment", Ranked: true, Most: 5, Model: "m", Vector: v})
		if err != nil {
			t.Fatalf("%v: %v", err, fault.Of(err).Cause)
		}
		for _, u := range f.Near {
			if f.Texts[u.Path] == nil {
				t.Errorf("%s has no text", u.Path)
			}
		}
		return f
	}
	same, all := 0, 0
	for range 20 {
		v := randomVector(rng)
		exact, index := ask(h, v, fewUnits), ask(h, v, 0)
		if len(exact.Near) != embed.MostNear || exact.All.Units != 600 || exact.Others != 1 || index.All != exact.All {
			t.Fatalf("%d near of %+v, others %d", len(exact.Near), exact.All, exact.Others)
		}
		for _, u := range exact.Near {
			all++
			if slices.ContainsFunc(index.Near, func(o embed.Unit) bool { return o.Path == u.Path }) {
				same++
			}
		}
		got, want := ask(ann, v, fewUnits), ask(sole, v, fewUnits)
		if fmt.Sprint(got.Near, got.Others) != fmt.Sprint(want.Near, want.Others) || math.Abs(got.All.Cosines-want.All.Cosines) > 1e-6 {
			t.Error("a reader's answer depends on another's repository")
		}
		if f := ask(ann, v, 0); len(f.Near) != embed.MostNear || f.All != got.All {
			t.Errorf("through the index a reader gets %d near of %+v", len(f.Near), f.All)
		}
	}
	if same*100 < all*95 {
		t.Errorf("the index finds %d of %d", same, all)
	}
	for _, few := range []int{fewUnits, 0} {
		for _, u := range ask(ann, secret, few).Near {
			if !strings.Contains(u.Path, "/@ann") {
				t.Errorf("ann gets %s", u.Path)
			}
		}
	}
	rows := 0
	if err := ann.do(t.Context(), "select from sdd.vector v join sdd.allowed using (repository)", func([][]byte) { rows++ }); err != nil || rows != 400 {
		t.Errorf("ann reads %d vectors, %v", rows, err)
	}
	for _, sql := range []string{"delete from sdd.vector", "drop policy reader on sdd.vector", "update sdd.vector set doc = 0"} {
		if err := ann.do(t.Context(), sql, nil); err == nil {
			t.Errorf("%s is allowed", sql)
		}
	}
	if f, err := ann.Ask(t.Context(), Question{Text: "retry", Most: 5, Model: "m", Vector: []float32{1, 0}}); err != nil || len(f.Near) > 0 || f.Others != 2 {
		t.Errorf("a question of other dimensions: %+v, %v", f, err)
	}
}

// A hub of the first schema gets vectors for the readers that it has; one whose owner may not make the extension works without.
func TestInitVectors(t *testing.T) {
	name := database(t)
	admin(t, name, `do $$ begin if not exists (select from pg_roles where rolname = 'carl') then create role carl login; create role dora login; end if; end $$`,
		"grant create on database "+name+" to carl")
	h := connect(t, "carl", name)
	defer h.Close()
	if _, err := h.pg.Exec(t.Context(), migrations[0]+"; update sdd.version set version = 1").ReadAll(); err != nil {
		t.Fatal(err)
	}
	admin(t, name, "insert into sdd.repository (id, name, commit) values (5, 'shop', 'c0')", "insert into sdd.allowed values ('dora', 5)",
		"grant usage on schema sdd to dora", "grant select on sdd.allowed to dora")
	made, err := h.Init(t.Context())
	if err != nil || made.Before != 1 || made.Vectors || made.Why == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	p := withVectors(rand.New(rand.NewPCG(35, 36)), "shop", "c1", "m", texts(rand.New(rand.NewPCG(37, 38)), 5))
	units := p.Units
	p.Units = nil
	pushVectors(t, h, p)
	if f, err := h.Ask(t.Context(), Question{Text: "retry", Most: 5, Model: "m", Vector: units[0].Vector}); err != nil || len(f.Near) > 0 {
		t.Errorf("without the extension: %+v, %v", f, err)
	}
	if strings.Contains(made.Why, "no extension") {
		t.Skip("there is no pgvector")
	}
	admin(t, name, "create extension vector")
	if made, err := h.Init(t.Context()); err != nil || !made.Vectors || made.Before != Version {
		t.Fatalf("%+v, %v", made, err)
	}
	p.Units = units
	pushVectors(t, h, p)
	dora, rows := connect(t, "dora", name), 0
	defer dora.Close()
	if err := dora.do(t.Context(), "select from sdd.vector", func([][]byte) { rows++ }); err != nil || rows != 5 {
		t.Errorf("a reader of the first schema reads %d vectors, %v", rows, err)
	}
}
