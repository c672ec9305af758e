import CLinux
import Platform

/// Asks the machine's name servers.
package struct DNSLookup: Sendable {
    /// The records of a name; none if it has none. Throws `DNSFault` if nobody can say.
    package var records: @Sendable (_ name: String, _ kind: DNSRecord.Kind) async throws -> [DNSRecord]

    /// resolver(3), which reads resolv.conf.
    package static func live() -> DNSLookup {
        let threads = ThreadPool("dns", limit: 8)
        return DNSLookup { name, kind in
            try await Task(executorPreference: threads) {
                limit_resolver()
                return try dnsAnswers(name, kind)
            }.value
        }
    }
}

/// Why names could not be looked up.
package enum DNSFault: Error, Hashable, Sendable, CustomStringConvertible {
    case noNameServer
    case unreadable

    package var description: String {
        switch self {
        case .noNameServer: "no name server answered"
        case .unreadable: "the name server's answer can't be read"
        }
    }
}

/// Blocks: for code on a thread of its own. Throws `DNSFault`.
package func dnsAnswers(_ name: String, _ kind: DNSRecord.Kind) throws -> [DNSRecord] {
    var answer = [UInt8](repeating: 0, count: 65_535)
    // C_IN
    let length = res_query(name, 1, Int32(kind.rawValue), &answer, Int32(answer.count))
    guard length >= 0 else {
        if [HOST_NOT_FOUND, NO_DATA].contains(resolver_error()) { return [] }
        throw DNSFault.noNameServer
    }
    do throws(DNSMistake) {
        var message = try DNSMessage(Array(answer.prefix(Int(length))))
        return try message.answers(kind)
    } catch {
        throw DNSFault.unreadable
    }
}
