extension AsyncStream where Element: Equatable & Sendable {
    /// Runs the body with the newest element. A new one that differs ends the former run first. Returns when the stream or
    /// the task ends.
    package func following(_ body: @escaping @Sendable (Element) async -> Void) async {
        var (current, running): (Element?, Task<Void, Never>?)
        for await next in self where next != current {
            current = next
            running?.cancel()
            await running?.value
            running = Task { await body(next) }
        }
        running?.cancel()
        await running?.value
    }
}
