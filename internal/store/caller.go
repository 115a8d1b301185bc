package store

import "context"

type callerKey struct{}

// WithCaller names who acts under the context, such as one of several clients of a server: what is saved under it is no
// news to that caller. Callers are told apart within a process.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

func callerOf(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}
