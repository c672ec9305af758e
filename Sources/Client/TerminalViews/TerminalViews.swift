// TerminalViews: what a terminal shows, as values: tables, cards, progress and pictures. It prints nothing.
//
// In: texts, pixels and the terminal's abilities (Canvas.swift).
// Out: lines of text with escape sequences that are as wide as the terminal allows.
//
// Start: View.swift is the protocol of all views. Table.swift and TableLayout.swift draw a table that is at
// hand, StreamedTable.swift one whose rows still arrive. DisplayWidth.swift measures text in cells,
// Fitting.swift and Breaking.swift cut and wrap it. Line.swift and Text.swift escape what is unsafe in texts
// from elsewhere.
//
// Threads: all functions are pure, and run on the caller's thread.
