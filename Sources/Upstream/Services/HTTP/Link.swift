import Model

extension HTTPHeaders {
    /// The address that a `Link` header calls the next page's (RFC 8288); nil where there is none. Several headers, or several
    /// links in one, are the same.
    package var nextLink: String? {
        for field in fields where field.isNamed("Link") {
            for link in field.value.links where link.relations.contains("next") { return link.address }
        }
        return nil
    }
}

extension String {
    /// `<address>; rel="next"; title="…", <address>; …`
    fileprivate var links: [(address: String, relations: [String])] {
        var links: [(String, [String])] = []
        var rest = self[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            let address = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            let (parameters, after) = rest.parameters
            rest = after
            let relations = parameters.first { $0.name.lowercased() == "rel" }?.value ?? ""
            links.append((String(address), relations.lowercased().split(separator: " ").map(String.init)))
        }
        return links
    }
}

extension Substring {
    /// Up to the comma that ends them, which is none between quotes.
    fileprivate var parameters: (list: [(name: String, value: String)], rest: Substring) {
        var list: [(String, String)] = []
        var (part, isQuoted) = ("", false)
        func add() {
            let pair = part.split(separator: "=", maxSplits: 1).map { String($0).trimmingBlanks() }
            if pair.count == 2 { list.append((pair[0], pair[1])) }
            part = ""
        }
        for index in indices {
            switch self[index] {
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted: add()
            case "," where !isQuoted:
                add()
                return (list, self[self.index(after: index)...])
            case let character: part.append(character)
            }
        }
        add()
        return (list, self[endIndex...])
    }
}
