import FoundationEssentials
import StrictJSON

/// The body of a POST that requests a list. Some places in it choose the page.
package struct RequestBody: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// Valid JSON.
        case json([UInt8])
        case form(QueryParameters)
        case text(String)
    }

    package private(set) var content: Content

    package init(_ content: Content) { self.content = content }

    /// Recognises an object or a list in JSON, a form, or else a text.
    package init(text: String) {
        let json = try? JSONValue(validating: Array(text.utf8), maximumDepth: FormatLimits.depth)
        if let json, json.kind == .object || json.kind == .array {
            self.init(.json(Array(json.raw)))
            return
        }
        let isForm =
            text.contains("=")
            && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"\"<>{}\\^`|".utf8.contains($0) }
        self.init(isForm ? .form(QueryParameters(text)) : .text(text))
    }

    var contentType: String {
        switch content {
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        case .text: "text/plain; charset=utf-8"
        }
    }

    var bytes: [UInt8] {
        switch content {
        case .json(let json): json
        case .form(let form): Array(form.encoded.utf8)
        case .text(let text): Array(text.utf8)
        }
    }

    /// Texts of the body that an upstream may quote.
    package var words: [String] {
        switch content {
        case .json(let json): JSONValue(trusting: json).texts
        case .form(let form): form.all.map(\.value)
        case .text(let text): [text]
        }
    }

    /// Puts a value at a place such as `/variables/after`. It becomes a number if it looks like one and no
    /// text was there; a cursor becomes a text, unless a number was there.
    /// - Returns: whether the body can have this place.
    @discardableResult
    package mutating func put(_ value: String, isCursor: Bool = false, at pointer: Pointer) -> Bool {
        let names = pointer.steps.compactMap { if case .named(let name) = $0 { name } else { nil } }
        guard !names.isEmpty, names.count == pointer.steps.count else { return false }
        switch content {
        case .json(let json):
            let changed = JSONValue(trusting: json).putting(at: names[...]) { old in
                let isText = isCursor ? old.kind != .number : old.kind == .string
                return isText || Int64(value) == nil ? StrictJSON.quoted(value) : Array(value.utf8)
            }
            guard let changed else { return false }
            content = .json(changed)
        case .form(let form):
            guard names.count == 1 else { return false }
            var changed = QueryParameters("")
            changed.append(names[0], value)
            changed.append(unlessNamed: form)
            content = .form(changed)
        case .text: return false
        }
        return true
    }
}

extension HTTPRequest {
    /// Asks for JSON.
    package init(json url: URL, posting body: RequestBody? = nil) {
        self.init(url: url, headers: ["Accept": "application/json"], body: body?.bytes)
        headers["Content-Type"] = body?.contentType
    }
}

extension JSONValue {
    /// Replaces the value at a place, and makes missing objects on the way; nil if a list lacks the element,
    /// or if something on the way is neither an object nor a list.
    fileprivate func putting(at path: ArraySlice<String>, _ value: (JSONValue) -> [UInt8]) -> [UInt8]? {
        guard let name = path.first else { return value(self) }
        let rest = path.dropFirst()
        if var elements = self.elements?.map({ Array($0.raw) }) {
            guard let index = Int(name), elements.indices.contains(index),
                let changed = JSONValue(trusting: elements[index]).putting(at: rest, value)
            else { return nil }
            elements[index] = changed
            return Array("[".utf8) + elements.joined(separator: Array(",".utf8)) + Array("]".utf8)
        }
        guard var members = isNull ? [] : self.members?.map({ (name: $0.name, value: Array($0.value.raw)) })
        else { return nil }
        if !members.contains(where: { $0.name == name }) { members.append((name, Array("null".utf8))) }
        for index in members.indices where members[index].name == name {
            guard let changed = JSONValue(trusting: members[index].value).putting(at: rest, value) else {
                return nil
            }
            members[index].value = changed
        }
        return StrictJSON.object(members)
    }

    fileprivate var texts: [String] {
        string.map { [$0] } ?? (elements ?? members?.map(\.value) ?? []).flatMap(\.texts)
    }
}
