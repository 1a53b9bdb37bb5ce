// swift-format-ignore-file
/// A label, a level and a handler.
public struct Logger: Sendable {
    public enum Level: String, Sendable, CaseIterable, Comparable {
        case trace, debug, info, notice, warning, error, critical

        public static func < (one: Level, other: Level) -> Bool {
            let order = allCases
            return order.firstIndex(of: one)! < order.firstIndex(of: other)!
        }
    }

    public struct Message: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
        public let description: String

        public init(stringLiteral text: String) { description = text }
    }

    public enum MetadataValue: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
        case string(String)

        public init(stringLiteral text: String) { self = .string(text) }

        public var description: String {
            switch self {
            case .string(let text): text
            }
        }
    }

    public typealias Metadata = [String: MetadataValue]

    public let label: String
    private var handler: any LogHandler

    public init(label: String, factory: (String) -> any LogHandler) {
        self.label = label
        handler = factory(label)
    }

    public init(label: String) {
        self.init(label: label) { _ in SwiftLogNoOpLogHandler() }
    }

    public var logLevel: Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    public func log(
        level: Level,
        _ message: @autoclosure () -> Message,
        metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil,
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) {
        guard logLevel <= level else { return }
        handler.log(
            level: level,
            message: message(),
            metadata: metadata(),
            source: source() ?? "",
            file: file,
            function: function,
            line: line
        )
    }
}

public protocol LogHandler: Sendable {
    var logLevel: Logger.Level { get set }
    var metadata: Logger.Metadata { get set }
    subscript(metadataKey key: String) -> Logger.MetadataValue? { get set }

    func log(
        level: Logger.Level,
        message: Logger.Message,
        metadata: Logger.Metadata?,
        source: String,
        file: String,
        function: String,
        line: UInt
    )
}

public struct SwiftLogNoOpLogHandler: LogHandler {
    public var logLevel = Logger.Level.critical
    public var metadata: Logger.Metadata = [:]

    public init() {}

    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(
        level: Logger.Level,
        message: Logger.Message,
        metadata: Logger.Metadata?,
        source: String,
        file: String,
        function: String,
        line: UInt
    ) {}
}
