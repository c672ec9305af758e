import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// Makes facts of a format's records. A fact without an id gets a digest of its text.
package struct FactReader: RecordsReader {
    package private(set) var reader = RecordReader()
    private let text: [ValuePlace]
    private let id: [ValuePlace]
    package let pointers: [Pointer]

    package init(_ format: DirectoryFormat) {
        var reader = RecordReader()
        func places(_ field: FactField) -> [ValuePlace] {
            (format.fields[field.rawValue]?.places ?? []).map {
                ValuePlace($0, hasKeys: format.records.hasBranches, in: &reader)
            }
        }
        (text, id) = (places(.text), places(.id))
        self.reader = reader
        pointers = FactField.allCases.flatMap { format.fields[$0.rawValue]?.places ?? [] }.flatMap {
            [$0.pointer] + $0.more
        }
    }

    /// Leaves out records with a blank text, or one that is too long.
    package func read(
        _ record: JSONRecord, from _: URL, into found: inout Page<NewFact>
    ) throws(FormatError) { try read(record, into: &found) }

    private func read(_ record: JSONRecord, into found: inout Page<NewFact>) throws(FormatError) {
        func first(_ places: [ValuePlace]) -> String? { places.lazy.compactMap(record.text).first }
        guard !record.json.isNull else { return found.leaveOut(unidentified: "expected a fact, found null") }
        guard let text = first(text) else {
            guard text.contains(where: { record.values(at: $0).contains { $0?.kind == .string } }) else {
                throw FormatError("no text", setting: "facts.fields.text")
            }
            found.leftOut.append(Digest.leftOut(Digest.factID("")))
            return
        }
        guard text.utf8.count <= FormatLimits.textBytes else {
            return found.leftOut.append(Digest.leftOut(Digest.factID(text)))
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

/// A single fact: a record, or the first of a list.
extension FactReader {
    /// Reads the answer with it, for recordings.
    package var whole: RecordReader {
        var whole = RecordReader()
        for pointer in pointers {
            whole.add(pointer)
            whole.add(pointer, below: [.each])
        }
        return whole
    }

    package func one(in answer: JSONValue) throws(FormatError) -> NewFact {
        let record = answer.kind == .array ? answer.elements(upTo: 1)?.first : answer
        guard let record, record.members?.isEmpty != true else {
            throw FormatError("upstream has no matching fact")
        }
        var found = Page<NewFact>()
        try read(reader.read(record), into: &found)
        guard let fact = found.records.first else { throw FormatError("upstream has no matching fact") }
        return fact
    }

    /// A fact's member may be named `title` or `message`, like an error's.
    package func complaint(in answer: JSONValue) -> UpstreamComplaint? {
        (try? one(in: answer)) == nil ? UpstreamComplaint(anyIn: answer) : nil
    }
}
