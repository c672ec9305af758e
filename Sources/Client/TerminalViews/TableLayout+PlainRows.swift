// Budget: a table of 100,000 users is printed in at most 2 times the time of `sqlite3 -json`. `lines` would take several times
// as long; StreamedTableTests compares the two.

import Model

extension TableLayout {
    /// Appends a row of one line in which nothing is cut, and a newline: the same text as `lines`.
    /// - Returns: false for other rows; appends nothing then.
    func append(_ row: [String], to bytes: inout [UInt8]) -> Bool {
        guard isPlain else { return false }
        let start = bytes.count
        for (place, column) in grid[0].enumerated() {
            if place > 0 { appendBlanks(columnGap, to: &bytes) }
            let alignment = headings[column].alignment
            var text = row[column]
            var width = text.utf8.count
            let link = headings[column].link?(text)
            if link != nil || !text.utf8.allSatisfy(isPrintableASCII) {
                var span = Span(text).shown(in: canvas.charset)
                span.link = link
                text = span.encoded(
                    colour: false, isolates: canvas.width != nil && canvas.charset == .unicode)
                width = span.width
            }
            let missing = widths[column] - width
            let isWhole = text.withUTF8 { text in
                guard missing >= 0 else { return false }
                if alignment == .trailing {
                    appendBlanks(missing, to: &bytes)
                }
                bytes.append(contentsOf: text)
                if alignment == .leading {
                    appendBlanks(missing, to: &bytes)
                }
                return true
            }
            guard isWhole else {
                bytes.removeSubrange(start...)
                return false
            }
        }
        while bytes.count > start, bytes.last == 0x20 { bytes.removeLast() }
        // A last character outside ASCII may be a blank, too.
        if bytes.count > start, let last = bytes.last, last >= 0x80 {
            bytes.removeSubrange(start...)
            return false
        }
        bytes.append(UInt8(ascii: "\n"))
        return true
    }
}

private func appendBlanks(_ count: Int, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: repeatElement(0x20, count: count))
}
