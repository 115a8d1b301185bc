package discovery

import (
	"path"
	"slices"
	"strings"
)

// databases are the systems that packages and images stand for, by a part of the role or the image's name.
var databases = []struct{ mark, name string }{
	{"postgis", "PostgreSQL"}, {"postgres", "PostgreSQL"}, {"mysql", "MySQL"}, {"mariadb", "MariaDB"}, {"sqlite", "SQLite"}, {"mongo", "MongoDB"}, {"redis", "Redis"}, {"valkey", "Valkey"},
	{"cassandra", "Cassandra"}, {"elasticsearch", "Elasticsearch"}, {"opensearch", "OpenSearch"}, {"clickhouse", "ClickHouse"}, {"neo4j", "Neo4j"},
	{"kafka", "Kafka"}, {"rabbitmq", "RabbitMQ"}, {"nats", "NATS"}, {"minio", "MinIO"},
}

func databaseOf(text string) string {
	for _, d := range databases {
		if strings.Contains(strings.ToLower(text), d.mark) {
			return d.name
		}
	}
	return ""
}

// sayDatabase tells what data is kept in, where its schema and migrations are, and where interfaces are defined.
func (s *survey) sayDatabase() {
	var stores []string
	source := ""
	add := func(text, from string) {
		if name := databaseOf(text); name != "" && !slices.Contains(stores, name) {
			stores = append(stores, name)
			if source == "" {
				source = from
			}
		}
	}
	images, compose := s.composeImages()
	for _, image := range images {
		add(path.Base(image), compose)
	}
	for _, m := range s.modules {
		for _, u := range frameworks([]*module{m}) {
			add(u.what, m.manifest)
		}
	}
	if len(stores) > 0 {
		s.project("databases", 0.85, source, "It works with %s.", listing(stores, 8))
	}

	var migrations []string
	for _, f := range s.sorted {
		base := path.Base(f.path)
		code := slices.ContainsFunc(f.files, func(b string) bool { return languages[path.Ext(b)] != "" && b != "__init__.py" }) || hasMigrationFolders(s, f)
		migrates := base == "migrations" || strings.HasSuffix(f.path, "db/migrate") || strings.HasSuffix(f.path, "db/migration") || strings.HasSuffix(f.path, "alembic/versions")
		if migrates && code && !within(f.path+"/", aside()) && !isTestFolder(f.path) && !slices.ContainsFunc(migrations, func(m string) bool { return strings.HasPrefix(f.path, m+"/") }) {
			migrations = append(migrations, f.path)
		}
	}
	if len(migrations) > 0 {
		s.project("migrations", 0.95, migrations[0], "Database migrations are in %s.", listing(migrations, 6))
	}
	for _, file := range s.files {
		base := path.Base(file)
		if within(file, aside()) || isTestFolder(path.Dir(file)) {
			continue
		}
		switch {
		case base == "schema.prisma", base == "schema.rb" && strings.HasSuffix(path.Dir(file), "db"), base == "schema.sql", base == "structure.sql":
			s.project("schema", 0.95, file, "The database schema is in %s.", file)
		case strings.HasPrefix(base, "openapi.") || strings.HasPrefix(base, "swagger."):
			if ext := path.Ext(base); ext == ".yaml" || ext == ".yml" || ext == ".json" {
				s.project("api:openapi", 0.95, file, "The HTTP interface is defined in %s (OpenAPI).", file)
			}
		case base == "schema.graphql" || base == "schema.graphqls":
			s.project("api:graphql", 0.95, file, "The GraphQL schema is in %s.", file)
		case path.Ext(base) == ".proto":
			s.project("api:proto", 0.95, path.Dir(file), "Protocol Buffers are defined in %s.", folderName(path.Dir(file)))
		}
	}
}

// hasMigrationFolders reports whether a folder has one folder for each migration, as Prisma and Diesel make them.
func hasMigrationFolders(s *survey, f *folder) bool {
	return slices.ContainsFunc(f.dirs, func(d string) bool {
		return slices.ContainsFunc(s.folders[path.Join(f.path, d)].files, func(b string) bool { return path.Ext(b) == ".sql" })
	})
}
