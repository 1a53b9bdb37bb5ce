import Foundation
import RecorderHTTP

extension HTTPResponse {
    /// A time that this answer names, by this machine's clock, which may be years off; the answer's date tells how far.
    func ownTime(of serviceTime: Date, now: Date) -> Date {
        let skew = ClockSkew()
        _ = skew.learn(serverDate: date, at: now)
        return serviceTime - skew.seconds
    }
}
