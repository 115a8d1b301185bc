'use strict';
// The extension starts `sdd lsp` for each project of the workspace that has a folder .sdd, and passes what VS Code asks on to it.

const vscode = require('vscode');
const fs = require('fs');
const path = require('path');
const { Client } = require('./client');

const servers = new Map(); // by the project's folder
let output, files;

// Of the protocol to VS Code.
const uri = text => vscode.Uri.parse(text);
const position = p => new vscode.Position(p.line, p.character);
const range = r => r && new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const list = value => (value ? [].concat(value) : []);
const markdown = ({ kind, value }) => (kind === 'plaintext' ? new vscode.MarkdownString().appendText(value) : new vscode.MarkdownString(value));
const location = l => new vscode.Location(uri(l.uri), range(l.range));
const symbol = s => {
  const out = new vscode.DocumentSymbol(s.name, s.detail || '', s.kind - 1, range(s.range), range(s.selectionRange));
  out.children = list(s.children).map(symbol);
  return out;
};
const workspaceEdit = e => {
  const out = new vscode.WorkspaceEdit();
  const replace = (at, edits) => edits.forEach(x => out.replace(uri(at), range(x.range), x.newText));
  for (const [at, edits] of Object.entries((!e.documentChanges && e.changes) || {})) replace(at, edits);
  for (const c of e.documentChanges || []) {
    if (c.kind === 'create') out.createFile(uri(c.uri), c.options);
    else if (c.kind === 'rename') out.renameFile(uri(c.oldUri), uri(c.newUri), c.options);
    else if (c.kind === 'delete') out.deleteFile(uri(c.uri), c.options);
    else replace(c.textDocument.uri, c.edits);
  }
  return out;
};
const diagnostic = d => {
  const out = new vscode.Diagnostic(range(d.range), d.message, (d.severity || 1) - 1);
  Object.assign(out, { code: d.code, source: d.source, tags: d.tags, sent: d });
  out.relatedInformation = list(d.relatedInformation).map(r => new vscode.DiagnosticRelatedInformation(location(r.location), r.message));
  return out;
};

// Of VS Code to the protocol.
const sentPosition = p => ({ line: p.line, character: p.character });
const sentRange = r => ({ start: sentPosition(r.start), end: sentPosition(r.end) });
const named = document => ({ textDocument: { uri: document.uri.toString() } });
const at = (document, p) => ({ ...named(document), position: sentPosition(p) });

// Server is the language server of one project.
class Server {
  constructor(folder) {
    this.folder = folder;
    this.selector = { scheme: 'file', pattern: new vscode.RelativePattern(vscode.Uri.file(folder), files) };
    this.diagnostics = vscode.languages.createDiagnosticCollection('sdd');
    this.lensesChanged = new vscode.EventEmitter();
    this.disposables = [this.diagnostics, this.lensesChanged];
    this.client = new Client(vscode.workspace.getConfiguration('sdd').get('path') || 'sdd', ['lsp'], folder, () => this.hello(), {
      ready: result => this.ready(result.capabilities),
      notified: (method, params) => this.notified(method, params),
      asked: (method, params) => this.asked(method, params),
      failed: text => {
        this.diagnostics.clear();
        vscode.window.showErrorMessage(`sdd: ${text} (the output "sdd" has more; "sdd: Restart the Language Server" tries again)`);
      },
      log: text => output.append(text.endsWith('\n') ? text : text + '\n'),
    });
    this.client.start();
  }

  hello() {
    const root = vscode.Uri.file(this.folder).toString();
    return {
      processId: process.pid, clientInfo: { name: 'VS Code', version: vscode.version }, rootUri: root,
      workspaceFolders: [{ uri: root, name: path.basename(this.folder) }], initializationOptions: { showRecords: true },
      capabilities: {
        general: { positionEncodings: ['utf-16'] },
        workspace: {
          applyEdit: true, codeLens: { refreshSupport: true },
          workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] },
        },
        window: { showDocument: { support: true } },
        textDocument: {
          synchronization: { didSave: true }, publishDiagnostics: { relatedInformation: true, dataSupport: true },
          completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown', 'plaintext'] } },
          hover: { contentFormat: ['markdown', 'plaintext'] }, definition: {}, references: {}, codeLens: {},
          documentSymbol: { hierarchicalDocumentSymbolSupport: true }, rename: { prepareSupport: true }, foldingRange: { lineFoldingOnly: true },
          codeAction: {
            codeActionLiteralSupport: { codeActionKind: { valueSet: ['', 'quickfix', 'refactor', 'source'] } },
            isPreferredSupport: true, disabledSupport: true, dataSupport: true,
          },
        },
      },
    };
  }

  // ready follows each start of the server; the first one registers what it can do.
  ready(can) {
    const registered = this.can;
    this.can = can;
    const sync = typeof can.textDocumentSync === 'object' ? can.textDocumentSync.change : can.textDocumentSync;
    this.incremental = sync === 2;
    this.commands = (can.executeCommandProvider || {}).commands || [];
    this.diagnostics.clear();
    this.opened = new Set();
    vscode.workspace.textDocuments.forEach(d => this.open(d));
    if (registered) this.lensesChanged.fire();
    else this.register(can);
  }

  open(document) {
    const name = document.uri.toString();
    if (!this.client.running || this.opened.has(name) || !vscode.languages.match(this.selector, document)) return;
    this.opened.add(name);
    const textDocument = { uri: name, languageId: document.languageId, version: document.version, text: document.getText() };
    this.client.notify('textDocument/didOpen', { textDocument });
  }

  has(document) { return this.client.running && this.opened.has(document.uri.toString()); }

  change({ document, contentChanges }) {
    if (!this.has(document) || contentChanges.length === 0) return;
    const changes = this.incremental ? contentChanges.map(c => ({ range: sentRange(c.range), text: c.text })) : [{ text: document.getText() }];
    const textDocument = { uri: document.uri.toString(), version: document.version };
    this.client.notify('textDocument/didChange', { textDocument, contentChanges: changes });
  }

  save(document) { if (this.has(document)) this.client.notify('textDocument/didSave', named(document)); }

  close(document) {
    if (!this.has(document)) return;
    this.opened.delete(document.uri.toString());
    this.client.notify('textDocument/didClose', named(document));
  }

  // ask returns undefined where the server has no answer: VS Code then shows that of others.
  async ask(method, params, token) {
    if (!this.client.running) return undefined;
    try {
      return (await this.client.request(method, params, token)) || undefined;
    } catch (e) {
      if (e.code !== -32800 && e.code !== -32801) output.appendLine(`${method}: ${e.message}`); // cancelled, content modified
      return undefined;
    }
  }

  register(can) {
    const { languages } = vscode;
    const add = (provided, make) => { if (provided) this.disposables.push(make(provided)); };
    const doc = name => `textDocument/${name}`;
    add(can.completionProvider, p => languages.registerCompletionItemProvider(this.selector, {
      provideCompletionItems: async (d, pos, token, context) => {
        const triggered = { triggerKind: context.triggerKind + 1, triggerCharacter: context.triggerCharacter };
        const found = await this.ask(doc('completion'), { ...at(d, pos), context: triggered }, token);
        return found && new vscode.CompletionList(list(found.items || found).map(i => this.item(i)), found.isIncomplete || false);
      },
    }, ...(p.triggerCharacters || [])));
    add(can.hoverProvider, () => languages.registerHoverProvider(this.selector, {
      provideHover: async (d, pos, token) => {
        const found = await this.ask(doc('hover'), at(d, pos), token);
        return found && new vscode.Hover(markdown(found.contents), range(found.range));
      },
    }));
    add(can.definitionProvider, () => languages.registerDefinitionProvider(this.selector, {
      provideDefinition: async (d, pos, token) => list(await this.ask(doc('definition'), at(d, pos), token)).map(location),
    }));
    add(can.referencesProvider, () => languages.registerReferenceProvider(this.selector, {
      provideReferences: async (d, pos, context, token) => list(await this.ask(doc('references'),
        { ...at(d, pos), context: { includeDeclaration: context.includeDeclaration } }, token)).map(location),
    }));
    add(can.documentSymbolProvider, () => languages.registerDocumentSymbolProvider(this.selector, {
      provideDocumentSymbols: async (d, token) => list(await this.ask(doc('documentSymbol'), named(d), token)).map(symbol),
    }));
    add(can.renameProvider, p => languages.registerRenameProvider(this.selector, {
      // The server's error is the message for the user.
      provideRenameEdits: async (d, pos, newName, token) => {
        const edit = await this.client.request(doc('rename'), { ...at(d, pos), newName }, token);
        return edit ? workspaceEdit(edit) : undefined;
      },
      prepareRename: p.prepareProvider && (async (d, pos, token) => {
        const found = await this.client.request(doc('prepareRename'), at(d, pos), token);
        if (!found) throw new Error('there is nothing to rename here');
        return { range: range(found.range), placeholder: found.placeholder };
      }),
    }));
    add(can.codeActionProvider, () => languages.registerCodeActionsProvider(this.selector, {
      provideCodeActions: async (d, r, context, token) => list(await this.ask(doc('codeAction'), { ...named(d), range: sentRange(r), context: {
        diagnostics: context.diagnostics.filter(x => x.sent).map(x => x.sent), only: context.only && [context.only.value],
        triggerKind: context.triggerKind,
      } }, token)).map(a => this.action(a)),
    }));
    add(can.foldingRangeProvider, () => languages.registerFoldingRangeProvider(this.selector, {
      provideFoldingRanges: async (d, context, token) => list(await this.ask(doc('foldingRange'), named(d), token)).map(f =>
        new vscode.FoldingRange(f.startLine, f.endLine, { comment: 1, imports: 2, region: 3 }[f.kind])),
    }));
    add(can.codeLensProvider, () => languages.registerCodeLensProvider(this.selector, {
      onDidChangeCodeLenses: this.lensesChanged.event,
      provideCodeLenses: async (d, token) => list(await this.ask(doc('codeLens'), named(d), token)).map(l =>
        new vscode.CodeLens(range(l.range), this.command(l.command))),
    }));
  }

  item(i) {
    const out = new vscode.CompletionItem(i.label, i.kind && i.kind - 1);
    for (const key of ['detail', 'sortText', 'filterText', 'preselect', 'tags', 'commitCharacters']) if (i[key]) out[key] = i[key];
    const text = i.textEdit ? i.textEdit.newText : i.insertText || i.label;
    out.insertText = i.insertTextFormat === 2 ? new vscode.SnippetString(text) : text;
    if (i.textEdit) out.range = range(i.textEdit.range);
    if (i.documentation) out.documentation = markdown(i.documentation);
    out.additionalTextEdits = list(i.additionalTextEdits).map(e => new vscode.TextEdit(range(e.range), e.newText));
    return Object.assign(out, { command: this.command(i.command) });
  }

  action(a) {
    if (typeof a.command === 'string') return this.command(a);
    const out = new vscode.CodeAction(a.title, a.kind && vscode.CodeActionKind.Empty.append(a.kind));
    Object.assign(out, { isPreferred: a.isPreferred, disabled: a.disabled, command: this.command(a.command) });
    if (a.edit) out.edit = workspaceEdit(a.edit);
    if (a.diagnostics) out.diagnostics = a.diagnostics.map(diagnostic);
    return out;
  }

  // command turns a command of the server into one of VS Code: the server runs its own, VS Code lists places.
  command(c) {
    if (!c) return undefined;
    const { title, command, arguments: args = [] } = c;
    if (this.commands.includes(command)) return { title, command: 'sdd.execute', arguments: [this.folder, command, args] };
    if (command !== 'sdd.showRecords') return { title, command, arguments: args };
    return { title, command: 'editor.action.showReferences', arguments: [uri(args[0]), position(args[1]), args[2].map(location)] };
  }

  notified(method, params) {
    if (method === 'textDocument/publishDiagnostics') this.diagnostics.set(uri(params.uri), params.diagnostics.map(diagnostic));
    if (method === 'window/logMessage') output.appendLine(params.message);
    if (method === 'window/showMessage') {
      const { window } = vscode;
      const show = { 1: window.showErrorMessage, 2: window.showWarningMessage }[params.type] || window.showInformationMessage;
      show(`sdd: ${params.message}`);
    }
  }

  async asked(method, params) {
    switch (method) {
      case 'workspace/applyEdit': return { applied: await vscode.workspace.applyEdit(workspaceEdit(params.edit)) };
      case 'workspace/codeLens/refresh': return this.lensesChanged.fire();
      case 'window/showDocument':
        await vscode.window.showTextDocument(uri(params.uri), { selection: range(params.selection) });
        return { success: true };
      default: throw Object.assign(new Error(`${method} is not known`), { code: -32601 });
    }
  }

  async stop() {
    this.disposables.forEach(d => d.dispose());
    await this.client.stop();
  }
}

// projectOf returns the nearest folder at or above one that has a .sdd, undefined for none.
function projectOf(folder) {
  for (let dir = folder; ; dir = path.dirname(dir)) {
    if (fs.existsSync(path.join(dir, '.sdd'))) return dir;
    if (dir === path.dirname(dir)) return undefined;
  }
}

// startAll starts the servers that are missing. An untrusted workspace has none.
function startAll() {
  if (!vscode.workspace.isTrusted) return;
  for (const { uri: { scheme, fsPath } } of vscode.workspace.workspaceFolders || []) {
    const folder = scheme === 'file' ? projectOf(fsPath) : undefined;
    if (folder && !servers.has(folder)) servers.set(folder, new Server(folder));
  }
}

async function stopAll() {
  const all = [...servers.values()];
  servers.clear();
  await Promise.all(all.map(s => s.stop()));
}

async function restart() {
  await stopAll();
  startAll();
}

function activate(context) {
  output = vscode.window.createOutputChannel('sdd');
  files = context.extension.packageJSON.sddFiles;
  const each = method => event => servers.forEach(s => s[method](event));
  const { workspace, commands } = vscode;
  context.subscriptions.push(output,
    commands.registerCommand('sdd.restart', restart),
    commands.registerCommand('sdd.execute', (folder, command, args) =>
      servers.get(folder).client.request('workspace/executeCommand', { command, arguments: args })),
    workspace.onDidOpenTextDocument(each('open')), workspace.onDidChangeTextDocument(each('change')),
    workspace.onDidSaveTextDocument(each('save')), workspace.onDidCloseTextDocument(each('close')),
    workspace.onDidGrantWorkspaceTrust(startAll), workspace.onDidChangeWorkspaceFolders(restart));
  startAll();
}

module.exports = { activate, deactivate: stopAll };
