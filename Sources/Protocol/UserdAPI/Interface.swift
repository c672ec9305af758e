/// io.userd, as it is served and as everything here is named.
package enum UserdInterface {
    package static let name = "io.userd"
    /// The interface's text, to the letter.
    package static let description = String(decoding: PackageResources.io_userd_varlink, as: UTF8.self)

    /// `name` with the interface's before it.
    package static func qualified(_ name: String) -> String { "\(Self.name).\(name)" }
}
