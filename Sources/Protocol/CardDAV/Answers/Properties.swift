enum Properties {
    static let data = XMLName.carddav("address-data")
    static let etag = XMLName.dav("getetag")
    private static let type = XMLName.dav("resourcetype")
    private static let contentType = XMLName.dav("getcontenttype")
    private static let displayName = XMLName.dav("displayname")
    private static let principal = XMLName.dav("current-user-principal")
    private static let privileges = XMLName.dav("current-user-privilege-set")
    private static let homeSet = XMLName.carddav("addressbook-home-set")
    private static let principalURL = XMLName.dav("principal-URL")
    private static let supportedData = XMLName.carddav("supported-address-data")
    private static let supportedReports = XMLName.dav("supported-report-set")

    private static let ofCard = [type, etag, contentType, principal, privileges]

    private static func all(of resource: Resource) -> [XMLName] {
        switch resource {
        case .start: [type, principal]
        case .principal: [type, displayName, principal, principalURL, homeSet]
        case .home: [type, displayName, principal, privileges]
        case .book:
            [type, displayName, principal, privileges, .ctag, supportedData, supportedReports]
        case .card: ofCard
        }
    }

    /// KDE heeds the privileges of a book, but does not ask for them.
    static func shown(of resource: Resource, _ wanted: DAVRequest.Properties) -> ShownProperties {
        ShownProperties(wanted, of: all(of: resource), unasked: resource == .book ? [privileges] : [])
    }

    /// Only a report that names the data gets it (RFC 6352, section 10.4).
    static func shownInReport(_ wanted: DAVRequest.Properties) -> ShownProperties {
        if case .some = wanted { return ShownProperties(wanted, of: ofCard + [data]) }
        return ShownProperties(wanted, of: ofCard)
    }

    /// The content of a property, in XML.
    /// - Parameter ctag: the book's.
    static func value(_ name: XMLName, of resource: Resource, ctag: String) -> String {
        switch name {
        case type: types(of: resource)
        case displayName: displayName(of: resource)
        case principal, principalURL: "<href>\(Resource.principalPath)</href>"
        case homeSet: "<href>\(Resource.homePath)</href>"
        // Clients let nobody write to a book with exactly this privilege.
        case privileges: "<privilege><read/></privilege>"
        case .ctag: ctag
        case contentType: "text/vcard; charset=utf-8"
        case supportedData: supportedVersions
        case supportedReports:
            ["multiget", "query"].map {
                "<supported-report><report><C:addressbook-\($0)/></report></supported-report>"
            }.joined()
        default: ""
        }
    }

    private static let supportedVersions = ["3.0", "4.0"].map {
        "<C:address-data-type content-type=\"text/vcard\" version=\"\($0)\"/>"
    }.joined()

    private static func types(of resource: Resource) -> String {
        switch resource {
        case .start, .home: "<collection/>"
        case .principal: "<collection/><principal/>"
        case .book: "<collection/><C:addressbook/>"
        // Without this empty property, Thunderbird removes all cards at its second sync.
        case .card: ""
        }
    }

    private static func displayName(of resource: Resource) -> String {
        switch resource {
        case .principal: "userd"
        case .home: "Address books"
        default: "Directory"
        }
    }
}
