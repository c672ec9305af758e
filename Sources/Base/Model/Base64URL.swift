import FoundationEssentials

/// RFC 4648, section 5, without padding.
package func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    let plain = Data(bytes).base64EncodedData().prefix { $0 != UInt8(ascii: "=") }
    return String(
        decoding: plain.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }, as: UTF8.self)
}

/// Nil if the text is not base64url without padding.
package func bytes(base64URL text: Substring) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    return Data(base64Encoded: plain + padding).map { Array($0) }
}
