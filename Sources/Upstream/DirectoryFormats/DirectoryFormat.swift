import StrictJSON

/// How a JSON API says who is in an organisation, or lists short texts: where its records are, what of them is read, and how
/// its pages follow each other.
package struct DirectoryFormat: Sendable, Equatable {
    package let name: String
    /// Sent where the settings say nothing else.
    package var query = ""
    package var pageSize = 100
    package var records = Pointer.whole
    /// Whether an answer that is a list is the list of records.
    package internal(set) var takesBareList = false
    package var fields: [String: FieldSource] = [:]
    /// A record of which one of these is so is left out.
    package var skip: [Condition] = []
    package var paging = Paging()
    /// What tells apart users without an id, whose id is then a digest of who they are; nil where an id is needed.
    package internal(set) var identity: FieldSource?
    /// Whether numbers for dates are always seconds, and birthdays have a time.
    package internal(set) var hasExactDates = false
    /// Whether pages may repeat records and totals may not be reached.
    package internal(set) var repeats = false

    package init(name: String) { self.name = name }

    /// Whether entries of a directory are read, by their attributes, and not JSON.
    package var isLDAP: Bool { name == "ldap" }

    /// Whether users have ages by the day on which they are read.
    package var agesDependOnToday: Bool { fields["born_at"] != nil && fields["age"] == nil }

    /// Differs where records would be read in another way.
    package var fingerprint: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(records) \(fields) \(skip) \(paging)"
    }

    /// One pointer, or several of which the first counts that leads to something; all count for a list of contacts.
    package struct FieldSource: Sendable, Equatable {
        package struct Place: Sendable, Equatable {
            package var pointer: Pointer
            /// Of contacts: what kind those are that are found there.
            package var kind: String?
            /// Texts there are joined to it.
            package var more: [Pointer] = []
        }

        package var places: [Place]
    }

    package struct Paging: Sendable, Equatable {
        package enum Style: String, Sendable, CaseIterable {
            /// All is in one answer.
            case none
            /// Pages are numbered.
            case number
            /// A page begins after so many records.
            case offset
            /// An answer names what the next request has to send along.
            case cursor
            /// An answer has the address of the next page.
            case url
            /// A header has it (RFC 8288, `rel=next`).
            case link
        }

        package enum Step: String, Sendable, CaseIterable {
            /// As many records as came.
            case records
            /// As many as were asked for: the server chooses a page first, and leaves records out of it then.
            case size
        }

        package var style = Style.none
        /// The query parameter of the number, the offset or the cursor.
        package var param: String?
        /// Of the first page; empty: the parameter is sent without a value.
        package var first: String?
        /// The query parameter of the page's size.
        package var size: String?
        /// The query parameter of the seed that makes pages belong together.
        package var seed: String?
        /// The cursor, or the address of the next page; of numbered pages the seed, or what is absent on the last.
        package var from: Pointer?
        /// How many records there are in all.
        package var total: Pointer?
        /// What says whether there is more.
        package var more: Pointer?
        /// What a relative address of the next page begins with.
        package var base: Pointer?
        /// By what each page brings the list closer to its total.
        package var step = Step.records

        package init() {}
    }
}

/// What userd keeps of a fact, by the names of `facts.fields`.
package enum FactField: String, CaseIterable, Sendable {
    case id, text
}
