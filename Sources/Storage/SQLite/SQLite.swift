// SQLite: a typed layer over libsqlite3. C's pointers and result codes end here.
//
// In: SQL and values.
// Out: rows, changes, and SQLiteError with SQLite's code and the statement, but without its values.
//
// Start: Connection.swift and StatementCache.swift run statements. Database.swift keeps a connection on its
// executor: it reopens it, and examines a file that may be damaged. ReaderPool.swift chooses a read
// connection, TimeLimits.swift ends a read that takes too long, and Migrator.swift brings a file to the
// current schema.
//
// Threads: a Database works on the executor that it is given, else on a thread of its own, "sqlite", one
// piece of work at a time. The caller waits without blocking.
