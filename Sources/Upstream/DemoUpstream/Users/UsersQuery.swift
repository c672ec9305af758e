/// The query of `/api/`. As with randomuser.me, invalid values are ignored.
struct UsersQuery {
    var results: Int
    /// From 1.
    var page: Int
    /// Nil for a random seed.
    var seed: String?
    /// All if none was named.
    var nationalities: [Nationality]
    var gender: Gender?
    /// In randomuser.me's order.
    var fields: [UserField]
    var isPretty: Bool
    var hasInfo: Bool

    init(_ parameters: [String: String], maxResults: Int, ignoresPage: Bool = false) {
        let asked = parameters["results"].flatMap { Int($0) } ?? 1
        results = (1...maxResults).contains(asked) ? asked : 1
        page = ignoresPage ? 1 : parameters["page"].flatMap { Int($0) } ?? 1
        if page < 1 || page.multipliedReportingOverflow(by: results).overflow { page = 1 }
        seed = parameters["seed"].flatMap { $0.isEmpty ? nil : $0 }

        let codes = Set(Self.items(parameters["nat"]).map { $0.uppercased() })
        let known = Nationality.all.filter { codes.contains($0.code) }
        nationalities = known.isEmpty ? Nationality.all : known
        gender = parameters["gender"].flatMap { Gender(rawValue: $0.lowercased()) }

        let included = Set(Self.items(parameters["inc"]).map { $0.lowercased() })
        let excluded = Set(Self.items(parameters["exc"]).map { $0.lowercased() })
        fields = UserField.allCases.filter { field in
            (parameters["inc"] == nil || included.contains("\(field)")) && !excluded.contains("\(field)")
        }
        isPretty = ["pretty", "prettyjson"].contains(parameters["format"]?.lowercased())
        hasInfo = parameters["noinfo"] == nil
    }

    /// Position of the page's first user in the list.
    var start: Int { (page - 1) * results }

    private static func items(_ list: String?) -> [String] {
        list?.split { $0 == "," || $0 == " " }.map(String.init) ?? []
    }
}

enum Gender: String {
    case female, male
}
