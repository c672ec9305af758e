import DequeModule
import Model
import Synchronization

/// The last transitions, which all watchers read at their own pace, and each resource's newest report of
/// progress.
///
/// Each transition is stored once, however many watchers there are. A watcher that has not seen a transition
/// before it is dropped has fallen behind.
final class TransitionFeed: Sendable {
    enum Step: Sendable {
        case state(State)
        /// The watcher must read transitions from the cache: those after one index, up to another.
        case past(after: Int, through: Int)
        /// The watcher has seen all transitions up to the index.
        case fellBehind(index: Int)
        case ended
    }

    fileprivate struct Slot {
        var resources: Set<Resource>
        var progress: Bool
        /// The watcher has seen all transitions up to here.
        var index: Int
        /// The watch began before the oldest transition that is kept, and has not reached it yet.
        var isCatchingUp: Bool
        /// Number of the last report that the watcher has seen.
        var report = 0
        var waiting: CheckedContinuation<Step, Never>?
    }

    /// The newest progress of a sync, which may have ended.
    fileprivate struct Report {
        var number: Int
        var state: State
        var end: Int?
    }

    fileprivate struct Contents {
        var length: Int
        var transitions: [Resource: Deque<State>] = [:]
        /// Index of each resource's newest transition that is no longer kept.
        var dropped: [Resource: Int] = [:]
        var newest = 0
        var reports: [Resource: Report] = [:]
        var slots: [Int: Slot] = [:]
        /// The last number given to a slot or a report.
        var lastNumber = 0
        var isFinished = false
    }

    private let contents: Mutex<Contents>

    /// - Parameters:
    ///   - length: number of transitions of a resource that are kept.
    ///   - index: last transition before the first that will be published.
    init(length: Int, after index: Int) {
        contents = Mutex(
            Contents(
                length: length,
                dropped: Dictionary(uniqueKeysWithValues: Resource.allCases.map { ($0, index) }),
                newest: index))
    }

    deinit { finish() }

    // MARK: For watchers

    /// Adds a watcher.
    /// - Parameter index: the last transition that the watcher has seen.
    /// - Returns: the slot's number.
    func enter(after index: Int, resources: Set<Resource>, progress: Bool) -> Int {
        contents.withLock { contents in
            contents.lastNumber += 1
            contents.slots[contents.lastNumber] = Slot(
                resources: resources, progress: progress, index: index,
                isCatchingUp: contents.hasDropped(after: index, of: resources))
            return contents.lastNumber
        }
    }

    /// Removes a watcher. A waiting `next` returns `ended`.
    func leave(_ number: Int) {
        contents.withLock { $0.slots.removeValue(forKey: number)?.waiting }?.resume(returning: .ended)
    }

    /// Waits for the watcher's next step. One call at a time.
    func next(_ number: Int) async -> Step {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                let step = contents.withLock { contents -> Step? in
                    if let step = contents.step(number) { return step }
                    precondition(contents.slots[number]?.waiting == nil, "a watcher is already waiting")
                    contents.slots[number]?.waiting = waiting
                    return nil
                }
                if let step { waiting.resume(returning: step) }
            }
        } onCancel: {
            leave(number)
        }
    }

    /// Notes that the watcher has read all transitions up to the index from the cache.
    func advance(_ number: Int, to index: Int) {
        contents.withLock { $0.slots[number]?.index = index }
    }

    var count: Int { contents.withLock { $0.slots.count } }
    var isFinished: Bool { contents.withLock { $0.isFinished } }
    var wantsProgress: Bool { contents.withLock { $0.slots.values.contains(where: \.progress) } }

    // MARK: For the engine

    func publish(_ transition: State) {
        wake { contents in
            let resource = transition.resource
            if contents.reports[resource]?.end == nil { contents.reports[resource]?.end = transition.index }
            contents.newest = transition.index
            contents.transitions[resource, default: []].append(transition)
            contents.trim(resource)
        }
    }

    /// - Parameter length: number of transitions of a resource that are kept from now on.
    func setCapacity(_ length: Int) {
        wake { contents in
            contents.length = length
            for resource in Resource.allCases { contents.trim(resource) }
        }
    }

    /// Replaces the resource's previous report.
    func report(_ state: State) {
        wake { contents in
            contents.lastNumber += 1
            contents.reports[state.resource] = Report(number: contents.lastNumber, state: state)
        }
    }

    /// Watchers still get the kept transitions, then `ended`.
    func finish() { wake { $0.isFinished = true } }

    private func wake(after change: (inout Contents) -> Void) {
        let steps = contents.withLock { contents in
            change(&contents)
            var steps: [(step: Step, waiting: CheckedContinuation<Step, Never>)] = []
            for (number, slot) in contents.slots {
                guard let waiting = slot.waiting, let step = contents.step(number) else { continue }
                contents.slots[number]?.waiting = nil
                steps.append((step, waiting))
            }
            return steps
        }
        for (step, waiting) in steps { waiting.resume(returning: step) }
    }
}

extension TransitionFeed.Contents {
    /// The watcher's next step; nil if it must wait.
    fileprivate mutating func step(_ number: Int) -> TransitionFeed.Step? {
        guard var slot = slots[number] else { return .ended }
        defer { if slots[number] != nil { slots[number] = slot } }
        if hasDropped(after: slot.index, of: slot.resources) {
            if slot.isCatchingUp { return .past(after: slot.index, through: newest) }
            slots[number] = nil
            return .fellBehind(index: slot.index)
        }
        slot.isCatchingUp = false
        let transition = transition(for: slot)
        if transition == nil { slot.index = newest }
        if slot.progress, let report = report(for: slot) {
            slot.report = report.number
            return .state(report.state)
        }
        if let transition {
            slot.index = transition.index
            return .state(transition)
        }
        guard isFinished else { return nil }
        slots[number] = nil
        return .ended
    }

    fileprivate mutating func trim(_ resource: Resource) {
        while let count = transitions[resource]?.count, count > length {
            dropped[resource] = transitions[resource]?.popFirst()?.index
        }
    }

    fileprivate func hasDropped(after index: Int, of resources: Set<Resource>) -> Bool {
        resources.contains { dropped[$0, default: 0] > index }
    }

    private func transition(for slot: TransitionFeed.Slot) -> State? {
        slot.resources.compactMap { transitions[$0]?.first(after: slot.index) }.min { $0.index < $1.index }
    }

    /// A report comes after the transition to syncing, and before the one that ends the sync.
    private func report(for slot: TransitionFeed.Slot) -> TransitionFeed.Report? {
        slot.resources.compactMap { reports[$0] }.filter {
            $0.number > slot.report && $0.state.index <= slot.index && $0.end ?? .max > slot.index
        }.min { $0.number < $1.number }
    }
}

extension Deque<State> {
    /// A binary search: transitions are in the order of their index.
    fileprivate func first(after index: Int) -> State? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].index > index { high = middle } else { low = middle + 1 }
        }
        return low < count ? self[low] : nil
    }
}
