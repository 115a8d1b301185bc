-- Drives `sdd lsp` through Neovim's own client, from version 0.7 on. Every line of the result is a feature and what the editor got. The working directory is the project.
local out = {}
local function tell(what, value)
  table.insert(out, what .. ' ' .. (type(value) == 'string' and value or (vim.json.encode(value):gsub('\\/', '/'))))
end
local patience = 60000

local function main()
  vim.o.hidden = true
  local root = vim.fn.getcwd()
  local shown
  vim.lsp.commands['sdd.showRecords'] = function(c) shown = c.title .. ': ' .. #c.arguments[3] end
  local id = assert(vim.lsp.start_client({
    name = 'sdd', cmd = { 'sdd', 'lsp' }, root_dir = root, init_options = { showRecords = true },
  }))
  assert(vim.wait(patience, function()
    local c = vim.lsp.get_client_by_id(id)
    return c and c.initialized
  end, 5), 'not initialized')
  local client = vim.lsp.get_client_by_id(id)
  tell('encoding', client.offset_encoding)

  local function edit(file)
    vim.cmd('edit ' .. vim.fn.fnameescape(file))
    vim.lsp.buf_attach_client(0, id)
    return vim.api.nvim_get_current_buf()
  end
  -- at puts the cursor on a text of the buffer.
  local function at(text, plus)
    vim.api.nvim_win_set_cursor(0, { 1, 0 })
    assert(vim.fn.search('\\V' .. text, 'cW') > 0, 'no ' .. text)
    local c = vim.api.nvim_win_get_cursor(0)
    vim.api.nvim_win_set_cursor(0, { c[1], c[2] + (plus or 0) })
  end
  local function request(method, extra)
    local p = vim.lsp.util.make_position_params(0, client.offset_encoding)
    p.range = { start = p.position, ['end'] = p.position }
    p.context = { includeDeclaration = true, diagnostics = {} }
    for k, v in pairs(extra or {}) do p[k] = v end
    local r = assert(client.request_sync('textDocument/' .. method, p, patience, vim.api.nvim_get_current_buf()))
    return r.result, r.err
  end
  local function rel(uri) return (vim.uri_to_fname(uri):gsub('^' .. vim.pesc(root) .. '/', '')) end
  local function places(list)
    local all = {}
    for _, l in ipairs(list or {}) do table.insert(all, rel(l.uri) .. ':' .. l.range.start.line) end
    return all
  end
  local function wait_diagnostics(buf, n)
    assert(vim.wait(patience, function() return #vim.diagnostic.get(buf) == n end, 5),
      'diagnostics: ' .. vim.inspect(vim.diagnostic.get(buf)))
  end

  local buf = edit('.sdd/decisions/use-go.md')
  wait_diagnostics(buf, 1)
  local d = vim.diagnostic.get(buf)[1]
  tell('diagnostic', { d.code, d.lnum, d.severity })
  at('Accepted')
  for _, a in ipairs(request('codeAction')) do
    tell('action', a.title)
    if a.title:find('Set status', 1, true) then vim.lsp.util.apply_workspace_edit(a.edit, client.offset_encoding) end
  end
  tell('corrected', vim.api.nvim_buf_get_lines(buf, 2, 3, false)[1])
  wait_diagnostics(buf, 0)

  at('explore/lang', 10)
  tell('hover', vim.split(request('hover').contents.value, '\n')[1])
  tell('definition', places(request('definition')))
  tell('references', places(request('references')))
  at('main.go#main', 9)
  tell('definition', places(request('definition')))
  tell('symbols', vim.tbl_map(function(s) return s.name end, request('documentSymbol')))
  tell('folds', #request('foldingRange'))

  at('Go it is')
  vim.api.nvim_put({ 'see sdd://explore/l' }, 'l', false, true)
  at('see sdd://explore/l', 19)
  vim.api.nvim_win_set_cursor(0, { vim.fn.line('.'), 19 })
  tell('completion', vim.tbl_map(function(i) return i.label end, request('completion').items))
  vim.cmd('undo')

  -- A rename changes the texts of both records; neither is on disk before it is saved.
  edit('.sdd/explore/languages.md')
  at('Languages')
  local p = request('prepareRename')
  tell('renamed', p.placeholder)
  vim.lsp.util.apply_workspace_edit(request('rename', { newName = 'Which languages' }), client.offset_encoding)
  tell('title', vim.api.nvim_buf_get_lines(0, 1, 2, false)[1])
  tell('link', vim.fn.getbufline(buf, 1, '$')[5])
  vim.cmd('silent wall')
  assert(vim.wait(patience, function()
    local r = client.request_sync('textDocument/hover', {
      textDocument = vim.lsp.util.make_text_document_params(buf), position = { line = 4, character = 20 },
    }, patience, buf)
    return r and type(r.result) == 'table' and r.result.contents.value:find('Which languages', 1, true)
  end, 20), 'the new id is not known')

  local code = edit('main.go')
  vim.lsp.codelens.refresh()
  assert(vim.wait(patience, function() return #vim.lsp.codelens.get(code) > 0 end, 5), 'no lens')
  local l = vim.lsp.codelens.get(code)[1]
  tell('lens', { l.command.title, l.range.start.line })
  at('func main')
  vim.lsp.codelens.run()
  assert(vim.wait(patience, function() return shown ~= nil end, 5), 'the lens did nothing')
  tell('shown', shown)
  tell('hover', vim.split(request('hover').contents.value, '\n')[1])
  tell('references', places(request('references')))

  -- A successor is a new record, and the old one says so.
  vim.cmd('buffer ' .. buf)
  for _, a in ipairs(request('codeAction')) do
    if a.title:find('Supersede', 1, true) then vim.lsp.util.apply_workspace_edit(a.edit, client.offset_encoding) end
  end
  vim.cmd('silent wall')
  tell('superseded', vim.fn.getbufline(buf, 3)[1])
  tell('successor', vim.fn.readfile('.sdd/decisions/use-go-revised.md')[6])

  client.stop()
  assert(vim.wait(patience, function() return vim.lsp.client_is_stopped(id) end, 5), 'the server does not end')
  tell('stopped', 'yes')
end

local ok, err = pcall(main)
if not ok then table.insert(out, 'FAILED ' .. tostring(err)) end
vim.fn.writefile(out, vim.env.SDD_RESULT)
vim.cmd('qall!')
