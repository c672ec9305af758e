package let version = "0.4.0"

/// The maintainer of the Debian package, as `"Name <address>"`. Not set yet: the package says `unset`.
package let maintainer: String? = nil

/// The project's address on the web, for the package and for GetInfo. Not set yet: GetInfo says `unset`.
package let homepage: String? = nil
