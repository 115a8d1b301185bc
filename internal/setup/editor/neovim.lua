-- Starts the language server of sdd for files of a project that has a folder .sdd.
-- sdd setup --editor neovim wrote this file; with --remove it takes it away, unless you changed it.

local command = { "PROGRAM", "lsp" }
local filetypes = {
  "markdown", "go", "python", "typescript", "typescriptreact", "javascript", "javascriptreact", "java", "kotlin", "cs",
  "rust", "c", "cpp", "ruby", "php", "swift", "sh", "bash", "zsh", "sql", "yaml",
}

-- root returns the nearest folder above a buffer's file that has a .sdd, nil for none.
local function root(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == "" or name:match("^%a[%w+.-]+://") then return nil end
  local folder = vim.fn.fnamemodify(name, ":p:h")
  while vim.fn.isdirectory(folder .. "/.sdd") == 0 do
    local above = vim.fn.fnamemodify(folder, ":h")
    if above == folder then return nil end
    folder = above
  end
  return folder
end

-- attached keeps the lenses of a buffer up to date: Neovim asks for them only when told to.
local function attached(client, buffer)
  if not (client.server_capabilities or {}).codeLensProvider then return end
  if vim.lsp.codelens.enable then -- 0.12
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  local function refresh()
    vim.api.nvim_buf_call(buffer, function() vim.lsp.codelens.refresh() end)
  end
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost" }, { buffer = buffer, callback = refresh })
  refresh()
end

-- A lens lists its records in the quickfix window.
vim.lsp.commands["sdd.showRecords"] = function(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local items = vim.lsp.util.locations_to_items(command.arguments[3], client.offset_encoding)
  vim.fn.setqflist({}, " ", { title = command.title, items = items })
  vim.cmd("copen")
end
local options = { showRecords = true }

if vim.lsp.config and vim.lsp.enable then -- 0.11
  vim.lsp.config("sdd", {
    cmd = command,
    filetypes = filetypes,
    root_dir = function(buffer, found)
      local folder = root(buffer)
      if folder then found(folder) end
    end,
    init_options = options,
    on_attach = attached,
  })
  vim.lsp.enable("sdd")
  return
end

local clients = {} -- by folder
vim.api.nvim_create_autocmd("FileType", {
  pattern = filetypes,
  group = vim.api.nvim_create_augroup("sdd", {}),
  callback = function(event)
    local folder = root(event.buf)
    if not folder then return end
    local config = {
      name = "sdd", cmd = command, cmd_cwd = folder, root_dir = folder, init_options = options, on_attach = attached,
    }
    if vim.lsp.start then -- 0.8
      vim.lsp.start(config, { bufnr = event.buf })
      return
    end
    if not (clients[folder] and vim.lsp.get_client_by_id(clients[folder])) then
      clients[folder] = vim.lsp.start_client(config)
    end
    if clients[folder] then vim.lsp.buf_attach_client(event.buf, clients[folder]) end
  end,
})
