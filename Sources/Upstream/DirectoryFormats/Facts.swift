import Model
import Services
import StrictJSON

/// Makes facts of a format's records. One without an id is called by a digest of its text.
struct FactReader: Sendable {
    private(set) var tree = ValueTree()
    private let text: [Int]
    private let id: [Int]

    init(_ format: DirectoryFormat) {
        var tree = ValueTree()
        func slots(_ field: FactField) -> [Int] {
            (format.fields[field.rawValue]?.places ?? []).map { tree.add($0.pointer) }
        }
        (text, id) = (slots(.text), slots(.id))
        self.tree = tree
    }

    /// - Parameter failure: the error of this record.
    func read(_ record: JSONValue, _ failure: (String) -> FormatError) throws(FormatError) -> NewFact {
        let values = tree.values(of: record)
        func first(_ slots: [Int]) -> String? { slots.lazy.compactMap { values[$0]?.text }.first }
        guard let text = first(text) else { throw failure("no text; see facts.fields.text") }
        guard text.utf8.count <= FormatLimits.textBytes else { throw failure("a text that is too long") }
        var fact = NewFact(text: text)
        if let id = first(id) {
            guard id.utf8.count <= FormatLimits.idBytes else {
                throw failure("an id longer than \(FormatLimits.idBytes) bytes")
            }
            fact.id = id
        }
        return fact
    }
}
