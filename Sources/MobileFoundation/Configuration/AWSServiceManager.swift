public import Foundation
import RecorderAWS
import RecorderConcurrency
public import RecorderConfiguration

/// Holds the default configuration of recorders and clients. Safe to use from any thread.
public final class AWSServiceManager: NSObject, Sendable {
    private static let shared = AWSServiceManager()

    private let configuration = Locked<AWSServiceConfiguration?>(nil)

    package override init() {}

    /// The shared instance.
    public static func `default`() -> AWSServiceManager! { shared }

    /// The Swift 2 spelling of ``default()``.
    @available(*, deprecated, renamed: "default()")
    public static func defaultServiceManager() -> AWSServiceManager! { shared }

    /// The configuration for recorders that are created without one; nil until it is set.
    ///
    /// Can be set once; a copy is kept. Setting it again has no effect and logs a warning.
    public var defaultServiceConfiguration: AWSServiceConfiguration! {
        get { configuration.withLock { $0 } }
        set {
            guard let copy = newValue?.copy() as? AWSServiceConfiguration else { return }
            let isFirst = configuration.withLock { configuration in
                if configuration != nil { return false }
                configuration = copy
                return true
            }
            if !isFirst {
                RecorderLog.warning(
                    "AWSServiceManager's defaultServiceConfiguration can be set once; this new value is ignored. "
                        + "Give recorders configurations of their own with register(with:forKey:)."
                )
            }
        }
    }
}
