/// The value of a column or parameter. https://www.sqlite.org/datatype3.html
package enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Text that is known to be valid UTF-8. A `String` would check it again.
    case utf8([UInt8])
    case blob([UInt8])
}

/// A type that can be bound to a parameter.
package protocol Bindable {
    var value: Value { get }
}

extension Value: Bindable { package var value: Value { self } }
extension Int: Bindable { package var value: Value { .integer(Int64(self)) } }
extension Int64: Bindable { package var value: Value { .integer(self) } }
extension Bool: Bindable { package var value: Value { .integer(self ? 1 : 0) } }
extension Double: Bindable { package var value: Value { .real(self) } }
extension String: Bindable { package var value: Value { .text(self) } }
extension [UInt8]: Bindable { package var value: Value { .blob(self) } }
extension Optional: Bindable where Wrapped: Bindable { package var value: Value { self?.value ?? .null } }
