import Model
import StrictJSON
import Upstream

/// How a server stamps its entries when they change. The first that it has counts.
enum StampKind: String, Codable {
    /// Active Directory counts the changes of each domain controller.
    case usnChanged = "uSNChanged"
    /// 389 Directory Server counts them in each database, before it commits them (its USN plug-in).
    case entryUSN = "entryusn"
    /// OpenLDAP names each change by its time, a number and its server (contextCSN in slapo-syncprov(5)).
    case entryCSN
    /// A time, which says only whether an entry is the same.
    case modifyTimestamp

    /// The entry's stamp; empty if it has none, or one that is not known.
    func stamp(of entry: DirectoryEntry) -> String {
        entry.values(rawValue.asciiLowercased).first.flatMap { String(validating: $0, as: UTF8.self) }
            .flatMap(valid) ?? ""
    }

    /// Nil for a text that is no stamp of this kind, which must not become a part of a filter.
    func valid(_ text: String) -> String? {
        switch self {
        case .usnChanged, .entryUSN: UInt64(text).flatMap { $0 <= 1 << 63 ? "\($0)" : nil }
        case .entryCSN:
            text.utf8.count <= 64 && text.utf8.allSatisfy("#.Zabcdef0123456789".utf8.contains) ? text : nil
        case .modifyTimestamp: text.utf8.count <= 64 ? text : nil
        }
    }

    /// Whether the first stamp is older.
    func precedes(_ a: String, _ b: String) -> Bool {
        self == .entryCSN ? a < b : (UInt64(a) ?? 0) < (UInt64(b) ?? 0)
    }
}

/// The newest stamps of a server: a number, or a CSN of each server that has changed something; none for times.
struct ServerStamp: Equatable {
    var kind: StampKind
    /// Differs if the stamps are others.
    var server: String
    /// The entry that tells it, a naming context; empty if the root does.
    var place = ""
    var values: [String] = []
}

/// The token of a directory's changes: from where on they are read.
struct StampToken: Codable, Equatable {
    /// Stamps of the server, and when they were read.
    struct Mark: Codable, Equatable {
        var values: [String]
        var at: Timestamp
    }

    /// An entry that has to come with each search, since success without entries proves nothing.
    struct Witness: Codable, Equatable {
        var id: String
        var stamp: String
    }

    var kind: StampKind
    var server: String
    var place: String
    /// The server's address, which is asked first: others have other stamps.
    var address: LDAPConnection.Place?
    /// All that had changed before it has been read; nil until that is known.
    var low: Mark?
    /// The newest one. It becomes `low` by a search that begins ten minutes later, since a server may count a change before it
    /// shows it.
    var newest: Mark
    /// The known entry with the greatest stamp.
    var witness: Witness?
    /// When all ids are read again.
    var idsDue: Timestamp
    /// Number of the format's attributes for ids that are asked for with all ids: a server may have several of each entry. Nil for
    /// all of them.
    var idAttributes: Int?

    private static let settling = Duration.seconds(600)

    /// - Parameters:
    ///   - stamp: as it was before the list.
    ///   - idsDue: a random time.
    init(_ stamp: ServerStamp, at now: Timestamp, idsDue: Timestamp) {
        (kind, server, place) = (stamp.kind, stamp.server, stamp.place)
        (newest, self.idsDue) = (Mark(values: stamp.values, at: now), idsDue)
    }

    init?(_ text: String) {
        guard let json = try? JSONValue(validating: Array(text.utf8), maximumDepth: 8),
            let token = try? json.decode(StampToken.self)
        else { return nil }
        self = token
    }

    var text: String {
        (try? StrictJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    enum Reading: Equatable {
        case nothingChanged
        /// The entries with this stamp or a greater one.
        case entries(from: String)
        /// The ids and stamps of all entries.
        case ids
    }

    /// Goes on to the server's present stamp, and returns what has to be read for that.
    /// - Parameter idsInterval: the longest time between two readings of all ids.
    mutating func advance(
        to stamp: ServerStamp, idsInterval: Duration, now: Timestamp
    ) throws(ChangesUnknown) -> Reading {
        guard stamp.kind == kind, stamp.server == server else {
            throw ChangesUnknown("another server of the directory answers")
        }
        guard now >= newest.at else { throw ChangesUnknown("this machine's clock was ahead") }
        var stamp = stamp
        // The contextCSN of a slapd without the overlay syncprov stands still.
        if kind == .entryCSN, let witness { stamp.note(witness.stamp) }
        guard !stamp.precedes(newest.values) else {
            throw ChangesUnknown("the directory was restored, or imported anew")
        }
        let before = low
        if now - newest.at >= Self.settling {
            low = newest
            newest = Mark(values: stamp.values, at: now)
        }
        guard let before, let witness, kind != .modifyTimestamp, now < idsDue, idsDue - now <= idsInterval
        else { return .ids }
        if kind != .entryCSN {
            if before.values == stamp.values { return .nothingChanged }
        } else if before.values.map(\.serverOfCSN) != stamp.values.map(\.serverOfCSN) {
            return .ids
        }
        let moved = zip(before.values, stamp.values).filter { $0.0 != $0.1 }.map(\.0)
        guard let first = moved.min(by: kind.precedes) ?? before.values.max(by: kind.precedes) else {
            return .ids
        }
        return .entries(from: kind.precedes(witness.stamp, first) ? witness.stamp : first)
    }

    /// Notes an entry that came, as the next witness if it is the newest one.
    mutating func note(_ id: String, _ stamp: String) {
        guard !stamp.isEmpty, kind != .modifyTimestamp else { return }
        if let witness, kind.precedes(stamp, witness.stamp) { return }
        witness = Witness(id: id, stamp: stamp)
    }

    /// Begins to read all ids, among which the witness will be.
    mutating func forgetWitness() { witness = nil }

    /// All ids were read.
    mutating func noteIDs(now: Timestamp, interval: Duration) {
        if now >= idsDue || idsDue - now > interval { idsDue = now + interval }
    }
}

extension ServerStamp {
    /// Differs if anything that the server has was changed; nil if the server can't say it.
    var version: String? {
        switch kind {
        case .usnChanged, .entryCSN: ([server] + values).joined(separator: " ")
        // It counts before there is a change to be seen.
        case .entryUSN, .modifyTimestamp: nil
        }
    }

    /// - Parameter csn: that of an entry.
    fileprivate mutating func note(_ csn: String) {
        guard let index = values.firstIndex(where: { $0.serverOfCSN == csn.serverOfCSN }) else { return }
        values[index] = max(values[index], csn)
    }

    /// Whether the server is behind what it was.
    fileprivate func precedes(_ earlier: [String]) -> Bool {
        let known = Dictionary(earlier.map { ($0.serverOfCSN, $0) }) { max($0, $1) }
        return values.contains { value in known[value.serverOfCSN].map { kind.precedes(value, $0) } ?? false }
    }
}

extension String {
    /// The number of the server in a CSN; empty for a number.
    var serverOfCSN: Substring {
        let parts = split(separator: "#", omittingEmptySubsequences: false)
        return parts.count > 2 ? parts[2] : ""
    }
}
