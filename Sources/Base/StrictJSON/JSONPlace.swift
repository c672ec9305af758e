/// Where a value is in its text.
package struct JSONPlace: Hashable, Sendable, CustomStringConvertible {
    package enum Step: Hashable, Sendable {
        case member(String)
        /// From 0.
        case element(Int)
    }

    package var steps: [Step] = []

    package init(_ steps: [Step] = []) { self.steps = steps }

    /// Such as `results[17].name`.
    package var description: String {
        steps.reduce("") { path, step in
            switch step {
            case .member(let name): path.isEmpty ? name : "\(path).\(name)"
            case .element(let index): "\(path)[\(index)]"
            }
        }
    }

    /// As a pointer (RFC 6901), such as `/results/17/name`.
    package var pointer: String {
        steps.map { step in
            switch step {
            case .member(let name): "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
            case .element(let index): "/\(index)"
            }
        }.joined()
    }

    /// Looks for the value that is at `offset`, or that damaged text breaks off in. So places cost nothing until there is an
    /// error.
    package init(of offset: Int, in text: UnsafeBufferPointer<UInt8>) {
        var walker = JSONWalker(bytes: text)
        if text.starts(with: StrictJSON.byteOrderMark) { walker.at = StrictJSON.byteOrderMark.count }
        walker.skipSeparators()
        // Each level is walked again: no deeper than formats read.
        while steps.count < FormatLimits.depth, walker.at < min(offset, text.count),
            let bracket = "{[".utf8.first(where: { $0 == text[walker.at] })
        {
            let isObject = bracket == UInt8(ascii: "{")
            walker.at += 1
            var index = 0
            while true {
                guard walker.findNext() else { return }
                let name = isObject ? StrictJSON.text(ofContent: walker.nextName()) : ""
                let begin = walker.at
                let end = walker.skipValue().upperBound
                if end > offset || end == text.count {
                    steps.append(isObject ? .member(name) : .element(index))
                    walker.at = begin
                    break
                }
                index += 1
            }
        }
    }
}
