// Reads: the methods of io.userd that only need the cache. userd answers with them, so does userctl without
// userd, and the address book reads its cards by them.
//
// In: a method and its parameters, and a CacheReader.
// Out: the reply as JSON, put together from the records as they are stored, or an error of io.userd
// (ReadErrors.swift).
//
// Start: ReadMethods.swift has all of them. A method that changes anything is in Daemon/Methods.
//
// Threads: the caller's task. Reads wait for a connection of the CacheReader and run on its threads, "sqlite
// reads".
