import Foundation
import RecorderConcurrency

/// Combines the outcomes of several tasks into one.
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

    init(count: Int, rule: Rule) {
        self.rule = rule
        let results: [Any] = rule == .allWithResults ? Array(repeating: NSNull(), count: count) : []
        tally = Locked(Tally(pending: count, results: results))
    }

    /// Adds the outcome of one task. Returns the combined outcome once it is known.
    func add(_ outcome: TaskOutcome, at index: Int) -> TaskOutcome? {
        if rule == .any, outcome.isSuccess { return outcome }
        return tally.withLock { tally in
            tally.pending -= 1
            switch outcome {
            case .succeeded(let result?) where rule == .allWithResults: tally.results[index] = result
            case .succeeded: break
            case .faulted(let error): tally.errors.append(error)
            case .cancelled: tally.sawCancellation = true
            }
            return tally.pending == 0 ? combined(tally) : nil
        }
    }

    private func combined(_ tally: Tally) -> TaskOutcome {
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

/// Adds the outcome of one task to a ``WhenAll``, and completes the child with the combined outcome.
final class WhenAllContinuation: TaskContinuation, @unchecked Sendable {
    // Safe as its superclass is.
    private let index: Int
    private let whenAll: WhenAll

    init(_ whenAll: WhenAll, index: Int, child: AWSAnyTask) {
        self.index = index
        self.whenAll = whenAll
        super.init(executor: .immediate, child: child)
    }

    override func run(after task: AWSAnyTask) -> ReadyContinuations? {
        guard let outcome = task.outcome, let combined = whenAll.add(outcome, at: index) else { return nil }
        return child?.settle(combined)
    }
}
