package enum UserdInterface {
    package static let name = "io.userd"
    package static let description = String(decoding: PackageResources.io_userd_varlink, as: UTF8.self)

    /// `name` with the prefix `io.userd.`.
    package static func qualified(_ name: String) -> String { "\(Self.name).\(name)" }
}
