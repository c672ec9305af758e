/// A Varlink interface as data: what its description declares, in the order of the text.
package struct Interface: Hashable, Sendable {
    /// Such as "io.userd".
    package let name: String
    /// The comment above, without `#`, lines joined with line feeds; empty where there is none.
    package let documentation: String
    package let types: [TypeDefinition]
    package let methods: [Method]
    package let errors: [ErrorDefinition]

    package struct TypeDefinition: Hashable, Sendable {
        package let name: String
        package let documentation: String
        /// A structure or an enumeration.
        package let type: ValueType
    }

    package struct Method: Hashable, Sendable {
        package let name: String
        package let documentation: String
        package let input: [Field]
        package let output: [Field]

        /// The comment that tools read, too: without the flag the call is answered with ExpectedMore.
        package var requiresMore: Bool { documentation.contains("[Requires 'more' flag]") }
    }

    package struct ErrorDefinition: Hashable, Sendable {
        package let name: String
        package let documentation: String
        package let fields: [Field]
    }

    package struct Field: Hashable, Sendable {
        package let name: String
        package let type: ValueType
    }

    package indirect enum ValueType: Hashable, Sendable {
        case bool
        /// 64 bits with a sign, as every implementation has it.
        case int
        case float
        case string
        /// Any JSON object.
        case object
        case enumeration([String])
        case structure([Field])
        /// A type that the interface defines.
        case reference(String)
        /// `?T`
        case nullable(ValueType)
        /// `[]T`
        case array(ValueType)
        /// `[string]T`
        case dictionary(ValueType)
    }

    /// - Parameter name: without the interface's name.
    package func method(_ name: String) -> Method? {
        methods.first { $0.name.isSpelled(as: name) }
    }

    package func type(_ name: String) -> ValueType? {
        types.first { $0.name.isSpelled(as: name) }?.type
    }

    /// - Parameter name: without the interface's name.
    package func error(_ name: String) -> ErrorDefinition? {
        errors.first { $0.name.isSpelled(as: name) }
    }
}

extension String {
    /// Whether both are the same bytes. `==` also takes what Unicode calls equivalent for equal, such as the Kelvin sign
    /// and K: names that are two in JSON.
    func isSpelled(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
