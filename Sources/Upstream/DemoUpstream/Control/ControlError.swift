/// Why a fault, an edit or a setting was refused; for people.
package struct ControlError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
