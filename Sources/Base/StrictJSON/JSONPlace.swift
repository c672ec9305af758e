/// The position of a value in its text.
package struct JSONPlace: Hashable, Sendable, CustomStringConvertible {
    package enum Step: Hashable, Sendable {
        case member(String)
        /// Counted from 0.
        case element(Int)
    }

    package var steps: [Step] = []

    package init(_ steps: [Step] = []) { self.steps = steps }

    /// The place for people, such as `results[17].name`.
    package var description: String {
        steps.reduce("") { path, step in
            switch step {
            case .member(let name): path.isEmpty ? name : "\(path).\(name)"
            case .element(let index): "\(path)[\(index)]"
            }
        }
    }

    /// The place as a pointer (RFC 6901), such as `/results/17/name`.
    package var pointer: String {
        steps.map { step in
            switch step {
            case .member(let name): "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
            case .element(let index): "/\(index)"
            }
        }.joined()
    }

    /// Finds the value at `offset`, or the one in which damaged text ends. Only done for errors.
    package init(of offset: Int, in text: UnsafeBufferPointer<UInt8>) {
        var walker = JSONWalker(bytes: text)
        if text.starts(with: StrictJSON.byteOrderMark) { walker.at = StrictJSON.byteOrderMark.count }
        walker.skipSeparators()
        // Limits the depth, because each level is walked again.
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
