import CMalloc

extension Connection {
    /// Frees what SQLite keeps for later, and gives back to the system what the program has freed so far (malloc_trim(3)).
    package func releaseMemory() throws {
        try execute("PRAGMA shrink_memory")
        malloc_trim(0)
    }
}
