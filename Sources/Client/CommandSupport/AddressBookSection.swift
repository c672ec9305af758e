import YAML

/// The section `carddav` of config.yaml, whose port userctl adds and removes.
package struct AddressBookSection {
    /// Nil if it is not set.
    package let port: Int?
    private var lines: [Substring]
    /// Counted from 1.
    private let sectionLine: Int?
    private let portLine: Int?
    private let isAlone: Bool

    /// A file with a mistake has no section: `userd --check-config` explains it.
    package init(_ file: [UInt8]) {
        lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let section = Self.members(try? YAMLNode.document(file)).first { $0.name == "carddav" }
        let members = Self.members(section?.value)
        let port = members.first { $0.name == "port" }
        if case .scalar(let text, _)? = port?.value.content { self.port = Int(text) } else { self.port = nil }
        sectionLine = section?.line
        portLine = port?.line
        isAlone = members.count == 1
    }

    private static func members(_ node: YAMLNode??) -> [YAMLMember] {
        if case .mapping(let members)?? = node?.map(\.content) { members } else { [] }
    }

    /// The file with this port; nil if a person has to change it, because it is written in another way.
    package func setting(port: Int) -> [UInt8]? {
        var lines = lines
        if let portLine {
            guard isPort(lines[portLine - 1]) else { return nil }
            lines[portLine - 1] = "\(lines[portLine - 1].prefix { $0 == " " })port: \(port)"
        } else if let sectionLine {
            guard lines[sectionLine - 1].trimmingTrailingBlanks == "carddav:" else { return nil }
            let next = lines[sectionLine...].first { !$0.trimmingTrailingBlanks.isEmpty }
            let indentation = next.map { $0.prefix { $0 == " " } } ?? ""
            lines.insert("\(indentation.isEmpty ? "  " : indentation)port: \(port)", at: sectionLine)
        } else {
            if lines.last?.isEmpty == true { lines.removeLast() }
            lines += ["carddav:", "  port: \(port)", ""]
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The file without a port; nil as above.
    package func removingPort() -> [UInt8]? {
        guard let portLine, let sectionLine else { return Array(lines.joined(separator: "\n").utf8) }
        var lines = lines
        guard isPort(lines[portLine - 1]) else { return nil }
        lines.remove(at: portLine - 1)
        if isAlone {
            guard lines[sectionLine - 1].trimmingTrailingBlanks == "carddav:" else { return nil }
            lines.remove(at: sectionLine - 1)
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    private func isPort(_ line: Substring) -> Bool {
        line.drop { $0 == " " }.hasPrefix("port:") && !line.contains("#")
    }
}

extension Substring {
    fileprivate var trimmingTrailingBlanks: Substring {
        var text = self
        while text.last == " " || text.last == "\r" { text.removeLast() }
        return text
    }
}
