import RecorderAWS

/// What the service's answer means for one record.
package enum Outcome: Sendable, Hashable {
    /// Its own entry proves it: there is a sequence number or record id.
    case delivered
    /// It failed in a way that may pass: so is each code taken that is not on the list of those that call it invalid.
    case retry(code: String, message: String)
    /// The service called the record itself invalid.
    case rejected(code: String, message: String)
    /// Its entry says neither that it was taken nor that it was not.
    case unproven

    init(code: String, message: String) {
        // The service's own text, which ends up in reports. Judged as it came: what is cut off may be what matters.
        let text = Legible.text(code, limit: 128)
        self =
            InvalidInputCodes.contains(code)
            ? .rejected(code: text, message: message) : .retry(code: text, message: message)
    }
}
