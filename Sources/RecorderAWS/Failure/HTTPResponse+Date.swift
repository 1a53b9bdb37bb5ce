package import Foundation
package import RecorderHTTP

extension HTTPResponse {
    /// The time on the service's clock, where the answer tells it.
    package var date: Date? { header("Date").flatMap(UTCTime.init(httpDate:))?.date }
}
