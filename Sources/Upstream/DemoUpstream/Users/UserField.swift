/// The top-level members of a user in randomuser.me's order.
enum UserField: Int, CaseIterable {
    case gender, name, location, email, login, dob, registered, phone, cell, id, picture, nat
}
