-- Runs in Neovim with a record open: waits for the server and its diagnostics, asks for all that it can answer, and says done.
local patience = 60000 -- milliseconds; a failure takes that long, success as long as it takes
local function wait(what, condition)
  if not vim.wait(patience, condition, 20) then error(what .. " does not come") end
end
local ok, err = pcall(function()
  local all = vim.lsp.get_clients or vim.lsp.get_active_clients
  wait("the client", function()
    local client = all()[1]
    return client and client.name == "sdd" and (client.server_capabilities or {}).hoverProvider
  end)
  assert(#all() == 1, "several clients")
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.OTHER)) -- a file of code in the same project has the same server
  wait("the second buffer", function() return vim.lsp.buf_is_attached(0, all()[1].id) end)
  assert(#all() == 1, "a server for each file")
  wait("a lens", function() return #vim.lsp.codelens.get(0) > 0 end)
  local line = vim.lsp.codelens.get(0)[1].range.start.line
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  vim.lsp.codelens.run()
  wait("the list of records", function() return #vim.fn.getqflist() > 0 end)
  vim.cmd("cclose")
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.OUTSIDE)) -- another project has none
  assert(not vim.lsp.buf_is_attached(0, all()[1].id), "a file without .sdd above it has a client")
  vim.cmd("buffer 1")
  wait("a diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
  vim.fn.search([[title: \zs]])
  local params = vim.lsp.util.make_position_params(0, "utf-16")
  params.context = { includeDeclaration = true, triggerKind = 1, diagnostics = {} }
  params.range = { start = params.position, ["end"] = params.position }
  params.newName = "Another title"
  for _, method in ipairs({ "hover", "definition", "references", "documentSymbol", "foldingRange", "completion", "codeAction", "rename" }) do
    local _, answer = next(vim.lsp.buf_request_sync(0, "textDocument/" .. method, params, patience) or {})
    local err = answer and (answer.error or answer.err)
    assert(answer and not err, method .. ": " .. (err and err.message or "no answer"))
  end
end)
io.stdout:write(ok and "done\n" or tostring(err) .. "\n")
vim.cmd("qall!")
