import RecorderAWS

/// What the service's answer means for one record.
package enum Outcome: Sendable, Hashable {
    /// Its own entry proves it: there is a sequence number or record id.
    case delivered
    /// It failed in a way that may pass.
    case retry(code: String, message: String)
    /// The service called the record itself invalid.
    case rejected(code: String, message: String)
    /// Its entry says neither that it was taken nor that it was not.
    case unproven

    init(code: String, message: String) {
        // The service's own text, which ends up in reports.
        let code = Legible.text(code, limit: 128)
        self = Self.meansInvalid(code) ? .rejected(code: code, message: message) : .retry(code: code, message: message)
    }

    /// Codes that say that the record, not the moment, is wrong. Any other code is taken for one that passes.
    private static func meansInvalid(_ code: String) -> Bool {
        code.hasPrefix("Invalid") || code.hasPrefix("Validation") || code.hasPrefix("Malformed")
            || code.contains("TooLarge")
    }
}
