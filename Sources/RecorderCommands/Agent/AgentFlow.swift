import FileFollowing
package import LineRecords
import RecorderAWS

/// One flow of the Kinesis Agent's configuration: files, and the stream that their lines are sent to.
package struct AgentFlow: Sendable {
    package enum Destination: Sendable, Hashable {
        case kinesis(String)
        case firehose(String)
    }

    package let destination: Destination
    /// The glob as it was given.
    package let filePattern: String
    /// Globs without braces, which together match the same files.
    package let patterns: [String]
    /// Whether a file that exists when the flow starts for the first time is read from its end.
    package let startsAtEnd: Bool
    package let rules: RecordRules
    /// What is buffered at most before it is sent.
    package let buffer: SendBuffer
    /// The size of entries that several records share; nil if each is sent in one of its own.
    package let sharedEntryBytes: Int?

    init(_ settings: inout AgentSettings) throws(ConfigurationFailure) {
        destination = try Self.destination(&settings)
        filePattern = try Self.filePattern(&settings)
        patterns = try Self.patterns(filePattern, settings)
        let position = try settings.choice("initialPosition", of: ["START_OF_FILE", "END_OF_FILE"])
        startsAtEnd = position != "START_OF_FILE"
        buffer = try SendBuffer(&settings, isKinesis: destination.isKinesis)
        sharedEntryBytes = try Self.sharedEntryBytes(&settings, destination)
        rules = try Self.rules(&settings, destination)
        try Self.refuseFooter(&settings)
        // Files are read when they change, so there is nothing to wait for.
        _ = try settings.number("minTimeBetweenFilePollsMillis", in: 1...Int(Int32.max))
        settings.ignore(Self.ignored)
        settings.warnAboutRest()
    }

    /// Waits and queues of the Java program.
    private static let ignored = [
        "log.emitInternalMetrics", "maxTimeBetweenFileTrackerRefreshMillis", "publishQueueCapacity",
        "retryInitialBackoffMillis", "retryMaxBackoffMillis", "waitOnEmptyPublishQueueMillis",
        "waitOnFullPublishQueueMillis", "waitOnFullRetryQueueMillis",
    ]

    func isSame(as other: AgentFlow) -> Bool {
        destination == other.destination && filePattern == other.filePattern
    }

    private static func destination(_ settings: inout AgentSettings) throws(ConfigurationFailure) -> Destination {
        // As the agent does, which looks for this one first.
        let delivery = try settings.text("deliveryStream")
        let stream = try settings.text("kinesisStream")
        switch (delivery, stream) {
        case (let name?, nil): return .firehose(name)
        case (nil, let name?): return .kinesis(name)
        case (_?, _?):
            throw ConfigurationFailure(
                "\(settings.path) has kinesisStream and deliveryStream: make it two flows with the same filePattern."
            )
        case (nil, nil):
            throw ConfigurationFailure("\(settings.path) has neither kinesisStream nor deliveryStream: set one.")
        }
    }

    private static func filePattern(_ settings: inout AgentSettings) throws(ConfigurationFailure) -> String {
        guard let pattern = try settings.text("filePattern") else {
            throw ConfigurationFailure(
                "\(settings.path).filePattern is missing: set the path of the files, as in /tmp/app.log*."
            )
        }
        guard pattern.hasPrefix("/") else {
            throw ConfigurationFailure(
                "\(settings.path).filePattern is \"\(pattern.sanitized())\": give a path that begins with /."
            )
        }
        guard !pattern.hasSuffix("/") else {
            throw ConfigurationFailure(
                "\(settings.path).filePattern is \"\(pattern.sanitized())\": a file name is missing after the last /."
            )
        }
        return pattern
    }

    private static func patterns(
        _ pattern: String,
        _ settings: AgentSettings
    ) throws(ConfigurationFailure) -> [String] {
        guard let patterns = BracePattern.expand(pattern) else {
            throw ConfigurationFailure(
                "\(settings.path).filePattern is \"\(pattern.sanitized())\": the braces {...} are not closed, are nested, or "
                    + "stand for more than \(BracePattern.most) names."
            )
        }
        return patterns
    }

    private static func sharedEntryBytes(
        _ settings: inout AgentSettings,
        _ destination: Destination
    ) throws(ConfigurationFailure) -> Int? {
        let key = "aggregatedRecordSizeBytes"
        guard let bytes = try settings.number(key, in: 0...1_024_000), bytes > 0 else { return nil }
        guard !destination.isKinesis else {
            throw ConfigurationFailure(
                "\(settings.path).\(key) would join lines into one record of a Kinesis stream, which is not supported. Remove it."
            )
        }
        return bytes
    }

    private static func rules(
        _ settings: inout AgentSettings,
        _ destination: Destination
    ) throws(ConfigurationFailure) -> RecordRules {
        var rules = RecordRules()
        let key = try settings.choice("partitionKeyOption", of: ["RANDOM", "DETERMINISTIC"])
        if key == "DETERMINISTIC", destination.isKinesis { rules.key = .digest }
        if let pattern = try settings.text("multiLineStartPattern") {
            do throws(PatternError) {
                rules.multilineStart = try LinePattern(pattern, isAnchored: true)
            } catch {
                throw ConfigurationFailure(
                    "\(settings.path).multiLineStartPattern is \"\(pattern.sanitized())\": \(error.message)"
                )
            }
        }
        rules.joinsLines = try joinsLines(&settings)
        rules.skippedHeaderLines = try settings.number("skipHeaderLines", in: 0...1_000) ?? 0
        let ending = Array((try settings.text("truncatedRecordTerminator", mayBeEmpty: true) ?? "\n").utf8)
        guard ending.count < 1_024_000 else {
            throw ConfigurationFailure("\(settings.path).truncatedRecordTerminator is longer than a record may be.")
        }
        rules.longLine = .cut(ending: ending)
        return rules
    }

    private static func joinsLines(_ settings: inout AgentSettings) throws(ConfigurationFailure) -> Bool {
        var joins = false
        for var option in try settings.objects("dataProcessingOptions") ?? [] {
            guard let name = try option.text("optionName") else {
                throw ConfigurationFailure("\(option.path).optionName is missing.")
            }
            guard name.uppercased() == "SINGLELINE" else {
                throw ConfigurationFailure(
                    "\(option.path).optionName is \"\(name.sanitized())\": only SINGLELINE is supported. Records would not be "
                        + "converted; let the program that writes the log do it, or a function behind the stream."
                )
            }
            option.warnAboutRest()
            settings.warnings += option.warnings
            joins = true
        }
        return joins
    }

    private static func refuseFooter(_ settings: inout AgentSettings) throws(ConfigurationFailure) {
        guard try settings.text("fileFooterPattern") != nil else { return }
        throw ConfigurationFailure(
            "\(settings.path).fileFooterPattern is not supported: the lines after the footer would be sent, too. Remove it."
        )
    }
}

extension AgentFlow.Destination {
    package var isKinesis: Bool {
        if case .kinesis = self { true } else { false }
    }

    /// The name or the ARN.
    package var stream: String {
        switch self {
        case .kinesis(let name), .firehose(let name): name
        }
    }
}

extension SendBuffer {
    /// What the flow says, or the agent's defaults.
    fileprivate init(_ settings: inout AgentSettings, isKinesis: Bool) throws(ConfigurationFailure) {
        let age = try settings.number("maxBufferAgeMillis", in: 1_000...900_000) ?? 60_000
        // The agent's documentation says 4 MiB for both services, its code 5 MiB for Kinesis.
        let bytes = try settings.number("maxBufferSizeBytes", in: 1...(isKinesis ? 5_242_880 : 4_194_304)) ?? 4_194_304
        let records = try settings.number("maxBufferSizeRecords", in: 1...500) ?? 500
        self.init(age: .milliseconds(age), bytes: bytes, records: records)
    }
}
