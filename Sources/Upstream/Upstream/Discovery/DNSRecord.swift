/// An answer of the Domain Name System. Names are in lower case, without the dot at their end.
package enum DNSRecord: Hashable, Sendable {
    case service(DNSService)
    /// MX (RFC 1035, section 3.3.9).
    case mail(host: String, preference: Int)
    /// CNAME.
    case alias(String)

    /// Nil for other records.
    package var server: DNSService? { if case .service(let service) = self { service } else { nil } }

    package enum Kind: UInt16, Sendable {
        case alias = 5
        case mail = 15
        case service = 33
    }
}

/// A server that SRV names for a service (RFC 2782).
package struct DNSService: Hashable, Sendable {
    package var host: String
    package var port: Int
    /// The lowest comes first.
    package var priority: Int
    /// How often it comes before the others of its priority.
    package var weight: Int

    package init(host: String, port: Int, priority: Int = 0, weight: Int = 0) {
        (self.host, self.port, self.priority, self.weight) = (host, port, priority, weight)
    }
}

/// A message that is not one of DNS.
package struct DNSMistake: Error, Hashable {}

/// Reads the answers of a message (RFC 1035, section 4.1).
package struct DNSMessage {
    private let bytes: [UInt8]
    private var position = 12

    /// Limits what a server can make userd read.
    private static let maximumRecords = 64

    package init(_ bytes: [UInt8]) throws(DNSMistake) {
        guard bytes.count >= 12 else { throw DNSMistake() }
        self.bytes = bytes
    }

    /// The records of this kind. Those with names that no host has are left out.
    package mutating func answers(_ kind: DNSRecord.Kind) throws(DNSMistake) -> [DNSRecord] {
        position = 4
        let (questions, answers) = (try number(), try number())
        position = 12
        for _ in 0..<min(questions, Self.maximumRecords) {
            _ = try name()
            try skip(4)
        }
        var records: [DNSRecord] = []
        for _ in 0..<min(answers, Self.maximumRecords) {
            _ = try name()
            let type = try number()
            try skip(6)
            let length = try number()
            let end = position + length
            guard end <= bytes.count else { throw DNSMistake() }
            if type == Int(kind.rawValue), let record = try record(kind) { records.append(record) }
            position = end
        }
        return records
    }

    private mutating func record(_ kind: DNSRecord.Kind) throws(DNSMistake) -> DNSRecord? {
        switch kind {
        case .alias: return try name().map(DNSRecord.alias)
        case .mail:
            let preference = try number()
            return try name().map { .mail(host: $0, preference: preference) }
        case .service:
            let (priority, weight, port) = (try number(), try number(), try number())
            return try name().map {
                .service(DNSService(host: $0, port: port, priority: priority, weight: weight))
            }
        }
    }

    private mutating func number() throws(DNSMistake) -> Int {
        guard position + 2 <= bytes.count else { throw DNSMistake() }
        defer { position += 2 }
        return Int(bytes[position]) << 8 | Int(bytes[position + 1])
    }

    private mutating func skip(_ count: Int) throws(DNSMistake) {
        guard position + count <= bytes.count else { throw DNSMistake() }
        position += count
    }

    /// A name, which may go on earlier in the message (RFC 1035, section 4.1.4). Nil if no host has such a name.
    private mutating func name() throws(DNSMistake) -> String? {
        var (labels, isHost, length) = ([String](), true, 0)
        var (at, end): (Int, Int?) = (position, nil)
        while true {
            guard at < bytes.count else { throw DNSMistake() }
            let count = Int(bytes[at])
            if count >= 0xC0 {
                guard at + 1 < bytes.count else { throw DNSMistake() }
                let target = (count & 0x3F) << 8 | Int(bytes[at + 1])
                end = end ?? at + 2
                // Only backwards, so it ends.
                guard target < at else { throw DNSMistake() }
                at = target
                continue
            }
            guard count < 0x40, at + 1 + count <= bytes.count, length + count < 255 else {
                throw DNSMistake()
            }
            if count == 0 {
                position = end ?? at + 1
                return isHost && !labels.isEmpty ? labels.joined(separator: ".") : nil
            }
            let label = bytes[at + 1..<at + 1 + count]
            if !label.allSatisfy(\.isOfHostName) { isHost = false }
            labels.append(String(decoding: label, as: UTF8.self).lowercased())
            length += count + 1
            at += count + 1
        }
    }
}

extension UInt8 {
    /// Letters, digits and the dash; the underscore, too, since services have it.
    var isOfHostName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
