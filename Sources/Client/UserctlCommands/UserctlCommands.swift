// UserctlCommands: all commands of userctl, from the command line to the output.
//
// In: arguments, the environment, config.yaml, and replies of userd; of the cache file if userd does not
// answer (CommandSupport/UserdOrCache.swift).
// Out: text or JSON on standard output, messages on standard error, and an exit code
// (CommandSupport/Outcome.swift).
//
// Start: Commands/Userctl.swift lists the commands; each is a ParsableCommand in a file of its own.
// Commands/ListPrinter.swift prints lists in all formats. Browse is the full screen (BrowseLoop.swift),
// Diagnostics has doctor, report and service, Commands/Connect the dialog, and PictureDecoding reads JPEG
// and PNG. Commands/DesktopIntegration answers the searches of GNOME and KDE (DesktopSearch.swift) over
// SessionBus, a layer over sd-bus.
//
// Threads: a command runs on the main thread, where it may block (Commands/Live/ThreadExecutor.swift). A few
// threads wait for something else meanwhile: browse's requests and its watch, the progress line, the reader
// of a pipe.
