import CSystemd
import Glibc
import TestSupport

@testable import UserctlCommands

/// A program on the bus that asks for search results, on one thread.
final class Asker {
    let bus: SessionBus

    /// - Parameter name: the name that it owns; nil for none.
    init(_ bus: PrivateBus, _ name: String?) throws {
        self.bus = try SessionBus(address: bus.address)
        if let name { try self.bus.request(name: name) }
        while self.bus.owner(of: DesktopSearch.name) == nil {
            try self.bus.handleAll()
            try self.bus.wait(.milliseconds(5))
        }
    }

    @discardableResult
    func gnome(_ member: String, _ fill: (BusMessage) throws -> Void = { _ in }) throws -> BusMessage {
        try ask("org.gnome.Shell.SearchProvider2", member, fill)
    }

    @discardableResult
    func krunner(_ member: String, _ fill: (BusMessage) throws -> Void = { _ in }) throws -> BusMessage {
        try ask("org.kde.krunner1", member, fill)
    }

    private func ask(
        _ interface: String, _ member: String, _ fill: (BusMessage) throws -> Void
    ) throws -> BusMessage {
        try bus.call(
            DesktopSearch.name, DesktopSearch.path, interface, member, within: .seconds(600), fill)
    }

    /// The error's name on the bus; nil if the call succeeds.
    func failure(_ call: (Asker) throws -> BusMessage) throws -> String? {
        do {
            _ = try call(self)
            return nil
        } catch let error as BusError {
            return error.name ?? "\(error.code)"
        }
    }

    func rows(_ text: String) throws -> [BusMessage.Row] {
        try krunner("Match") { try $0.append(text) }.rows()
    }
}

extension BusMessage {
    /// A row of KRunner.
    struct Row: Hashable, Sendable {
        var texts: [String]
        var kind: Int32
        var relevance: Double
        var members: [String: [String]]
    }

    func rows() throws -> [Row] {
        var rows: [Row] = []
        guard try enter("a", "(sssida{sv})") else { return rows }
        while try enter("r", "sssida{sv}") {
            let texts = try [string(), string(), string()]
            let kind = try basic("i", Int32(0))
            let relevance = try basic("d", 0.0)
            let members = try dictionary() ?? [:]
            rows.append(Row(texts: texts, kind: kind, relevance: relevance, members: members))
            try leave()
        }
        return rows
    }

    /// GNOME's descriptions of ids.
    func metas() throws -> [[String: [String]]] {
        var metas: [[String: [String]]] = []
        guard try enter("a", "a{sv}") else { return metas }
        while let meta = try dictionary() { metas.append(meta) }
        return metas
    }

    /// KRunner's actions.
    func triples() throws -> [[String]] {
        var triples: [[String]] = []
        guard try enter("a", "(sss)") else { return triples }
        while try enter("r", "sss") {
            triples.append(try [string(), string(), string()])
            try leave()
        }
        return triples
    }

    /// Texts, or lists of texts; nil at the end of an array.
    private func dictionary() throws -> [String: [String]]? {
        guard try enter("a", "{sv}") else { return nil }
        var members: [String: [String]] = [:]
        while try enter("e", "sv") {
            let key = try string()
            let isList = key == "actions"
            _ = try enter("v", isList ? "as" : "s")
            members[key] = try isList ? strings() : [string()]
            try leave()
            try leave()
        }
        try leave()
        return members
    }

    private func basic<T>(_ type: Unicode.Scalar, _ start: T) throws -> T {
        var value = start
        let code = withUnsafeMutablePointer(to: &value) {
            libsystemd.sd_bus_message_read_basic(pointer, CChar(truncatingIfNeeded: type.value), $0)
        }
        try checkedBus(code)
        return value
    }

    private func enter(_ kind: Unicode.Scalar, _ contents: String) throws -> Bool {
        let type = CChar(truncatingIfNeeded: kind.value)
        return try checkedBus(libsystemd.sd_bus_message_enter_container(pointer, type, contents)) > 0
    }

    private func leave() throws {
        try checkedBus(libsystemd.sd_bus_message_exit_container(pointer))
    }
}
