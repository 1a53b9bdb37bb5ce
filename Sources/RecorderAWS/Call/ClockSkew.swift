import FoundationEssentials
import RecorderConcurrency
import RecorderHTTP

/// How far the service's clock is ahead of this machine's clock; 0 until a response shows a difference.
///
/// Machines without a battery-backed clock may start in another year, but signatures are valid for five minutes only.
final class ClockSkew: Sendable {
    private let difference = Locked<TimeInterval>(0)

    /// A smaller difference cannot be the reason why a signature's time was refused.
    static let tolerance: TimeInterval = 120

    /// The seconds to add to this machine's time.
    var seconds: TimeInterval { difference.withLock { $0 } }

    /// The service's time at `date` of this machine's clock.
    func corrected(_ date: Date) -> Date {
        date + seconds
    }

    /// Learns the difference from a response at `date`. Returns false if the clocks agreed when the request was signed with
    /// `seconds` added. If another call has learned the same difference in the meantime, it still returns true, because
    /// this request has to be signed again.
    func learn(serverDate: Date?, at date: Date, insteadOf seconds: TimeInterval = 0) -> Bool {
        guard let serverDate, abs(serverDate.timeIntervalSince(date + seconds)) >= Self.tolerance else { return false }
        difference.withLock { $0 = serverDate.timeIntervalSince(date) }
        return true
    }
}

extension HTTPResponse {
    /// A time in this response, converted from the service's clock to this machine's by the `Date` header.
    func localTime(of serviceTime: Date, now: Date) -> Date {
        let skew = ClockSkew()
        _ = skew.learn(serverDate: date, at: now)
        return serviceTime - skew.seconds
    }
}
