package transport

import (
	"context"
	"encoding/json"
	"log"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
)

// Hub notifies clients of changed resources. It keeps their subscriptions, because mcp-go stores none. Reporting a change never waits
// for a client: its connection queues at most one notification for each resource.
type Hub struct {
	known     func(ctx context.Context, uri string) error // returns a fault when no such resource exists
	canonical func(uri string) string
	watch     func(ctx context.Context, h *Hub) error
	log       *log.Logger

	watching sync.Mutex // held while watch starts or stops; taken before mu
	stop     context.CancelFunc

	mu   sync.Mutex
	subs []*subscription // with a resource
}

// listKey stands for the list of resources among the URIs of a subscription.
const listKey = "\nlist"

// subscription is what one client wants notifications of, by resources/subscribe or one subscriptions/listen. The hub guards uris and gone.
type subscription struct {
	feed *feed
	id   json.RawMessage   // of the subscriptions/listen; nil for resources/subscribe
	uris map[string]string // canonical URI or listKey → the client's spelling
	gone bool              // it is closed: the hub adds nothing more
}

func newSubscription(feed *feed, id json.RawMessage) *subscription {
	return &subscription{feed: feed, id: id, uris: map[string]string{}}
}

// maxSubscriptions bounds the URIs of one subscription.
const maxSubscriptions = 10_000

// NewHub returns a hub. known returns a fault when no resource has that URI, canonical the canonical spelling of a URI. The hub
// calls watch, if it is not nil, before the first subscription: it returns once it reports every later change, and reports until
// its context ends, after the last subscription.
func NewHub(
	known func(ctx context.Context, uri string) error, canonical func(uri string) string,
	watch func(context.Context, *Hub) error, log *log.Logger,
) *Hub {
	return &Hub{known: known, canonical: canonical, watch: watch, log: log}
}

func (h *Hub) Updated(uri string) {
	canonical := h.canonical(uri)
	h.report(func(sub *subscription) {
		if spelled, ok := sub.uris[canonical]; ok {
			sub.send(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": spelled}, spelled)
		}
	})
}

// UpdatedBelow reports that any resource below uri may have changed.
func (h *Hub) UpdatedBelow(uri string) {
	prefix := h.canonical(uri) + "/"
	h.report(func(sub *subscription) {
		for canonical, spelled := range sub.uris {
			if strings.HasPrefix(canonical, prefix) {
				sub.send(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": spelled}, spelled)
			}
		}
	})
}

// ListChanged reports that resources were added or removed.
func (h *Hub) ListChanged() {
	h.report(func(sub *subscription) {
		if _, ok := sub.uris[listKey]; ok {
			sub.send(mcp.MethodNotificationResourcesListChanged, map[string]any{}, "")
		}
	})
}

func (h *Hub) report(tell func(sub *subscription)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, sub := range h.subs {
		tell(sub)
	}
}

// send queues a notification, unless the queue contains the same one.
func (s *subscription) send(method string, params map[string]any, key string) {
	if s.id != nil {
		params["_meta"] = map[string]any{mcp.MetaKeySubscriptionID: s.id}
	}
	s.feed.put(note{noteKey{s, method + " " + key}, notification(method, params)})
}

// maxAwaited bounds the URI of a missing resource, in bytes.
const maxAwaited = 1024

// subscribe adds uri to sub. The error is NotFound if no such resource exists, unless later is true: it
// may be added later. The hub reports every change after subscribe returns.
func (h *Hub) subscribe(ctx context.Context, sub *subscription, uri string, later bool) error {
	if err := h.known(ctx, uri); err != nil && !(later && fault.Is(err, fault.NotFound) && uri != "" && len(uri) <= maxAwaited) {
		return err
	}
	full := false
	err := h.join(func() {
		if full = len(sub.uris) >= maxSubscriptions; !full {
			h.add(sub, h.canonical(uri), uri)
		}
	})
	if full {
		return fault.New(fault.Invalid, "this client has %d subscriptions, more are not kept", maxSubscriptions)
	}
	return err
}

func (h *Hub) unsubscribe(sub *subscription, uri string) {
	h.mu.Lock()
	delete(sub.uris, h.canonical(uri))
	h.subs = slices.DeleteFunc(h.subs, func(s *subscription) bool { return len(s.uris) == 0 })
	h.mu.Unlock()
	h.stopUnused()
}

// listed subscribes a client that has listed resources to changes of the list; before 2026-07-28 none had to ask for those.
func (h *Hub) listed(sub *subscription) {
	if err := h.join(func() { h.add(sub, listKey, "") }); err != nil {
		h.log.Printf("watching: %v", err)
	}
}

// grant returns filter without the unknown URIs: one deleted record must not cost a client all its subscriptions.
func (h *Hub) grant(ctx context.Context, filter mcp.SubscriptionFilter) (granted mcp.SubscriptionFilter, unknown string, err error) {
	granted.ResourcesListChanged = filter.ResourcesListChanged
	if n := len(filter.ResourceSubscriptions); n > maxSubscriptions {
		return granted, "", fault.New(fault.Invalid, "resourceSubscriptions has %d URIs, at most %d are taken", n, maxSubscriptions)
	}
	for _, uri := range filter.ResourceSubscriptions {
		switch missing := h.known(ctx, uri); {
		case missing != nil && err == nil:
			unknown, err = uri, missing
		case missing == nil && !slices.Contains(granted.ResourceSubscriptions, uri):
			granted.ResourceSubscriptions = append(granted.ResourceSubscriptions, uri)
		}
	}
	if !granted.IsEmpty() {
		return granted, "", nil
	}
	return granted, unknown, err
}

// listen opens sub for the resources of granted. open, called before it queues anything, reports whether the client still waits.
func (h *Hub) listen(sub *subscription, granted mcp.SubscriptionFilter, open func() bool) error {
	return h.join(func() {
		if !open() {
			return
		}
		for _, uri := range granted.ResourceSubscriptions {
			h.add(sub, h.canonical(uri), uri)
		}
		if granted.ResourcesListChanged {
			h.add(sub, listKey, "")
		}
	})
}

// close ends sub: the hub queues nothing more for it.
func (h *Hub) close(sub *subscription) {
	h.mu.Lock()
	sub.gone = true
	h.subs = slices.DeleteFunc(h.subs, func(s *subscription) bool { return s == sub })
	h.mu.Unlock()
	go h.stopUnused() // in a goroutine, since it waits for a starting watch
}

func (h *Hub) add(sub *subscription, canonical, uri string) {
	if sub.gone {
		return
	}
	if len(sub.uris) == 0 {
		h.subs = append(h.subs, sub)
	}
	sub.uris[canonical] = uri
}

// join starts the watch if necessary, then runs add, which makes subscriptions.
func (h *Hub) join(add func()) error {
	h.watching.Lock()
	defer h.watching.Unlock()
	if h.watch != nil && h.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		if err := h.watch(ctx, h); err != nil {
			stop()
			return err
		}
		h.stop = stop
	}
	h.mu.Lock()
	add()
	h.mu.Unlock()
	h.stopUnusedLocked()
	return nil
}

// stopUnused stops the watch when no subscription is left.
func (h *Hub) stopUnused() {
	h.watching.Lock()
	defer h.watching.Unlock()
	h.stopUnusedLocked()
}

func (h *Hub) stopUnusedLocked() {
	h.mu.Lock()
	left := len(h.subs)
	h.mu.Unlock()
	if left == 0 && h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

// KeepFilter is a hook of mcp-go. It keeps the filter of a subscriptions/listen in its session and gives the dispatcher an empty
// one. So the dispatcher checks the request and makes the result that ends the stream later, without a waiting goroutine.
func KeepFilter(ctx context.Context, _ any, req *mcp.SubscriptionsListenRequest) {
	sess := SessionOf(ctx)
	filter := req.Params.Notifications
	sess.mu.Lock()
	sess.filter = &filter
	sess.mu.Unlock()
	req.Params.Notifications = mcp.SubscriptionFilter{}
}

// feed queues notifications for one client. pump sends them.
type feed struct {
	mu      sync.Mutex
	queue   []note
	waiting map[noteKey]bool // of the notes in queue
	closed  bool
	wake    chan struct{} // has one element after a change
}

// note is a notification of a subscription. The feed queues a note with a key once.
type note struct {
	noteKey
	line []byte
}

type noteKey struct {
	sub *subscription
	key string
}

func (f *feed) put(n note) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || n.key != "" && f.waiting[n.noteKey] {
		return
	}
	f.waiting[n.noteKey] = true
	f.queue = append(f.queue, n)
	f.changed()
}

func (f *feed) drop(sub *subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = slices.DeleteFunc(f.queue, func(n note) bool { return n.sub == sub })
	maps.DeleteFunc(f.waiting, func(k noteKey, _ bool) bool { return k.sub == sub })
}

func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.changed()
}

// changed wakes a pump. The caller holds mu.
func (f *feed) changed() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// pump sends the notes to out until close, or until ctx ends.
func (f *feed) pump(ctx context.Context, out sink) {
	for {
		f.mu.Lock()
		notes, closed := f.queue, f.closed
		f.queue = nil
		clear(f.waiting)
		f.mu.Unlock()
		for _, n := range notes {
			out.write(n.line)
		}
		if closed {
			return
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return
		}
	}
}
