/// A parsed Varlink interface description; declarations are in text order.
package struct Interface: Hashable, Sendable {
    /// Such as "io.userd".
    package let name: String
    /// The comment above the declaration, without `#`, lines joined by line feeds; empty if there is none.
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

        /// Marks a method that fails with ExpectedMore without the flag. Other tools read the same comment.
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
        /// A signed 64-bit integer.
        case int
        case float
        case string
        case object
        case enumeration([String])
        case structure([Field])
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

    package func error(_ name: String) -> ErrorDefinition? {
        errors.first { $0.name.isSpelled(as: name) }
    }
}

extension String {
    /// Compares bytes. `==` compares by Unicode equivalence, under which names that differ in JSON may be
    /// equal, such as K and the Kelvin sign.
    func isSpelled(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
