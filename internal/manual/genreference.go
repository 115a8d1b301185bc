//go:build ignore

// Genreference writes the reference of commands, tools and settings.
package main

import (
	"log"
	"os"
	"path/filepath"

	"sdd/internal/manual"
)

func main() {
	dir := filepath.Join("..", "..", filepath.FromSlash(manual.Folder))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	for name, text := range manual.Reference() {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
