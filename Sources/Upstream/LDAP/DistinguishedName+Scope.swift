import Model

extension DistinguishedName {
    /// Whether a search from this base may find the entry.
    package func isWithin(_ base: DistinguishedName, _ scope: LDAPAddress.Scope) -> Bool {
        guard parts.suffix(base.parts.count) == base.parts[...] else { return false }
        return switch scope {
        case .base: parts.count == base.parts.count
        case .one: parts.count == base.parts.count + 1
        case .sub: true
        }
    }
}
