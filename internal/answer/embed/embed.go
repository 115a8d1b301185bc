// Package embed finds records by meaning: a server with OpenAI's /v1/embeddings makes vectors of the records and the question, and
// near vectors mean related texts. It works only if config.yaml names such a server, and supplements the ranking by words. No call
// waits longer than the timeout; a failing server only adds a line to the answer.
//
// The server receives the text of records and the question, no code and no front matter. The user must trust a server on another
// machine (sdd trust); it receives no personal record and none with a secret.
package embed

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Embeddings are the vectors of one store. They are safe for concurrent use, by any number of processes.
type Embeddings struct {
	st *store.Store
	ix *index.Index

	life    context.Context
	stop    context.CancelFunc
	filling sync.WaitGroup

	mu     sync.Mutex
	server *server
	closed bool
	found  *Answer // of a hub: every question has it
}

// server is the configured server with its vectors.
type server struct {
	Settings
	st       *store.Store
	filling  atomic.Bool
	refusals int // consecutive ones in the running fill

	mu      sync.Mutex
	vectors vectors
	asked   map[string][]float32 // the vectors of the last questions
	bad     map[uint64]bool      // records that the server refuses
	last    *down                // the last failure, nil before the first read
}

// space is the units of the present records, and the paths of the records without vectors.
type space struct {
	units   []place
	missing []string
	all     Total // of the collection that the units are a part of, zero when they are all
}

type place struct {
	entry   *index.Entry
	section int
	vector  []float32
}

// New returns the embeddings of st. It reads no files and sends no requests; ix is the index of st.
func New(st *store.Store, ix *index.Index) *Embeddings {
	e := &Embeddings{st: st, ix: ix}
	e.life, e.stop = context.WithCancel(context.Background())
	return e
}

// Close stops making vectors, after at most one more timeout, and keeps the finished ones. The caller must close the index after it.
func (e *Embeddings) Close() {
	e.mu.Lock()
	s := e.server
	e.closed = true
	e.mu.Unlock()
	if s != nil {
		t := time.AfterFunc(s.Timeout, e.stop) // a process of a single call makes some vectors too
		e.filling.Wait()
		t.Stop()
	}
	e.stop()
	e.filling.Wait()
}

// Near is a unit similar to the question.
type Near struct {
	index.Entry
	Section int // see SectionOf
}

// Answer is the units similar to a question, the nearest first.
type Answer struct {
	Near []Near
	Why  string // the server's failure, in words for a person; "" without one or without a server
}

const (
	MostNear = 50 // in an answer
	// A unit is near when its cosine is at least this share of the way from the mean of all units to 1. A fixed
	// cosine would not do: its value for unrelated texts differs by model.
	nearShare = 1.0 / 3
)

// Ask starts to find the units near the text and returns a channel that receives the answer within the timeout. It makes
// the missing vectors of records in the background, for later calls; with readOnly it makes none and writes nothing. The
// caller must have refreshed the index.
func (e *Embeddings) Ask(ctx context.Context, text string, readOnly bool) <-chan Answer {
	out := make(chan Answer, 1)
	if e.found != nil {
		out <- *e.found
		return out
	}
	switch settings, ok, err := e.settings(); {
	case err != nil:
		out <- Answer{Why: fault.Of(err).Error()}
	case ok:
		go func() { out <- e.ask(ctx, settings, text, readOnly) }()
	default:
		out <- Answer{}
	}
	return out
}

// settings returns the settings in config.yaml; ok is false when there are none.
func (e *Embeddings) settings() (s Settings, ok bool, err error) {
	cfg, err := e.st.Config()
	if err != nil {
		return s, false, err
	}
	return SettingsOf(cfg)
}

// private is the folder for data of this machine only.
func (e *Embeddings) private() string { return filepath.Join(e.st.Dir(), store.Folder, ".local") }

func (e *Embeddings) known(s Settings) *server {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.server == nil || e.server.Settings != s {
		e.server = &server{Settings: s, st: e.st, vectors: newVectors(e.st, s), asked: map[string][]float32{}, bad: map[uint64]bool{}}
		e.server.vectors.load()
	}
	return e.server
}

// untrusted is the answer while the server is not trusted on this machine.
func untrusted(s Settings) string {
	return "embeddings: the server " + s.endpoint() + " is not trusted on this machine, the ranking is by words: sdd trust shows it and asks"
}

func (e *Embeddings) ask(ctx context.Context, settings Settings, text string, readOnly bool) Answer {
	s, why := e.ready(settings)
	if why != "" {
		return Answer{Why: why}
	}
	sp := e.spaceOf(s)
	if len(sp.missing) > 0 && !readOnly {
		e.fill(s)
	}
	if len(sp.units) == 0 {
		return Answer{}
	}
	v, why := s.question(ctx, text, readOnly)
	if why != "" {
		return Answer{Why: why}
	}
	return Answer{Near: sp.near(v)}
}

// ready returns the server if it may receive a question now, else the reason why not.
func (e *Embeddings) ready(settings Settings) (s *server, why string) {
	if !settings.allowed(e.private()) {
		return nil, untrusted(settings)
	}
	s = e.known(settings)
	if why := s.down(); why != "" {
		return nil, because(why)
	}
	return s, ""
}

func because(why string) string { return "embeddings: " + why + "; the ranking is by words" }

const mostAsked = 128

// question returns the vector of a question, or within the timeout the reason for none.
func (s *server) question(ctx context.Context, text string, readOnly bool) (v []float32, why string) {
	ctx, stop := context.WithTimeout(ctx, s.Timeout)
	defer stop()
	text = cut(text)
	s.mu.Lock()
	v, dims := s.asked[text], s.vectors.dims
	s.mu.Unlock()
	if v != nil {
		return v, ""
	}
	vs, err := s.ask(ctx, []string{text}, dims)
	if err != nil {
		why = err.Error()
		if ctx.Err() != nil {
			why = "no answer within " + s.Timeout.String()
			if s.filling.Load() {
				return nil, because("the server is busy with the vectors of the records")
			}
		}
		s.failed(why, !readOnly)
		return nil, because(why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == mostAsked {
		clear(s.asked)
	}
	s.asked[text] = vs[0]
	return vs[0], ""
}

func (sp *space) near(v []float32) []Near {
	cosines := make([]float32, len(sp.units))
	here := Total{Units: len(sp.units)}
	for n, u := range sp.units {
		if len(u.vector) == len(v) {
			cosines[n] = dot(u.vector, v)
		}
		here.Cosines += float64(cosines[n])
	}
	all := cmp.Or(sp.all, here)
	mean := all.Cosines / float64(all.Units)
	least := float32(mean + (1-mean)*nearShare)
	if all.Units == 1 {
		least = nearShare
	}
	var list []int
	for n, c := range cosines {
		if c >= least {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		x, y := sp.units[a], sp.units[b]
		return cmp.Or(cmp.Compare(cosines[b], cosines[a]), cmp.Compare(x.entry.Path, y.entry.Path), x.section-y.section)
	})
	out := make([]Near, min(len(list), MostNear))
	for n := range out {
		u := sp.units[list[n]]
		out[n] = Near{*u.entry, u.section}
	}
	return out
}

func (e *Embeddings) spaceOf(s *server) *space {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp := &space{}
	entries := e.ix.Entries(kinds...)
	for n := range entries {
		one := &entries[n]
		etag, ok := numberOf(one.Etag)
		if !ok {
			continue
		}
		rows := s.vectors.rows[etag]
		if rows == nil && !s.bad[etag] && (s.local() || one.Scope != record.Personal) {
			sp.missing = append(sp.missing, one.Path)
		}
		for _, r := range rows {
			sp.units = append(sp.units, place{one, int(r.section), r.vector})
		}
	}
	return sp
}

func numberOf(etag string) (uint64, bool) {
	n, err := strconv.ParseUint(etag, 16, 64)
	return n, err == nil && etag != ""
}

const (
	batchUnits  = 32
	mostRefused = 3               // consecutive ones
	saveEvery   = 512             // records
	fillTimeout = 2 * time.Minute // of a batch
)

// fill starts to make the missing vectors, unless it is running.
func (e *Embeddings) fill(s *server) {
	if !s.filling.CompareAndSwap(false, true) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		s.filling.Store(false)
		return
	}
	e.filling.Go(func() {
		defer s.filling.Store(false)
		if err := e.makeMissing(e.life, s); err != nil && e.life.Err() == nil {
			s.failed(err.Error(), true)
		}
	})
}

func (sp *space) records() int {
	seen := map[string]bool{}
	for _, u := range sp.units {
		seen[u.entry.Path] = true
	}
	return len(seen)
}

// make makes the vectors that the files of the paths lack, unless another process does; it then returns false.
func (e *Embeddings) make(ctx context.Context, s *server, paths func() []string, read func(path string) []byte) (ran bool, err error) {
	return e.st.Alone(ctx, folder, func(ctx context.Context) error {
		s.mu.Lock()
		s.vectors.load() // the vectors of other processes
		s.mu.Unlock()
		err := s.makeFor(ctx, paths(), read)
		var live map[uint64]bool
		if e.ix != nil {
			live = map[uint64]bool{}
			for _, one := range e.ix.Entries() {
				if etag, ok := numberOf(one.Etag); ok {
					live[etag] = true
				}
			}
		}
		return errors.Join(err, s.save(live))
	})
}

func (e *Embeddings) makeMissing(ctx context.Context, s *server) error {
	_, err := e.make(ctx, s, func() []string { return e.spaceOf(s).missing }, func(path string) []byte {
		f, _ := e.st.Read(path)
		return f.Bytes
	})
	return err
}

func (s *server) save(keep map[uint64]bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vectors.save(keep)
}

// job is a record without vectors.
type job struct {
	etag  uint64
	units []unitText
}

// makeFor makes the vectors that files lack, a batch at a time.
func (s *server) makeFor(ctx context.Context, paths []string, read func(path string) []byte) error {
	s.refusals = 0
	var batch []job
	units, saved := 0, 0
	for n, path := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		j, ok := s.jobOf(path, read(path))
		if !ok {
			continue
		}
		batch = append(batch, j)
		if units += len(j.units); units < batchUnits {
			continue
		}
		if err := s.send(ctx, batch); err != nil {
			return err
		}
		batch, units = nil, 0
		if n-saved >= saveEvery {
			saved = n
			if err := s.save(nil); err != nil {
				return err
			}
		}
	}
	return s.send(ctx, batch)
}

// jobOf returns the units of a record's text; ok is false when it has vectors, or no unit that may leave this machine.
func (s *server) jobOf(path string, src []byte) (j job, ok bool) {
	j.etag, _ = numberOf(record.Etag(src))
	s.mu.Lock()
	known := s.vectors.rows[j.etag] != nil || s.bad[j.etag]
	s.mu.Unlock()
	if known {
		return j, false
	}
	r := record.Parse(path, src, record.Defaults{})
	if slices.Contains(kinds, r.Kind) && (s.local() || r.Scope != record.Personal && len(secrets.Scan(src)) == 0) {
		j.units = unitsOf(&r)
	}
	if len(j.units) == 0 {
		s.refuse(j.etag)
	}
	return j, len(j.units) > 0
}

func (s *server) refuse(etag uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bad[etag] = true
}

// send requests the vectors of a batch; if the server refuses it, record by record, so that one refused record does not affect others.
func (s *server) send(ctx context.Context, batch []job) error {
	var texts []string
	for _, j := range batch {
		for _, u := range j.units {
			texts = append(texts, u.text)
		}
	}
	s.mu.Lock()
	dims, full := s.vectors.dims, s.vectors.full()
	s.mu.Unlock()
	if full || len(texts) == 0 {
		return nil
	}
	limited, stop := context.WithTimeout(ctx, fillTimeout)
	defer stop()
	made, err := s.ask(limited, texts, dims)
	var f *failure
	if errors.As(err, &f) && slices.Contains(refusals, f.status) {
		if len(batch) == 1 {
			if s.refusals++; s.refusals > mostRefused {
				return err // the records are not the cause
			}
			s.refuse(batch[0].etag)
			return nil
		}
		for n := range batch {
			if err := s.send(ctx, batch[n:n+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	s.refusals = 0
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range batch {
		var rows []row
		for n, u := range j.units {
			rows = append(rows, row{u.section, made[n]})
		}
		made = made[len(j.units):]
		s.vectors.unsaved = s.vectors.put(j.etag, rows) || s.vectors.unsaved
	}
	return nil
}

// refusals are the HTTP statuses with which a server refuses a text.
var refusals = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}

// State is the progress of the vectors.
type State struct {
	Server  string `json:"server"`
	Model   string `json:"model"`
	Trusted bool   `json:"trusted"` // or on this machine
	Records int    `json:"records"` // with vectors
	Missing int    `json:"missing"`
	Failed  string `json:"failed,omitempty"` // why the program sends no requests for now
}

// State returns the progress of the vectors, without a request to the server; ok is false without a configured server. The caller
// must have refreshed the index.
func (e *Embeddings) State() (out State, ok bool, err error) {
	settings, ok, err := e.settings()
	if err != nil || !ok {
		return out, false, err
	}
	s := e.known(settings)
	sp := e.spaceOf(s)
	return State{settings.endpoint(), settings.Model, settings.allowed(e.private()), sp.records(), len(sp.missing), s.down()},
		true, nil
}
