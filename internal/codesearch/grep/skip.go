package grep

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// vendored are folders of dependencies and of tools' output.
var vendored = pattern.Words(`vendor node_modules bower_components third_party third-party thirdparty Godeps Pods Carthage
	.venv venv site-packages __pycache__ .tox .gradle .next .nuxt .yarn .terraform .git .hg .svn .sdd .idea .cache jspm_packages`)

// generatedNames are files that tools write and people do not read.
var generatedNames = pattern.Words(`go.sum go.work.sum package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb
	Cargo.lock poetry.lock uv.lock Pipfile.lock composer.lock Gemfile.lock mix.lock flake.lock pubspec.lock packages.lock.json`)

// generatedEnds are endings of generated files, and of pictures and data in text formats.
var generatedEnds = []string{
	".min.js", ".min.css", ".bundle.js", ".map", ".pb.go", ".pb.gw.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2_grpc.py", "_pb.js",
	".pb.rs", ".g.dart", ".freezed.dart", ".designer.cs", ".g.cs", ".svg", ".snap", ".lock", ".csv", ".tsv", ".ndjson", ".jsonl",
}

// binaryEnds are endings of files that hold no text, so that they need not be opened.
var binaryEnds = pattern.Words(`.png .jpg .jpeg .gif .ico .webp .bmp .tiff .pdf .zip .gz .tgz .bz2 .xz .zst .7z .rar .jar .war .class
	.so .dylib .dll .exe .a .o .obj .wasm .woff .woff2 .ttf .otf .eot .mp3 .mp4 .mov .avi .webm .ogg .wav .pyc .pyo .bin .dat .db
	.sqlite .parquet .npy .npz .pkl .onnx .pt .safetensors .gob`)

// skipped reports whether a file is vendored, generated or binary by its path, and the query does not name it.
func (w places) skipped(file string) bool {
	start := 0
	for i := range len(file) {
		if file[i] == '/' {
			if dir := file[start:i]; vendored()[dir] && (dir == ".git" || !w.named(file[:i])) {
				return true
			}
			start = i + 1
		}
	}
	return w.skippedName(file, file[start:])
}

// skippedName is skipped without a check of the folders, which the crawl has checked.
func (w places) skippedName(file, name string) bool {
	if binaryEnds()[strings.ToLower(path.Ext(name))] {
		return true
	}
	generated := generatedNames()[name] || slices.ContainsFunc(generatedEnds, func(end string) bool { return strings.HasSuffix(name, end) })
	return generated && !w.named(file)
}

const (
	binaryLook    = 8000 // first bytes in which a zero byte makes a file binary, as in git
	generatedLook = 2000 // first bytes that may mark a file as generated
)

// isBinary reports whether src holds no text.
func isBinary(src []byte) bool {
	return bytes.IndexByte(src[:min(len(src), binaryLook)], 0) >= 0
}

// isGenerated reports whether the head of src marks it as generated, or its lines are longer than people write.
func isGenerated(src []byte) bool {
	head := src[:min(len(src), generatedLook)]
	if i := bytes.Index(head, []byte("DO NOT EDIT")); i >= 0 && bytes.Contains(head, []byte("enerated")) {
		return true
	}
	if bytes.Contains(head, []byte("@generated")) {
		return true
	}
	return len(src) > longLook && longLines(src)
}

const (
	longLook = 10_000 // least size in bytes at which the length of lines counts
	longLine = 400    // bytes of a line on average
)

// longLines reports whether the lines are longer than people write. It stops after enough line ends.
func longLines(src []byte) bool {
	need := (len(src)+longLine-1)/longLine - 1 // lines that end
	for rest := src; need > 0; {
		if len(rest) == 0 {
			return true
		}
		part := rest[:min(len(rest), 4<<10)]
		need -= bytes.Count(part, []byte("\n"))
		rest = rest[len(part):]
	}
	return false
}
