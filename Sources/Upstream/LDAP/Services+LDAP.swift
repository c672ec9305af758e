import Model
import Upstream

extension UsersService {
    package static func ldap(_ directory: LDAPDirectory) -> UsersService {
        var service = UsersService(fetchPage: { try await directory.page($0, $1) })
        service.requiresConsistentPages = true
        service.canRetryPages = false
        service.changes = ChangesService(
            fingerprint: directory.fingerprint,
            obstacle: directory.settings.pages.map { _ in "users.pages ends the list before its end" },
            fetchPage: { try await directory.changes(after: $0, $1, $2) })
        service.changes?.isTokenRenewedByLists = false
        service.changes?.namesAll = false
        service.onManualSync = { directory.personAsks() }
        service.source = directory.settings.address.source
        return service
    }
}

extension PicturesService {
    /// Photos that are values of entries, by the addresses that the list gave them.
    package static func ldap(_ directory: LDAPDirectory, maximumBytes: Int = 2 << 20) -> PicturesService {
        PicturesService { url, _ in
            let own = directory.settings.address
            guard let address = try? LDAPAddress(url), address.server == own.server,
                address.scope == .base, !address.attributes.isEmpty,
                address.attributes.allSatisfy(directory.reader.photos.contains)
            else {
                throw UpstreamError(.decode, "\(url.shown(upTo: 200)) is not a photo of \(own.server)")
            }
            guard let content = try await directory.value(address.attributes, of: address.base) else {
                return .absent
            }
            let place = "the photo of \(address.base.shown(upTo: 200))"
            guard content.count <= maximumBytes else {
                throw UpstreamError(.tooLarge, "\(place) is larger than \(maximumBytes) bytes")
            }
            guard let type = imageType(content) else {
                throw UpstreamError(.decode, "\(place) is not a picture")
            }
            return .picture(FetchedPicture(content: content, contentType: type))
        }
    }
}

private func imageType(_ content: [UInt8]) -> String? {
    if content.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if content.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if content.starts(with: Array("GIF8".utf8)) { return "image/gif" }
    if content.starts(with: Array("BM".utf8)) { return "image/bmp" }
    return nil
}
