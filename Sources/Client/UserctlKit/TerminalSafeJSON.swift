import TerminalViews

/// The same JSON with those characters escaped that a terminal obeys or does not show: DEL, C1 controls, bidi controls and
/// all other format characters; and C0 controls, though RFC 8259 has them escaped: what was no JSON in the cache must not reach
/// a terminal either.
///
/// - Parameters:
///   - json: any part of a document that ends between two characters.
///   - charset: what else there is is escaped, too.
package func terminalSafe(_ json: [UInt8], _ charset: Charset = .unicode) -> [UInt8] {
    // Anything beyond ASCII is inside of a string, where an escape means the same.
    guard json.contains(where: { $0 >= 0x7F || isControl($0) }) else { return json }
    var safe = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
        let isShown =
            scalar.value >= 0x7F ? charset == .unicode && !scalar.isInvisible : !isControl(scalar.value)
        if isShown {
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

/// But for the newline between two lines.
private func isControl(_ code: some BinaryInteger) -> Bool { code < 0x20 && code != 0x0A }

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
