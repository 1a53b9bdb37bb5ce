import RecorderAWS

/// What the program is called.
enum Program {
    static let name = "kinesis-recorder"
    static let summary = "save records on disk now, send them to Amazon Kinesis or Data Firehose later"
    static var versionLine: String { "\(name) \(UserAgent.version)" }
}
