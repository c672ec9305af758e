// TerminalViewsTests
