// Package lsp is the language server: it gives editors what sdd knows of records and of the code that they name.
package lsp
