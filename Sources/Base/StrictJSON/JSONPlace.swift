/// Where a value stands in its text.
package indirect enum JSONPlace: CustomStringConvertible {
    case top
    case member(String, of: JSONPlace)
    case element(Int, of: JSONPlace)

    package var description: String {
        switch self {
        case .top: ""
        case .member(let name, .top): name
        case .member(let name, let parent): "\(parent).\(name)"
        case .element(let index, let parent): "\(parent)[\(index)]"
        }
    }
}

extension JSONPlace {
    /// Looks for the value that begins there. So places cost nothing until there is an error.
    init(of start: Int, in document: UnsafeBufferPointer<UInt8>) {
        self = .top
        var walker = JSONWalker(bytes: document)
        while walker.at < start {
            let isObject = document[walker.at] == UInt8(ascii: "{")
            walker.at += 1
            var index = 0
            while true {
                guard walker.findNext() else { return }
                let name = isObject ? StrictJSON.text(ofContent: walker.nextName()) : ""
                let begin = walker.at
                if walker.skipValue().upperBound > start {
                    self = isObject ? .member(name, of: self) : .element(index, of: self)
                    walker.at = begin
                    break
                }
                index += 1
            }
        }
    }
}
