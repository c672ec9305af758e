/// Escapes the characters of JSON that control a terminal or are invisible: DEL, C1 controls, bidi controls
/// and all other format characters. Also escapes C0 controls, which only damaged JSON has unescaped (RFC
/// 8259).
///
/// - Parameters:
///   - json: a part of a document; has only whole characters.
///   - ascii: whether to escape all characters beyond ASCII.
package func terminalSafe(_ json: [UInt8], ascii: Bool = false) -> [UInt8] {
    // Characters beyond ASCII occur only in strings, where an escape means the same.
    guard json.contains(where: { $0 >= 0x7F || isControl($0) }) else { return json }
    var safe = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
        let isShown =
            scalar.value >= 0x7F ? !ascii && !scalar.isUnsafe : !isControl(scalar.value)
        if isShown {
            safe.unicodeScalars.append(scalar)
            continue
        }
        for unit in String(scalar).utf16 { safe += "\\u" + unit.hexadecimal }
    }
    return Array(safe.utf8)
}

/// Whether the code is a C0 control other than newline.
private func isControl(_ code: some BinaryInteger) -> Bool { code < 0x20 && code != 0x0A }
