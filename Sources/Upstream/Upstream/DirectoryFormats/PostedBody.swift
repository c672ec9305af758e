import HTTP
import StrictJSON
import YAML

extension RequestBody {
    /// Reads `users.body`: JSON if it is a mapping or a list, or else a form or another text.
    package init(_ node: YAMLNode) {
        if case .scalar(let text, _) = node.content {
            self.init(text: text)
        } else {
            self.init(.json(node.json))
        }
    }
}

extension DirectoryFormat.Paging {
    /// The number in a body of JSON at the place of the page's size; nil if there is none.
    package func size(in body: RequestBody?) -> Int? {
        guard let size, let pointer = try? Pointer(size), case .json(let json)? = body?.content else {
            return nil
        }
        var reader = RecordReader()
        let slot = reader.add(pointer)
        return reader.read(JSONValue(trusting: json))[slot]?.int.flatMap { 1...100_000 ~= $0 ? Int($0) : nil }
    }

    /// The parameters whose names are pointers into the body, if there is no body or it has no such place.
    package func misplaced(in body: RequestBody?) -> [(key: String, reason: String)] {
        [("param", param), ("size", size)].compactMap { key, place in
            guard let place, place.hasPrefix("/") else { return nil }
            guard var body else {
                return (
                    key, "is a pointer into users.body, which is not set; a query parameter has no /"
                )
            }
            guard let pointer = try? Pointer(place), body.put("1", at: pointer) else {
                return (key, "finds no place in users.body, which has to be JSON or a form")
            }
            return nil
        }
    }
}

extension YAMLNode {
    fileprivate var json: [UInt8] {
        switch content {
        case .scalar(let text, let isPlain):
            if isNull { return Array("null".utf8) }
            let bytes = Array(text.utf8)
            let isLiteral = isPlain && (try? JSONValue(validating: bytes, maximumDepth: 1)) != nil
            return isLiteral ? bytes : StrictJSON.quoted(text)
        case .sequence(let nodes):
            return Array("[".utf8) + nodes.map(\.json).joined(separator: Array(",".utf8)) + Array("]".utf8)
        case .mapping(let members): return StrictJSON.object(members.map { ($0.name, $0.value.json) })
        }
    }
}
