// Package lsp is the language server (LSP 3.17). One goroutine reads the messages and applies the changes of documents; each request
// runs in its own, over the documents as they were when it arrived. Open documents replace files.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

const (
	mostRequests = 32              // that run at the same time
	clientEvery  = 2 * time.Second // how often the server looks whether its client lives
	settleTime   = 15 * time.Millisecond
)

type server struct {
	ctx     context.Context // of the connection
	stop    context.CancelCauseFunc
	open    func(dir string) (*app.App, error)
	version string
	log     io.Writer
	out     writer

	// Set by initialize, before any other message is handled.
	app    *app.App // nil when the store cannot be opened
	root   string   // the folder that contains .sdd
	top    string   // of the work tree; root outside git
	client clientSide
	git    authors

	initialized, shutdown bool // of the reading goroutine

	slots    chan struct{}  // has an element for each request that runs
	requests sync.WaitGroup // that run
	work     sync.WaitGroup // follow

	mu      sync.Mutex
	docs    map[string]*document          // by uri; read-only once made, replaced by changes
	running map[string]context.CancelFunc // requests by id
	pending map[string]bool               // uris of the documents to check
	wake    chan struct{}                 // has an element while pending may have one
}

// document is an open document in one version. It is immutable.
type document struct {
	*text
	uri     string
	version int
	record  string // path relative to .sdd, "" for a file that is no record
	path    string // relative to the store's root, with slashes; "" outside of the work tree
}

type clientSide struct {
	utf8, create, lensRefresh, showRecords bool
}

// params are the parameters of all messages that the server knows; each message has some of them.
type params struct {
	ID       json.RawMessage `json:"id"`
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	Changes  []change `json:"contentChanges"`
	Position position `json:"position"`
	Range    *span    `json:"range"`
	Context  struct {
		Only        []string `json:"only"` // of code actions: their kinds
		Declaration bool     `json:"includeDeclaration"`
	} `json:"context"`
	Name      string            `json:"newName"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`

	// Of initialize.
	ProcessID int    `json:"processId"`
	RootURI   string `json:"rootUri"`
	RootPath  string `json:"rootPath"`
	Folders   []struct {
		URI string `json:"uri"`
	} `json:"workspaceFolders"`
	Options struct {
		ShowRecords bool `json:"showRecords"` // the client has the command sdd.showRecords
	} `json:"initializationOptions"`
	Capabilities struct {
		General struct {
			Encodings []string `json:"positionEncodings"`
		} `json:"general"`
		Workspace struct {
			Edit struct {
				ResourceOperations []string `json:"resourceOperations"`
			} `json:"workspaceEdit"`
			CodeLens struct {
				Refresh bool `json:"refreshSupport"`
			} `json:"codeLens"`
		} `json:"workspace"`
	} `json:"capabilities"`
}

// Serve serves one editor over a pair of streams until it sends exit, the input ends, its process is gone or ctx ends. open opens the
// store of the folder that the editor names, "" for none. It writes defects to log. The fault is Invalid for an input that is no
// message.
func Serve(ctx context.Context, open func(dir string) (*app.App, error), version string, in io.Reader, out, log io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	s := &server{
		ctx: ctx, stop: stop, open: open, version: version, log: log, out: writer{out: out}, slots: make(chan struct{}, mostRequests),
		docs: map[string]*document{}, running: map[string]context.CancelFunc{}, pending: map[string]bool{}, wake: make(chan struct{}, 1),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.read(bufio.NewReaderSize(in, maxHeader)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		if err = context.Cause(ctx); errors.Is(err, errClientGone) || errors.Is(err, context.Canceled) {
			err = nil
		}
	}
	stop(nil)
	s.requests.Wait()
	s.work.Wait()
	return err
}

var errClientGone = errors.New("the client's process is gone")

func (s *server) read(in *bufio.Reader) error {
	for s.ctx.Err() == nil {
		m, err := readMessage(in)
		var bad *failure
		switch {
		case errors.As(err, &bad):
			s.out.answer(nil, nil, bad)
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil // the client died
		case err != nil:
			s.out.answer(nil, nil, failed(codeParse, "%v", err))
			return fault.New(fault.Invalid, "standard input is no language client's: %v", err).With("an editor starts this command")
		case m.Method == "exit" && !s.shutdown:
			return fault.New(fault.Invalid, "the client ended without a shutdown")
		case m.Method == "exit":
			return nil
		case m.Method != "": // no response
			s.handle(m)
		}
	}
	return nil
}

func (s *server) handle(m message) {
	var p params
	var bad error
	if len(m.Params) > 0 {
		if err := json.Unmarshal(m.Params, &p); err != nil {
			bad = failed(codeInvalidParams, "the parameters cannot be read: %v", err)
		}
	}
	answer := handlers[m.Method]
	switch {
	case m.ID == nil:
		if s.initialized && bad == nil {
			s.protect(m, func() { s.notified(m.Method, p) })
		}
		return
	case s.shutdown:
		bad = failed(codeInvalidRequest, "the server was shut down")
	case m.Method == "initialize" && s.initialized:
		bad = failed(codeInvalidRequest, "the server is initialized already")
	case m.Method == "initialize" && bad == nil:
		s.protect(m, func() { s.out.answer(m.ID, s.initialize(p), nil) })
		return
	case m.Method == "initialize":
	case !s.initialized:
		bad = failed(codeNotInitialized, "the first request must be initialize")
	case m.Method == "shutdown":
		s.shutdown = true
		s.requests.Wait()
		s.out.answer(m.ID, nil, nil)
		return
	case answer == nil:
		bad = failed(codeNoMethod, "there is no method %q", m.Method)
	}
	if bad != nil {
		s.out.answer(m.ID, nil, bad)
		return
	}
	s.slots <- struct{}{}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.running[string(m.ID)] = cancel
	j := job{ctx, s, maps.Clone(s.docs)}
	s.mu.Unlock()
	s.requests.Go(func() {
		s.protect(m, func() {
			result, err := answer(j, p)
			if ctx.Err() != nil {
				err = failed(codeCancelled, "cancelled")
			}
			s.out.answer(m.ID, result, err)
		})
		s.mu.Lock()
		delete(s.running, string(m.ID))
		s.mu.Unlock()
		cancel()
		<-s.slots
	})
}

// protect runs f and answers the request of a panic with an error.
func (s *server) protect(m message, f func()) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.log, "sdd lsp: %s: %v\n%s", m.Method, p, debug.Stack())
			if m.ID != nil {
				s.out.answer(m.ID, nil, failed(codeInternal, "%s failed in an unexpected way", m.Method))
			}
		}
	}()
	f()
}

// job is a running request with the documents as they were when it arrived.
type job struct {
	context.Context
	*server
	docs map[string]*document
}

// initialize answers before the index is loaded; the requests that need it wait for it.
func (s *server) initialize(p params) any {
	s.client = clientSide{
		utf8: slices.Contains(p.Capabilities.General.Encodings, "utf-8"), lensRefresh: p.Capabilities.Workspace.CodeLens.Refresh,
		create: slices.Contains(p.Capabilities.Workspace.Edit.ResourceOperations, "create"), showRecords: p.Options.ShowRecords,
	}
	encoding := "utf-16"
	if s.client.utf8 {
		encoding = "utf-8"
	}
	dir := p.RootPath
	if len(p.Folders) > 0 {
		dir = pathOf(p.Folders[0].URI)
	} else if p.RootURI != "" {
		dir = pathOf(p.RootURI)
	}
	s.initialized = true
	w, err := s.open(dir)
	if err != nil {
		fmt.Fprintf(s.log, "sdd lsp: %v\n", err) // without a store there is nothing to say of any file
	} else {
		s.app, s.root, s.top = w, w.Store.Dir(), w.Store.Dir()
		if top, _, _, ok := git.Top(s.root); ok {
			s.top = top
		}
		s.work.Go(s.follow)
	}
	if p.ProcessID > 0 {
		go s.watchClient(p.ProcessID)
	}
	return map[string]any{
		"serverInfo": map[string]any{"name": "sdd", "version": s.version},
		"capabilities": map[string]any{
			"positionEncoding":       encoding,
			"textDocumentSync":       map[string]any{"openClose": true, "change": 2, "save": true},
			"completionProvider":     map[string]any{"triggerCharacters": []string{"#", "/", ":", "`", "(", "-"}},
			"hoverProvider":          true,
			"definitionProvider":     true,
			"referencesProvider":     true,
			"documentSymbolProvider": true,
			"foldingRangeProvider":   true,
			"renameProvider":         map[string]any{"prepareProvider": true},
			"codeActionProvider":     map[string]any{"codeActionKinds": []string{"quickfix", "refactor", "source"}},
			"codeLensProvider":       map[string]any{},
			"executeCommandProvider": map[string]any{"commands": []string{listRecords}},
		},
	}
}

// watchClient ends the server when the client's process is gone.
func (s *server) watchClient(pid int) {
	tick := time.NewTicker(clientEvery)
	defer tick.Stop()
	for {
		p, err := os.FindProcess(pid)
		if err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			s.stop(errClientGone)
			return
		}
		_ = p.Release()
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

var handlers = map[string]func(job, params) (any, error){
	"textDocument/hover":          at(job.hover),
	"textDocument/completion":     inRecord(job.complete),
	"textDocument/codeAction":     inRecord(job.actions),
	"textDocument/definition":     inRecord(job.definition),
	"textDocument/references":     at(job.references),
	"textDocument/prepareRename":  at(job.prepareRename),
	"textDocument/rename":         at(job.rename),
	"textDocument/codeLens":       at(job.lenses),
	"workspace/executeCommand":    job.execute,
	"textDocument/documentSymbol": inRecord(job.symbols),
	"textDocument/foldingRange":   inRecord(job.folds),
}

type place struct {
	*document
	offset int
}

// at is the handler of a request about a place in an open document; f may end by fault.Check. Else the answer is null.
func at[T any](f func(j job, p place, q params) T) func(job, params) (any, error) {
	return func(j job, q params) (_ any, err error) {
		defer fault.Caught(&err)
		d := j.docs[q.Document.URI]
		if d == nil || d.path == "" || j.app == nil || !j.app.Store.Exists() {
			return nil, nil
		}
		fault.Check(j.app.Index.Refresh(j))
		if q.Range != nil {
			q.Position = q.Range.Start
		}
		return f(j, place{d, d.offset(q.Position)}, q), nil
	}
}

// inRecord is at for a request that has an answer in records only.
func inRecord[T any](f func(j job, p place, q params) T) func(job, params) (any, error) {
	return at(func(j job, p place, q params) any {
		if p.record == "" {
			return nil
		}
		return f(j, p, q)
	})
}

func (s *server) notified(method string, p params) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uri := p.Document.URI
	old := s.docs[uri]
	switch method {
	case "$/cancelRequest":
		if cancel := s.running[string(p.ID)]; cancel != nil {
			cancel()
		}
	case "textDocument/didOpen":
		s.docs[uri] = s.locate(&document{text: newText([]byte(p.Document.Text), s.client.utf8), uri: uri, version: p.Document.Version})
		s.due(uri)
	case "textDocument/didChange":
		if old == nil {
			return
		}
		now := *old
		now.version = p.Document.Version
		for _, c := range p.Changes {
			now.text = now.text.with(c)
		}
		s.docs[uri] = &now
		s.due(uri)
	case "textDocument/didSave":
		s.dueAll() // records name the code that was saved
	case "textDocument/didClose":
		delete(s.docs, uri)
		s.due(uri)
	}
}

func (s *server) locate(d *document) *document {
	file := pathOf(d.uri)
	if file == "" || s.app == nil {
		return d
	}
	rel, ok := within(s.root, file)
	if !ok {
		if _, ok := within(s.top, file); !ok {
			return d
		}
		if abs, err := filepath.Rel(s.root, file); err == nil {
			rel = filepath.ToSlash(abs) // beside the store, in the same work tree
		}
	}
	d.path = rel
	if in, ok := strings.CutPrefix(rel, store.Folder+"/"); ok {
		if _, ok := record.KindOf(in); ok {
			d.record = in
		}
	}
	return d
}
