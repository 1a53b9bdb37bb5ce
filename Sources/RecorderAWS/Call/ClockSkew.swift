import Foundation
import RecorderConcurrency

/// How far the service's clock is ahead of this machine's; nothing until a service says so.
///
/// Machines without a clock chip start in some other year, and signatures hold for five minutes.
final class ClockSkew: Sendable {
    private let learnt = Locked<TimeInterval>(0)

    /// A difference below this cannot be why a signature's time was refused.
    static let tolerance: TimeInterval = 120

    /// What is added to this machine's time.
    var seconds: TimeInterval { learnt.withLock { $0 } }

    /// The service's time, as far as it is known, when this machine's is `date`.
    func corrected(_ date: Date) -> Date {
        date + seconds
    }

    /// Learns from a refusal at `date` by this machine's clock; false if the clocks agreed when that request was signed,
    /// with `seconds` added. Other calls may have learnt the same meanwhile: this one is sent again all the same.
    func learn(serverDate: Date?, at date: Date, insteadOf seconds: TimeInterval = 0) -> Bool {
        guard let serverDate, abs(serverDate.timeIntervalSince(date + seconds)) >= Self.tolerance else { return false }
        learnt.withLock { $0 = serverDate.timeIntervalSince(date) }
        return true
    }
}
