// Package program opens the program on a folder, for evaluations.
package program

import (
	"sdd/internal/app"
	"sdd/internal/eval/must"
	"sdd/internal/index"
	"sdd/internal/store"
)

// On calls do with the use cases of the store in dir. open is index.Open, or index.OpenOnce for a single question.
func On(dir string, open func(*store.Store) *index.Index, do func(*app.App)) {
	st := must.Get(store.Open(store.Options{Dir: dir, Tool: "sdd-eval"}))
	defer st.Close()
	ix := open(st)
	defer ix.Close()
	w := app.New(st, ix, app.Options{})
	defer w.Close()
	do(w)
}
