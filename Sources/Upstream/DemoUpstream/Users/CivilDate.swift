/// A Gregorian date.
struct CivilDate: Equatable {
    let year: Int
    let month: Int
    let day: Int

    /// The date a number of days after 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    init(days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
    /// `1966-06-26`
    var text: String { "\(year)-\(padded(month, 2))-\(padded(day, 2))" }
}
