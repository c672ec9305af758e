// UserdAPI: the interface io.userd, its types, and a client. userd and userctl share it, and it knows no
// cache.
//
// In: JSON of calls, replies and records, and the interface's text (io.userd.varlink, which documents each
// method).
// Out: typed calls and replies (Methods.swift, DaemonState.swift), and errors by name (Errors.swift).
//
// Start: Methods.swift lists all methods. Client/UserdClient.swift is the client as closures, and
// UserdClient+Live.swift connects it to the socket. UserRecords reads a record: as a User
// (StoredUserReader.swift), field by field (FieldReader.swift), or as a vCard (VCard.swift).
//
// Threads: a client's call blocks its caller's thread. Everything else is pure.
