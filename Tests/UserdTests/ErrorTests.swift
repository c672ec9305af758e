import Cache
import Model
import Reads
import StrictJSON
import Testing
import UserdAPI
import Varlink

@Suite struct ErrorTests {
    private static let failure = Failure(
        kind: .http, message: "503", retryable: true, httpStatus: 503, attempts: 1)

    private static let all: [(UserdError, String, String)] = [
        (.notFound(key: "k"), "NotFound", #"{"key":"k"}"#),
        (.ambiguous(key: "k", ids: ["a", "b"]), "Ambiguous", #"{"ids":["a","b"],"key":"k"}"#),
        (.noFacts, "NoFacts", "{}"),
        (
            .sequenceGone(epoch: "e", oldest: 3, newest: 9), "SequenceGone",
            #"{"epoch":"e","newest":9,"oldest":3}"#
        ),
        (.fellBehind(epoch: "e", index: 3), "FellBehind", #"{"epoch":"e","index":3}"#),
        (.invalidCursor(cursor: "c"), "InvalidCursor", #"{"cursor":"c"}"#),
        (
            .upstreamFailed(failure: failure), "UpstreamFailed",
            #"{"failure":{"attempts":1,"http_status":503,"kind":"http","message":"503","retryable":true}}"#
        ),
        (.cacheUnavailable(message: "m"), "CacheUnavailable", #"{"message":"m"}"#),
    ]

    @Test(
        "Each error has this JSON, is read back unchanged, and is declared in the interface",
        arguments: all.indices)
    func roundTrip(index: Int) throws {
        let (error, name, json) = Self.all[index]
        #expect(error.wire == VarlinkError(name: "io.userd." + name, parameters: Array(json.utf8)))
        #expect(UserdError(wire: error.wire) == error)
        try expectDeclared(error.wire)
    }

    @Test(
        "An error of another interface, or with missing parameters, is not a UserdError",
        arguments: [
            ("org.varlink.service.MethodNotFound", #"{"method":"m"}"#), ("io.userdX.NoFacts", "{}"),
            ("io.userd.Unheard", "{}"), ("io.userd.NotFound", "{}"), ("io.userd.NotFound", #"{"key":1}"#),
            ("io.userd.Ambiguous", #"{"key":"k"}"#), ("io.userd.SequenceGone", #"{"epoch":"e","oldest":1}"#),
            ("io.userd.FellBehind", #"{"epoch":"e"}"#), ("io.userd.InvalidCursor", "{}"),
            ("io.userd.CacheUnavailable", "{}"),
            ("io.userd.UpstreamFailed", "{}"), ("io.userd.UpstreamFailed", #"{"failure":{"kind":"new"}}"#),
        ])
    func unknown(name: String, parameters: String) {
        #expect(UserdError(wire: VarlinkError(name: name, parameters: Array(parameters.utf8))) == nil)
    }

    @Test("Errors of the cache become errors of the protocol")
    func cache() {
        #expect(CacheError.notFound(key: "k").wire == UserdError.notFound(key: "k").wire)
        #expect(
            CacheError.ambiguous(key: "k", ids: ["a"]).wire == UserdError.ambiguous(key: "k", ids: ["a"]).wire
        )
        #expect(CacheError.noFacts.wire == UserdError.noFacts.wire)
        #expect(CacheError.invalidCursor("c").wire == UserdError.invalidCursor(cursor: "c").wire)
        #expect(CacheError.invalidParameter("limit").wire == .invalidParameter("limit"))
        #expect(
            CacheError.storage("disk full").wire == UserdError.cacheUnavailable(message: "disk full").wire)
        for error in [CacheError.absent(path: "/x"), .unusable(path: "/x", reason: "r", advice: "a")] {
            #expect(error.wire == UserdError.cacheUnavailable(message: error.description).wire)
        }
    }
}
