package codesearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"sdd/internal/allow"
	"sdd/internal/atomicfile"
	"sdd/internal/codesearch/rag"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/store"
)

// Options are the settings of a Searcher.
type Options struct {
	Config func() (config.Config, error) // nil means that there is no config.yaml

	// OneCall is for the command line, whose process ends after one call: failures of the semantic tool are
	// remembered on disk, for ten minutes.
	OneCall bool

	// Detach starts a process that renews the index and outlives this one; it returns a channel for that process's
	// error. nil renews the index in this process.
	Detach func(files []string) (<-chan error, error)

	Records func(ctx context.Context, snippets []Snippet) [][]About // see Strategy
}

// Searcher searches one project, and keeps the state of more than one call: the connection to the semantic server, and
// the phases in which it failed. It may be used by several goroutines.
type Searcher struct {
	root   string
	opt    Options
	trusts *allow.Book

	mu      sync.Mutex
	failed  map[string]failure     // by phase
	clients map[string]*connection // by the server's hash
	work    sync.WaitGroup         // renewing
	stop    context.CancelFunc
	life    context.Context
	soon    time.Duration // how long a search waits for a failure of the reindexer
}

// connection is one server. Who has put something into turn may change the client.
type connection struct {
	turn   chan struct{}
	client *rag.Client // nil before it is connected
}

// New returns a Searcher for the project at root, the folder that contains .sdd.
func New(root string, o Options) *Searcher {
	if o.Config == nil {
		o.Config = func() (config.Config, error) { return config.Default(), nil }
	}
	s := &Searcher{root: root, opt: o, trusts: allow.Open(store.Local(root)), failed: map[string]failure{}, clients: map[string]*connection{},
		soon: soonFailed}
	if o.OneCall {
		s.failed = readMemory(root)
	}
	s.life, s.stop = context.WithCancel(context.Background())
	return s
}

// Close ends the connections and with them the servers that were started, also under a reindexing that runs.
func (s *Searcher) Close() {
	s.stop()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients {
		c.end((*rag.Client).Close)
	}
}

// end ends the connection in one of the client's ways.
func (c *connection) end(how func(*rag.Client)) {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	if c.client != nil {
		how(c.client)
		c.client = nil
	}
}

// Search answers q by the strategy that is configured now.
func (s *Searcher) Search(ctx context.Context, q Query) (Result, error) {
	c, st := s.configured()
	if q.MaxTokens == 0 {
		q.MaxTokens = c.Budget("code", defaultTokens)
	}
	if err := q.check(); err != nil {
		return Result{}, err
	}
	if st.Mode == ModeHybrid && len(q.Snippets) == 0 && q.Query != "" {
		s.equip(&st, q.Phase)
	}
	if len(q.Reindex) > 0 {
		risks := s.reindex(ctx, st, q.Reindex)
		if st.Risks = append(st.Risks, risks...); len(risks) == 0 {
			st.Reindexing = len(q.Reindex)
		}
	}
	st.Records = s.opt.Records
	return Search(ctx, s.root, q, st)
}

// Strategy returns the present configuration.
func (s *Searcher) Strategy() Strategy {
	_, st := s.configured()
	return st
}

func (s *Searcher) configured() (config.Config, Strategy) {
	c, err := s.opt.Config()
	st := Resolve(s.root, c)
	if err != nil {
		st.Risks = append(st.Risks, sourceOwn+" cannot be read: "+fault.Of(err).Error())
	}
	return c, st
}

// equip gives the strategy a way to ask the semantic tool, or adds a risk why there is none.
func (s *Searcher) equip(st *Strategy, phase string) {
	server, risk := s.server(st.RAG)
	if risk != "" {
		st.Risks = append(st.Risks, risk)
		return
	}
	key := phase + "\x00" + st.RAG.Tool + "\x00" + commandOf(server).Hash()
	s.mu.Lock()
	before, failed := s.failed[key]
	s.mu.Unlock()
	if failed {
		st.Risks = append(st.Risks, "the semantic tool is not asked again in this phase, grep is used: "+before.Reason)
		return
	}
	r, timeout := st.RAG, st.Timeout
	st.Ask = func(ctx context.Context, query string, limit int) (rag.Answer, error) {
		c, err := s.connect(ctx, server)
		var answer rag.Answer
		if err == nil {
			answer, err = c.Ask(ctx, rag.Request{Tool: r.Tool, Query: query, Root: s.root, Limit: limit, Fixed: r.Args, QueryArg: r.QueryArg})
		}
		if err != nil {
			s.connection(server).end((*rag.Client).Abort)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			why := fault.Of(err).Error()
			if errors.Is(err, context.DeadlineExceeded) {
				why = fmt.Sprintf("no answer within %s", timeout.Round(time.Millisecond))
			}
			s.remember(key, why)
		}
		return answer, err
	}
}

// server returns the server of the tool, or the risk why it is not used.
func (s *Searcher) server(r RAG) (rag.Server, string) {
	server, ok := serverFor(s.root, r)
	switch {
	case !ok:
		return server, fmt.Sprintf("nothing says which server has %s: set search_strategy.rag.server, "+
			"or call it yourself and hand its results in as snippets; grep is used", r.Tool)
	case needsTrust(server) && !s.trusts.Trusted(commandOf(server)):
		return server, fmt.Sprintf("the server %q is not trusted on this machine, grep is used: sdd trust shows it and asks",
			commandOf(server).String())
	}
	return server, ""
}

func (s *Searcher) connection(server rag.Server) *connection {
	hash := commandOf(server).Hash()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients[hash] == nil {
		s.clients[hash] = &connection{turn: make(chan struct{}, 1)}
	}
	return s.clients[hash]
}

// connect returns the server's client, made on first use and after it was lost. Other calls wait for the one that makes it.
func (s *Searcher) connect(ctx context.Context, server rag.Server) (*rag.Client, error) {
	c := s.connection(server)
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.turn }()
	if c.client == nil || !c.client.Alive() {
		client, err := rag.Connect(ctx, server, s.root)
		if err != nil {
			return nil, err
		}
		c.client = client
	}
	return c.client, nil
}

// A semantic tool that failed is not asked again in the phase: each try takes its timeout. The command line remembers it ten minutes.

const (
	remembered  = 10 * time.Minute
	memoryFile  = "code-failures.json"
	maxRemember = 100 // phases
)

type failure struct {
	Reason string    `json:"reason"`
	Until  time.Time `json:"until"`
}

func (s *Searcher) remember(key, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failed) >= maxRemember {
		clear(s.failed)
	}
	s.failed[key] = failure{why, time.Now().Add(remembered)}
	data, err := json.Marshal(s.failed)
	file := filepath.Join(store.Local(s.root), memoryFile)
	if err != nil || !s.opt.OneCall {
		return
	}
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return // no store yet
	}
	_ = atomicfile.Replace(file, data, atomicfile.Private) // if it cannot be written, the next call only tries again
}

// readMemory returns the failures of earlier processes that still count.
func readMemory(root string) map[string]failure {
	all := map[string]failure{}
	src, err := os.ReadFile(filepath.Join(store.Local(root), memoryFile))
	if err != nil || json.Unmarshal(src, &all) != nil || all == nil {
		return map[string]failure{}
	}
	now := time.Now()
	maps.DeleteFunc(all, func(_ string, f failure) bool { return now.After(f.Until) || f.Until.After(now.Add(2*remembered)) })
	return all
}

const (
	soonFailed  = 700 * time.Millisecond
	reindexTime = 10 * time.Minute // how long a reindexer may run
	maxChanged  = 10_000
)

// reindex starts to renew the index for the changed files without waiting for the end, and returns the risks known so far.
func (s *Searcher) reindex(ctx context.Context, st Strategy, files []string) []string {
	if risk := s.cannotReindex(st, files); risk != "" {
		return []string{risk}
	}
	var ended <-chan error
	if s.opt.Detach != nil {
		var err error
		if ended, err = s.opt.Detach(files); err != nil {
			return []string{"the index is not renewed: " + err.Error()}
		}
	} else {
		done := make(chan error, 1)
		ended = done
		s.work.Go(func() { done <- s.Reindex(s.life, files) })
	}
	select {
	case err := <-ended:
		if err != nil {
			return []string{"the index is not renewed: " + fault.Of(err).Error()}
		}
	case <-time.After(s.soon):
	case <-ctx.Done():
	}
	return nil
}

// cannotReindex returns why the reindexer cannot start; "" when it can.
func (s *Searcher) cannotReindex(st Strategy, files []string) string {
	if len(files) > maxChanged {
		return fmt.Sprintf("the index is not renewed: %d files are too many, at most %d are taken", len(files), maxChanged)
	}
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f)) {
			return fmt.Sprintf("the index is not renewed: %q leads out of the project", f)
		}
	}
	if st.Mode != ModeHybrid || st.RAG.ReindexTool == "" {
		return "the index is not renewed: search_strategy.rag.reindex_tool is not set"
	}
	if _, risk := s.server(st.RAG); risk != "" {
		return "the index is not renewed: " + risk
	}
	return ""
}

// Reindex renews the index for the changed files and waits for the end, ten minutes at most.
func (s *Searcher) Reindex(ctx context.Context, files []string) error {
	st := s.Strategy()
	if risk := s.cannotReindex(st, files); risk != "" {
		return fault.New(fault.Unavailable, "%s", risk).With("set search_strategy in .sdd/config.yaml, and see sdd trust")
	}
	server, _ := s.server(st.RAG)
	ctx, cancel := context.WithTimeout(ctx, reindexTime)
	defer cancel()
	// A connection of its own: a search may drop the shared one.
	c, err := rag.Connect(ctx, server, s.root)
	if err == nil {
		defer c.Close()
		err = c.Reindex(ctx, rag.Request{Tool: st.RAG.ReindexTool, Root: s.root, Files: files, Fixed: st.RAG.Args})
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, "the reindexer did not end within %s", reindexTime).With("look after the server")
	}
	return err
}
