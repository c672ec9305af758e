import StrictJSON

package struct Reply: Hashable, Sendable {
    /// A JSON object.
    package let parameters: [UInt8]
    package let continues: Bool

    package init(parameters: [UInt8] = emptyParameters, continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
    }
}

package struct VarlinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fully qualified, such as "io.userd.NotFound".
    package let name: String
    /// A JSON object.
    package let parameters: [UInt8]

    package init(name: String, parameters: [UInt8] = emptyParameters) {
        self.name = name
        self.parameters = parameters
    }

    package var description: String { name + " " + String(decoding: parameters, as: UTF8.self) }
}

/// The errors of org.varlink.service. A text that a client chose is cut, so that errors stay small.
extension VarlinkError {
    /// Bytes of a client's text that an error repeats.
    package static let echoedBytes = 1024

    package static func interfaceNotFound(_ interface: String) -> VarlinkError {
        standard("InterfaceNotFound", ("interface", interface))
    }

    /// - Parameter method: fully qualified.
    package static func methodNotFound(_ method: String) -> VarlinkError {
        standard("MethodNotFound", ("method", method))
    }

    package static func methodNotImplemented(_ method: String) -> VarlinkError {
        standard("MethodNotImplemented", ("method", method))
    }

    package static func invalidParameter(_ parameter: String) -> VarlinkError {
        standard("InvalidParameter", ("parameter", parameter))
    }

    package static let permissionDenied = standard("PermissionDenied")
    package static let expectedMore = standard("ExpectedMore")

    private static func standard(_ name: String, _ texts: (name: String, value: String)...) -> VarlinkError {
        let parameters = texts.map {
            (name: $0.name, value: StrictJSON.quoted($0.value.cut(to: echoedBytes)))
        }
        return VarlinkError(name: "org.varlink.service." + name, parameters: StrictJSON.object(parameters))
    }
}

extension String {
    /// At most `count` bytes, which end with a whole Unicode scalar.
    fileprivate func cut(to count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        while end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
