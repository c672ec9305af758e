// Upstream: what the engine asks of an organisation's server: pages of users, facts, pictures; and what a
// person asks: to sign in, and which directory there is.
//
// In: the settings of an upstream, and an HTTPTransport.
// Out: UsersService, FactsService and PicturesService (Services), which are structs of closures; tokens
// (SignIn); suggested settings (Discovery). Failures are UpstreamErrors.
//
// Start: a format is a file of DirectoryFormats/Formats, listed in BuiltIn.swift; DirectoryFormat.swift is
// what it is read into. PageReader.swift makes the request for a page and reads the answer: Envelope.swift
// finds the records and the next page, UpstreamUserReader.swift reads a user. Upstream+Pages.swift sends it.
// SignInService.swift is the door of SignIn, whose tokens are kept by TokenKeeper.swift.
//
// Threads: the caller's task. SignIn reads and writes tokens on a thread of its own, "tokens", and waits for
// the browser on NIO's event loops; Discovery asks DNS on threads "dns".
