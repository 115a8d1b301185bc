'use strict';
// Drives the extension against sdd lsp. A feature that the server does not announce is left out, and named.
// Arguments: the extension's folder, the project, the program.

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const [extensionFolder, project, program] = process.argv.slice(2);
const vscode = require(path.join(extensionFolder, 'node_modules/vscode'));
const extension = require(path.join(extensionFolder, 'extension.js'));
const packageJSON = require(path.join(extensionFolder, 'package.json'));
const { until, providers, diagnostics } = vscode;
const none = { onCancellationRequested: () => {} };

function open(name, language) {
  const file = path.join(project, name);
  return vscode.openDocument(file, language, fs.readFileSync(file, 'utf8'));
}

// find returns the position of a text in a document, behind its part before "|".
function find(document, text) {
  const at = document.text.indexOf(text.replace('|', '')) + text.indexOf('|');
  const before = document.text.slice(0, at).split('\n');
  return new vscode.Position(before.length - 1, before.at(-1).length);
}

// file is the path of a location's file, as Windows compares it.
const file = uri => path.normalize(uri.fsPath).toLowerCase();

async function main() {
  vscode.workspace.settings = { path: program };
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(project) }];
  extension.activate({ extension: { packageJSON }, subscriptions: [] });
  const record = open('.sdd/decisions/use-go.md', 'markdown');
  const code = open('main.go', 'go');
  await until(() => Object.keys(providers).length || vscode.shown.length);
  const missing = [];
  const feature = async (name, drive) => (providers[name] ? drive(providers[name].provider) : missing.push(name));

  await feature('hover', async p => {
    const { value } = (await p.provideHover(code, find(code, 'func ma|in'), none)).contents;
    assert.match(value, /Use Go/);
  });
  await feature('definition', async p => {
    const [place] = await p.provideDefinition(record, find(record, 'code_ref: main.go#ma|in'), none);
    assert.deepStrictEqual([file(place.uri), place.range.start.line], [file(code.uri), 2]);
  });
  await feature('references', async p => {
    const found = await p.provideReferences(code, find(code, 'func ma|in'), { includeDeclaration: false }, none);
    assert.ok(found.some(l => file(l.uri) === file(record.uri)));
  });
  await feature('symbols', async p => {
    const all = JSON.stringify(await p.provideDocumentSymbols(record, none));
    assert.match(all, /"name":"Decision Outcome"/);
  });
  await feature('folding', async p => assert.ok((await p.provideFoldingRanges(record, {}, none)).length > 1));
  await feature('completion', async p => {
    record.edit(new vscode.Range(...end(record), ...end(record)), '\nSee decision/use');
    const found = await p.provideCompletionItems(record, new vscode.Position(...end(record)), none, { triggerKind: 0 });
    const item = found.items.find(i => JSON.stringify(i).includes('use-c'));
    assert.ok(item, JSON.stringify(found.items.map(i => i.label)));
  });
  await feature('lens', async p => {
    const lens = (await p.provideCodeLenses(code, none)).find(l => l.range.start.line === 2);
    assert.strictEqual(lens.command.title, '1 decision');
    const [uri, position, places] = lens.command.arguments;
    assert.deepStrictEqual([lens.command.command, file(uri), position.line, file(places[0].uri)],
      ['editor.action.showReferences', file(code.uri), 2, file(record.uri)]);
  });
  await feature('rename', async p => {
    const at = find(record, 'title: |Use Go');
    assert.strictEqual((await p.prepareRename(record, at, none)).placeholder, 'Use Go');
    const edit = await p.provideRenameEdits(record, at, 'Use Rust', none);
    assert.ok(edit.all.some(e => /Use Rust/.test(e.text)), JSON.stringify(edit.all));
    await assert.rejects(p.prepareRename(record, find(record, 'We u|se Go'), none));
  });

  // What is typed counts before it is saved: a link that leads nowhere is found, and goes again.
  const uri = record.uri.toString();
  const found = () => (diagnostics.get(uri) || []).filter(d => /nowhere/.test(d.message) || /nowhere/.test(record.text.split('\n')[d.range.start.line]));
  record.edit(new vscode.Range(...end(record), ...end(record)), '\n\nSee [this](../explore/nowhere.md).\n');
  const [broken] = await until(() => (found().length ? found() : undefined));
  assert.strictEqual(broken.source, 'sdd');
  await feature('actions', async p => {
    const actions = await p.provideCodeActions(record, broken.range, { diagnostics: [broken], triggerKind: 1 }, none);
    assert.ok(actions.length && actions.every(a => a.edit || a.command), JSON.stringify(actions));
  });
  const from = find(record, '|\n\nSee [this]');
  record.edit(new vscode.Range(from.line, from.character, ...end(record)), '\n');
  await until(() => found().length === 0);

  await extension.deactivate();
  assert.deepStrictEqual(vscode.shown, []);
  if (missing.length) console.log('not announced by sdd lsp:', missing.join(', '));
  console.log('done');
}

function end(document) {
  const lines = document.text.split('\n');
  return [lines.length - 1, lines.at(-1).length];
}

main().catch(e => {
  console.error(e, vscode.output.join(''), vscode.shown);
  process.exit(1);
});
