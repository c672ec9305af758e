import HTTP
import Model
import StrictJSON

/// Makes facts of a format's records. A fact without an id gets a digest of its text.
struct FactReader: Sendable {
    private(set) var reader = RecordReader()
    private let text: [ValuePlace]
    private let id: [ValuePlace]

    init(_ format: DirectoryFormat) {
        var reader = RecordReader()
        func places(_ field: FactField) -> [ValuePlace] {
            (format.fields[field.rawValue]?.places ?? []).map {
                ValuePlace($0, hasKeys: format.records.hasBranches, in: &reader)
            }
        }
        (text, id) = (places(.text), places(.id))
        self.reader = reader
    }

    /// Leaves out records with a blank text, or one that is too long.
    func read(_ record: JSONRecord, into found: inout FoundRecords<NewFact>) throws(FormatError) {
        func first(_ places: [ValuePlace]) -> String? { places.lazy.compactMap(record.text).first }
        guard !record.json.isNull else { return found.leaveOut(unidentified: "expected a fact, found null") }
        guard let text = first(text) else {
            guard text.contains(where: { record.values(at: $0).contains { $0?.kind == .string } }) else {
                throw FormatError("no text", setting: "facts.fields.text")
            }
            found.leftOut.append(Digest.factID(""))
            return
        }
        guard text.utf8.count <= FormatLimits.textBytes else {
            return found.leftOut.append(Digest.factID(text))
        }
        var fact = NewFact(text: text)
        if let id = first(id) {
            guard id.utf8.count <= FormatLimits.idBytes else {
                throw FormatError("an id longer than \(FormatLimits.idBytes) bytes")
            }
            fact.id = id
        }
        found.records.append(fact)
    }
}
