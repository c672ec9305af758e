/// What is SCIM's alone beside its users.
enum SCIM {
    static func envelope(_ range: DirectoryRange) -> (String, String) {
        let start = range.hasCursor ? "" : #""startIndex":\#(range.positions.lowerBound + 1),"#
        let next = range.hasCursor ? range.next.map { #","nextCursor":"\#($0)""# } ?? "" : ""
        return (
            #"{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":\#(range.total),"#
                + #"\#(start)"itemsPerPage":\#(range.positions.count),"Resources":["#, "]\(next)}"
        )
    }

    /// Of RFC 7643, section 5, with `pagination` of RFC 9865.
    static func serviceProviderConfig(_ settings: DemoUpstream.DirectorySettings) -> String {
        let pagination = #"""
            "pagination":{"cursor":true,"index":true,"defaultPaginationMethod":"index","defaultPageSize":100,\#
            "maxPageSize":\#(settings.maxPageSize),"cursorTimeout":3600},
            """#
        return #"""
            {"schemas":["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],"patch":{"supported":false},\#
            "bulk":{"supported":false,"maxOperations":0,"maxPayloadSize":0},\#
            "filter":{"supported":false,"maxResults":\#(settings.maxPageSize)},"changePassword":{"supported":false},\#
            "sort":{"supported":false},"etag":{"supported":false},\#(settings.scimCursors ? pagination : "")\#
            "authenticationSchemes":[{"type":"oauthbearertoken","name":"OAuth Bearer Token",\#
            "description":"A token of /oauth2/token"}]}
            """#
    }
}
