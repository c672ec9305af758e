import Model

/// Users with texts in many scripts and some missing members.
struct RandomUsers {
    var random: any RandomNumberGenerator

    private static let scripts: [ClosedRange<UInt32>] = [
        0x20...0x7E, 0x20...0x7E, 0x61...0x7A, 0x61...0x7A, 0xA0...0x24F, 0x300...0x36F, 0x370...0x3FF,
        0x400...0x52F,
        0x531...0x587, 0x591...0x5F4, 0x600...0x6FF, 0x900...0x97F, 0x985...0x9E3, 0xE01...0xE5B,
        0x10A0...0x10FF,
        0x1100...0x11FF, 0x1E00...0x1FFF, 0x2000...0x206F, 0x2126...0x212B, 0x3041...0x30FF, 0x4E00...0x4F00,
        0xAC00...0xAD00, 0xF900...0xF950, 0xFB00...0xFB4F, 0xFF10...0xFF5A, 0x1F600...0x1F64F,
        0x10400...0x1044F,
        0x0...0x1F,
    ]

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// A text in one or two scripts, so that neighbouring characters may compose.
    mutating func text(upTo length: Int = 24) -> String {
        let scripts = [pick(Self.scripts), pick(Self.scripts)]
        var text = String.UnicodeScalarView()
        for _ in 0..<number(0...length) {
            let value = UInt32.random(in: pick(scripts), using: &random)
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        return String(text)
    }

    mutating func user(_ id: String) -> User {
        var user = User(id: id, name: User.Name(first: text(), last: text()))
        for field in UserField.all {
            let isNumber = [.phone, .cell, .phones].contains(field)
            switch field.kind {
            case .required: break
            case .text(let path):
                let length = field == .nationality ? 2 : 24
                user[keyPath: path] = maybe { isNumber ? $0.telephone() : $0.text(upTo: length) }
            case .date(let path): user[keyPath: path] = maybe { $0.time() }
            case .count(let path): user[keyPath: path] = maybe { $0.number(-5...2000) }
            case .number(let path): user[keyPath: path] = maybe { $0.degrees() }
            case .contacts(let path):
                user[keyPath: path] = maybe { random in
                    (0..<random.number(0...3)).map { _ in
                        let value = isNumber ? random.telephone() : random.text()
                        return User.Contact(value: value, kind: random.maybe { $0.text() })
                    }
                }
            }
        }
        if number(0...4) == 0 { user.displayName = "\(user.name.first) \(user.name.last)" }
        // Stored as objects without members.
        if number(0...9) == 0 { (user.manager, user.picture) = (User.Manager(), User.Picture()) }
        return user
    }

    private mutating func maybe<Value>(_ value: (inout Self) -> Value) -> Value? {
        number(0...4) == 0 ? nil : value(&self)
    }

    private mutating func pick<Element>(_ list: [Element]) -> Element { list[number(0...(list.count - 1))] }

    private mutating func telephone() -> String {
        String((0..<number(0...12)).map { _ in pick(Array("0123456789+-() /۰۱۲३४９Ⅷ²")) })
    }

    private mutating func time() -> Timestamp {
        Timestamp(milliseconds: .random(in: -70_000_000_000_000...300_000_000_000_000, using: &random))
    }

    private mutating func degrees() -> Double {
        switch number(0...5) {
        case 0: 0
        case 1: -0.0
        case 2: Double(number(-180...180))
        case 3: .random(in: -1e-7...1e-7, using: &random)
        case 4: .random(in: -1e20...1e20, using: &random)
        default: .random(in: -180...180, using: &random)
        }
    }
}
