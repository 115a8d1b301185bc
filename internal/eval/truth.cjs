// Reads TypeScript and JavaScript with the TypeScript compiler and other languages with tree-sitter grammars, from the folder of
// node modules that is the only argument: one request a line on standard input, one answer a line on standard output.
"use strict";
const crypto = require("crypto"), path = require("path"), readline = require("readline");
const load = require("module").createRequire(path.join(path.resolve(process.argv[2]), "x.js"));

function digest(parts, own = []) {
  const index = new Map(own.map((name, i) => ['"' + name, String(i)]));
  return crypto.createHash("sha256").update(parts.map((p) => index.get(p) ?? p).join("\0")).digest("hex").slice(0, 16);
}

function decl(parts, names, kind, first, last, broken) {
  const name = names.join(".");
  const own = name.split(".").reverse();
  return { name, kind, first, last, broken, dump: digest(parts), neutral: digest(parts, own), size: parts.filter((p) => p[0] === '"').length };
}

// typescript: the kinds of nodes and the texts of names and literals, as the compiler's tree has them.
function typescript(ts, file, text) {
  const root = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  if (root.parseDiagnostics.length > 0) return { broken: true };
  const K = ts.SyntaxKind;
  const dump = (node, out) => {
    if (ts.isParenthesizedExpression(node)) return dump(node.expression, out); // the nesting has them
    out.push(K[node.kind] + "(");
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) out.push('"' + node.text);
    else if (ts.isJsxText(node)) out.push('"' + node.text.trim().replace(/\s+/g, " "));
    else if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken?.(node)) out.push('"' + (node.rawText ?? node.text));
    if (node.kind === K.VariableDeclarationList) out.push(String(node.flags & ts.NodeFlags.BlockScoped));
    if (node.operator !== undefined) out.push(K[node.operator]);
    if (node.isTypeOnly) out.push("type");
    if (node.kind === K.HeritageClause) out.push(K[node.token]);
    ts.forEachChild(node, (child) => { if (child.kind !== K.EmptyStatement) dump(child, out); });
    out.push(")");
    return out;
  };
  const decls = [];
  const add = (node, names, kind, extra = []) => {
    const line = (at) => root.getLineAndCharacterOfPosition(at).line + 1;
    decls.push(decl(dump(node, extra), names, kind, line(node.getStart()), line(node.end), false));
  };
  const named = (n) => n.name && (ts.isIdentifier(n.name) || ts.isPrivateIdentifier(n.name) || ts.isStringLiteral(n.name)) && n.name.text;
  const walk = (nodes, names) => {
    for (const n of nodes) {
      const name = named(n), whole = name && [...names, name];
      if (ts.isVariableStatement(n)) {
        for (const d of n.declarationList.declarations) {
          if (!ts.isIdentifier(d.name)) continue;
          const f = d.initializer && (ts.isArrowFunction(d.initializer) || ts.isFunctionExpression(d.initializer));
          const extra = [String(n.declarationList.flags & ts.NodeFlags.BlockScoped)];
          for (const m of n.modifiers ?? []) dump(m, extra);
          add(d, [...names, d.name.text], f ? "func" : "value", extra);
          const at = decls[decls.length - 1];
          if (n.declarationList.declarations.length === 1) at.first = root.getLineAndCharacterOfPosition(n.getStart()).line + 1;
        }
      } else if (ts.isConstructorDeclaration(n)) add(n, [...names, "constructor"], "func");
      else if (!whole) continue;
      else if (ts.isFunctionDeclaration(n) || ts.isMethodDeclaration(n) || ts.isAccessor(n)) add(n, whole, "func");
      else if (ts.isPropertyDeclaration(n) && n.initializer && ts.isArrowFunction(n.initializer)) add(n, whole, "func");
      else if (ts.isClassDeclaration(n)) { add(n, whole, "type"); walk(n.members, whole); }
      else if (ts.isInterfaceDeclaration(n) || ts.isTypeAliasDeclaration(n) || ts.isEnumDeclaration(n)) add(n, whole, "type");
      else if (ts.isModuleDeclaration(n) && n.body?.statements) walk(n.body.statements, whole);
    }
  };
  walk(root.statements, []);
  const parts = [];
  for (const s of root.statements) {
    if (!ts.isImportDeclaration(s) && !ts.isImportEqualsDeclaration(s) && s.kind !== K.EmptyStatement) dump(s, parts);
  }
  return { decls, whole: digest(parts) };
}

// grammars: by language the nodes that declare something (func, type, value), those whose name the names inside begin with (in),
// and imports. The value of a declaration is the field with its name, or the type of the child that is it.
const grammars = {
  java: {
    func: "method_declaration constructor_declaration", value: "field_declaration",
    type: "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
    imports: "import_declaration", constant: /\bstatic\b[^=]*\bfinal\b|\bfinal\b[^=]*\bstatic\b/,
  },
  kotlin: {
    func: "function_declaration", value: "property_declaration", type: "class_declaration object_declaration",
    imports: "import_list import_header", constant: /\bconst\b/,
  },
  c_sharp: {
    func: "method_declaration constructor_declaration property_declaration", value: "field_declaration",
    type: "class_declaration interface_declaration struct_declaration enum_declaration record_declaration delegate_declaration",
    in: "namespace_declaration", imports: "using_directive", constant: /\bconst\b|\bstatic\b[^=]*\breadonly\b/,
  },
  rust: {
    func: "function_item function_signature_item macro_definition", value: "const_item static_item",
    type: "struct_item enum_item union_item trait_item type_item", in: "impl_item mod_item", imports: "use_declaration",
    before: "attribute_item",
  },
  c: { func: "function_definition", type: "struct_specifier union_specifier enum_specifier type_definition", imports: "preproc_include" },
  cpp: {
    func: "function_definition", type: "struct_specifier class_specifier union_specifier enum_specifier type_definition alias_declaration",
    in: "namespace_definition", imports: "preproc_include using_declaration",
  },
  ruby: { func: "method singleton_method", type: "class module", value: "assignment", imports: "", require: true, constant: /^[A-Z]\w*\s*=/ },
  php: {
    func: "function_definition method_declaration", type: "class_declaration interface_declaration trait_declaration enum_declaration",
    value: "const_declaration", imports: "namespace_use_declaration",
  },
  swift: {
    func: "function_declaration init_declaration", type: "class_declaration protocol_declaration typealias_declaration",
    value: "property_declaration", imports: "import_declaration", constant: /\bstatic\s+let\b/,
  },
};
for (const g of Object.values(grammars)) {
  for (const k of ["func", "type", "value", "in", "imports", "before"]) g[k] = new Set((g[k] ?? "").split(" "));
}

const identifier = /^(?:(?:type_|simple_|field_|namespace_)?identifier|constant|name|setter|operator|operator_name|destructor_name)$/;

// nameOf returns the name that a node declares, "" for none.
function nameOf(lang, node) {
  let n = node.childForFieldName("name");
  if (lang === "rust" && node.type === "impl_item") n = node.childForFieldName("type");
  if (node.type === "init_declaration") return "init";
  if (node.type === "type_definition" || node.type === "function_definition" && (lang === "c" || lang === "cpp")) {
    n = node.childForFieldName("declarator");
    while (n && n.childForFieldName("declarator")) n = n.childForFieldName("declarator");
    if (n && n.type === "parenthesized_declarator") return "";
  }
  if (node.type === "assignment") n = node.childForFieldName("left");
  if (!n && /^(?:field_declaration|property_declaration|const_declaration)$/.test(node.type)) {
    const d = node.descendantsOfType(["variable_declarator", "const_element"])[0] ?? node.descendantsOfType("variable_declaration")[0];
    n = d && (d.childForFieldName("name") ?? d.namedChildren.find((c) => identifier.test(c.type)));
  }
  n ??= node.namedChildren.find((c) => identifier.test(c.type));
  if (!n) return "";
  return n.text.replace(/^&(?:\s*'\w+)?(?:\s*mut\b)?/, "").replace(/<[^]*>$/, "").replace(/\s+/g, "").split(/::|\./).filter(Boolean).join(".");
}

// treeSitter: the types of named nodes and the texts of leaves, without comments, brackets, commas and semicolons, which the
// nesting has already.
function treeSitter(parser, lang, text) {
  const g = grammars[lang], tree = parser.parse(text), parts = [], open = [], decls = [];
  const bytes = text;
  const leaf = (s) => { if (!/^[\s,;(){}\[\]\\]*$/.test(s)) parts.push('"' + s); };
  let bare = []; // ranges of parts that are imports
  const visit = (node, names, declares) => {
    const type = node.type;
    if (/comment/.test(type)) return;
    const from = parts.length, count = node.childCount;
    if (count === 0) { if (node.isNamed) parts.push(type); leaf(node.text); return; }
    if (node.isNamed) parts.push(type + "(");
    let kind = declares && (g.func.has(type) ? "func" : g.type.has(type) ? "type" : g.value.has(type) ? "value" : g.in.has(type) ? "in" : "");
    if (lang === "swift" && kind === "type" && node.children.some((c) => c.type === "extension")) kind = "in";
    if (kind === "value" && g.constant && !g.constant.test(node.text)) kind = "no";
    if (kind === "type" && (lang === "c" || lang === "cpp") && type.endsWith("_specifier") && !node.childForFieldName("body")) kind = "no";
    let name = kind && kind !== "no" ? nameOf(lang, node) : "";
    if (kind === "func" && (lang === "c" || lang === "cpp") && /^[A-Z0-9_]+$/.test(name)) name = ""; // a macro: TEST(a, b) { … }
    const inner = name ? [...names, name] : names;
    const deeper = declares && (!kind || kind === "type" || kind === "in") &&
      !/_expression$|(?<!body)_statement$|^field_declaration$|^property_declaration$|^assignment$|^lambda|^call$|^compound_statement$|^init_declarator$/.test(type);
    let at = node.startIndex, pending = -1, pendingRow = 0;
    const blanks = /string|heredoc|regex/.test(type);
    const between = (a, b) => { if (b > a) leaf(blanks ? bytes.slice(a, b) : bytes.slice(a, b).trim()); }; // what has no node
    for (const child of node.children) {
      between(at, child.startIndex);
      if (g.before.has(child.type)) { if (pending < 0) [pending, pendingRow] = [parts.length, child.startPosition.row]; }
      const start = pending >= 0 ? pending : parts.length, n = decls.length;
      visit(child, inner, deeper);
      if (!g.before.has(child.type) && !/comment/.test(child.type)) {
        const own = pending >= 0 && decls[n] && decls.findIndex((d) => d.node === child.id);
        if (pending >= 0 && own >= n && own !== false) { decls[own].from = start; decls[own].first = pendingRow + 1; }
        pending = -1;
      }
      at = child.endIndex;
    }
    between(at, node.endIndex);
    if (node.isNamed) parts.push(")");
    const required = g.require && type === "call" && /^require(?:_relative)?\b/.test(node.text);
    if (declares && (g.imports.has(type) || required)) bare.push([from, parts.length]);
    if (name && kind !== "in") {
      decls.push({ node: node.id, from, to: parts.length, names: inner, kind, first: node.startPosition.row + 1,
        last: node.endPosition.row + (node.endPosition.column > 0 ? 1 : 0), broken: node.hasError });
    }
  };
  visit(tree.rootNode, [], true);
  const broken = tree.rootNode.hasError;
  tree.delete();
  const whole = parts.filter((_, i) => !bare.some(([a, b]) => a <= i && i < b));
  const out = decls.map((d) => decl(parts.slice(d.from, d.to), d.names, d.kind, d.first, d.last, d.broken));
  for (const d of out) d.broken ||= !/^(?:~?[\p{L}\p{N}_$]+[?!=]?|operator\b.*)$/u.test(d.name.slice(d.name.lastIndexOf(".") + 1));
  out.sort((a, b) => a.first - b.first || b.last - a.last);
  return { decls: out, whole: digest(whole), doubtful: broken };
}

(async () => {
  let ts;
  try { ts = load("typescript"); } catch { /* skipped */ }
  const parsers = {};
  try {
    const sitter = load("web-tree-sitter"), { Parser, Language } = sitter.Parser ? sitter : { Parser: sitter, Language: sitter.Language };
    await Parser.init();
    for (const lang of Object.keys(grammars)) {
      try {
        const p = new Parser();
        p.setLanguage(await (Language ?? Parser.Language).load(load.resolve(`tree-sitter-wasms/out/tree-sitter-${lang}.wasm`)));
        parsers[lang] = p;
      } catch { /* skipped */ }
    }
  } catch { /* skipped */ }
  const languages = Object.keys(parsers);
  if (ts) languages.push("typescript");
  const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
  say({ languages });
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const { lang, path: file, text } = JSON.parse(line);
    let answer = { broken: true };
    try {
      answer = lang === "typescript" ? typescript(ts, file, text) : treeSitter(parsers[lang], lang, text);
    } catch (e) { process.stderr.write(`${file}: ${e.stack}\n`); }
    say(answer);
  }
})();
