package discovery

import (
	"path"
	"slices"
	"strings"
)

const maxDockerfiles = 20

// sayContainers tells of images, of the services that are started for development, and of how it is deployed.
func (s *survey) sayContainers() {
	var files, bases, ports []string
	for _, file := range s.files {
		base := path.Base(file)
		isIt := base == "Dockerfile" || base == "Containerfile" || strings.HasPrefix(base, "Dockerfile.") || strings.HasSuffix(base, ".Dockerfile")
		if !isIt || within(file, aside()) || len(files) >= maxDockerfiles {
			continue
		}
		files = append(files, file)
		if text, ok := s.manifest(file); ok {
			bases, ports = dockerfile(text, bases, ports)
		}
	}
	if len(files) > 0 {
		text := "Container images are built from " + listing(files, 6)
		if len(bases) > 0 {
			text += ", on " + listing(bases, 4)
		}
		if len(ports) > 0 {
			text += ", with the port " + listing(ports, 4)
		}
		s.project("containers", 1, files[0], "%s.", text)
	}
	for _, file := range []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"} {
		if s.has(file) {
			s.sayCompose(file)
			break
		}
	}
	for _, d := range []struct{ file, text string }{
		{"Procfile", "The processes that run in production are named in Procfile."},
		{"serverless.yml", "It is deployed with the Serverless Framework (serverless.yml)."}, {"fly.toml", "It is deployed to Fly.io (fly.toml)."},
		{"vercel.json", "It is deployed to Vercel (vercel.json)."}, {"netlify.toml", "It is deployed to Netlify (netlify.toml)."}, {"render.yaml", "It is deployed to Render (render.yaml)."},
		{"wrangler.toml", "It is deployed to Cloudflare Workers (wrangler.toml)."}, {"skaffold.yaml", "It is deployed to Kubernetes with Skaffold (skaffold.yaml)."},
		{"Pulumi.yaml", "Its infrastructure is written for Pulumi (Pulumi.yaml)."}, {".devcontainer/devcontainer.json", "There is a development container (.devcontainer/devcontainer.json)."},
		{".goreleaser.yml", "Releases are built by GoReleaser (.goreleaser.yml)."}, {".goreleaser.yaml", "Releases are built by GoReleaser (.goreleaser.yaml)."},
	} {
		if s.has(d.file) {
			s.project("deploy:"+d.file, 0.95, d.file, "%s", d.text)
		}
	}
	for _, file := range s.files {
		if path.Base(file) == "Chart.yaml" && !within(file, aside()) {
			s.project("deploy:helm", 1, file, "A Helm chart is in %s.", path.Dir(file))
			break
		}
	}
	for _, f := range s.sorted {
		if slices.ContainsFunc(f.files, func(b string) bool { return path.Ext(b) == ".tf" }) && !within(f.path+"/", aside()) {
			s.project("deploy:terraform", 0.95, f.path, "Infrastructure is described with Terraform in %s.", folderName(f.path))
			break
		}
	}
}

// folderName is a folder as it is written in a sentence.
func folderName(dir string) string {
	if dir == "." {
		return "the top folder"
	}
	return dir
}

// dockerfile adds the images that a Dockerfile starts from and the ports that it opens.
func dockerfile(text []byte, bases, ports []string) ([]string, []string) {
	stages := map[string]bool{"scratch": true}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch strings.ToUpper(words[0]) {
		case "FROM":
			words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "--") })
			if len(words) == 0 {
				continue
			}
			if image := imageName(words[0]); image != "" && !stages[words[0]] && !slices.Contains(bases, image) {
				bases = append(bases, image)
			}
			if len(words) > 2 && strings.EqualFold(words[1], "as") {
				stages[words[2]] = true
			}
		case "EXPOSE":
			for _, p := range words[1:] {
				if strings.Trim(p, "0123456789/tcpud") == "" && !slices.Contains(ports, p) {
					ports = append(ports, p)
				}
			}
		}
	}
	return bases, ports
}

// imageName returns an image without the registry that it comes from and without its digest, "" for a variable.
func imageName(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if strings.ContainsAny(image, "${}") {
		return ""
	}
	if host, rest, ok := strings.Cut(image, "/"); ok && (strings.ContainsAny(host, ".:") || host == "localhost") {
		image = rest
	}
	return strings.TrimPrefix(image, "library/")
}

func (s *survey) sayCompose(file string) {
	t, err := s.yaml(file)
	if err != nil {
		s.warn("%s: %s", file, problem(err))
	}
	services := t.sub("services")
	var parts []string
	for _, name := range services.keys() {
		if image := imageName(services.sub(name).text("image")); image != "" {
			name += " (" + image + ")"
		}
		parts = append(parts, name)
	}
	if len(parts) > 0 {
		s.project("compose", 1, file, "%s starts the services %s.", file, listing(parts, 10))
	}
}

// composeImages returns the images of services and the file that names them.
func (s *survey) composeImages() (images []string, file string) {
	file = s.first("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
	if file == "" {
		return nil, ""
	}
	t, err := s.yaml(file)
	if err != nil {
		return nil, ""
	}
	services := t.sub("services")
	for _, name := range services.keys() {
		images = append(images, imageName(services.sub(name).text("image")))
	}
	return images, file
}
