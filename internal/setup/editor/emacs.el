;; Eglot is part of Emacs 29. It runs one server in a buffer, so it shows records, and nothing in code.
(defun sdd-records ()
  (when (and buffer-file-name (string-match-p "/\\.sdd/.+\\.md\\'" buffer-file-name))
    (require 'eglot)
    (setq-local eglot-server-programs
                (cons '((markdown-mode gfm-mode markdown-ts-mode) "PROGRAM" "lsp") eglot-server-programs))
    (eglot-ensure)))
(add-hook 'markdown-mode-hook #'sdd-records)
(add-hook 'markdown-ts-mode-hook #'sdd-records)
