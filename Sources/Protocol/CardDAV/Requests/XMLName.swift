struct XMLName: Hashable, Sendable {
    var namespace: String
    var local: String

    static func dav(_ local: String) -> XMLName { XMLName(namespace: dav, local: local) }
    static func carddav(_ local: String) -> XMLName { XMLName(namespace: carddav, local: local) }
    /// https://github.com/apple/ccs-calendarserver/blob/master/doc/Extensions/caldav-ctag.txt
    static let ctag = XMLName(namespace: calendarServer, local: "getctag")

    static let dav = "DAV:"
    static let carddav = "urn:ietf:params:xml:ns:carddav"
    static let calendarServer = "http://calendarserver.org/ns/"
}
