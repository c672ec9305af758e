// Sync: decides when users and facts are fetched, fetches them, commits them to the cache, and says so to
// watchers.
//
// In: requests of clients, results of a sync, timers, and wakeups of the kernel (SystemEvents). All are
// messages in one inbox (Message.swift), so that transitions have one order.
// Out: states, first written to the cache and then published (StateStore.swift, TransitionFeed.swift).
//
// Start: SyncCore has the rules as pure values: Machine.swift the phases of a resource, Schedule.swift the
// interval and the waits after failures, RemovalGuard.swift what is refused. Which failures are tried again
// soon is in UpstreamError.swift of Model. SyncEngine.swift does what the machine says. Paging.swift fetches and stages one list;
// PageRetries.swift repeats a failed page. Pictures is separate: a failed picture fails no sync.
//
// Threads: the engine is an actor on Swift's pool. Each sync is a task of its own there, of low priority.
// SystemEvents reads the kernel on serial queues.
