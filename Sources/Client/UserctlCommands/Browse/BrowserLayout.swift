/// The sizes of the screen's parts, in cells.
struct BrowserLayout: Hashable, Sendable {
    struct Size: Hashable, Sendable {
        var columns: Int
        var rows: Int
    }

    enum Card: Hashable {
        case beside(width: Int)
        case below(height: Int)
        /// The screen is too small for both.
        case insteadOfList
    }

    let size: Size
    let card: Card
    /// The height between the top line and the bottom line.
    let bodyHeight: Int
    let listWidth: Int
    let listHeight: Int
    let hasHeadings: Bool

    static let gap = 2
    /// A list that is narrower cuts most names.
    private static let leastList = 24
    private static let (leastCard, mostCard) = (45, 64)
    /// Left of an address that has a line of its own.
    private static let cardMargin = 4
    /// Three screens must fit in the kept pages of a list.
    private static let mostRows = 1000

    /// - Parameter widestAddress: the width that a card beside the list gets, if there is room.
    init(_ size: Size, widestAddress: Int = 0) {
        let size = Size(columns: size.columns, rows: min(size.rows, Self.mostRows))
        self.size = size
        bodyHeight = max(1, size.rows - 2)
        if size.columns >= 80 {
            let most = min(Self.mostCard, size.columns - Self.leastList - Self.gap)
            let wanted = max(Self.leastCard, size.columns * 2 / 5, widestAddress + Self.cardMargin)
            let width = min(wanted, most)
            card = .beside(width: width)
            (listWidth, listHeight) = (size.columns - width - Self.gap, bodyHeight)
        } else if bodyHeight >= 24 {
            let height = min(18, bodyHeight / 2)
            card = .below(height: height)
            // Minus a blank line between them.
            (listWidth, listHeight) = (size.columns, bodyHeight - height - 1)
        } else {
            card = .insteadOfList
            (listWidth, listHeight) = (size.columns, bodyHeight)
        }
        hasHeadings = listHeight >= 6
    }

    /// The number of users that the list shows at once.
    var visibleUsers: Int { listHeight - (hasHeadings ? 1 : 0) }
}
