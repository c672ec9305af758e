/// The top-level members of a user, in the order in which randomuser.me writes them.
enum UserField: String, CaseIterable {
    case gender, name, location, email, login, dob, registered, phone, cell, id, picture, nat
}
