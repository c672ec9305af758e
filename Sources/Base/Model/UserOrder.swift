/// What a list of users is sorted by: `UserOrder` of io.userd. A user who lacks it comes last, either way.
package enum UserOrder: String, Sendable, Codable, CaseIterable {
    case name, age, registered, nationality, email
}
