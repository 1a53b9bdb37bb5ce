import Foundation
import RecorderConcurrency

/// Counts how many tasks end, and how, until one outcome stands for them all.
final class WhenAll: Sendable {
    enum Rule {
        case all
        case allWithResults
        case any
    }

    private struct Tally {
        var pending: Int
        var errors: [NSError] = []
        var sawCancellation = false
        var results: [Any]
    }

    private let rule: Rule
    private let tally: Locked<Tally>

    init(_ count: Int, _ rule: Rule) {
        self.rule = rule
        let results: [Any] = rule == .allWithResults ? Array(repeating: NSNull(), count: count) : []
        tally = Locked(Tally(pending: count, results: results))
    }

    /// Counts one task in; returns the outcome of the whole once that is known.
    func note(_ outcome: TaskOutcome, at index: Int) -> TaskOutcome? {
        if rule == .any, outcome.isSuccess { return outcome }
        return tally.withLock { tally in
            tally.pending -= 1
            switch outcome {
            case .succeeded(let result?) where rule == .allWithResults: tally.results[index] = result
            case .succeeded: break
            case .faulted(let error): tally.errors.append(error)
            case .cancelled: tally.sawCancellation = true
            }
            return tally.pending == 0 ? end(tally) : nil
        }
    }

    private func end(_ tally: Tally) -> TaskOutcome {
        if tally.sawCancellation, rule == .any || tally.errors.isEmpty { return .cancelled }
        if let error = tally.errors.first {
            return .faulted(tally.errors.count == 1 ? error : multiple(tally.errors))
        }
        return .succeeded(rule == .allWithResults ? NSArray(array: tally.results) : nil)
    }

    private func multiple(_ errors: [NSError]) -> NSError {
        NSError(
            domain: AWSTaskErrorDomain,
            code: kAWSMultipleErrorsError,
            userInfo: [
                AWSTaskMultipleErrorsUserInfoKey: errors,
                NSLocalizedDescriptionKey: "\(errors.count) tasks failed.",
            ]
        )
    }
}

/// Tells a gathering that one of its tasks ended.
final class GatheredTask: TaskContinuation, @unchecked Sendable {
    // Safe as its superclass is.
    private let index: Int
    private let gathering: WhenAll

    init(_ index: Int, of gathering: WhenAll, child: AWSAnyTask) {
        self.index = index
        self.gathering = gathering
        super.init(place: .immediate, child: child)
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        guard let outcome = task.outcome, let end = gathering.note(outcome, at: index) else { return nil }
        return child?.settle(end)
    }
}
