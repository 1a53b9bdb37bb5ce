import RecorderEngine

/// How far a submit has come.
public struct AWSSubmitProgress: Sendable, Hashable {
    /// Records delivered since the submit began.
    public let recordsSent: Int
    /// What those took on disk, in bytes.
    public let bytesSent: Int
    /// Records still on disk, those saved meanwhile included.
    public let recordsLeft: Int
    /// What those take, in bytes.
    public let bytesLeft: Int
    /// Records a second since the submit began.
    public let recordsPerSecond: Double
}

extension AWSSubmitProgress {
    init(_ progress: FlushProgress) {
        let seconds = progress.elapsed / .seconds(1)
        self.init(
            recordsSent: progress.delivered,
            bytesSent: progress.bytes,
            recordsLeft: progress.recordsLeft,
            bytesLeft: progress.bytesLeft,
            recordsPerSecond: seconds > 0 ? Double(progress.delivered) / seconds : 0
        )
    }
}
