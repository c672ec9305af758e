/// Sort order of a list of users: `UserOrder` of io.userd. Users without the value come last in both directions.
///
/// `match` is the order of names, after those whom a search finds by their names.
package enum UserOrder: String, Sendable, Codable, CaseIterable {
    case name, age, registered, nationality, email, department, title, city, match
}
