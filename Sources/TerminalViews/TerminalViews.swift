// TerminalViews
