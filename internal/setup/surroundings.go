package setup

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"sdd/internal/fault"
)

// Surroundings is the machine of a user as MCP clients see it.
type Surroundings struct {
	OS       string // as runtime.GOOS
	Home     string
	Getenv   func(name string) string
	LookPath func(program string) (string, error)
	Program  string // the path of this program, "" when it is not known
}

func Here() (Surroundings, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Surroundings{}, fault.New(fault.Unavailable, "your home folder is not known: %v", err).With("set HOME (on Windows USERPROFILE)")
	}
	path, _ := ownPath()
	return Surroundings{OS: runtime.GOOS, Home: home, Getenv: os.Getenv, LookPath: exec.LookPath, Program: path}, nil
}

// versionOf asks a program on the PATH for its version, "" when there is none.
func (s Surroundings) versionOf(program string) string {
	path, err := s.LookPath(program)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// folder returns the folder that a variable names when it is an absolute path, else the other one.
func (s Surroundings) folder(variable, other string) string {
	if dir := s.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return other
}

func (s Surroundings) inHome(parts ...string) string {
	return filepath.Join(append([]string{s.Home}, parts...)...)
}

// xdg is the folder of configuration of programs that follow the XDG rules on every system.
func (s Surroundings) xdg() string { return s.folder("XDG_CONFIG_HOME", s.inHome(".config")) }

// config is the system's folder of configuration, as os.UserConfigDir for this process.
func (s Surroundings) config() string {
	return s.ofSystem("APPDATA", "Roaming", "Application Support", s.xdg())
}

// cache is the system's folder for caches, as os.UserCacheDir for this process.
func (s Surroundings) cache() string {
	return s.ofSystem("LOCALAPPDATA", "Local", "Caches", s.folder("XDG_CACHE_HOME", s.inHome(".cache")))
}

func (s Surroundings) ofSystem(variable, windows, mac, other string) string {
	switch s.OS {
	case "windows":
		return s.folder(variable, s.inHome("AppData", windows))
	case "darwin":
		return s.inHome("Library", mac)
	}
	return other
}

func (s Surroundings) own() string { return filepath.Join(s.config(), driverName) }

func (s Surroundings) shown(root, path string) string {
	if rel, ok := relative(root, path); ok {
		return rel
	}
	if rel, ok := relative(s.Home, path); ok {
		return "~/" + rel
	}
	return filepath.ToSlash(path)
}

// relative returns a path from a folder on, with slashes; ok is false when it is not below the folder.
func relative(folder, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	return filepath.ToSlash(rel), folder != "" && err == nil && filepath.IsLocal(rel)
}

func below(folder, path string) bool {
	_, ok := relative(folder, path)
	return ok
}
