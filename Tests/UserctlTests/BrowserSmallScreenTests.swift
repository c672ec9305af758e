import Foundation
import Model
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("What browse shows first on a small screen")
struct BrowserSmallScreenTests {
    private func keller(_ id: String, _ department: String?, _ title: String? = nil, first: String = "Anna")
        -> User
    {
        User(id: id, name: .init(first: first, last: "Keller")) {
            ($0.email, $0.department, $0.jobTitle) = ("\(id)@example.com", department, title)
        }
    }

    private func names(_ users: [User], columns: Int = 80) -> [String] {
        let list = Browsing.begun(users, columns: columns, rows: 24).lines[2..<(2 + users.count)]
        return list.map { line in
            line.dropFirst(3).prefix(30).description.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test("Beside each of two equal names is what tells them apart: the department first")
    func namesakes() {
        #expect(
            names([keller("1", "Research"), keller("2", "Sales"), keller("3", "Sales", first: "Bea")])
                == ["Keller, Anna  Research", "Keller, Anna  Sales", "Keller, Bea"])
        #expect(
            names([keller("1", "Sales", "Editor"), keller("2", "Sales", "Driver")])
                == ["Keller, Anna  Editor", "Keller, Anna  Driver"])
        #expect(
            names([keller("1", nil), keller("2", nil)])
                == ["Keller, Anna  1@example.com", "Keller, Anna  2@example.com"])
        #expect(
            names([keller("1", "Research"), keller("2", nil)]) == [
                "Keller, Anna  Research", "Keller, Anna  2@example.com",
            ])
    }

    @Test("A long name leaves room for the department, and a list with addresses has no need of it")
    func longNames() {
        let first = "Maximilian Alexander Theodor"
        let users = [keller("1", "Research", first: first), keller("2", "Sales", first: first)]
        #expect(names(users) == ["Keller, Maximilian …  Research", "Keller, Maximilian Ale…  Sales"])
        #expect(
            names([keller("1", "Research"), keller("2", "Sales")], columns: 200).allSatisfy {
                $0 == "Keller, Anna"
            })
    }

    /// A picture that is drawn as 13 lines if there is room.
    private static let portrait = Picture(
        Bitmap(width: 1, height: 1, pixels: [255, 0, 0, 255]), file: [], PictureDrawing(.blocks(.all)),
        columns: 26, rows: 13)

    @Test(
        "The telephone number is seen without scrolling, and the picture takes what is left",
        arguments: [(80, 24, false), (80, 24, true), (40, 24, true), (44, 50, false), (120, 30, false)])
    func number(columns: Int, rows: Int, isWhole: Bool) {
        let user = User(id: "1", name: .init(title: "Dr", first: "Anna", last: "Keller")) {
            // The name has a line of its own.
            $0.displayName = "Anna Keller (Editing)"
            ($0.jobTitle, $0.department, $0.company) = ("Editor in Chief", "Editing", "Example News")
            ($0.employeeNumber, $0.office) = ("00417", "Room 4.12")
            $0.manager = .init(id: "m", name: "Genaro Quiñones")
            ($0.email, $0.phone) = ("anna.keller@example.com", "+41 31 555 01 02")
            $0.picture = .init(large: "https://example.com/l.png")
        }
        var browsing = Browsing([user], columns: columns, rows: rows, drawsPictures: true)
        browsing.answer()
        browsing.send(.details(of: "1", CardDetails(portrait: Self.portrait)))
        if isWhole { browsing.press(.enter) }
        #expect(browsing.screen.contains("+41 31 555 01 02"), "\(browsing.screen)")
        let drawn = browsing.lines.count { $0.contains("48;2;255;0;0m") }
        #expect((4...13).contains(drawn), "\(browsing.screen)")
        // Nothing is left blank above the last line while the picture is smaller than it can be.
        #expect(drawn == 13 || browsing.lines.dropLast().last != "")
    }
}
