import CLDAP
import Glibc
import Model

struct Search {
    var base: String
    var scope: LDAPAddress.Scope
    var filter: String
    var attributes: [String]
    /// Whether to get only the names of attributes, without values.
    var isOfTypes = false
    /// Nil for all entries at once.
    var pageSize: Int?
    /// 0 for no limit.
    var sizeLimit: CInt = 0
    /// References to these are not counted.
    var own: Set<DistinguishedName> = []

    static let anything = "(objectClass=*)"

    static func entry(_ dn: String, _ attributes: [String]) -> Search {
        Search(base: dn, scope: .base, filter: anything, attributes: attributes)
    }
}

/// A result other than success.
struct ResultError: Error {
    var code: ResultCode
    /// The server's message.
    var said: String
    /// The number of entries received before.
    var entries = 0
}

/// The size of an answer so far. Entries and values count for more than their bytes, as memory does.
private struct AnswerSize {
    static let entry = 128
    static let value = 16
    private var bytes = 0

    mutating func add(_ more: Int, _ settings: LDAPSettings) throws(UpstreamError) {
        bytes += more
        guard bytes > settings.maximumBytes else { return }
        throw UpstreamError(
            .tooLarge, "a page of \(settings.address.server) is larger than \(settings.maximumBytes) bytes")
    }
}

struct SearchOutcome {
    /// The place to continue from (RFC 2696); empty at the end.
    var cookie: [UInt8] = []
    /// The number of parts of the directory that are on other servers.
    var references = 0
}

extension LDAPConnection {
    /// - Parameter found: called with each entry as it arrives.
    func search(
        _ search: Search, from cookie: [UInt8] = [], entries before: Int = 0,
        _ found: (DirectoryEntry) throws -> Void
    ) throws -> SearchOutcome {
        let message = try start(search, from: cookie)
        do {
            return try collect(message, search.own, entries: before, found)
        } catch {
            _ = libldap.ldap_abandon_ext(handle, message, nil, nil)
            throw error
        }
    }

    /// An entry; nil if it is missing, or hidden from userd.
    func entry(_ search: Search) throws -> DirectoryEntry? { try entries([search])[0] }

    /// One entry for each search. All searches are sent before the first answer is read.
    func entries(_ searches: [Search]) throws -> [DirectoryEntry?] {
        let messages = try searches.map { try start($0, from: []) }
        var found = [DirectoryEntry?](repeating: nil, count: searches.count)
        var left = Set(messages)
        var size = AnswerSize()
        // Answers are read as they come: libldap would keep those to the other searches, without a limit.
        while !left.isEmpty {
            let answer = try next(LDAP_RES_ANY)
            defer { _ = libldap.ldap_msgfree(answer) }
            let message = libldap.ldap_msgid(answer)
            guard let index = messages.firstIndex(of: message), left.contains(message) else { continue }
            switch Int(libldap.ldap_msgtype(answer)) {
            case cldap_entry: found[index] = try read(answer, &size)
            case cldap_result:
                left.remove(message)
                do { _ = try end(answer, entries: 0) } catch let error as ResultError
                    where !error.code.isPassing
                { found[index] = nil }
            default: continue
            }
        }
        return found
    }

    private func start(_ search: Search, from cookie: [UInt8]) throws -> CInt {
        var control: UnsafeMutablePointer<LDAPControl>?
        if let size = search.pageSize {
            var cookie = cookie.map { CChar(bitPattern: $0) }
            let code = cookie.withUnsafeMutableBufferPointer { bytes in
                var value = berval(bv_len: ber_len_t(bytes.count), bv_val: bytes.baseAddress)
                return libldap.ldap_create_page_control(handle, ber_int_t(size), &value, 0, &control)
            }
            guard code == LDAP_SUCCESS else { throw UpstreamError.local(code, "", settings, errno: errno) }
        }
        defer { if let control { libldap.ldap_control_free(control) } }
        let scope =
            switch search.scope {
            case .base: cldap_base
            case .one: cldap_one
            case .sub: cldap_sub
            }
        var names = search.attributes.map { strdup($0) } + [nil]
        defer { for name in names { free(name) } }
        var controls = [control, nil]
        var limit = timeval(settings.deadline)
        var message: CInt = 0
        let code = libldap.ldap_search_ext(
            handle, search.base, CInt(scope), search.filter, &names, search.isOfTypes ? 1 : 0, &controls,
            nil, &limit, search.sizeLimit, &message)
        guard code == LDAP_SUCCESS else { throw UpstreamError.local(code, "", settings, errno: errno) }
        return message
    }

    private func collect(
        _ message: CInt, _ own: Set<DistinguishedName>, entries before: Int,
        _ found: (DirectoryEntry) throws -> Void
    ) throws -> SearchOutcome {
        var outcome = SearchOutcome()
        var (entries, size) = (before, AnswerSize())
        while true {
            let answer = try next(message, entries: entries)
            defer { _ = libldap.ldap_msgfree(answer) }
            switch Int(libldap.ldap_msgtype(answer)) {
            case cldap_entry:
                let entry = try read(answer, &size)
                entries += 1
                try found(entry)
            case cldap_reference:
                if try !leads(answer, to: own) { outcome.references += 1 }
            case cldap_result:
                outcome.cookie = try end(answer, entries: entries)
                return outcome
            default: continue
            }
        }
    }

    /// Whether a reference leads to one of these parts.
    private func leads(_ answer: OpaquePointer, to own: Set<DistinguishedName>) throws -> Bool {
        var addresses: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let code = libldap.ldap_parse_reference(handle, answer, &addresses, nil, 0)
        defer {
            let all = UnsafeMutableRawPointer(addresses)
            libldap.ldap_memvfree(all?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self))
        }
        guard code == LDAP_SUCCESS else { throw UpstreamError.local(code, "", settings, errno: errno) }
        guard let first = addresses?.pointee, let address = try? LDAPAddress(String(cString: first)) else {
            return false
        }
        return own.contains(DistinguishedName(address.base))
    }

    /// Reads the end of an answer, and throws its error.
    /// - Returns: the cookie.
    private func end(_ answer: OpaquePointer, entries: Int) throws -> [UInt8] {
        var controls: UnsafeMutablePointer<UnsafeMutablePointer<LDAPControl>?>?
        let (code, said) = try outcome(answer, controls: &controls)
        defer { libldap.ldap_controls_free(controls) }
        guard code == LDAP_SUCCESS else {
            throw ResultError(code: ResultCode(value: code), said: said, entries: entries)
        }
        guard let control = libldap.ldap_control_find(LDAP_CONTROL_PAGEDRESULTS, controls, nil) else {
            return []
        }
        var (count, cookie) = (ber_int_t(0), berval())
        let parsed = libldap.ldap_parse_pageresponse_control(handle, control, &count, &cookie)
        defer { libldap.ldap_memfree(cookie.bv_val) }
        guard parsed == LDAP_SUCCESS else { throw UpstreamError.local(parsed, "", settings, errno: errno) }
        return cookie.bytes
    }

    private func read(_ answer: OpaquePointer, _ size: inout AnswerSize) throws -> DirectoryEntry {
        try size.add(AnswerSize.entry, settings)
        var (reader, name) = (OpaquePointer?.none, berval())
        let begun = libldap.ldap_get_dn_ber(handle, answer, &reader, &name)
        defer { libldap.ber_free(reader, 0) }
        guard begun == LDAP_SUCCESS else { throw UpstreamError.local(begun, "", settings, errno: errno) }
        try size.add(Int(name.bv_len), settings)
        let dn = String(decoding: name.bytes, as: UTF8.self)
        var attributes: [DirectoryEntry.Attribute] = []
        while true {
            var (type, values) = (berval(), UnsafeMutablePointer<berval>?.none)
            let code = libldap.ldap_get_attribute_ber(handle, answer, reader, &type, &values)
            // The values belong to the answer: only their list is freed.
            defer { libldap.ber_memfree(values) }
            guard code == LDAP_SUCCESS else { throw UpstreamError.local(code, "", settings, errno: errno) }
            guard type.bv_val != nil else { return DirectoryEntry(dn: dn, attributes: attributes) }
            try size.add(AnswerSize.value + Int(type.bv_len), settings)
            var found: [[UInt8]] = []
            var next = values
            while let value = next?.pointee, value.bv_val != nil {
                try size.add(AnswerSize.value + Int(value.bv_len), settings)
                found.append(value.bytes)
                next = next?.advanced(by: 1)
            }
            if let attribute = DirectoryEntry.Attribute(String(decoding: type.bytes, as: UTF8.self), found) {
                attributes.append(attribute)
            }
        }
    }
}

extension berval {
    fileprivate var bytes: [UInt8] {
        Array(UnsafeRawBufferPointer(start: bv_val, count: bv_val == nil ? 0 : Int(bv_len)))
    }
}
