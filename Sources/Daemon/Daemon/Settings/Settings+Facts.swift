import YAML

extension Settings {
    struct Facts: Sendable {
        var format = "catfact"
        var url = "https://catfact.ninja/facts"
        var oneURL: String? = "https://catfact.ninja/fact"
        var pageSize = 100
        var maxCount = 10_000
        var interval = Duration.seconds(6 * 3600)
        var records: YAMLNode?
        var fields: YAMLNode?
        var paging: YAMLNode?
    }
}

extension Setting {
    static let facts: [Setting] = [
        Setting(
            "facts.format", \.facts.format, .format,
            default: "catfact; none if users.url is set and no setting of facts is",
            "The format of facts.url: catfact or json; none turns facts off"),
        Setting("facts.url", \.facts.url, .url, "The address to fetch facts from"),
        Setting(
            "facts.one_url", \.facts.oneURL, .optionalURL,
            default: "https://catfact.ninja/fact; none with facts.format json",
            "The address to fetch a single fact from"),
        Setting("facts.page_size", \.facts.pageSize, .integer(1...1000), "Facts per page"),
        Setting(
            "facts.max_count", \.facts.maxCount, .integer(1...1_000_000),
            "Facts to keep; the oldest are removed first"),
        Setting(
            "facts.interval", \.facts.interval, .interval, "The time from one sync of facts to the next"),
        Setting(
            "facts.records", \.facts.records, .records, default: "the whole answer",
            "The pointer to the list of facts in an answer (facts.format json)"),
        Setting(
            "facts.fields", \.facts.fields, .fields(example: "{text: /quote, id: /id}"), default: "none",
            "The member of a record with a fact's text, and the one with its id if it has one"),
        Setting(
            "facts.paging", \.facts.paging, .paging, default: "all is in one answer",
            "How to request the next page of facts"),
    ]
}
