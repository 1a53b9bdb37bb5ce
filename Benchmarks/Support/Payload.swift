import Foundation

/// The record that every measurement saves.
enum Payload {
    static let bytes = 1_024
    static let stream = "benchmark"
    static let key = "9B2F6C1E-5D34-4B0A-8E77-0C1D2E3F4A5B"
    static let data = data(bytes)

    static func data(_ bytes: Int) -> Data { Data(repeating: UInt8(ascii: "x"), count: bytes) }
}
