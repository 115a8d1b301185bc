// Drives `sdd lsp` through the libraries of VS Code's client: vscode-languageserver-protocol, which vscode-languageclient is made of.
// The working directory is the project. Every line is a feature and what the client got.
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL, fileURLToPath } = require('node:url')
const lsp = require('vscode-languageserver-protocol/node')

const root = process.cwd()
const uri = file => pathToFileURL(path.join(root, file)).toString()
const rel = uri => path.relative(root, fileURLToPath(uri)).split(path.sep).join('/')
const tell = (what, value) => console.log(what + ' ' + (typeof value === 'string' ? value : JSON.stringify(value)))
const texts = {}

async function main() {
  const server = spawn('sdd', ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise(done => server.on('exit', done))
  const c = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin))
  const pushed = new Map()
  let wake = () => {}
  c.onNotification(lsp.PublishDiagnosticsNotification.type, p => { pushed.set(p.uri, p); wake() })
  c.onRequest(lsp.CodeLensRefreshRequest.type, () => null)
  const messages = []
  c.onNotification(lsp.ShowMessageNotification.type, m => { messages.push(m.message); wake() })
  c.listen()
  const until = async test => { while (!test()) await new Promise(done => { wake = done }) }
  const started = await c.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid, rootUri: pathToFileURL(root).toString(),
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] }, codeLens: { refreshSupport: true } },
    },
  })
  tell('encoding', started.capabilities.positionEncoding)
  await c.sendNotification(lsp.InitializedNotification.type, {})
  const open = async file => {
    texts[file] = fs.readFileSync(file, 'utf8')
    await c.sendNotification(lsp.DidOpenTextDocumentNotification.type,
      { textDocument: { uri: uri(file), languageId: 'markdown', version: 1, text: texts[file] } })
  }
  const at = (file, text, plus = 0) => {
    const i = texts[file].indexOf(text) + plus
    const before = texts[file].slice(0, i).split('\n')
    return { textDocument: { uri: uri(file) }, position: { line: before.length - 1, character: before.at(-1).length } }
  }
  const places = list => (list || []).map(l => rel(l.uri) + ':' + l.range.start.line)
  const doc = '.sdd/decisions/use-go.md'
  await open(doc)
  await until(() => pushed.get(uri(doc))?.diagnostics.length === 1)
  const d = pushed.get(uri(doc)).diagnostics[0]
  tell('diagnostic', [d.code, d.range.start.line, d.severity])
  const here = at(doc, 'Accepted')
  const actions = await c.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: here.textDocument, range: { start: here.position, end: here.position }, context: { diagnostics: [d] },
  })
  for (const a of actions) tell('action', a.title)
  const fix = actions.find(a => a.kind === 'quickfix').edit.changes[uri(doc)][0]
  await c.sendNotification(lsp.DidChangeTextDocumentNotification.type,
    { textDocument: { uri: uri(doc), version: 2 }, contentChanges: [{ range: fix.range, text: fix.newText }] })
  await until(() => pushed.get(uri(doc)).version === 2)
  tell('corrected', pushed.get(uri(doc)).diagnostics)
  const hover = await c.sendRequest(lsp.HoverRequest.type, at(doc, 'explore/lang', 10))
  tell('hover', hover.contents.value.split('\n')[0])
  tell('definition', places(await c.sendRequest(lsp.DefinitionRequest.type, at(doc, 'explore/lang', 10))))
  tell('references', places(await c.sendRequest(lsp.ReferencesRequest.type,
    { ...at(doc, 'explore/lang', 10), context: { includeDeclaration: true } })))
  tell('definition', places(await c.sendRequest(lsp.DefinitionRequest.type, at(doc, 'main.go#main', 9))))
  tell('symbols', (await c.sendRequest(lsp.DocumentSymbolRequest.type, at(doc, 'Go'))).map(s => s.name))
  tell('folds', (await c.sendRequest(lsp.FoldingRangeRequest.type, at(doc, 'Go'))).length)
  const offered = await c.sendRequest(lsp.CompletionRequest.type, at(doc, 'explore/lang', 9))
  tell('completion', offered.items.map(i => i.label))
  const title = '.sdd/explore/languages.md'
  await open(title)
  tell('renamed', (await c.sendRequest(lsp.PrepareRenameRequest.type, at(title, 'Languages'))).placeholder)
  const renamed = await c.sendRequest(lsp.RenameRequest.type, { ...at(title, 'Languages'), newName: 'Which languages' })
  tell('rename', Object.entries(renamed.changes).sort().map(([u, e]) => [rel(u), e.map(x => x.newText)]))
  await open('main.go')
  const [lens] = await c.sendRequest(lsp.CodeLensRequest.type, at('main.go', 'func'))
  tell('lens', [lens.command.title, lens.range.start.line])
  await c.sendRequest(lsp.ExecuteCommandRequest.type, { command: lens.command.command, arguments: lens.command.arguments })
  await until(() => messages.length > 0)
  tell('shown', messages[0])
  try {
    await c.sendRequest('textDocument/nonsense', {})
  } catch (e) {
    tell('unknown', String(e.code))
  }
  await c.sendRequest(lsp.ShutdownRequest.type)
  await c.sendNotification(lsp.ExitNotification.type)
  tell('stopped', String(await ended))
}

main().catch(e => { console.log('FAILED ' + e.stack); process.exit(1) })
