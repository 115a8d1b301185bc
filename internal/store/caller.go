package store

import "context"

type callerKey struct{}

// WithCaller names the caller of the saves under the context, such as one of several clients of a server: Notices leaves
// them out for that caller. Names of callers are distinct within a process.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

func callerOf(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}
