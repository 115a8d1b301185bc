'use strict';
// A language server with an answer for each request that the extension may send. Its commands die, send garbage and ask back.

const texts = new Map(); // by uri: as the server has it
const answers = new Map(); // of the client, by id
let buffer = Buffer.alloc(0);
let next = 1;

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n`);
  process.stdout.write(body);
}
const ask = (method, params) => new Promise(resolve => {
  answers.set(`s${next}`, resolve);
  send({ id: `s${next++}`, method, params });
});
const range = (a, b, c, d) => ({ start: { line: a, character: b }, end: { line: c, character: d } });

function offset(text, p) {
  const lines = text.split('\n');
  return lines.slice(0, p.line).join('\n').length + (p.line ? 1 : 0) + p.character;
}

function publish(uri) {
  const text = texts.get(uri);
  const diagnostics = [{
    range: range(0, 0, 0, 3), severity: 2, code: 'drifted', source: 'sdd', message: `${text.length} characters`, data: { id: 7 },
    relatedInformation: [{ location: { uri, range: range(1, 0, 1, 1) }, message: 'here' }],
  }];
  send({ method: 'textDocument/publishDiagnostics', params: { uri, diagnostics } });
}

const capabilities = {
  textDocumentSync: { openClose: true, change: 2, save: true }, completionProvider: { triggerCharacters: ['#', '/'] },
  hoverProvider: true, definitionProvider: true, referencesProvider: true, documentSymbolProvider: true,
  renameProvider: { prepareProvider: true }, codeActionProvider: true, foldingRangeProvider: true,
  codeLensProvider: {},
  executeCommandProvider: { commands: ['fake.text', 'fake.die', 'fake.garbage', 'fake.ask', 'fake.who'] },
};

const handlers = {
  initialize: p => ({ capabilities, asked: p }),
  shutdown: () => null,
  'textDocument/completion': p => ({
    isIncomplete: true,
    items: [
      { label: 'fact-1', kind: 18, detail: 'a fact', documentation: { kind: 'markdown', value: '**x**' }, insertTextFormat: 2, data: 1,
        textEdit: { range: range(p.position.line, 0, p.position.line, p.position.character), newText: 'fact-1$0' } },
      { label: p.context.triggerCharacter || 'none', command: { title: 'Who', command: 'fake.who', arguments: [1] } },
    ],
  }),
  'textDocument/hover': p => ({ contents: { kind: 'markdown', value: `hover at ${p.position.line}` }, range: range(0, 0, 0, 1) }),
  'textDocument/definition': p => ({ uri: p.textDocument.uri, range: range(3, 1, 3, 2) }),
  'textDocument/references': p => [{ uri: p.textDocument.uri, range: range(1, 0, 1, 4) }],
  'textDocument/documentSymbol': () => [{ name: 'Top', kind: 15, range: range(0, 0, 9, 0), selectionRange: range(0, 0, 0, 3),
    children: [{ name: 'Below', kind: 15, range: range(1, 0, 2, 0), selectionRange: range(1, 0, 1, 5) }] }],
  'textDocument/prepareRename': p => (p.position.line ? null : { range: range(0, 2, 0, 5), placeholder: 'Top' }),
  'textDocument/rename': p => {
    if (p.newName === 'taken') throw new Error('the title is taken');
    return { documentChanges: [
      { textDocument: { uri: p.textDocument.uri, version: 1 }, edits: [{ range: range(0, 2, 0, 5), newText: p.newName }] },
      { kind: 'rename', oldUri: p.textDocument.uri, newUri: p.textDocument.uri + '.new.md' },
    ] };
  },
  'textDocument/codeAction': p => [
    { title: 'Affirm', kind: 'quickfix', isPreferred: true, diagnostics: p.context.diagnostics,
      edit: { changes: { 'file:///a.md': [{ range: range(0, 0, 0, 0), newText: String(p.context.diagnostics.map(d => d.data.id)) }] } } },
    { title: 'Who', command: 'fake.who', arguments: [2] },
  ],
  'textDocument/foldingRange': () => [{ startLine: 0, endLine: 4, kind: 'region' }],
  'textDocument/codeLens': () => [{ range: range(2, 0, 2, 1), command: { title: '2 decisions', command: 'sdd.showRecords',
    arguments: ['file:///a.md', { line: 1, character: 2 }, [{ uri: 'file:///b.md', range: range(0, 0, 0, 1) }]] } }],
  'workspace/executeCommand': async ({ command, arguments: [uri] }) => {
    switch (command) {
      case 'fake.text': return texts.get(uri);
      case 'fake.who': return { pid: process.pid, cwd: process.cwd(), args: process.argv.slice(2), given: uri };
      case 'fake.die': return process.exit(3);
      case 'fake.garbage': return process.stdout.write('no header at all\r\n\r\n') && undefined;
      default: return [
        await ask('workspace/applyEdit', { edit: { changes: { [uri]: [{ range: range(0, 0, 0, 0), newText: 'x' }] } } }),
        await ask('window/showDocument', { uri }), await ask('workspace/codeLens/refresh'), await ask('no/such'),
      ];
    }
  },
};

const notified = {
  'textDocument/didOpen': ({ textDocument: d }) => { texts.set(d.uri, d.text); publish(d.uri); },
  'textDocument/didChange': ({ textDocument: { uri }, contentChanges }) => {
    let text = texts.get(uri);
    for (const c of contentChanges) text = text.slice(0, offset(text, c.range.start)) + c.text + text.slice(offset(text, c.range.end));
    texts.set(uri, text);
    publish(uri);
  },
  'textDocument/didSave': () => send({ method: 'window/logMessage', params: { type: 3, message: 'saved' } }),
  'textDocument/didClose': ({ textDocument: d }) => { texts.delete(d.uri); send({ method: 'window/logMessage', params: { type: 3, message: 'closed' } }); },
  exit: () => process.exit(0),
};

process.stdin.on('data', async data => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const head = buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const end = head + 4 + Number(/Content-Length: (\d+)/.exec(buffer.toString('latin1', 0, head))[1]);
    if (buffer.length < end) return;
    const { id, method, params, result, error } = JSON.parse(buffer.toString('utf8', head + 4, end));
    buffer = buffer.subarray(end);
    if (method === undefined) answers.get(id)(error ? { error: error.code } : result);
    else if (id === undefined) (notified[method] || (() => {}))(params);
    else Promise.resolve().then(() => handlers[method](params)).then(r => send({ id, result: r === undefined ? null : r }),
      e => send({ id, error: { code: -32803, message: e.message } }));
  }
});
process.stdin.on('end', () => process.exit(1));
