import Cache
import Model
import Testing

/// Names as directories have them, and as people type them.
@Suite("Names in twelve scripts")
struct NameFormsTests {
    private typealias Name = (family: String, given: String, display: String?)

    /// Everybody is in one list, so that each search could find the others.
    private static let people: [String: Name] = [
        // Latin.
        "müller": ("Müller", "Jürgen", nil), "mueller": ("Mueller", "Juergen", nil),
        "muller": ("Muller", "Gerd", nil),
        "haas": ("Haas", "Eva", nil), "hassan": ("Hassan", "Omar", nil), "joyce": ("Joyce", "James", nil),
        "joey": ("Tribbiani", "Joey", nil), "coen": ("Coen", "Ethan", nil),
        "connor": ("Connor", "Sarah", nil),
        "jo": ("Doe", "Jo", nil), "øst": ("Øst", "Ådne", nil), "nguyễn": ("Nguyễn", "Thị Hương", nil),
        "şahin": ("Şahin", "Işıl", nil), "łódź": ("Wałęsa", "Łucja", nil), "obrien": ("O’Brien", "Síle", nil),
        "berg": ("van den Berg", "Anna", nil), "wide": ("Ｓｍｉｔｈ", "Ｂｏｂ", nil), "joe": ("Roe", "Joe", nil),
        // Greek, Cyrillic, Armenian, Georgian.
        "παπαδόπουλος": ("Παπαδόπουλος", "Νίκος", nil), "щербакова": ("Щербакова", "Алёна", nil),
        "пётр": ("ПЁТРОВ", "Пётр", nil), "հայկ": ("Պետրոսյան", "Հայկ", nil),
        "გიორგი": ("ბერიძე", "გიორგი", nil),
        // Arabic letters, in Arabic and Persian, and Hebrew.
        "محمد": ("الأحمد", "مُحَمَّد", nil), "فاطمة": ("العلي", "فاطمة", nil), "کریمی": ("کریمی", "علی", nil),
        "مصطفى": ("عـــلي", "مصطفى", nil), "שלום": ("כֹּהֵן", "שָׁלוֹם", nil),
        // Devanagari, Tamil, Thai.
        "शर्मा": ("शर्मा", "प्रिया", nil), "தமிழ்": ("செல்வன்", "தமிழ்", nil), "สมชาย": ("ใจดี", "สมชาย", nil),
        // Han, kana, Hangul.
        "山田": ("山田", "太郎", nil), "山本": ("山本", "太一", "太一 山本"), "鈴木": ("スズキ", "イチロー", nil),
        "halfwidth": ("ｶﾄｳ", "ﾊﾅｺ", nil), "ひろ": ("さとう", "ひろ", nil), "王": ("王", "小明", nil),
        "김": ("김", "민준", nil), "john": ("スミス", "ジョン", "ジョン・スミス"),
    ]

    private static let forms: [(typed: String, ids: [String])] = [
        ("Müller", ["müller", "mueller", "muller"]), ("mueller", ["müller", "mueller", "muller"]),
        ("MULLER", ["müller", "mueller", "muller"]), ("juergen", ["müller", "mueller"]), ("haas", ["haas"]),
        ("joey", ["joey"]), ("coen", ["coen"]), ("joe", ["joe", "joey"]), ("adne ost", ["øst"]),
        ("aadne oest", ["øst"]), ("nguyen huong", ["nguyễn"]), ("SAHIN", ["şahin"]),
        ("walesa lucja", ["łódź"]),
        ("o'brien", ["obrien"]), ("obrien", ["obrien"]), ("vandenberg", ["berg"]), ("smith bob", ["wide"]),
        ("ΠΑΠΑΔΟΠΟΥΛΟΣ", ["παπαδόπουλος"]), ("νικοσ", ["παπαδόπουλος"]), ("ΝΙΚΟΣ", ["παπαδόπουλος"]),
        ("алена", ["щербакова"]), ("петров ПЕТР", ["пётр"]), ("ՊԵՏՐՈՍՅԱՆ", ["հայկ"]),
        ("ბერიძე გიო", ["გიორგი"]),
        ("محمد الاحمد", ["محمد"]), ("فاطمه", ["فاطمة"]), ("كريمي علي", ["کریمی"]), ("کریمی", ["کریمی"]),
        ("مصطفي علی", ["مصطفى"]), ("ﻣﺼﻄﻔﻰ", ["مصطفى"]), ("שלום כהן", ["שלום"]), ("प्रिया शर्मा", ["शर्मा"]),
        ("தமிழ்", ["தமிழ்"]), ("สมชายใจดี", ["สมชาย"]), ("ใจดี", ["สมชาย"]),
        ("山田太郎", ["山田"]), ("山田　太郎", ["山田"]), ("太郎 山田", ["山田"]), ("山", ["山田", "山本"]),
        ("山本太", ["山本"]), ("太一山本", ["山本"]), ("ｽｽﾞｷ", ["鈴木"]), ("スズキイチロー", ["鈴木"]),
        ("カトウハナコ", ["halfwidth"]), ("さとうひろ", ["ひろ"]), ("王小明", ["王"]), ("김민준", ["김"]),
        ("민준 김", ["김"]), ("ジョンスミス", ["john"]), ("スミス", ["john"]),
    ]

    @Test("Each form finds its people, and nobody else")
    func forms() async throws {
        let cache = try await openCache()
        try await cache.sync(
            users: Self.people.map { id, name in
                User(id: id, name: .init(first: name.given, last: name.family)) {
                    $0.displayName = name.display
                }
            })
        for (typed, ids) in Self.forms {
            let found = try await cache.ids(UserQuery(search: typed))
            #expect(Set(found) == Set(ids), "\(typed) finds \(found.sorted())")
        }
    }
}
