'use strict';
// The part of VS Code's API that the extension uses: it keeps what is registered and shown, for drive.js.

const url = require('url');

// until resolves when condition, asked again after each call of the API, returns something.
const waiting = new Set();
const check = () => waiting.forEach(f => f());
const until = condition => new Promise(resolve => {
  const look = () => {
    const value = condition();
    if (value) {
      waiting.delete(look);
      resolve(value);
    }
  };
  waiting.add(look);
  look();
});

class EventEmitter {
  constructor() {
    this.listeners = [];
    this.event = f => {
      this.listeners.push(f);
      return { dispose: () => { this.listeners = this.listeners.filter(x => x !== f); } };
    };
  }
  fire(value) {
    this.listeners.forEach(f => f(value));
    check();
  }
  dispose() { this.listeners = []; }
}

class Uri {
  constructor(text) { this.text = text; }
  static parse(text) { return new Uri(new URL(text).href); }
  static file(path) { return new Uri(url.pathToFileURL(path).href); }
  get scheme() { return this.text.slice(0, this.text.indexOf(':')); }
  get fsPath() { return url.fileURLToPath(this.text); }
  toString() { return this.text; }
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(a, b, c, d) { Object.assign(this, { start: new Position(a, b), end: new Position(c, d) }); }
}
const keeps = (...names) => class { constructor(...values) { names.forEach((n, i) => { this[n] = values[i]; }); } };
class MarkdownString {
  constructor(value = '') { this.value = value; }
  appendText(text) { this.value += text.replace(/[*_`]/g, '\\$&'); return this; }
}
class WorkspaceEdit {
  constructor() { this.all = []; }
  replace(uri, range, text) { this.all.push({ uri: uri.toString(), range, text }); }
  createFile(uri) { this.all.push({ create: uri.toString() }); }
  renameFile(from, to) { this.all.push({ rename: from.toString(), to: to.toString() }); }
  deleteFile(uri) { this.all.push({ delete: uri.toString() }); }
}
class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); }
}
CodeActionKind.Empty = new CodeActionKind('');

const providers = {}; // by kind: {selector, provider, more}, the last one
const register = kind => (selector, provider, ...more) => {
  providers[kind] = { selector, provider, more };
  check();
  return { dispose: () => { delete providers[kind]; } };
};
const diagnostics = new Map();
const shown = []; // messages, as "error: text"
const output = [];
const applied = [];
const commands = new Map();
const events = {};
for (const name of ['onDidOpenTextDocument', 'onDidChangeTextDocument', 'onDidSaveTextDocument', 'onDidCloseTextDocument',
  'onDidGrantWorkspaceTrust', 'onDidChangeWorkspaceFolders']) events[name] = new EventEmitter();
const show = kind => async (text, ...choices) => {
  shown.push(`${kind}: ${text}`);
  check();
  return choices[0];
};

module.exports = {
  version: '1.0.0-stub',
  Position, Range, Uri, EventEmitter, MarkdownString, WorkspaceEdit, CodeActionKind,
  Location: keeps('uri', 'range'), TextEdit: keeps('range', 'newText'), CompletionItem: keeps('label', 'kind'),
  CompletionList: keeps('items', 'isIncomplete'), SnippetString: keeps('value'), Hover: keeps('contents', 'range'),
  DocumentSymbol: keeps('name', 'detail', 'kind', 'range', 'selectionRange'),
  Diagnostic: keeps('range', 'message', 'severity'),
  DiagnosticRelatedInformation: keeps('location', 'message'), CodeAction: keeps('title', 'kind'), CodeLens: keeps('range', 'command'),
  FoldingRange: keeps('start', 'end', 'kind'), RelativePattern: keeps('base', 'pattern'),
  languages: {
    match: ({ scheme, pattern }, { uri }) => (uri.scheme === scheme && uri.toString().startsWith(pattern.base.toString() + '/') &&
      pattern.pattern.slice('**/*.{'.length, -1).split(',').some(end => uri.toString().endsWith('.' + end)) ? 10 : 0),
    createDiagnosticCollection: () => ({
      set: (uri, all) => { diagnostics.set(uri.toString(), all); check(); },
      clear: () => diagnostics.clear(), dispose: () => diagnostics.clear(),
    }),
    registerCompletionItemProvider: register('completion'), registerHoverProvider: register('hover'),
    registerDefinitionProvider: register('definition'), registerReferenceProvider: register('references'),
    registerDocumentSymbolProvider: register('symbols'), registerRenameProvider: register('rename'),
    registerCodeActionsProvider: register('actions'), registerFoldingRangeProvider: register('folding'),
    registerCodeLensProvider: register('lens'),
  },
  workspace: {
    isTrusted: true, workspaceFolders: [], textDocuments: [], settings: {},
    getConfiguration: () => ({ get: key => module.exports.workspace.settings[key] }),
    applyEdit: async edit => { applied.push(edit.all); check(); return true; },
    ...Object.fromEntries(Object.entries(events).map(([name, e]) => [name, e.event])),
  },
  window: {
    createOutputChannel: () => {
      const add = text => { output.push(text); check(); };
      return { append: add, appendLine: text => add(text + '\n'), dispose: () => {} };
    },
    showErrorMessage: show('error'), showWarningMessage: show('warning'), showInformationMessage: show('information'),
    showTextDocument: async uri => { shown.push(`document: ${uri}`); check(); },
  },
  commands: {
    registerCommand: (name, run) => { commands.set(name, run); return { dispose: () => commands.delete(name) }; },
  },
  // What follows is for the test.
  providers, diagnostics, shown, output, applied, registered: commands, events, until,
  openDocument(path, languageId, text) {
    const lines = () => document.text.split('\n');
    const offset = p => lines().slice(0, p.line).join('\n').length + (p.line ? 1 : 0) + p.character;
    const document = {
      uri: Uri.file(path), languageId, version: 1, text, getText: () => document.text,
      edit(range, newText) {
        document.text = document.text.slice(0, offset(range.start)) + newText + document.text.slice(offset(range.end));
        document.version++;
        events.onDidChangeTextDocument.fire({ document, contentChanges: [{ range, text: newText }] });
      },
    };
    module.exports.workspace.textDocuments.push(document);
    events.onDidOpenTextDocument.fire(document);
    return document;
  },
};
