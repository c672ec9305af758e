import Model
import StrictJSON
import Upstream

extension FormatSurvey {
    /// - Parameter entries: with all their attributes; values do not matter.
    package init(_ format: DirectoryFormat, of entries: [DirectoryEntry]) {
        self.init()
        records = entries.count
        for field in UserField.all {
            for place in format.fields[field.name]?.places ?? [] {
                let name = place.pointer.description.asciiLowercased
                let found = entries.count { $0.attributes.contains { $0.name == name } }
                places.append(Place(field: field, pointer: place.pointer.description, found: found))
            }
        }
        let pointers = format.skip.map(\.pointer) + format.omittedPointers
        let kinds = format.hasOtherKinds ? EntryKind.attributes : []
        let read = Self.bookkeeping.union(
            (places.map(\.pointer) + pointers.map(\.description) + kinds).map(\.asciiLowercased))
        for name in entries.flatMap(\.attributes).map(\.name) where unread.count < Self.mostUnread {
            if !read.contains(name), !unread.contains(name) { unread.append(name) }
        }
    }

    /// Attributes that servers keep for their own use.
    private static let bookkeeping = Set(
        """
        accountexpires admincount badpasswordtime badpwdcount codepage countrycode creatorsname distinguishedname \
        dscorepropagationdata entrydn entryid entryusn instancetype iscriticalsystemobject lastlogoff lastlogon \
        lastlogontimestamp lockouttime logoncount logonhours modifiersname msds-keycredentiallink \
        msds-supportedencryptiontypes msexchwhenmailboxcreated mssfu30nisdomain name objectcategory objectclass \
        objectsid parentid primarygroupid pwdlastset samaccounttype showinadvancedviewonly \
        structuralobjectclass subschemasubentry userparameters usnchanged usncreated
        """.split(separator: " ").map(String.init))
}
