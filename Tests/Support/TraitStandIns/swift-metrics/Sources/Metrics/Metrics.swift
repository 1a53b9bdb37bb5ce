// swift-format-ignore-file
import Synchronization

/// Where metrics go.
public enum MetricsSystem {
    private static let shared = Mutex<(any MetricsFactory)?>(nil)

    public static func bootstrap(_ factory: any MetricsFactory) {
        shared.withLock { $0 = factory }
    }

    static var factory: (any MetricsFactory)? { shared.withLock { $0 } }
}

public protocol MetricsFactory: Sendable {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler
    func destroyCounter(_ handler: any CounterHandler)
    func destroyRecorder(_ handler: any RecorderHandler)
    func destroyTimer(_ handler: any TimerHandler)
}

public protocol CounterHandler: AnyObject, Sendable {
    func increment(by amount: Int64)
    func reset()
}

public protocol RecorderHandler: AnyObject, Sendable {
    func record(_ value: Int64)
    func record(_ value: Double)
}

public protocol TimerHandler: AnyObject, Sendable {
    func recordNanoseconds(_ duration: Int64)
}

public final class Counter: Sendable {
    private let handler: (any CounterHandler)?

    public init(label: String, dimensions: [(String, String)] = []) {
        handler = MetricsSystem.factory?.makeCounter(label: label, dimensions: dimensions)
    }

    public func increment<Amount: BinaryInteger>(by amount: Amount) { handler?.increment(by: Int64(amount)) }
}

public final class Gauge: Sendable {
    private let handler: (any RecorderHandler)?

    public init(label: String, dimensions: [(String, String)] = []) {
        handler = MetricsSystem.factory?.makeRecorder(label: label, dimensions: dimensions, aggregate: false)
    }

    public func record<Value: BinaryInteger>(_ value: Value) { handler?.record(Int64(value)) }
}

public final class Timer: Sendable {
    private let handler: (any TimerHandler)?

    public init(label: String, dimensions: [(String, String)] = []) {
        handler = MetricsSystem.factory?.makeTimer(label: label, dimensions: dimensions)
    }

    public func recordNanoseconds(_ duration: Int64) { handler?.recordNanoseconds(duration) }
}
