/// Which failures are retried: all modes do the same here.
package enum RetryMode: String, Sendable, CaseIterable {
    case legacy, standard, adaptive

    /// Logged at the first use, so once in a process.
    package static let adaptiveWarning: Void = RecorderLog.warning(
        "The retry mode adaptive is the same as standard: clients do not limit the rate of their requests. "
            + "Remove the setting."
    )
}

// The settings of calls to any service.

extension MachineSettings {
    /// The maximum number of retries of a call: one less than `AWS_MAX_ATTEMPTS`, else than the profile's `max_attempts`; nil
    /// if none is set.
    package func maximumRetries() throws(ConfigurationFailure) -> Int? {
        guard let found = variable("AWS_MAX_ATTEMPTS") ?? setting("max_attempts") else { return nil }
        guard let attempts = Int(found.value.trimmed()), attempts >= 1 else {
            throw ConfigurationFailure(
                "\(found.origin) is \"\(found.value.sanitized(limit: 64))\": use a whole number of attempts, 1 or more; 1 "
                    + "means no retries."
            )
        }
        return attempts - 1
    }

    /// The mode in `AWS_RETRY_MODE`, else the profile's `retry_mode`, in any case; nil if none is set. Another word is logged
    /// as a warning, once, and counts as none, because all modes do the same.
    package var retryMode: RetryMode? {
        guard let found = variable("AWS_RETRY_MODE") ?? setting("retry_mode") else { return nil }
        if let mode = RetryMode(rawValue: found.value.trimmed().lowercased()) { return mode }
        let modes = RetryMode.allCases.map(\.rawValue).joined(separator: ", ")
        RecorderLog.warningOnce(
            "\(found.origin) is \"\(found.value.sanitized(limit: 64))\", which is none of \(modes). It is ignored."
        )
        return nil
    }

    /// The application's ID for the user agent, in `AWS_SDK_UA_APP_ID`, else the profile's `sdk_ua_app_id`; nil if none is set.
    package var applicationID: String? { (variable("AWS_SDK_UA_APP_ID") ?? setting("sdk_ua_app_id"))?.value }
}
