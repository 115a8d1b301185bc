package web

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"time"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/memory"
)

// Server is the page of one store on one loopback port.
type Server struct {
	site     *site
	guard    *guard
	listener net.Listener
}

// DefaultAddr lets the system choose the port.
const DefaultAddr = "127.0.0.1:0"

// Listen opens the port; Serve serves on it. addr is a loopback address with a port, 0 for any. The fault is Invalid for any
// other address, Unavailable when the port is in use. version is the program's, from setup.VersionText.
func Listen(w *app.App, addr, version string) (*Server, error) {
	if err := loopback(addr); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Arg: "addr", Message: "cannot listen on " + addr + ": " + err.Error(),
			Hint: "end what uses the port, or give " + DefaultAddr + " for a free one", Cause: err}
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() { // localhost may be any address
		_ = ln.Close()
		return nil, notLoopback(addr)
	}
	s := newSite(w, version)
	return &Server{s, newGuard(ln.Addr().String(), s.routes()), ln}, nil
}

func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fault.New(fault.Invalid, "addr %q is no address with a port", addr).For("addr").With("give one like " + DefaultAddr)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback() || ip.Zone() != "") {
		return notLoopback(addr)
	}
	return nil
}

func notLoopback(addr string) error {
	return fault.New(fault.Invalid, "addr %q can be reached by other machines", addr).For("addr").
		With("allowed: 127.0.0.1, [::1] and localhost with a port; ssh -L brings the page to another machine")
}

// Address is the page's address, with the token that admits a browser.
func (s *Server) Address() string { return s.address(s.guard.token) }

// OneUseAddress is Address with a token for a single use: other users of the machine can see the command lines of programs.
func (s *Server) OneUseAddress() string { return s.address(s.guard.oneUse()) }

func (s *Server) address(token string) string {
	return "http://" + s.listener.Addr().String() + "/?" + tokenName + "=" + token
}

// Serve serves until ctx ends, then lets running requests finish.
func (s *Server) Serve(ctx context.Context) error {
	requests, end := context.WithCancel(context.Background())
	defer end()
	s.site.uses.Follow(requests, s.site.live.seen, s.site.live.tell)
	defer memory.Rest(func() int { return int(s.site.working.Load()) })()
	srv := &http.Server{
		Handler:           s.guard,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // streams set their own timeout
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-ctx.Done()
		s.site.live.end()
		patience, stop := context.WithTimeout(context.Background(), 3*time.Second)
		defer stop()
		if srv.Shutdown(patience) != nil {
			end()
			_ = srv.Close()
		}
	}()
	err := srv.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		<-done
		return nil
	}
	return err
}

// ownAddr is the address of the store in a folder: the same at every start, so that bookmarks keep working.
func ownAddr(dir string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(dir))
	return fmt.Sprintf("127.0.0.1:%d", 20000+h.Sum32()%10000) // below the ports that systems hand out
}

// Run shows the store of w until ctx ends. Without an addr it takes the store's own port if that is free, else
// any. It calls ready with Address and OneUseAddress once the port is open.
func Run(ctx context.Context, w *app.App, addr, version string, ready func(address, once string) error) error {
	own := addr == ""
	if own {
		addr = ownAddr(w.Store.Dir())
	}
	s, err := Listen(w, addr, version)
	if own && fault.Is(err, fault.Unavailable) {
		s, err = Listen(w, DefaultAddr, version)
	}
	if err != nil {
		return err
	}
	if err := ready(s.Address(), s.OneUseAddress()); err != nil {
		s.Close()
		return err
	}
	return s.Serve(ctx)
}

// Close releases the port of a server that never served.
func (s *Server) Close() { _ = s.listener.Close() }
