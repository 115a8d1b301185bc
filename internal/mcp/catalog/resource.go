package catalog

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
	"sdd/internal/tokens"
)

// Resource is a document with a fixed URI.
type Resource struct {
	URI, Name, Title, Description, MIMEType string
	Read                                    func(ctx context.Context) (Contents, error)
}

// Template is a family of documents, as sdd://idea/{id}. A variable is one segment, which Read gets decoded. No URI may match two.
type Template struct {
	URI, Name, Title, Description, MIMEType string

	// Read returns the document, or a NotFound fault.
	Read func(ctx context.Context, vars map[string]string) (Contents, error)
	// List, if set, adds the documents to resources/list, and completes the variable of a template with only one.
	List     func(ctx context.Context) ([]Entry, error)
	Complete map[string]Completer // offers values for variables, before List
}

// Contents is the content of a resource. A Text of more than 8,000 tokens is sent in parts.
type Contents struct {
	Text string
	// Outline, if set, is a table of contents instead of the first part of a long Text; whole is the address of that part.
	Outline func(whole string) string
}

// Entry is a document of a template in resources/list.
type Entry struct {
	Name, Title string
	Vars        map[string]string
	Size        int64 // in bytes, 0 when not known
}

// pageSize is the most resources on a page of resources/list, which also keeps the tokens of an answer.
const pageSize = 100

type template struct {
	Template
	pattern Pattern
}

func (s *service) addResources(c Catalog) error {
	s.resources = slices.Clone(c.Resources)
	slices.SortFunc(s.resources, func(a, b Resource) int { return strings.Compare(a.Name, b.Name) })
	for i, r := range s.resources {
		if i > 0 && s.resources[i-1].Name == r.Name {
			return fault.New(fault.Internal, "two resources are called %q", r.Name)
		}
		s.MCP.AddResource(r.listed(), func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return s.contents(originalURI(&req), r.MIMEType, func() (Contents, error) { return r.Read(ctx) })
		})
	}
	for _, def := range c.Templates {
		pattern, err := ParsePattern(def.URI)
		if err != nil {
			return fault.New(fault.Internal, "template %s: %v", def.URI, err)
		}
		t := &template{def, pattern}
		s.templates = append(s.templates, t)
		s.MCP.AddResourceTemplate(
			mcp.NewResourceTemplate(t.URI, t.Name, mcp.WithTemplateTitle(t.Title),
				mcp.WithTemplateDescription(t.Description), mcp.WithTemplateMIMEType(t.MIMEType)),
			func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				vars, ok := t.pattern.Match(req.Params.URI)
				if !ok {
					return nil, fault.New(fault.NotFound, "no resource has that URI")
				}
				return s.contents(originalURI(&req), t.MIMEType, func() (Contents, error) { return t.Read(ctx, vars) })
			})
	}
	return nil
}

func (r Resource) listed() mcp.Resource {
	return mcp.NewResource(r.URI, r.Name, mcp.WithResourceTitle(r.Title),
		mcp.WithResourceDescription(r.Description), mcp.WithMIMEType(r.MIMEType))
}

func (t *template) listed(e Entry) mcp.Resource {
	r := mcp.NewResource(t.pattern.Expand(e.Vars), e.Name, mcp.WithResourceTitle(e.Title), mcp.WithMIMEType(t.MIMEType))
	if e.Size > 0 {
		r.Size = &e.Size
	}
	return r
}

// contents runs read for a URI as the client wrote it, which the result has too.
func (s *service) contents(uri, mime string, read func() (Contents, error)) (_ []mcp.ResourceContents, err error) {
	defer s.caught("reading "+uri, &err, errors.New("reading failed"))
	c, err := ended(read)
	if err != nil {
		if fault.FailureOf(err).Code == fault.Internal {
			s.Log.Printf("reading %s: %v", uri, err)
		}
		return nil, err
	}
	return c.parts(uri, mime)
}

// askedFor is the key under which canonicalize keeps the client's spelling of the URI.
const askedFor = "sdd/uri"

// canonicalize rewrites a URI to the spelling that mcp-go matches: clients send others, such as an @ that is not escaped.
func (s *service) canonicalize(_ context.Context, _ any, req *mcp.ReadResourceRequest) {
	if req.Params.Meta == nil {
		req.Params.Meta = &mcp.Meta{}
	}
	req.Params.Meta.SetMetaField(askedFor, req.Params.URI)
	base, _, _ := cutOffset(req.Params.URI)
	req.Params.URI = s.canonical(base)
}

func originalURI(req *mcp.ReadResourceRequest) string {
	uri, _ := req.Params.Meta.GetMetaField(askedFor).(string)
	return cmp.Or(uri, req.Params.URI)
}

func (s *service) template(uri string) (*template, map[string]string) {
	for _, t := range s.templates {
		if vars, ok := t.pattern.Match(uri); ok {
			return t, vars
		}
	}
	return nil, nil
}

func (s *service) canonical(uri string) string {
	if t, vars := s.template(uri); t != nil {
		return t.pattern.Expand(vars)
	}
	return uri
}

// known returns a fault when no resource has that URI now.
func (s *service) known(ctx context.Context, uri string) error {
	if slices.ContainsFunc(s.resources, func(r Resource) bool { return r.URI == uri }) {
		return nil
	}
	t, vars := s.template(uri)
	if t == nil {
		return fault.New(fault.NotFound, "there is no resource %q", fault.Cut(uri, 200)).
			With("resources/list and resources/templates/list say what there is")
	}
	_, err := s.contents(uri, t.MIMEType, func() (Contents, error) { return t.Read(ctx, vars) })
	return err
}

// listResources replaces mcp-go's page, which lists only registered resources.
func (s *service) listResources(ctx context.Context, _ any, req *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
	sess := transport.SessionOf(ctx)
	sess.ListedResources()
	after, _ := base64.StdEncoding.DecodeString(string(req.Params.Cursor)) // the dispatcher has checked it
	page, more, err := s.page(ctx, string(after))
	if err != nil {
		s.Log.Printf("resources/list: %v", err)
		sess.Fail(transport.Errorf(mcp.INTERNAL_ERROR, "%s", fault.FailureOf(err).Line()))
		return
	}
	res.Resources, res.NextCursor = page, ""
	if more {
		last := page[len(page)-1].Name
		res.NextCursor = mcp.Cursor(base64.StdEncoding.EncodeToString([]byte(last)))
	}
}

// page returns the resources after the given name, and whether more follow.
func (s *service) page(ctx context.Context, after string) (page []mcp.Resource, more bool, err error) {
	page = []mcp.Resource{}
	for _, r := range s.resources {
		if r.Name > after {
			page = append(page, r.listed())
		}
	}
	for _, t := range s.templates {
		if t.List == nil {
			continue
		}
		entries, err := ended(func() ([]Entry, error) { return t.List(ctx) })
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", t.URI, err)
		}
		for _, e := range entries {
			if e.Name > after {
				page = append(page, t.listed(e))
			}
		}
	}
	slices.SortStableFunc(page, func(a, b mcp.Resource) int { return strings.Compare(a.Name, b.Name) })
	page = slices.CompactFunc(page, func(a, b mcp.Resource) bool { return a.Name == b.Name })
	left, fit := PartTokens, 0
	for ; fit < min(len(page), pageSize); fit++ {
		raw, err := transport.Encode(page[fit])
		if err != nil {
			return nil, false, err
		}
		if left -= tokens.Count(string(raw)); left < 0 && fit > 0 {
			break
		}
	}
	return page[:fit], fit < len(page), nil
}

// A resource that exceeds an answer is sent in parts: the URI with ?offset= and the offset of its first byte. Each names the next one.

const (
	offsetMark = "?offset="
	metaNext   = "sdd/next"  // the address of the next part
	metaTotal  = "sdd/total" // bytes of the whole resource

	// PartTokens is the limit of a part: with the block that names the next part it stays within MaxTokens.
	PartTokens = MaxTokens - 200
)

// cutOffset splits the address of a part. Without an offset given is false and base is uri.
func cutOffset(uri string) (base string, offset int, given bool) {
	base, digits, given := strings.Cut(uri, offsetMark)
	n, err := strconv.ParseUint(digits, 10, 31)
	if !given || err != nil {
		return uri, 0, false
	}
	return base, int(n), true
}

func (c Contents) parts(uri, mime string) ([]mcp.ResourceContents, error) {
	base, offset, given := cutOffset(uri)
	switch {
	case offset > len(c.Text) || offset < len(c.Text) && c.Text[offset]&0xC0 == 0x80:
		return nil, fault.New(
			fault.Invalid, "offset is %d, and the resource has %d bytes or other characters there", offset, len(c.Text),
		).For("offset").
			With("use the offsets that the parts before name; " + base + " is the beginning")
	case !given && c.Outline != nil && !tokens.Within(c.Text, MaxTokens):
		return []mcp.ResourceContents{
			mcp.TextResourceContents{URI: uri, MIMEType: "text/markdown", Text: c.Outline(base + offsetMark + "0")},
		}, nil
	case tokens.Within(c.Text[offset:], MaxTokens):
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: c.Text[offset:]}}, nil
	}
	part := tokens.Prefix(c.Text[offset:], PartTokens)
	next := fmt.Sprintf("%s%s%d", base, offsetMark, offset+len(part))
	return []mcp.ResourceContents{
		mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: part, Meta: map[string]any{metaNext: next, metaTotal: len(c.Text)}},
		mcp.TextResourceContents{URI: next, MIMEType: "text/plain",
			Text: fmt.Sprintf("These were bytes %d to %d of %d. It goes on at %s\n", offset, offset+len(part), len(c.Text), next)},
	}, nil
}

// Pattern is a URI template of RFC 6570 with {name} only, split at its variables: text, variable, text, variable, text.
type Pattern struct {
	texts []string
	vars  []string
}

// ParsePattern splits a template.
func ParsePattern(uri string) (Pattern, error) {
	var p Pattern
	for {
		text, after, found := strings.Cut(uri, "{")
		p.texts = append(p.texts, text)
		if !found {
			return p, nil
		}
		name, after, found := strings.Cut(after, "}")
		switch {
		case !found:
			return p, fmt.Errorf("a brace is not closed")
		case len(p.vars) > 0 && text == "":
			return p, fmt.Errorf("nothing stands between two variables")
		case name == "" || strings.ContainsAny(name, "+#./;?&,*:|"):
			return p, fmt.Errorf("{%s} is not {name}", name)
		}
		p.vars = append(p.vars, name)
		uri = after
	}
}

// Match returns the decoded variables of uri, and whether uri matches.
func (p Pattern) Match(uri string) (map[string]string, bool) {
	vars := map[string]string{}
	uri, ok := strings.CutPrefix(uri, p.texts[0])
	for i, name := range p.vars {
		var raw string
		if next := p.texts[i+1]; i < len(p.vars)-1 {
			raw, uri, _ = strings.Cut(uri, next)
		} else {
			raw, ok = strings.CutSuffix(uri, next)
			uri = ""
		}
		value, err := url.PathUnescape(raw)
		if !ok || err != nil || strings.ContainsAny(raw, "?#/") || !isSegment(value) {
			return nil, false
		}
		vars[name] = value
	}
	return vars, ok && uri == ""
}

// isSegment reports whether a text is a single path segment that stays in its folder.
func isSegment(text string) bool {
	unsafe := func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) }
	return text != "" && text != "." && text != ".." && utf8.ValidString(text) && !strings.ContainsFunc(text, unsafe)
}

// Expand returns the URI with vars, escaped so that Match and any RFC 6570 library can restore them.
func (p Pattern) Expand(vars map[string]string) string {
	var b strings.Builder
	b.WriteString(p.texts[0])
	for i, name := range p.vars {
		b.WriteString(strings.ReplaceAll(url.QueryEscape(vars[name]), "+", "%20"))
		b.WriteString(p.texts[i+1])
	}
	return b.String()
}
