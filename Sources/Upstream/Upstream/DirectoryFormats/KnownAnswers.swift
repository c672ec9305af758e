import StrictJSON

/// The format whose list of users an answer looks like, for messages: by members that no other format has.
package func knownFormat(of body: [UInt8]) -> String? {
    guard let body = try? JSONValue(upstream: body) else { return nil }
    if body.kind == .object {
        if body["schemas"]?.elements(upTo: 1)?.first?.string?.hasPrefix("urn:ietf:params:scim:") == true {
            return "scim"
        }
        if body["@odata.context"] != nil { return "graph" }
        if body["kind"]?.string == "admin#directory#users" { return "google" }
        if body["people"]?.elements(upTo: 1)?.first?["resourceName"] != nil { return "google-people" }
        let user = body["users"]?.elements(upTo: 1)?.first
        return user?["name"]?["first"] != nil && user?["address"]?.kind == .object ? "userd" : nil
    }
    guard let first = body.elements(upTo: 1)?.first, first.kind == .object, first["id"] != nil else {
        return nil
    }
    if first["profile"]?["login"] != nil { return "okta" }
    guard first["username"] != nil else { return nil }
    return first["enabled"] != nil ? "keycloak" : first["web_url"] != nil ? "gitlab" : nil
}
