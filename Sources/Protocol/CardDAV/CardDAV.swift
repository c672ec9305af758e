// CardDAV: serves the users as a read-only address book (RFC 6352) to programs of this user on this machine,
// such as mail clients.
//
// In: requests over HTTP to a loopback port, with the book's password; XML through libexpat (Requests).
// Out: vCards, and the versions of each card and of the whole book, written as they are read (Answers).
//
// Start: CardDAVServer.swift listens, and limits bodies. Guards.swift says who may ask, OpenConnections.swift
// how many and for how long. Conversation.swift reads the requests of one connection, RequestReader.swift
// their XML, with its limits. The folder Answers has what answers them, from AddressBook.swift, which reads
// the cache by ReadMethods.
//
// Threads: the listener and all connections are on one of NIO's event loops. Each connection has a task on
// Swift's pool.
