/// What `record` gives: nothing but that the record is on disk, or was dropped because the client is disabled.
public struct RecordData: Sendable {
    /// The only value there is.
    public init() {}
}
