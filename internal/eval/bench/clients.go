package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sdd/internal/eval/must"
)

const (
	clientCount = 8
	rounds      = 5
)

// clients measures 8 clients that save different records at once, each with its own server. It alternates with
// 8 writers of the same bytes, and with 8 servers that refuse what they are asked to store.
func (b *bench) clients() {
	const size = 1000
	c := must.Get(newCorpus(filepath.Join(b.dir, "clients"), size))
	servers := make([]*server, clientCount)
	for i := range servers {
		servers[i] = must.Get(b.ready(c.root))
		defer servers[i].close()
		must.Check(servers[i].look(rareWord(0), 1))
	}
	each := max(1, b.samples/rounds)
	fresh := c.records(size, rounds*clientCount*each)
	of := func(round, client, i int) record { return fresh[(round*clientCount+client)*each+i] }

	kinds := []func(round, client, i int) error{
		func(round, client, i int) error { // saves
			return servers[client].store(of(round, client, i).arguments())
		},
		func(round, client, i int) error { // raw writers
			r := of(round, client, i)
			return writeDurably(filepath.Join(c.twin, r.file()), r.markdown())
		},
		func(round, client, i int) error { // the same call, refused
			args := of(round, client, i).arguments()
			args["scope"] = "nowhere"
			a, err := servers[client].tool("sdd_explore", args)
			if err == nil && !a.IsError {
				err = fmt.Errorf("a scope that does not exist was accepted")
			}
			return err
		},
	}
	took := make([][]time.Duration, len(kinds))
	for round := range rounds {
		for k := range kinds {
			which := (round + k) % len(kinds)
			took[which] = append(took[which], together(each, func(client, i int) error { return kinds[which](round, client, i) }))
		}
	}
	rate := func(k int) float64 { return float64(clientCount*each) / median(took[k]).Seconds() }
	least, what := rate(1), "8 raw durable writers"
	if rate(2) < least {
		least, what = rate(2), "8 servers that store nothing"
	}
	r := row{Figure: "8 clients saving different records", Records: size, Unit: "saves/s", Value: rate(0),
		Note: fmt.Sprintf("writers %s, servers that store nothing %s", perSecond(rate(1)), perSecond(rate(2)))}.against(what, least)
	b.add(r.must(r.Ratio >= 0.5, "≥ 0.5 × floor"))

	lost := 0
	for _, r := range fresh {
		text, err := os.ReadFile(filepath.Join(c.explore(), r.file()))
		for _, section := range r.text {
			if err != nil || !strings.Contains(string(text), section) {
				lost++
				break
			}
		}
	}
	r = row{Figure: "8 clients, saves lost", Records: size, Value: float64(lost), Note: fmt.Sprintf("of %s", grouped(len(fresh)))}
	b.add(r.must(lost == 0, "0"))
	for _, s := range servers { // and each server sees them all
		must.Check(s.look("", size+len(fresh)))
	}
}

func perSecond(v float64) string { return number(v, "") + "/s" }

// together runs f so many times for each client, for all clients at once, and returns how long all of it takes.
func together(times int, f func(client, i int) error) time.Duration {
	return timing(func() error {
		var group sync.WaitGroup
		errs := make([]error, clientCount)
		for client := range clientCount {
			group.Go(func() {
				for i := 0; i < times && errs[client] == nil; i++ {
					errs[client] = f(client, i)
				}
			})
		}
		group.Wait()
		return firstOf(errs...)
	})
}
