// Platform: the machine, as far as more than one target needs it: files, folders, threads, sockets, and how
// a program starts.
//
// In: paths, bytes, and the environment's variables.
// Out: files that are replaced in one step, locks, threads, and errors that name the path and the reason.
//
// Start: Paths.swift and BaseDirectories.swift for where files are (XDG), DurableFile.swift and
// RegularFile.swift for writing and reading them, SecretPath.swift and OwnFolder.swift for who may read
// them, and ProgramSupport for what each program does before its first line.
//
// Threads: calls block the caller. ThreadPool.swift is where tasks may block: it has threads of its own,
// which end when they are idle. Thread.swift starts a single thread.
