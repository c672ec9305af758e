/// A fact with the length that upstream reports.
struct CatFact: Equatable {
    let text: String
    let length: Int

    /// The first `count` facts. Like the real set, they contain one text five times, a no-break space and a wrong
    /// length.
    static func collection(_ count: Int) -> [CatFact] {
        (0..<count).map { index in
            let known = repeats.contains(index) ? 3 : index
            let text = known < original.count ? original[known] : observation(index)
            return CatFact(text: text, length: text.count + (index == wrongLength ? 1 : 0))
        }
    }

    private static let repeats: Set = [17, 38, 65, 101]
    private static let wrongLength = 12

    /// Generates further facts.
    private static func observation(_ index: Int) -> String {
        var random = SplitMix64(key: SplitMix64.key(0xCA7, index))
        let (coat, habit) = (random.one(of: coats), random.one(of: habits))
        let (times, days) = (random.within(2...40), random.within(2...30))
        return "Observation \(index): a \(coat) cat \(habit) \(times) times in \(days) days."
    }

    private static let coats = [
        "black", "calico", "cream", "ginger", "grey", "piebald", "tabby", "tortoiseshell", "white",
    ]
    private static let habits = [
        "slept in the sink", "knocked a cup off the table", "asked to go out and stayed in",
        "sat on the newspaper", "chased its own tail", "watched the washing machine", "brought home a leaf",
        "ignored a new bed",
    ]
}
