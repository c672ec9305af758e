import MockDaemon
import Model
import StrictJSON
import Testing
import UserdAPI
import Varlink

/// Compares the types of UserdAPI with the text of the interface.
@Suite struct InterfaceTests {
    /// The result of decoding and encoding a value that the text allows.
    struct Passed {
        let json: JSONValue
        /// Paths of its optional properties, at any depth.
        var absent: [String] = []
        var present: [String] = []

        init(_ value: some Encodable) throws { try self.init(value, encodedAs: encoded(value)) }

        init(_ value: Any, encodedAs bytes: [UInt8]) throws {
            json = try JSONValue(validating: bytes, maximumDepth: 16)
            look(into: value, at: "\(type(of: value))")
        }

        private mutating func look(into value: Any, at path: String) {
            for (number, child) in Mirror(reflecting: value).children.enumerated() {
                let path = "\(path).\(child.label ?? String(number))"
                let isOptional = Mirror(reflecting: child.value).displayStyle == .optional
                if isOptional, Mirror(reflecting: child.value).children.isEmpty {
                    absent.append(path)
                } else {
                    if isOptional { present.append(path) }
                    look(into: child.value, at: path)
                }
            }
        }
    }

    /// A method's types, to compare with the text.
    struct Method: Sendable {
        let name: String
        let input: @Sendable (_ json: [UInt8]) throws -> Passed
        let output: @Sendable (_ json: [UInt8]) throws -> Passed

        init<Parameters, Output>(_ method: UserdMethod<Parameters, Output>) {
            name = method.name
            input = { try Passed(decoded(Parameters.self, from: $0)) }
            output = { try Passed(decoded(Output.self, from: $0)) }
        }

        static let all = [
            Method(.listUsers), Method(.getUser), Method(.listManagers), Method(.listReports),
            Method(.getPicture), Method(.listFacts),
            Method(.randomFact), Method(.fetchFact), Method(.getState), Method(.watch), Method(.history),
            Method(.sync), Method(.retry), Method(.cancel), Method(.setPaused), Method(.getSettings),
            Method(.signIn), Method(.finishSignIn), Method(.signOut), Method(.getSurvey),
        ]
    }

    private func expect(
        _ fields: [Interface.Field], of name: String, seed: UInt64, passes type: ([UInt8]) throws -> Passed
    ) throws {
        for optionals in InterfaceValues.Optionals.allCases {
            var values = InterfaceValues(try interface.get(), optionals, seed: seed)
            let json = Array(values.object(fields).utf8)
            let text: Comment = "\(name), \(optionals) optionals: \(String(decoding: json, as: UTF8.self))"
            var passed: Passed?
            #expect(throws: Never.self, text) { passed = try type(json) }
            guard let passed else { continue }
            let sent = try JSONValue(validating: json, maximumDepth: 16)
            #expect(passed.json.canonical == sent.canonical, text)
            if optionals == .all { #expect(passed.absent == [], text) }
            if optionals == .none { #expect(passed.present == [], text) }
        }
    }

    @Test(
        "Values that the interface allows for each method pass through UserdAPI's types unchanged",
        arguments: 1...20)
    func methods(seed: UInt64) throws {
        for method in Method.all {
            let declared = try #require(try interface.get().method(method.name))
            try expect(declared.input, of: "\(method.name)'s input", seed: seed, passes: method.input)
            try expect(declared.output, of: "\(method.name)'s output", seed: seed, passes: method.output)
        }
    }

    @Test(
        "Values that the interface allows for each error pass through UserdError unchanged", arguments: 1...20
    )
    func errors(seed: UInt64) throws {
        for declared in try interface.get().errors {
            let name = UserdInterface.qualified(declared.name)
            try expect(declared.fields, of: declared.name, seed: seed) { json in
                let error = try #require(UserdError(wire: VarlinkError(name: name, parameters: json)))
                #expect(error.wire.name == name)
                return try Passed(error, encodedAs: error.wire.parameters)
            }
        }
    }

    @Test("UserdAPI has types and a client endpoint for exactly the methods of the interface")
    func methodNames() throws {
        let names = Set(try interface.get().methods.map(\.name))
        #expect(Set(Method.all.map(\.name)) == names)
        let endpoints = Mirror(reflecting: UserdClient.unimplemented()).children.compactMap(\.label)
        #expect(
            Set(
                endpoints.map {
                    ($0.prefix(1).uppercased() + $0.dropFirst()).replacing(/All|Soon$/, with: "")
                })
                == names)
    }

    @Test("UserdAPI's errors and enums match the interface")
    func cases() throws {
        let interface = try interface.get()
        #expect(UserdError.CodingKeys.allCases.map(\.rawValue) == interface.errors.map(\.name))
        var enums: [String: Set<String>] = [:]
        for type in interface.types {
            if case .enumeration(let cases) = type.type { enums[type.name] = Set(cases) }
        }
        let expected: [String: Set<String>] = [
            "Resource": Set(Resource.allCases.map(\.rawValue)),
            "Phase": Set(Phase.allCases.map(\.rawValue)),
            "FailureKind": Set(Failure.Kind.allCases.map(\.rawValue)),
            "PictureSize": Set(PictureSize.allCases.map(\.rawValue)),
            "ManagerChainEnd": Set(ManagerChainEnd.allCases.map(\.rawValue)),
            "UserKind": Set(UserKind.allCases.map(\.rawValue)),
            "UserOrder": Set(UserOrder.allCases.map(\.rawValue)),
            "SyncScope": ["full", "changes"], "ChangeTrust": ["watched", "trusted", "off"],
            "SignInGrant": Set(SignInGrant.allCases.map(\.rawValue)),
        ]
        #expect(enums == expected)
    }

    @Test("Each type of the interface is used by a method or an error")
    func types() throws {
        let interface = try interface.get()
        var used: Set<String> = []
        func use(_ type: Interface.ValueType) {
            switch type {
            case .reference(let name):
                if used.insert(name).inserted, let type = interface.type(name) { use(type) }
            case .structure(let fields): fields.forEach { use($0.type) }
            case .nullable(let type), .array(let type), .dictionary(let type): use(type)
            case .bool, .int, .float, .string, .object, .enumeration: break
            }
        }
        interface.methods.flatMap { $0.input + $0.output }.forEach { use($0.type) }
        interface.errors.flatMap(\.fields).forEach { use($0.type) }
        #expect(used == Set(interface.types.map(\.name)))
    }

    @Test("userd serves the exact text of the interface")
    func served() async throws {
        try await Daemon.with(synced: false) { daemon in
            let reply = try await daemon.raw(
                #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"io.userd"}}"#
            )
            let value = try JSONValue(validating: Array(reply.utf8), maximumDepth: 4)
            #expect(value["parameters"]?["description"]?.string == UserdInterface.description)
        }
    }
}
