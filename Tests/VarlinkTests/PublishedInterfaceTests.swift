import Foundation
import Testing
import Varlink
import VarlinkFixtures

/// The interface files of this package, from their places in it.
enum PublishedInterface {
    static let all = ["UserdAPI/io.userd.varlink", "Varlink/org.varlink.service.varlink"]

    static func text(_ file: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Sources/Protocol/" + file), encoding: .utf8)
    }
}

@Suite struct PublishedInterfaceTests {
    @Test("io.userd is parsed completely")
    func userd() throws {
        let interface = try Interface(parsing: try PublishedInterface.text("UserdAPI/io.userd.varlink"))
        #expect(interface.name == "io.userd")
        #expect(interface.type("Resource") == .enumeration(["users", "facts"]))
        #expect(interface.method("GetUser").map { render($0.output) } == "(user: User, freshness: Freshness)")
        #expect(interface.methods.filter(\.requiresMore).map(\.name) == ["Watch", "SignIn"])
        #expect(interface.error("NotFound").map { render($0.fields) } == "(key: string)")
        #expect(interface.method("getUser") == nil)
    }

    @Test("org.varlink.service is parsed completely")
    func service() throws {
        let interface = try Interface(
            parsing: try PublishedInterface.text("Varlink/org.varlink.service.varlink"))
        #expect(interface.methods.map(\.name) == ["GetInfo", "GetInterfaceDescription"])
        #expect(interface.errors.count == 7)
    }

    /// Excludes syntax that some other parsers do not accept.
    @Test(
        "The published interfaces use only syntax that every parser accepts",
        arguments: PublishedInterface.all)
    func portable(file: String) throws {
        let text = try PublishedInterface.text(file)
        #expect(!text.contains("\r") && !text.contains("\t"))
        let interface = try Interface(parsing: text)
        let firstPart = interface.name.prefix { $0 != "." }
        #expect(!firstPart.contains { !$0.isLetter })
        for definition in interface.types {
            if case .structure(let fields) = definition.type { #expect(!fields.isEmpty) }
            expectPortable(definition.type)
        }
        for field in interface.methods.flatMap({ $0.input + $0.output }) + interface.errors.flatMap(\.fields)
        {
            expectPortable(field.type)
        }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") { #expect(!line.contains("#")) }
    }

    private func expectPortable(_ type: Interface.ValueType) {
        switch type {
        case .enumeration(let cases): #expect(cases.count > 1)
        case .structure(let fields): for field in fields { expectPortable(field.type) }
        case .array(.array), .array(.nullable): Issue.record("an array of \(type)")
        case .array(let element), .dictionary(let element), .nullable(let element): expectPortable(element)
        default: break
        }
    }
}
