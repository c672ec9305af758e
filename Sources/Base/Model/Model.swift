// Model: the values that all targets share: users, facts, pages, states and failures. Nothing here waits,
// reads a file or knows the time.
//
// In: values from the readers of an upstream's answers, from the cache, or from the wire.
// Out: the same values, checked and compared, and their texts for people.
//
// Start: User.swift has a user's fields and the table that everything else loops over (UserField.swift says
// what a row is). State.swift has the phases of a resource. Failure.swift says why a sync failed;
// Advice.swift has the table of what to do about it, and UpstreamError.swift is the error that the readers
// throw. MessageText makes foreign text safe to show.
//
// Threads: all functions are pure, and run on the caller's thread.
