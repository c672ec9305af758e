import TerminalViews

/// The same JSON with those characters escaped that a terminal obeys or does not show: DEL, C1 controls, bidi controls and
/// all other format characters. (RFC 8259 itself has C0 controls escaped.)
///
/// - Parameters:
///   - json: any part of a document that ends between two characters.
///   - charset: what else there is is escaped, too.
package func terminalSafe(_ json: [UInt8], _ charset: Charset = .unicode) -> [UInt8] {
    // Anything beyond ASCII is inside of a string, where an escape means the same.
    guard json.contains(where: { $0 >= 0x7F }) else { return json }
    var safe = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
        guard scalar.value >= 0x7F, charset == .ascii || scalar.isInvisible else {
            safe.unicodeScalars.append(scalar)
            continue
        }
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
    return Array(safe.utf8)
}

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
