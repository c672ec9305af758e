/// The people of a seed, as edited so far.
struct People {
    let population: Population
    private let seed: UInt64
    private let nationalities: [Nationality]
    private let gender: Gender?
    private let hard: Bool

    /// - Parameter hard: whether a few are odd; see ``Hardship``.
    init(_ population: Population, seed: String, _ query: UsersQuery, hard: Bool) {
        self.population = population
        self.seed = SplitMix64.key(of: seed)
        nationalities = query.nationalities
        gender = query.gender
        self.hard = hard
    }

    /// Nil past the end.
    func person(at position: Int) -> Person? { population.record(at: position).map(person) }

    func person(_ record: Int) -> Person {
        var person = Person(
            seed: seed, record: record, changes: population.changes(of: record), nationalities: nationalities,
            gender: gender, hard: hard)
        person.isActive = !population.inactive.contains(record)
        return person
    }

    /// A boss has nine others, and the first person has none.
    func manager(of person: Person) -> Person? { person.record == 0 ? nil : self.person(person.record / 10) }
}
