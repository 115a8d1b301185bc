'use strict';
// Drives the extension against server.js, which lies in the project as the file "lsp": node runs it as sdd would run `sdd lsp`.
// Arguments: the extension's folder, the project.

const assert = require('assert');
const path = require('path');
const [extensionFolder, project] = process.argv.slice(2);
const vscode = require(path.join(extensionFolder, 'node_modules/vscode'));
const { Client } = require(path.join(extensionFolder, 'client.js'));
const extension = require(path.join(extensionFolder, 'extension.js'));
const packageJSON = require(path.join(extensionFolder, 'package.json'));
const { until, providers } = vscode;
const plain = value => JSON.parse(JSON.stringify(value));
const none = { onCancellationRequested: () => {} };
const start = new vscode.Position(0, 0);

function framing() {
  const received = [];
  const client = new Client('none', [], '.', () => ({}), { notified: (method, params) => received.push([method, params.x]) });
  const child = (client.child = { stdin: { write: () => {} } });
  client.buffer = Buffer.alloc(0);
  const frame = text => Buffer.concat([Buffer.from(`content-length: ${Buffer.byteLength(text)}\r\n\r\n`), Buffer.from(text)]);
  const all = Buffer.concat(['é漢', 'b'].map(x => frame(JSON.stringify({ jsonrpc: '2.0', method: 'm', params: { x } }))));
  for (const byte of all) client.read(child, Buffer.from([byte]));
  client.read(child, all);
  assert.deepStrictEqual(received, [['m', 'é漢'], ['m', 'b'], ['m', 'é漢'], ['m', 'b']]);
  assert.throws(() => client.read(child, Buffer.from('x: 1\r\n\r\n')), /without a length/);
  client.buffer = Buffer.alloc(0);
  assert.throws(() => client.read(child, Buffer.alloc(5000, 'x')), /no header/);
}

async function main() {
  framing();
  assert.deepStrictEqual(packageJSON.capabilities.untrustedWorkspaces.supported, false);
  assert.strictEqual(packageJSON.contributes.configuration.properties['sdd.path'].scope, 'machine');
  vscode.workspace.settings = { path: process.execPath };
  vscode.workspace.isTrusted = false;
  const below = path.join(project, 'below'); // .sdd lies above the folder of the workspace
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(below) }, { uri: vscode.Uri.file(project) },
    { uri: vscode.Uri.file(path.dirname(project)) }];
  const subscriptions = [];
  extension.activate({ extension: { packageJSON }, subscriptions });
  assert.deepStrictEqual(Object.keys(providers), [], 'an untrusted workspace starts nothing');
  const record = vscode.openDocument(path.join(project, '.sdd', 'facts', 'a b.md'), 'markdown', '# Top\nbelow\n');
  vscode.openDocument(path.join(project, 'image.png'), 'plaintext', '');
  vscode.workspace.isTrusted = true;
  vscode.events.onDidGrantWorkspaceTrust.fire();
  await until(() => providers.lens && vscode.diagnostics.size);
  const uri = record.uri.toString();
  const run = c => vscode.registered.get(c.command)(...c.arguments);
  const server = (command, ...args) => vscode.registered.get('sdd.execute')(project, command, args);

  const who = await server('fake.who');
  assert.deepStrictEqual([who.cwd, who.args], [require('fs').realpathSync(project), []]);
  assert.deepStrictEqual([...vscode.diagnostics.keys()], [uri], 'only files that the server reads are opened');
  const [found] = vscode.diagnostics.get(uri);
  assert.deepStrictEqual([found.message, found.severity, found.source, found.code], ['12 characters', 1, 'sdd', 'drifted']);
  assert.strictEqual(found.relatedInformation[0].message, 'here');

  record.edit(new vscode.Range(1, 0, 1, 5), 'über\n漢');
  record.edit(new vscode.Range(2, 0, 2, 1), '');
  assert.strictEqual(await server('fake.text', uri), record.getText());
  vscode.events.onDidSaveTextDocument.fire(record);
  await until(() => vscode.output.includes('saved\n'));

  const triggered = { triggerKind: 1, triggerCharacter: '#' };
  const items = await providers.completion.provider.provideCompletionItems(record, new vscode.Position(1, 3), none, triggered);
  assert.deepStrictEqual(providers.completion.more, ['#', '/']);
  assert.strictEqual(items.isIncomplete, true);
  const [first, second] = items.items;
  assert.deepStrictEqual(plain([first.label, first.kind, first.insertText, first.range, first.documentation]),
    ['fact-1', 17, { value: 'fact-1$0' }, { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } }, { value: '**x**' }]);
  assert.strictEqual(second.label, '#');
  assert.strictEqual((await run(second.command)).given, 1);

  const hover = await providers.hover.provider.provideHover(record, new vscode.Position(1, 0), none);
  assert.strictEqual(hover.contents.value, 'hover at 1');
  const [definition] = await providers.definition.provider.provideDefinition(record, start, none);
  assert.deepStrictEqual([definition.uri.toString(), definition.range.start.line], [uri, 3]);
  const [reference] = await providers.references.provider.provideReferences(record, start, { includeDeclaration: false }, none);
  assert.deepStrictEqual([reference.uri.toString(), reference.range.end.character], [uri, 4]);
  const [top] = await providers.symbols.provider.provideDocumentSymbols(record, none);
  assert.deepStrictEqual([top.name, top.kind, top.children[0].name], ['Top', 14, 'Below']);
  const [fold] = await providers.folding.provider.provideFoldingRanges(record, {}, none);
  assert.deepStrictEqual(plain(fold), { start: 0, end: 4, kind: 3 });

  const { provider: rename } = providers.rename;
  assert.strictEqual((await rename.prepareRename(record, start, none)).placeholder, 'Top');
  await assert.rejects(rename.prepareRename(record, new vscode.Position(1, 0), none), /nothing to rename/);
  const renamed = await rename.provideRenameEdits(record, start, 'New', none);
  assert.deepStrictEqual(renamed.all.map(e => e.text || e.to), ['New', uri + '.new.md']);
  await assert.rejects(rename.provideRenameEdits(record, start, 'taken', none), /the title is taken/);

  const context = { diagnostics: [vscode.diagnostics.get(uri)[0], { message: 'of another extension' }], triggerKind: 1 };
  const [affirm, command] = await providers.actions.provider.provideCodeActions(record, new vscode.Range(0, 0, 0, 0), context, none);
  assert.deepStrictEqual([affirm.title, affirm.kind.value, affirm.isPreferred, affirm.diagnostics.length], ['Affirm', 'quickfix', true, 1]);
  assert.deepStrictEqual(affirm.edit.all.map(e => [e.uri, e.text]), [['file:///a.md', '7']]);
  assert.strictEqual((await run(command)).given, 2);

  const [lens] = await providers.lens.provider.provideCodeLenses(record, none);
  assert.deepStrictEqual([lens.command.title, lens.command.command, lens.command.arguments[0].toString(), lens.command.arguments[1].character,
    lens.command.arguments[2][0].uri.toString()], ['2 decisions', 'editor.action.showReferences', 'file:///a.md', 2, 'file:///b.md']);

  let refreshed = 0;
  providers.lens.provider.onDidChangeCodeLenses(() => refreshed++);
  assert.deepStrictEqual(await server('fake.ask', uri),
    [{ applied: true }, { success: true }, null, { error: -32601 }]);
  assert.deepStrictEqual(vscode.applied[0].map(e => e.text), ['x']);
  assert.strictEqual(refreshed, 1);
  assert.deepStrictEqual(vscode.shown, [`document: ${uri}`]);

  // The server dies, and sends garbage: it starts again with the open documents, and at last no more.
  for (const bad of ['fake.die', 'fake.garbage', 'fake.die', 'fake.garbage']) {
    vscode.diagnostics.clear();
    await server(bad).catch(() => {});
    await until(() => vscode.diagnostics.size);
    assert.strictEqual(await server('fake.text', uri), record.getText());
  }
  assert.strictEqual(refreshed, 5);
  await server('fake.die').catch(() => {});
  await until(() => vscode.shown.some(s => /^error: sdd: the language server ended 5 times/.test(s)));
  assert.strictEqual(await providers.hover.provider.provideHover(record, start, none), undefined);
  await vscode.registered.get('sdd.restart')();
  await until(() => providers.hover && vscode.diagnostics.size);

  vscode.events.onDidCloseTextDocument.fire(record);
  await until(() => vscode.output.includes('closed\n'));
  const { pid } = await server('fake.who');
  await extension.deactivate();
  assert.throws(() => process.kill(pid, 0), /ESRCH/, 'the server has ended');
  assert.deepStrictEqual(Object.keys(providers), []);

  vscode.workspace.settings = { path: path.join(project, 'no such program') };
  await vscode.registered.get('sdd.restart')();
  await until(() => vscode.shown.some(s => /no such program does not start/.test(s)));
  await extension.deactivate();
  console.log('done');
}

main().catch(e => {
  console.error(e, vscode.output.join(''), vscode.shown);
  process.exit(1);
});
