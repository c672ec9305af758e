/// Sort order of a list of users: `UserOrder` of io.userd. Users without the value come last in both directions.
package enum UserOrder: String, Sendable, Codable, CaseIterable {
    case name, age, registered, nationality, email, department, title, city
}
