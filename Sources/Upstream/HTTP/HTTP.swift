// HTTP: requests, answers, addresses and credentials as values, and recordings of them. Nothing here opens a
// connection.
//
// In: the request of a service, and the answer of a transport (HTTPTransport.swift), which is a closure:
// HTTPClient, a recording or a test.
// Out: a complete answer after redirects (Redirects.swift, Deadline.swift), or an UpstreamError.
//
// Start: Authorization.swift has what is sent to an upstream, and Logins.swift sends a wrong password once.
// Secrets could leak in messages and in recordings: SecretRedactor.swift removes them from both, and
// Recordings/Recorder.swift keeps only what userd reads of an answer, unless record_raw is set.
// Recordings/Replay.swift answers from a file (HARReader.swift).
//
// Threads: everything runs in the caller's task.
