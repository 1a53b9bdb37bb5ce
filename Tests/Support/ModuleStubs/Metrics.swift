// swift-format-ignore-file
// What the documents use of swift-metrics, so that `make snippets` compiles it without that package.

public final class Counter: Sendable {
    public init(label: String, dimensions: [(String, String)] = []) {}

    public func increment<DataType: BinaryInteger>(by amount: DataType) {}
}

public final class Gauge: Sendable {
    public init(label: String, dimensions: [(String, String)] = []) {}

    public func record<DataType: BinaryInteger>(_ value: DataType) {}
    public func record<DataType: BinaryFloatingPoint>(_ value: DataType) {}
}
