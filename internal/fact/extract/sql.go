package extract

import (
	"fmt"
	"path"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

func isSQL(file string) bool { return strings.EqualFold(path.Ext(file), ".sql") }

// isStep reports whether a file is a migration: one step of a schema, not the whole.
func isStep(file string) bool {
	dir := "/" + strings.ToLower(path.Dir(file)) + "/"
	for _, part := range []string{"migration", "/migrate/", "/migrates/", "/changelog", "/changesets/", "/versions/", "/schema_changes/", "/evolutions/", "/updates/"} {
		if strings.Contains(dir, part) {
			return true
		}
	}
	return stepName().MatchString(base(file))
}

var (
	stepName = pattern.Late(`^(?:[VUR]\d[\w.]*__|\d{3,}[_-])`)
	undoName = pattern.Late(`^u\d[\w.]*__`)
)

// undone reports whether a migration only takes another one back.
func undone(file string) bool {
	b := strings.ToLower(base(file))
	return strings.HasSuffix(b, ".down.sql") || strings.HasSuffix(b, "_down.sql") || strings.HasSuffix(b, ".undo.sql") || undoName().MatchString(b) || b == "down.sql" || strings.Contains(b, "rollback") || strings.Contains(b, ".revert.")
}

const sqlName = "(?:(?:[\"`\\[]?[\\w$]+[\"`\\]]?\\.)?[\"`\\[]?([\\w$]+)[\"`\\]]?)"

var (
	createTable = pattern.Late(`(?is)\bCREATE\s+(?:GLOBAL\s+|LOCAL\s+|TEMP\w*\s+|UNLOGGED\s+|EXTERNAL\s+)*TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?` + sqlName + `\s*\(`)
	dropTable   = pattern.Late(`(?is)\bDROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?` + sqlName)
	alterTable  = pattern.Late(`(?is)\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?` + sqlName + `\s+([^;]*)`)
	createOther = pattern.Late(`(?is)\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:(UNIQUE)\s+)?(INDEX|VIEW|MATERIALIZED\s+VIEW|TYPE|EXTENSION|TRIGGER|FUNCTION|SEQUENCE|POLICY)\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?` + sqlName + `(?:\s+ON\s+(?:ONLY\s+)?` + sqlName + `(?:\s+USING\s+\w+)?\s*(\([^;]*?\))?)?`)
	dropOther   = pattern.Late(`(?is)\bDROP\s+(INDEX|VIEW|MATERIALIZED\s+VIEW|TYPE|EXTENSION|TRIGGER|FUNCTION)\s+(?:CONCURRENTLY\s+)?(?:IF\s+EXISTS\s+)?` + sqlName)
	addColumn   = pattern.Late(`(?is)^ADD\s+(?:COLUMN\s+)?(?:IF\s+NOT\s+EXISTS\s+)?` + sqlName + `\s+([\w() ,]*?)(?:\s+(?:NOT|NULL|DEFAULT|REFERENCES|UNIQUE|CHECK|AFTER|PRIMARY|GENERATED|COMMENT|COLLATE)\b.*)?$`)
	dropColumn  = pattern.Late(`(?is)^DROP\s+(?:COLUMN\s+)?(?:IF\s+EXISTS\s+)?` + sqlName)
	renameCol   = pattern.Late(`(?is)^RENAME\s+(?:COLUMN\s+)?` + sqlName + `\s+TO\s+` + sqlName)
	renameTable = pattern.Late(`(?is)^RENAME\s+TO\s+` + sqlName)
	alterColumn = pattern.Late(`(?is)^(?:ALTER|MODIFY|CHANGE)\s+(?:COLUMN\s+)?` + sqlName + `\s+(.*)$`)
	addRule     = pattern.Late(`(?is)^ADD\s+(?:CONSTRAINT\s+` + sqlName + `\s+)?(FOREIGN\s+KEY|UNIQUE|PRIMARY\s+KEY|CHECK)\b(.*)$`)
	downPart    = pattern.Late(`(?im)^\s*--\s*(?:\+goose\s+down|migrate:down|\+migrate\s+down|//@undo|rollback|down)\b`)
	notColumn   = pattern.Words(`primary foreign unique constraint check index key exclude like period fulltext spatial`)
)

// readSQL reads the tables, columns, indexes and types that SQL makes, changes and drops.
func readSQL(v *version) []item {
	if undone(v.path) {
		return nil
	}
	text := string(v.text)
	isStepFile := isStep(v.path)
	if i := downPart().FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	code, _ := blank([]byte(text), "SQL", "")
	return statements(string(code), v, isStepFile)
}

// maxStatement is how much of a statement is read.
const maxStatement = 32 << 10

// columnRule is what follows the type of a column.
var columnRule = pattern.Late(`(?i)\s+(?:not|null|default|references|unique|check|primary|generated|comment|collate|auto_increment)\b.*`)

// statements reads DDL. Of a step nothing is told when it goes.
func statements(text string, v *version, isStepFile bool) (out []item) {
	for _, m := range createTable().FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		var fields []field
		inside := text[m[1]:min(len(text), m[1]+maxStatement)]
		if v.spent(len(inside)) {
			break
		}
		for _, part := range parts(inside) {
			w := strings.Fields(part)
			if len(w) < 2 || notColumn()[strings.ToLower(w[0])] {
				continue
			}
			what := strings.Fields(columnRule().ReplaceAllString(brief(part, 200), ""))
			fields = append(fields, field{strings.Trim(w[0], "\"`[]"), strings.ToLower(strings.Join(what[1:], " "))})
		}
		it := typeItem("table", name, fields, v.line(m[0]))
		if isStepFile {
			it.key, it.scope = "schema:step:"+it.key, "step"
			it.note = fmt.Sprintf("The table %s%s was added", it.name, shown(" with the columns %s", it.show))
		} else if it.show != "" {
			it.show = "the columns " + it.show
		}
		out = append(out, it)
	}
	add := func(key, content string, at int) { out = append(out, step(key, content, v.line(at))) }
	for _, m := range dropTable().FindAllStringSubmatchIndex(text, -1) {
		name := word(group(text, m, 1))
		if isStepFile {
			add("drop:"+name, "The table "+name+" was dropped", m[0])
		}
	}
	for _, m := range alterTable().FindAllStringSubmatchIndex(text, -1) {
		table := word(group(text, m, 1))
		for _, action := range parts(group(text, m, 2)) {
			if len(action) < maxStatement {
				out = append(out, alteration(table, strings.TrimSpace(action), v.line(m[0]))...)
			}
		}
	}
	for _, m := range createOther().FindAllStringSubmatchIndex(text, -1) {
		kind, name, on, cols := strings.ToLower(strings.Join(strings.Fields(group(text, m, 2)), " ")), word(group(text, m, 3)), word(group(text, m, 4)), group(text, m, 5)
		unique := strings.ToLower(group(text, m, 1))
		if unique != "" {
			kind = unique + " " + kind
		}
		content := fmt.Sprintf("The %s %s was added", kind, name)
		if on != "" && strings.Contains(kind, "index") {
			content = fmt.Sprintf("The %s %s on %s%s was added", kind, name, on, word(strings.Join(strings.Fields(cols), " ")))
		}
		add(kind+":"+name, content, m[0])
	}
	for _, m := range dropOther().FindAllStringSubmatchIndex(text, -1) {
		if kind, name := strings.ToLower(strings.Join(strings.Fields(group(text, m, 1)), " ")), word(group(text, m, 2)); isStepFile {
			add("drop:"+kind+":"+name, fmt.Sprintf("The %s %s was dropped", kind, name), m[0])
		}
	}
	return out
}

// alteration is one action of ALTER TABLE.
func alteration(table, action string, line int) []item {
	switch {
	case addRule().MatchString(action):
		m := addRule().FindStringSubmatch(action)
		kind := strings.ToLower(strings.Join(strings.Fields(m[2]), " "))
		return []item{step("rule:"+table+":"+kind+m[1]+strings.Join(strings.Fields(m[3]), " "), fmt.Sprintf("The table %s has a new %s constraint %s", table, kind, brief(strings.TrimSpace(m[1]+" "+m[3]), 100)), line)}
	case addColumn().MatchString(action):
		m := addColumn().FindStringSubmatch(action)
		if strings.EqualFold(m[1], "constraint") || notColumn()[strings.ToLower(m[1])] {
			return nil
		}
		return []item{columnStep(table, m[1], m[2], line)}
	case renameCol().MatchString(action):
		m := renameCol().FindStringSubmatch(action)
		return []item{step("column:"+table+"."+m[1], fmt.Sprintf("The column %s of the table %s was renamed to %s", m[1], table, m[2]), line)}
	case renameTable().MatchString(action):
		m := renameTable().FindStringSubmatch(action)
		return []item{step("rename:"+table, fmt.Sprintf("The table %s was renamed to %s", table, m[1]), line)}
	case dropColumn().MatchString(action):
		m := dropColumn().FindStringSubmatch(action)
		if strings.EqualFold(m[1], "constraint") || notColumn()[strings.ToLower(m[1])] {
			return nil
		}
		return []item{droppedColumn(table, m[1], line)}
	case alterColumn().MatchString(action):
		m := alterColumn().FindStringSubmatch(action)
		return []item{step("column:"+table+"."+m[1], fmt.Sprintf("The column %s of the table %s was changed: %s", m[1], table, brief(strings.ToLower(m[2]), 80)), line)}
	}
	return nil
}

func columnStep(table, column, what string, line int) item {
	return step("column:"+word(table)+"."+word(column), fmt.Sprintf("The column %s%s was added to the table %s", word(column), shown(" (%s)", word(strings.ToLower(strings.TrimSpace(what)))), word(table)), line)
}

func droppedColumn(table, column string, line int) item {
	return step("column:"+word(table)+"."+word(column), fmt.Sprintf("The column %s of the table %s was dropped", word(column), word(table)), line)
}

func tableStep(table string, columns []string, line int) item {
	return step("step:schema:table:"+strings.ToLower(word(table)), fmt.Sprintf("The table %s%s was added", word(table), shown(" with the columns %s", listing(columns, 10))), line)
}

// parts cuts a list at the commas outside of parentheses, up to the one that closes it or a semicolon.
func parts(text string) (out []string) {
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return append(out, text[start:i])
			}
		case ';':
			if depth == 0 {
				return append(out, text[start:i])
			}
		case ',':
			if depth == 0 {
				out = append(out, text[start:i])
				start = i + 1
			}
		}
	}
	return append(out, text[start:])
}

// isMigrationCode reports whether a file is a migration in a programming language.
func isMigrationCode(file string) bool {
	switch discovery.Language(file) {
	case "Python", "Ruby", "PHP", "JavaScript", "TypeScript", "C#", "Elixir", "Kotlin", "Java":
		dir := "/" + strings.ToLower(path.Dir(file)) + "/"
		return (strings.Contains(dir, "migration") || strings.Contains(dir, "/migrate/") || strings.Contains(dir, "/versions/")) && base(file) != "__init__.py"
	}
	return strings.EqualFold(base(file), "schema.rb")
}

var (
	downCode = pattern.Late(`(?m)^\s*(?:def downgrade\b|def down\b|(?:public|protected)\s+(?:override\s+)?(?:async\s+)?(?:function\s+)?(?:void\s+)?[dD]own\b|(?:export\s+)?(?:async\s+)?function down\b|exports\.down\b|export const down\b|async down\b|down:|module\.exports\.down)`)

	railsTable  = pattern.Late(`(?s)\bcreate_table\s*\(?\s*[:"'](\w+)["']?.*?\bdo\s*\|(\w+)\|(.*?)\n\s*end\b`)
	railsColumn = pattern.Late(`\bt\.(\w+)\s+[:"'](\w+)`)
	railsAdd    = pattern.Late(`\b(add_column|add_reference|add_belongs_to|remove_column|remove_reference|rename_column|change_column|add_index|drop_table|rename_table|add_foreign_key|change_column_null)\s*\(?\s*[:"'](\w+)["']?(?:\s*,\s*\[?\s*[:"'](\w+)["']?)?(?:\s*,\s*[:"'](\w+))?([^\n]*)`)

	djangoOp    = pattern.Late(`migrations\.(CreateModel|DeleteModel|AddField|RemoveField|RenameField|AlterField|RenameModel|AddIndex|AddConstraint)\(([^()]*(?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)[^()]*)*)\)`)
	namedText   = pattern.Late(`\b(model_name|name|old_name|new_name)\s*=\s*["'](\w+)["']`)
	djangoField = pattern.Late(`\(\s*["'](\w+)["']\s*,\s*models\.(\w+)`)
	djangoType  = pattern.Late(`field\s*=\s*models\.(\w+)`)

	alembicTable = pattern.Late(`op\.create_table\(\s*["'](\w+)["']`)
	alembicCol   = pattern.Late(`sa\.Column\(\s*["'](\w+)["']`)
	alembicOp    = pattern.Late(`op\.(add_column|drop_column|drop_table|create_index|alter_column|rename_table|create_unique_constraint|create_foreign_key)\(\s*(?:op\.f\()?["']([\w.]+)["']\)?\s*(?:,\s*(?:sa\.Column\(\s*)?["'](\w+)["'](?:\s*,\s*(?:sa\.|postgresql\.)?(\w+))?)?`)

	laravelTable = pattern.Late(`Schema::(create|table|drop|dropIfExists|rename)\(\s*["'](\w+)["']`)
	laravelCol   = pattern.Late(`\$table->(\w+)\(\s*\[?\s*["'](\w+)["']`)

	knexTable  = pattern.Late(`\.(createTable|alterTable|table|dropTable|dropTableIfExists|createTableIfNotExists|addColumn|removeColumn|addIndex)\(\s*["'](\w+)["'](?:\s*,\s*["'](\w+)["'])?`)
	knexCol    = pattern.Late(`\b(?:t|table|tbl)\.(\w+)\(\s*["'](\w+)["']`)
	efOp       = pattern.Late(`migrationBuilder\.(CreateTable|DropTable|AddColumn|DropColumn|RenameColumn|CreateIndex)(?:<(\w+)>)?\(\s*([^;]*)`)
	efName     = pattern.Late(`\b(name|table|newName):\s*"([^"]+)"`)
	efCol      = pattern.Late(`(\w+)\s*=\s*table\.Column<`)
	ectoTable  = pattern.Late(`(?s)\b(create|alter)\s*\(?\s*table\(:(\w+).*?\bdo\b(.*?)\n\s*end\b`)
	ectoCol    = pattern.Late(`\b(add|remove)\s*\(?\s*:(\w+)(?:\s*,\s*:?(\w+))?`)
	ectoOther  = pattern.Late(`\b(?:create\s+(unique_)?index|drop\s+table)\s*\(\s*:(\w+)(?:\s*,\s*\[([^\]]*)\])?`)
	sqlInCode  = pattern.Late(`(?i)\b(?:CREATE\s+TABLE|ALTER\s+TABLE|DROP\s+TABLE|CREATE\s+(?:UNIQUE\s+)?INDEX|CREATE\s+TYPE)\b`)
	tableCalls = pattern.Words(`id timestamps timestampsTz softDeletes primary index unique foreign dropForeign dropIndex dropUnique references rememberToken foreignKey`)
)

// readMigration reads what a migration in code does going up.
func readMigration(v *version) (out []item) {
	v.mask()
	text := string(v.code)
	if i := downCode().FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	add := func(key, content string, at int) { out = append(out, step(key, content, v.line(at))) }
	switch v.lang {
	case "Ruby":
		readRails(v, text, &out, add)
	case "Python":
		readDjango(v, text, &out, add)
		readAlembic(v, text, &out, add)
	case "PHP":
		readLaravel(v, text, &out, add)
	case "JavaScript", "TypeScript":
		readKnex(v, text, &out, add)
	case "C#":
		readEF(v, text, &out, add)
	case "Elixir":
		readEcto(v, text, &out, add)
	}
	if sqlInCode().MatchString(text) {
		out = append(out, statements(text, v, true)...)
	}
	return out
}

func readRails(v *version, text string, out *[]item, add func(key, content string, at int)) {
	whole := base(v.path) == "schema.rb"
	for _, m := range railsTable().FindAllStringSubmatchIndex(text, -1) {
		var cols []string
		for _, c := range railsColumn().FindAllStringSubmatch(group(text, m, 3), -1) {
			if c[1] != "index" {
				cols = append(cols, c[2])
			}
		}
		if !whole { // schema.rb repeats what the migrations say
			*out = append(*out, tableStep(group(text, m, 1), cols, v.line(m[0])))
		}
	}
	if whole {
		return
	}
	for _, m := range railsAdd().FindAllStringSubmatchIndex(text, -1) {
		op, table, col, third := group(text, m, 1), word(group(text, m, 2)), word(group(text, m, 3)), word(group(text, m, 4))
		switch op {
		case "add_column":
			*out = append(*out, columnStep(table, col, third, v.line(m[0])))
		case "add_reference", "add_belongs_to":
			*out = append(*out, columnStep(table, col, "reference", v.line(m[0])))
		case "remove_column", "remove_reference":
			*out = append(*out, droppedColumn(table, col, v.line(m[0])))
		case "rename_column":
			add("column:"+table+"."+col, fmt.Sprintf("The column %s of the table %s was renamed to %s", col, table, third), m[0])
		case "change_column":
			add("column:"+table+"."+col, fmt.Sprintf("The column %s of the table %s is %s now", col, table, third), m[0])
		case "change_column_null":
			add("null:"+table+"."+col, fmt.Sprintf("Whether the column %s of the table %s may be null was changed", col, table), m[0])
		case "add_index":
			unique := map[bool]string{true: "unique ", false: ""}[strings.Contains(group(text, m, 5), "unique: true")]
			add("index:"+table+"."+col, fmt.Sprintf("A %sindex on %s of the table %s was added", unique, col, table), m[0])
		case "drop_table":
			add("drop:"+table, "The table "+table+" was dropped", m[0])
		case "rename_table":
			add("rename:"+table, "The table "+table+" was renamed to "+col, m[0])
		case "add_foreign_key":
			add("fk:"+table+"."+col, fmt.Sprintf("The table %s has a new foreign key to %s", table, col), m[0])
		}
	}
}

func readDjango(v *version, text string, out *[]item, add func(key, content string, at int)) {
	for _, m := range djangoOp().FindAllStringSubmatchIndex(text, -1) {
		op, arguments := group(text, m, 1), group(text, m, 2)
		named := map[string]string{}
		for _, n := range namedText().FindAllStringSubmatch(arguments, -1) {
			if named[n[1]] == "" {
				named[n[1]] = n[2]
			}
		}
		model, name := named["model_name"], named["name"]
		switch op {
		case "CreateModel":
			var cols []string
			for _, f := range djangoField().FindAllStringSubmatch(arguments, -1) {
				cols = append(cols, f[1])
			}
			*out = append(*out, tableStep(name, cols, v.line(m[0])))
		case "DeleteModel":
			add("drop:"+name, "The table "+name+" was dropped", m[0])
		case "AddField":
			what := ""
			if t := djangoType().FindStringSubmatch(arguments); t != nil {
				what = t[1]
			}
			*out = append(*out, columnStep(model, name, what, v.line(m[0])))
		case "RemoveField":
			*out = append(*out, droppedColumn(model, name, v.line(m[0])))
		case "RenameField":
			add("column:"+model+"."+named["old_name"], fmt.Sprintf("The column %s of the table %s was renamed to %s", named["old_name"], model, named["new_name"]), m[0])
		case "RenameModel":
			add("rename:"+named["old_name"], fmt.Sprintf("The table %s was renamed to %s", named["old_name"], named["new_name"]), m[0])
		case "AddConstraint", "AddIndex":
			if n := namedText().FindAllStringSubmatch(arguments, -1); len(n) > 0 {
				name = n[len(n)-1][2]
			}
			kind := map[string]string{"AddConstraint": "constraint", "AddIndex": "index"}[op]
			add(kind+":"+model+"."+name, fmt.Sprintf("The table %s has the new %s %s", model, kind, name), m[0])
		}
	}
}

func readAlembic(v *version, text string, out *[]item, add func(key, content string, at int)) {
	for _, m := range alembicTable().FindAllStringSubmatchIndex(text, -1) {
		if v.spent(maxStatement) {
			break
		}
		inside := strings.Join(parts(text[m[1]:min(len(text), m[1]+maxStatement)]), ",")
		var cols []string
		for _, c := range alembicCol().FindAllStringSubmatch(inside, -1) {
			cols = append(cols, c[1])
		}
		*out = append(*out, tableStep(group(text, m, 1), cols, v.line(m[0])))
	}
	for _, m := range alembicOp().FindAllStringSubmatchIndex(text, -1) {
		op, table, col, typ := group(text, m, 1), word(group(text, m, 2)), word(group(text, m, 3)), group(text, m, 4)
		switch op {
		case "add_column":
			*out = append(*out, columnStep(table, col, typ, v.line(m[0])))
		case "drop_column":
			*out = append(*out, droppedColumn(table, col, v.line(m[0])))
		case "drop_table":
			add("drop:"+table, "The table "+table+" was dropped", m[0])
		case "create_index":
			add("index:"+table, fmt.Sprintf("The index %s on %s was added", table, col), m[0])
		case "alter_column":
			add("alter:"+table+"."+col, fmt.Sprintf("The column %s of the table %s was changed", col, table), m[0])
		case "rename_table":
			add("rename:"+table, "The table "+table+" was renamed to "+col, m[0])
		case "create_unique_constraint", "create_foreign_key":
			add("rule:"+table, fmt.Sprintf("The constraint %s was added to the table %s", table, col), m[0])
		}
	}
}

func readLaravel(v *version, text string, out *[]item, add func(key, content string, at int)) {
	all := laravelTable().FindAllStringSubmatchIndex(text, -1)
	for i, m := range all {
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		op, table := group(text, m, 1), word(group(text, m, 2))
		var cols []string
		for _, c := range laravelCol().FindAllStringSubmatch(text[m[1]:end], -1) {
			switch {
			case c[1] == "dropColumn" || c[1] == "dropConstrainedForeignId":
				*out = append(*out, droppedColumn(table, c[2], v.line(m[0])))
			case c[1] == "renameColumn":
				add("column:"+table+"."+c[2], fmt.Sprintf("The column %s of the table %s was renamed", c[2], table), m[0])
			case op == "table" && c[1] == "unique":
				add("unique:"+table+"."+c[2], fmt.Sprintf("A unique index on %s of the table %s was added", c[2], table), m[0])
			case tableCalls()[c[1]] || strings.HasPrefix(c[1], "drop"):
			case op == "table":
				*out = append(*out, columnStep(table, c[2], c[1], v.line(m[0])))
			default:
				cols = append(cols, c[2])
			}
		}
		switch op {
		case "create":
			*out = append(*out, tableStep(table, cols, v.line(m[0])))
		case "drop", "dropIfExists":
			add("drop:"+table, "The table "+table+" was dropped", m[0])
		case "rename":
			add("rename:"+table, "The table "+table+" was renamed", m[0])
		}
	}
}

func readKnex(v *version, text string, out *[]item, add func(key, content string, at int)) {
	all := knexTable().FindAllStringSubmatchIndex(text, -1)
	for i, m := range all {
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		op, table, second := group(text, m, 1), word(group(text, m, 2)), word(group(text, m, 3))
		var cols []string
		for _, c := range knexCol().FindAllStringSubmatch(text[m[1]:end], -1) {
			switch {
			case c[1] == "dropColumn":
				*out = append(*out, droppedColumn(table, c[2], v.line(m[0])))
			case c[1] == "renameColumn":
				add("column:"+table+"."+c[2], fmt.Sprintf("The column %s of the table %s was renamed", c[2], table), m[0])
			case tableCalls()[c[1]] || strings.HasPrefix(c[1], "drop"):
			case op == "alterTable" || op == "table":
				*out = append(*out, columnStep(table, c[2], c[1], v.line(m[0])))
			default:
				cols = append(cols, c[2])
			}
		}
		switch op {
		case "createTable", "createTableIfNotExists":
			if len(cols) == 0 {
				cols = sequelizeColumns(text[m[1]:end])
			}
			*out = append(*out, tableStep(table, cols, v.line(m[0])))
		case "dropTable", "dropTableIfExists":
			add("drop:"+table, "The table "+table+" was dropped", m[0])
		case "addColumn":
			*out = append(*out, columnStep(table, second, "", v.line(m[0])))
		case "removeColumn":
			*out = append(*out, droppedColumn(table, second, v.line(m[0])))
		case "addIndex":
			add("index:"+table, "An index on the table "+table+" was added", m[0])
		}
	}
}

var sequelizeColumn = pattern.Late(`(\w+)\s*:\s*(?:\{\s*[^{}]*?\btype\s*:|Sequelize\.|DataTypes\.)`)

func sequelizeColumns(text string) (cols []string) {
	for _, c := range sequelizeColumn().FindAllStringSubmatch(text, -1) {
		if c[1] != "type" {
			cols = append(cols, c[1])
		}
	}
	return cols
}

func readEF(v *version, text string, out *[]item, add func(key, content string, at int)) {
	for _, m := range efOp().FindAllStringSubmatchIndex(text, -1) {
		op, typ, arguments := group(text, m, 1), group(text, m, 2), group(text, m, 3)
		named := map[string]string{}
		for _, n := range efName().FindAllStringSubmatch(arguments, -1) {
			if named[n[1]] == "" {
				named[n[1]] = word(n[2])
			}
		}
		switch op {
		case "CreateTable":
			var cols []string
			for _, c := range efCol().FindAllStringSubmatch(arguments, -1) {
				cols = append(cols, c[1])
			}
			*out = append(*out, tableStep(named["name"], cols, v.line(m[0])))
		case "DropTable":
			add("drop:"+named["name"], "The table "+named["name"]+" was dropped", m[0])
		case "AddColumn":
			*out = append(*out, columnStep(named["table"], named["name"], typ, v.line(m[0])))
		case "DropColumn":
			*out = append(*out, droppedColumn(named["table"], named["name"], v.line(m[0])))
		case "RenameColumn":
			add("column:"+named["table"]+"."+named["name"], fmt.Sprintf("The column %s of the table %s was renamed to %s", named["name"], named["table"], named["newName"]), m[0])
		case "CreateIndex":
			unique := map[bool]string{true: "unique ", false: ""}[strings.Contains(arguments, "unique: true")]
			add("index:"+named["name"], fmt.Sprintf("The %sindex %s on the table %s was added", unique, named["name"], named["table"]), m[0])
		}
	}
}

func readEcto(v *version, text string, out *[]item, add func(key, content string, at int)) {
	for _, m := range ectoTable().FindAllStringSubmatchIndex(text, -1) {
		op, table := group(text, m, 1), word(group(text, m, 2))
		var cols []string
		for _, c := range ectoCol().FindAllStringSubmatch(group(text, m, 3), -1) {
			switch {
			case op == "create":
				cols = append(cols, c[2])
			case c[1] == "add":
				*out = append(*out, columnStep(table, c[2], c[3], v.line(m[0])))
			default:
				*out = append(*out, droppedColumn(table, c[2], v.line(m[0])))
			}
		}
		if op == "create" {
			*out = append(*out, tableStep(table, cols, v.line(m[0])))
		}
	}
	for _, m := range ectoOther().FindAllStringSubmatchIndex(text, -1) {
		if table := word(group(text, m, 2)); strings.HasPrefix(text[m[0]:], "drop") {
			add("drop:"+table, "The table "+table+" was dropped", m[0])
		} else if group(text, m, 1) != "" {
			add("index:"+table, fmt.Sprintf("A unique index on %s of the table %s was added", word(group(text, m, 3)), table), m[0])
		}
	}
}
