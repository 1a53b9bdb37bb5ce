import RecorderConcurrency
import RecorderDelivery
import RecorderEngine
import RecorderStore

/// Two options of a recorder, which are one in the engine's policy: whether records share entries of requests, and the size of
/// such an entry.
final class SharedEntryOption: Sendable {
    private let limits: SharedEntryLimits
    private let current: Locked<Int>

    init(_ limits: SharedEntryLimits) {
        self.limits = limits
        current = Locked(limits.standard)
    }

    var bytes: UInt { UInt(current.withLock { $0 }) }

    func enable(_ isEnabled: Bool, in pipeline: RecordPipeline) {
        current.withLock { bytes in pipeline.configure { $0.sharedEntryBytes = isEnabled ? bytes : nil } }
    }

    /// Sets the size, or the nearest one within the limits.
    func setBytes(_ bytes: UInt, in pipeline: RecordPipeline) {
        current.withLock { current in
            current = min(max(Int(clamping: bytes), limits.range.lowerBound), limits.range.upperBound)
            pipeline.configure { if $0.sharedEntryBytes != nil { $0.sharedEntryBytes = current } }
        }
    }
}
