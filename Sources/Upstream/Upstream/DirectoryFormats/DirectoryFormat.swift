import Model
import StrictJSON

/// Describes how an upstream lists users or facts: where its records are, which of their members are read,
/// and how its pages follow each other.
package struct DirectoryFormat: Sendable, Equatable {
    package let name: String
    /// Sent unless the settings have a query.
    package var query = ""
    package var pageSize = 100
    package var records = Pointer.whole
    /// Whether an answer that is a list is the list of records.
    package internal(set) var takesBareList = false
    package var fields: [String: FieldSource] = [:]
    /// Records that meet one of these are left out.
    package var skip: [Condition] = []
    /// Kinds of users that are listed. Records of other kinds are left out.
    package var kinds: Set<UserKind> = [.person]
    /// Kinds by the upstream's words for them, in lower case.
    package internal(set) var kindValues: [String: UserKind] = [:]
    /// A list of users of further kinds, beside the records.
    package internal(set) var others: Pointer?
    package var paging = Paging()
    /// How the directory says what changed since a list; nil if it can't.
    package internal(set) var changes: Changes?
    /// Whether pages have changes, and not the list.
    var isOfChanges = false
    /// The members that changes are asked for; nil if the directory decides.
    var selected: Set<String>?
    /// Part of the digest that serves as the id of a user without one; nil if an id is required.
    package internal(set) var identity: FieldSource?
    /// The id under which userd itself is registered at Microsoft; empty if it is not.
    var clientID = ""
    /// Whether numbers for dates are always seconds, and birthdays have a time.
    package internal(set) var hasExactDates = false
    /// Whether pages may repeat records and totals may not be reached.
    package internal(set) var repeats = false
    /// Fields that readers clear, because the settings leave them out.
    package internal(set) var omitted: Set<UserField> = []
    /// Pointers of omitted fields, which are no longer read.
    package internal(set) var omittedPointers: [Pointer] = []

    /// Whether records are LDAP entries, read by their attributes, and not JSON.
    package var isLDAP: Bool { name == "ldap" }

    /// Whether users' ages are calculated from their birthdays, or users are left out, on the day of the sync.
    package var agesDependOnToday: Bool {
        skip.contains { $0.tests.contains(.past) }
            || fields["born_at"] != nil && fields["age"] == nil && !omitted.contains(.age)
    }

    /// The client id that comes with userd, for people who sign in at an issuer; nil if there is none for it.
    package func clientID(at issuer: String?) -> String? {
        let isKnown = issuer?.hasPrefix("https://login.microsoftonline.com/") == true
        return isKnown && !clientID.isEmpty ? clientID : nil
    }

    /// Differs between formats that read records differently.
    package var fingerprint: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let omitted = omitted.map(\.name).sorted()
        return "\(records) \(fields) \(skip) \(paging)" + (omitted.isEmpty ? "" : " \(omitted)") + ofKinds
    }

    /// One or more pointers: the first that finds a value counts; for a list of contacts, all count.
    package struct FieldSource: Sendable, Equatable {
        package struct Place: Sendable, Equatable {
            package var pointer: Pointer
            package var kind: String?
            /// Texts at these pointers are appended to the pointer's.
            package var more: [Pointer] = []
        }

        package var places: [Place]
    }

    package struct Paging: Sendable, Equatable {
        package enum Style: String, Sendable, CaseIterable {
            /// One answer has everything.
            case none
            case number
            /// A page begins after so many records.
            case offset
            /// An answer has the cursor that the next request sends.
            case cursor
            /// An answer has the address of the next page.
            case url
            /// A header has the address of the next page (RFC 8288, `rel=next`).
            case link
        }

        package enum Step: String, Sendable, CaseIterable {
            case records
            /// The requested number: the server cuts the page first, and then leaves records out of it.
            case size
        }

        package var style = Style.none
        /// The query parameter of the number, the offset or the cursor.
        package var param: String?
        /// The parameter's value for the first page; if empty, the parameter is sent without a value.
        package var first: String?
        package var size: String?
        /// The query parameter of the seed that makes pages belong together.
        package var seed: String?
        /// Finds the cursor, or the address of the next page; for numbered pages the seed, or a value that
        /// the last page lacks.
        package var from: Pointer?
        /// The header that has the cursor, in place of `from`.
        package var header: String?
        /// Finds the total number of records.
        package var total: Pointer?
        /// Finds the member that says whether there is more.
        package var more: Pointer?
        /// Finds the beginning for a relative address of the next page.
        package var base: Pointer?
        /// How far each page advances the list.
        package var step = Step.records
    }
}

/// The fields of a fact that userd keeps, as named in `facts.fields`.
package enum FactField: String, CaseIterable, Sendable {
    case id, text
}
