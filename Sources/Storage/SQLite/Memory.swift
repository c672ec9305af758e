import CLinux

extension Connection {
    /// Frees SQLite's caches, and returns the program's freed memory to the system (malloc_trim(3)).
    package func releaseMemory() throws {
        try execute("PRAGMA shrink_memory")
        malloc_trim(0)
    }
}
